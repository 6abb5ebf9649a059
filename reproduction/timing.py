"""The right half of the timing table: pairs of documents a second, beside POT on the same problems.

Measured in seconds of one core (processor time), so that other work on the machine does not count.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from hott.compute.ground import Order
from hott.distances.topic import HOTT
from hott.distances.topic_space import TopicSpace
from hott.topics import GibbsLDA, train
from hott.utils.optional import import_optional
from hott.utils.run import Run
from reproduction.methods import METHODS
from reproduction.study import Study
from reproduction.task import Task

TIMED = ("RWMD", "WMD", "WMD-T20", "WMD-T50", "WMD-T100", "HOFTT", "HOTT")
MAX_DOCUMENTS = 1024  # on each side


def measure(study: Study, dataset: str, method: str, solver: str) -> Mapping[str, Any]:
    """Pairs a second of one method, by the library or, where it solves transport problems, by POT."""
    task = study.task(dataset, "paper")
    distance = METHODS[method].fitted(task)
    order = np.random.default_rng(0).permutation(task.counts.shape[0])
    n = min(MAX_DOCUMENTS, len(order) // 2)
    R, S = (distance.represent(task.counts[np.sort(rows)]) for rows in (order[:n], order[n : 2 * n]))

    def work(m: int) -> object:
        if solver == "POT":
            return _with_pot(task, distance, R[:m].matrix(), S[:m].matrix())
        return distance.between(R[:m], S[:m], Run(threads=1))

    seconds, pairs = timed(work, n, study.sizes.timing_seconds)
    return {"pairs_per_second": pairs / seconds, "pairs": pairs, "cpu_seconds": seconds}


def measure_preparation(study: Study, dataset: str) -> Mapping[str, Any]:
    """Seconds to learn topics, to compare them and to read all documents, beside all pairs of HOTT and WMD.

    One core; the pairs from the rate of a part of them.
    """
    task = study.task(dataset, "paper")
    seconds = {}

    def took(what: str, work: Callable[[], Any]) -> Any:
        started = time.process_time()
        result = work()
        seconds[what] = time.process_time() - started
        return result

    most = study.sizes.words_a_book if dataset == "gutenberg" else None
    model = GibbsLDA(task.n_topics, task.sweeps, strength=0, max_words=most)
    [topics] = took("learn", lambda: train(model, task.training_counts, 1, study.seed, Run(threads=1)))
    vectors = task.vectors.astype(np.float64)
    space = took("compare", lambda: TopicSpace.of(topics, vectors, 20, Order(1)))
    distance = HOTT.from_models([space], n_topics=task.n_topics)
    R = took("read", lambda: distance.represent(task.counts, threads=1))
    n = len(R)
    part = R[: min(n, 2 * MAX_DOCUMENTS)]
    took("part", lambda: distance.between(part, None, Run(threads=1)))
    pairs = n * (n - 1) / 2
    all_pairs = seconds["part"] * pairs / (len(part) * (len(part) - 1) / 2)
    return {
        "learn_seconds": seconds["learn"], "compare_seconds": seconds["compare"],
        "read_seconds": seconds["read"], "pairs_seconds": all_pairs, "pairs": int(pairs),
    }  # fmt: skip


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
    ot = import_optional("ot", extra="paper")
    vectors = task.vectors.astype(np.float64)
    values = []
    for i in range(R.shape[0]):
        a, mass_a = _support(R, i)
        for j in range(S.shape[0]):
            b, mass_b = _support(S, j)
            if isinstance(distance, HOTT):
                costs = distance.models_[0].distances[np.ix_(a, b)]
            else:
                costs = cdist(vectors[a], vectors[b])
            values.append(ot.emd2(mass_a, mass_b, np.ascontiguousarray(costs)))
    return values


def _support(X: sp.csr_array, row: int) -> tuple[np.ndarray, np.ndarray]:
    part = slice(X.indptr[row], X.indptr[row + 1])
    masses = X.data[part]
    return X.indices[part], masses / masses.sum()
