"""A table in a file: Parquet, read by groups of rows, checked as it is read."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hott.storage._format import Part, StorageError, repeated

if TYPE_CHECKING:
    import pyarrow as pa

    from hott.storage._reader import Stored

BATCH = 10_000  # rows that `StoredTable.batches` reads together
SWELLING = 1000  # times the size of the part that a table may have in memory; texts come to ten times
SWELLING_ANYWAY = 1 << 28  # bytes that it may have in any case


class StoredTable:
    """A table in a file, read by groups of a thousand rows where single rows are asked for.

    Several threads may read at the same time. A pickled one opens its file again where it is unpickled.
    """

    def __init__(self, stored: "Stored", name: str) -> None:
        self._stored, self._part_name = stored, name
        self._name = f"{stored.path}: the part {name!r}"

    def __reduce__(self) -> Any:
        return StoredTable, (self._stored, self._part_name)

    @cached_property
    def _metadata(self) -> Any:
        with self._errors_named():
            metadata = self._open().metadata
        n_rows, _ = self._part.shape
        sizes = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
        if min(sizes, default=0) < 0 or sum(sizes) != n_rows or metadata.num_rows != n_rows:
            raise StorageError(f"{self._name} does not have the {n_rows} rows that the header tells.")
        return metadata

    @cached_property
    def _group_starts(self) -> NDArray[np.int64]:
        sizes = [self._metadata.row_group(group).num_rows for group in range(self._metadata.num_row_groups)]
        return np.cumsum([0, *sizes])

    @cached_property
    def schema(self) -> "pa.Schema":
        """The columns and their types."""
        with self._errors_named():
            return self._metadata.schema.to_arrow_schema()

    @property
    def n_rows(self) -> int:
        return self._metadata.num_rows

    def read(self, columns: Sequence[str] | None = None) -> "pa.Table":
        """The whole table, or some of its columns."""
        return self._groups(range(len(self._group_starts) - 1), columns)

    def rows(self, rows: Sequence[int], columns: Sequence[str] | None = None) -> "pa.Table":
        """The given rows in the given order; only the groups they are in are read."""
        import pyarrow as pa

        wanted = np.asarray(rows, dtype=np.int64)
        if wanted.size and not 0 <= wanted.min() <= wanted.max() < self.n_rows:
            raise StorageError(f"{self._name} has {self.n_rows} rows, and none with the number asked for.")
        groups = np.searchsorted(self._group_starts, wanted, side="right") - 1
        needed, nth = np.unique(groups, return_inverse=True)
        table = self._groups(needed.tolist(), columns)
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
            yield self._groups(range(first, last), columns)
            first = last

    def _groups(self, groups: Sequence[int], columns: Sequence[str] | None) -> "pa.Table":
        missing = set(columns or ()) - set(self.schema.names)
        if missing:
            raise StorageError(f"{self._name} has no column {sorted(missing)[0]!r}.")
        with self._errors_named():
            # Of groups, not of columns: Arrow aborts the process when it is asked about a forged column.
            self._check_swelling(sum(self._metadata.row_group(group).total_byte_size for group in groups))
            table = self._open(self._metadata).read_row_groups(groups, columns, use_threads=False)
            table.validate(full=True)  # text that is not UTF-8 would fail much later
            table = self._spelled_out(table)
        if table.num_rows != sum(int(self._group_starts[g + 1] - self._group_starts[g]) for g in groups):
            raise StorageError(f"{self._name} has other rows than its own header tells.")
        return table

    # A small file may be made to hold gigabytes, by compression or by a long label that is repeated by its
    # number: both are looked at before memory is taken for them.

    def _spelled_out(self, table: "pa.Table") -> "pa.Table":
        """The table with every text in its place, where texts were repeated by their numbers."""
        import pyarrow as pa
        import pyarrow.compute as pc

        for number, field in enumerate(table.schema):
            if pa.types.is_dictionary(field.type):
                lengths = (
                    pc.binary_length(chunk.dictionary).take(chunk.indices) for chunk in table[number].chunks
                )
                self._check_swelling(sum(pc.sum(each).as_py() or 0 for each in lengths))
                told = self.schema.field(field.name).type
                plain = told.value_type if pa.types.is_dictionary(told) else told
                table = table.set_column(number, pa.field(field.name, plain), table[number].cast(plain))
        return table

    def _check_swelling(self, n_bytes: int) -> None:
        if n_bytes > max(SWELLING_ANYWAY, SWELLING * self._part.length):
            raise StorageError(f"{self._name} swells to {n_bytes:,} bytes, as no honest table does.")

    def _open(self, metadata: Any = None) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as pq

        # A new reader each time costs next to nothing and makes reading from several threads safe. Threads of
        # Arrow's may not do it: one that lets go of our file while Python comes down aborts the process.
        return pq.ParquetFile(
            pa.PythonFile(_PartFile(self._stored, self._part), mode="r"),
            metadata=metadata,
            pre_buffer=False,
            read_dictionary=[] if metadata is None else repeated(self.schema),
        )

    @property
    def _part(self) -> Part:
        return self._stored._part(self._part_name)

    @contextmanager
    def _errors_named(self) -> Iterator[None]:
        import pyarrow as pa

        try:
            yield
        except StorageError:
            raise
        except (pa.ArrowException, OSError, ValueError, TypeError, MemoryError) as error:
            raise StorageError(f"{self._name} cannot be read: {error}.") from error


class _PartFile(io.RawIOBase):
    """A part seen as a read-only file, whose chunks are checked when they are first read."""

    def __init__(self, stored: "Stored", part: Part) -> None:
        self._stored, self._part, self._place = stored, part, 0

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
        return self._stored._bytes(self._part, start, self._place)
