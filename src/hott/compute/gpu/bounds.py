"""Relaxed lower bounds on the device, and the exact nearest documents by them and the distances.

Bounds are in single precision, with a margin that keeps them below the distance.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hott import _core
from hott.compute import cpu
from hott.compute.cascade import Nearest, Solved
from hott.compute.gpu.device import check_memory, cupy, free_memory, kernel
from hott.compute.gpu.exact import Exact
from hott.compute.gpu.layout import address
from hott.compute.ground import Distributions, Problem, Problems
from hott.utils.run import Run

TILE, STEP, THREADS = _core.GPU_TILE

ENTRIES = 1 << 31
"""Bounds held at a time, at most: 8 GB."""

LISTED = 1 << 27
"""Pairs solved at a time."""

RELAXED = np.dtype(
    [("count", "i4"), ("stride", "i4"), ("mass", "u8"), ("nearest", "u8"), ("own", "u8")], align=True
)


@dataclass(frozen=True, slots=True, eq=False)
class Relaxed:
    """Documents as the bounds see them: mass at each site, and cost to the nearest other of their sites."""

    count: int
    mass: Any
    nearest: Any
    own: Any

    @classmethod
    def of(cls, rows: Distributions, cost: NDArray[np.float64]) -> Self:
        """``cost[i, j]`` is that between site i, wherever the mass is, and site j of the document."""
        xp, count, n_sites, rows = cupy(), len(rows), rows.n_sites, rows.unpack()
        first, last = int(rows.starts[0]), int(rows.starts[-1])
        sites, masses = xp.asarray(rows.sites[first:last]), xp.asarray(rows.masses[first:last])
        document = xp.searchsorted(xp.asarray(rows.starts - first), xp.arange(last - first), side="right") - 1
        mass = xp.zeros((round_up(n_sites, STEP), round_up(count, TILE)), np.float32)
        mass[sites, document] = masses.astype(np.float32)
        # A site that has no other to go to has nothing too much either; the largest cost is as good as any.
        nearest = xp.full(mass.shape, np.float32(cost.max()))
        to_site = xp.full((len(mass), 1), np.float32(cost.max()))
        for site in range(n_sites):
            to_site[:n_sites, 0] = xp.asarray(cost[:, site].astype(np.float32))
            to_site[site] = cost.max()
            xp.minimum(nearest, xp.where(mass[site] > 0, to_site, nearest), out=nearest)
        return cls(count, mass, nearest, xp.einsum("td,td->d", mass, nearest))

    @property
    def argument(self) -> NDArray[np.void]:
        arrays = map(address, (self.mass, self.nearest, self.own))
        return np.array((self.count, self.mass.shape[1], *arrays), RELAXED)


def round_up(count: int, step: int) -> int:
    """Round up to a multiple of ``step``."""
    return -(-count // step) * step


class Bounds:
    """Bounds for one or several problems that add up to one distance."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.parts = []
        for problem in problems.each:
            dearest = float(problem.ground.distances.max(initial=0.0))
            # Costs above 3.4e38 are costs too.
            cost = problem.ground.distances / (dearest or 1.0)
            P = Relaxed.of(problem.P, np.ascontiguousarray(cost.T))
            Q = P if problem.is_symmetric else Relaxed.of(problem.others, cost)
            self.parts.append((P, Q, dearest))
        cupy().cuda.get_current_stream().synchronize()  # the kernel may run on another stream

    @staticmethod
    def memory(problem: Problem) -> int:
        """Bytes that the layout takes, and more while it is made."""
        return (
            (len(problem.P) + (0 if problem.is_symmetric else len(problem.others))) * problem.P.n_sites * 16
        )

    def block(self, rows: range, out: Any, least: Any) -> None:
        """Bounds of some rows of P to all of Q into ``out``; the least of every ``TILE`` into ``least``.

        The rows start at a multiple of ``TILE``, and as many entries has each row of ``out``.
        """
        run = kernel("bound", "bound")
        for turn, (problem, (P, Q, dearest)) in enumerate(zip(self.problems.each, self.parts)):
            sites, m = problem.P.n_sites, len(problem.others)
            # Sums of `sites` products, together at most thrice the largest cost, each step rounded by 2^-24.
            margin = (2 * sites + 4) * 2.0**-23
            numbers = np.int32(sites), np.int32(rows.start), np.int32(rows.stop)
            weight = min(dearest * self.problems.share * (1 - 2.0**-20), float(np.finfo(np.float32).max))
            weight = weight if weight > 1e-30 else 0.0  # where digits are lost, 0 is a bound
            scale = np.float32(weight), np.float32(margin), np.int32(turn > 0)
            into = np.int64(out.shape[1]), out, np.int32(least.shape[1]), least
            run(
                (-(-m // TILE), -(-len(rows) // TILE)),
                (THREADS,),
                (P.argument, Q.argument, *numbers, *scale, *into),
            )


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
