"""Exact nearest documents on the device: bounds for all pairs, exact distances for those that bounds leave.

For a block of queries, a few documents with small bounds are solved; the k-th best of them is a threshold,
and only those whose bound is not above it can still be among the nearest. Those are solved, and no others.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott._progress import Report
from hott.gpu.bounds import TILE, Bounds, padded
from hott.gpu.device import check_memory, cupy, free_memory, kernel
from hott.gpu.exact import Exact
from hott.gpu.problem import Problem, listed_on_cpu

ENTRIES = 1 << 31
"""Bounds held at a time, at most: 8 GB."""

LISTED = 1 << 27
"""Pairs solved at a time."""

Found = tuple[NDArray[np.intp], NDArray[np.float64], int]


def nearest(
    problems: list[Problem],
    k: int,
    own: NDArray[np.integer] | None = None,
    threads: int | None = None,
    report: Report | None = None,
) -> Found:
    """The k nearest rows of Q for each row of P, their distances, and how many pairs were solved.

    ``own[i]``, where given, is a row of Q that row i of P must not find: itself.
    """
    n, m = problems[0].shape
    width = padded(m, TILE)
    layout = sum(Exact.memory(problem) + Bounds.memory(problem) for problem in problems)
    check_memory(layout + 8 * TILE * width, f"The bounds of {m} documents")
    search = _Search(problems, k, threads)
    indices, distances = np.empty((n, k), np.intp), np.empty((n, k))
    entries = min(ENTRIES, free_memory() // 16)  # a quarter for the bounds, the rest for what follows
    height = min(max(entries // width // TILE, 1) * TILE, padded(n, TILE))
    bounds, least = (
        cupy().empty((height, width), np.float32),
        cupy().empty((height, width // TILE), np.float32),
    )
    computed = 0
    for start in range(0, n, height):
        rows = range(start, min(start + height, n))
        mine = None if own is None else cupy().asarray(own[rows.start : rows.stop])
        found, solved = search.block(rows, bounds[: len(rows)], least[: len(rows)], mine)
        distances[rows.start : rows.stop], indices[rows.start : rows.stop] = found[0].get(), found[1].get()
        computed += solved
        if report is not None:
            report(rows.stop * m, n * m)
    return indices, distances, computed


class _Search:
    def __init__(self, problems: list[Problem], k: int, threads: int | None) -> None:
        self.problems, self.k, self.threads = problems, k, threads
        self.bounds, self.exact = Bounds(problems), [Exact(problem) for problem in problems]

    def block(self, rows: range, bounds: Any, least: Any, own: Any) -> tuple[tuple[Any, Any], int]:
        """Distances and numbers of the nearest documents of these queries, and how many pairs were solved."""
        xp, n, m = cupy(), len(rows), self.problems[0].shape[1]
        self.bounds.block(rows, bounds, least)
        if own is not None:
            bounds[xp.arange(n), own] = np.inf
        thresholds = self._thresholds(rows, bounds, least, m - (own is not None))
        row, document, starts = self._candidates(bounds, least, thresholds)
        values = self._solve(row + rows.start, document)
        found = self._nearest(values, document, starts, n)
        return found, len(values)

    def _thresholds(self, rows: range, bounds: Any, least: Any, others: int) -> Any:
        """For each query a number that its k-th nearest document cannot be farther than."""
        xp, n = cupy(), len(rows)
        count = min(2 * self.k, others)
        seeds = xp.empty((n, count), np.int32)
        arguments = *self._where(bounds, least), np.int32(count), seeds
        kernel("nearest", "seeds")((n,), (256,), arguments, shared_mem=4 * count)
        row = xp.repeat(xp.arange(rows.start, rows.stop), count)
        values = self._solve(row, seeds.ravel()).reshape(n, count)
        kth = xp.partition(values, self.k - 1, axis=1)[:, self.k - 1]
        return xp.nextafter(kth.astype(np.float32), np.float32(np.inf))

    def _candidates(self, bounds: Any, least: Any, thresholds: Any) -> tuple[Any, Any, Any]:
        """Pairs whose bound is not above the query's threshold, by query; where each query's begin."""
        xp, n = cupy(), len(bounds)
        run = kernel("nearest", "candidates")
        arguments = *self._where(bounds, least), thresholds
        counts = xp.empty(n, np.int32)
        run((n,), (256,), (*arguments, counts, None, None, None))
        starts = xp.zeros(n + 1, np.int64)
        xp.cumsum(counts, dtype=np.int64, out=starts[1:])
        total = int(starts[-1])
        document, row = xp.empty(total, np.int32), xp.empty(total, np.int32)
        run((n,), (256,), (*arguments, counts, starts, document, row))
        return row, document, starts

    def _where(self, bounds: Any, least: Any) -> tuple[Any, ...]:
        m = self.problems[0].shape[1]
        return bounds, np.int64(bounds.shape[1]), np.int32(m), least, np.int32(least.shape[1])

    def _solve(self, rows: Any, cols: Any) -> Any:
        """Exact distances of listed pairs. What the device cannot certify is left to the CPU."""
        xp = cupy()
        total = xp.zeros(len(rows))
        for first in range(0, len(rows), LISTED):
            part = slice(first, first + LISTED)
            for exact in self.exact:
                total[part] += exact.problem.contribution(exact.listed(rows[part], cols[part]))
        failed = xp.flatnonzero(xp.isnan(total))
        if len(failed):
            values = listed_on_cpu(self.problems, rows[failed].get(), cols[failed].get(), self.threads)
            total[failed] = xp.asarray(values)
        return total

    def _nearest(self, values: Any, documents: Any, starts: Any, n: int) -> tuple[Any, Any]:
        xp = cupy()
        distances, indices = xp.empty((n, self.k)), xp.empty((n, self.k), np.int64)
        run = kernel("nearest", "nearest")
        run((n,), (128,), (values, documents, starts, np.int32(self.k), distances, indices))
        return distances, indices
