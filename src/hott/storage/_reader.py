"""Reading a file: everything is checked before it is used, and nothing is read before it is needed."""

import io
import json
import math
import mmap
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.storage._format import (
    ALIGNMENT,
    CHUNK,
    DTYPES,
    FORMAT,
    PREAMBLE_SIZE,
    Part,
    PathLike,
    Preamble,
    StorageError,
)

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")

BATCH = 10_000  # rows that `StoredTable.batches` reads together


def read(path: PathLike, *, verify: bool = False) -> "Stored":
    """Open a file of arrays and tables.

    The header is read and checked now. Each part is checked against its checksums when it is first used; with
    ``verify=True`` all of them now, which reads the whole file.

    Raises
    ------
    StorageError
        when the file is not an index, is damaged, or was written by a newer version.
    """
    path = Path(path)
    if path.is_dir():
        raise StorageError(f"Cannot open {path}: it is a folder, and an index is one file.")
    with open(path, "rb") as file:
        size = file.seek(0, io.SEEK_END)
        content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b"")
    try:
        stored = Stored(path, content)
    except StorageError as error:
        raise StorageError(f"Cannot open {path}: {error}") from None
    if verify:
        stored.verify()
    return stored


class Stored:
    """An open file: its header, its arrays (mapped, not copied) and its tables (read piece by piece).

    Attributes
    ----------
    header : dict that was given to ``write``
    library : version of the library that wrote the file
    arrays : mapping from names to read-only arrays and CSR matrices
    tables : mapping from names to ``StoredTable``
    parts : what the file is made of, with sizes
    """

    def __init__(self, path: Path, content: memoryview) -> None:
        self.path = path
        self._content = content
        written = _read_header(content)
        self.header: dict[str, Any] = written["header"]
        self.library: str = written["library"]
        self._parts: dict[str, Part] = {part.name: part for part in written["parts"]}
        self._checked = {part.name: bytearray(len(part.checksums)) for part in written["parts"]}
        self._matrices: dict[str, tuple[int, int]] = written["matrices"]
        pieces = {f"{name}.{piece}" for name in self._matrices for piece in ("data", "indices", "indptr")}
        arrays = [part.name for part in self.parts if part.kind == "array" and part.name not in pieces]
        self.arrays: Mapping[str, Any] = _Named(path, [*arrays, *self._matrices], self._array)
        tables = [part.name for part in self.parts if part.kind == "table"]
        self.tables: Mapping[str, StoredTable] = _Named(path, tables, self._table)

    @property
    def parts(self) -> tuple[Part, ...]:
        return tuple(self._parts.values())

    def verify(self) -> None:
        """Check every byte of the file now; a StorageError names the first part that is damaged."""
        for part in self.parts:
            self._bytes(part, 0, part.length)
        for name in self._matrices:
            self._array(name)

    def _array(self, name: str) -> NDArray | sparse.csr_array:
        if name not in self._matrices:
            return self._mapped(name)
        data, indices, indptr = (self._mapped(f"{name}.{piece}") for piece in ("data", "indices", "indptr"))
        if len(indptr) and indptr[-1] <= np.iinfo(indices.dtype).max:
            indptr = indptr.astype(indices.dtype, copy=False)  # types that differ would have indices copied
        try:
            matrix = sparse.csr_array((data, indices, indptr), shape=self._matrices[name])
            # Compiled code follows these numbers without looking: none may point outside of the matrix.
            matrix.check_format(full_check=True)
        except ValueError as error:
            raise StorageError(f"{self.path}: the part {name!r} is no CSR matrix: {error}.") from error
        return matrix

    def _table(self, name: str) -> "StoredTable":
        return StoredTable(f"{self.path}: the part {name!r}", _PartFile(self, self._part(name)))

    def _part(self, name: str) -> Part:
        if name not in self._parts:
            raise StorageError(f"{self.path} has no part {name!r}.")
        return self._parts[name]

    def _mapped(self, name: str) -> NDArray:
        part = self._part(name)
        content = self._bytes(part, 0, part.length)
        return np.frombuffer(content, part.dtype).reshape(part.shape)

    def _bytes(self, part: Part, start: int, stop: int) -> memoryview:
        """Bytes of a part, after their chunks have been checked for the first time."""
        checked = self._checked[part.name]
        first, last = start // CHUNK, -(-stop // CHUNK)
        todo = [chunk for chunk in range(first, last) if not checked[chunk]]
        end = part.length + -part.length % ALIGNMENT

        def is_sound(chunk: int) -> bool:
            place = part.offset + chunk * CHUNK
            content = self._content[place : min(place + CHUNK, part.offset + end)]
            return zlib.crc32(content) == part.checksums[chunk]

        if len(todo) < 16:
            sound = [is_sound(chunk) for chunk in todo]
        else:
            with ThreadPoolExecutor() as pool:
                sound = list(pool.map(is_sound, todo))
        for chunk, is_fine in zip(todo, sound):
            if not is_fine:
                raise StorageError(
                    f"{self.path}: the part {part.name!r} is damaged: its bytes from {chunk * CHUNK} on do "
                    "not match their checksum. Copy the file again, or build the index anew."
                )
            checked[chunk] = 1
        return self._content[part.offset + start : part.offset + stop]


