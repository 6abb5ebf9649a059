"""What a worker needs of an index: how far apart documents are, and the documents' proportions."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hott.distances.base import take
from hott.distances.topic import HOTT, Prepared
from hott.neighbors import NeighborResult, search

if TYPE_CHECKING:
    from hott.gpu import Device
    from hott.index import Index


@dataclass(frozen=True, slots=True)
class Tile:
    """A rectangle of the matrix of distances, on or above its diagonal; it settles its mirror image too."""

    row: int  # its place among the tiles
    column: int
    rows: slice  # the documents
    columns: slice

    @property
    def pairs(self) -> int:
        """Entries of the matrix that it settles."""
        once = _length(self.rows) * _length(self.columns)
        return once if self.row == self.column else 2 * once


def tiles(n: int, block: int) -> Iterator[Tile]:
    """The tiles of an n x n matrix, row by row.

    Examples
    --------
    >>> [(tile.row, tile.column, tile.pairs) for tile in tiles(5, 3)]
    [(0, 0, 9), (0, 1, 12), (1, 1, 4)]
    """
    spans = list(spans_of(n, block))
    for i, rows in enumerate(spans):
        for j, columns in enumerate(spans[i:], i):
            yield Tile(i, j, rows, columns)


def spans_of(n: int, block: int) -> Iterator[slice]:
    """Consecutive runs of ``block`` documents; the last may be shorter."""
    return (slice(start, min(start + block, n)) for start in range(0, n, block))


@dataclass(frozen=True, slots=True)
class Collection:
    """The documents of an index, as far as distances depend on them."""

    distance: HOTT
    proportions: Prepared  # of the documents with a known word
    known: NDArray[np.intp]  # the positions of these
    ids: pa.Array  # of all documents

    @classmethod
    def of(cls, index: "Index") -> "Collection":
        ids = index.documents.ids._array.combine_chunks()
        return cls(index.distance, index._rows, index._known, ids)

    @property
    def n_documents(self) -> int:
        return len(self.ids)

    def between(self, tile: Tile, *, threads: int | None, device: "Device" = "cpu") -> NDArray[np.float64]:
        """The distances of a tile; NaN where a document has no known word."""
        rows, columns = self._known_in(tile.rows), self._known_in(tile.columns)
        full = np.full((_length(tile.rows), _length(tile.columns)), np.nan)
        if _length(rows) and _length(columns):
            P = take(self.proportions, rows)
            Q = None if tile.row == tile.column else take(self.proportions, columns)
            values = self.distance.between_on(device, P, Q, threads=threads)
            if values.shape == full.shape:
                return values
            places = self.known[rows] - tile.rows.start, self.known[columns] - tile.columns.start
            full[np.ix_(*places)] = values
        return full

    def nearest(self, span: slice, k: int, *, threads: int | None) -> NeighborResult:
        """The ``k`` nearest other documents of the documents in a span.

        A document without a known word has the first documents for neighbours, at distance NaN.
        """
        rows, n = self._known_in(span), _length(span)
        indices, distances = np.tile(self.known[:k], (n, 1)), np.full((n, k), np.nan)
        if not _length(rows):
            return NeighborResult(indices, distances, 0, 0)
        own = np.arange(rows.start, rows.stop)
        queries = take(self.proportions, rows)
        found = search(self.distance, queries, self.proportions, k, own=own, threads=threads)
        places = self.known[rows] - span.start
        indices[places], distances[places] = self.known[found.indices], found.distances
        return NeighborResult(indices, distances, found.computed, found.pruned)

    def fingerprint(self) -> str:
        """A number that is another one for other documents or other topics."""
        digest = hashlib.blake2b(digest_size=16)
        digest.update(repr((self.n_documents, self.distance.p)).encode())
        digest.update(np.ascontiguousarray(self.known, np.int64).data)
        for space, part in zip(self.distance.models_, self.proportions):
            for values in (space.distances, part.starts - part.starts[0], part.csr.indices, part.csr.data):
                digest.update(np.ascontiguousarray(values).data)
        return digest.hexdigest()

    def _known_in(self, span: slice) -> slice:
        """The rows of the proportions that belong to the documents of a span."""
        start, stop = np.searchsorted(self.known, (span.start, span.stop))
        return slice(int(start), int(stop))


def _length(span: slice) -> int:
    return span.stop - span.start
