"""Pairs of documents too large for the device: solved on the CPU and added to the result."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott.gpu.problem import Problem
from hott.transport.batch import pairwise

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
    p_sizes, q_sizes = np.diff(problem.P.starts), np.diff(problem.others.starts)
    for size in np.unique(p_sizes):
        rows, left = np.flatnonzero(p_sizes == size), ~problem.on_device(size, q_sizes)
        smaller = q_sizes < size
        parts = [(left & smaller, True), (left & (q_sizes == size), False)] if mirror else [(left, False)]
        for chosen, mirrored in parts:
            cols = np.flatnonzero(chosen)
            step = max(1, AT_ONCE // max(len(cols), 1))
            for first in range(0, len(rows) if cols.size else 0, step):
                yield Rectangle(rows[first : first + step], cols, mirrored)


class OnCPU:
    """The part of the CPU in all distances, solved while the device solves the rest where memory allows."""

    def __init__(self, problems: list[Problem], mirror: bool, threads: int | None) -> None:
        self.threads = threads
        self.work = [(problem, part) for problem in problems for part in too_large(problem, mirror)]
        self.pairs = sum(part.pairs for _, part in self.work)
        self.pool = ThreadPoolExecutor(1)
        ahead = self.pairs <= IN_ADVANCE
        self.solved: list[Future[NDArray]] = [
            self.pool.submit(self._solve, *item) for item in self.work if ahead
        ]

    def add_to(self, out: Any) -> None:
        """Add what the device left out."""
        for place, (problem, part) in enumerate(self.work):
            values = self.solved[place].result() if self.solved else self._solve(problem, part)
            _add(out, part.rows, part.cols, values)
            if part.mirrored:
                _add(out, part.cols, part.rows, values.T)
        self.pool.shutdown()

    def _solve(self, problem: Problem, part: Rectangle) -> NDArray[np.float64]:
        P, Q = problem.P[part.rows], problem.others[part.cols]
        values = pairwise(P, Q, cost=problem.cost, metric=problem.metric, threads=self.threads)
        return problem.contribution(values / problem.P.mass)


def _add(out: Any, rows: NDArray[np.intp], cols: NDArray[np.intp], values: NDArray[np.float64]) -> None:
    if isinstance(out, np.ndarray):
        out[np.ix_(rows, cols)] += values
    else:
        out.oindex[rows, cols] = out.oindex[rows, cols] + values  # a Zarr array
