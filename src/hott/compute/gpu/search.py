"""Exact nearest documents on the device: blocks of queries for the cascade of bounds and distances."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott.compute import cpu
from hott.compute.cascade import Nearest, Solved
from hott.compute.gpu.bounds import TILE, Bounds, round_up
from hott.compute.gpu.device import check_memory, cupy, free_memory, kernel
from hott.compute.gpu.exact import Exact
from hott.compute.ground import Problems
from hott.utils.run import Run

ENTRIES = 1 << 31
"""Bounds held at a time, at most: 8 GB."""

LISTED = 1 << 27
"""Pairs solved at a time."""


def bounded_blocks(
    problems: Problems, k: int, own: NDArray[np.integer] | None, run: Run
) -> "Iterator[tuple[slice, DeviceBlock]]":
    """Blocks of queries, rows of P, whose bounds to all rows of Q are on the device.

    ``own[i]``, where given, is a row of Q that row i of P must not find: itself.
    """
    n, m = problems.shape
    width = round_up(m, TILE)
    layout = sum(Exact.memory(problem) + Bounds.memory(problem) for problem in problems.each)
    check_memory(layout + 8 * TILE * width, f"The bounds of {m} documents")
    bounds, solver = Bounds(problems), _Solver(problems, run)
    entries = min(ENTRIES, free_memory() // 16)  # a quarter for the bounds, the rest for what follows
    height = min(max(entries // width // TILE, 1) * TILE, round_up(n, TILE))
    values = cupy().empty((height, width), np.float32)
    least = cupy().empty((height, width // TILE), np.float32)
    for start in range(0, n, height):
        rows = slice(start, min(start + height, n))
        count = rows.stop - rows.start
        bounds.block(range(rows.start, rows.stop), values[:count], least[:count])
        if own is not None:
            values[cupy().arange(count), cupy().asarray(own[rows])] = np.inf
        yield rows, DeviceBlock(solver, start, m, m - (own is not None), values[:count], least[:count])


class _Solver:
    """Exact distances of listed pairs. What the device cannot certify is left to the CPU."""

    def __init__(self, problems: Problems, run: Run) -> None:
        self.problems, self.run = problems, run
        self.exact = [Exact(problem) for problem in problems.each]

    def solve(self, rows: Any, cols: Any) -> Any:
        xp = cupy()
        total = xp.zeros(len(rows))
        for first in range(0, len(rows), LISTED):
            part = slice(first, first + LISTED)
            for exact in self.exact:
                costs = exact.solve_pairs(rows[part], cols[part])
                total[part] += self.problems.contribution(exact.problem, costs)
        failed = xp.flatnonzero(xp.isnan(total))
        if len(failed):
            values = cpu.pairs(self.problems, rows[failed].get(), cols[failed].get(), self.run)
            total[failed] = xp.asarray(values)
        return total


@dataclass(frozen=True, eq=False)
class DeviceBlock:
    """A block of queries from row ``start`` on, with their bounds and the least bound of every tile."""

    solver: _Solver
    start: int
    documents: int
    others: int  # documents that a query may find
    bounds: Any
    least: Any

    def smallest(self, k: int) -> tuple[Any, Any]:
        xp, n = cupy(), len(self.bounds)
        count = min(2 * k, self.others)
        found = xp.empty((n, count), np.int32)
        arguments = *self._where, np.int32(count), found
        kernel("nearest", "seeds")((n,), (256,), arguments, shared_mem=4 * count)
        return xp.repeat(xp.arange(n), count), found.ravel()

    def solve(self, rows: Any, cols: Any) -> Solved:
        return Solved(rows, cols, self.solver.solve(rows + self.start, cols))

    def kth(self, solved: Solved, k: int) -> Any:
        xp = cupy()
        values = solved.values.reshape(len(self.bounds), -1)
        kth = xp.partition(values, k - 1, axis=1)[:, k - 1]
        return xp.nextafter(kth.astype(np.float32), np.float32(np.inf))

    def not_above(self, thresholds: Any, solved: Solved) -> tuple[Any, Any]:
        """Those solved already are among them: to find them again costs more than to solve them again."""
        xp, n = cupy(), len(self.bounds)
        run = kernel("nearest", "candidates")
        arguments = *self._where, thresholds
        counts = xp.empty(n, np.int32)
        run((n,), (256,), (*arguments, counts, None, None, None))
        starts = xp.zeros(n + 1, np.int64)
        xp.cumsum(counts, dtype=np.int64, out=starts[1:])
        total = int(starts[-1])
        document, row = xp.empty(total, np.int32), xp.empty(total, np.int32)
        run((n,), (256,), (*arguments, counts, starts, document, row))
        return row, document

    def nearest(self, solved: Solved, more: Solved, k: int) -> Nearest:
        xp, n = cupy(), len(self.bounds)
        starts = xp.searchsorted(more.rows, xp.arange(n + 1)).astype(np.int64)
        distances, indices = xp.empty((n, k)), xp.empty((n, k), np.int64)
        arguments = more.values, more.cols, starts, np.int32(k), distances, indices
        kernel("nearest", "nearest")((n,), (128,), arguments)
        return Nearest(indices.get(), distances.get(), len(more.values))

    @property
    def _where(self) -> tuple[Any, ...]:
        width, tiles = np.int64(self.bounds.shape[1]), np.int32(self.least.shape[1])
        return self.bounds, width, np.int32(self.documents), self.least, tiles
