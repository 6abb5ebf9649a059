"""The right half of the timing table: pairs of documents a second, beside POT on the same problems.

Measured in seconds of one core (processor time), so that other work on the machine does not count.
"""

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from hott._optional import need
from hott.distances.topic import HOTT
from hott.distances.word import WMD
from hott.paper.methods import METHODS
from hott.paper.runner import Cell
from hott.paper.study import Study, Task
from hott.run import Run

KEYS = ("dataset", "method", "solver")
TIMED = ("RWMD", "WMD", "WMD-T20", "HOFTT", "HOTT")
MOST_DOCUMENTS = 1024  # on each side


def cells(study: Study) -> list[Cell]:
    """Every method by the library, and those that solve transport problems by POT too; books last."""
    return [
        Cell(
            {"dataset": source.name, "method": method, "solver": solver},
            partial(_measure, study, source.name, method, solver),
        )
        for source in study.sources
        for method in TIMED
        for solver in ("hott", "POT")
        if not (solver == "POT" and method == "RWMD")
    ]


def _measure(study: Study, name: str, method: str, solver: str) -> Mapping[str, Any]:
    task = study.task(name, "paper")
    distance = METHODS[method].fitted(task, 1)
    order = np.random.default_rng(study.seed).permutation(task.counts.shape[0])
    n = min(MOST_DOCUMENTS, len(order) // 2)
    R, S = (distance.represent(task.counts[np.sort(rows)]) for rows in (order[:n], order[n : 2 * n]))

    def work(m: int) -> object:
        if solver == "POT":
            return _with_pot(task, distance, R[:m].matrix(), S[:m].matrix())
        return distance.between(R[:m], S[:m], Run(threads=1))

    seconds, pairs = timed(work, n, study.sizes.timing_seconds)
    return {"pairs_per_second": pairs / seconds, "pairs": pairs, "cpu_seconds": seconds, "seed": study.seed}


def timed(work: Callable[[int], object], most: int, least_seconds: float) -> tuple[float, int]:
    """Processor time of ``work(m)``, and its m * m pairs, for the first m in 1, 2, 4, ... that takes long."""
    m = 1
    while True:
        started = time.process_time()
        work(m)
        seconds = time.process_time() - started
        if seconds >= least_seconds or m >= most:
            return max(seconds, 1e-9), m * m
        m = min(2 * m, most)


def _with_pot(task: Task, distance: Any, R: sp.csr_array, S: sp.csr_array) -> list[float]:
    """All distances, one problem after the other, each on the supports of its two documents."""
    ot = need("ot", extra="paper")
    vectors = task.vectors.astype(np.float64)
    values = []
    for i in range(R.shape[0]):
        a, mass_a = _support(R, i)
        for j in range(S.shape[0]):
            b, mass_b = _support(S, j)
            if isinstance(distance, HOTT):
                costs = distance.models_[0].distances[np.ix_(a, b)]
            else:
                assert isinstance(distance, WMD)
                costs = cdist(vectors[a], vectors[b])
            values.append(ot.emd2(mass_a, mass_b, np.ascontiguousarray(costs)))
    return values


def _support(X: sp.csr_array, row: int) -> tuple[np.ndarray, np.ndarray]:
    part = slice(X.indptr[row], X.indptr[row + 1])
    masses = X.data[part]
    return X.indices[part], masses / masses.sum()
