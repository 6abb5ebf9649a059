"""Topics as answers, and the changes that people make to them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from fastapi import Query
from numpy.typing import NDArray
from scipy import sparse
from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
from scipy.spatial.distance import squareform

from hott.explorer import schemas
from hott.explorer.answers.base import Base, Name, cache_last
from hott.explorer.schemas import Answer
from hott.index import changing
from hott.topics import Topic, distinctive_words

if TYPE_CHECKING:
    from hott.index import Index

_NEAREST, _TYPICAL, _WORDS = 3, 5, 10
_RELEVANCE = 0.3


class IndexChanged(Exception):
    """The file of the index holds other topics than those that are shown."""


@dataclass(frozen=True, eq=False)
class Topics:
    """The topics of one model after what people changed about them, with the documents' proportions."""

    topics: tuple[Topic, ...]  # the heaviest first, fillers and then hidden ones last
    members: list[list[int]]  # of each, what was merged into it
    hidden: frozenset[int]
    components: NDArray[np.float64]  # a row for each of them
    distances: NDArray[np.float64]
    proportions: sparse.csr_array  # documents x topics, by their numbers; merged ones in one column

    @classmethod
    def of(cls, index: "Index", model: int) -> "Topics":
        curation, space = index.curation(model), index.hott.models_[model]
        topics, learned = index.topics_of(model, hidden=True), index.topics_by_number(model)
        members = [curation.members(topic.number) for topic in topics]
        weights = np.zeros((len(topics), len(learned)))
        for row, own in enumerate(members):
            weights[row, own] = np.maximum([learned[k].share for k in own], 1e-12)
        weights /= weights.sum(axis=1, keepdims=True)
        # Between merged topics: the mean over what they are made of.
        distances = weights @ space.distances @ weights.T
        np.fill_diagonal(distances, 0.0)
        joins = sparse.csr_array(np.eye(len(learned))[curation.leader])
        proportions = sparse.csr_array(index.proportions_of(model) @ joins)
        return cls(
            topics, members, curation.hidden, weights @ space.topics.components, distances, proportions
        )

    @property
    def names(self) -> dict[int, str]:
        return {topic.number: topic.name for topic in self.topics}

    def name(self, shares: NDArray[np.float64], most: int | None = None, least: float = 0.0) -> list[Answer]:
        """Name the topics that have the largest shares, these first; ``shares`` are by their numbers."""
        names = self.names
        return [
            {"number": k, "name": names[k], "proportion": float(shares[k])}
            for k in np.argsort(-shares, kind="stable")[:most].tolist()
            if shares[k] > least
        ]

    def nearest(self, at: int) -> list[Answer]:
        """List the topics that are nearest to one."""
        near = [k for k in np.argsort(self.distances[at], kind="stable").tolist() if k != at][:_NEAREST]
        topics = ((self.topics[k], float(self.distances[at, k])) for k in near)
        return [{"number": topic.number, "name": topic.name, "distance": far} for topic, far in topics]


