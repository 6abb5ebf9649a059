"""What the writer and the reader agree on.

    64 bytes   mark, format version, where the header is, how long the file is, checksum of these
    parts      arrays, raw or in deflated blocks (_blocks.py), each at a multiple of 64 bytes
    header     JSON: the caller's own header, for each part its place, type, shape and checksums, and which
               parts make up matrices and tables

The header comes last because a part may be written before anyone knows how long it will be.
"""

import math
import os
import struct
import zlib
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

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
        fields = (self.format, self.header_checksum, self.header_offset, self.header_length, self.file_length)
        packed = _PREAMBLE.pack(MARK, *fields)
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
