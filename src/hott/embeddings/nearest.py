"""The words nearest to others by cosine: the same on every machine, since products are of whole numbers."""

import numpy as np
from numpy.typing import NDArray

from hott import _core

SCALE = 2**15 - 1
"""Length of a vector in whole numbers, the largest that sixteen bits hold."""


def quantize(vectors: NDArray[np.floating]) -> NDArray[np.int16]:
    """Scale vectors to one length and round them to whole numbers; a row of zeros stays."""
    vectors = np.asarray(vectors, np.float64)
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0)
    scaled = np.divide(vectors, largest, out=np.zeros_like(vectors), where=largest > 0)
    lengths = np.maximum(np.linalg.norm(scaled, axis=1, keepdims=True), 1)  # 1 at least, but for zeros
    return np.rint(scaled / lengths * SCALE).astype(np.int16)


def find_nearest(
    vectors: NDArray[np.int16], sought: NDArray[np.floating], n: int, threads: int = 1
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Find the ``n`` rows nearest to each vector that is sought, nearest first, of equals the first.

    ``vectors`` are as :func:`quantize` makes them. Returns rows and cosines, one line a vector.
    """
    rows, products = np.empty((2, len(sought), min(n, len(vectors))), np.int32)
    _core.nearest_vectors(quantize(sought), vectors, False, threads, rows, products)
    return rows, np.minimum(products / SCALE**2, 1)
