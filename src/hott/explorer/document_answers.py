"""Answers about documents: one, some, those that a selection means, and groups of them."""

import numpy as np
from numpy.typing import NDArray

from hott.explorer import schemas, selection
from hott.explorer.columns import format_value
from hott.explorer.shown import ShownIndex, cache_last
from hott.index.subject_tree import LEVELS

LIKENESS = 0.8  # of copies, where no other is asked for


class DocumentAnswers(ShownIndex):
    """Documents, and what is special about some of them."""

    def documents(
        self, offset: int, limit: int, label: str | None, topic: int | None, words: str | None
    ) -> schemas.DocumentPage:
        """Some of the documents that have a label, a topic (the most of it first) and all given words."""
        chosen, proportions = self._of_topic(topic, 0.0)
        kept = np.ones(len(self.index), bool)
        if label is not None:
            kept &= np.array([own == label for own in self.labels], bool)
        if words is not None and words.split():
            kept &= selection.with_words(self.index, words)
        found = kept[chosen]
        shown = chosen[found][offset : offset + limit].tolist()
        table = self.index.documents.rows(shown, ["id", "label"]).records()
        parts: list[float | None] = [None] * len(shown)
        if proportions is not None:
            parts = proportions[found][offset : offset + limit].tolist()
        lines = [
            schemas.DocumentLine(position=position, title=name, proportion=part, **row)
            for position, name, row, part in zip(shown, self.index.documents.names(shown), table, parts)
        ]
        return schemas.DocumentPage(total=int(found.sum()), offset=offset, documents=lines)

    def document(self, id: str) -> schemas.DocumentView:
        """One document with its text and its topics."""
        position = self.position(id)
        document = self.index.documents[position]
        columns = {name: format_value(value) for name, value in document.columns.items() if value is not None}
        return schemas.DocumentView(
            position=position,
            id=document.id,
            title=document.name,
            label=document.label,
            text=document.text,
            columns=columns,
            topics=self.first.shares(self.first.proportions[[position]]),
        )

    def select(self, wanted: schemas.Selection) -> schemas.SelectionView:
        """The documents that a selection means, and what is special about them."""
        positions, proportions = self.find_selected(wanted)
        everywhere = {entry.label: entry.documents for entry in self.corpus.labels}
        return schemas.SelectionView(
            total=len(positions),
            positions=positions.tolist(),
            proportions=None if proportions is None else proportions.tolist(),
            labels=[
                schemas.LabelShare(label=label, documents=n, of=everywhere[label])
                for label, n in selection.label_counts(self.labels, positions)
            ],
            words=selection.special_words(self.index, positions),
            topics=self._more_of(positions),
        )

    def rows(self, wanted: schemas.Selection) -> schemas.RowsView:
        """List the documents that a selection means, with all their columns."""
        positions, _ = self.find_selected(wanted)
        table = self.index.documents.rows(positions.tolist())
        columns = {
            name: [None if value is None else format_value(value) for value in table[name]]
            for name in table.schema
            if name != "text"
        }
        return schemas.RowsView(positions=positions.tolist(), columns=columns)

    def find_selected(self, wanted: schemas.Selection) -> tuple[NDArray[np.intp], NDArray[np.float64] | None]:
        chosen, proportions = self._of_topic(wanted.topic, selection.MIN_PROPORTION)
        kept = np.ones(len(self.index), bool)
        if wanted.where:
            kept &= selection.where_holds(self.index, wanted.where)
        if wanted.words.split():
            kept &= selection.with_words(self.index, wanted.words)
        if wanted.lasso:
            kept &= selection.inside(self.points(), wanted.lasso)
        if wanted.positions is not None:
            kept &= np.isin(np.arange(len(self.index)), wanted.positions)
        if wanted.subject is not None:
            found = [one for one in self.subjects().subjects if one.number == wanted.subject]
            if not found:
                raise ValueError(f"There is no subject {wanted.subject}.")
            kept &= np.isin(np.arange(len(self.index)), found[0].positions)
        left = kept[chosen]
        return chosen[left], None if proportions is None else proportions[left]

    def _of_topic(
        self, topic: int | None, least: float
    ) -> tuple[NDArray[np.intp], NDArray[np.float64] | None]:
        """Documents that have so much of a topic, the most first; all documents without one."""
        if topic is None:
            return np.arange(len(self.index)), None
        if topic not in self.first.names:
            raise ValueError(f"There is no topic {topic} in the first model, or it was merged with another.")
        column = self.first.proportions[:, [topic]].toarray().ravel()
        order = np.argsort(-column, kind="stable")
        order = order[(column[order] >= least) & (column[order] > 0)]
        return order, column[order]

    def _more_of(self, positions: NDArray[np.intp]) -> list[schemas.TopicShare]:
        """Topics that some documents have more of than the corpus, and how much more."""
        if not len(positions) or len(positions) == len(self.index):
            return []
        rows = self.first.proportions
        more = np.asarray(rows[positions].mean(axis=0) - rows.mean(axis=0)).ravel()
        names = self.first.names
        return [
            schemas.TopicShare(number=int(k), name=names[int(k)], proportion=float(more[k]))
            for k in np.argsort(-more, kind="stable")[:4]
            if more[k] > 0.005
        ]

    @cache_last(1)
    def subjects(self) -> schemas.SubjectList:
        """List the subjects of all levels, those of a level the largest first."""
        found = self.index.subjects(threads=1)
        return schemas.SubjectList(
            level=found.level,
            levels=[[subject.number for subject in found.at(level)] for level in LEVELS],
            subjects=[
                schemas.SubjectView(
                    number=subject.number,
                    name=subject.name,
                    terms=list(subject.terms),
                    parent=subject.parent,
                    is_chaff=subject.is_chaff,
                    positions=self.index.documents.positions(subject.ids).tolist(),
                )
                for subject in found.all
            ],
        )

    @cache_last(4)
    def copies(self, likeness: float) -> schemas.CopyList:
        """Groups of documents that are copies of one another."""
        return schemas.CopyList(
            copies=[
                schemas.CopyView(
                    positions=self.index.documents.positions(group.ids).tolist(),
                    likeness=group.likeness,
                    are_exact=group.are_exact,
                )
                for group in self.index.duplicates(likeness)
            ]
        )
