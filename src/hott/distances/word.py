"""Transport over words: the word mover's distance, its relaxation and its centroid form.

What ``on_empty`` means says :class:`hott.distances.base.Distance`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hott import _core
from hott.compute.cpu import row_blocks
from hott.compute.ground import Order, Power
from hott.distances._euclidean import Points
from hott.distances.base import Distance, OnEmpty
from hott.distances.representation import Part, Positions, Representation, csr_parts
from hott.distances.vector import VectorDistance, Weights, shares, word_weights
from hott.utils.checks import check_count, check_output, check_word_vectors
from hott.utils.run import Run

__all__ = ["RWMD", "WCD", "WMD"]

_PAIRS_AT_ONCE = 1 << 18  # exact problems between two reports of progress
_TABLE = 1 << 22  # entries of a table of costs between words: 32 MiB
_NEAREST = 1 << 24  # entries of a table of costs from words to documents: 128 MiB
_SMALL_TABLE = 1 << 17  # entries that cost less than the overhead of splitting a table
_WASTE = 16  # a table of costs may have this many times the entries that its pairs need


class WordDistance(Distance):
    """Transport between documents over their words. Documents are sparse rows of weights that sum to 1."""

    word_vectors: ArrayLike | None
    weights: Weights
    max_words: int | None
    p: Power

    def _fit(self, counts: sparse.csr_array, run: Run) -> None:
        Order(self.p)
        if self.max_words is not None:
            check_count(self.max_words, "max_words")
        self.word_vectors_ = check_word_vectors(self.word_vectors, counts.shape[1])
        self.idf_ = word_weights(self.weights, counts)

    def _represent(self, counts: sparse.csr_array, run: Run) -> tuple[Part, ...]:
        weights = shares(counts, self.idf_)
        return (weights if self.max_words is None else heaviest(weights, self.max_words),)

    def _costs(self, run: Run) -> "WordCosts":
        return WordCosts(self.word_vectors_, Order(self.p), run.n_threads)


@dataclass(eq=False, repr=False)
class WMD(WordDistance):
    """Word mover's distance: the least cost of moving the words of one document onto those of the other.

    Exact. Neighbour searches leave out most pairs by the relaxed problem after common words have been
    cancelled, so they are much cheaper than all pairs.

    Parameters
    ----------
    word_vectors : array-like of shape (words, dimensions), optional
        Without them every two words are equally far apart.
    max_words : int, optional
        Keep only this many words of each document, the heaviest; 20 gives the paper's WMD-T20.
    weights : "nbow" or "tfidf"
        The share of each word in the document, or that times the word's inverse document frequency.
    p : 1 or 2
        For 2, distances between words are squared, and the root of the least cost is taken.

    Examples
    --------
    >>> vectors = [[0.0], [1.0], [3.0]]
    >>> WMD(vectors).fit([[1, 1, 1]]).pairwise([[1, 0, 0]], [[1, 0, 0], [0, 1, 0], [0, 1, 1]])
    array([[0., 1., 2.]])
    """

    word_vectors: ArrayLike | None = None
    max_words: int | None = None
    weights: Weights = "nbow"
    p: Power = 1
    on_empty: OnEmpty = "error"

    def _between(
        self, R: Representation, S: Representation | None, run: Run, out: NDArray[np.float64] | None
    ) -> NDArray[np.float64]:
        mirror, others = S is None, R if S is None else S
        n, m = len(R), len(others)
        out = check_output(out, (n, m))
        with run.reporting("distances") as report:
            for block in row_blocks(n, m, _PAIRS_AT_ONCE):
                rows, cols = (grid.ravel() for grid in np.mgrid[block, :m])
                if mirror:
                    rows, cols = rows[cols >= rows], cols[cols >= rows]
                out[rows, cols] = self._pairs(R, others, rows, cols, run)
                if mirror:
                    out[cols, rows] = out[rows, cols]
                if report is not None:
                    report(block.stop * m, n * m)
        return out

    def _pairs(
        self, R: Representation, S: Representation, rows: Positions, cols: Positions, run: Run
    ) -> NDArray[np.float64]:
        return self._costs(run).of_pairs(R.parts[0], S.parts[0], rows, cols, relaxed=False)

    def _lower_bound(self, R: Representation, S: Representation, run: Run) -> NDArray[np.float64]:
        costs = self._costs(run)
        return costs.relaxed_distances(R.parts[0], S.parts[0], cancel=costs.order.is_metric)


@dataclass(eq=False, repr=False)
class RWMD(WordDistance):
    """Relaxed word mover's distance: every word goes to the nearest word of the other document.

    The larger of the two directions. Never above :class:`WMD`, but 0 for documents with the same words in
    different shares.

    Parameters
    ----------
    word_vectors, weights, p
        As in :class:`WMD`.

    Examples
    --------
    >>> vectors = [[0.0], [1.0], [3.0]]
    >>> RWMD(vectors).fit([[1, 1, 1]]).pairwise([[9, 1, 0]], [[1, 9, 0], [0, 1, 1]])
    array([[0., 1.]])
    """

    word_vectors: ArrayLike | None = None
    weights: Weights = "nbow"
    p: Power = 1
    on_empty: OnEmpty = "error"

    bound_is_exact = True
    max_words = None

    def _fill(self, rows: Any, others: Any, run: Run, out: NDArray[np.float64]) -> None:
        out[:] = self._costs(run).relaxed_distances(rows, others, cancel=False)

    def _pairs(
        self, R: Representation, S: Representation, rows: Positions, cols: Positions, run: Run
    ) -> NDArray[np.float64]:
        return self._costs(run).of_pairs(R.parts[0], S.parts[0], rows, cols, relaxed=True)


@dataclass(eq=False, repr=False)
class WCD(VectorDistance):
    """Word centroid distance: how far apart the mean word vectors of two documents are.

    Never above :class:`WMD`, and as cheap as any vector distance.

    Parameters
    ----------
    word_vectors, weights
        As in :class:`WMD`.

    Examples
    --------
    >>> WCD([[0.0], [1.0], [3.0]]).fit([[1, 1, 1]]).pairwise([[1, 0, 0]], [[0, 1, 0], [0, 1, 1]])
    array([[1., 2.]])
    """

    word_vectors: ArrayLike | None = None
    weights: Weights = "nbow"
    on_empty: OnEmpty = "error"

    def _fit(self, counts: sparse.csr_array, run: Run) -> None:
        self.word_vectors_ = check_word_vectors(self.word_vectors, counts.shape[1])
        self.idf_ = word_weights(self.weights, counts)

    def _represent(self, counts: sparse.csr_array, run: Run) -> tuple[Part, ...]:
        return (shares(counts, self.idf_) @ self.word_vectors_,)


def heaviest(weights: sparse.csr_array, count: int) -> sparse.csr_array:
    """Keep the ``count`` heaviest entries of each row, ties broken by column, scaled to sum to 1."""
    rows = np.repeat(np.arange(weights.shape[0]), np.diff(weights.indptr))
    order = np.lexsort((weights.indices, -weights.data, rows))
    rank = np.arange(len(order)) - weights.indptr[rows]  # rows stay together in `order`
    kept = np.sort(order[rank < count])
    total = np.bincount(rows[kept], weights.data[kept], minlength=weights.shape[0])
    return sparse.csr_array(
        (weights.data[kept] / total[rows[kept]], (rows[kept], weights.indices[kept])), shape=weights.shape
    )


@dataclass(frozen=True)
class WordCosts:
    """Transport over words, whose costs are made for the words at hand: those of all would not fit."""

    vectors: NDArray[np.float64]
    order: Order
    threads: int

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
            costs = self.between(Points(self.vectors[sources]), Points(self.vectors[words]))
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
        targets, width = Points(self.vectors[words]), max(1, _TABLE // len(words))
        for start in range(0, len(sent), width):
            tile = slice(start, min(start + width, len(sent)))
            costs = self.between(targets, Points(self.vectors[sent[tile]]))
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
    entries = X.data, np.searchsorted(words, X.indices), X.indptr
    return sparse.csr_array(entries, shape=(X.shape[0], len(words)))


def _places(words: NDArray[np.int32], among: NDArray[np.int32]) -> NDArray[np.int32]:
    """Find where each of ``words`` is ``among`` others, both ascending; -1 where it is not."""
    place = np.minimum(np.searchsorted(among, words), len(among) - 1)
    return np.where(among[place] == words, place, -1).astype(np.int32)
