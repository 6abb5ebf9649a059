"""Queries whose bounds to all documents are in memory."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott import _core
from hott.compute.cascade import Nearest, Solved
from hott.distances.base import Distance
from hott.distances.representation import Representation
from hott.utils.run import Run

ROUNDING = 1e-9  # of the largest bound: what rounding may put a bound above the distance it bounds


@dataclass(frozen=True, slots=True, eq=False)
class Offset:
    """What is sought when a distance is only a part of it: ``weight`` times that, and a number a document."""

    weight: float
    values: NDArray[np.float64]  # one a document; infinite for those that are not to be found

    def add(self, distances: NDArray[np.floating], cols: Any) -> NDArray[np.float64]:
        """Compute what is sought from the distances to the documents ``cols``."""
        return np.asarray(self.weight * distances + self.values[cols])


@dataclass(eq=False)
class BoundedBlock:
    """A block of queries whose bounds are in memory."""

    distance: Distance
    queries: Representation
    documents: Representation
    offset: Offset | None
    bounds: NDArray[np.floating]  # infinite for pairs that are not asked for, and once they are solved
    slack: float  # what rounding may have added to the bounds
    exact: bool  # the bounds are the distances themselves
    others: int  # documents that a query may find
    run: Run
    early: tuple[Solved, ...] = ()  # pairs that were solved for a better threshold

    def smallest(self, k: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        return self._smallest(k if self.exact else 2 * k)

    def _smallest(self, count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Find pairs with the smallest finite bounds of each query, so many where there are."""
        start = np.empty((len(self.bounds), min(count, self.bounds.shape[1])), np.int64)
        _core.smallest(self.bounds, self.run.n_threads, start)
        rows, cols = np.repeat(np.arange(len(self.bounds)), start.shape[1]), start.ravel()
        allowed = np.isfinite(self.bounds[rows, cols])
        return rows[allowed], cols[allowed]

    def solve(self, rows: NDArray[np.intp], cols: NDArray[np.intp]) -> Solved:
        if self.exact:
            return Solved(rows, cols, self.bounds[rows, cols].astype(np.float64, copy=False))
        distances = self.distance.pairs(self.queries, self.documents, rows, cols, self.run)
        return Solved(rows, cols, distances if self.offset is None else self.offset.add(distances, cols))

    def kth(self, solved: Solved, k: int) -> NDArray[np.float64]:
        return self._order(k, solved)[1][:, -1]

    def not_above(
        self, thresholds: NDArray[np.float64], solved: Solved
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        self.bounds[solved.rows, solved.cols] = np.inf
        return _core.not_above(self.bounds, thresholds + self.slack, self.run.n_threads)

    def nearest(self, solved: Solved, more: Solved, k: int) -> Nearest:
        parts = solved, more, *self.early
        computed = len(self.bounds) * self.others if self.exact else sum(len(each.values) for each in parts)
        return Nearest(*self._order(k, *parts), computed)

    def _order(self, k: int, *parts: Solved) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the first ``k`` columns and values of each row, by value and then by column."""
        solved = Solved(*map(np.concatenate, zip(*parts)))
        order = np.lexsort((solved.cols, solved.values, solved.rows))
        starts = np.searchsorted(solved.rows[order], np.arange(len(self.bounds) + 1))
        if (np.diff(starts) < k).any():
            raise ValueError(
                "Distances are larger than any number, or no numbers. Make the word vectors shorter, or the "
                "factors of the distances smaller."
            )
        nearest = order[starts[:-1, None] + np.arange(k)]
        return solved.cols[nearest], solved.values[nearest]


def bound_block(
    distance: Distance,
    queries: Representation,
    documents: Representation,
    offset: Offset | None,
    others: int,
    run: Run,
) -> BoundedBlock:
    bounds = distance.lower_bound(queries, documents, run)
    exact = bounds is None or distance.bound_is_exact
    if bounds is None:
        bounds = distance.between(queries, documents, run)
    if offset is not None:
        bounds = offset.add(bounds, slice(None))
    slack = ROUNDING * largest_of(bounds)
    bounds = np.ascontiguousarray(bounds)
    return BoundedBlock(distance, queries, documents, offset, bounds, slack, exact, others, run)


def largest_of(bounds: NDArray[np.floating]) -> float:
    least, most = bounds.min(initial=0.0), bounds.max(initial=0.0)
    if np.isinf(most):
        most = bounds.max(initial=0.0, where=np.isfinite(bounds))
    return float(max(-least, most))
