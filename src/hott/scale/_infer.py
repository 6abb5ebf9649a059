"""Topics of new documents, a batch of texts at a time."""

import hashlib
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from hott._progress import Progress, reporting
from hott.distances._checks import check_count
from hott.index._inference import Inferred, Reader
from hott.scale._address import Address
from hott.scale._collection import spans_of
from hott.scale._parts import ParquetParts
from hott.scale._runners import Runner

if TYPE_CHECKING:
    from hott.corpus import Corpus

BATCH = 2_000
"""Documents that are counted and inferred together."""


def fingerprint(reader: Reader, corpus: "Corpus") -> str:
    """A number that is another one for other words, topics or documents."""
    digest = hashlib.blake2b(digest_size=16)
    for word in reader.vocabulary.words_:
        digest.update(f"{word}\0".encode())
    for space in reader.distance.models_:
        digest.update(np.ascontiguousarray(space.topics.components).data)
    for id, text in zip(corpus.ids, corpus.texts):
        digest.update(f"{id}\0{text}\0".encode())
    return digest.hexdigest()


def inferred(reader: Reader, corpus: "Corpus", runner: Runner, batch: int = BATCH) -> Iterator[Inferred]:
    """What is inferred of each batch of documents, in their order."""
    batches = ((number, corpus.texts[span]) for number, span in enumerate(spans_of(len(corpus), batch)))
    early: dict[int, Inferred] = {}
    due = 0
    for (number, _), found in runner.run(_infer, reader, batches):
        early[number] = found
        while due in early:
            yield early.pop(due)
            due += 1


def write(
    reader: Reader,
    corpus: "Corpus",
    runner: Runner,
    out: Any,
    *,
    block: int | None = None,
    storage_options: dict[str, Any] | None = None,
    progress: Progress = None,
) -> None:
    """Proportions of the documents to a folder of Parquet files: columns id, model, topic and proportion."""
    address = Address.of(out, storage_options)
    if address.ending != ".parquet":
        raise ValueError(f"out must end in .parquet; got {str(out)!r}.")
    block = check_count(BATCH if block is None else block, "block")
    parts = ParquetParts.at(address, block, "topic proportions", fingerprint(reader, corpus))
    finished = parts.finished()
    spans = dict(enumerate(spans_of(len(corpus), parts.block)))
    todo = ((i, corpus[span]) for i, span in spans.items() if i not in finished)
    done = sum(span.stop - span.start for i, span in spans.items() if i in finished)
    with reporting(progress, "topic proportions") as report:
        for (_, batch), _ in runner.run(partial(_infer_and_write, parts=parts), reader, todo):
            done += len(batch)
            if report is not None:
                report(done, len(corpus))


def _infer(reader: Reader, batch: tuple[int, list[str]]) -> Inferred:
    return reader.read(batch[1])


def _infer_and_write(reader: Reader, batch: "tuple[int, Corpus]", *, parts: ParquetParts) -> None:
    number, corpus = batch
    found = reader.read(corpus.texts)
    ids = corpus.to_table()["id"].combine_chunks()
    columns: dict[str, list] = {"document": [], "model": [], "topic": [], "proportion": []}
    for model, part in enumerate(found.proportions or ()):
        columns["document"].append(found.rows.repeat(np.diff(part.starts)))
        columns["model"].append(np.full(len(part.sites), model, np.int32))
        columns["topic"].append(part.sites)
        columns["proportion"].append(part.masses)
    joined = {name: np.concatenate(values) if values else np.empty(0) for name, values in columns.items()}
    rows = joined.pop("document").astype(np.int64)
    order = np.argsort(rows, kind="stable")
    parts.write(number, {"id": ids.take(rows[order])} | {name: v[order] for name, v in joined.items()})
