"""Link prediction: citations between hep-th papers, from the distance of abstracts and simple features."""

import csv
import gzip
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reproduction.documents import DataSet, lines
from reproduction.evaluation.links import Paper, pair_features, predicted_links
from reproduction.evaluation.significance import f1_interval
from reproduction.evaluation.splits import Split, random_split
from reproduction.methods import METHODS
from reproduction.predictions import keep_links, links_file
from reproduction.setting import Setting
from reproduction.sources import CITATIONS, CITATIONS_ORIGIN, Source
from reproduction.study import Study
from reproduction.task import Task

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
            drawn = np.random.default_rng(0).permutation(len(table))[:most]
            table = table[np.sort(drawn)]
        used = np.unique(table[:, :2])
        # Abstracts alone, as in the paper: the words of the titles are a feature of their own.
        abstracts = [rows[i]["abstract"] for i in used]
        documents = DataSet(
            _HEPTH, np.full(len(used), "paper"), abstracts, abstracts, np.ones(len(used), bool)
        )
        self.task = Task.of(study, documents, "paper", 0, Setting(), study.word_vectors("paper"))
        place = np.full(len(rows), -1)  # of each paper among those whose abstract has a known word
        place[used[self.task.rows]] = np.arange(len(self.task.rows))
        known = (place[table[:, :2]] >= 0).all(axis=1)
        self.dropped = int((~known).sum())
        self.pairs, self.linked = place[table[known, :2]], table[known, 2]
        at_hand = [rows[used[i]] for i in self.task.rows]
        papers = [Paper(row["title"], row["authors"], int(row["year"])) for row in at_hand]
        self.features = pair_features(papers, self.pairs)
        self.split: Split = random_split(len(self.pairs), 1 - study.sizes.link_test_share, 0)

    def distances(self, name: str) -> NDArray[np.float64]:
        """The distance of the two papers of each pair: no matrix of all papers."""
        distance = METHODS[name].fitted(self.task)
        papers = distance.represent(self.task.counts)
        return distance.pairs(papers, papers, self.pairs[:, 0], self.pairs[:, 1], self.task.study.run)


def measure(citations: Citations, distance: str) -> Mapping[str, Any]:
    """F1 scores with a distance, or with None, and one feature more in each column."""
    study = citations.task.study
    own = [] if distance == "None" else [citations.distances(distance)]
    true = citations.linked[citations.split.test]
    values: dict[str, Any] = {}
    said: dict[str, NDArray[np.bool_]] = {}
    for n, feature in enumerate(FEATURES):
        columns = [*own, *citations.features.T[:n]]
        if columns:
            said[feature] = predicted_links(np.column_stack(columns), citations.linked, citations.split)
            found = f1_interval(said[feature], true)
            values |= {feature: found.value, f"{feature}_low": found.low, f"{feature}_high": found.high}
    keep_links(links_file(study.out, study.vectors_of("paper")), distance, said, true)
    return {
        **values,
        "pairs": len(citations.pairs),
        "test_pairs": len(true),
        "pairs_dropped": citations.dropped,
        "papers": citations.task.counts.shape[0],
    }
