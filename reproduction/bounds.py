"""What the paper proves, on real documents: how often each bound holds, and how close it is."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr

from hott.distances.topic import HOFTT
from hott.distances.vector import shares
from reproduction.methods import METHODS, hott
from reproduction.setting import Setting
from reproduction.study import Study
from reproduction.task import Task
from reproduction.theory import hausdorff, topic_loss

MAX_BOOKS = 20  # pairs of books: each takes half a second
_CLOSE = 0.999
_ROUNDING = 1e-6
FEW_TOPICS = 5
WITH_TOPICS = ("bbcsport", "twitter")  # whole topics are thousands of words; these have the fewest


def measure(study: Study, dataset: str) -> Mapping[str, Any]:
    """Shares of random pairs of documents for which each statement is true, and mean ratios."""
    task = study.task(dataset, "paper")
    n = study.sizes.bound_pairs if dataset != "gutenberg" else min(MAX_BOOKS, study.sizes.bound_pairs)
    random = np.random.default_rng(0)
    rows = random.permutation(task.counts.shape[0])[: 2 * n]
    rows = rows[: len(rows) // 2 * 2].reshape(2, -1)
    pairs = [task.counts[side] for side in rows]
    i = np.arange(rows.shape[1])
    wmd, rwmd = (_of_pairs(task, name, pairs, i, study) for name in ("WMD", "RWMD"))
    far = np.array([_hausdorff(task, *pair) for pair in zip(*(map(_words, pairs)))])
    overlap = np.array([_overlap(a, b) for a, b in zip(*(map(_words, pairs)))])
    apart = wmd > 0
    ratio = rwmd[apart] / wmd[apart]
    values = {
        "pairs": len(i),
        "rwmd_below_wmd": float(np.mean(rwmd <= wmd + _ROUNDING)),
        "rwmd_over_wmd": float(ratio.mean()),
        "rwmd_is_wmd": float(np.mean(ratio >= _CLOSE)),
        "rwmd_below_hausdorff": float(np.mean(rwmd <= far + _ROUNDING)),
        "rwmd_over_hausdorff": float(np.mean(rwmd[far > 0] / far[far > 0])),
        "rwmd_is_hausdorff": float(np.mean(rwmd[far > 0] >= _CLOSE * far[far > 0])),
        "overlap": float(overlap.mean()),
        "overlap_and_ratio": float(spearmanr(overlap[apart], ratio).statistic),
        **_triangles(task, rows[0][:60]),
    }
    if dataset in WITH_TOPICS:
        values |= _topic_bound(study, dataset, rows, wmd)
    return values


def _of_pairs(
    task: Task, name: str, pairs: list[sp.csr_array], i: NDArray[np.intp], study: Study
) -> NDArray[np.float64]:
    distance = METHODS[name].fitted(task)
    left, right = (distance.represent(side) for side in pairs)
    return distance.pairs(left, right, i, i, study.run)


def _words(counts: sp.csr_array) -> list[NDArray[np.integer]]:
    return np.split(counts.indices, counts.indptr[1:-1])


def _hausdorff(task: Task, a: NDArray[np.integer], b: NDArray[np.integer]) -> float:
    return hausdorff(cdist(task.vectors[a].astype(np.float64), task.vectors[b].astype(np.float64)))


def _overlap(a: NDArray[np.integer], b: NDArray[np.integer]) -> float:
    common = len(np.intersect1d(a, b))
    return common / (len(a) + len(b) - common)


def _triangles(task: Task, rows: NDArray[np.intp]) -> dict[str, Any]:
    """Triples of documents for which the way round is shorter than the direct one: none, for a metric."""
    D = hott(task).pairwise(task.counts[rows], **task.study.run.options)
    shortcuts = D[:, None, :] > D[:, :, None] + D[None, :, :] + _ROUNDING
    return {"triangles": len(rows) ** 3, "triangles_broken": int(shortcuts.sum())}


def _topic_bound(
    study: Study, dataset: str, rows: NDArray[np.intp], wmd: NDArray[np.float64]
) -> dict[str, Any]:
    """WMD against HOFTT plus what topics lose of each document, with whole topics and nothing left out.

    Also: with one topic for each word, HOFTT is WMD.
    """
    task = study.task(dataset, "paper", setting=Setting(topics=FEW_TOPICS, topic_words="all"))
    [space] = task.spaces(1)
    distance = HOFTT.from_models([space], n_topics=FEW_TOPICS)
    i = np.arange(rows.shape[1])
    left, right = (distance.represent(task.counts[side]) for side in rows)
    between = distance.pairs(left, right, i, i, study.run)
    topics, diameter = task.topic_words(space.topics).toarray(), _diameter(task)
    losses = []
    for side in rows:
        documents = shares(task.counts[side], np.ones(task.counts.shape[1])).toarray()
        proportions = space.topics.proportions(task.counts[side], study.run)
        losses.append(topic_loss(documents, proportions, topics, diameter=diameter))
    bound = between + losses[0] + losses[1]
    return {
        "wmd_below_bound": float(np.mean(wmd <= bound + _ROUNDING)),
        "wmd_over_bound": float(np.mean(wmd / bound)),
        "wmd_below_hott": float(np.mean(wmd <= between + _ROUNDING)),
    }


def _diameter(task: Task) -> float:
    """No two words are farther apart: twice the farthest from the mean of all."""
    centred = task.vectors - task.vectors.mean(axis=0)
    return 2 * float(np.sqrt((centred**2).sum(axis=1).max()))
