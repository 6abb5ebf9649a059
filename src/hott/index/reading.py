"""From texts to documents as the distance sees them, batch by batch."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from hott import embeddings
from hott.blocks import run_blocks, spans_of
from hott.blocks.address import Address, filling
from hott.blocks.parts import ParquetParts
from hott.checks import check_count
from hott.corpus import Corpus
from hott.distances.base import Distance
from hott.distances.representation import Representation
from hott.distances.topic import HOTT
from hott.distances.topic_space import TopicSpace
from hott.index.model import represented
from hott.languages import stop_words_of
from hott.run import Run
from hott.tokens import tokenize
from hott.topics import FittedTopics, borrowed, nearest_weights
from hott.vocabulary import Vocabulary

BATCH = 2_000
"""Documents that are counted and inferred together."""


@dataclass(frozen=True, slots=True)
class Reader:
    """What turns documents into topic proportions."""

    vocabulary: Vocabulary
    distance: HOTT
    others: tuple[Distance, ...] = ()  # over the same words
    reads_unseen: bool = False  # words outside the vocabulary that have a bundled vector, by their neighbours
    rounds: bool = True  # topic proportions to 16 bits, once and for all

    def read(self, texts: Sequence[str], run: Run) -> Representation:
        """Texts by their topics."""
        return self._topics(texts, self._counts(texts), run)

    def read_parts(self, texts: Sequence[str], run: Run) -> tuple[Representation, ...]:
        """Texts by their topics, and as each of the other distances sees them."""
        counts = self._counts(texts)
        return self._topics(texts, counts, run), *self._others(counts, run)

    def represent_parts(self, counts: sparse.csr_array, run: Run) -> tuple[Representation, ...]:
        """The same from word counts."""
        return self._rounded(self.distance.represent(counts, **run.options)), *self._others(counts, run)

    def _counts(self, texts: Sequence[str]) -> sparse.csr_array:
        return sparse.csr_array(self.vocabulary.transform(texts))

    def _topics(self, texts: Sequence[str], counts: sparse.csr_array, run: Run) -> Representation:
        unseen = self._unseen(texts) if self.reads_unseen else None
        if unseen is None:
            return self._rounded(self.distance.represent(counts, **run.options))
        new, distance = unseen
        more = sparse.csr_array(sparse.hstack([counts, new], format="csr"))
        return self._rounded(distance.represent(more, threads=run.threads, device=run.device))

    def _rounded(self, documents: Representation) -> Representation:
        """Proportions as search, comparisons, explanations and the file all have them."""
        if not self.rounds:
            return documents
        return replace(documents, parts=tuple(part.compact() for part in documents.distributions))

    def _others(self, counts: sparse.csr_array, run: Run) -> Iterator[Representation]:
        for other in self.others:
            yield represented(other, counts, run)

    def _unseen(self, texts: Sequence[str]) -> tuple[sparse.csr_array, HOTT] | None:
        """Counts of words outside the vocabulary, and the distance over topics that know them too."""
        own, vectors = self.vocabulary.vectors_, embeddings.default()
        counter = CountVectorizer(analyzer=self._outside, dtype=np.int32)
        if own is None or not any(map(self._outside, texts)):
            return None
        new = counter.fit_transform(texts)
        near = nearest_weights(own, vectors.matrix(counter.get_feature_names_out()))
        models = [
            TopicSpace(space.topics.with_words(borrowed(space.topics.components, *near)), space.distances)
            for space in self.distance.models_
            if isinstance(space.topics, FittedTopics)
        ]
        settings = self.distance.get_params(deep=False) | {"word_vectors": None}
        return sparse.csr_array(new), HOTT.from_models(models, **settings)

    def _outside(self, text: str) -> list[str]:
        """The words of a text that are not in the vocabulary and have a bundled vector."""
        known, vectors = self.vocabulary.vocabulary_, embeddings.default()
        stopped = stop_words_of(self.vocabulary.stop_words, self.vocabulary.language_)
        return [w for w in tokenize(text) if w not in known and w not in stopped and w in vectors]

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

    def read_all(self, corpus: Corpus, run: Run, batch: int = BATCH) -> tuple[Representation, ...]:
        """A whole corpus as :meth:`read_parts` gives it, a batch of documents at a time."""
        done, blocks = 0, []
        with run.reporting("topic proportions") as report:
            for block in self._in_order(corpus, run, check_count(batch, "block")):
                blocks.append(block)
                done += block[0].n_documents
                if report is not None:
                    report(done, len(corpus))
        return tuple(map(Representation.concat, zip(*blocks)))

    def _in_order(self, corpus: Corpus, run: Run, batch: int) -> Iterator[tuple[Representation, ...]]:
        batches = ((number, corpus.texts[span]) for number, span in enumerate(spans_of(len(corpus), batch)))
        early: dict[int, tuple[Representation, ...]] = {}
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
        spans = dict(enumerate(spans_of(len(corpus), parts.block)))
        with filling(parts, len(spans)) as finished, run.reporting("topic proportions") as report:
            todo = ((i, corpus[span]) for i, span in spans.items() if i not in finished)
            done = sum(span.stop - span.start for i, span in spans.items() if i in finished)
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


def _read(reader: Reader, batch: tuple[int, list[str]], run: Run) -> tuple[Representation, ...]:
    return reader.read_parts(batch[1], run)


def _read_and_write(reader: Reader, batch: tuple[int, Corpus], run: Run, *, parts: ParquetParts) -> None:
    number, corpus = batch
    found = reader.read(corpus.texts, run)
    columns: dict[str, list] = {"document": [], "model": [], "topic": [], "proportion": []}
    for model, part in enumerate(found.distributions):
        starts, sites, masses = part.arrays
        columns["document"].append(found.positions.repeat(np.diff(starts)))
        columns["model"].append(np.full(len(sites), model, np.int32))
        columns["topic"].append(sites)
        columns["proportion"].append(masses)
    joined = {name: np.concatenate(values) for name, values in columns.items()}
    rows = joined.pop("document").astype(np.int64)
    order = np.argsort(rows, kind="stable")
    parts.write(
        number, {"id": corpus.ids.take(rows[order]).tolist()} | {name: v[order] for name, v in joined.items()}
    )
