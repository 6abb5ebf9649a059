"""From texts to documents as the distance sees them, batch by batch."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from hott.blocks import run_blocks, spans_of
from hott.blocks.address import Address
from hott.blocks.parts import ParquetParts
from hott.checks import check_count
from hott.corpus import Corpus
from hott.distances.representation import Representation
from hott.distances.topic import HOTT
from hott.run import Run
from hott.vocabulary import Vocabulary

BATCH = 2_000
"""Documents that are counted and inferred together."""


@dataclass(frozen=True, slots=True)
class Reader:
    """What turns documents into topic proportions."""

    vocabulary: Vocabulary
    distance: HOTT

    def read(self, texts: Sequence[str], run: Run) -> Representation:
        """Texts as the distance sees them."""
        return self.represent(sparse.csr_array(self.vocabulary.transform(texts)), run)

    def represent(self, counts: sparse.csr_array, run: Run) -> Representation:
        """Word counts as the distance sees them."""
        return self.distance.represent(counts, **run.options)

    def read_one(self, text: str, what: str, run: Run = Run()) -> Representation:
        """One text, which must have a known word; ``what`` names it in the error."""
        found = self.read([text], run)
        if not len(found):
            shown = repr(text[:60]) + ("..." if len(text) > 60 else "")
            raise ValueError(
                f"{what} has no known word: {shown} shares none with the {len(self.vocabulary.words_):,} "
                "words of the index. Use words that occur in its documents."
            )
        return found

    def read_all(self, corpus: Corpus, run: Run, batch: int = BATCH) -> Representation:
        """A whole corpus, a batch of documents at a time."""
        done, blocks = 0, []
        with run.reporting("topic proportions") as report:
            for block in self._in_order(corpus, run, check_count(batch, "block")):
                blocks.append(block)
                done += block.n_documents
                if report is not None:
                    report(done, len(corpus))
        return Representation.concat(blocks)

    def _in_order(self, corpus: Corpus, run: Run, batch: int) -> Iterator[Representation]:
        batches = ((number, corpus.texts[span]) for number, span in enumerate(spans_of(len(corpus), batch)))
        early: dict[int, Representation] = {}
        due = 0
        for (number, _), found in run_blocks(_read, self, batches, run):
            early[number] = found
            while due in early:
                yield early.pop(due)
                due += 1

    def write_all(
        self, corpus: Corpus, out: Any, run: Run, batch: int = BATCH, options: dict[str, Any] | None = None
    ) -> None:
        """Proportions to a folder of Parquet files: columns id, model, topic and proportion."""
        address = Address.of(out, options)
        if address.ending != ".parquet":
            raise ValueError(f"out must end in .parquet; got {str(out)!r}.")
        check_count(batch, "block")
        parts = ParquetParts.at(address, batch, "topic proportions", self._fingerprint(corpus))
        finished = parts.finished()
        spans = dict(enumerate(spans_of(len(corpus), parts.block)))
        todo = ((i, corpus[span]) for i, span in spans.items() if i not in finished)
        done = sum(span.stop - span.start for i, span in spans.items() if i in finished)
        with run.reporting("topic proportions") as report:
            for (_, chunk), _ in run_blocks(partial(_read_and_write, parts=parts), self, todo, run):
                done += len(chunk)
                if report is not None:
                    report(done, len(corpus))

    def _fingerprint(self, corpus: Corpus) -> str:
        """A number that is another one for other words, topics or documents."""
        digest = hashlib.blake2b(digest_size=16)
        for word in self.vocabulary.words_:
            digest.update(f"{word}\0".encode())
        for space in self.distance.models_:
            digest.update(np.ascontiguousarray(space.topics.components).data)
        for id, text in zip(corpus.ids, corpus.texts):
            digest.update(f"{id}\0{text}\0".encode())
        return digest.hexdigest()


def _read(reader: Reader, batch: tuple[int, list[str]], run: Run) -> Representation:
    return reader.read(batch[1], run)


def _read_and_write(reader: Reader, batch: tuple[int, Corpus], run: Run, *, parts: ParquetParts) -> None:
    number, corpus = batch
    found = reader.read(corpus.texts, run)
    ids = corpus.to_table()["id"].combine_chunks()
    columns: dict[str, list] = {"document": [], "model": [], "topic": [], "proportion": []}
    for model, part in enumerate(found.distributions):
        columns["document"].append(found.positions.repeat(np.diff(part.starts)))
        columns["model"].append(np.full(len(part.sites), model, np.int32))
        columns["topic"].append(part.sites)
        columns["proportion"].append(part.masses)
    joined = {name: np.concatenate(values) for name, values in columns.items()}
    rows = joined.pop("document").astype(np.int64)
    order = np.argsort(rows, kind="stable")
    parts.write(number, {"id": ids.take(rows[order])} | {name: v[order] for name, v in joined.items()})
