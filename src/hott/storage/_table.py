"""A table in a file: numbers as arrays, texts in small blocks, of which those asked for are read.

A column of text is two parts: its blocks, deflated, one behind the other; and an array of where they begin:
for each block its first byte, its first text and its first byte once inflated, then a row with the ends. A
block holds the lengths of its texts in bytes (int64, -1 for a missing one), then their UTF-8.
"""

import zlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hott.storage._format import TEXT_PIECES, StorageError
from hott.table.columns import DTYPES, TEXT, Column, Kind, Texts, Values
from hott.table.table import Schema, Table

if TYPE_CHECKING:
    from hott.storage._reader import Stored

BATCH = 10_000  # rows that `StoredTable.batches` reads together, and fewer where they are long:
BATCH_BYTES = 16 << 20
BLOCK = 1 << 16  # bytes of a block, before it is deflated; a longer text has one of its own
LEVEL = 4  # of deflate: 9 takes three times as long for a file that is 4 % smaller
SWELLING = 250  # times the size of a part that its texts may have in memory; they come to ten times
SWELLING_ANYWAY = 1 << 30  # bytes that they may have in any case

_LENGTH = np.dtype("<i8")


def pieces_of(schema: Schema) -> list[str]:
    """Name the parts that a table is made of, without the name of the table that precedes each."""
    return [
        piece
        for number, kind in enumerate(schema.values())
        for piece in ([f"{number}.{piece}" for piece in TEXT_PIECES] if kind == TEXT else [str(number)])
    ]


def blocks_of(texts: Texts) -> Iterator[tuple[bytes, int, int]]:
    """Yield the blocks that texts are stored in: the bytes, the number of texts, the inflated length."""
    texts = texts.compact()
    sizes = np.maximum(texts.lengths, 0) + _LENGTH.itemsize
    numbers = (np.cumsum(sizes) - sizes) // BLOCK
    starts = np.flatnonzero(np.diff(numbers, prepend=-1)).tolist()
    for start, stop in zip(starts, [*starts[1:], len(texts)]):
        first, last = texts.starts[start], texts.starts[stop - 1] + max(texts.lengths[stop - 1], 0)
        plain = texts.lengths[start:stop].astype(_LENGTH).tobytes() + texts.content[first:last].tobytes()
        yield zlib.compress(plain, LEVEL), stop - start, len(plain)


