"""Bounds over many documents whose topic proportions are compact: a coarse one for all, a finer one for few.

Both are never above the distance, so what they rule out is ruled out for good. The coarse bound reads two
bytes of each of a document's heaviest topics (``csrc/scan.hpp``); the finer one is
:func:`hott.compute.cpu.lower_bound` for listed pairs.
"""

import numpy as np
from numpy.typing import NDArray

from hott import _core
from hott.compute.ground import Problems
from hott.utils.run import Run

MAX_SITES = 256
_TABLE = 16  # sites that one instruction looks up
_MASSES, _COSTS = 256, 127  # steps that the masses and costs of sketches are rounded to
_CERTAIN = 1 - 1e-6  # what single precision may add to a bound is taken off


def can_scan(problems: Problems) -> bool:
    """Whether the documents are compact, over few enough topics, and moved over a metric."""
    return all(
        problem.others.is_compact
        and problem.others.n_sites <= MAX_SITES
        and problem.ground.is_metric
        and 1e-30 < problem.ground.distances.max() < 1e30
        for problem in problems.each
    )


def coarse_bound(problems: Problems, run: Run) -> NDArray[np.float32]:
    """Compute a bound for every query and every document, in one pass over the sketches of the documents."""
    nearest = []
    for problem in problems.each:
        costs = problem.ground.distances.copy()
        np.fill_diagonal(costs, costs.max())
        starts, sites, _ = problem.P.arrays
        nearest.append(np.minimum.reduceat(costs[sites], starts[:-1]))
    largest = np.max([near.max(axis=1) for near in nearest], axis=0)
    models = []
    for problem, near in zip(problems.each, nearest):
        # Queries by site: their masses, rounded up, and the costs, rounded down.
        tables = -(-problem.P.n_sites // _TABLE)
        shape = len(near), _TABLE * (tables if tables <= 8 else MAX_SITES // _TABLE)
        mass, cost = np.zeros(shape, np.uint8), np.zeros(shape, np.uint8)
        starts, sites, masses = problem.P.arrays
        rows = np.repeat(np.arange(len(near)), np.diff(starts))
        mass[rows, sites] = np.minimum(np.ceil(masses * _MASSES), _MASSES - 1)
        cost[:, : near.shape[1]] = near * (_COSTS * _CERTAIN / largest[:, None])
        models.append((*problem.others.sketch, mass, cost))
    factors = (largest * (problems.share * _CERTAIN / (_COSTS * _MASSES))).astype(np.float32)
    out = np.empty((len(factors), len(problems.each[0].others)), np.float32)
    _core.scan(models, factors, run.n_threads, out)
    return out


def relaxed_bound(
    problems: Problems,
    rows: NDArray[np.int64],
    cols: NDArray[np.int64],
    limits: NDArray[np.float64],
    run: Run,
) -> NDArray[np.float64]:
    """Bounds of listed pairs, those of a query one after the other; infinite where one is above its limit.

    A pair whose bound is above its limit after some of the models is not looked at by the others.
    """
    models = [
        (problem.P.arrays, (Q.starts, Q.sites, Q.masses), problem.ground.distances)
        for problem in problems.each
        for Q in [problem.others]
    ]
    bounds = np.empty(len(rows))
    _core.listed_bounds(models, problems.share, rows, cols, limits, run.n_threads, bounds)
    return bounds
