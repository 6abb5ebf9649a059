"""Agreement with people: 50 news documents whose every pair was rated for similarity (Lee et al., 2005).

Vocabulary, weights and topics come from a background corpus; that and the ratings come with gensim.
"""

from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott._optional import need
from hott.evaluation.relation import agreement
from hott.paper.documents import DataSet
from hott.paper.methods import METHODS, Method
from hott.paper.runner import Cell
from hott.paper.sources import Source
from hott.paper.study import Study, Task

KEYS = ("method",)
_LEE = Source("lee", (), 350, 2, "published", "gensim, test data")


def cells(study: Study) -> list[Cell]:
    """One cell a method; the data sets of the run do not matter."""
    task = cache(lambda: lee_task(study))
    return [Cell({"method": method.name}, partial(_compare, task, method)) for method in METHODS.values()]


def _compare(load: Callable[[], Task], method: Method) -> Mapping[str, Any]:
    task = load()
    rated = task.rows[task.split.test]
    distances = method.fitted(task, 1).pairwise(task.counts[task.split.test], threads=task.study.threads)
    pearson, spearman = agreement(distances, ratings()[np.ix_(rated, rated)])
    return {
        "pearson": pearson,
        "spearman": spearman,
        "documents": len(rated),
        "background": len(task.split.train),
        "topics": task.study.sizes.topics,
        "seed": task.study.seed,
    }


def lee_task(study: Study) -> Task:
    """The rated documents as test documents, the background corpus as training documents."""
    folder = _folder()
    rated, background = (
        (folder / name).read_text(encoding="latin-1").strip().splitlines()
        for name in ("lee.cor", "lee_background.cor")
    )
    texts = rated + background
    train = np.arange(len(texts)) >= len(rated)
    documents = DataSet(_LEE, np.where(train, "background", "rated"), texts, texts, train)
    return Task(study, documents, "clean", 0, False, study.vectors)


def ratings() -> NDArray[np.float64]:
    """Mean similarity of each pair of the 50 documents, between 0 and 1, in both directions alike."""
    upper = np.loadtxt(_folder() / "similarities0-1.txt")
    return np.maximum(upper, upper.T)


def _folder() -> Path:
    utils = need("gensim.test.utils", extra="paper")
    return Path(utils.datapath("lee.cor")).parent
