"""Learning topics and reading documents as their definitions say it: slow, to test the core against."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FIRST_BORROWING, BORROWING_INTERVAL = 10, 5
"""Sweep from which words borrow, and sweeps from one look at the neighbours to the next."""
EVERYTHING = 0.1
"""Occurrences that every word borrows from the corpus at large, besides its neighbours."""


def fixed_point(
    counts: NDArray[np.float64], topics: NDArray[np.float64], alpha: NDArray[np.float64], steps: int
) -> NDArray[np.float64]:
    """Proportions of one document: repeat theta_k = alpha_k + the words that topic k explains.

    Examples
    --------
    >>> fixed_point(np.array([3.0, 1.0]), np.eye(2), np.zeros(2), steps=1)
    array([0.75, 0.25])
    """
    theta = np.ones(len(topics))
    for _ in range(steps):
        mixture = theta @ topics
        known = mixture > 0
        explained = topics[:, known] * theta[:, None] / mixture[known]  # whose word is it, topic by topic
        theta = alpha + explained @ counts[known]
    return _normalised(theta)


def gibbs(
    counts: NDArray[np.float64],
    topics: NDArray[np.float64],
    alpha: NDArray[np.float64],
    steps: int,
    burn_in: int,
    seed: int,
) -> NDArray[np.float64]:
    """Proportions of one document, averaged over Gibbs sweeps after the first ``burn_in``.

    Examples
    --------
    >>> gibbs(np.array([3.0, 1.0]), np.eye(2), np.zeros(2), steps=3, burn_in=1, seed=0)
    array([0.75, 0.25])
    """
    random = _of_document(seed, counts)
    held = np.zeros(len(topics))  # words that each topic holds

    def draw(word: int) -> int:
        weights = (alpha + held) * topics[:, word]
        cumulative = np.cumsum(weights if weights.any() else topics[:, word])
        return int(np.searchsorted(cumulative, next(random) * cumulative[-1], side="right"))

    words = [w for w, count in enumerate(counts) for _ in range(int(count)) if topics[:, w].any()]
    topic_of = []
    for word in words:
        topic_of.append(draw(word))
        held[topic_of[-1]] += 1
    total = np.zeros(len(topics))
    for sweep in range(steps):
        for i, word in enumerate(words):
            held[topic_of[i]] -= 1
            topic_of[i] = draw(word)
            held[topic_of[i]] += 1
        if sweep >= burn_in:
            total += alpha + held
    return _normalised(total)


@dataclass(frozen=True, slots=True)
class Sampled:
    """Topics learned by collapsed Gibbs sampling."""

    topic_of: list[int]  # of every occurrence: document by document, words ascending
    probabilities: NDArray[np.float64]  # p(topic | word), words x topics


def sample(
    counts: NDArray[np.int64],
    neighbors: NDArray[np.int32],
    weights: NDArray[np.float32],
    n_topics: int,
    sweeps: int,
    alpha: float,
    eta: float,
    strength: float,
    seed: int,
) -> Sampled:
    """Learn topics, drawing the topic of every occurrence in turn, ``sweeps`` times over.

    Every number on the way to a draw is rounded to single precision, as in the core.

    Parameters
    ----------
    counts : documents x words, every word in some document
    neighbors, weights : words x neighbours
        The words that each word borrows from; weight 0: none. Rows beyond those of ``counts`` are words of no
        document.
    n_topics, sweeps : int
    alpha, eta, strength : float
    seed : int

    Examples
    --------
    >>> nobody = np.zeros((4, 0), np.int32), np.zeros((4, 0), np.float32)
    >>> sample(np.array([[3, 3, 0, 0], [0, 0, 3, 3]]), *nobody, 2, 30, 0.1, 0.01, 0.0, seed=1).topic_of
    [1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
    """
    chain = _Chain(counts, neighbors, weights, n_topics, alpha, eta, strength, seed)
    for sweep in range(sweeps):
        if sweep >= FIRST_BORROWING and (sweep - FIRST_BORROWING) % BORROWING_INTERVAL == 0:
            chain.borrow()
        chain.sweep()
    return Sampled(chain.topic_of, chain.probabilities())


class _Chain:
    """The counts of a sampler, and how they change."""

    def __init__(
        self,
        counts: NDArray[np.int64],
        neighbors: NDArray[np.int32],
        weights: NDArray[np.float32],
        n_topics: int,
        alpha: float,
        eta: float,
        strength: float,
        seed: int,
    ) -> None:
        self.neighbors, self.weights = neighbors, weights
        self.alpha, self.eta, self.strength = np.float32(alpha), np.float32(eta), np.float32(strength)
        self.random = _split_mix(seed)
        documents, words = (np.repeat(place, counts[np.nonzero(counts)]) for place in np.nonzero(counts))
        self.tokens: list[tuple[int, int]] = list(zip(documents.tolist(), words.tolist()))
        self.topic_of = [(next(self.random) >> 32) * n_topics >> 32 for _ in self.tokens]
        n_documents, n_words = counts.shape
        self.of_document, self.of_word = np.zeros((n_documents, n_topics)), np.zeros((n_words, n_topics))
        self.total = np.zeros(n_topics)
        for (d, w), topic in zip(self.tokens, self.topic_of):
            self.count(d, w, topic, 1)
        self.smoothing = float(self.eta) * n_words
        self.prior = np.array([self.rounded(w, np.full(n_topics, self.eta)) for w in range(n_words)])

    def count(self, document: int, word: int, topic: int, times: int) -> None:
        self.of_document[document, topic] += times
        self.of_word[word, topic] += times
        self.total[topic] += times

    def rounded(self, word: int, prior: NDArray[np.float32]) -> NDArray[np.float32]:
        """The prior in steps so large that counts can be added and taken away without an error."""
        largest = self.of_word[word].sum() + float(self.eta) + float(self.strength)
        step = np.float32(2.0 ** (np.frexp(largest)[1] - 24))
        return np.maximum(np.floor(prior / step + np.float32(0.5)) * step, step)

    def lent(self, word: int) -> tuple[NDArray[np.float32], float]:
        """Counts of a word's neighbours, a little of everything added; and what they sum to, 0 for nobody."""
        counts = (EVERYTHING * self.total / len(self.tokens)).astype(np.float32)
        if not self.weights[word].any():
            return np.zeros_like(counts), 0.0
        total = EVERYTHING
        for v, weight in zip(self.neighbors[word], self.weights[word]):
            counts += self.of_word[v].astype(np.float32) * weight
            total += float(weight) * self.of_word[v].sum()
        return counts, total

    def borrow(self) -> None:
        for w in range(len(self.of_word)):
            counts, total = self.lent(w)
            if total:
                self.prior[w] = self.rounded(w, self.eta + np.float32(float(self.strength) / total) * counts)

    def sweep(self) -> None:
        for i, (d, w) in enumerate(self.tokens):
            now = self.topic_of[i]
            word = self.of_word[w].astype(np.float32) + self.prior[w]
            inverse = (1 / (self.total + self.smoothing)).astype(np.float32)
            others = (self.of_document[d].astype(np.float32) + self.alpha) * inverse * word
            others[now] = 0
            less = np.float32(1 / (self.total[now] - 1 + self.smoothing))
            same = (
                (np.float32(self.of_document[d, now] - 1) + self.alpha) * less * (word[now] - np.float32(1))
            )
            uniform = np.float32(next(self.random) >> 40) * np.float32(2**-24)
            self.topic_of[i] = _draw(others, same, now, uniform)
            self.count(d, w, now, -1)
            self.count(d, w, self.topic_of[i], 1)

    def probabilities(self) -> NDArray[np.float64]:
        """p(topic | word); a word of no document has what it borrows."""
        evidence = np.zeros((len(self.weights), len(self.total)))
        evidence[: len(self.of_word)] = self.of_word + float(self.eta)
        for w in range(len(evidence)):
            counts, total = self.lent(w)
            if total:
                evidence[w] += float(self.strength) / total * counts
        return evidence / evidence.sum(axis=1, keepdims=True)


def _draw(others: NDArray[np.float32], same: np.float32, now: int, uniform: np.float32) -> int:
    """One topic: the present one with weight ``same``, or another.

    The others are looked at column by column: topics 0, 16, 32, ...; 4, 20, ...; 8, ...; 12, ...; 1, 17, ...
    """
    rows = np.zeros((-(-len(others) // 16), 16), np.float32)
    rows.ravel()[: len(others)] = others
    column = np.zeros(16, np.float32)
    for row in rows:
        column = column + row
    x = column[:8] + column[8:]
    point = uniform * (((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7])) + same)
    if point < same:
        return now
    point -= same
    groups = [column[g::4] for g in range(4)]
    group, point = _pass([_sum(columns) for columns in groups[:3]], point)
    quarter, point = _pass(groups[group][:3], point)
    place = 4 * quarter + group
    passed, _ = _pass(rows[:, place], point)
    return 16 * passed + place if passed < len(rows) else now


def _pass(weights: Iterable[np.float32], point: np.float32) -> tuple[int, np.float32]:
    """How many weights lie wholly before ``point``, and how far behind them it is."""
    passed, before, so_far = 0, np.float32(0), np.float32(0)
    for weight in weights:
        so_far = so_far + weight
        if point >= so_far:
            passed, before = passed + 1, so_far
    return passed, point - before


def _sum(values: Iterable[np.float32]) -> np.float32:
    total = np.float32(0)
    for value in values:
        total = total + value
    return total


def _split_mix(seed: int) -> Iterator[int]:
    """Whole numbers below 2^64 from SplitMix64."""
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        yield _mixed(state)


def _mixed(z: int) -> int:
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % 2**64
    return z ^ (z >> 31)


def _of_document(seed: int, counts: NDArray[np.float64]) -> Iterator[float]:
    """Uniform numbers whose seed is mixed from the model's seed and the document's words."""
    for word in np.flatnonzero(counts):
        for value in (int(word), int(counts[word])):
            seed = next(_split_mix(seed)) ^ value
    return ((number >> 11) * 2.0**-53 for number in _split_mix(seed))


def _normalised(theta: NDArray[np.float64]) -> NDArray[np.float64]:
    return theta / theta.sum() if theta.any() else np.full(len(theta), 1 / len(theta))
