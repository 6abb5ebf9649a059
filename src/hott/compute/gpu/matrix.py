"""Distances and bounds of all pairs or of listed ones, from documents in memory to values in memory.

Matrices are computed a block of rows at a time, each copied out while the next is computed.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott.compute import cpu
from hott.compute.gpu.bounds import TILE, Bounds, round_up
from hott.compute.gpu.device import check_memory, cupy, free_memory, log
from hott.compute.gpu.exact import Exact, Failures
from hott.compute.gpu.layout import MAX_SIDE
from hott.compute.ground import Problem, Problems
from hott.utils.checks import check_output
from hott.utils.optional import import_optional
from hott.utils.run import Report, Run

AT_ONCE = 1 << 22
"""Pairs solved at a time."""

IN_ADVANCE = 1 << 27
"""Pairs that may be solved, and held, while the device is at work: 1 GB."""

ENTRIES = 1 << 27
"""Entries of a block, at most: 1 GB of float64, and a tenth of a second of work."""

PIECE = 1 << 24
"""Entries copied to pinned memory at a time: 128 MB."""

SLICE = 1 << 18
"""Entries that one thread copies from there at a time: 2 MB."""


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
    """Yield the pairs that the device does not solve, each once; in a symmetric matrix, each or its image."""
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
    for part in cpu.row_blocks(len(rows) if cols.size else 0, len(cols), AT_ONCE):
        yield Rectangle(rows[part], cols)


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

    def add_to(self, out: NDArray[np.float64]) -> None:
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
        return self.problems.contribution(problem, costs)


def _add(
    out: NDArray[np.float64],
    rows: NDArray[np.intp],
    cols: NDArray[np.intp],
    values: NDArray[np.float64],
    pool: ThreadPoolExecutor,
) -> None:
    def add(some: slice) -> None:
        out[np.ix_(rows[some], cols)] += values[some]

    list(pool.map(add, cpu.row_blocks(len(rows), len(cols), 1 << 18)))


def pairwise(problems: Problems, run: Run, out: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Compute the results for all pairs, in ``out`` or a new array.

    Pairs with a document of more than 32 sites, and the few whose optimum the device cannot certify, are
    solved on the CPU; how many is logged, by the logger ``hott.gpu``.
    """
    out = check_output(out, problems.shape)
    with run.reporting("distances") as report:
        _fill(problems, out, run, report)
    return out


def _fill(problems: Problems, out: NDArray[np.float64], run: Run, report: Report | None) -> None:
    shape = problems.shape
    mirror = all(problem.is_symmetric for problem in problems.each)
    check_memory(sum(map(Exact.memory, problems.each)) + 8 * 8 * shape[1], "The distances")
    on_cpu = OnCPU(problems, mirror, run)
    solvers = [Exact(problem) for problem in problems.each]
    failures: list[tuple[Block, Failures]] = []

    def compute(block: Block) -> Any:
        failed = Failures()
        failures.append((block, failed))
        size = len(block.rows), shape[1] - block.skip
        total = None
        for exact in solvers:
            values = cupy().zeros(size)  # where the CPU adds its part
            exact.block(block.rows, block.skip, values, failed)
            values = problems.contribution(exact.problem, values)
            total = values if total is None else cupy().add(total, values, out=total)
        return total

    parts = blocks(*shape, mirror, block_entries())
    stream(shape, parts, mirror, compute, out, run.n_threads, report)
    on_cpu.add_to(out)
    solved = on_cpu.pairs + _repair_uncertain(problems, out, failures, mirror, run)
    if solved:
        log.info("%d of %d pairs were solved on the CPU", solved, shape[0] * shape[1])


def pairs(
    problems: Problems, rows: NDArray[np.integer], cols: NDArray[np.integer], run: Run
) -> NDArray[np.float64]:
    """Compute the results for listed pairs."""
    check_memory(sum(map(Exact.memory, problems.each)) + 120 * len(rows), "The distances")
    xp = cupy()
    total = xp.zeros(len(rows))
    on_device = xp.asarray(rows), xp.asarray(cols)
    for problem in problems.each:
        total += problems.contribution(problem, Exact(problem).solve_pairs(*on_device))
    values: NDArray[np.float64] = total.get()
    failed = np.flatnonzero(np.isnan(values))
    if failed.size:
        values[failed] = cpu.pairs(problems, rows[failed], cols[failed], run)
        log.info("%d of %d pairs were solved on the CPU", len(failed), len(rows))
    return values


