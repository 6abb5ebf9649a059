"""How HOTT and RWMD relate to WMD: correlation (Mantel's test) and difference of the distance matrices."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from hott.evaluation.relation import difference, mantel
from hott.paper.methods import METHODS
from hott.paper.runner import Cell
from hott.paper.study import Study

KEYS = ("dataset",)
DATASETS = ("bbcsport", "ohsumed", "r8", "classic", "amazon", "20news")  # those of the published table
COMPARED = ("HOTT", "RWMD")


def cells(study: Study) -> list[Cell]:
    """One cell a data set."""
    return [
        Cell({"dataset": source.name}, partial(_compare, study, source.name))
        for source in study.wants(*DATASETS)
    ]


def _compare(study: Study, name: str) -> Mapping[str, Any]:
    task = study.task(name, "paper")
    n = study.sizes.relation_documents
    rows = np.sort(np.random.default_rng(study.seed).permutation(task.counts.shape[0])[:n])
    sample = task.counts[rows]
    exact = METHODS["WMD"].fitted(task, 1).pairwise(sample, threads=study.threads)
    values: dict[str, Any] = {"documents": len(rows)}
    for method in COMPARED:
        other = METHODS[method].fitted(task, 1).pairwise(sample, threads=study.threads)
        test = mantel(exact, other, seed=study.seed)
        short = method.lower()
        values |= {
            f"mantel_{short}": test.correlation,
            f"p_{short}": test.p_value,
            f"l2_{short}": difference(exact, other),
            f"relative_l2_{short}": difference(exact, other) / float(np.linalg.norm(exact)),
        }
    return {**values, "topics": study.sizes.topics, "seed": study.seed}
