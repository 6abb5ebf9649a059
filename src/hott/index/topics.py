"""The topics of an index: their names, how good each is, and documents coloured by them."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hott.distances.representation import Representation
from hott.index.edits import Curation
from hott.index.model import Model
from hott.index.snapshot import Snapshot
from hott.topics import Topic, fillers, named_topics


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
    model: Model, snapshot: Snapshot, by: str, curation: Curation, names: dict[int, str]
) -> list[str | None]:
    """Return the label of each document, or the name of its heaviest topic."""
    if by not in ("auto", "label", "topic"):
        raise ValueError(f"Documents are coloured by auto, label or topic, not by {by!r}.")
    labels = list(snapshot.documents.labels)
    if by == "label" or (by == "auto" and any(labels)):
        return labels
    heaviest: list[str | None] = [None] * len(snapshot)
    rows, positions = snapshot.topics.distributions[0], snapshot.topics.positions.tolist()
    for position, start, end in zip(positions, rows.starts[:-1], rows.starts[1:]):
        shares = np.bincount(curation.leader[rows.sites[start:end]], rows.masses[start:end])
        heaviest[position] = names[int(shares.argmax())]
    return heaviest
