"""The left half of the timing table: how large the data sets are, and how much their documents overlap."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from reproduction.methods import hott
from reproduction.study import Study

PAIRS = 20_000


def measure(study: Study, dataset: str) -> Mapping[str, Any]:
    """One row of the table."""
    task = study.task(dataset, "paper")
    return {
        "documents": task.counts.shape[0],
        "vocabulary": task.counts.shape[1],
        "iou": overlap(task.counts, PAIRS, study.seed),
        "unique_words": task.counts.nnz / task.counts.shape[0],
        "topics_kept": hott(task).transform(task.counts).nnz / task.counts.shape[0],
        "classes": len(np.unique(task.labels)),
        "majority": float(np.unique(task.labels, return_counts=True)[1].max() / len(task.labels)),
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
