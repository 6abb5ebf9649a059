"""From a fitted distance and two documents to a Comparison."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.distances.blend import Blend
from hott.distances.representation import Representation
from hott.distances.topic import HOTT
from hott.distances.vector import L1
from hott.explain.comparison import Comparison, Side, WordMove
from hott.explain.flow import Carriers, Flow, costs_of_words, flow_between
from hott.explain.plan import TopicMove, topic_moves
from hott.terms import DocumentTerms, Term, TermComparison, TermStatistics, compare_terms
from hott.topics import Topic, named_topics
from hott.utils.checks import check_choice, check_counts
from hott.utils.estimator import check_is_fitted

Names: TypeAlias = Sequence[str] | NDArray[np.object_]


def compare(
    distance: HOTT | Blend,
    a: Representation,
    b: Representation,
    counts: tuple[Any, Any],
    *,
    words: Names | None = None,
    sides: tuple[Side, Side] = (Side("A"), Side("B")),
    terms: tuple[TermComparison, Callable[[str], int]] | None = None,
    sample: NDArray[np.floating] | None = None,
    meaning: float = 0.0,
    topics: Callable[[int], Sequence[Topic]] | None = None,
    without: Callable[[Collection[int]], float] | None = None,
) -> Comparison:
    """Explain the distance between two documents, or the means of two groups of documents.

    Parameters
    ----------
    distance : HOTT, HOFTT, or a Blend of one of them and L1
        Fitted.
    a, b : Representation
        The documents of each side: ``distance.represent(counts)``.
    counts : pair of arrays or sparse matrices, documents x words
        The counts of the same documents, or the Carriers that were made of them before.
    words : sequence of str, optional
        The word (or gene, or item: the feature) of each column of the counts.
    sides : pair of Side, optional
        What to call them.
    terms : pair of a TermComparison and a function, optional
        What the texts have in common, and the key of a word in its terms. Without it, columns of the counts
        are the terms, and the share of a document that they take up says how special they are.
    sample : array, optional
        Distances of random pairs, ascending.
    meaning : float
        What the vectors of the two texts add to the distance. The flow bears it in proportion to its costs.
    topics : function, optional
        From the number of a topic model to its topics; without it, words of theirs name them.
    without : function, optional
        From the keys of words to the distance of the two sides without these words.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from hott import HOTT
    >>> X = np.array([[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 4, 2], [0, 0, 2, 4]])
    >>> hott = HOTT(n_topics=2).fit(X)
    >>> R = hott.represent(X)
    >>> comparison = compare(hott, R[:1], R[1:2], (X[:1], X[1:2]), words=["cat", "dog", "stocks", "bonds"])
    >>> comparison.distance
    0.0
    """
    check_is_fitted(distance)
    blend, distance = (distance, _topics_of(distance)) if isinstance(distance, Blend) else (None, distance)
    n_words = distance.n_features_in_
    names = [f"word {j}" for j in range(n_words)] if words is None else words
    if len(names) != n_words:
        raise ValueError(f"words must name the {n_words} columns of the counts, got {len(names)} of them.")
    left, right = (
        _carriers(name, distance, _part(side, 0) if blend else side, rows)
        for name, side, rows in zip("ab", (a, b), counts)
    )
    flow = flow_between(distance, left, right)
    whole = flow
    if blend is not None:
        of_topics, of_words = blend.factors_
        shares_a, shares_b = (np.asarray(_part(side, 1).matrix().mean(axis=0)).ravel() for side in (a, b))
        costs = of_topics * flow.costs + costs_of_words(flow, shares_a, shares_b, of_words)
        whole = replace(flow, costs=costs)
    if meaning:
        # Where nothing else tells the sides apart, all of their mass bears it alike.
        shares = whole.costs if whole.distance > 0 else whole.masses
        whole = replace(whole, costs=whole.costs + meaning * (shares / shares.sum()))
    told, key_of = terms or _terms_of_columns(left, right, names)
    parts = (_part(a, 0), _part(b, 0)) if blend else (a, b)
    return Comparison(
        whole.distance,
        flow.distance,
        *sides,
        told,
        partial(_steps, whole, names),
        key_of,
        partial(_moves, distance, parts, names, topics),
        sample,
        meaning,
        without,
    )


def _moves(
    distance: HOTT,
    parts: tuple[Representation, Representation],
    names: Names,
    topics: Callable[[int], Sequence[Topic]] | None,
    model: int,
) -> tuple[TopicMove, ...]:
    check_choice(model, "model", tuple(range(len(distance.models_))))
    named = topics(model) if topics else named_topics(distance.models_[model].topics.components, list(names))
    return topic_moves(distance, *parts, named, model)


def _terms_of_columns(
    left: Carriers, right: Carriers, names: Names
) -> tuple[TermComparison, Callable[[str], int]]:
    """Tell what two sides have in common by columns of the counts: genes, items, or words without a text."""
    sides = []
    for side in (left, right):
        shares = 100 * side.occurrences / side.occurrences.sum()
        terms = [
            Term(str(names[column]), share, (), (), column, (column,))
            for column, share in zip(side.words.tolist(), shares.tolist())
        ]
        ranked = tuple(sorted(terms, key=lambda term: (-round(term.weight, 9), term.key)))
        sides.append(DocumentTerms("", "", ranked, (), (), ()))
    columns = {str(names[column]): int(column) for column in np.union1d(left.words, right.words)}
    return compare_terms(sides[0], sides[1], TermStatistics("english")), columns.__getitem__


def _steps(flow: Flow, names: Names) -> Iterator[WordMove]:
    """Give the flow word by word."""
    columns = (column.tolist() for column in (flow.sources, flow.targets, flow.masses, flow.costs))
    for source, target, mass, cost in zip(*columns):
        yield WordMove(str(names[source]), str(names[target]), mass, cost)


def _carriers(name: str, distance: HOTT, documents: Representation, counts: Any) -> Carriers:
    if not isinstance(documents, Representation) or len(documents.parts) != len(distance.models_):
        raise ValueError(
            f"{name} must be documents as the distance represents them, distance.represent(counts); "
            f"got {documents!r:.60}."
        )
    if not len(documents):
        raise ValueError(f"{name} has no document with a word that the topics know.")
    if isinstance(counts, Carriers):
        return counts
    rows = check_counts(counts, "counts", whole=True)
    if rows.shape != (documents.n_documents, distance.n_features_in_):
        raise ValueError(
            f"counts must be those of the documents in {name}, {documents.n_documents} x "
            f"{distance.n_features_in_}; got {rows.shape[0]} x {rows.shape[1]}."
        )
    return Carriers.of(distance, documents, sparse.csr_array(rows[documents.positions]))


def _topics_of(blend: Blend) -> HOTT:
    """Return the distance over topics in a blend of topics and words."""
    if [type(part) for part in blend.distances_[1:]] == [L1] and isinstance(blend.distances_[0], HOTT):
        return blend.distances_[0]
    raise ValueError(
        "Of blends, that of a HOTT and an L1 can be explained, in this order; this one has "
        f"{', '.join(type(part).__name__ for part in blend.distances_)}."
    )


def _part(side: Representation, number: int) -> Representation:
    """Return documents as one of the distances in a blend sees them."""
    part = side.parts[number] if number < len(side.parts) else None
    if not isinstance(part, Representation):
        raise ValueError("documents must be as the blend represents them: blend.represent(counts).")
    return part
