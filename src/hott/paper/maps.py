"""t-SNE pictures of HOTT and RWMD, and how well neighbours in the plane tell the class."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from hott import mapping
from hott._atomic import replacing
from hott.neighbors import search
from hott.paper.knn import PAPER_K
from hott.paper.methods import METHODS
from hott.paper.runner import Cell
from hott.paper.study import Study
from hott.run import Run

KEYS = ("dataset", "method")
MAPPED = ("HOTT", "RWMD")
DATASETS = ("classic", "bbcsport", "twitter", "ohsumed", "r8", "amazon", "20news")  # no books: 142 classes


def cells(study: Study) -> list[Cell]:
    """Two pictures a data set, classic first."""
    wanted = {source.name for source in study.sources}
    return [
        Cell({"dataset": name, "method": method}, partial(_map, study, name, method))
        for name in DATASETS
        if name in wanted
        for method in MAPPED
    ]


def _map(study: Study, name: str, method: str) -> Mapping[str, Any]:
    task = study.task(name, "paper")
    order = np.random.default_rng(study.seed).permutation(task.counts.shape[0])
    rows = np.sort(order[: study.sizes.map_documents])
    distance = METHODS[method].fitted(task, 1)
    R = distance.represent(task.counts[rows])
    n = len(rows)
    run = Run(threads=study.threads)
    found = search(distance, R, R, mapping.n_neighbors(n), run, own=np.arange(n))
    points = mapping.layout(found.indices, found.distances, random_state=study.seed, threads=study.threads)
    labels = task.labels[rows]
    _save(points_file(study.out, name, method), points, labels)
    plane = KNeighborsClassifier(min(PAPER_K, n // 10))
    return {
        "accuracy": float(cross_val_score(plane, points, labels, cv=5).mean()),
        "documents": n,
        "all_documents": task.counts.shape[0],
        "topics": study.sizes.topics,
        "seed": study.seed,
    }


def points_file(out: Path, dataset: str, method: str) -> Path:
    """Where the points of a picture are kept: the pictures are drawn from these."""
    return out / "maps" / f"{dataset}-{method.lower()}.csv"


def _save(path: Path, points: NDArray[np.float64], labels: NDArray) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [f"{x:.2f},{y:.2f},{label}" for (x, y), label in zip(points, labels)]
    with replacing(path) as file:
        file.write("\n".join(["x,y,label", *rows, ""]).encode())
