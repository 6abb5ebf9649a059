"""Relaxed lower bounds on the device: single precision, with a margin that keeps them below the distance."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hott import _core
from hott.compute.gpu.device import cupy, kernel
from hott.compute.gpu.layout import address
from hott.compute.ground import Distributions, Problem, Problems

TILE, STEP, THREADS = _core.GPU_TILE

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
