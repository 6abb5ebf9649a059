"""The bytes of an open file, and its header: what it tells must fit the file and itself, whoever wrote it."""

import json
import os
import threading
import zlib
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott.storage._format import (
    ALIGNMENT,
    CHUNK,
    COLUMN_DTYPES,
    DTYPES,
    FORMAT,
    MAX_SWELLING,
    MIN_FORMAT,
    PIECES,
    PREAMBLE_SIZE,
    TEXT_PIECES,
    Part,
    PathLike,
    Preamble,
    StorageError,
    block_lengths,
    fits,
    min_length,
)
from hott.table.columns import TEXT, Kind


class Source:
    """An open file.

    Its bytes are read, not mapped. A map shows what others write into the file: numbers that were checked
    change under compiled code that follows them, and where the file was cut short the process is killed
    (SIGBUS). What has been read stays as it is, and a read that comes too late fails with an error.
    """

    def __init__(self, path: PathLike) -> None:
        self.path = Path(path)
        if self.path.is_dir():
            raise StorageError("it is a folder, and an index is one file.")
        if self.path.exists() and not self.path.is_file():  # opening a pipe would wait for a writer
            raise StorageError("it is a device, pipe or socket, not a file.")
        self._file = open(self.path, "rb", buffering=0)  # noqa: SIM115  (open as long as this object lives)
        self._lock = threading.Lock()
        self._first_seen = self._status()
        self.size = self._first_seen[0]

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()

    def check_unchanged(self) -> None:
        """Raise a StorageError if someone has written to the file since it was opened.

        A file that was replaced, as ``save`` does it, is not changed: the old one stays readable here.
        """
        if self._status() != self._first_seen:
            raise StorageError(
                f"{self.path} was written to while it was open. Open it again; to put another index in its "
                "place, save it there, or copy it beside it and rename the copy."
            )

    def read(self, start: int, stop: int) -> NDArray[np.uint8]:
        """Read the bytes from ``start`` to ``stop`` into memory of their own."""
        out = allocate_aligned(stop - start)
        self.fill(start, out.data)
        return out

    def fill(self, place: int, out: memoryview) -> None:
        """Read as many bytes as ``out`` takes; a StorageError where the file ends before."""
        try:
            while len(out):
                n = self._read_some(place, out)
                if not n:
                    self.check_unchanged()
                    raise StorageError(f"{self.path} ends after {place} bytes, not after {self.size}.")
                place, out = place + n, out[n:]
        except OSError as error:
            raise StorageError(f"{self.path} cannot be read: {error.strerror or error}.") from error

    def _read_some(self, place: int, out: memoryview) -> int:
        if hasattr(os, "preadv"):
            return os.preadv(self._file.fileno(), [out], place)
        with self._lock:  # Windows has one place to read from, for all threads
            self._file.seek(place)
            return self._file.readinto(out) or 0

    def _status(self) -> tuple[int, int]:
        status = os.fstat(self._file.fileno())
        return status.st_size, status.st_mtime_ns


def allocate_aligned(length: int) -> NDArray[np.uint8]:
    """Allocate memory at an address that is a multiple of 64, as parts are aligned in a file."""
    memory = np.empty(length + ALIGNMENT, np.uint8)
    skipped = -memory.ctypes.data % ALIGNMENT
    return memory[skipped : skipped + length]


_MAX_DIMENSIONS = 32
_MAX_COLUMNS = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Header:
    """What a file says of itself."""

    header: dict[str, Any]  # the caller's own
    library: str
    parts: dict[str, Part]
    matrices: dict[str, tuple[int, int]]  # the shape of each
    tables: dict[str, tuple[int, dict[str, Kind]]]  # how long each is, and its columns
    checksum: int  # of the whole header, with the checksums of all parts in it

    @classmethod
    def of(cls, source: Source) -> "Header":
        """Read the header of a file; a StorageError when it is not ours, or not sound."""
        preamble = Preamble.unpack(source.read(0, min(source.size, PREAMBLE_SIZE)).tobytes())
        if preamble.format < MIN_FORMAT:
            raise StorageError(
                f"it has format {preamble.format}, of hott before 0.2, which this version does not read. "
                "Make it again from the documents: hott index FOLDER"
            )
        if preamble.format > FORMAT:
            raise StorageError(
                f"it has format {preamble.format}, and this version of hott reads formats up to {FORMAT}. "
                "Upgrade with: pip install --upgrade hott"
            )
        if source.size != preamble.file_length:
            raise StorageError(
                f"it was cut short or added to: {source.size} bytes, not {preamble.file_length}."
            )
        start, stop = preamble.header_offset, preamble.header_offset + preamble.header_length
        if not PREAMBLE_SIZE <= start <= stop <= source.size:
            raise StorageError("its header lies outside of the file.")
        content = source.read(start, stop).tobytes()
        if zlib.crc32(content) != preamble.header_checksum:
            raise StorageError("its header is damaged.")
        try:
            return cls._check(json.loads(content), start, preamble.header_checksum)
        except StorageError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise StorageError(f"its header is not what hott writes ({error!r:.200}).") from error

    @classmethod
    def _check(cls, written: dict[str, Any], end: int, checksum: int) -> "Header":
        if not isinstance(written["header"], dict) or not isinstance(written["library"], str):
            raise StorageError("its header is not what hott writes.")
        parts = [_checked_part(entry, end) for entry in written["parts"]]
        by_name = {part.name: part for part in parts}
        if len(by_name) != len(parts):
            raise StorageError("two of its parts have the same name.")
        # Parts that share bytes would let a small file fill the memory.
        in_order = sorted(parts, key=lambda part: (part.offset, part.length))
        for part, following in pairwise(in_order):
            if part.offset + part.length > following.offset:
                raise StorageError(f"its parts {part.name!r} and {following.name!r} overlap.")
        matrices = {name: _checked_shape(name, shape, by_name) for name, shape in written["matrices"].items()}
        tables = {name: _checked_table(name, told, by_name) for name, told in written["tables"].items()}
        return cls(written["header"], written["library"], by_name, matrices, tables, checksum)


