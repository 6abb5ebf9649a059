"""The words that a word borrows its topics from: the nearest by cosine, the nearer the more.

So do words that no document had when the topics were learned.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hott import _core
from hott.embeddings.nearest import SCALE, find_nearest, quantize

NEIGHBORS = 20
TEMPERATURE = 0.15
"""As topics are learned: see :class:`hott.topics.GibbsLDA`."""

MAX_MASS = 2.0**-20
"""What all such words together may add to a topic, whose words sum to 1."""

MIN_RATIO = 2.0**-64
"""A topic under which a word is less probable than this, times its largest, cannot say the word."""


@dataclass(frozen=True, slots=True)
class Neighborhood:
    """For each word (row) the words it borrows from, nearest first; weight 0 where there is none."""

    words: NDArray[np.int32]
    weights: NDArray[np.float32]


def check_vectors(word_vectors: ArrayLike, n_words: int) -> NDArray[np.float64]:
    """Return vectors as finite numbers, a row for each of ``n_words`` words; a row of zeros is no vector."""
    vectors = np.asarray(word_vectors, dtype=np.float64)
    if vectors.ndim != 2 or len(vectors) != n_words:
        raise ValueError(
            f"word_vectors must have one row for each of the {n_words} words (columns of X), but it has "
            f"shape {vectors.shape}."
        )
    wrong = ~np.isfinite(vectors)
    if wrong.any():
        word = int(wrong.any(axis=1).argmax())
        raise ValueError(
            f"word_vectors must hold finite numbers, but word {word} (row {word}) has "
            f"{vectors[word][wrong[word]][0]:g}. Where a word has no vector, pass a row of zeros."
        )
    return vectors


def neighborhood(
    vectors: NDArray[np.float64],
    lenders: NDArray[np.bool_],
    n_neighbors: int,
    temperature: float,
    threads: int = 1,
) -> Neighborhood:
    """Find the nearest words of each word that has a vector, by cosine, among the ``lenders``.

    The result is the same on every machine: products are taken in whole numbers.

    A word whose row is zero has no vector: it borrows and lends nothing. A neighbour weighs
    exp((cosine - 1) / temperature).

    >>> vectors = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.0, 0.0]])
    >>> near = neighborhood(vectors, np.array([True, True, True, False]), 1, temperature=0.1)
    >>> near.words.ravel(), near.weights.ravel().round(2)
    (array([1, 0, 1, 0], dtype=int32), array([0.95, 0.95, 0.  , 0.  ], dtype=float32))
    """
    has_vector = np.any(vectors, axis=1)
    # Lenders first, so that the core can tell a word from itself by its place.
    order = np.concatenate([np.flatnonzero(has_vector & lenders), np.flatnonzero(has_vector & ~lenders)])
    n_lenders = int((has_vector & lenders).sum())
    shape = len(vectors), n_neighbors
    near = Neighborhood(np.zeros(shape, np.int32), np.zeros(shape, np.float32))
    if n_lenders == 0:
        return near
    whole = quantize(vectors[order])
    index = np.zeros((len(order), n_neighbors), np.int32)
    product = np.full((len(order), n_neighbors), np.iinfo(np.int32).min, np.int32)
    _core.nearest_vectors(whole, whole[:n_lenders], True, threads, index, product)
    near.words[order] = order[index]
    # Half precision, so that the last digit of a machine's exp does not matter to the topics.
    found = product > np.iinfo(np.int32).min
    weights = np.exp(
        (np.minimum(product / SCALE**2, 1) - 1) / temperature, where=found, out=np.zeros(index.shape)
    )
    near.weights[order] = weights.astype(np.float16)
    return near


def nearest_weights(
    vectors: NDArray[np.int16], new: NDArray[np.floating], threads: int = 1
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Find the known words nearest to each new one by cosine, and what each lends.

    The result is the same on every machine and for every batch of new words.

    Parameters
    ----------
    vectors : array of shape (words, dimensions)
        As :func:`hott.embeddings.nearest.quantize` makes them. Rows of zeros lend nothing.
    new : array of shape (new words, dimensions)

    Returns
    -------
    columns and weights, new words x neighbours
    """
    columns, cosines = find_nearest(vectors, new, NEIGHBORS, threads)
    # Half precision, so that the last digit of a machine's exp does not matter.
    weights = np.exp((cosines - 1) / TEMPERATURE).astype(np.float16)
    return columns, np.where(cosines > 0, weights, 0).astype(np.float64)


def borrow(
    components: NDArray[np.float32], columns: NDArray[np.integer], weights: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Give new words a small probability under each topic: the weighted sum of their neighbours', scaled.

    A word of topic k by its neighbours v: sum of a(v) n(k, v) / n(k) = sum of a(v) p(v | k), where a is the
    weight of a neighbour. What matters to a document's proportions is only how topics compare, so all words
    are scaled by a power of two that keeps their sum under each topic below ``MAX_MASS``, however many they
    are. A power of two changes no digit: a document's proportions do not depend on the words of others.

    >>> components = np.array([[0.8, 0.2], [0.1, 0.9]], np.float32)
    >>> borrow(components, np.array([[0]]), np.array([[1.0]])).ravel() * 2**20
    array([1.   , 0.125], dtype=float32)
    """
    lenders, places = np.unique(columns, return_inverse=True)
    starts = np.arange(len(columns) + 1) * columns.shape[1]
    lent = sparse.csr_array((weights.ravel(), places.ravel(), starts), shape=(len(columns), len(lenders)))
    found = lent @ np.ascontiguousarray(components[:, lenders].T, np.float64)
    most = found.max(axis=1, keepdims=True)
    ratios = np.divide(found, most, out=np.zeros_like(found), where=most > 0)
    ratios[ratios < MIN_RATIO] = 0
    scale = MAX_MASS / 2 ** np.ceil(np.log2(max(len(columns), 1)))
    return np.ascontiguousarray((scale * ratios).astype(np.float32).T)
