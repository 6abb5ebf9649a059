"""Agreement with people: 50 news documents whose every pair was rated for similarity (Lee et al., 2005).

Vocabulary, weights and topics come from a background corpus; that and the ratings come with gensim.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott.utils.optional import import_optional
from reproduction.documents import DataSet
from reproduction.evaluation.relation import agreement
from reproduction.evaluation.significance import correlation_interval
from reproduction.methods import METHODS
from reproduction.setting import Setting
from reproduction.sources import Source
from reproduction.study import Study
from reproduction.task import Task

_LEE = Source("lee", (), 350, 2, "published", "gensim, test data")


def measure(task: Task, method: str) -> Mapping[str, Any]:
    """One row of the table."""
    rated = task.rows[task.split.test]
    chosen = METHODS[method]
    distance = chosen.fitted(task)
    distances = distance.between(chosen.represent(task, distance).take(task.split.test), None, task.study.run)
    similar = ratings()[np.ix_(rated, rated)]
    pearson, spearman = agreement(distances, similar)
    interval = correlation_interval(-distances, similar)
    return {
        "pearson": pearson,
        "pearson_low": interval.low,
        "pearson_high": interval.high,
        "spearman": spearman,
        "documents": len(rated),
        "background": len(task.split.train),
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
    return Task.of(study, documents, "clean", 0, Setting(), study.word_vectors("clean"))


def ratings() -> NDArray[np.float64]:
    """Mean similarity of each pair of the 50 documents, between 0 and 1, in both directions alike."""
    upper = np.loadtxt(_folder() / "similarities0-1.txt")
    return np.maximum(upper, upper.T)


def _folder() -> Path:
    utils = import_optional("gensim.test.utils", extra="paper")
    return Path(utils.datapath("lee.cor")).parent