class TopicLists(Base):
    """The topics of all models. With a file, what people change about them is kept there."""

    def topics(
        self,
        model: Annotated[int, Query(ge=0)] = 0,
        relevance: Annotated[
            float, Query(ge=0, le=1, description="1: frequent words first, 0: special words first.")
        ] = _RELEVANCE,
    ) -> Answer:
        """List the topics of one model, how far apart they are, and which are alike."""
        if model not in range(len(self.index.hott.models_)):
            raise ValueError(
                f"model must be from 0 to {len(self.index.hott.models_) - 1}, got {model}: "
                "the index has no more topic models."
            )
        return self._list_topics(self.index.edits, model, round(relevance, 2))

    def edit_topics(self, edit: schemas.TopicEdit) -> Answer:
        """Rename, merge, hide or show topics, or undo the last change; kept in the file of the index."""
        if self.file is None:
            raise ValueError("Topics can be changed only where the page may write to the file of the index.")
        with self._editing:
            with changing(self.file) as stored:
                if not _have_same_topics(stored, self.index):
                    raise IndexChanged(
                        f"{self.file.name} was built anew meanwhile, and its topics are others than those "
                        "that are shown here. End the server and start it again."
                    )
                if edit.kind == "undo":
                    stored.undo_edit()
                else:
                    stored.edit_topics(edit.kind, edit.topics, edit.name, model=edit.model)
            self.index.edits = stored.edits
        return self.topics(edit.model)

    def topics_over(self, column: Name, by: Literal["year", "month", "day"] | None = None) -> Answer:
        """Give the share of each topic in the documents of each year, month, or value of a column."""
        found = self.index.topics_over(column, by=by)
        return {
            "column": column,
            "groups": list(found.groups),
            "documents": list(found.documents),
            "topics": [topic.number for topic in self.index.topics],
            "names": list(found.topics),
            "shares": found.shares.round(5).tolist(),
        }

    @property
    def first(self) -> Topics:
        """The topics of the first model."""
        return self._curate(self.index.edits, 0)

    @cache_last(16)
    def _curate(self, edits: Any, model: int) -> Topics:
        return Topics.of(self.index, model)

    @cache_last(16)
    def _list_topics(self, edits: Any, model: int, weight: float) -> Answer:
        index, curated = self.index, self._curate(edits, model)
        words = distinctive_words(
            curated.components,
            index.vocabulary.words_.tolist(),
            frequencies=index.model.word_counts,
            documents=index.model.word_documents,
            n=_WORDS,
            weight=weight,
        )
        columns, by_topic = index.vocabulary.vocabulary_, sparse.csc_array(curated.proportions)
        cards = [
            {
                "number": topic.number,
                "name": topic.name,
                "weight": topic.share,
                "coherence": None if np.isnan(topic.coherence) else topic.coherence,
                "is_filler": topic.is_filler,
                "is_hidden": topic.number in curated.hidden,
                "words": [
                    {"word": word, "weight": curated.components[at, columns[word]]} for word in words[at]
                ],
                "members": curated.members[at],
                "nearest": curated.nearest(at),
                "typical": _heaviest(by_topic, topic.number),
            }
            for at, topic in enumerate(curated.topics)
        ]
        order = similar_together(curated.distances)
        return {
            "model": model,
            "models": len(index.hott.models_),
            "topics": cards,
            "order": [curated.topics[at].number for at in order],
            "distances": curated.distances[np.ix_(order, order)].round(6).tolist(),
            "undo": str(index.edits[-1]) if index.edits else None,
        }


def _heaviest(by_topic: sparse.csc_array, number: int) -> list[int]:
    """List the positions of the documents that have the most of a topic."""
    start, end = by_topic.indptr[number : number + 2]
    order = np.argsort(-by_topic.data[start:end], kind="stable")[:_TYPICAL]
    found: list[int] = by_topic.indices[start:end][order].tolist()
    return found


def _have_same_topics(a: "Index", b: "Index") -> bool:
    """Say whether a number means the same topic in both indexes."""
    pairs = zip(a.hott.models_, b.hott.models_)
    return (
        len(a.hott.models_) == len(b.hott.models_)
        and np.array_equal(a.vocabulary.words_, b.vocabulary.words_)
        and all(np.array_equal(one.topics.components, other.topics.components) for one, other in pairs)
    )


def similar_together(distances: NDArray[np.float64]) -> NDArray[np.intp]:
    """Order topics so that similar ones are neighbours: average linkage, with its leaves turned optimally.

    >>> order = similar_together(np.array([[0.0, 9, 1], [9, 0, 9], [1, 9, 0]])).tolist()
    >>> abs(order.index(0) - order.index(2))
    1
    """
    if len(distances) < 3:
        return np.arange(len(distances))
    condensed = squareform(distances, checks=False)
    return leaves_list(optimal_leaf_ordering(linkage(condensed, "average"), condensed)).astype(np.intp)
