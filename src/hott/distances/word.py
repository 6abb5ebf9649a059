"""Transport over words: the word mover's distance, its relaxation and its centroid form."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hott.compute.cpu import row_blocks
from hott.compute.ground import Order, Power
from hott.distances._word_costs import WordCosts
from hott.distances.base import Distance, OnEmpty
from hott.distances.representation import Part, Positions, Representation
from hott.distances.vector import VectorDistance, Weights, shares, word_weights
from hott.utils.checks import check_count, check_output, check_word_vectors
from hott.utils.run import Run

__all__ = ["RWMD", "WCD", "WMD"]

_PAIRS_AT_ONCE = 1 << 18  # exact problems between two reports of progress


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

    def _costs(self, run: Run) -> WordCosts:
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
    on_empty : "error", "nan" or "drop"
        What to do with documents that have no words.

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
    word_vectors : array-like of shape (words, dimensions), optional
        Without them every two words are equally far apart.
    weights : "nbow" or "tfidf"
        The share of each word in the document, or that times the word's inverse document frequency.
    p : 1 or 2
        For 2, distances between words are squared, and the root of the cost is taken.
    on_empty : "error", "nan" or "drop"
        What to do with documents that have no words.

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
    word_vectors : array-like of shape (words, dimensions), optional
        Without them every two words are equally far apart.
    weights : "nbow" or "tfidf"
        The share of each word in the document, or that times the word's inverse document frequency.
    on_empty : "error", "nan" or "drop"
        What to do with documents that have no words.

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
