"""A data set counted and divided for one protocol, and the topics that methods share."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from hott.compute.ground import Order
from hott.distances.topic_space import TopicSpace, topic_distances
from hott.distances.word import WMD
from hott.embeddings import WordVectors
from hott.topics import FittedTopics, GibbsLDA
from hott.topics.fitted import Topics
from hott.topics.truncate import truncate_topics
from reproduction.documents import DataSet
from reproduction.evaluation.splits import Split, unrepeated, without_copies
from reproduction.setting import Setting
from reproduction.sources import Source

if TYPE_CHECKING:
    from reproduction.study import Study

Protocol = Literal["clean", "paper"]

MOST_TESTS = 1000  # where few documents are learned from


@dataclass(frozen=True, eq=False)
class Task:
    """What a method is given, and what it is measured on.

    *clean*: vocabulary, topics and weights come from the training documents alone, and a test document that
    is equal to a training document is left out. *paper*: as the authors' code does, they come from all
    documents. Documents without a word in the vocabulary are left out in both.
    """

    study: "Study"
    source: Source
    protocol: Protocol
    rows: NDArray[np.intp]  # the documents that take part, by their place in the data set
    n_documents: int  # of the data set
    labels: NDArray[np.str_]
    texts: list[Any] | None
    counts: sp.csr_array
    words: NDArray[np.object_]
    vectors: NDArray[np.float32]
    split: Split
    unrepeated: NDArray[np.intp]  # training documents that no other training document equals
    copies: int  # test documents that were left out
    setting: Setting = Setting()
    seed: int = 0  # of the methods
    _learned: dict[Any, list[FittedTopics]] = field(default_factory=dict)
    _distances: dict[Any, NDArray[np.float64]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        study: "Study",
        documents: DataSet,
        protocol: Protocol,
        number: int,
        setting: Setting,
        vectors: WordVectors,
    ) -> "Task":
        """Count and divide a data set."""
        split = documents.split(number, setting)
        if setting.train is not None:
            split = split.draw(setting.train, MOST_TESTS, number)
        tests = len(split.test)
        if protocol == "clean":
            split = without_copies(split, documents.contents)
        copies = tests - len(split.test)
        learned_from = split.train if protocol == "clean" else np.arange(len(documents))
        counted = documents.count(learned_from, vectors, setting)
        split = split.only(np.flatnonzero(counted.counts.sum(axis=1) >= max(1, setting.shortest)))
        alone = unrepeated(split.train, documents.contents)
        rows = np.union1d(split.train, split.test)
        place = np.full(len(documents), -1)
        place[rows] = np.arange(len(rows))
        return cls(
            study, documents.source, protocol, rows, len(documents), documents.labels[rows],
            None if documents.counts is not None else [documents.contents[row] for row in rows],
            counted.counts[rows], counted.words, counted.vectors,
            Split(place[split.train], place[split.test]), place[alone], copies,
        )  # fmt: skip

    def under(self, setting: Setting, seed: int) -> "Task":
        """Return the same documents under a setting that counts them alike; what was learned is shared."""
        return replace(self, setting=setting, seed=seed)

    @cached_property
    def training_counts(self) -> sp.csr_array:
        """What methods learn from."""
        return self.counts[self.split.train] if self.protocol == "clean" else self.counts

    @property
    def n_topics(self) -> int:
        return self.setting.topics or self.study.sizes.topics

    @property
    def sweeps(self) -> int:
        return self.setting.sweeps or self.study.sizes.iterations

    def topics(self, n_models: int, *, informed: bool = False) -> list[FittedTopics]:
        """The first of the topic models that all methods share: plain LDA, or informed by word vectors."""
        most = None
        if self.source.name == "gutenberg":
            most = self.setting.book_words or self.study.sizes.words_a_book
        key = (self.n_topics, self.sweeps, self.setting.inference, most, informed, self.seed)
        if len(self._learned.get(key, ())) < n_models:
            model = GibbsLDA(
                self.n_topics, self.sweeps, max_words=most, strength=0, inference=self.setting.inference
            )
            if informed:
                strength = 10.0
                model.set_params(word_vectors=self.vectors, strength=strength)
            self._learned[key] = self.study.topics(model, self.training_counts, n_models, self.seed)
        return self._learned[key][:n_models]

    def spaces(self, n_models: int, *, informed: bool = False, uniform: bool = False) -> list[TopicSpace]:
        """The first topic models with distances between their topics, by words or all 1 (``uniform``)."""
        topics = self.topics(n_models, informed=informed)
        if uniform:
            return [TopicSpace(t, 1.0 - np.eye(t.n_topics)) for t in topics]
        spaces = []
        for number, model in enumerate(topics):
            key = (informed, number, self.setting, self.seed)
            if key not in self._distances:  # once for all methods
                self._distances[key] = self.compare_topics(model)
            spaces.append(TopicSpace(model, self._distances[key]))
        return spaces

    def compare_topics(self, model: Topics) -> NDArray[np.float64]:
        """Return the distances between the topics of a model."""
        topics = self.topic_words(model)
        vectors = None if self.setting.vectors == "none" else self.vectors.astype(np.float64)
        if vectors is None or self.setting.topic_words != "all":
            return topic_distances(topics, vectors, Order(self.setting.p))
        # Whole topics are documents of a thousand words.
        wmd = WMD(vectors, p=self.setting.p).fit(topics)
        return wmd.pairwise(topics, **wmd.where(self.study.run).options)

    def topic_words(self, topics: Topics) -> sp.csr_array:
        """Topics cut to their heaviest words; "all": to those that were seen in the topic at all."""
        if self.setting.topic_words != "all":
            return truncate_topics(topics.components, self.setting.topic_words)
        # A word that was never seen in a topic has the prior's share of it, which is the least there is.
        components = topics.components.astype(np.float64)
        seen = components > 1.5 * components.min(axis=1, keepdims=True)
        return truncate_topics(np.where(seen, components, 0.0), None)
