"""The word vectors that come with the library (made by tools/make_vectors.py)."""

import gzip
from functools import cache
from pathlib import Path

from hott.embeddings.packed import PackedVectors
from hott.embeddings.vectors import WordVectors

_DATA = Path(__file__).parent / "data"
WORDS = _DATA / "words.txt.gz"
VECTORS = _DATA / "vectors.npz"
NAME = "all-MiniLM-L6-v2, 199,505 words"
"""What an index remembers of these vectors. Others have other axes, and cannot be compared with them."""


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
