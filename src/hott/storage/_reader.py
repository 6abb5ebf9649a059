"""Reading a file: everything is checked before it is used, and nothing is read before it is needed."""

import zlib
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.storage._address import fetch, is_address, local
from hott.storage._format import ALIGNMENT, CHUNK, PIECES, Part, PathLike, StorageError, decode
from hott.storage._header import Header, Source, allocate_aligned
from hott.storage._table import StoredTable, pieces_of
from hott.table.columns import TEXT
from hott.utils.arrays import fingerprint

T = TypeVar("T")

Shape = tuple[int | None, ...]  # None: any number


def read(path: PathLike, *, verify: bool = False, storage_options: dict[str, Any] | None = None) -> "Stored":
    """Open a file of arrays and tables, here or at an address such as ``s3://bucket/articles.hott``.

    Parameters
    ----------
    path : str or path
    verify : bool
        Check all parts against their checksums now, which reads the whole file. Without it the header is
        checked now, and each part when it is first used.
    storage_options : dict, optional
        For fsspec, which reads what is at an address.

    Raises
    ------
    StorageError
        when the file is not an index, is damaged, or was written by a newer version.

    Examples
    --------
    >>> from hott import storage
    >>> storage.write("small.hott", {"what": "squares"}, {"squares": np.arange(4) ** 2})
    >>> storage.read("small.hott").header
    {'what': 'squares'}
    """
    try:
        if is_address(path):
            here: PathLike = fetch(str(path), storage_options, lambda copy: Header.of(Source(copy)))
        else:
            here = local(path)
        source = Source(here)
        header = Header.of(source)
    except StorageError as error:
        raise StorageError(f"Cannot open {path}: {error}") from None
    stored = Stored(source, header)
    if verify:
        stored.verify()
    return stored


