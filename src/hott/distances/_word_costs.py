"""Costs between words, computed for the words at hand: a matrix for the whole vocabulary would not fit."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott import _core
from hott.compute.cpu import row_blocks
from hott.compute.ground import Order
from hott.distances._euclidean import Points
from hott.distances.representation import Positions, csr_parts

_TABLE = 1 << 22  # entries of a table of costs between words: 32 MiB
_NEAREST = 1 << 24  # entries of a table of costs from words to documents: 128 MiB
_SMALL_TABLE = 1 << 17  # entries that cost less than the overhead of splitting a table
_WASTE = 16  # a table of costs may have this many times the entries that its pairs need


@dataclass(frozen=True)
class WordCosts:
    """Transport over words, whose ground is given by vectors: costs are made for the words at hand."""

    vectors: NDArray[np.float64]
    order: Order
    threads: int

    def points(self, words: NDArray[np.integer]) -> Points:
        return Points(self.vectors[words])

    def between(self, words: Points, others: Points) -> NDArray[np.float64]:
        """Compute the costs from ``words`` to ``others``."""
        squares = words.squared_distances(others)
        return np.sqrt(squares, out=squares) if self.order.p == 1 else squares

    def of_pairs(
        self, R: sparse.csr_array, S: sparse.csr_array, rows: Positions, cols: Positions, *, relaxed: bool
    ) -> NDArray[np.float64]:
        """Compute the distances of the listed pairs, exact or relaxed."""
        values = np.empty(len(rows))
        order = np.argsort(rows, kind="stable")  # pairs that share a document share a part of a table
        pending = [order] if len(order) else []
        while pending:
            chunk = pending.pop()
            batch = _Batch(R, S, rows[chunk], cols[chunk])
            if len(chunk) > 1 and batch.entries > min(_TABLE, max(_SMALL_TABLE, _WASTE * batch.needed)):
                pending += np.array_split(chunk, 2)
            else:
                values[chunk] = self._of_batch(batch, relaxed)
        return self.order.root(values)

    def _of_batch(self, batch: "_Batch", relaxed: bool) -> NDArray[np.float64]:
        values = np.empty(len(batch.rows))
        words, left = batch.words, batch.left_words
        row_of = np.zeros(len(words), np.int32)
        row_of[np.searchsorted(words, left)] = np.arange(len(left))
        costs = self.between(self.points(left), self.points(words))
        P, Q = (csr_parts(_relabel(X, words)) for X in (batch.left, batch.right))
        _core.word_pairs(
            P, Q, batch.rows, batch.cols, row_of, costs, self.order.is_metric, relaxed, self.threads, values
        )
        return values

    def relaxed_distances(
        self, R: sparse.csr_array, S: sparse.csr_array, *, cancel: bool
    ) -> NDArray[np.float64]:
        """Compute distances of all of ``R`` to all of ``S``, each word going to the nearest of the other.

        The larger of the two directions. The distance from a word to a document is found once, not once a
        pair (Atasu and Mittelholzer, 2019). With ``cancel``, mass that both documents have on a word stays,
        and only the rest moves, to the nearest other word.
        """
        words = np.unique(S.indices)
        distances = np.empty((R.shape[0], S.shape[0]))
        for rows in row_blocks(len(distances), len(words), _NEAREST) if distances.size else ():
            distances[rows] = self._relaxed_block(R[rows], S, words, cancel)
        return self.order.root(distances)

    def _relaxed_block(
        self, R: sparse.csr_array, S: sparse.csr_array, words: NDArray[np.int32], cancel: bool
    ) -> NDArray[np.float64]:
        sent = np.unique(R.indices)
        R, S = _relabel(R, sent), _relabel(S, words)
        in_sent, in_words = _places(words, sent), _places(sent, words)
        from_R, from_S = np.zeros((S.shape[0], R.shape[0])), np.zeros(R.shape[:1] + S.shape[:1])
        nearest_to_R = np.full((R.shape[0], len(words)), np.inf)
        R_by_word, S_by_word = sparse.csc_array(R), sparse.csc_array(S)
        targets, width = self.points(words), max(1, _TABLE // len(words))
        for start in range(0, len(sent), width):
            tile = slice(start, min(start + width, len(sent)))
            costs = self.between(targets, self.points(sent[tile]))
            if cancel:
                shared = np.flatnonzero(in_words[tile] >= 0)
                costs[in_words[tile][shared], shared] = np.inf
            nearest_to_S = np.full((S.shape[0], costs.shape[1]), np.inf)
            _core.nearest_words(csr_parts(S), costs, False, self.threads, nearest_to_S)
            in_tile = np.where((in_sent >= tile.start) & (in_sent < tile.stop), in_sent - tile.start, -1)
            self._send(R_by_word[:, tile], S, in_tile, nearest_to_S, from_R)
            _core.nearest_words(csr_parts(R[:, tile]), costs, True, self.threads, nearest_to_R)
        self._send(S_by_word, R, in_words, nearest_to_R, from_S)
        return np.maximum(from_R.T, from_S)

    def _send(
        self,
        by_word: sparse.csc_array,
        receivers: sparse.csr_array,
        place_of: NDArray[np.integer],
        nearest: NDArray[np.float64],
        out: NDArray[np.float64],
    ) -> None:
        places = place_of.astype(np.int32)
        _core.send_to_nearest(csr_parts(by_word), csr_parts(receivers), places, nearest, self.threads, out)


class _Batch:
    """Listed pairs with the documents and words that they need."""

    def __init__(self, R: sparse.csr_array, S: sparse.csr_array, rows: Positions, cols: Positions) -> None:
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
    """Keep only the columns ``words`` of a matrix, which hold all of its entries."""
    return sparse.csr_array(
        (X.data, np.searchsorted(words, X.indices), X.indptr), shape=(X.shape[0], len(words))
    )


def _places(words: NDArray[np.int32], among: NDArray[np.int32]) -> NDArray[np.intp]:
    """Find where each of ``words`` is ``among`` others, both ascending; -1 where it is not."""
    place = np.minimum(np.searchsorted(among, words), len(among) - 1)
    return np.where(among[place] == words, place, -1)
