"""Distances and bounds of all pairs or of listed ones, from documents in memory to values in memory."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott.compute import cpu
from hott.compute.gpu.bounds import TILE, Bounds, round_up
from hott.compute.gpu.device import check_memory, cupy, log
from hott.compute.gpu.exact import Exact
from hott.compute.gpu.large import OnCPU
from hott.compute.gpu.launch import Failures
from hott.compute.gpu.stream import Block, block_entries, blocks, stream
from hott.compute.ground import Problems
from hott.utils.checks import check_output
from hott.utils.run import Report, Run


def pairwise(problems: Problems, run: Run, out: Any = None) -> Any:
    """The results for all pairs, in ``out`` or a new array.

    ``out`` is an array or a Zarr array. Pairs with a document of more than 32 sites, and the few whose
    optimum the device cannot certify, are solved on the CPU; how many is logged, by the logger ``hott.gpu``.
    """
    out = _target(out, problems.shape)
    with run.reporting("distances") as report:
        _fill(problems, out, run, report)
    return out


def _fill(problems: Problems, out: Any, run: Run, report: Report | None) -> None:
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
    """The results for listed pairs."""
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
    problems: Problems, out: Any, failures: list[tuple[Block, Failures]], mirror: bool, run: Run
) -> int:
    """Solve again, on the CPU, what the device could not certify."""
    m = problems.shape[1]
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
        _assign(out, rows, cols, cpu.pairs(problems, rows, cols, run), mirror)
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
