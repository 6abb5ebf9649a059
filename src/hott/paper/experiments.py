"""The experiments by name, in the order of a full run."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hott.paper import (
    appendix,
    interpretability,
    judgement,
    knn,
    links,
    maps,
    relation,
    sensitivity,
    statistics,
    timing,
)
from hott.paper.runner import Cell, run_cells
from hott.paper.study import Study
from hott.paper.tables import Table


@dataclass(frozen=True)
class Experiment:
    """A table or figure of the paper: what identifies a row, and the cells to compute."""

    name: str
    about: str
    keys: tuple[str, ...]
    cells: Callable[[Study], list[Cell]]

    def table(self, out: Path) -> Table:
        return Table(out / f"{self.name}.csv", self.keys)

    def run(self, study: Study) -> list[str]:
        """Compute what is missing; returns what failed."""
        return run_cells(self.cells(study), self.table(study.out), self.name)


EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment("knn", "k-NN classification, two protocols", knn.KEYS, knn.cells),
        Experiment("statistics", "statistics of the data sets", statistics.KEYS, statistics.cells),
        Experiment("timing", "pairs of documents a second, beside POT", timing.KEYS, timing.cells),
        Experiment("relation", "relation of HOTT and RWMD to WMD", relation.KEYS, relation.cells),
        Experiment("judgement", "agreement with human judgement", judgement.KEYS, judgement.cells),
        Experiment("sensitivity", "vectors, topics, words of a topic", sensitivity.KEYS, sensitivity.cells),
        Experiment("links", "prediction of citations", links.KEYS, links.cells),
        Experiment("maps", "t-SNE pictures", maps.KEYS, maps.cells),
        Experiment(
            "interpretability", "two books and their topics", interpretability.KEYS, interpretability.cells
        ),
        Experiment("appendix", "k-NN with W2 and with stemming", appendix.KEYS, appendix.cells),
    )
}


def experiments_named(names: list[str]) -> list[Experiment]:
    """The experiments with these names; all of them for ``all``.

    Examples
    --------
    >>> [experiment.name for experiment in experiments_named(["timing", "knn"])]
    ['knn', 'timing']
    >>> experiments_named(["tsne"])
    Traceback (most recent call last):
    ValueError: There is no experiment 'tsne'. There are: all, knn, statistics, timing, relation, ...
    """
    for name in names:
        if name != "all" and name not in EXPERIMENTS:
            raise ValueError(f"There is no experiment {name!r}. There are: all, {', '.join(EXPERIMENTS)}.")
    return [e for e in EXPERIMENTS.values() if "all" in names or e.name in names]
