"""t-SNE pictures of HOTT and RWMD, and how well neighbours in the plane tell the class."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from hott.neighbors import mapping, search
from hott.utils.atomic import atomic_write
from reproduction.evaluation.significance import mean_interval
from reproduction.knn import PAPER_K
from reproduction.methods import METHODS
from reproduction.setting import variant_suffix
from reproduction.study import Study

MAPPED = ("HOTT", "RWMD")
DATASETS = ("classic", "bbcsport", "twitter", "ohsumed", "r8", "amazon", "20news")  # no books: 142 classes


def measure(study: Study, dataset: str, method: str) -> Mapping[str, Any]:
    """Lay a sample of the documents out, and classify each by its neighbours in the plane."""
    task = study.task(dataset, "paper")
    order = np.random.default_rng(0).permutation(task.counts.shape[0])
    rows = np.sort(order[: study.sizes.map_documents])
    distance = METHODS[method].fitted(task)
    R = distance.represent(task.counts[rows])
    n = len(rows)
    found = search(distance, R, R, mapping.n_neighbors(n), study.run, own=np.arange(n))
    points = mapping.layout(
        found.indices, found.distances, random_state=study.seed, threads=study.run.threads
    )
    labels = task.labels[rows]
    correct = right_in_the_plane(points, labels, min(PAPER_K, n // 10))
    _save(points_file(study.out, dataset, method, study.vectors_of("paper")), points, labels, correct)
    interval = mean_interval([np.column_stack([correct, np.ones(n)])])
    return {
        "accuracy": interval.value,
        "accuracy_low": interval.low,
        "accuracy_high": interval.high,
        "majority": float(np.unique(labels, return_counts=True)[1].max() / n),
        "documents": n,
        "all_documents": task.counts.shape[0],
    }


def right_in_the_plane(points: NDArray[np.float64], labels: NDArray, k: int) -> NDArray[np.bool_]:
    """Whether the nearest points of each, in the other parts of five, tell its class.

    Parts are drawn at random: the files are sorted by class and source, and parts in their order would
    test each source by the others.
    """
    parts = StratifiedKFold(5, shuffle=True, random_state=0)
    return np.asarray(cross_val_predict(KNeighborsClassifier(k), points, labels, cv=parts) == labels)


def points_file(out: Path, dataset: str, method: str, vectors: str) -> Path:
    """Where the points of a picture are kept: the pictures are drawn from these."""
    return out / "maps" / f"{dataset}-{method.lower()}{variant_suffix(vectors)}.csv"


def _save(path: Path, points: NDArray[np.float64], labels: NDArray, correct: NDArray[np.bool_]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [f"{x:.2f},{y:.2f},{label},{int(ok)}" for (x, y), label, ok in zip(points, labels, correct)]
    with atomic_write(path) as file:
        file.write("\n".join(["x,y,label,correct", *rows, ""]).encode())
