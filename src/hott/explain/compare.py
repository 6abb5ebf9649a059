"""From a fitted distance and two documents to a Comparison."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from hott.explain.comparison import Comparison, Move, Side, Topic
from hott.explain.evidence import Evidence
from hott.explain.names import CANDIDATES, distinctive_words, unique_names
from hott.explain.plan import Ground

if TYPE_CHECKING:
    from hott.distances.topic import HOTT


class Document(Protocol):
    """What a comparison wants to know of a document beyond its topics."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def text(self) -> str: ...


def compare(
    distance: "HOTT",
    a: Any,
    b: Any,
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
    a, b : representations of one document each
        Rows of ``distance.transform(counts)``.
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
        As :func:`named_topics` gives them. Finding names takes most of the time of a comparison, so who
        compares often finds them once.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from hott import HOTT
    >>> X = np.array([[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 4, 2], [0, 0, 2, 4]])
    >>> hott = HOTT(n_topics=2).fit(X)
    >>> R = hott.transform(X)
    >>> comparison = compare(hott, R[[0]], R[[1]], words=["cat", "dog", "stocks", "bonds"])
    >>> comparison.shared_mass
    1.0
    """
    grounds = _grounds(distance)
    left, right = _proportions("a", a, grounds), _proportions("b", b, grounds)
    plans = [ground.topic_plan(p, q) for ground, p, q in zip(grounds, left, right)]
    values = [_value(ground, plan) for ground, plan in zip(grounds, plans)]
    mean = float(np.mean(values))
    model = int(np.argmin(np.abs(np.subtract(values, mean))))

    ground = grounds[model]
    n_words = ground.topics.shape[1]
    labels = [f"word {j}" for j in range(n_words)] if words is None else [str(word) for word in words]
    if len(labels) != n_words:
        raise ValueError(f"words must name the {n_words} columns of the counts, got {len(labels)} of them.")
    named = topics(model) if topics else named_topics(ground.topics, labels, frequencies)
    sides = [
        _side(position, proportions[model], ground, named, labels, counts, documents, count)
        for position, proportions in enumerate((left, right))
    ]

    def word_plan(move: Move) -> Iterator[tuple[str, str, float, float]]:
        for i, j, mass, cost in zip(*ground.word_plan(move.source.number, move.target.number)):
            yield labels[i], labels[j], float(mass) * move.mass, float(cost)

    return Comparison(
        distance=mean,
        model_distance=values[model],
        model=model,
        n_models=len(grounds),
        p=ground.p,
        a=sides[0],
        b=sides[1],
        plan=_moves(ground, plans[model], named),
        _word_plan=word_plan,
    )


def _grounds(distance: "HOTT") -> list[Ground]:
    """The topic models of a fitted distance, each with its geometry."""
    check_is_fitted(distance)
    vectors = None if distance.word_vectors is None else np.asarray(distance.word_vectors)
    return [
        Ground(space.topics.components, space.distances, vectors, distance.n_words, distance.p)
        for space in distance.models_
    ]


def _proportions(name: str, row: Any, grounds: Sequence[Ground]) -> list[NDArray[np.float64]]:
    """Cut a representation of one document into its proportions in each model."""
    dense = _dense(row)
    sizes = [len(ground.topics) for ground in grounds]
    if dense.size != sum(sizes) or not np.isfinite(dense).all():
        raise ValueError(
            f"{name} must be the representation of one document, {sum(sizes)} finite numbers as "
            f"transform(counts) gives them; got an array of shape {dense.shape}."
        )
    return np.split(dense.ravel(), np.cumsum(sizes)[:-1])


def _value(ground: Ground, plan: sparse.coo_array) -> float:
    cost = ground.distances[plan.row, plan.col] ** ground.p
    return float(plan.data @ cost) ** (1 / ground.p)


def named_topics(
    components: ArrayLike, words: Sequence[str], frequencies: ArrayLike | None = None
) -> tuple[Topic, ...]:
    """The topics of one model, rows of word probabilities, each with its name and its distinctive words."""
    ranked = distinctive_words(components, words, frequencies=frequencies, n=CANDIDATES)
    names = unique_names(ranked)
    return tuple(Topic(number, *named) for number, named in enumerate(zip(names, (r[:10] for r in ranked))))


def _moves(ground: Ground, plan: sparse.coo_array, topics: Sequence[Topic]) -> tuple[Move, ...]:
    costs = ground.distances[plan.row, plan.col] ** ground.p
    total = float(plan.data @ costs)
    moves = [
        Move(topics[i], topics[j], float(mass), float(cost), float(mass * cost / total) if total else 0.0)
        for i, j, mass, cost in zip(plan.row, plan.col, plan.data, costs)
    ]
    return tuple(sorted(moves, key=lambda move: (not move.stays, -move.share, -move.mass)))


def _side(
    position: int,
    proportions: NDArray[np.float64],
    ground: Ground,
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
        evidence = Evidence(row, proportions, ground.topics, labels, text, count if text else None)
    heaviest = np.argsort(-proportions, kind="stable")
    weights = {topics[k]: float(proportions[k]) for k in heaviest if proportions[k] > 0}
    return Side(id, title, weights, evidence)


def _row(counts: Any) -> sparse.csr_array:
    """The counts of one document as a matrix of one row."""
    return sparse.csr_array(_dense(counts).reshape(1, -1))


def _dense(values: Any) -> NDArray[np.float64]:
    return values.toarray() if sparse.issparse(values) else np.asarray(values, float)
