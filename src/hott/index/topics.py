"""The topics of an index: their names, how good each is, and documents coloured by them."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hott.corpus import Corpus
from hott.distances.representation import Representation
from hott.index.edits import Curation
from hott.index.model import Model
from hott.index.snapshot import Snapshot
from hott.topics import Topic, distinctive_words, fillers, named_topics
from hott.utils.run import Run

_MAX_READ = 2_000  # documents that names of topics are found in
_MAX_TYPICAL = 20  # of a topic
_MIN_TYPICAL = 0.15  # of a document that is of a topic
_MIN_LIFT = 2.0  # times as frequent as in the collection is a word of a topic
_N_TERMS = 3  # in a name


def check_model_number(model: Model, number: int) -> None:
    """Raise ValueError unless there is a topic model of this number."""
    n_models = len(model.hott.models_)
    if number not in range(n_models):
        raise ValueError(f"model must be from 0 to {n_models - 1}, got {number!r}.")


@dataclass(frozen=True, slots=True, eq=False)
class TopicWeights:
    """How much of some documents each topic of a topic model has."""

    mass: NDArray[np.float64]
    documents: NDArray[np.int64]  # that have some of it
    n_documents: int  # that have words

    @classmethod
    def of(cls, topics: Representation, number: int) -> "TopicWeights":
        """Add up the proportions of one of the topic models."""
        rows = topics.distributions[number].csr
        mass = np.asarray(np.bincount(rows.indices, rows.data, minlength=rows.shape[1]), np.float64)
        return cls(mass, np.bincount(rows.indices, minlength=rows.shape[1]), len(topics))

    def plus(self, more: "TopicWeights") -> "TopicWeights":
        """Add the weights of other documents. Sums of rounded proportions are exact."""
        n_documents = self.n_documents + more.n_documents
        return TopicWeights(self.mass + more.mass, self.documents + more.documents, n_documents)

    @property
    def concentration(self) -> NDArray[np.float64]:
        """The mean proportion of each topic in the documents that have some of it."""
        return self.mass / np.maximum(self.documents, 1)


def name_topics(model: Model, corpus: Corpus, documents: Representation) -> tuple[tuple[str, ...], ...]:
    """Name the topics of all models by the terms that are special to their typical documents.

    A term must have a word that the topic has more of than the collection. A topic that no document has much
    of is named by its distinctive words.
    """
    from hott.terms.sets import TermTable, name_sets

    some = np.linspace(0, len(documents) - 1, min(len(documents), _MAX_READ)).astype(np.intp)
    table = TermTable.of(corpus[documents.positions[some]].texts, model.parameters["language"])
    words = model.vocabulary.words_.tolist()
    keys = np.array([table.statistics.key(word) for word in words], np.uint64)
    counts = model.word_counts
    frequencies = counts / max(int(counts.sum()), 1)
    found = []
    for space, part in zip(model.hott.models_, documents.distributions):
        components, rows = space.topics.components, part.csr[some].tocsc()
        plain = distinctive_words(components, words, frequencies=counts, documents=model.word_documents)
        sets = []
        for topic, weights in enumerate(components):
            own = slice(rows.indptr[topic], rows.indptr[topic + 1])
            shares = rows.data[own]
            typical = np.argsort(-shares, kind="stable")[:_MAX_TYPICAL]
            typical = rows.indices[own][typical[shares[typical] >= _MIN_TYPICAL]]
            sets.append(table.select(typical, words=keys[weights > _MIN_LIFT * frequencies]))
        names = name_sets(sets, _N_TERMS)
        leaders = {name.terms[0].text.casefold() for name in names if name.terms}
        told = []
        for number, (name, distinctive) in enumerate(zip(names, plain)):
            title = str(name)
            if not name.terms:  # by its words, from the first on that no other name begins with
                rest = [word for word in distinctive if word not in leaders] or [f"topic {number}"]
                leaders.add(rest[0])
                title = ", ".join(rest[:_N_TERMS])
            told.append(title)
        found.append(tuple(told))
    return tuple(found)


def describe_topics(model: Model, number: int, weights: TopicWeights, n_words: int) -> tuple[Topic, ...]:
    """Describe the topics of a topic model by their numbers, each with its share and how good it is."""
    topics = named_topics(
        model.hott.models_[number].topics.components,
        model.vocabulary.words_.tolist(),
        frequencies=model.word_counts,
        documents=model.word_documents,
        names=model.topic_names[number],
        n_words=n_words,
    )
    coherent, concentration = model.coherence[number], weights.concentration
    filler = fillers(coherent, concentration)
    share = weights.mass / max(weights.n_documents, 1)
    return tuple(
        replace(
            topic,
            share=float(share[k]),
            coherence=float(coherent[k]),
            concentration=float(concentration[k]),
            is_filler=bool(filler[k]),
        )
        for k, topic in enumerate(topics)
    )


def color_documents(
    model: Model, snapshot: Snapshot, by: str, curation: Curation, names: dict[int, str], run: Run
) -> list[str | None]:
    """Return the label of each document, or the name of its heaviest topic."""
    if by == "label":
        return list(snapshot.documents.labels)
    heaviest: list[str | None] = [None] * len(snapshot)
    rows, positions = snapshot.topics.distributions[0], snapshot.topics.positions.tolist()
    for position, start, end in zip(positions, rows.starts[:-1], rows.starts[1:]):
        shares = np.bincount(curation.leader[rows.sites[start:end]], rows.masses[start:end])
        heaviest[position] = names[int(shares.argmax())]
    return heaviest
