"""Costs between words, computed for the words at hand: a matrix for the whole vocabulary would not fit."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott import _core
from hott.distances._blocks import csr_parts
from hott.distances._euclidean import squared_distances

_TABLE = 1 << 22
_SMALL_TABLE = 1 << 17  # entries that cost less than the overhead of splitting a table
_WASTE = 16  # a table of costs may have this many times the entries that its pairs need


@dataclass(frozen=True)
class WordCosts:
    """Euclidean distances between word vectors, to the power ``p``."""

    vectors: NDArray[np.float64]
    p: int
    threads: int

    @property
    def metric(self) -> bool:
        return self.p == 1

    def table(self, words: NDArray[np.integer], others: NDArray[np.integer]) -> NDArray[np.float64]:
        """Costs from ``words`` to ``others``."""
        squares = squared_distances(self.vectors[words], self.vectors[others])
        return np.sqrt(squares, out=squares) if self.p == 1 else squares

    def of_pairs(
        self,
        R: sparse.csr_array,
        S: sparse.csr_array,
        rows: NDArray[np.intp],
        cols: NDArray[np.intp],
        *,
        relaxed: bool,
    ) -> NDArray[np.float64]:
        """Transport cost of the listed pairs, exact or relaxed."""
        values = np.empty(len(rows))
        order = np.argsort(
            rows, kind="stable"
        )  # neighbouring pairs share a document, and so a part of a table
        pending = [order] if len(order) else []
        while pending:
            chunk = pending.pop()
            batch = _Batch(R, S, rows[chunk], cols[chunk])
            if len(chunk) > 1 and batch.entries > min(_TABLE, max(_SMALL_TABLE, _WASTE * batch.needed)):
                pending += np.array_split(chunk, 2)
            else:
                values[chunk] = self._of_batch(batch, relaxed)
        return values

    def _of_batch(self, batch: "_Batch", relaxed: bool) -> NDArray[np.float64]:
        values = np.empty(len(batch.rows))
        words, left = batch.words, batch.left_words
        row_of = np.zeros(len(words), np.int32)
        row_of[np.searchsorted(words, left)] = np.arange(len(left))
        costs = self.table(left, words)
        P, Q = (csr_parts(_relabel(X, words)) for X in (batch.left, batch.right))
        _core.word_pairs(
            P, Q, batch.rows, batch.cols, row_of, costs, self.metric, relaxed, self.threads, values
        )
        return values

    def to_nearest(self, R: sparse.csr_array, S: sparse.csr_array, *, cancel: bool) -> NDArray[np.float64]:
        """Cost for each document of ``R`` of moving every word to the nearest word of each document of ``S``.

        The distance from a word to a document is found once, not once a pair (Atasu and Mittelholzer, 2019).
        With ``cancel``, mass that both documents have on a word stays, and only the rest moves on.
        """
        cost = np.zeros((S.shape[0], R.shape[0]))
        senders, words = sparse.csc_array(R), np.unique(S.indices)
        S = _relabel(S, words)
        sent = np.flatnonzero(np.diff(senders.indptr))
        width = max(1, _TABLE // max(len(words), 1))
        for start in range(0, len(sent), width):
            tile = sent[start : start + width]
            table = self.table(words, tile)
            place = np.searchsorted(words, tile)
            shared = np.flatnonzero(words[np.minimum(place, len(words) - 1)] == tile)
            tile_of = np.full(len(words), -1, np.int32)
            tile_of[place[shared]] = shared
            if cancel:
                table[place[shared], shared] = np.inf
            _core.relaxed_tile(
                csr_parts(S), table, tile_of, csr_parts(senders[:, tile]), cancel, self.threads, cost
            )
        return cost.T


class _Batch:
    """Listed pairs with the documents and words that they need."""

    def __init__(
        self, R: sparse.csr_array, S: sparse.csr_array, rows: NDArray[np.intp], cols: NDArray[np.intp]
    ) -> None:
        left, self.rows = np.unique(rows, return_inverse=True)
        right, self.cols = np.unique(cols, return_inverse=True)
        self.left, self.right = R[left], S[right]

    @cached_property
    def left_words(self) -> NDArray[np.int32]:
        return np.unique(self.left.indices)

    @cached_property
    def words(self) -> NDArray[np.int32]:
        return np.union1d(self.left_words, self.right.indices)

    @property
    def entries(self) -> int:
        """Entries of a table that serves all pairs."""
        return len(self.left_words) * len(self.words)

    @property
    def needed(self) -> int:
        """Entries that the pairs need when each has its own table."""
        return int(np.diff(self.left.indptr)[self.rows] @ np.diff(self.right.indptr)[self.cols])


def _relabel(X: sparse.csr_array, words: NDArray[np.int32]) -> sparse.csr_array:
    """The columns ``words`` of a matrix that has no others."""
    return sparse.csr_array(
        (X.data, np.searchsorted(words, X.indices), X.indptr), shape=(X.shape[0], len(words))
    )
