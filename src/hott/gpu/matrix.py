"""Distances and bounds of all pairs or of listed ones, from documents in memory to values in memory."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott._progress import Progress, Report, reporting
from hott.gpu.bounds import TILE, Bounds, padded
from hott.gpu.device import check_memory, cupy, log
from hott.gpu.exact import Exact
from hott.gpu.large import OnCPU
from hott.gpu.launch import Failures
from hott.gpu.problem import Problem, listed_on_cpu
from hott.gpu.stream import Block, block_entries, blocks, stream
from hott.transport._checks import check_output, check_threads


def pairwise(
    problems: list[Problem], *, threads: int | None = None, out: Any = None, progress: Progress = None
) -> Any:
    """The sum of the problems' distances for all pairs, in ``out`` or a new array.

    ``out`` is an array or a Zarr array. Pairs with a document of more than 32 sites, and the few whose
    optimum the device cannot certify, are solved on the CPU; how many is logged, by the logger ``hott.gpu``.
    """
    shape = problems[0].shape
    out = _target(out, shape)
    with reporting(progress, "distances") as report:
        _fill(problems, out, threads, report)
    return out


def _fill(problems: list[Problem], out: Any, threads: int | None, report: Report | None) -> None:
    shape = problems[0].shape
    mirror = all(problem.symmetric for problem in problems)
    check_memory(sum(map(Exact.memory, problems)) + 8 * 8 * shape[1], "The distances")
    on_cpu = OnCPU(problems, mirror, threads)
    solvers = [Exact(problem) for problem in problems]
    failures: list[tuple[Block, Failures]] = []

    def compute(block: Block) -> Any:
        failed = Failures()
        failures.append((block, failed))
        size = len(block.rows), shape[1] - block.skip
        total = None
        for exact in solvers:
            values = cupy().zeros(size)  # where the CPU adds its part
            exact.block(block.rows, block.skip, values, failed)
            values = exact.problem.contribution(values)
            total = values if total is None else cupy().add(total, values, out=total)
        return total

    parts = blocks(*shape, mirror, block_entries())
    stream(shape, parts, mirror, compute, out, check_threads(threads), report)
    on_cpu.add_to(out)
    solved = on_cpu.pairs + _repair_uncertain(problems, out, failures, mirror, threads)
    if solved:
        log.info("%d of %d pairs were solved on the CPU", solved, shape[0] * shape[1])


def pairs(
    problems: list[Problem], rows: NDArray[np.int64], cols: NDArray[np.int64], threads: int | None = None
) -> NDArray[np.float64]:
    """The sum of the problems' distances for listed pairs."""
    check_memory(sum(map(Exact.memory, problems)) + 120 * len(rows), "The distances")
    xp = cupy()
    total = xp.zeros(len(rows))
    on_device = xp.asarray(rows), xp.asarray(cols)
    for problem in problems:
        total += problem.contribution(Exact(problem).listed(*on_device))
    values: NDArray[np.float64] = total.get()
    failed = np.flatnonzero(np.isnan(values))
    if failed.size:
        values[failed] = listed_on_cpu(problems, rows[failed], cols[failed], threads)
        log.info("%d of %d pairs were solved on the CPU", len(failed), len(rows))
    return values


def lower_bound(problems: list[Problem], threads: int | None = None) -> NDArray[np.float32]:
    """Values never above the sum of the problems' distances, in single precision."""
    shape = problems[0].shape
    out = np.empty(shape, np.float32)
    width = padded(shape[1], TILE)
    check_memory(sum(map(Bounds.memory, problems)) + 16 * TILE * width, "The bounds")
    bounds = Bounds(problems)

    def compute(block: Block) -> Any:
        values = cupy().empty((len(block.rows), width), np.float32)
        bounds.block(block.rows, values, cupy().empty((len(block.rows), width // TILE), np.float32))
        return cupy().ascontiguousarray(values[:, : shape[1]])

    parts = blocks(*shape, False, block_entries(), step=TILE)
    stream(shape, parts, False, compute, out, check_threads(threads))
    return out


def _target(out: Any, shape: tuple[int, int]) -> Any:
    """Where to write: an array, checked or new, or a Zarr array of the right shape."""
    if out is None or isinstance(out, np.ndarray):
        return check_output(out, shape)
    if getattr(out, "shape", None) != shape or not hasattr(out, "vindex"):
        raise ValueError(
            f"out must be a float64 array or a Zarr array of shape {shape}; it is a {type(out).__name__}."
        )
    return out


def _repair_uncertain(
    problems: list[Problem],
    out: Any,
    failures: list[tuple[Block, Failures]],
    mirror: bool,
    threads: int | None,
) -> int:
    """Solve again, on the CPU, what the device could not certify."""
    m = problems[0].shape[1]
    found = []
    for block, failed in failures:
        count, width = int(failed.count[0]), m - block.skip
        if count > failed.ROOM:
            whole = np.asarray(out[block.rows.start : block.rows.stop, block.skip :])
            places = np.flatnonzero(np.isnan(whole))
        else:
            places = failed.place[:count].get()
        found.append((places // width + block.rows.start) * m + places % width + block.skip)
    rows, cols = np.divmod(np.unique(np.concatenate(found)), m)
    if rows.size:
        _assign(out, rows, cols, listed_on_cpu(problems, rows, cols, threads), mirror)
    return len(rows)


def _assign(
    out: Any, rows: NDArray[np.integer], cols: NDArray[np.integer], values: NDArray[np.float64], mirror: bool
) -> None:
    if isinstance(out, np.ndarray):
        out[rows, cols] = values
        if mirror:
            out[cols, rows] = values
        return
    out.vindex[rows, cols] = values  # a Zarr array
    if mirror:
        out.vindex[cols, rows] = values
