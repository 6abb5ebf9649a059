"""How HOTT and RWMD relate to WMD: correlation (Mantel's test) and difference of the distance matrices."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from reproduction.evaluation.relation import difference, mantel
from reproduction.evaluation.significance import correlation_interval
from reproduction.methods import METHODS
from reproduction.setting import Setting
from reproduction.study import Study
from reproduction.task import Task

DATASETS = ("bbcsport", "ohsumed", "r8", "classic", "amazon", "20news")  # those of the published table
GROWING = ("bbcsport", "twitter", "classic")
TOPICS = (10, 20, 70, 200, 500)


def measure(study: Study, dataset: str) -> Mapping[str, Any]:
    """One row of the table: HOTT and RWMD beside WMD on some random documents."""
    return _beside_wmd(study.task(dataset, "paper"), ("HOTT", "RWMD"))


def measure_granularity(study: Study, dataset: str, n_topics: str) -> Mapping[str, Any]:
    """HOTT with so many topics beside WMD, on the same documents."""
    return _beside_wmd(study.task(dataset, "paper", setting=Setting(topics=int(n_topics))), ("HOTT",))


def _beside_wmd(task: Task, methods: Sequence[str]) -> dict[str, Any]:
    n = task.study.sizes.relation_documents
    sample = task.counts[np.sort(np.random.default_rng(0).permutation(task.counts.shape[0])[:n])]
    exact = _matrix(task, "WMD", sample)
    values: dict[str, Any] = {"documents": sample.shape[0]}
    for method in methods:
        other = _matrix(task, method, sample)
        test, interval = mantel(exact, other), correlation_interval(exact, other)
        short = method.lower()
        values |= {
            f"mantel_{short}": test.correlation,
            f"mantel_{short}_low": interval.low,
            f"mantel_{short}_high": interval.high,
            f"p_{short}": test.p_value,
            f"l2_{short}": difference(exact, other),
            f"relative_l2_{short}": difference(exact, other) / float(np.linalg.norm(exact)),
        }
    return values


def _matrix(task: Task, method: str, counts: sp.csr_array) -> NDArray[np.float64]:
    distance = METHODS[method].fitted(task)
    return distance.pairwise(counts, **distance.where(task.study.run).options)
