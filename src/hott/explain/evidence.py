"""Where a theme shows in a text: the sentences that carry it, with its words marked."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.explain.sentences import sentences

# Letters, digits and the marks that belong to them: a generous cut, as the vocabulary decides what is a word.
_CHUNK = re.compile(r"[^\W_](?:[^\W_]|[^\x00-\x7f\s\w])*")


class Mark(NamedTuple):
    """A word in a text that carries a theme: where it is, and how strongly, from 0 to 1."""

    start: int
    end: int
    theme: int
    strength: float


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that carries a theme. ``start`` is its place in the text; marks count from ``start``."""

    text: str
    document: str  # the id
    start: int
    mass: float
    marks: tuple[Mark, ...] = field(repr=False)


@dataclass(frozen=True, eq=False, repr=False)
class Evidence:
    """The texts of one side, and what each word in them carries.

    Parameters
    ----------
    texts : sequence of (id, text)
    count : function from texts to counts
        As the documents were counted.
    words : array of int
        Columns of the counts, ascending.
    themes, masses : array
        The theme of each of those words, and its part of the side.
    """

    texts: Sequence[tuple[str, str]]
    count: Callable[[list[str]], Any]
    words: NDArray[np.intp]
    themes: NDArray[np.intp]
    masses: NDArray[np.float64]

    def sentences(self, theme: int, n: int) -> tuple[Sentence, ...]:
        """The sentences that carry most of a theme, the heaviest first."""
        found = []
        for (id, text), marks in zip(self.texts, self.marks):
            own = [mark for mark in marks if mark.theme == theme]
            starts = [mark.start for mark in own]
            for start, end in sentences(text):
                inside = own[np.searchsorted(starts, start) : np.searchsorted(starts, end)]
                if inside:
                    mass = sum(mark.strength for mark in inside)
                    shifted = tuple(m._replace(start=m.start - start, end=m.end - start) for m in inside)
                    found.append(Sentence(text[start:end], id, start, mass, shifted))
        return tuple(sorted(found, key=lambda sentence: -round(sentence.mass, 12))[:n])

    @cached_property
    def marks(self) -> list[list[Mark]]:
        """The words of each text that belong to a theme, in the order of the text."""
        spans = [[match.span() for match in _CHUNK.finditer(text)] for _, text in self.texts]
        chunks = sorted({text[s:e] for (_, text), places in zip(self.texts, spans) for s, e in places})
        carried = self._carried(chunks) if chunks else {}
        return [
            [Mark(s, e, *carried[text[s:e]]) for s, e in places if text[s:e] in carried]
            for (_, text), places in zip(self.texts, spans)
        ]

    def _carried(self, chunks: list[str]) -> dict[str, tuple[int, float]]:
        """The theme of each chunk of text that is a known word, and how strongly it carries it."""
        counts = sparse.csr_array(self.count(chunks))
        heaviest: dict[int, float] = {}
        for theme, mass in zip(self.themes.tolist(), self.masses.tolist()):
            heaviest[theme] = max(mass, heaviest.get(theme, 0.0))
        known = {
            word: (mass, theme)
            for word, theme, mass in zip(self.words.tolist(), self.themes.tolist(), self.masses.tolist())
            if mass > 0 and theme >= 0
        }
        carried = {}
        for row, chunk in enumerate(chunks):
            columns = counts.indices[counts.indptr[row] : counts.indptr[row + 1]].tolist()
            if found := [known[column] for column in columns if column in known]:
                mass, theme = max(found)
                carried[chunk] = theme, mass / heaviest[theme]
        return carried
