"""From a fitted distance and two documents to a Comparison."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from hott.distances.blend import Blend
from hott.distances.representation import Representation
from hott.distances.topic import HOTT
from hott.distances.vector import L1
from hott.explain.comparison import Comparison, Move, Side, Theme, Word, WordMove
from hott.explain.evidence import Evidence
from hott.explain.flow import Carriers, Flow, costs_of_words, flow_between, summed
from hott.explain.themes import Background, Grouping, Names, grouped
from hott.topics.names import same_word
from hott.utils.checks import check_counts

MAX_SHOWN = 8  # words a theme and side
MIN_SHOWN = 3
WORTH_SHOWING = 0.2  # of what the first word of the theme says
TELLING_WHEN_FAR = 0.4
IN_BOTH_GROUPS = 0.2  # of a word's mass in one group, to be had by the other
MAX_READ = 20  # documents of a group that sentences are taken from


class Document(Protocol):
    """What a comparison wants to know of a document beyond its words."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def text(self) -> str: ...


def compare(
    distance: HOTT | Blend,
    a: Representation,
    b: Representation,
    counts: tuple[Any, Any],
    *,
    words: Names | None = None,
    sides: tuple[Side, Side] = (Side("A"), Side("B")),
    documents: tuple[Sequence[Document], Sequence[Document]] | None = None,
    count: Callable[[list[str]], Any] | None = None,
    background: Background | None = None,
    meaning: float = 0.0,
) -> Comparison:
    """Explain the distance between two documents, or the means of two groups of documents.

    Parameters
    ----------
    distance : HOTT, HOFTT, or a Blend of one of them and L1
        Fitted.
    a, b : Representation
        The documents of each side: ``distance.represent(counts)``.
    counts : pair of arrays or sparse matrices, documents x words
        The counts of the same documents.
    words : sequence of str, optional
        The word (or gene, or item: the feature) of each column of the counts.
    sides : pair of Side, optional
        What to call them.
    documents : pair of sequences of documents, optional
        Anything with ``id``, ``title`` and ``text``. With ``count``, the sentences that carry each theme are
        found in the texts.
    count : function from a list of texts to counts, optional
        As the documents were counted, for example ``vocabulary.transform``.
    background : Background, optional
        What is known of the corpus, to tell words of substance from fillers.
    meaning : float
        What the vectors of the two texts add to the distance. The flow bears it in proportion to its costs.

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
    names = _names(words, distance.n_features_in_)
    left, right = (
        _carriers(name, distance, _part(side, 0) if blend else side, rows)
        for name, side, rows in zip("ab", (a, b), counts)
    )
    flow, far = flow_between(distance, left, right), far_apart(distance)
    whole, same_words = (flow, None) if blend is None else _with_words(blend, flow, a, b)
    if meaning:
        # Where nothing else tells the sides apart, all of their mass bears it alike.
        shares = whole.costs if whole.distance > 0 else whole.masses
        whole = replace(whole, costs=whole.costs + meaning * (shares / shares.sum()))
    # A word of a group is common to both when both use it, not when a single document happens to have it.
    common = IN_BOTH_GROUPS if max(len(a), len(b)) > 1 else 0.0

    def told(groups: Grouping) -> Comparison:
        themes, moves = _themes(flow, whole.costs, groups, names, far, common)
        evidence = None
        if documents is not None and count is not None:
            evidence = (
                _evidence(documents[0], count, groups, flow.sources, flow.masses),
                _evidence(documents[1], count, groups, flow.targets, flow.masses),
            )
        steps = partial(_steps, whole, groups, names)
        distances = (whole.distance, flow.distance, far)
        return Comparison(*distances, *sides, themes, moves, steps, evidence, same_words, meaning)

    groups = grouped(distance, flow, names, background or Background())
    comparison = told(groups)
    # Of documents that share nothing, what each is about is enough; small themes would pair up leftovers.
    return comparison if comparison.shared else told(groups.of_weight(TELLING_WHEN_FAR))


def _steps(flow: Flow, groups: Grouping, names: Names) -> Iterator[WordMove]:
    """The flow word by word."""
    numbers = np.where(groups.themes < 0, len(groups.says), groups.themes)
    theme_of = dict(zip(groups.words.tolist(), numbers.tolist()))
    columns = (column.tolist() for column in (flow.sources, flow.targets, flow.masses, flow.costs))
    for source, target, mass, cost in zip(*columns):
        yield WordMove(str(names[source]), str(names[target]), mass, cost, theme_of[source], theme_of[target])


def _names(words: Names | None, n_words: int) -> Names:
    if words is None:
        return [f"word {j}" for j in range(n_words)]
    if len(words) != n_words:
        raise ValueError(f"words must name the {n_words} columns of the counts, got {len(words)} of them.")
    return words


def _carriers(name: str, distance: HOTT, documents: Representation, counts: Any) -> Carriers:
    if not isinstance(documents, Representation) or len(documents.parts) != len(distance.models_):
        raise ValueError(
            f"{name} must be documents as the distance represents them, distance.represent(counts); "
            f"got {documents!r:.60}."
        )
    if not len(documents):
        raise ValueError(f"{name} has no document with a word that the topics know.")
    rows = check_counts(counts, "counts", whole=True)
    if rows.shape != (documents.n_documents, distance.n_features_in_):
        raise ValueError(
            f"counts must be those of the documents in {name}, {documents.n_documents} x "
            f"{distance.n_features_in_}; got {rows.shape[0]} x {rows.shape[1]}."
        )
    return Carriers.of(distance, documents, sparse.csr_array(rows[documents.positions]))


def _topics_of(blend: Blend) -> HOTT:
    """The distance over topics in a blend of topics and words."""
    if [type(part) for part in blend.distances_[1:]] == [L1] and isinstance(blend.distances_[0], HOTT):
        return blend.distances_[0]
    raise ValueError(
        "Of blends, that of a HOTT and an L1 can be explained, in this order; this one has "
        f"{', '.join(type(part).__name__ for part in blend.distances_)}."
    )


def _with_words(blend: Blend, flow: Flow, a: Representation, b: Representation) -> tuple[Flow, float | None]:
    """The flow with what a blend counts for topics and what unlike words add; the share of same words."""
    topics, words = blend.factors_
    left, right = (np.asarray(_part(side, 1).matrix().mean(axis=0)).ravel() for side in (a, b))
    costs = topics * flow.costs + costs_of_words(flow, left, right, words)
    return replace(flow, costs=costs), float(np.minimum(left, right).sum()) if words else None


def _part(side: Representation, number: int) -> Representation:
    """Documents as one of the distances in a blend sees them."""
    part = side.parts[number] if number < len(side.parts) else None
    if not isinstance(part, Representation):
        raise ValueError("documents must be as the blend represents them: blend.represent(counts).")
    return part


def far_apart(distance: HOTT) -> float:
    """How far apart two topics are, by the median of each model."""
    medians = []
    for space in distance.models_:
        apart = space.distances[np.triu_indices(len(space.distances), 1)]
        medians.append(np.median(apart) if len(apart) else 0.0)
    return float(np.mean(medians))


def _themes(
    flow: Flow,
    whole_costs: NDArray[np.float64],
    groups: Grouping,
    names: Names,
    far: float,
    common: float,
) -> tuple[tuple[Theme, ...], tuple[Move, ...]]:
    """The themes with their numbers and words, and what moves between them."""
    n = len(groups.says) + 1  # the last is what no theme holds
    themes = np.where(groups.themes < 0, n - 1, groups.themes)
    sources, targets = (np.searchsorted(groups.words, ends) for ends in (flow.sources, flow.targets))
    pair = themes[sources] * n + themes[targets]
    masses = summed(pair, flow.masses, n * n).reshape(n, n)
    costs, apart = (summed(pair, c, n * n).reshape(n, n) for c in (whole_costs, flow.costs))
    near = flow.masses + np.maximum(flow.masses * far - flow.costs, 0.0) / (far or 1.0)
    mass = [summed(ends, flow.masses, len(themes)) for ends in (sources, targets)]
    least, most = np.minimum(*mass), np.maximum(*mass)
    in_both = (least > 0) & (least >= common * most)
    # What both documents say, in words that bring them together, says the most about the two.
    says = [summed(ends, near, len(themes)) * groups.weights * (1 + in_both) for ends in (sources, targets)]
    shown = [
        [
            _words(np.flatnonzero(themes == k), mass[side], says[side], in_both, groups, names)
            for k in range(n)
        ]
        for side in (0, 1)
    ]
    made = [
        Theme(
            k,
            shown[0][k],
            shown[1][k],
            float(masses[k].sum()),
            float(masses[:, k].sum()),
            float(masses[k, k]),
            float(costs[k, k]),
            float(apart[k, k]),
            float(groups.says[k]) if k < n - 1 else 0.0,
            is_other=k == n - 1,
        )
        for k in range(n)
    ]
    moves = [
        Move(made[i], made[j], float(masses[i, j]), float(costs[i, j])) for i, j in zip(*np.nonzero(masses))
    ]
    moves.sort(key=lambda m: (not m.stays, -round(m.mass if m.stays else m.cost, 12), m.source.number))
    return tuple(theme for theme in made if theme.mass_a + theme.mass_b > 0), tuple(moves)


def _words(
    own: NDArray[np.intp],
    mass: NDArray[np.float64],
    says: NDArray[np.float64],
    in_both: NDArray[np.bool_],
    groups: Grouping,
    names: Names,
) -> tuple[Word, ...]:
    """The words of a theme that say most in one side, forms of one word merged."""
    own = own[mass[own] > 0]
    ranked = own[np.argsort(-says[own].round(12), kind="stable")]
    forms: list[list[int]] = []
    for place in ranked.tolist():
        word = names[groups.words[place]]
        same = next((f for f in forms if same_word(word, names[groups.words[f[0]]])), None)
        if same is not None:
            same.append(place)
        elif len(forms) < MIN_SHOWN or (
            len(forms) < MAX_SHOWN and says[place] >= WORTH_SHOWING * says[ranked[0]]
        ):
            forms.append([place])
    found = []
    for places in forms:
        places.sort(key=lambda place: -round(float(mass[place]), 12))
        texts = tuple(str(names[groups.words[place]]) for place in places)
        found.append(Word(texts[0], float(mass[places].sum()), texts, bool(in_both[places].any())))
    return tuple(found)


def _evidence(
    documents: Sequence[Document],
    count: Callable[[list[str]], Any],
    groups: Grouping,
    ends: NDArray[np.intp],
    masses: NDArray[np.float64],
) -> Evidence:
    texts = [(document.id, document.text or "") for document in documents[:MAX_READ]]
    mass = summed(np.searchsorted(groups.words, ends), masses, len(groups.words))
    return Evidence(texts, count, groups.words, groups.themes, mass)
