"""Link prediction: citations between hep-th papers, from the distance of abstracts and simple features."""

import csv
import gzip
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott.evaluation.links import Paper, link_f1, pair_features
from hott.evaluation.splits import Split, random_split
from hott.paper.documents import DataSet, lines
from hott.paper.methods import METHODS
from hott.paper.runner import Cell
from hott.paper.sources import CITATIONS, CITATIONS_ORIGIN, Source
from hott.paper.study import Study, Task
from hott.run import Run

KEYS = ("distance",)
DISTANCES = ("None", "HOTT", "WMD-T20", "RWMD", "HOFTT")
FEATURES = ("phi0", "phi1", "phi2", "phi3", "phi4")
_HEPTH = Source("hepth", CITATIONS, 27770, 2, "published", CITATIONS_ORIGIN)


class Citations:
    """The papers, the labelled pairs, and what is known of each pair besides the distance."""

    def __init__(self, study: Study) -> None:
        papers_file, pairs_file = (study.data / file for file in CITATIONS)
        for path in (papers_file, pairs_file):
            if not path.exists():
                raise ValueError(f"{path} is missing. Get it from {CITATIONS_ORIGIN}.")
        rows = list(lines(papers_file))
        row_of = {row["id"]: number for number, row in enumerate(rows)}
        with gzip.open(pairs_file, "rt", encoding="utf-8", newline="") as file:
            listed = [(row_of[a], row_of[b], int(label)) for a, b, label in list(csv.reader(file))[1:]]
        table = np.array(listed)
        most = study.sizes.link_pairs
        if most is not None and most < len(table):
            drawn = np.random.default_rng(study.seed).permutation(len(table))[:most]
            table = table[np.sort(drawn)]
        # Abstracts of the papers at hand; where no word of one is known, the title stands in.
        texts = [row["abstract"] + "\n" + row["title"] for row in rows]
        self.pairs, self.linked = table[:, :2], table[:, 2]
        used = np.unique(self.pairs)
        self.pairs = np.searchsorted(used, self.pairs)
        papers = [Paper(rows[i]["title"], rows[i]["authors"], int(rows[i]["year"])) for i in used]
        self.features = pair_features(papers, self.pairs)
        chosen = [texts[i] for i in used]
        self.documents = DataSet(
            _HEPTH, np.full(len(used), "paper"), chosen, chosen, np.ones(len(used), bool)
        )
        self.task = Task(study, self.documents, "paper", 0, False, study.vectors)
        self.split: Split = random_split(len(table), 1 - study.sizes.link_test_share, study.seed)

    def distances(self, name: str, threads: int | None) -> NDArray[np.float64]:
        """The distance of the two papers of each pair: no matrix of all papers."""
        distance = METHODS[name].fitted(self.task, 1)
        papers = distance.represent(self.task.counts)
        return distance.pairs(papers, papers, self.pairs[:, 0], self.pairs[:, 1], Run(threads=threads))


def cells(study: Study) -> list[Cell]:
    """One cell a distance; the data sets of the run do not matter."""
    citations = cache(lambda: Citations(study))
    return [Cell({"distance": name}, partial(_score, citations, name)) for name in DISTANCES]


def _score(load: Callable[[], Citations], name: str) -> Mapping[str, Any]:
    citations = load()
    study = citations.task.study
    own: list[NDArray[np.float64]] = []
    if name != "None":
        own = [citations.distances(name, study.threads)]
    values: dict[str, Any] = {}
    for n, feature in enumerate(FEATURES):
        columns = [*own, *citations.features.T[:n]]
        if columns:
            values[feature] = link_f1(np.column_stack(columns), citations.linked, citations.split)
    return {
        **values,
        "pairs": len(citations.pairs),
        "test_pairs": len(citations.split.test),
        "papers": len(citations.documents),
        "topics": study.sizes.topics,
        "seed": study.seed,
    }
