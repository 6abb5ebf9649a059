"""Comparing documents of an index, texts from outside, groups and labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from hott import explain
from hott.corpus import Document
from hott.distances.representation import Representation
from hott.explain import Side

if TYPE_CHECKING:
    from hott.index.index import Index

_TITLE_LENGTH = 60


@dataclass(frozen=True, slots=True)
class Text:
    """A text that is not in the index, to be compared. A plain string without a space would be an id.

    Examples
    --------
    >>> Text("Planets orbit stars.").document("A")
    Document(id='A', title='Planets orbit stars.', text='Planets orbit stars.', label=None)
    """

    text: str

    def document(self, id: str) -> Document:
        """The text as a document, called by its first words."""
        first = " ".join(self.text.split())
        title = first if len(first) <= _TITLE_LENGTH else first[: _TITLE_LENGTH - 1].rstrip() + "…"
        return Document(id, title, self.text)


@dataclass(frozen=True, slots=True)
class Label:
    """All documents of an index that have this label, to be compared as a group.

    Examples
    --------
    ``index.compare(Label("tennis"), Label("football"))`` says what tells them apart.

    >>> Label("tennis").label
    'tennis'
    """

    label: str


One: TypeAlias = str | Document | Text
Comparable: TypeAlias = One | Label | Sequence[One]
"""An id, a document or text from outside, a label, or a group: a list of any of the first three."""


@dataclass(frozen=True, slots=True)
class Mentioned:
    """What a comparison may want of an index: documents by their ids, and all documents of some labels."""

    ids: frozenset[str]
    labels: frozenset[str] = frozenset()

    @classmethod
    def by(cls, *sides: Comparable) -> "Mentioned":
        """A string may be an id, or a text from outside: which it is shows when it is looked up.

        Examples
        --------
        >>> sorted(Mentioned.by("a", ["b", Text("Stars shine.")]).ids)
        ['a', 'b']
        """
        ids, labels = set(), set()
        for side in sides:
            if isinstance(side, Label):
                labels.add(side.label)
            elif isinstance(side, Sequence):
                ids |= {side} if isinstance(side, str) else {one for one in side if isinstance(one, str)}
        return cls(frozenset(ids), frozenset(labels))


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """One side of a comparison: its documents, as people and as the distance see them."""

    side: Side
    documents: Sequence[Document]
    represented: Representation

    @classmethod
    def of(cls, found: Sequence[tuple[Document, Representation]], id: str = "") -> "Compared":
        """One document, or a group of several."""
        documents = [document for document, _ in found]
        if len(found) == 1 and not id:
            [(document, represented)] = found
            return cls(Side(document.id, document.title or ""), documents, represented)
        ids = ", ".join(document.id for document in documents[:3]) + (", …" if len(documents) > 3 else "")
        n = len(documents)
        title = f"{id or ids} ({n:,} document{'s' * (n != 1)})"
        represented = Representation.concat([one for _, one in found])
        return cls(Side(id or ids, title, n), documents, represented)


def side(index: "Index", which: Comparable, letter: str) -> Compared:
    """One side of a comparison, from what was asked for."""
    if isinstance(which, Label):
        rows = [
            row
            for row, position in enumerate(index.represented.positions.tolist())
            if index.documents.labels[position] == which.label
        ]
        if not rows:
            raise ValueError(f"No document with a known word has the label {which.label!r}.")
        documents = list(index.documents[index.represented.positions[rows]])
        found = [(one, index.represented.take([row])) for one, row in zip(documents, rows)]
        return Compared.of(found, id=which.label)
    if isinstance(which, str | Document | Text):
        return Compared.of([_document(index, which, letter)])
    if not isinstance(which, Sequence) or not which:
        raise ValueError(
            "compare wants ids, Documents, Texts, Labels or lists of them, "
            f"got {which!r:.60} ({type(which).__name__})."
        )
    return Compared.of([_document(index, one, f"{letter}{n}") for n, one in enumerate(which, 1)])


def _document(index: "Index", which: One, name: str) -> tuple[Document, Representation]:
    """A document of the index by its id, or one from outside, as the distance sees it."""
    if isinstance(which, str) and " " in which.strip() and index.documents.find(which) is None:
        which = Text(which)
    if isinstance(which, Text):
        which = which.document(name)
    if isinstance(which, Document):
        return which, index._reader.read_one(which.text, f"The document {which.id!r}")
    if not isinstance(which, str):
        raise ValueError(
            f"compare wants ids, Documents or Texts, got {which!r:.60} ({type(which).__name__})."
        )
    position = index._known(which)
    return index.documents[position], index._by_topics(position)


def explained(index: "Index", a: Compared, b: Compared) -> explain.Comparison:
    """The distance of two sides, explained in their own words."""
    counts = [index.vocabulary.transform([document.text for document in side.documents]) for side in (a, b)]
    distance, seen = index.likeness.explained((a.represented, b.represented), counts)
    return explain.compare(
        distance,
        *seen,
        (counts[0], counts[1]),
        words=index.vocabulary.words_,
        sides=(a.side, b.side),
        documents=(a.documents, b.documents),
        count=index.vocabulary.transform,
        background=background(index),
    )


def background(index: "Index") -> explain.Background:
    """What the corpus knows of its words and topics."""
    concentrations = [
        np.array([topic.concentration for topic in index.topics_by_number(model)])
        for model in range(len(index.hott.models_))
    ]
    return explain.Background(index.word_counts, concentrations)
