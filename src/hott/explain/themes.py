"""Themes: words of two documents that belong together, found for these two documents alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from hott.distances.topic import HOTT
from hott.embeddings.vectors import unit_rows
from hott.explain.flow import Flow, summed
from hott.topics.names import same_words

Names: TypeAlias = Sequence[str] | NDArray[np.object_]

MAX_THEMES = 6
MIN_MASS = 0.04  # of a theme, in the mean of both sides
MAX_GROUPED = 400  # that are grouped; those of less weight are "other"
CUTS = frozenset(round(1.15**k) for k in range(36))  # numbers of groups that are tried, up to 133
MIN_SAID = 0.15  # of what the first theme says, and
MIN_DENSE = 0.4  # of what it says a word
OFTEN = 3  # times that a word of a large corpus is met, to be surely one
LARGE = 100_000  # words of a corpus, from which on those of one typist's slip are many
STRICT = 0.1  # words of a theme are more alike than the average pair by this much, or
ALIKE = 0.5  # by so much, where all words are alike


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """What a corpus knows of its words and topics, to tell words of substance from fillers.

    Parameters
    ----------
    frequencies : ndarray of shape (words,), optional
        How often each word occurs in the corpus.
    concentrations : sequence of ndarrays of shape (topics,), one a model, optional
        Mean proportion of each topic in the documents that have it.

    Examples
    --------
    >>> background = Background(frequencies=np.array([90, 3, 5]))  # the first word is everywhere
    >>> background.concentrations is None
    True
    """

    frequencies: NDArray[np.integer] | None = None
    concentrations: Sequence[NDArray[np.float64]] | None = None

    def weights(self, distance: HOTT, words: NDArray[np.intp]) -> NDArray[np.float64]:
        """How much each word says: rare words, of topics that fill their documents, say the most.

        A filler ("used", "began") is a frequent word, or one of topics that have a little of every document.
        """
        weight = np.ones(len(words))
        if self.frequencies is not None:
            total = max(float(np.sum(self.frequencies)), 2.0)
            weight *= (np.log(total / np.maximum(self.frequencies[words], 1)) / np.log(total)) ** 2
        if self.concentrations is not None:
            parts = [
                (found * topics[:, None]).sum(axis=0) / max(topics.max(), 1e-12)
                for found, topics in zip(_topics_of_words(distance, words), self.concentrations)
            ]
            weight *= np.mean(parts, axis=0) ** 2
        return np.maximum(weight, 1e-6)

    def are_rarest(self, words: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which words a large corpus has once or twice only, so that they may be misspelt."""
        if self.frequencies is None or self.frequencies.sum() < LARGE:
            return np.zeros(len(words), bool)
        return self.frequencies[words] < OFTEN


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """The words of two sides in groups: ``themes[i]`` is the theme of ``words[i]``, -1 for none."""

    words: NDArray[np.intp]  # columns of the counts, ascending
    themes: NDArray[np.intp]
    weights: NDArray[np.float64]  # how much a word says, and how well it stands for its theme
    says: NDArray[np.float64]  # how much each theme says, beside the first of the side that has most of it

    def of_weight(self, least: float) -> "Grouping":
        """Without the themes that say less than this."""
        kept = np.flatnonzero(self.says >= least)
        numbers = np.append(np.full(len(self.says), -1), -1)
        numbers[kept] = np.arange(len(kept))
        return Grouping(self.words, numbers[self.themes], self.weights, self.says[kept])


def grouped(distance: HOTT, flow: Flow, names: Names, background: Background) -> Grouping:
    """Group the words of a flow into at most six themes, the one that says the most first.

    Two words are alike when the topic models give them to the same topics and when their vectors are near;
    forms of one word are one. Groups are joined by their average likeness, and cut where words of a group
    are most alike.
    """
    words = np.union1d(flow.sources, flow.targets)
    sides = [
        summed(np.searchsorted(words, ends), flow.masses, len(words)) for ends in (flow.sources, flow.targets)
    ]
    masses = (sides[0] + sides[1]) / 2
    weights = background.weights(distance, words)
    kept = np.sort(np.argsort(-(masses * weights).round(15), kind="stable")[:MAX_GROUPED])
    alike = _likeness(distance, words[kept])
    for i, j in same_words([str(names[word]) for word in words[kept]]):
        alike[i, j] = alike[j, i] = 1.0
    members = _cut(alike, masses[kept], weights[kept])
    for group in members:  # a word that is like few others of its theme does not stand for it
        own = kept[group]
        weights[own] *= alike[np.ix_(group, group)] @ masses[own] / masses[own].sum()
    members = [kept[group] for group in members]
    says = np.maximum(*(_said(members, side, weights) for side in sides))
    themes = np.full(len(words), -1)
    order = sorted(np.flatnonzero(says), key=lambda k: (-round(float(says[k]), 12), k))[:MAX_THEMES]
    for theme, k in enumerate(order):
        themes[members[k]] = theme
    return Grouping(words, themes, weights, says[order])


