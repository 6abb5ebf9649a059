"""The left half of the timing table: how large the data sets are, and how much their documents overlap."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from hott.paper.methods import hott
from hott.paper.runner import Cell
from hott.paper.study import Study

KEYS = ("dataset",)
PAIRS = 20_000


def cells(study: Study) -> list[Cell]:
    """One cell a data set."""
    return [
        Cell({"dataset": source.name}, partial(_measure, study, source.name), source.documents)
        for source in study.sources
    ]


def _measure(study: Study, name: str) -> Mapping[str, Any]:
    task = study.task(name, "paper")
    return {
        "documents": task.counts.shape[0],
        "vocabulary": task.counts.shape[1],
        "iou": overlap(task.counts, PAIRS, study.seed),
        "unique_words": task.counts.nnz / task.counts.shape[0],
        "topics_kept": hott(task, 1).transform(task.counts).nnz / task.counts.shape[0],
        "classes": len(np.unique(task.labels)),
        "topics": study.sizes.topics,
        "seed": study.seed,
    }


def overlap(counts: sp.csr_array, pairs: int, seed: int) -> float:
    """Mean share of common words among the words of two documents, over random pairs.

    Examples
    --------
    >>> round(overlap(sp.csr_array([[1, 1, 0], [0, 1, 1]]), pairs=10, seed=0), 3)
    0.333
    """
    random = np.random.default_rng(seed)
    n = counts.shape[0]
    a = random.integers(n, size=pairs)
    b = (a + random.integers(1, n, size=pairs)) % n
    words = sp.csr_array(counts > 0).astype(np.float64)
    common = np.empty(pairs)
    for start in range(0, pairs, 500):  # whole books: a few at a time
        part = slice(start, start + 500)
        common[part] = (words[a[part]] * words[b[part]]).sum(axis=1)
    sizes = np.diff(words.indptr)
    return float(np.mean(common / (sizes[a] + sizes[b] - common)))
