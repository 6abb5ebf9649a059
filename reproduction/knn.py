"""k-NN classification: the experiment behind most tables, for any data set, protocol, method and setting."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reproduction.encoder import BUNDLED, vectors_file
from reproduction.evaluation.knn import KnnErrors, knn_errors, linear_errors
from reproduction.evaluation.splits import Split
from reproduction.methods import METHODS, Method
from reproduction.predictions import keep
from reproduction.runner import Cell
from reproduction.setting import Setting
from reproduction.sources import Source
from reproduction.study import Study
from reproduction.task import Protocol, Task

PAPER_K = 7
HUBS_K = 15  # of which neighbours with hubs corrected profit more
DROPPED = {"clean": 1, "paper": 2}  # of the farthest neighbours, while classes tie


@dataclass(frozen=True)
class Grid:
    """Cells of k-NN classification: every combination of what is listed."""

    methods: tuple[str, ...]
    protocols: tuple[Protocol, ...] = ("paper",)
    settings: tuple[Setting, ...] = (Setting(),)
    datasets: tuple[str, ...] | None = None  # all
    runs: bool = False  # every random split, and as many seeds where the split is given; or the first alone
    main: bool = False  # as many tests for slow methods as in the main tables
    without: tuple[tuple[str, str], ...] = ()  # pairs of data set and method

    def cells(self, study: Study, experiment: str) -> Iterator[tuple[tuple[bool, ...], Cell]]:
        """The cells, each with what it is sorted by: fast ones and first splits first, books last."""
        for source in study.sources:
            if self.datasets and source.name not in self.datasets:
                continue
            for protocol in self.protocols:
                for method in map(METHODS.__getitem__, self.methods):
                    if (source.name, method.name) in self.without or not _possible(study, method, source):
                        continue
                    for setting, split, seed in self._runs(study, source, method):
                        if setting.p != 1 and not method.transport:
                            continue  # the order of the transport is nothing to it
                        cell = _cell(study, experiment, source, protocol, split, method, setting, seed, self)
                        books, again = source.name == "gutenberg", split > 0 or seed > study.seed
                        yield (method.slow and books, again, protocol == "paper", method.slow), cell

    def _runs(self, study: Study, source: Source, method: Method) -> Iterator[tuple[Setting, int, int]]:
        """List the settings, splits and seeds that a method is run with."""
        seed = study.seed if method.random else 0
        for setting in self.settings:
            splits = study.n_splits(source) if setting.train is None else study.sizes.splits
            seeds = range(seed, seed + (study.sizes.splits if splits == 1 and method.random else 1))
            for run in product(range(splits), seeds) if self.runs else [(0, seed)]:
                yield setting, *run


def grids(experiment: str, *parts: Grid) -> "partial[list[Cell]]":
    """The cells of an experiment made of several grids, in a good order."""
    return partial(_in_order, experiment, parts)


def _in_order(experiment: str, parts: tuple[Grid, ...], study: Study) -> list[Cell]:
    found = [entry for grid in parts for entry in grid.cells(study, experiment)]
    return [cell for _, cell in sorted(found, key=lambda entry: entry[0])]


def _possible(study: Study, method: Method, source: Source) -> bool:
    """Tell whether a method can be computed: a large encoder's vectors where the texts have been encoded."""
    if not method.encoder:
        return method.available
    large = method.encoder != BUNDLED
    return source.name != "gutenberg" and (
        not large or vectors_file(study, source.name, method.encoder).exists()
    )


