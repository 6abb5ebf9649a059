"""What a worker needs of an index: a distance, and the documents as that distance sees them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hott.distances.base import Distance
from hott.distances.representation import Representation
from hott.neighbors import NeighborResult, search
from hott.table.columns import Column
from hott.utils.arrays import fingerprint
from hott.utils.run import Run


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
        once = (self.rows.stop - self.rows.start) * (self.columns.stop - self.columns.start)
        return once if self.row == self.column else 2 * once


def tiles(n: int, block: int) -> Iterator[Tile]:
    """Yield the tiles on and above the diagonal of an n x n matrix, row by row."""
    spans = list(spans_of(n, block))
    for i, rows in enumerate(spans):
        for j, columns in enumerate(spans[i:], i):
            yield Tile(i, j, rows, columns)


def spans_of(n: int, block: int) -> Iterator[slice]:
    """Consecutive runs of ``block`` documents; the last may be shorter."""
    return (slice(start, min(start + block, n)) for start in range(0, n, block))


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents, as far as distances depend on them."""

    distance: Distance
    documents: Representation
    ids: Column[str]  # of all documents

    @property
    def n_documents(self) -> int:
        return self.documents.n_documents

    def between(self, tile: Tile, run: Run) -> NDArray[np.float64]:
        """Compute the distances of a tile, NaN where a document has no known word."""
        R = self.documents[tile.rows]
        S = R if tile.row == tile.column else self.documents[tile.columns]
        if not len(R) or not len(S):
            return np.full((R.n_documents, S.n_documents), np.nan)
        return R.scatter(self.distance.between(R, None if S is R else S, run), S)

    def nearest(self, span: slice, k: int, run: Run) -> NeighborResult:
        """Find the ``k`` others nearest to each of a span; without a known word the first ones, at NaN."""
        queries, everyone = self.documents[span], self.documents.positions
        indices = np.tile(everyone[:k], (queries.n_documents, 1))
        if not len(queries):
            return NeighborResult(indices, np.full(indices.shape, np.nan), 0, 0)
        own = np.searchsorted(everyone, queries.positions + span.start)
        found = search(self.distance, queries, self.documents, k, run, own=own)
        indices[queries.positions] = everyone[found.indices]
        return NeighborResult(indices, queries.scatter(found.distances), found.computed, found.pruned)

    def fingerprint(self) -> str:
        """Compute a fingerprint that changes with the documents and with the distance."""
        told = repr((self.n_documents, type(self.distance).__name__))
        positions = self.documents.positions.astype(np.int64)
        return fingerprint(told, positions, *self.distance.fingerprint_arrays(), *self.documents.arrays())
