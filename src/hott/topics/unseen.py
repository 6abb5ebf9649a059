"""Words that no document had when the topics were learned, read by the words near them in meaning."""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.compute.cpu import row_blocks
from hott.topics.neighborhood import SCALE, quantize

NEIGHBORS = 20
TEMPERATURE = 0.15
"""As topics are learned: see :class:`hott.topics.GibbsLDA`."""

MAX_MASS = 2.0**-20
"""What all such words together may add to a topic, whose words sum to 1."""

MIN_RATIO = 2.0**-64
"""A topic under which a word is less probable than this, times its largest, cannot say the word."""


def nearest_weights(
    vectors: NDArray[np.floating] | NDArray[np.int16], new: NDArray[np.floating]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Find the known words nearest to each new one by cosine, and what each lends.

    The result is the same on every machine and for every batch of new words: vectors are rounded to whole
    numbers, whose products are exact in any order.

    Parameters
    ----------
    vectors : array of shape (words, dimensions)
        Rows of zeros lend nothing. Whole numbers are taken as :func:`quantize` made them.
    new : array of shape (new words, dimensions)

    Returns
    -------
    columns and weights, new words x neighbours
    """
    whole = vectors if vectors.dtype == np.int16 else quantize(vectors.astype(np.float64))
    known, sought = whole.astype(np.float64), quantize(new.astype(np.float64)).astype(np.float64)
    n, count = len(known), min(NEIGHBORS, len(known))
    columns, products = np.empty((len(new), count), np.intp), np.empty((len(new), count))
    for rows in row_blocks(len(new), n):
        # Whole numbers below 2^30 times the number of words, and a place for ties: exact up to 2^53.
        keys = sought[rows] @ known.T
        keys *= n
        keys -= np.arange(n)
        best = np.argpartition(keys, n - count, axis=1)[:, n - count :]
        chosen = np.take_along_axis(keys, best, axis=1)
        order = np.argsort(-chosen, axis=1)
        columns[rows] = np.take_along_axis(best, order, axis=1)
        products[rows] = (np.take_along_axis(chosen, order, axis=1) + columns[rows]) / n
    # Half precision, so that the last digit of a machine's exp does not matter.
    weights = np.exp((np.minimum(products / SCALE**2, 1) - 1) / TEMPERATURE).astype(np.float16)
    return columns, np.where(products > 0, weights, 0).astype(np.float64)


def borrow(
    components: NDArray[np.float32], columns: NDArray[np.intp], weights: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Give new words a small probability under each topic: the weighted sum of their neighbours', scaled.

    A word of topic k by its neighbours v: sum of a(v) n(k, v) / n(k) = sum of a(v) p(v | k), where a is the
    weight of a neighbour. What matters to a document's proportions is only how topics compare, so all words
    are scaled by a power of two that keeps their sum under each topic below ``MAX_MASS``, however many they
    are. A power of two changes no digit: a document's proportions do not depend on the words of others.

    Parameters
    ----------
    components : array of shape (topics, words)
    columns, weights : arrays of shape (new words, neighbours)
        As :func:`nearest_weights` gives them.

    Returns
    -------
    array of shape (topics, new words)

    Examples
    --------
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
