"""From a fitted distance and two documents to a Comparison."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from hott.distances.representation import Representation
from hott.distances.topic import HOTT
from hott.explain.comparison import Comparison, Move, Side
from hott.explain.evidence import Evidence
from hott.explain.plan import TopicGeometry
from hott.topics.names import Topic, named_topics


class Document(Protocol):
    """What a comparison wants to know of a document beyond its topics."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def text(self) -> str: ...


def compare(
    distance: HOTT,
    a: Representation,
    b: Representation,
    *,
    words: Sequence[str] | None = None,
    counts: tuple[Any, Any] | None = None,
    documents: tuple[Document, Document] | None = None,
    count: Callable[[list[str]], Any] | None = None,
    frequencies: ArrayLike | None = None,
    topics: Callable[[int], Sequence[Topic]] | None = None,
) -> Comparison:
    """Explain the distance between two documents.

    Parameters
    ----------
    distance : HOTT or HOFTT
        Fitted.
    a, b : Representation
        One document each: ``distance.represent(counts)``.
    words : sequence of str, optional
        The word (or gene, or item: the feature) of each column of the counts.
    counts : pair of rows of counts, optional
        The counts of the two documents, to say which of their words carry which topic.
    documents : pair of documents, optional
        Anything with ``id``, ``title`` and ``text``. With ``count``, the text serves to say which sentences
        carry which topic.
    count : function from a list of texts to counts, optional
        As the documents were counted, for example ``vocabulary.transform``.
    frequencies : array-like of shape (words,), optional
        How common each word is in the corpus, for the names of the topics; guessed from the topics otherwise.
    topics : function from the number of a model to its topics, optional
        As :func:`hott.topics.named_topics` gives them. Finding names takes most of the time of a comparison,
        so who compares often finds them once.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from hott import HOTT
    >>> X = np.array([[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 4, 2], [0, 0, 2, 4]])
    >>> hott = HOTT(n_topics=2).fit(X)
    >>> R = hott.represent(X)
    >>> comparison = compare(hott, R[:1], R[1:2], words=["cat", "dog", "stocks", "bonds"])
    >>> comparison.shared_mass
    1.0
    """
    models = _geometries(distance)
    left, right = _proportions("a", a, models), _proportions("b", b, models)
    plans = [model.topic_plan(p, q) for model, p, q in zip(models, left, right)]
    values = [_value(model, plan) for model, plan in zip(models, plans)]
    mean = float(np.mean(values))
    chosen = int(np.argmin(np.abs(np.subtract(values, mean))))

    model = models[chosen]
    n_words = model.topics.shape[1]
    labels = [f"word {j}" for j in range(n_words)] if words is None else [str(word) for word in words]
    if len(labels) != n_words:
        raise ValueError(f"words must name the {n_words} columns of the counts, got {len(labels)} of them.")
    named = topics(chosen) if topics else named_topics(model.topics, labels, frequencies=frequencies)
    sides = [
        _side(position, proportions[chosen], model, named, labels, counts, documents, count)
        for position, proportions in enumerate((left, right))
    ]

    def word_plan(move: Move) -> Iterator[tuple[str, str, float, float]]:
        for i, j, mass, cost in zip(*model.word_plan(move.source.number, move.target.number)):
            yield labels[i], labels[j], float(mass) * move.mass, float(cost)

    return Comparison(
        distance=mean,
        model_distance=values[chosen],
        model=chosen,
        n_models=len(models),
        p=distance.p,
        a=sides[0],
        b=sides[1],
        plan=_moves(model, plans[chosen], named),
        _word_plan=word_plan,
    )


def _geometries(distance: HOTT) -> list[TopicGeometry]:
    """The topic models of a fitted distance, each with its geometry."""
    check_is_fitted(distance)
    vectors = None if distance.word_vectors is None else np.asarray(distance.word_vectors)
    return [
        TopicGeometry(space.topics.components, ground, vectors, distance.n_words)
        for space, ground in zip(distance.models_, distance.grounds)
    ]


def _proportions(
    name: str, row: Representation, models: Sequence[TopicGeometry]
) -> list[NDArray[np.float64]]:
    """The proportions of one document in each model."""
    if not isinstance(row, Representation) or len(row) != 1 or len(row.parts) != len(models):
        raise ValueError(
            f"{name} must be one document as the distance represents it, distance.represent(counts); "
            f"got {row!r:.60}."
        )
    return [part.csr.toarray()[0] for part in row.distributions]


def _value(model: TopicGeometry, plan: sparse.coo_array) -> float:
    cost = model.ground.cost[plan.row, plan.col]
    return float(plan.data @ cost) ** (1 / model.ground.order.p)


def _moves(model: TopicGeometry, plan: sparse.coo_array, topics: Sequence[Topic]) -> tuple[Move, ...]:
    costs = model.ground.cost[plan.row, plan.col]
    total = float(plan.data @ costs)
    moves = [
        Move(topics[i], topics[j], float(mass), float(cost), float(mass * cost / total) if total else 0.0)
        for i, j, mass, cost in zip(plan.row, plan.col, plan.data, costs)
    ]
    return tuple(sorted(moves, key=lambda move: (not move.stays, -move.share, -move.mass)))


def _side(
    position: int,
    proportions: NDArray[np.float64],
    model: TopicGeometry,
    topics: Sequence[Topic],
    labels: Sequence[str],
    counts: tuple[Any, Any] | None,
    documents: tuple[Document, Document] | None,
    count: Callable[[list[str]], Any] | None,
) -> Side:
    id, title, text = "AB"[position], "", ""
    if documents is not None:
        document = documents[position]
        id, title, text = document.id, document.title or "", document.text or ""
    row = None
    if counts is not None:
        row = _row(counts[position])
    elif count is not None and text:
        row = sparse.csr_array(count([text]))
    evidence = None
    if row is not None and row.sum() > 0:
        evidence = Evidence(row, proportions, model.topics, labels, text, count if text else None)
    heaviest = np.argsort(-proportions, kind="stable")
    weights = {topics[k]: float(proportions[k]) for k in heaviest if proportions[k] > 0}
    return Side(id, title, weights, evidence)


def _row(counts: Any) -> sparse.csr_array:
    """The counts of one document as a matrix of one row."""
    return sparse.csr_array(_dense(counts).reshape(1, -1))


def _dense(values: Any) -> NDArray[np.float64]:
    return values.toarray() if sparse.issparse(values) else np.asarray(values, float)
