"""k-NN classification: eight data sets, every method, as published and without a look at the tests."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from hott.evaluation.knn import knn_errors
from hott.evaluation.splits import Split
from hott.ground import Power
from hott.paper.methods import METHODS, Method
from hott.paper.runner import Cell
from hott.paper.sources import Source
from hott.paper.study import Protocol, Study, Task

KEYS = ("dataset", "protocol", "split", "method")
PAPER_K = 7
PROTOCOLS: tuple[Protocol, ...] = ("clean", "paper")
# Books have thousands of words: a pair takes the word mover's distance seconds, all pairs the relaxed one a
# quarter of an hour.
UNAFFORDABLE = {("gutenberg", "WMD"), ("gutenberg", "WMD-TF-IDF"), ("gutenberg", "RWMD")}


def cells(study: Study) -> list[Cell]:
    """One split of every data set first, the only one as published; clean and fast cells before the others,
    and slow ones on books last.
    """
    found = [
        (method.slow and source.name == "gutenberg", split > 0, PROTOCOLS.index(protocol), method.slow, cell)
        for source in study.sources
        for protocol in PROTOCOLS
        for split in range(study.n_splits(source) if protocol == "clean" else 1)
        for method in METHODS.values()
        if (source.name, method.name) not in UNAFFORDABLE
        for cell in [_cell(study, source, protocol, split, method)]
    ]
    return [cell for *_, cell in sorted(found, key=lambda entry: entry[:-1])]


def _cell(study: Study, source: Source, protocol: Protocol, split: int, method: Method) -> Cell:
    def compute() -> Mapping[str, Any]:
        task = study.task(source.name, protocol, split)
        task.topics(study.sizes.models)  # all at once, side by side, rather than some for each method
        return classify(task, method)

    return Cell(
        {"dataset": source.name, "protocol": protocol, "split": split, "method": method.name},
        compute,
        weight=source.documents * (5 if method.slow else 1) * (10 if source.name == "gutenberg" else 1),
    )


def classify(task: Task, method: Method, p: Power = 1, pairs: int | None = None) -> Mapping[str, Any]:
    """The error of a method on a task, and what it was measured on; ``pairs`` at most for a slow method."""
    sizes = task.study.sizes
    distance = method.fitted(task, p)
    split, seed = sampled_tests(task, method, pairs or sizes.word_pairs), task.study.seed
    validation = 0
    if task.protocol == "clean":
        validation = min(sizes.word_validation if method.slow else sizes.validation, len(split.train))
    found = knn_errors(
        distance, distance.represent(task.counts), task.labels, split,
        n_validation=validation, seed=seed, threads=task.study.threads,
    )  # fmt: skip
    at_7 = found.test[min(PAPER_K, len(found.test)) - 1]
    k = found.best_k if validation else PAPER_K
    return {
        "error": float(found.test[k - 1]) if validation else float(at_7),
        "k": k,
        "error_k7": float(at_7),
        "train": len(split.train),
        "test": len(task.split.test),
        "tested": len(split.test),
        "copies_removed": task.copies,
        "chosen_on": validation,
        "computed": found.computed,
        "pruned": found.pruned,
        "topics": sizes.topics,
        "iterations": sizes.iterations,
        "words": task.counts.shape[1],
        "seed": seed,
    }


def sampled_tests(task: Task, method: Method, pairs: int) -> Split:
    """The split of a task, with as many of the test documents as a slow method can afford."""
    sizes, split = task.study.sizes, task.split
    if not method.slow:
        return split
    most = pairs // len(split.train)
    if task.source.name == "gutenberg":
        most = min(most, sizes.book_tests)
    if len(split.test) <= most:
        return split
    drawn = np.random.default_rng(task.study.seed).permutation(split.test)[:most]
    return Split(split.train, np.sort(drawn))
