"""Writing a file part by part."""

import json
import math
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import asdict
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, Self, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.storage._address import is_address, local, send
from hott.storage._format import (
    ALIGNMENT,
    CHUNK,
    DTYPES,
    FORMAT,
    PIECES,
    PREAMBLE_SIZE,
    Part,
    PathLike,
    Preamble,
    choose_encoding,
    encode,
)
from hott.storage._table import blocks_of, pieces_of
from hott.table.columns import Kind, Texts, Values
from hott.table.table import Table
from hott.utils.atomic import atomic_write, explain_errors

_AT_ONCE = 16  # chunks that are encoded together
_OF_BLOCKS = ("encoding", "blocks")  # what the header says of a part that is encoded

Numbers: TypeAlias = NDArray | sparse.csr_array


def write(
    path: PathLike,
    header: dict[str, Any],
    arrays: Mapping[str, Numbers | Iterator[Numbers]],
    tables: Mapping[str, Table | Iterator[Table]] | None = None,
    storage_options: dict[str, Any] | None = None,
) -> None:
    """Save arrays and tables under ``path``, replacing what was there in one step.

    Parameters
    ----------
    path : file to write, whose folder must exist; or an address that fsspec knows
    header : anything that JSON can hold
    arrays : numbers or truth values, dense or CSR, or for each an iterator of blocks of rows
    tables : tables, or for each an iterator of tables with the same columns
    storage_options : for fsspec, such as credentials

    Examples
    --------
    >>> write("small.hott", {"what": "squares"}, {"squares": np.arange(4) ** 2})
    """
    if is_address(path):
        with send(str(path), storage_options) as here:
            write(here, header, arrays, tables)
        return
    with Writer(local(path), header) as out:
        for name, values in arrays.items():
            if isinstance(values, Iterator):
                out.extend(name, values)
            else:
                out.write(name, values)
        for name, table in (tables or {}).items():
            out.extend(name, table if isinstance(table, Iterator) else [table])