def _checked_part(entry: dict[str, Any], end: int) -> Part:
    """Return a part as the header describes it, if it makes sense: checksums do not rule out malice."""
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()
    }
    part = Part(**fields)
    numbers = [part.offset, part.length, *part.shape, *part.checksums, *part.blocks]
    if type(part.name) is not str or not all(type(number) is int and number >= 0 for number in numbers):
        raise StorageError(f"its header does not describe the part {part.name!r:.60} as hott does.")
    if (
        part.offset % ALIGNMENT
        or part.offset < PREAMBLE_SIZE
        or part.offset + part.length + -part.length % ALIGNMENT > end
    ):
        raise StorageError(f"its part {part.name!r} lies outside of the file.")
    n_checksums = len(part.blocks) if part.encoding else -(-part.length // CHUNK)
    if len(part.checksums) != n_checksums:
        raise StorageError(f"its part {part.name!r} has {len(part.checksums)} checksums, not one a chunk.")
    if part.dtype not in DTYPES:
        raise StorageError(f"its part {part.name!r} has the unknown type {part.dtype!r:.60}.")
    sound = _are_blocks(part) if part.encoding else part.size == part.length and not part.blocks
    if not sound or len(part.shape) > _MAX_DIMENSIONS or max(part.shape, default=0) >= 2**62:
        raise StorageError(f"its part {part.name!r} does not have the size that its shape tells.")
    return part


def _are_blocks(part: Part) -> bool:
    """Tell whether the blocks of a part fill it and may come to the size of the array.

    Their number and their least lengths bound what a small file can come to in memory.
    """
    if not fits(part.encoding, np.dtype(part.dtype)) or part.size > MAX_SWELLING * part.length:
        return False
    lengths = block_lengths(part.size)
    return (
        len(part.blocks) == len(lengths)
        and sum(part.blocks) == part.length
        and all(block >= min_length(length) for block, length in zip(part.blocks, lengths))
    )


def _checked_shape(name: str, shape: Any, parts: dict[str, Part]) -> tuple[int, int]:
    """Return the shape of a matrix, if its three parts are there and of the right size."""
    n_rows, n_columns = shape
    data, indices, indptr = (parts[f"{name}.{piece}"] for piece in PIECES)
    if (
        type(n_rows) is not int
        or type(n_columns) is not int
        or not 0 <= n_columns <= _MAX_COLUMNS
        or any(len(part.shape) != 1 for part in (data, indices, indptr))
        or data.shape != indices.shape
        or indptr.shape != (n_rows + 1,)
        or not {indices.dtype, indptr.dtype} <= {"<i4", "<i8"}
    ):
        raise StorageError(f"its matrix {name!r} is not made of the parts that its shape tells.")
    return n_rows, n_columns


def _checked_table(name: str, told: dict[str, Any], parts: dict[str, Part]) -> tuple[int, dict[str, Kind]]:
    """Return the length and columns of a table, if their parts are there and of that length."""
    n_rows, kinds = told["rows"], told["columns"]
    columns = dict(kinds)
    if type(n_rows) is not int or n_rows < 0 or len(columns) != len(kinds):
        raise StorageError(f"its table {name!r} is not described as hott does.")
    for number, (column, kind) in enumerate(columns.items()):
        if kind == TEXT:
            texts, blocks = (parts[f"{name}.{number}.{piece}"] for piece in TEXT_PIECES)
            good = (texts.dtype, len(texts.shape), texts.encoding) == ("|u1", 1, "")
            good = good and blocks.dtype == "<i8" and len(blocks.shape) == 2 and blocks.shape[1] == 3
            good = good and blocks.shape[0] > 0
        else:
            values = parts[f"{name}.{number}"]
            good = (values.dtype, values.shape) == (COLUMN_DTYPES[kind], (n_rows,))
        if type(column) is not str or not good:
            raise StorageError(f"its table {name!r} is not made of the parts that its columns tell.")
    return n_rows, columns
