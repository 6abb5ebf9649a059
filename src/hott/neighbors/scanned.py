"""Queries whose bounds are coarse: a scan of documents with compact proportions, and what is added to it."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hott import _core
from hott.compute import backends, scan
from hott.compute.cascade import Solved
from hott.compute.ground import Problems
from hott.distances.base import Distance
from hott.distances.blend import Blend
from hott.distances.representation import Representation
from hott.neighbors.bounded import ROUNDING, BoundedBlock, Offset, largest_of
from hott.utils.run import Run


@dataclass(frozen=True, slots=True, eq=False)
class OverTopics:
    """A distance over topics, times a factor, and what else a sum of distances consists of."""

    problems: Problems
    factor: float
    rest: list[tuple[Distance, float, Representation, Representation]]  # each its own bound

    @classmethod
    def of(cls, distance: Distance, R: Representation, S: Representation) -> "OverTopics | None":
        """Split a distance into one over compact proportions and cheap parts; None where that cannot be."""
        parts = [(distance, 1.0, R, S)]
        if isinstance(distance, Blend):
            parts = distance._parts(R, S)
        (first, factor, r, s), *rest = parts
        problems = first._problems(r, s)
        if problems is None or not scan.can_scan(problems) or not factor > 0:
            return None
        return cls(problems, factor, rest) if all(part.bound_is_exact for part, *_ in rest) else None

    def values(self, offset: Offset | None, run: Run) -> NDArray[np.float64]:
        """Compute what is added to the distance over topics, for each pair or for all queries alike."""
        if not self.rest:
            return np.zeros((1, self.problems.shape[1])) if offset is None else offset.values[None, :]
        total, *others = [part.between(r, s, part.where(run)) for part, _, r, s in self.rest]
        total *= self.rest[0][1]
        for values, (_, factor, *_) in zip(others, self.rest[1:]):
            total += factor * values
        return total if offset is None else offset.add(total, slice(None))


@dataclass(eq=False)
class ScannedBlock(BoundedBlock):
    """A block of queries whose bounds are coarse, or nothing but what is added to a distance over topics.

    Where those do not rule out a pair, a finer bound is looked at before the distance.
    """

    topics: OverTopics = field(kw_only=True)
    factor: float = field(kw_only=True)  # of the distance over topics
    values: NDArray[np.float64] = field(kw_only=True)  # added to it, of each query and document
    is_coarse: bool = field(kw_only=True)
    k: int = 0  # neighbours that are sought

    def solve(self, rows: NDArray[np.intp], cols: NDArray[np.intp]) -> Solved:
        distances = backends.pairs(self.topics.problems, rows, cols, self.run)
        return Solved(rows, cols, self.factor * distances + self.values[rows, cols])

    def smallest(self, k: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        self.k = k
        rows, cols = self._smallest(max(2 * k, self.bounds.shape[1] // 500))
        bounds = scan.relaxed_bound(self.topics.problems, rows, cols, np.full(len(rows), np.inf), self.run)
        chosen = self._first(rows, self.factor * bounds + self.values[rows, cols], k)
        return rows[chosen], cols[chosen]

    def _first(self, rows: NDArray[np.intp], values: NDArray[np.float64], k: int) -> NDArray[np.intp]:
        """Return the places of the ``2 * k`` smallest values of each row; a row's pairs follow each other."""
        ends = np.searchsorted(rows, np.arange(len(self.bounds) + 1))
        sizes = np.diff(ends)
        table = np.full((len(sizes), sizes.max(initial=0)), np.inf)
        table[rows, np.arange(len(rows)) - ends[rows]] = values
        first = np.empty((len(sizes), min(2 * k, table.shape[1])), np.int64)
        _core.smallest(table, self.run.n_threads, first)
        return np.sort((ends[:-1, None] + first)[first < sizes[:, None]])

    def not_above(
        self, thresholds: NDArray[np.float64], solved: Solved
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        rows, cols = super().not_above(thresholds, solved)
        if not self.is_coarse and len(rows) > self.bounds.size // 16:
            coarse, slack = _coarse(self.topics, self.factor, self.values, self.run)
            coarse[np.isinf(self.bounds)] = np.inf
            rows, cols = _core.not_above(coarse, thresholds + slack, self.run.n_threads)
        limits = (thresholds[rows] + self.slack - self.values[rows, cols]) / self.factor
        bounds = scan.relaxed_bound(self.topics.problems, rows, cols, limits, self.run)
        left = np.flatnonzero(bounds < np.inf)
        rows, cols = rows[left], cols[left]
        if len(rows) <= len(solved.rows):
            return rows, cols
        # Many are left: those with the smallest of the finer bounds give a better threshold.
        bounds = self.factor * bounds[left] + self.values[rows, cols]
        first = self._first(rows, bounds, self.k)
        self.early = (self.solve(rows[first], cols[first]),)
        thresholds = np.minimum(thresholds, self._order(self.k, solved, *self.early)[1][:, -1])
        bounds[first] = np.inf
        left = np.flatnonzero(bounds <= (thresholds + self.slack)[rows])
        return rows[left], cols[left]


def scan_block(
    distance: Distance,
    queries: Representation,
    documents: Representation,
    offset: Offset | None,
    others: int,
    run: Run,
    topics: OverTopics,
) -> ScannedBlock:
    factor = topics.factor * (1.0 if offset is None else offset.weight)
    is_coarse, values = offset is None, topics.values(offset, run)
    if offset is not None:
        # Where what is added differs much it may say enough: then nothing is scanned.
        finite = offset.values[np.isfinite(offset.values)]
        is_coarse = bool(finite.max(initial=-np.inf) <= offset.values.min(initial=np.inf))
    if is_coarse:
        bounds, slack = _coarse(topics, factor, values, run)
    else:
        bounds = np.repeat(values, len(queries) // len(values), axis=0)
        slack = ROUNDING * largest_of(values)
    values = np.broadcast_to(values, bounds.shape)
    block = (distance, queries, documents, offset, bounds, slack, False, others, run)
    return ScannedBlock(*block, topics=topics, factor=factor, values=values, is_coarse=is_coarse)


def _coarse(
    topics: OverTopics, factor: float, values: NDArray[np.float64], run: Run
) -> tuple[NDArray[np.floating], float]:
    """Compute coarse bounds with what is added to them, and how much rounding may have added on the way."""
    dearest = sum(float(problem.ground.distances.max(initial=0.0)) for problem in topics.problems.each)
    largest = factor * (topics.problems.share * dearest) + largest_of(values)
    bounds: NDArray[np.floating] = scan.coarse_bound(topics.problems, run)
    rounding = 1e-6
    if not 1e-30 < largest < 1e30:  # beyond what single precision holds
        bounds, rounding = bounds.astype(np.float64), ROUNDING
    if factor != 1:
        bounds *= bounds.dtype.type(factor)
    if values.any():
        np.add(bounds, values, out=bounds, casting="same_kind")
    return bounds, rounding * largest
