"""What can be compared: documents of an index, texts from outside, groups and labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hott.corpus import Document
from hott.distances.representation import Representation
from hott.explain import Side

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
    """All documents of an index that have this label, to be compared as a group."""

    label: str


One: TypeAlias = str | Document | Text
Comparable: TypeAlias = One | Label | Sequence[One]
"""An id, a document or text from outside, a label, or a group: a list of any of the first three."""


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
