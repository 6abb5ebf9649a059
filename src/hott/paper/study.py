"""What all experiments share: where the data is, how much to compute, and what has been learned already."""

import hashlib
import io
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import numpy as np
import scipy.sparse as sp

from hott import embeddings
from hott._atomic import replacing
from hott.embeddings import WordVectors
from hott.evaluation.splits import Split, without_copies
from hott.paper.documents import DataSet, read
from hott.paper.sources import SOURCES, Source, sources_named
from hott.topics import FittedTopics, GibbsLDA, train

Protocol = Literal["clean", "paper"]


@dataclass(frozen=True)
class Sizes:
    """How much is computed. Everything that is sampled is said here, and again in each row of results."""

    documents: int | None = None  # of each data set
    book_words: int | None = None  # most common words of the books; all 15,000 otherwise
    splits: int = 5  # of data sets without a published one
    topics: int = 70
    iterations: int = 100
    models: int = 8
    words_a_book: int = 500  # drawn from each gutenberg book when topics are learned
    validation: int = 500  # training documents by which the number of neighbours is chosen
    word_validation: int = 200  # the same for the slow distances
    word_pairs: int = 6_000_000  # pairs of a split that slow distances look at; tests are sampled to fit
    appendix_pairs: int = 1_500_000  # the same in the appendix
    book_tests: int = 150  # test books for slow distances
    relation_documents: int = 200
    map_documents: int = 2000
    link_pairs: int | None = None
    link_test_share: float = 0.2
    timing_seconds: float = 1.0


QUICK = Sizes(
    documents=120,
    book_words=1500,
    splits=1,
    topics=10,
    iterations=20,
    words_a_book=300,
    validation=40,
    word_validation=10,
    word_pairs=2000,
    appendix_pairs=2000,
    book_tests=10,
    relation_documents=30,
    map_documents=100,
    link_pairs=2000,
    timing_seconds=0.02,
)


@dataclass
class Study:
    """A run of experiments over a folder of data, with results and cached fits in another folder."""

    data: Path
    out: Path
    datasets: list[str] | None = None
    sizes: Sizes = field(default_factory=Sizes)
    seed: int = 0
    threads: int | None = None

    def __post_init__(self) -> None:
        self.sources = sources_named(self.datasets)
        self.documents = lru_cache(maxsize=1)(self._documents)
        self.task = lru_cache(maxsize=1)(self._task)

    def wants(self, *names: str) -> list[Source]:
        """Those of the named data sets that the run is about."""
        return [source for source in self.sources if source.name in names]

    @property
    def vectors(self) -> WordVectors:
        return embeddings.default()

    def n_splits(self, source: Source) -> int:
        return self.sizes.splits if source.division == "random" else 1

    def _documents(self, name: str) -> DataSet:
        documents = read(SOURCES[name], self.data, self.sizes.book_words)
        if self.sizes.documents is None or len(documents) <= self.sizes.documents:
            return documents
        rows = np.random.default_rng(self.seed).permutation(len(documents))[: self.sizes.documents]
        return documents.only(np.sort(rows))

    def _task(self, name: str, protocol: Protocol, split: int = 0, stem: bool = False) -> "Task":
        return Task(self, self.documents(name), protocol, split, stem, self.vectors)

    def topics(
        self,
        counts: sp.csr_array,
        n_models: int,
        n_topics: int | None = None,
        max_words: int | None = None,
    ) -> list[FittedTopics]:
        """Topic models of these counts, from the cache when they have been learned before.

        The first models of a longer list are those of a shorter one, so a longer one serves too.
        """
        model = GibbsLDA(n_topics or self.sizes.topics, self.sizes.iterations, max_words=max_words)
        longer = self._cached(counts, model, max(n_models, self.sizes.models))
        path = longer if longer.exists() else self._cached(counts, model, n_models)
        if not path.exists():
            learned = train(model, counts, n_models, self.seed)
            stored = io.BytesIO()
            np.savez_compressed(stored, components=np.array([topics.components for topics in learned]))
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as file:
                file.write(stored.getvalue())
        with np.load(path) as stored:
            return [FittedTopics(components, model.alpha) for components in stored["components"][:n_models]]

    def _cached(self, counts: sp.csr_array, model: GibbsLDA, n_models: int) -> Path:
        """The file of topics that were learned from these very counts with these very settings."""
        given = {name: value for name, value in model.get_params().items() if value is not None}
        settings = [given, n_models, self.seed, version("hott")]
        digest = hashlib.sha256(repr(settings).encode())
        for part in (counts.indptr, counts.indices, counts.data):
            digest.update(np.ascontiguousarray(part, np.int64).tobytes())
        return self.out / "cache" / f"topics-{digest.hexdigest()[:32]}.npz"


class Task:
    """A data set counted and divided for one protocol, and the topics learned for it.

    *clean*: vocabulary, topics and weights come from the training documents alone, and a test document that
    is equal to a training document is left out. *paper*: as published, they come from all documents.
    Documents without a word in the vocabulary are left out in both.
    """

    def __init__(
        self,
        study: Study,
        documents: DataSet,
        protocol: Protocol,
        number: int,
        stem: bool,
        vectors: WordVectors,
    ) -> None:
        self.study = study
        self._topics: list[FittedTopics] = []
        self.source = documents.source
        self.protocol = protocol
        split = documents.split(number, study.seed)
        tests = len(split.test)
        if protocol == "clean":
            split = without_copies(split, documents.contents)
        self.copies = tests - len(split.test)
        learned_from = split.train if protocol == "clean" else np.arange(len(documents))
        counted = documents.count(learned_from, vectors, stem)
        self.words, self.vectors = counted.words, counted.vectors
        split = split.only(np.flatnonzero(counted.counts.sum(axis=1)))
        self.rows = np.union1d(split.train, split.test)  # the documents that take part
        self.labels = documents.labels[self.rows]
        self.counts = counted.counts[self.rows]
        self.split = Split(np.searchsorted(self.rows, split.train), np.searchsorted(self.rows, split.test))

    @cached_property
    def training_counts(self) -> sp.csr_array:
        """What methods learn from."""
        return self.counts[self.split.train] if self.protocol == "clean" else self.counts

    def topics(self, n_models: int) -> list[FittedTopics]:
        """The first of the topic models that all methods share; learned from a part of each book."""
        if len(self._topics) < n_models:
            most = self.study.sizes.words_a_book if self.source.name == "gutenberg" else None
            self._topics = self.study.topics(self.training_counts, n_models, max_words=most)
        return self._topics[:n_models]