class StoredTable:
    """A table in a file, of which the texts are read by blocks where single rows are asked for.

    Several threads may read at the same time. A pickled one opens its file again where it is unpickled.

    Parameters
    ----------
    stored, name, n_rows, schema
        The file, which of its tables, how long that is, and its columns; :attr:`Stored.tables` has them.

    Examples
    --------
    >>> from hott import storage
    >>> documents = storage.Table.of({"id": ["a", "b"], "text": ["One text.", "Another."]})
    >>> storage.write("small.hott", {}, {}, {"documents": documents})
    >>> storage.read("small.hott").tables["documents"].rows([1]).records()
    [{'id': 'b', 'text': 'Another.'}]
    """

    def __init__(self, stored: "Stored", name: str, n_rows: int, schema: dict[str, Kind]) -> None:
        self._stored, self._name, self.n_rows, self.schema = stored, name, n_rows, schema
        self.complete: frozenset[str] = frozenset()  # columns of text that may lack no value
        self._numbers = {column: number for number, column in enumerate(schema)}
        self._arrays: dict[str, NDArray[Any]] = {}  # those that were read

    def __reduce__(self) -> Any:
        given = self._stored, self._name, self.n_rows, self.schema
        return StoredTable, given, {"complete": self.complete}

    def read(self, columns: Sequence[str] | None = None, start: int = 0, stop: int | None = None) -> Table:
        """Read the whole table, or some of its columns, or the rows from ``start`` to ``stop``."""
        stop = self.n_rows if stop is None else stop
        found: dict[str, Column[Any]] = {}
        for column in self._check(columns):
            if self.schema[column] == TEXT:
                first = self._blocks(column)[:, 1]
                begin = int(np.searchsorted(first, start, side="right")) - 1
                end = int(np.searchsorted(first, stop, side="left"))
                texts = self._inflate(column, range(begin, end)) if stop > start else Texts.of([])
                skipped = start - int(first[begin]) if stop > start else 0
                found[column] = texts.part(skipped, skipped + stop - start)
            else:
                found[column] = self._values(column).part(start, stop)
        return Table(found, stop - start)

    def rows(self, rows: Sequence[int], columns: Sequence[str] | None = None) -> Table:
        """Read the given rows in the given order; of the texts, only the blocks that hold them are read."""
        wanted = np.asarray(rows, np.int64)
        if wanted.size and not 0 <= wanted.min() <= wanted.max() < self.n_rows:
            raise StorageError(f"{self._called} has {self.n_rows} rows, and none with the number asked for.")
        found: dict[str, Column[Any]] = {}
        for column in self._check(columns):
            if self.schema[column] == TEXT:
                found[column] = self._texts_of(column, wanted)
            else:
                found[column] = self._values(column).take(wanted)
        return Table(found, len(wanted))

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Table]:
        """Yield the table in pieces of about ten thousand rows."""
        columns = self._check(columns)
        texts = [self._blocks(column) for column in columns if self.schema[column] == TEXT]
        start = 0
        while start < self.n_rows:
            stop = min(start + BATCH, self.n_rows)
            for blocks in texts:
                first = np.searchsorted(blocks[:, 1], start, side="right") - 1
                last = np.searchsorted(blocks[:, 2], blocks[first, 2] + BATCH_BYTES, side="right") - 1
                stop = min(stop, int(blocks[max(last, first + 1), 1]))
            yield self.read(columns, start, stop)
            start = stop

    @property
    def _called(self) -> str:
        return f"{self._stored.path}: the part {self._name!r}"

    def _check(self, columns: Sequence[str] | None) -> Sequence[str]:
        for column in columns or ():
            if column not in self.schema:
                raise StorageError(f"{self._called} has no column {column!r}.")
        return list(self.schema) if columns is None else columns

    def _values(self, column: str) -> Values:
        kind = self.schema[column]
        if column not in self._arrays:
            self._arrays[column] = self._stored._read(f"{self._name}.{self._numbers[column]}")
        return Values(self._arrays[column].view(DTYPES[kind]), kind)

    def _texts_of(self, column: str, rows: NDArray[np.int64]) -> Texts:
        first = self._blocks(column)[:, 1]
        blocks = np.searchsorted(first, rows, side="right") - 1
        needed, nth = np.unique(blocks, return_inverse=True)
        texts = self._inflate(column, needed.tolist())
        sizes = first[needed + 1] - first[needed]
        places = np.cumsum([0, *sizes[:-1]])
        return texts.take(rows - first[blocks] + places[nth])

    def _inflate(self, column: str, numbers: Sequence[int]) -> Texts:
        """Read and inflate the texts of some blocks."""
        blocks, wanted = self._blocks(column), np.asarray(numbers, np.intp)
        part = self._stored._part(f"{self._name}.{self._numbers[column]}.texts")
        # A small file may be made to hold gigabytes: that is looked at before memory is taken for them.
        n_bytes = int((blocks[wanted + 1, 2] - blocks[wanted, 2]).sum())
        if n_bytes > max(SWELLING_ANYWAY, SWELLING * part.length):
            raise StorageError(f"{self._called} swells to {n_bytes:,} bytes, as no honest table does.")
        lengths: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
        contents: list[bytes] = []
        for begin, end in zip(blocks[wanted].tolist(), blocks[wanted + 1].tolist()):
            n_texts, size = end[1] - begin[1], end[2] - begin[2]
            try:
                plain = zlib.decompressobj().decompress(self._stored._bytes(part, begin[0], end[0]), size)
                own, text = _split(plain, n_texts)
                lacks = column in self.complete and own.min(initial=0) < 0
                if lacks or len(plain) != size or not _are_texts(own, text):
                    raise StorageError(f"{self._called} does not hold the texts that it tells.")
            except (zlib.error, UnicodeDecodeError, MemoryError) as error:
                raise StorageError(f"{self._called} cannot be read: {error}.") from error
            lengths.append(own)
            contents.append(text)
        return Texts.pack(np.frombuffer(b"".join(contents), np.uint8), np.concatenate(lengths))

    def _blocks(self, column: str) -> NDArray[np.int64]:
        """Return where the blocks of a column begin: in the file, among the texts, and inflated."""
        if column not in self._arrays:
            name = f"{self._name}.{self._numbers[column]}"
            blocks = self._stored._read(f"{name}.blocks")
            ends = [self._stored._part(f"{name}.texts").length, self.n_rows]
            if blocks[0].any() or blocks[-1, :2].tolist() != ends or not (np.diff(blocks, axis=0) > 0).all():
                raise StorageError(f"{self._called} is not made of the blocks that it tells.")
            self._arrays[column] = blocks
        return self._arrays[column]


def _split(plain: bytes, n_texts: int) -> tuple[NDArray[np.int64], bytes]:
    """Split the content of a block into the lengths of its texts and their bytes."""
    place = n_texts * _LENGTH.itemsize
    return np.frombuffer(plain[:place].ljust(place, b"\0"), _LENGTH).astype(np.int64), plain[place:]


def _are_texts(lengths: NDArray[np.int64], text: bytes) -> bool:
    """Tell whether texts of these lengths, each of them UTF-8, fill these bytes."""
    if lengths.min(initial=0) < -1 or lengths.max(initial=0) > len(text):
        return False
    ends = np.cumsum(np.maximum(lengths, 0))
    text.decode()
    inside = ends[ends < len(text)]
    splits = (np.frombuffer(text, np.uint8)[inside] & 0xC0) == 0x80  # a character
    return bool(ends[-1] == len(text) and not splits.any())