def _cell(
    study: Study,
    experiment: str,
    source: Source,
    protocol: Protocol,
    split: int,
    method: Method,
    setting: Setting,
    seed: int,
    grid: Grid,
) -> Cell:
    key: dict[str, str | int] = {
        "dataset": source.name, "protocol": protocol, "split": split, "method": method.name,
        "setting": setting.label, "seed": seed, "vectors": study.vectors_of(protocol),
    }  # fmt: skip

    def compute() -> Mapping[str, Any]:
        task = study.task(source.name, protocol, split, setting, seed)
        # All models at once, side by side, rather than some for each method.
        if method.models and grid.main and protocol == "clean":
            task.topics(study.sizes.models, informed=method.informed)
        found = classify(task, method, study.sizes.word_pairs if grid.main else study.sizes.side_pairs)
        keep(study.out, experiment, key, found.answers, found.true)
        return found.values

    slow = (5 if method.slow else 1) * (10 if source.name == "gutenberg" else 1)
    learned = (seed, setting.topics, setting.sweeps, setting.book_words, method.informed)
    shares = ((source.name, protocol, split, study.vectors_of(protocol), setting.counting),
              learned if method.models else None)  # fmt: skip
    return Cell(key, compute, source.documents * slow, shares)


@dataclass(frozen=True, eq=False)
class Classified:
    """The error of a method on a task, what it was measured on, and what was said of each document.

    ``answers`` has a row for 7 neighbours and one for the chosen number, over all documents of the data set;
    -1 where a document was not tested. ``true`` is the right class of all that take part.
    """

    values: Mapping[str, Any]
    answers: NDArray[np.int16]
    true: NDArray[np.int16]


def classify(task: Task, method: Method, pairs: int) -> Classified:
    """Classify the test documents of a task; a slow method looks at no more than ``pairs`` pairs."""
    sizes = task.study.sizes
    distance = method.fitted(task)
    R = method.represent(task, distance)
    split = sampled_tests(task, method, pairs).only(R.positions)  # an encoder may know no word of a text
    chosen_on = None
    hubs = task.setting.hubs
    if task.protocol == "clean" and not hubs and not method.linear:
        drawn = np.random.default_rng(0).permutation(task.unrepeated)[: sizes.validation]
        chosen_on = np.intersect1d(drawn, R.positions)
    if method.linear:
        found = linear_errors(R.matrix(), task.labels, split)
    else:
        found = knn_errors(
            distance, R, task.labels, split, validation=chosen_on, drop=DROPPED[task.protocol],
            correct_hubs=hubs, **distance.where(task.study.run).options,
        )  # fmt: skip
    at_7, fixed = (min(k, len(found.test)) for k in (PAPER_K, HUBS_K if hubs else PAPER_K))
    k = fixed if chosen_on is None or not len(chosen_on) else found.best_k
    return Classified(
        {
            "error": float(found.test[k - 1]),
            "k": k,
            "error_k7": float(found.test[at_7 - 1]),
            "train": len(split.train),
            "test": len(task.split.test),
            "tested": len(split.test),
            "copies_removed": task.copies,
            "chosen_on": 0 if chosen_on is None else len(chosen_on),
            "computed": found.computed,
            "pruned": found.pruned,
            "words": task.counts.shape[1],
        },
        *_answers(task, split, found, (at_7, k)),
    )


def _answers(
    task: Task, split: Split, found: KnnErrors, ks: tuple[int, int]
) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    answers = np.full((2, task.n_documents), -1, np.int16)
    answers[:, task.rows[split.test]] = found.predicted[:, [k - 1 for k in ks]].T
    true = np.full(task.n_documents, -1, np.int16)
    true[task.rows] = np.searchsorted(found.classes, task.labels)
    return answers, true


def sampled_tests(task: Task, method: Method, pairs: int) -> Split:
    """The split of a task, with as many of the test documents as a slow method can afford.

    A smaller sample is a part of a larger one.
    """
    sizes, split = task.study.sizes, task.split
    if not method.slow:
        return split
    most = max(1, pairs // len(split.train))
    if task.source.name == "gutenberg":
        most = min(most, sizes.book_tests)
    if len(split.test) <= most:
        return split
    drawn = np.random.default_rng(0).permutation(split.test)[:most]
    return Split(split.train, np.sort(drawn))