class Writer:
    """Write a file part by part, and in pieces where a part is larger than memory.

    Used in a ``with`` block: the file appears under its name when the block ends well, and not at all when
    it does not.

    Parameters
    ----------
    path : file to write; its folder must exist
    header : anything that JSON can hold

    Examples
    --------
    >>> from hott import storage
    >>> with Writer("small.hott", {}) as out:
    ...     for start in (0, 2):
    ...         out.append("numbers", np.arange(start, start + 2))
    >>> storage.read("small.hott").arrays["numbers"]
    array([0, 1, 2, 3])
    """

    def __init__(self, path: PathLike, header: dict[str, Any]) -> None:
        self.path = Path(path)
        self._header = header
        self._parts: list[Part] = []
        self._matrices: dict[str, tuple[int, int]] = {}  # shape of each CSR matrix; its arrays are parts
        self._names: set[str] = set()  # of parts, and of matrices
        self._tables: dict[str, tuple[int, dict[str, Kind]]] = {}  # rows and columns of each
        self._ends: dict[str, NDArray[np.int64]] = {}  # of the blocks of each column of text
        self._kinds: dict[str, str] = {}  # what each part is that grows
        self._growing: dict[str, _GrowingArray] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        json.dumps(self._header, allow_nan=False)  # fails before anything is written
        self._file = self._stack.enter_context(atomic_write(self.path))
        with explain_errors(self.path):
            self._file.write(bytes(PREAMBLE_SIZE))
        return self

    def __exit__(self, *exception: Any) -> None:
        try:
            with self._stack:
                if exception[0] is not None:
                    raise exception[1]
                with explain_errors(self.path):
                    self._finish()
        finally:
            for part in self._growing.values():
                part.close()

    def write(self, name: str, values: Any) -> None:
        """Write an array or a CSR matrix whole."""
        self._claim(name, PIECES if sparse.issparse(values) else ())
        if sparse.issparse(values):
            matrix: Any = sparse.csr_array(cast(Any, values))
            self._matrices[name] = matrix.shape
            for piece in PIECES:
                self._write_array(f"{name}.{piece}", getattr(matrix, piece))
        else:
            self._write_array(name, np.asarray(values))

    def append(self, name: str, block: Any) -> None:
        """Add rows to a part that grows: an array, a CSR matrix or a table."""
        kind = "matrix" if sparse.issparse(block) else "table" if isinstance(block, Table) else "array"
        if self._kinds.get(name) != kind:
            pieces = PIECES if kind == "matrix" else pieces_of(block.schema) if kind == "table" else ()
            self._claim(name, pieces)
            self._kinds[name] = kind
        with explain_errors(self.path):
            if kind == "matrix":
                self._append_matrix(name, sparse.csr_array(cast(Any, block)))
            elif kind == "array":
                self._append_array(name, block)
            else:
                self._append_table(name, block)

    def extend(self, name: str, blocks: Iterable[Any]) -> None:
        """Add all blocks of rows to a part; there must be at least one, which tells the type."""
        block = None
        for block in blocks:
            self.append(name, block)
        if block is None:
            raise ValueError(f"No blocks came for the part {name!r}. Give at least one; it may have no rows.")

    def _claim(self, name: str, pieces: Iterable[str]) -> None:
        """Take the name of a new part; a matrix or a table takes those of its arrays too."""
        names = {name, *(f"{name}.{piece}" for piece in pieces)}
        for taken in sorted(names & self._names):
            raise ValueError(f"The part {taken!r} is there already.")
        self._names |= names

    def _append_array(self, name: str, block: NDArray, encoded: bool = True) -> None:
        if name not in self._growing:
            # A file without a name, on the same disk: a killed writer leaves nothing of it.
            spool = tempfile.TemporaryFile(dir=self.path.resolve().parent)  # noqa: SIM115  (closed at the end)
            self._growing[name] = _GrowingArray(spool, _storable(name, block), block.shape[1:], encoded)
        self._growing[name].append(block)

    def _append_matrix(self, name: str, block: sparse.csr_array) -> None:
        n_rows, n_columns = self._matrices.get(name, (0, block.shape[1]))
        if block.shape[1] != n_columns:
            raise ValueError(
                f"Blocks of one matrix must be alike: this one of {name!r} has {block.shape[1]} columns, "
                f"the first had {n_columns}."
            )
        if name not in self._matrices:
            self._append_array(f"{name}.indptr", np.zeros(1, np.int64))
            stored = 0
        else:
            stored = self._growing[f"{name}.data"].n_rows
        self._append_array(f"{name}.data", block.data)
        self._append_array(f"{name}.indices", block.indices.astype(np.int32))
        self._append_array(f"{name}.indptr", block.indptr[1:].astype(np.int64) + stored)
        self._matrices[name] = (n_rows + block.shape[0], n_columns)

    def _append_table(self, name: str, block: Table) -> None:
        n_rows, schema = self._tables.get(name, (0, block.schema))
        if block.schema != schema:
            raise ValueError(
                f"Blocks of one table must be alike: this one of {name!r} has the columns {block.schema}, "
                f"the first had {schema}."
            )
        for number, column in enumerate(block.columns.values()):
            if isinstance(column, Texts):
                self._append_texts(f"{name}.{number}", column)
            elif isinstance(column, Values):
                plain = column.array.view(np.int64) if column.array.dtype.kind == "M" else column.array
                self._append_array(f"{name}.{number}", plain)
        self._tables[name] = n_rows + len(block), schema

    def _append_texts(self, name: str, texts: Texts) -> None:
        if f"{name}.texts" not in self._growing:
            self._append_array(f"{name}.texts", np.zeros(0, np.uint8), encoded=False)  # its blocks are
            self._append_array(f"{name}.blocks", np.zeros((1, 3), np.int64))
            self._ends[name] = np.zeros(3, np.int64)
        for content, n_texts, inflated in blocks_of(texts):
            self._ends[name] = self._ends[name] + np.array([len(content), n_texts, inflated])
            self._append_array(f"{name}.texts", np.frombuffer(content, np.uint8))
            self._append_array(f"{name}.blocks", self._ends[name][None])

    def _write_array(self, name: str, values: NDArray) -> None:
        values = np.asarray(values, dtype=_storable(name, values), order="C")
        content = values.reshape(-1).view(np.uint8).data
        blocks = (content[start : start + CHUNK] for start in range(0, len(content), CHUNK))
        with explain_errors(self.path):
            self._put(name, blocks, values.dtype, values.shape)

    def _put(
        self,
        name: str,
        chunks: Iterable[memoryview | bytes],
        dtype: np.dtype,
        shape: tuple[int, ...],
        encoded: bool = True,
    ) -> None:
        """Write a part that comes in chunks, all but the last of them of the full size."""
        chunks = iter(chunks)
        first = next(chunks, b"")
        encoding = choose_encoding(first, dtype) if encoded else ""
        chunks = chain([first], chunks) if len(first) else iter(())
        blocks = _encode_all(encoding, chunks, dtype) if encoding else chunks
        offset, lengths, checksums = self._file.tell(), [], []
        size = math.prod(shape) * dtype.itemsize
        for number, block in enumerate(blocks):
            lengths.append(len(block))
            is_last = (number + 1) * CHUNK >= size
            padded = bytes(block) + bytes(-sum(lengths) % ALIGNMENT) if is_last else block
            checksums.append(zlib.crc32(padded))
            self._file.write(padded)
        kept = tuple(lengths) if encoding else ()
        self._parts.append(
            Part(name, offset, sum(lengths), tuple(checksums), dtype.str, shape, encoding, kept)
        )

    def _finish(self) -> None:
        from hott import __version__

        for name, part in self._growing.items():
            self._put(name, part.chunks(), part.dtype, (part.n_rows, *part.tail), part.encoded)
        header = {
            "format": FORMAT,
            "library": __version__,
            "header": self._header,
            "matrices": self._matrices,
            "tables": {
                name: {"rows": n_rows, "columns": list(schema.items())}
                for name, (n_rows, schema) in self._tables.items()
            },
            "parts": [
                {
                    name: value
                    for name, value in asdict(part).items()
                    if part.encoding or name not in _OF_BLOCKS
                }
                for part in self._parts
            ],
        }
        text = json.dumps(header, allow_nan=False, separators=(",", ":")).encode()
        place = self._file.tell()
        self._file.write(text)
        self._file.seek(0)
        self._file.write(Preamble(FORMAT, zlib.crc32(text), place, len(text), place + len(text)).pack())


