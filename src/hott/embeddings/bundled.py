"""The word vectors that come with the library (made by tools/make_vectors.py)."""

import gzip
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hott.embeddings.packed import PackedVectors
from hott.embeddings.vectors import WordVectors

_DATA = Path(__file__).parent / "data"
WORDS = _DATA / "words.txt.gz"
VECTORS = _DATA / "vectors.npz"
NAME = "all-MiniLM-L6-v2, 199,505 words"
"""What an index remembers of these vectors. Others have other axes, and cannot be compared with them."""

CHECKSUM = "06cabd36a8f34ade3459dab50b9d1a63"
"""The first half of the SHA-256 of both files, one after the other. An index that has only the names of their
words is opened with these and no others."""

DIMENSIONS = 256


@cache
def default() -> WordVectors:
    """Give the bundled word vectors: 199,505 English words, 256 dimensions, unit length.

    Read from the package on the first call, kept for the next ones. They are kept in a few bytes each and
    decoded as you ask for them; only ``default().vectors`` decodes all of them, into 204 MB.

    Examples
    --------
    >>> default()
    WordVectors(199,505 words, 256 dimensions)
    """
    words = gzip.decompress(WORDS.read_bytes()).decode().split("\n")
    return WordVectors(words, PackedVectors.load(VECTORS))


class BundledVectors:
    """Vectors of some words: the bundled ones, decoded when they are first used, and others that are kept.

    ``own`` are the places of these others, ascending, and ``vectors`` their vectors.
    """

    def __init__(self, words: Sequence[str], own: NDArray[np.integer], vectors: NDArray[np.float32]) -> None:
        self.words, self.own, self.vectors = words, own, vectors
        self.shape = len(words), DIMENSIONS

    @classmethod
    def of(cls, words: Sequence[str], vectors: ArrayLike) -> "BundledVectors | None":
        """Find which vectors are the bundled ones, to the last bit; None where they have another length."""
        if isinstance(vectors, BundledVectors):
            return vectors
        rows = np.ascontiguousarray(vectors, np.float32)
        if rows.shape != (len(words), DIMENSIONS):
            return None
        known = np.flatnonzero(default().known(words))
        bundled = default().matrix(words[place] for place in known.tolist())
        same = (bundled.view(np.uint32) == rows[known].view(np.uint32)).all(axis=1)
        own = np.setdiff1d(np.arange(len(words)), known[same])
        return cls(words, own, rows[own])

    def __len__(self) -> int:
        return len(self.words)

    def __reduce__(self) -> Any:
        return BundledVectors, (self.words, self.own, self.vectors)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        found = self._decoded if dtype is None else self._decoded.astype(dtype, copy=False)
        return found.copy() if copy else found

    @cached_property
    def _decoded(self) -> NDArray[np.float32]:
        vectors = np.empty(self.shape, np.float32)
        others = np.setdiff1d(np.arange(len(self.words)), self.own)
        vectors[self.own] = self.vectors
        vectors[others] = default().matrix(self.words[place] for place in others.tolist())
        vectors.flags.writeable = False
        return vectors
