"""Costs between words, computed for the words at hand: a matrix for the whole vocabulary would not fit."""

from dataclasses import dataclass

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
            here, of_left = np.unique(rows[chunk], return_inverse=True)
            there, of_right = np.unique(cols[chunk], return_inverse=True)
            P, Q = R[here], S[there]
            sources = np.unique(P.indices)
            words = np.union1d(sources, Q.indices)
            needed = int(np.diff(P.indptr)[of_left] @ np.diff(Q.indptr)[of_right])  # were each pair alone
            if len(chunk) > 1 and len(sources) * len(words) > min(_TABLE, max(_SMALL_TABLE, _WASTE * needed)):
                pending += np.array_split(chunk, 2)
                continue
            row_of = np.zeros(len(words), np.int32)
            row_of[np.searchsorted(words, sources)] = np.arange(len(sources))
            costs = self.between(self.points(sources), self.points(words))
            left, right = (csr_parts(_relabel(X, words)) for X in (P, Q))
            settings, found = (self.order.is_metric, relaxed, self.threads), np.empty(len(chunk))
            _core.word_pairs(left, right, of_left, of_right, row_of, costs, *settings, found)
            values[chunk] = found
        return self.order.root(values)

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
        R_by_word = sparse.csc_array(R)
        targets, width = self.points(words), max(1, _TABLE // len(words))
        for start in range(0, len(sent), width):
            tile = slice(start, min(start + width, len(sent)))
            costs = self.between(targets, self.points(sent[tile]))
            if cancel:
                shared = np.flatnonzero(in_words[tile] >= 0)
                costs[in_words[tile][shared], shared] = np.inf
            nearest_to_S = np.full((S.shape[0], costs.shape[1]), np.inf)
            _core.nearest_words(csr_parts(S), costs, False, self.threads, nearest_to_S)
            in_tile = in_sent - np.int32(tile.start)
            in_tile[(in_sent < tile.start) | (in_sent >= tile.stop)] = -1
            sent_here = csr_parts(R_by_word[:, tile])
            _core.send_to_nearest(sent_here, csr_parts(S), in_tile, nearest_to_S, self.threads, from_R)
            _core.nearest_words(csr_parts(R[:, tile]), costs, True, self.threads, nearest_to_R)
        _core.send_to_nearest(
            csr_parts(sparse.csc_array(S)), csr_parts(R), in_words, nearest_to_R, self.threads, from_S
        )
        return np.maximum(from_R.T, from_S)


def _relabel(X: sparse.csr_array, words: NDArray[np.int32]) -> sparse.csr_array:
    """Keep only the columns ``words`` of a matrix, which hold all of its entries."""
    return sparse.csr_array(
        (X.data, np.searchsorted(words, X.indices), X.indptr), shape=(X.shape[0], len(words))
    )


def _places(words: NDArray[np.int32], among: NDArray[np.int32]) -> NDArray[np.int32]:
    """Find where each of ``words`` is ``among`` others, both ascending; -1 where it is not."""
    place = np.minimum(np.searchsorted(among, words), len(among) - 1)
    return np.where(among[place] == words, place, -1).astype(np.int32)
