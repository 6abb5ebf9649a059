"""Topics as answers, and the changes that people make to them."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from fastapi import Query

from hott.explorer import schemas
from hott.explorer.answers.base import Base, Name, cache_last
from hott.explorer.topic_views import RELEVANCE
from hott.index import changing

if TYPE_CHECKING:
    from hott.index import Index


class IndexChanged(Exception):
    """The file of the index holds other topics than those that are shown."""


class TopicLists(Base):
    """The topics of all models. With a file, what people change about them is kept there."""

    def topics(
        self,
        model: Annotated[int, Query(ge=0)] = 0,
        relevance: Annotated[
            float, Query(ge=0, le=1, description="1: frequent words first, 0: special words first.")
        ] = RELEVANCE,
    ) -> schemas.TopicList:
        """List the topics of one model, how far apart they are, and which are alike."""
        if model not in range(len(self.index.hott.models_)):
            raise ValueError(
                f"model must be from 0 to {len(self.index.hott.models_) - 1}, got {model}: "
                "the index has no more topic models."
            )
        return self._list_topics(self.index.edits, model, round(relevance, 2))

    def edit_topics(self, edit: schemas.TopicEdit) -> schemas.TopicList:
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

    def topics_over(
        self, column: Name, by: Literal["year", "month", "day"] | None = None
    ) -> schemas.TopicsOver:
        """Give the share of each topic in the documents of each year, month, or value of a column."""
        found = self.index.topics_over(column, by=by)
        return schemas.TopicsOver(
            column=column,
            groups=list(found.groups),
            documents=list(found.documents),
            topics=[topic.number for topic in self.index.topics],
            names=list(found.topics),
            shares=found.shares.round(5).tolist(),
        )

    @cache_last(16)
    def _list_topics(self, edits: Any, model: int, weight: float) -> schemas.TopicList:
        return self._curate(edits, model).list_topics(self.index, weight)


def _have_same_topics(a: "Index", b: "Index") -> bool:
    """Say whether a number means the same topic in both indexes."""
    pairs = zip(a.hott.models_, b.hott.models_)
    return (
        len(a.hott.models_) == len(b.hott.models_)
        and np.array_equal(a.vocabulary.words_, b.vocabulary.words_)
        and all(np.array_equal(one.topics.components, other.topics.components) for one, other in pairs)
    )
