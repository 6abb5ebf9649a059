"""The topics of an index: their names, how good each is, and documents coloured by them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hott.distances.representation import Representation
from hott.topics import Topic, fillers, named_topics, topic_names
from hott.topics.names import N_WORDS

if TYPE_CHECKING:
    from hott.index.index import Index


def names(index: "Index") -> list[Sequence[str]]:
    """The name of each topic of each model."""
    words = index.vocabulary.words_.tolist()
    return [
        topic_names(
            space.topics.components, words, frequencies=index.word_counts, documents=index.word_documents
        )
        for space in index.hott.models_
    ]


def check_model(index: "Index", model: int) -> None:
    n_models = len(index.hott.models_)
    if model not in range(n_models):
        raise ValueError(f"model must be from 0 to {n_models - 1}, got {model!r}.")


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """How much of some documents each topic of a model has."""

    mass: NDArray[np.float64]
    documents: NDArray[np.int64]  # that have some of it
    n_documents: int  # that have words

    @classmethod
    def of(cls, represented: Representation, model: int) -> "Weights":
        rows = represented.distributions[model].csr
        mass = np.asarray(np.bincount(rows.indices, rows.data, minlength=rows.shape[1]), np.float64)
        return cls(mass, np.bincount(rows.indices, minlength=rows.shape[1]), len(represented))

    def plus(self, more: "Weights") -> "Weights":
        """Those of these documents and of others. Sums of rounded proportions are exact."""
        n_documents = self.n_documents + more.n_documents
        return Weights(self.mass + more.mass, self.documents + more.documents, n_documents)


def of_model(index: "Index", model: int, n_words: int, weights: Weights | None = None) -> tuple[Topic, ...]:
    """The topics of a model by their numbers, each with its share and how good it is.

    ``weights`` are those of the documents of the index, unless it is a part of a larger collection.
    """
    check_model(index, model)
    topics = named_topics(
        index.hott.models_[model].topics.components,
        index.vocabulary.words_.tolist(),
        frequencies=index.word_counts,
        documents=index.word_documents,
        names=index.topic_names[model],
        n_words=n_words,
    )
    found = Weights.of(index.represented, model) if weights is None else weights
    coherent = index.coherence[model]
    concentration = found.mass / np.maximum(found.documents, 1)
    filler = fillers(coherent, concentration)
    share = found.mass / max(found.n_documents, 1)
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


def curated(index: "Index", model: int, n_words: int = N_WORDS) -> list[Topic]:
    """The topics of a model after what people changed about them, hidden ones too, by their numbers."""
    return index.curation(model).joined(
        index.topics_by_number(model, n_words),
        index.hott.models_[model].topics.components,
        index.vocabulary.words_.tolist(),
        frequencies=index.word_counts,
        documents=index.word_documents,
        n_words=n_words,
    )


def colors(index: "Index", by: str) -> list[str | None]:
    """The label of each document, or the name of its heaviest topic."""
    if by not in ("auto", "label", "topic"):
        raise ValueError(f"Documents are coloured by auto, label or topic, not by {by!r}.")
    labels = list(index.documents.labels)
    if by == "label" or (by == "auto" and any(labels)):
        return labels
    heaviest: list[str | None] = [None] * len(index)
    named, leader = {topic.number: topic.name for topic in curated(index, 0)}, index.curation().leader
    rows = index.represented.distributions[0]
    places = zip(index.represented.positions.tolist(), rows.starts[:-1], rows.starts[1:])
    for position, start, end in places:
        shares = np.bincount(leader[rows.sites[start:end]], rows.masses[start:end])
        heaviest[position] = named[int(shares.argmax())]
    return heaviest