def lower_bound(problems: Problems, run: Run) -> NDArray[np.float32]:
    """Values never above the results, in single precision."""
    shape = problems.shape
    out = np.empty(shape, np.float32)
    width = round_up(shape[1], TILE)
    check_memory(sum(map(Bounds.memory, problems.each)) + 16 * TILE * width, "The bounds")
    bounds = Bounds(problems)

    def compute(block: Block) -> Any:
        values = cupy().empty((len(block.rows), width), np.float32)
        bounds.block(block.rows, values, cupy().empty((len(block.rows), width // TILE), np.float32))
        return cupy().ascontiguousarray(values[:, : shape[1]])

    parts = blocks(*shape, False, block_entries(), step=TILE)
    stream(shape, parts, False, compute, out, run.n_threads)
    return out


def _repair_uncertain(
    problems: Problems,
    out: NDArray[np.float64],
    failures: "list[tuple[Block, Failures]]",
    mirror: bool,
    run: Run,
) -> int:
    """Solve again, on the CPU, what the device could not certify."""
    m = problems.shape[1]
    found = []
    for block, failed in failures:
        count, width = int(failed.count[0]), m - block.skip
        if count > failed.ROOM:
            places = np.flatnonzero(np.isnan(out[block.rows.start : block.rows.stop, block.skip :]))
        else:
            places = failed.place[:count].get()
        found.append((places // width + block.rows.start) * m + places % width + block.skip)
    rows, cols = np.divmod(np.unique(np.concatenate(found)), m)
    if rows.size:
        out[rows, cols] = cpu.pairs(problems, rows, cols, run)
        if mirror:
            out[cols, rows] = out[rows, cols]
    return len(rows)


@dataclass(frozen=True, slots=True)
class Block:
    """Rows of the result, from the column ``skip`` on: what is before mirrors earlier rows."""

    rows: range
    skip: int


def blocks(n: int, m: int, mirror: bool, entries: int, step: int = 1) -> Iterator[Block]:
    """Yield the blocks of an n x m matrix, or of its upper half where the lower one mirrors it.

    A block has about so many entries, and begins at a multiple of ``step``.
    """
    start = 0
    while start < n:
        skip = start if mirror else 0
        stop = min(n, start + max(1, entries // (m - skip) // step) * step)
        yield Block(range(start, stop), skip)
        start = stop


def block_entries() -> int:
    """How large blocks may be: four are on the device at a time, two with their mirror images."""
    return min(ENTRIES, free_memory() // 64)


def stream(
    shape: tuple[int, int],
    parts: Iterator[Block],
    mirror: bool,
    compute: Callable[[Block], Any],
    out: NDArray[Any],
    threads: int,
    report: Report | None = None,
) -> None:
    """Fill ``out`` with ``compute(block)``.

    What ``compute`` returns lies on the device. While one block is computed, the one before is copied to
    pinned memory and from there, by ``threads`` threads, to ``out``.
    """
    n, m = shape
    computing = cupy().cuda.Stream(non_blocking=True)
    done, under_way = 0, None
    with _HostCopy(out, threads) as exit:
        for block in parts:
            with computing:
                values = compute(block)
                height = len(block.rows)
                beside = cupy().ascontiguousarray(values[:, height:].T) if mirror else None
                if mirror:  # of a square on the diagonal the upper half counts
                    upper = cupy().triu(values[:, :height])
                    values[:, :height] = upper + cupy().triu(upper, 1).T
            if under_way is not None:
                exit.send(*under_way)
            under_way = block, values, beside, computing.record()
            done += height * m if not mirror else height * (2 * (m - block.skip) - height)
            if report is not None:
                report(done, n * m)
        if under_way is not None:
            exit.send(*under_way)


class _HostCopy:
    """The way out: pinned memory, filled from the device in turns, and threads that empty it.

    Only the calling thread talks to the device: it starts to fill one piece of pinned memory, waits until the
    one before is full, and lets the others empty that.
    """

    def __init__(self, out: NDArray[Any], threads: int) -> None:
        self.out, self.pool = out, ThreadPoolExecutor(threads)
        self.copying = cupy().cuda.Stream(non_blocking=True)
        self.turns = cycle([_Pinned(), _Pinned(), _Pinned()])
        self.filling: _Pinned | None = None

    def __enter__(self) -> "_HostCopy":
        return self

    def __exit__(self, *error: object) -> None:
        for _ in range(3):
            next(self.turns).flush()
        self.pool.shutdown()

    def send(self, block: Block, values: Any, beside: Any, computed: Any) -> None:
        """Copy a block and its mirror image, once computed, to where they belong."""
        rows, height = block.rows, len(block.rows)
        self.copying.wait_event(computed)
        self._send(values, rows.start, block.skip)
        if beside is not None and beside.size:
            self._send(beside, rows.start + height, rows.start)
        self._empty()  # the device's memory is free for others then

    def _send(self, values: Any, top: int, left: int) -> None:
        for rows in cpu.row_blocks(len(values), values.shape[1], PIECE):
            pinned = next(self.turns)
            pinned.flush()
            pinned.fill(values[rows], top + rows.start, left, self.copying)
            self._empty()
            self.filling = pinned

    def _empty(self) -> None:
        if self.filling is not None:
            self.filling.empty(self.out, self.pool)
            self.filling = None


class _Pinned:
    """Memory that the device copies to, and the copies from there that are under way."""

    def __init__(self) -> None:
        self.memory: NDArray[np.uint8] | None = None
        self.copies: list[Future[None]] = []

    def fill(self, values: Any, top: int, left: int, stream: Any) -> None:
        """Start to copy values here, which belong at this place of the result."""
        if self.memory is None or self.memory.size < values.nbytes:
            self.memory = import_optional("cupyx", extra="gpu").empty_pinned(values.nbytes, np.uint8)
        self.values = self.memory[: values.nbytes].view(values.dtype).reshape(values.shape)
        self.top, self.left = top, left
        values.get(out=self.values, stream=stream, blocking=False)
        self.full = stream.record()

    def empty(self, out: NDArray[Any], pool: ThreadPoolExecutor) -> None:
        """Wait until all is here, then start to copy it on."""
        self.full.synchronize()
        height, width = self.values.shape
        across = slice(self.left, self.left + width)
        for part in cpu.row_blocks(height, width, SLICE):
            down = slice(self.top + part.start, self.top + part.stop)
            self.copies.append(pool.submit(out.__setitem__, (down, across), self.values[part]))

    def flush(self) -> None:
        """Wait until all is copied on; raise what went wrong there."""
        wait(self.copies)
        for copy in self.copies:
            copy.result()
        self.copies.clear()
