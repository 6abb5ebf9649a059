"""Arrays in fewer bytes: cut into blocks that are filtered and deflated, each by itself, and back.

A filter changes no bit of what comes out. "shuffle" puts the first bytes of all numbers in front of their
second bytes, and so on; "delta" keeps the differences of neighbours, which are small where numbers ascend.
"""

import zlib

import numpy as np
from numpy.typing import NDArray

from hott.storage._format import CHUNK

MAX_SWELLING = 64
"""Times the bytes of a block that it may come to in memory. A block that is deflated to less is padded."""

ENCODINGS = ("deflate", "shuffle", "delta")

_LEVEL = 4  # 6 takes twice as long for postings, and saves 2 %
_TRIAL_LEVEL = 1
_MIN_BYTES = 512  # fewer are not worth a try
_WORTH = 0.8  # an array stays as it is unless it comes to less than this share of its bytes


def choose_encoding(block: bytes | memoryview, dtype: np.dtype) -> str:
    """Choose what makes an array smallest, by its first block; "" where it stays as it is."""
    if len(block) < _MIN_BYTES:
        return ""
    tried = [name for name in ENCODINGS if fits(name, dtype)]
    sizes = {name: len(zlib.compress(_filter(name, block, dtype), _TRIAL_LEVEL)) for name in tried}
    best = min(tried, key=sizes.__getitem__)
    return best if sizes[best] < _WORTH * len(block) else ""


def fits(encoding: str, dtype: np.dtype) -> bool:
    """Whether numbers of a type can be encoded so."""
    return encoding == "deflate" or (
        encoding in ENCODINGS and dtype.itemsize > 1 and (encoding == "shuffle" or dtype.kind in "iu")
    )


def encode(encoding: str, block: bytes | memoryview, dtype: np.dtype) -> bytes:
    """Encode at most ``CHUNK`` bytes of an array."""
    content = zlib.compress(_filter(encoding, block, dtype), _LEVEL)
    return content.ljust(min_length(len(block)), b"\0")


def decode(encoding: str, content: memoryview, out: NDArray[np.uint8], dtype: np.dtype) -> None:
    """Fill ``out`` with what was encoded; a ValueError where it is not as long as ``out``."""
    try:
        plain = zlib.decompressobj().decompress(content, len(out) + 1)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if len(plain) != len(out):
        raise ValueError(f"it does not come to {len(out)} bytes")
    values = np.frombuffer(plain, np.uint8)
    if encoding == "deflate":
        out[:] = values
        return
    out.reshape(-1, dtype.itemsize)[:] = values.reshape(dtype.itemsize, -1).T
    if encoding == "delta":
        whole = out.view(f"<u{dtype.itemsize}")
        np.cumsum(whole, dtype=whole.dtype, out=whole)


def min_length(plain: int) -> int:
    """Return the fewest bytes that a block of so many may be stored in."""
    return -(-plain // MAX_SWELLING)


def block_lengths(size: int) -> list[int]:
    """Return the bytes of each block of an array, before they are encoded."""
    return [min(CHUNK, size - start) for start in range(0, size, CHUNK)]


def _filter(encoding: str, block: bytes | memoryview, dtype: np.dtype) -> bytes:
    if encoding == "deflate":
        return bytes(block)
    values = np.frombuffer(block, np.uint8)
    if encoding == "delta":
        whole = values.view(f"<u{dtype.itemsize}")
        values = np.diff(whole, prepend=whole.dtype.type(0)).view(np.uint8)
    return values.reshape(-1, dtype.itemsize).T.tobytes()
