"""What all experiments share: where the data is, how much to compute, and what has been learned already."""

import hashlib
import io
from dataclasses import dataclass, field, fields
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from hott import embeddings
from hott.embeddings import WordVectors
from hott.embeddings.encoder import LEAD_WEIGHT, Encoder
from hott.topics import FittedTopics, GibbsLDA, train
from hott.utils.atomic import atomic_write, file_lock
from hott.utils.run import Run
from reproduction.documents import DataSet, read
from reproduction.glove import load_glove
from reproduction.setting import Setting, Vectors
from reproduction.sources import GLOVE, SOURCES, Source, sources_named
from reproduction.task import Protocol, Task


@dataclass(frozen=True)
class Sizes:
    """How much is computed. Everything that is sampled is said here, and again in each row of results."""

    documents: int | None = None  # of each data set
    book_words: int | None = None  # most common words of the books; all 15,000 otherwise
    splits: int = 5  # of data sets without a published one
    topics: int = 70
    iterations: int = 100
    models: int = 8
    words_a_book: int = 5000  # drawn from each gutenberg book when topics are learned
    validation: int = 200  # training documents by which the number of neighbours is chosen
    word_pairs: int = 3_000_000  # pairs of a split that slow distances look at; tests are sampled to fit
    side_pairs: int = 1_500_000  # the same in the appendix and the sensitivity studies
    book_tests: int = 150  # test books for slow distances
    relation_documents: int = 200
    bound_pairs: int = 200
    map_documents: int = 2000
    link_pairs: int | None = None
    link_test_share: float = 0.2
    timing_seconds: float = 1.0


QUICK = Sizes(
    documents=150,
    book_words=1500,
    splits=1,
    topics=10,
    iterations=20,
    models=4,
    words_a_book=300,
    validation=40,
    word_pairs=2000,
    side_pairs=2000,
    book_tests=10,
    relation_documents=30,
    bound_pairs=10,
    map_documents=100,
    link_pairs=2000,
    timing_seconds=0.02,
)


@dataclass
class Study:
    """A run of experiments over a folder of data, with results and cached fits in another folder.

    ``seed`` is that of the methods: topics, trained vectors, layouts. Splits and samples of tests do not
    depend on it, so that methods and seeds meet the same documents. ``vectors`` are by default those of the
    protocol: GloVe, which the paper uses, or the bundled ones in the clean protocol.
    """

    data: Path
    out: Path
    datasets: list[str] | None = None
    sizes: Sizes = field(default_factory=Sizes)
    seed: int = 0
    run: Run = Run()
    vectors: Vectors | None = None
    glove: Path | None = None  # a file of GloVe vectors, in place of the one among the data

    def __post_init__(self) -> None:
        self.sources = sources_named(self.datasets)
        self.documents = lru_cache(maxsize=1)(self._documents)
        self._counted = lru_cache(maxsize=2)(self._count)
        self.meanings = lru_cache(maxsize=None)(self._encode)

    def __reduce__(self) -> tuple[Any, ...]:  # to another process, without what has been read
        return Study, tuple(getattr(self, one.name) for one in fields(self))

    def n_splits(self, source: Source) -> int:
        return self.sizes.splits if source.division == "random" else 1

    def task(
        self,
        name: str,
        protocol: Protocol,
        split: int = 0,
        setting: Setting = Setting(),
        seed: int | None = None,
    ) -> Task:
        """Count and divide a data set, ready for methods."""
        counted = self._counted(name, protocol, split, setting.counting)
        return counted.under(setting, self.seed if seed is None else seed)

    def vectors_of(self, protocol: Protocol) -> Vectors:
        """Return the name of the vectors that a protocol is computed with."""
        return self.vectors or ("glove" if protocol == "paper" else "bundled")

    def word_vectors(self, protocol: Protocol) -> WordVectors:
        """Load the vectors that a protocol is computed with."""
        if self.vectors_of(protocol) == "bundled":
            return embeddings.default()
        return load_glove(self.glove_file)

    @property
    def glove_file(self) -> Path:
        return self.glove or self.data / GLOVE

    def _documents(self, name: str) -> DataSet:
        documents = read(SOURCES[name], self.data, self.sizes.book_words)
        if self.sizes.documents is None or len(documents) <= self.sizes.documents:
            return documents
        rows = np.random.default_rng(0).permutation(len(documents))[: self.sizes.documents]
        return documents.only(np.sort(rows))

    def _encode(self, name: str) -> NDArray[np.float32]:
        """Encode the texts of a data set by the bundled encoder, once for all splits and methods."""
        quiet = self.run.quiet()
        texts = [str(text) for text in self.documents(name).contents]
        return Encoder.load().encode(texts, LEAD_WEIGHT, threads=quiet.threads)

    def _count(self, name: str, protocol: Protocol, split: int, setting: Setting) -> Task:
        documents = self.documents(name)
        if setting.vectors == "word2vec":
            vectors = embeddings.train(documents.contents, 200, 5, seed=self.seed, method="word2vec")
        else:
            vectors = embeddings.default() if setting.vectors == "bundled" else self.word_vectors(protocol)
        return Task.of(self, documents, protocol, split, setting, vectors)

    def topics(self, model: GibbsLDA, counts: sp.csr_array, n_models: int, seed: int) -> list[FittedTopics]:
        """Topic models of these counts, from the cache when they have been learned before.

        The first models of a longer list are those of a shorter one, so a longer one serves too.
        """
        longer = self._cached(counts, model, max(n_models, self.sizes.models), seed)
        longer.parent.mkdir(parents=True, exist_ok=True)
        with file_lock(longer):  # another process may be learning them
            path = longer if longer.exists() else self._cached(counts, model, n_models, seed)
            if not path.exists():
                learned = train(model, counts, n_models, seed, self.run)
                stored = io.BytesIO()
                np.savez_compressed(stored, components=np.array([topics.components for topics in learned]))
                with atomic_write(path) as file:
                    file.write(stored.getvalue())
        with np.load(path) as stored:
            return [
                FittedTopics(components, model.alpha, model.inference, seed)
                for components in stored["components"][:n_models]
            ]

    @property
    def _sampler(self) -> str:
        """Topics that were drawn on a GPU are others than those of the processor."""
        return "cpu" if self.run.device == "cpu" else "gpu"

    def _cached(self, counts: sp.csr_array, model: GibbsLDA, n_models: int, seed: int) -> Path:
        """Name the file of topics that were learned from these very counts with these very settings."""
        given = {name: value for name, value in model.get_params().items() if value is not None}
        del given["inference"]  # which comes after learning
        vectors = given.pop("word_vectors", np.empty(0))
        digest = hashlib.sha256(repr([given, n_models, seed, version("hott"), self._sampler]).encode())
        digest.update(np.ascontiguousarray(vectors, np.float32).tobytes())
        for part in (counts.indptr, counts.indices, counts.data):
            digest.update(np.ascontiguousarray(part, np.int64).tobytes())
        return self.out / "cache" / f"topics-{digest.hexdigest()[:32]}.npz"