class StoredTable:
    """A table in a file, read by groups of a thousand rows where single rows are asked for.

    Several threads may read at the same time.
    """

    def __init__(self, name: str, file: "_PartFile") -> None:
        self._name = name
        self._file = file

    @cached_property
    def _metadata(self) -> Any:
        with self._errors_named():
            return self._open().metadata

    @cached_property
    def _group_starts(self) -> NDArray[np.int64]:
        sizes = [self._metadata.row_group(group).num_rows for group in range(self._metadata.num_row_groups)]
        return np.cumsum([0, *sizes])

    @property
    def n_rows(self) -> int:
        return self._metadata.num_rows

    def read(self, columns: Sequence[str] | None = None) -> "pa.Table":
        """The whole table, or some of its columns."""
        with self._errors_named():
            return self._open(self._metadata).read(columns)

    def rows(self, rows: Sequence[int], columns: Sequence[str] | None = None) -> "pa.Table":
        """The given rows in the given order; only the groups they are in are read."""
        import pyarrow as pa

        wanted = np.asarray(rows, dtype=np.int64)
        groups = np.searchsorted(self._group_starts, wanted, side="right") - 1
        needed, nth = np.unique(groups, return_inverse=True)
        with self._errors_named():
            table = self._open(self._metadata).read_row_groups(needed.tolist(), columns)
        starts = self._group_starts[needed]
        sizes = self._group_starts[needed + 1] - starts
        places = np.cumsum([0, *sizes[:-1]])
        return table.take(pa.array(wanted - starts[nth] + places[nth]))

    def batches(self, columns: Sequence[str] | None = None) -> "Iterator[pa.Table]":
        """The table in pieces of about ten thousand rows."""
        starts = self._group_starts
        first = 0
        while first < len(starts) - 1:
            last = max(first + 1, int(np.searchsorted(starts, starts[first] + BATCH, side="right")) - 1)
            with self._errors_named():
                yield self._open(self._metadata).read_row_groups(range(first, last), columns)
            first = last

    def _open(self, metadata: Any = None) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as pq

        # A new reader each time costs next to nothing and makes reading from several threads safe.
        return pq.ParquetFile(pa.PythonFile(self._file.reopened(), mode="r"), metadata=metadata)

    @contextmanager
    def _errors_named(self) -> Iterator[None]:
        import pyarrow as pa

        try:
            yield
        except (pa.ArrowException, OSError) as error:
            raise StorageError(f"{self._name} cannot be read: {error}.") from error


class _PartFile(io.RawIOBase):
    """A part seen as a read-only file, whose chunks are checked when they are first read."""

    def __init__(self, stored: Stored, part: Part) -> None:
        self._stored, self._part, self._place = stored, part, 0

    def reopened(self) -> "_PartFile":
        return _PartFile(self._stored, self._part)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._part.length}[whence]
        self._place = min(max(start + offset, 0), self._part.length)
        return self._place

    def read(self, size: int | None = -1) -> bytes:
        start = self._place
        wanted = self._part.length if size is None or size < 0 else start + size
        self._place = min(wanted, self._part.length)
        return bytes(self._stored._bytes(self._part, start, self._place))


class _Named(Mapping[str, T], Generic[T]):
    """Parts by name: made once, when first asked for."""

    def __init__(self, path: Path, names: Sequence[str], make: Callable[[str], T]) -> None:
        self._path, self._names, self._make = path, names, make
        self._made: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._names:
            raise StorageError(f"{self._path} has no part {name!r}; it has: {', '.join(self._names)}.")
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self._names else default

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _read_header(content: memoryview) -> dict[str, Any]:
    preamble = Preamble.unpack(bytes(content[:PREAMBLE_SIZE]))
    if preamble.format > FORMAT:
        raise StorageError(
            f"it has format {preamble.format}, and this version of hott reads formats up to {FORMAT}. "
            "Upgrade with: pip install --upgrade hott"
        )
    if len(content) != preamble.file_length:
        raise StorageError(f"it was cut short or added to: {len(content)} bytes, not {preamble.file_length}.")
    header = content[preamble.header_offset : preamble.header_offset + preamble.header_length]
    if zlib.crc32(header) != preamble.header_checksum:
        raise StorageError("its header is damaged.")
    try:
        written = json.loads(bytes(header))
        written["parts"] = [_checked_part(entry, preamble.header_offset) for entry in written["parts"]]
        written["matrices"] = {name: (int(n), int(m)) for name, (n, m) in written["matrices"].items()}
        if not isinstance(written["header"], dict) or not isinstance(written["library"], str):
            raise StorageError("its header is not what hott writes.")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        if isinstance(error, StorageError):
            raise
        raise StorageError(f"its header is not what hott writes ({error!r}).") from error
    return written


def _checked_part(entry: dict[str, Any], end: int) -> Part:
    """A part as the header describes it, if it makes sense: the checksums prove no good will."""
    part = Part(**{**entry, "checksums": tuple(entry["checksums"]), "shape": tuple(entry["shape"])})
    numbers = [part.offset, part.length, *part.shape, *part.checksums]
    if type(part.name) is not str or not all(type(number) is int and number >= 0 for number in numbers):
        raise StorageError(f"its header does not describe the part {part.name!r} as hott does.")
    if part.offset % ALIGNMENT or part.offset + part.length + -part.length % ALIGNMENT > end:
        raise StorageError(f"its part {part.name!r} lies outside of the file.")
    if len(part.checksums) != -(-part.length // CHUNK):
        raise StorageError(f"its part {part.name!r} has {len(part.checksums)} checksums, not one a chunk.")
    if part.kind == "array":
        if part.dtype not in DTYPES:
            raise StorageError(f"its part {part.name!r} has the unknown type {part.dtype!r}.")
        if math.prod(part.shape) * np.dtype(part.dtype).itemsize != part.length:
            raise StorageError(f"its part {part.name!r} does not have the size that its shape tells.")
    elif part.kind != "table":
        raise StorageError(f"its part {part.name!r} is of the unknown kind {part.kind!r}.")
    return part
