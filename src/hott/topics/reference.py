"""The inference of topic proportions as its definition says it, slowly: what the core is tested against."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray


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
    random = _split_mix(seed, counts)
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


def _split_mix(seed: int, counts: NDArray[np.float64]) -> Iterator[float]:
    """Uniform numbers from SplitMix64, whose state starts from the seed and the document's words."""
    mask = 2**64 - 1

    def step(state: int) -> tuple[int, int]:
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return state, z ^ (z >> 31)

    state = seed
    for word in np.flatnonzero(counts):
        for value in (int(word), int(counts[word])):
            state = step(state)[1] ^ value
    while True:
        state, z = step(state)
        yield (z >> 11) * 2.0**-53


def _normalised(theta: NDArray[np.float64]) -> NDArray[np.float64]:
    return theta / theta.sum() if theta.any() else np.full(len(theta), 1 / len(theta))
