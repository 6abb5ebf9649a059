"""The topics of a model as the page shows them: cards, and how far they are apart."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.explorer import schemas
from hott.plots.heatmap import similar_together
from hott.topics import Topic, distinctive_words

if TYPE_CHECKING:
    from hott.index import Index

_NEAREST, _TYPICAL, _WORDS = 3, 5, 10
RELEVANCE = 0.3


@dataclass(frozen=True, eq=False)
class Topics:
    """The topics of one model after what people changed about them, with the documents' proportions."""

    model: int
    topics: tuple[Topic, ...]  # the heaviest first, fillers and then hidden ones last
    hidden: frozenset[int]
    members: dict[int, list[int]]
    components: NDArray[np.float64]  # a row for each of them
    distances: NDArray[np.float64]
    proportions: sparse.csr_array  # documents x topics, by their numbers; merged ones in one column

    @classmethod
    def of(cls, index: "Index", model: int) -> "Topics":
        curation, space = index.curation(model), index.hott.models_[model]
        topics = index.topics_of(model, hidden=True)
        members = {topic.number: curation.members(topic.number) for topic in topics}
        learned = index.topics_by_number(model)
        weights = np.zeros((len(topics), len(learned)))
        for row, topic in enumerate(topics):
            own = members[topic.number]
            weights[row, own] = np.maximum([learned[k].share for k in own], 1e-12)
        weights /= weights.sum(axis=1, keepdims=True)
        # Between merged topics: the mean over what they are made of.
        distances = weights @ space.distances @ weights.T
        np.fill_diagonal(distances, 0.0)
        joins = sparse.csr_array(
            (np.ones(len(curation.leader)), (np.arange(len(curation.leader)), curation.leader)),
            shape=(len(curation.leader),) * 2,
        )
        rows = index.proportions_of(model)
        return cls(
            model,
            topics,
            curation.hidden,
            members,
            weights @ space.topics.components,
            distances,
            sparse.csr_array(rows @ joins),
        )

    @property
    def names(self) -> dict[int, str]:
        return {topic.number: topic.name for topic in self.topics}

    def shares(self, row: sparse.csr_array) -> list[schemas.TopicShare]:
        """List the topics in one row of proportions with their names, the heaviest first."""
        names = self.names
        return [
            schemas.TopicShare(number=int(k), name=names[int(k)], proportion=float(row.data[at]))
            for at in np.argsort(-row.data, kind="stable")
            for k in [row.indices[at]]
        ]

    def list_topics(self, index: "Index", weight: float) -> schemas.TopicList:
        """Give the cards of the topics, and how far they are apart."""
        words = distinctive_words(
            self.components,
            index.vocabulary.words_.tolist(),
            frequencies=index.model.word_counts,
            documents=index.model.word_documents,
            n=_WORDS,
            weight=weight,
        )
        columns = index.vocabulary.vocabulary_
        by_topic = sparse.csc_array(self.proportions)
        cards = [
            schemas.TopicCard(
                number=topic.number,
                name=topic.name,
                weight=topic.share,
                coherence=None if np.isnan(topic.coherence) else topic.coherence,
                is_filler=topic.is_filler,
                is_hidden=topic.number in self.hidden,
                words=[
                    schemas.WordWeight(word=word, weight=float(self.components[at, columns[word]]))
                    for word in words[at]
                ],
                members=self.members[topic.number],
                nearest=self._nearest(at),
                typical=_heaviest(by_topic, topic.number),
            )
            for at, topic in enumerate(self.topics)
        ]
        order = similar_together(self.distances)
        return schemas.TopicList(
            model=self.model,
            models=len(index.hott.models_),
            topics=cards,
            order=[self.topics[at].number for at in order],
            distances=self.distances[np.ix_(order, order)].round(6).tolist(),
            undo=str(index.edits[-1]) if index.edits else None,
        )

    def _nearest(self, at: int) -> list[schemas.NearTopic]:
        near = [k for k in np.argsort(self.distances[at], kind="stable").tolist() if k != at][:_NEAREST]
        return [
            schemas.NearTopic(
                number=self.topics[k].number,
                name=self.topics[k].name,
                distance=float(self.distances[at, k]),
            )
            for k in near
        ]


def _heaviest(by_topic: sparse.csc_array, number: int) -> list[int]:
    """List the positions of the documents that have the most of a topic."""
    start, end = by_topic.indptr[number : number + 2]
    order = np.argsort(-by_topic.data[start:end], kind="stable")[:_TYPICAL]
    found: list[int] = by_topic.indices[start:end][order].tolist()
    return found