def _said(
    members: Sequence[NDArray[np.intp]], masses: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How much each group says in one side beside the one that says most there; 0 for too little."""
    mass = np.array([masses[own].sum() for own in members])
    says = np.array([masses[own] @ weights[own] for own in members])
    if not says.any():
        return np.zeros(len(members))
    dense = np.divide(says, mass, out=np.zeros(len(says)), where=mass > 0)
    best = int(np.argmax(says))
    enough = (says >= MIN_SAID * says[best]) & (dense >= MIN_DENSE * dense[best])
    return np.where(enough, says / says[best], 0.0)


def _topics_of_words(distance: HOTT, words: NDArray[np.intp]) -> list[NDArray[np.float64]]:
    """p(topic | word) in each model, topics x words, from the topics alone."""
    found = []
    for space in distance.models_:
        topics = space.topics.components[:, words].astype(np.float64)
        total = topics.sum(axis=0)
        found.append(np.divide(topics, total, out=np.zeros_like(topics), where=total > 0))
    return found


def _likeness(distance: HOTT, words: NDArray[np.intp]) -> NDArray[np.float64]:
    """How alike each two words are, from 0 to 1: in their topics, and in their vectors."""
    alike = _cosines(np.vstack(_topics_of_words(distance, words)).T)
    if distance.word_vectors is not None:
        vectors = np.asarray(distance.word_vectors)[words].astype(np.float64)
        alike = (alike + np.maximum(_cosines(vectors), 0.0)) / 2
    np.fill_diagonal(alike, 1.0)
    return alike


def _cosines(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    rows = unit_rows(rows)
    return rows @ rows.T


def _cut(
    alike: NDArray[np.float64], masses: NDArray[np.float64], weights: NDArray[np.float64]
) -> list[NDArray[np.intp]]:
    """The words of each group that is large enough, where groups hold together best.

    As in modularity: alike words in one group count for a cut, unlike ones against it, by their weights.
    """
    n = len(masses)
    telling = masses * weights / (masses @ weights)
    surplus = alike - min(float(telling @ alike @ telling) + STRICT, ALIKE)
    tree, order = _joined(alike)
    # In the order of the tree every group is a block, and a block's sum is that of its four corners.
    sums = np.zeros((n + 1, n + 1))
    sums[1:, 1:] = (surplus * np.outer(telling, telling))[np.ix_(order, order)].cumsum(axis=0).cumsum(axis=1)
    best, chosen = -np.inf, []
    for groups in _groupings(tree, n):
        _, place = np.unique(groups, return_inverse=True)
        large = np.bincount(place, masses) >= MIN_MASS
        along = place[order]
        first = np.flatnonzero(np.diff(along, prepend=-1))
        last = np.append(first[1:], n)
        inside = sums[last, last] - sums[first, last] - sums[last, first] + sums[first, first]
        value = float(inside[large[along[first]]].sum())
        if value > best + 1e-12:
            best, chosen = value, [np.flatnonzero(place == group) for group in np.flatnonzero(large)]
    return chosen


def _joined(alike: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Words joined by average linkage: the tree, and an order of words in which every group is a block."""
    if len(alike) < 2:
        return np.empty((0, 4)), np.arange(len(alike))
    tree = linkage(squareform(np.clip(1 - alike, 0.0, None).round(12), checks=False), "average")
    return tree, leaves_list(tree).astype(np.intp)


def _groupings(tree: NDArray[np.float64], n: int) -> Iterator[NDArray[np.intp]]:
    """The group of each word while words are joined, at some numbers of groups."""
    groups = np.arange(n)
    for step, (i, j, *_) in enumerate(tree):
        if n - step in CUTS:
            yield groups
        groups = np.where((groups == i) | (groups == j), n + step, groups)
    yield groups
