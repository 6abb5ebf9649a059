"""The words that a word borrows its topics from: the nearest by cosine, the nearer the more."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hott import _core

SCALE = 2**15 - 1
"""Length of a vector in whole numbers, the largest that sixteen bits hold."""


@dataclass(frozen=True, slots=True)
class Neighborhood:
    """For each word (row) the words it borrows from, nearest first; weight 0 where there is none."""

    words: NDArray[np.int32]
    weights: NDArray[np.float32]


def check_vectors(word_vectors: ArrayLike, n_words: int) -> NDArray[np.float64]:
    """Word vectors as finite numbers, one row for each of ``n_words`` words; a row of zeros is no vector.

    Examples
    --------
    >>> check_vectors([[1, 2], [0, float("nan")]], 2)
    Traceback (most recent call last):
    ValueError: word_vectors must hold finite numbers, but word 1 (row 1) has nan. Where a word has no vector, pass a row of zeros.
    """  # noqa: E501
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

    Parameters
    ----------
    vectors : ndarray of shape (words, dimensions)
        A row of zeros: the word has no vector, borrows nothing and lends nothing.
    lenders : ndarray of bool, shape (words,)
        The words that may be borrowed from.
    n_neighbors : int
    temperature : float
        A neighbour weighs exp((cosine - 1) / temperature).
    threads : int

    Examples
    --------
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
    _core.nearest_vectors(whole, whole[:n_lenders], threads, index, product)
    near.words[order] = order[index]
    # Half precision, so that the last digit of a machine's exp does not matter to the topics.
    found = product > np.iinfo(np.int32).min
    weights = np.exp(
        (np.minimum(product / SCALE**2, 1) - 1) / temperature, where=found, out=np.zeros(index.shape)
    )
    near.weights[order] = weights.astype(np.float16)
    return near


def quantize(vectors: NDArray[np.float64]) -> NDArray[np.int16]:
    """Scale vectors to one length and round them to whole numbers; a row of zeros stays."""
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0)
    scaled = np.divide(vectors, largest, out=np.zeros_like(vectors), where=largest > 0)
    lengths = np.maximum(np.linalg.norm(scaled, axis=1, keepdims=True), 1)  # 1 at least, but for zeros
    return np.rint(scaled / lengths * SCALE).astype(np.int16)
