"""The nearest documents of many texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from hott._progress import Progress, reporting
from hott.distances.topic import Prepared
from hott.index._inference import Reader
from hott.neighbors import NeighborResult, search
from hott.scale._collection import Collection, spans_of
from hott.scale._runners import Runner

if TYPE_CHECKING:
    from hott.index import Hits, Index

BATCH = 64
"""Texts that are searched for together."""


@dataclass(frozen=True, slots=True)
class Searched:
    """A collection, and what turns texts into proportions to search it by."""

    reader: Reader
    collection: Collection


def hits(
    index: "Index", texts: Sequence[str], k: int, runner: Runner, progress: Progress = None
) -> "list[Hits]":
    """What ``index.search(text=...)`` finds for each text."""
    searched = Searched(index._reader, Collection.of(index))
    k = min(k, len(searched.collection.known))
    batches = [(span, list(texts[span])) for span in spans_of(len(texts), BATCH)]
    found: dict[int, list[Hits]] = {}
    work, done = partial(_search, k=k, threads=runner.threads), 0
    with reporting(progress, "searches") as report:
        for (span, batch), results in runner.run(work, searched, batches):
            found[span.start] = [
                index._hits(result, row, None, text) for text, (row, result) in zip(batch, results)
            ]
            done += len(batch)
            if report is not None:
                report(done, len(texts))
    return [hit for start in sorted(found) for hit in found[start]]


def _search(
    searched: Searched, batch: tuple[slice, list[str]], *, k: int, threads: int | None
) -> list[tuple[Prepared, NeighborResult]]:
    distance, proportions = searched.collection.distance, searched.collection.proportions
    rows = (searched.reader.read_one(text, "A text") for text in batch[1])
    return [(row, search(distance, row, proportions, k, threads=threads)) for row in rows]
