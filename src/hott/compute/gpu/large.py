"""Pairs with a document too large for the device: solved on the CPU and added to the result."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott.compute import cpu
from hott.compute.gpu.shapes import MAX_SIDE
from hott.compute.ground import Problem, Problems
from hott.utils.run import Run

AT_ONCE = 1 << 22
"""Pairs solved at a time."""

IN_ADVANCE = 1 << 27
"""Pairs that may be solved, and held, while the device is at work: 1 GB."""


@dataclass(frozen=True, slots=True, eq=False)
class Rectangle:
    """All pairs of some rows and some columns."""

    rows: NDArray[np.intp]
    cols: NDArray[np.intp]
    mirrored: bool = False  # it stands for its mirror image as well

    @property
    def pairs(self) -> int:
        return len(self.rows) * len(self.cols) * (1 + self.mirrored)


def too_large(problem: Problem, mirror: bool) -> Iterator[Rectangle]:
    """The pairs that the device does not solve, each once; in a symmetric matrix, each or its image."""
    p_large, q_large = (np.diff(part.starts) > MAX_SIDE for part in (problem.P, problem.others))
    if not mirror:
        yield from _pieces(np.flatnonzero(p_large), np.arange(len(q_large)))
        yield from _pieces(np.flatnonzero(~p_large), np.flatnonzero(q_large))
        return
    left = np.ones(len(p_large), bool)
    for piece in _pieces(np.flatnonzero(p_large), np.arange(len(p_large))):
        yield Rectangle(piece.rows, piece.rows)
        left[piece.rows] = False
        if left.any():
            yield Rectangle(piece.rows, np.flatnonzero(left), mirrored=True)


def _pieces(rows: NDArray[np.intp], cols: NDArray[np.intp]) -> Iterator[Rectangle]:
    step = max(1, AT_ONCE // max(len(cols), 1))
    for first in range(0, len(rows) if cols.size else 0, step):
        yield Rectangle(rows[first : first + step], cols)


class OnCPU:
    """The part of the CPU in all distances, solved while the device solves the rest where memory allows."""

    def __init__(self, problems: Problems, mirror: bool, run: Run) -> None:
        self.problems, self.threads = problems, run.n_threads
        self.beside_device = True
        self.work = [(problem, part) for problem in problems.each for part in too_large(problem, mirror)]
        self.pairs = sum(part.pairs for _, part in self.work)
        self.pool = ThreadPoolExecutor(1)
        ahead = self.pairs <= IN_ADVANCE
        self.solved: list[Future[NDArray]] = [
            self.pool.submit(self._solve, *item) for item in self.work if ahead
        ]

    def add_to(self, out: Any) -> None:
        """Add what the device left out, now that it is done."""
        self.beside_device = False
        with ThreadPoolExecutor(self.threads) as adding:
            for place, (problem, part) in enumerate(self.work):
                values = self.solved[place].result() if self.solved else self._solve(problem, part)
                _add(out, part.rows, part.cols, values, adding)
                if part.mirrored:
                    _add(out, part.cols, part.rows, values.T, adding)
        self.pool.shutdown()

    def _solve(self, problem: Problem, part: Rectangle) -> NDArray[np.float64]:
        # The device's values are copied by threads of their own, which this must not keep waiting.
        threads = max(1, self.threads // 2) if self.beside_device else self.threads
        P, Q = problem.P[part.rows], None if part.cols is part.rows else problem.others[part.cols]
        costs = cpu.least_costs(Problem(P, Q, problem.ground), Run(threads=threads))
        values: NDArray[np.float64] = self.problems.contribution(problem, costs)
        return values


def _add(
    out: Any,
    rows: NDArray[np.intp],
    cols: NDArray[np.intp],
    values: NDArray[np.float64],
    pool: ThreadPoolExecutor,
) -> None:
    if not isinstance(out, np.ndarray):
        out.oindex[rows, cols] = out.oindex[rows, cols] + values  # a Zarr array
        return

    def add(some: slice) -> None:
        out[np.ix_(rows[some], cols)] += values[some]

    step = max(1, (1 << 18) // len(cols))
    list(pool.map(add, (slice(first, first + step) for first in range(0, len(rows), step))))