class Stored:
    """An open file: its header, its arrays and its tables, each read when it is first asked for.

    Arrays are read whole, tables piece by piece. Someone who writes into the file meanwhile cannot change an
    array that is in use, and what is read after that is a StorageError. A file that is replaced, as ``write``
    does it, stays readable for those who have it open. A pickled ``Stored`` opens its file again where it is
    unpickled, and it must be the same file still.

    Attributes
    ----------
    header : dict that was given to ``write``
    library : version of the library that wrote the file
    arrays : mapping from names to read-only arrays and CSR matrices
    tables : mapping from names to ``StoredTable``
    parts : what the file is made of, with sizes

    Examples
    --------
    >>> from hott import storage
    >>> storage.write("small.hott", {}, {"squares": np.arange(4) ** 2})
    >>> stored = storage.read("small.hott")
    >>> stored.arrays["squares"]
    array([0, 1, 4, 9])
    """

    def __init__(self, source: Source, header: Header) -> None:
        self.path = source.path
        self._source, self._header = source, header
        self._absolute = source.path.absolute()  # the process may go to another folder
        self.header: dict[str, Any] = header.header
        self.library = header.library
        self._checked = {part.name: bytearray(len(part.checksums)) for part in self.parts}
        pieces = {f"{name}.{piece}" for name in header.matrices for piece in PIECES}
        pieces |= {f"{name}.{piece}" for name, (_, t) in header.tables.items() for piece in pieces_of(t)}
        arrays = [part.name for part in self.parts if part.name not in pieces]
        self._array_names = [*arrays, *header.matrices]
        # Neither leads back to this object: memory and file are let go of with the last who uses them.
        self._arrays: dict[str, Any] = {}
        self._tables: WeakValueDictionary[str, StoredTable] = WeakValueDictionary()

    @property
    def arrays(self) -> Mapping[str, Any]:
        return _Named(self.path, self._array_names, self._array, self._arrays)

    @property
    def tables(self) -> Mapping[str, StoredTable]:
        tables = self._header.tables
        return _Named(self.path, [*tables], lambda name: StoredTable(self, name, *tables[name]), self._tables)

    @property
    def parts(self) -> tuple[Part, ...]:
        return tuple(self._header.parts.values())

    def verify(self) -> None:
        """Check every byte of the file now; a StorageError names the first part that is damaged."""
        for name in self.arrays:
            self.arrays[name]
        for part in self.parts:
            if part.encoding and part.name not in self.arrays:
                self._read(part.name)
            elif part.name not in self.arrays:
                for start in range(0, part.length, CHUNK):
                    self._bytes(part, start, min(start + CHUNK, part.length))

    def checksum(self, *beginnings: str) -> str:
        """Combine the checksums of all parts whose names begin like this into one; no part is read.

        Examples
        --------
        >>> from hott import storage
        >>> storage.write("small.hott", {}, {"squares": np.arange(4) ** 2})
        >>> storage.read("small.hott").checksum("sq")
        '13a1b48b4235872cf0d75c06768e6e41'
        """
        named = [part for part in self.parts if part.name.startswith(beginnings)]
        return fingerprint(*(repr((one.name, one.dtype, one.shape, one.checksums)) for one in named))

    # -- parts that must be what the caller expects ------------------------------------------------------

    def array(self, name: str, shape: Shape, kind: str = "f") -> NDArray:
        """Return an array of this shape (None: any number), whose dtype is of a kind among these letters.

        A StorageError otherwise.

        Examples
        --------
        >>> from hott import storage
        >>> storage.write("small.hott", {}, {"costs": np.zeros((3, 3))})
        >>> storage.read("small.hott").array("costs", (3, None)).shape
        (3, 3)
        >>> storage.read("small.hott").array("costs", (2, 2))
        Traceback (most recent call last):
        hott.storage._format.StorageError: small.hott: the part 'costs' has shape (3, 3), expected (2, 2).
        """
        values = self.arrays[name]
        if sparse.issparse(values) or values.dtype.kind not in kind:
            raise StorageError(f"{self.path}: the part {name!r} holds other numbers than expected.")
        self._check_shape(name, values.shape, shape)
        return values

    def matrix(self, name: str, shape: Shape) -> sparse.csr_array:
        """Return a CSR matrix of floats of this shape (None: any number); raise a StorageError otherwise."""
        values = self.arrays[name]
        if not sparse.issparse(values) or values.dtype.kind != "f":
            raise StorageError(f"{self.path}: the part {name!r} is no matrix of numbers.")
        self._check_shape(name, values.shape, shape)
        return values

    def take(self, name: str) -> Any:
        """Return an array that is not kept in memory: the next who asks for it has it read again."""
        found = self.arrays[name]
        self._arrays.pop(name, None)
        return found

    def table(self, name: str, columns: Sequence[str], *, complete: Sequence[str] = ()) -> StoredTable:
        """Return a table with these columns, all of them text; raise a StorageError otherwise.

        Reading one of the ``complete`` columns is a StorageError where it lacks a value.
        """
        table = self.tables[name]
        for column in columns:
            if table.schema.get(column) != TEXT:
                raise StorageError(f"{self.path}: the part {name!r} has no column {column!r} of text.")
        table.complete = frozenset(complete)
        return table

    @contextmanager
    def expect(self) -> Iterator[None]:
        """Let whatever goes wrong in the block say that the file does not hold what it should.

        For code that puts objects together from the header and the parts: a forged file may lack any of them,
        or hold another type.
        """
        try:
            yield
        except StorageError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise StorageError(f"{self.path} does not hold what hott writes: {error!r:.200}.") from error

    def require(self, holds: bool | np.bool_, otherwise: str) -> None:
        """Raise a StorageError that names the file, unless something holds."""
        if not holds:
            raise StorageError(f"{self.path}: {otherwise}")

    def _check_shape(self, name: str, shape: tuple[int, ...], expected: Shape) -> None:
        if len(shape) != len(expected) or any(b not in (None, a) for a, b in zip(shape, expected)):
            shown = str(expected).replace("None", "any")
            raise StorageError(f"{self.path}: the part {name!r} has shape {shape}, expected {shown}.")

    # -- reading -----------------------------------------------------------------------------------------

    def _array(self, name: str) -> NDArray | sparse.csr_array:
        if name not in self._header.matrices:
            return self._read(name)
        data, indices, indptr = (self._read(f"{name}.{piece}") for piece in PIECES)
        if len(indptr) and indptr[-1] <= np.iinfo(indices.dtype).max:
            indptr = indptr.astype(indices.dtype, copy=False)  # types that differ would have indices copied
        try:
            matrix = sparse.csr_array((data, indices, indptr), shape=self._header.matrices[name])
            # Compiled code follows these numbers without looking: none may point outside of the matrix.
            matrix.check_format(full_check=True)
        except ValueError as error:
            raise StorageError(f"{self.path}: the part {name!r} is no CSR matrix: {error}.") from error
        return matrix

    def _part(self, name: str) -> Part:
        return self._header.parts[name]

    def _read(self, name: str) -> NDArray:
        """Read an array into memory of its own, and check each of its chunks."""
        part = self._part(name)
        content = self._decode(part) if part.encoding else self._chunks(part, 0, len(part.checksums))
        # Not a view of the bytes: SciPy would copy an array that has fewer numbers than they are.
        return np.frombuffer(content.data.toreadonly()[: part.size], part.dtype).reshape(part.shape)

    def _decode(self, part: Part) -> NDArray[np.uint8]:
        """Read and decode an array, and check each of its blocks."""
        content, dtype = allocate_aligned(part.size), np.dtype(part.dtype)
        ends = list(accumulate(part.blocks))

        def decode_block(number: int) -> bool:
            stop = ends[number] + (-part.length % ALIGNMENT if number == len(ends) - 1 else 0)
            start = ends[number] - part.blocks[number]
            stored = self._source.read(part.offset + start, part.offset + stop).data
            if zlib.crc32(stored) != part.checksums[number]:
                return False
            out = content[number * CHUNK : (number + 1) * CHUNK]
            try:
                decode(part.encoding, stored, out, dtype)
            except ValueError as error:
                raise StorageError(f"{self.path}: the part {part.name!r} cannot be read: {error}.") from None
            return True

        starts = (end - length for end, length in zip(ends, part.blocks))
        self._check(part, dict(enumerate(starts)), decode_block)
        return content

    def _bytes(self, part: Part, start: int, stop: int) -> bytes:
        """Return bytes of a part, whose chunks are checked the first time they are read."""
        first, last = start // CHUNK, -(-stop // CHUNK)
        if all(self._checked[part.name][first:last]):
            content = self._source.read(part.offset + start, part.offset + stop)
            self._source.check_unchanged()  # after it was read: what came before any change is fine
            return content.tobytes()
        content = self._chunks(part, first, last)
        self._checked[part.name][first:last] = b"\1" * (last - first)
        return content[start - first * CHUNK : stop - first * CHUNK].tobytes()

    def _chunks(self, part: Part, first: int, last: int) -> NDArray[np.uint8]:
        """Read some chunks of a part, and compare them with their checksums as they lie in memory."""
        padded = part.length + -part.length % ALIGNMENT
        content = allocate_aligned(min(last * CHUNK, padded) - first * CHUNK)

        def is_sound(chunk: int) -> bool:
            out = content[(chunk - first) * CHUNK : (chunk + 1 - first) * CHUNK].data
            self._source.fill(part.offset + chunk * CHUNK, out)
            return zlib.crc32(out) == part.checksums[chunk]

        self._check(part, {chunk: chunk * CHUNK for chunk in range(first, last)}, is_sound)
        return content

    def _check(self, part: Part, places: dict[int, int], is_sound: Callable[[int], bool]) -> None:
        """Read and check chunks or blocks that begin at known places, in threads where there are many."""
        if len(places) < 16:
            sound = [is_sound(number) for number in places]
        else:
            with ThreadPoolExecutor() as pool:
                sound = list(pool.map(is_sound, places))
        if not all(sound):
            self._source.check_unchanged()  # which says more, where that is the reason
            place = list(places.values())[sound.index(False)]
            raise StorageError(
                f"{self.path}: the part {part.name!r} is damaged: its bytes from {place} on do not match "
                "their checksum. Copy the file again, or build the index anew."
            )

    def __reduce__(self) -> Any:
        return _reopen, (self._absolute, self._header.checksum)


def _reopen(path: Path, checksum: int) -> Stored:
    stored = read(path)
    if stored._header.checksum != checksum:
        raise StorageError(f"{path} is not the file any more that was open when this was pickled.")
    return stored


class _Named(Mapping[str, T], Generic[T]):
    """Parts by name: made when first asked for, and kept in a mapping of those that were."""

    def __init__(
        self, path: Path, names: Sequence[str], make: Callable[[str], T], made: MutableMapping[str, T]
    ) -> None:
        self._path, self._names, self._make, self._made = path, names, make, made

    def __getitem__(self, name: str) -> T:
        if name not in self._names:
            raise StorageError(f"{self._path} has no part {name!r}; it has: {', '.join(self._names)}.")
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = self._make(name)
        return made

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self._names else default

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
