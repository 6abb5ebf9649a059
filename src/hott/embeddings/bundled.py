"""The word vectors that come with the library (made by tools/make_vectors.py)."""

import gzip
import io
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hott.embeddings.vectors import WordVectors

_DATA = Path(__file__).parent / "data"
WORDS = _DATA / "words.txt.gz"
VECTORS = _DATA / "vectors.npy.gz"


@cache
def default() -> WordVectors:
    """Give the bundled word vectors: 56,942 English words, 256 dimensions, unit length.

    Read from the package on the first call, kept for the next ones.

    Examples
    --------
    >>> default()
    WordVectors(56,942 words, 256 dimensions)
    """
    words = gzip.decompress(WORDS.read_bytes()).decode().split("\n")
    steps = np.load(io.BytesIO(gzip.decompress(VECTORS.read_bytes())))
    return WordVectors(words, unpack(steps))


def unpack(steps: NDArray[np.int8]) -> NDArray[np.float32]:
    """Turn steps, one row a dimension, into vectors of unit length, one row a word.

    Every vector ends at unit length, so how large a step was need not be known.
    """
    vectors = np.empty(steps.shape[::-1], dtype=np.float32)
    for start in range(
        0, len(vectors), 4096
    ):  # in blocks that fit the cache: half the time of one assignment
        vectors[start : start + 4096] = steps[:, start : start + 4096].T
    vectors /= np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return vectors
