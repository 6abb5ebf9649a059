"""What the writer and the reader agree on.

    64 bytes   mark, format version, where the header is, how long the file is, checksum of these
    parts      arrays, raw or in deflated blocks, each at a multiple of 64 bytes
    header     JSON: the caller's own header, for each part its place, type, shape and checksums, and which
               parts make up matrices and tables

The header comes last because a part may be written before anyone knows how long it will be.

Blocks are filtered and deflated, each by itself. A filter changes no bit of what comes out: "shuffle" puts
the first bytes of all numbers in front of their second bytes, and so on; "delta" keeps the differences of
neighbours, which are small where numbers ascend.
"""

import math
import os
import struct
import zlib
from dataclasses import astuple, dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hott.table.columns import BOOL, DATE, NUMBER, TIME, WHOLE, Kind

PathLike: TypeAlias = str | os.PathLike[str]

FORMAT = 3
MIN_FORMAT = 2  # whose parts are all as they are in memory
MARK = b"\x89HOTT\r\n\x1a"  # as in PNG: a copy made in text mode does not pass
ALIGNMENT = 64
CHUNK = 1 << 20  # bytes under one checksum; a multiple of ALIGNMENT
PIECES = ("data", "indices", "indptr")  # the parts that a CSR matrix is made of
TEXT_PIECES = ("texts", "blocks")  # and a column of text
COLUMN_DTYPES: dict[Kind, str] = {BOOL: "|i1", WHOLE: "<i8", NUMBER: "<f8", DATE: "<i8", TIME: "<i8"}
"""Columns of a table are arrays of these types: days and microseconds since 1970 for dates. Text is made of
blocks of bytes (_table.py)."""

DTYPES = frozenset(["|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"])

_PREAMBLE = struct.Struct("<8sIIQQQ20x")
_CHECKSUM = struct.Struct("<I")
PREAMBLE_SIZE = _PREAMBLE.size + _CHECKSUM.size


class StorageError(ValueError):
    """The file is not an index, is damaged, or comes from a newer version; the message says which.

    Examples
    --------
    >>> import hott, pathlib
    >>> _ = pathlib.Path("notes.txt").write_text("Not an index, but a longer text. " * 3)
    >>> hott.open("notes.txt")
    Traceback (most recent call last):
    hott.storage._format.StorageError: Cannot open notes.txt: it is not a hott index.
    """


@dataclass(frozen=True, slots=True)
class Part:
    """Where a part of the file lies and how it is to be read.

    Attributes
    ----------
    name : str
    offset, length : int
        In bytes.
    checksums : tuple of int
        CRC-32 of each chunk, or of each block; the last one covers the padding too.
    dtype : str
    shape : tuple of int
    encoding : str
        How blocks are encoded: "deflate", "shuffle" or "delta"; empty where the array is stored as it is.
    blocks : tuple of int
        The length of each block that is encoded.

    Examples
    --------
    >>> Part("squares", 64, 40, (3053127134,), "<i8", (5,)).shape
    (5,)
    """

    name: str
    offset: int
    length: int
    checksums: tuple[int, ...]
    dtype: str
    shape: tuple[int, ...]
    encoding: str = ""
    blocks: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """The bytes of the array in memory."""
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize


@dataclass(frozen=True, slots=True)
class Preamble:
    """The first 64 bytes. Their form is the same in every format version."""

    format: int
    header_checksum: int
    header_offset: int
    header_length: int
    file_length: int

    def pack(self) -> bytes:
        packed = _PREAMBLE.pack(MARK, *astuple(self))
        return packed + _CHECKSUM.pack(zlib.crc32(packed))

    @classmethod
    def unpack(cls, content: bytes) -> "Preamble":
        """Read the first bytes of a file; a StorageError when they are not ours."""
        if content[: len(MARK)] != MARK:
            raise StorageError("it is not a hott index.")
        if len(content) < PREAMBLE_SIZE:
            raise StorageError(f"it was cut short after {len(content)} bytes.")
        packed, checksum = content[: _PREAMBLE.size], content[_PREAMBLE.size : PREAMBLE_SIZE]
        if _CHECKSUM.unpack(checksum)[0] != zlib.crc32(packed):
            raise StorageError(f"its first {PREAMBLE_SIZE} bytes are damaged.")
        return cls(*_PREAMBLE.unpack(packed)[1:])


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
    """Tell whether numbers of a type can be encoded in this way."""
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
    """Return the fewest bytes in which a block of ``plain`` bytes may be stored."""
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
