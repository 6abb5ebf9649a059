"""What the compiled core computes: transport for all pairs or listed ones, lower bounds, topics."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott import _core
from hott.compute.ground import FoldIn, Problem, Problems, Sampling
from hott.utils.checks import check_output
from hott.utils.run import Report, Run

ENTRIES_AT_ONCE = 1 << 22
"""Entries of a block of results: 32 MiB."""

PAIRS_A_THREAD = 128
"""Listed pairs that are worth a thread of their own: starting one takes as long as solving some fifty."""


def row_blocks(n: int, m: int, entries: int = ENTRIES_AT_ONCE) -> Iterator[slice]:
    """Consecutive runs of ``n`` rows of ``m`` columns, each of at most ``entries`` entries (or one row)."""
    step = max(1, entries // max(m, 1))
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def pairwise(problems: Problems, run: Run, out: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Compute the results for all pairs, in ``out`` or a new array."""
    out = check_output(out, problems.shape)
    with run.reporting("distances") as report:
        if len(problems.each) == 1:
            [problem] = problems.each
            return _scale(problem.ground.order.root(least_costs(problem, run, out, report)), problems.scale)
        return _mean(problems, out, run, report)


def pairs(
    problems: Problems, rows: NDArray[np.integer], cols: NDArray[np.integer], run: Run
) -> NDArray[np.float64]:
    """Compute the results for listed pairs, the same to the bit as those of :func:`pairwise`."""
    total, costs = np.zeros(len(rows)), np.empty(len(rows))
    some, others = ((numbers, *np.unique(numbers, return_inverse=True)) for numbers in (rows, cols))
    threads = min(run.n_threads, 1 + len(rows) // PAIRS_A_THREAD)
    for problem in problems.each:
        (P, left), (Q, right), ground = problem.P.only(*some), problem.others.only(*others), problem.ground
        _core.pairs(P, Q, ground.cost, ground.keeps_common, left, right, threads, costs)
        total += costs if ground.order.p == 1 else ground.order.root(costs)
    total /= len(problems.each)
    return total if problems.scale == 1 else total * problems.scale


def lower_bound(problems: Problems, run: Run) -> NDArray[np.floating]:
    """Values never above those of :func:`pairwise`; in single precision for one problem.

    W_2 is never below W_1, so the bound of the latter serves both: the distances must be a metric.
    """
    if len(problems.each) == 1:
        return _bound(problems.each[0], problems.scale, run)
    mean = np.zeros(problems.shape)
    for problem in problems.each:
        mean += _bound(problem, 1.0, run)
    mean /= len(problems.each)
    return _scale(mean, problems.scale)


def sample_topics(task: Sampling, run: Run) -> NDArray[np.float32]:
    """Draw topics for each seed, a thread a model; return how often each was drawn for each word."""
    out = np.empty(task.shape, np.float32)
    n_seen, near, weights = task.n_seen, task.neighbors, task.weights
    settings = task.sweeps, task.alpha, task.eta, task.strength, task.seeds, run.n_threads
    with run.reporting("topics") as report:
        _core.sample_topics(task.rows.arrays, n_seen, near, weights, *settings, out, None, report)
    return out


def fold_in(task: FoldIn, run: Run) -> NDArray[np.float64]:
    """Topic proportions of documents; rows sum to 1."""
    out = np.empty(task.shape)
    settings = task.is_sampled, task.steps, task.burn_in, task.seed, run.n_threads
    with run.reporting("topic proportions") as report:
        _core.fold_in(task.rows.arrays, task.table, task.alpha, *settings, out, report)
    return out


def _bound(problem: Problem, scale: float, run: Run) -> NDArray[np.float32]:
    out = np.empty(problem.shape, np.float32)
    Q = None if problem.Q is None else problem.Q.arrays
    _core.lower_bound(problem.P.arrays, Q, problem.ground.distances, scale, run.n_threads, out)
    return out


def least_costs(
    problem: Problem, run: Run, out: NDArray[np.float64] | None = None, report: Report | None = None
) -> NDArray[np.float64]:
    """Least costs of all pairs of one problem, before any root is taken."""
    out = np.empty(problem.shape) if out is None else out
    Q, ground = None if problem.Q is None else problem.Q.arrays, problem.ground
    _core.pairwise(problem.P.arrays, Q, ground.cost, ground.keeps_common, run.n_threads, out, report)
    return out


def _mean(
    problems: Problems, out: NDArray[np.float64], run: Run, report: Report | None
) -> NDArray[np.float64]:
    """Compute the mean over the problems, a block of rows at a time; mirror one half if all are symmetric."""
    n, m = problems.shape
    mirror = all(problem.is_symmetric for problem in problems.each)
    blocks = [(rows, slice(rows.start if mirror else 0, m)) for rows in row_blocks(n, m)]
    total = len(problems.each) * sum((rows.stop - rows.start) * (m - cols.start) for rows, cols in blocks)
    done = 0
    for rows, cols in blocks:
        mean = np.zeros((rows.stop - rows.start, m - cols.start))
        for problem in problems.each:
            part = Problem(problem.P[rows], problem.others[cols], problem.ground)
            costs = least_costs(part, run, report=_shift_report(report, done, total))
            mean += problem.ground.order.root(costs)
            done += mean.size
        mean /= len(problems.each)
        out[rows, cols] = mean
        if mirror:
            out[cols, rows] = mean.T
    return _scale(out, problems.scale)


def _shift_report(report: Report | None, start: int, total: int) -> Report | None:
    """Turn reports on a part of the work into reports on the whole."""
    return report and (lambda done, _: report(start + done, total))


def _scale(values: Any, scale: float) -> Any:
    return values if scale == 1 else np.multiply(values, scale, out=values)