class _GrowingArray:
    """Rows gathered aside, because other parts grow at the same time."""

    def __init__(self, spool: IO[bytes], dtype: np.dtype, tail: tuple[int, ...], encoded: bool) -> None:
        self.spool, self.dtype, self.tail, self.encoded, self.n_rows = spool, dtype, tail, encoded, 0

    def append(self, rows: NDArray) -> None:
        if rows.shape[1:] != self.tail or not np.can_cast(rows.dtype, self.dtype, "safe"):
            raise ValueError(
                f"Blocks of one array must be alike: this one has type {rows.dtype} and rows of shape "
                f"{rows.shape[1:]}, the first had {self.dtype} and {self.tail}."
            )
        self.spool.write(np.ascontiguousarray(rows, dtype=self.dtype).tobytes())
        self.n_rows += len(rows)

    def chunks(self) -> Iterator[bytes]:
        self.spool.seek(0)
        return iter(lambda: self.spool.read(CHUNK), b"")

    def close(self) -> None:
        with suppress(OSError):  # on a full disk it fails to write what it still holds, which nobody wants
            self.spool.close()


def _encode_all(
    encoding: str, chunks: Iterable[memoryview | bytes], dtype: np.dtype
) -> Iterator[bytes | memoryview]:
    """Encode chunks in threads, some at a time: a part may be larger than memory."""
    chunks = iter(chunks)
    with ThreadPoolExecutor() as pool:
        while some := list(islice(chunks, _AT_ONCE)):
            yield from pool.map(lambda chunk: encode(encoding, chunk, dtype), some)


def _storable(name: str, values: NDArray) -> np.dtype:
    """Return the little-endian form of the type of an array, if the format can hold it."""
    dtype = values.dtype.newbyteorder("<")
    if dtype.str not in DTYPES:
        raise ValueError(
            f"The part {name!r} has type {values.dtype}, which cannot be stored. Numbers and truth values "
            "can; strings go into a table."
        )
    return dtype
