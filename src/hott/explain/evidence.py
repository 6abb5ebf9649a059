"""Where a theme shows in a text: the sentences that carry it, with its words marked."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.terms.sentences import sentences

# Letters, digits and the marks that belong to them: a generous cut, as the vocabulary decides what is a word.
_CHUNK = re.compile(r"[^\W_](?:[^\W_]|[^\x00-\x7f\s\w])*")


class Mark(NamedTuple):
    """A word in a text that carries a theme.

    Attributes
    ----------
    start, end : int
        Where it is.
    theme : int
    strength : float
        How much of the theme it carries, from 0 to 1.

    Examples
    --------
    >>> mark = Mark(2, 7, theme=0, strength=1.0)
    >>> "A comet is ice."[mark.start : mark.end]
    'comet'
    """

    start: int
    end: int
    theme: int
    strength: float


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that carries a theme.

    Attributes
    ----------
    text : str
    document : str
        The id.
    start : int
        Where it begins in the text of the document; marks count from there.
    mass : float
        How much of the theme it carries.
    marks : tuple of Mark
        The words that carry it.

    Examples
    --------
    >>> sentence = Sentence("A comet is ice.", "comets", 0, 0.4, (Mark(2, 7, 0, 1.0),))
    >>> [sentence.text[mark.start : mark.end] for mark in sentence.marks]
    ['comet']
    """

    text: str
    document: str
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

    Examples
    --------
    :meth:`Comparison.evidence` asks it for the sentences of a theme.

    >>> def count(texts):
    ...     return np.array([[text.count("comet"), text.count("goal")] for text in texts])
    >>> texts = [("a", "A comet is ice. It has a tail.")]
    >>> evidence = Evidence(texts, count, np.array([0]), np.array([0]), np.array([1.0]))
    >>> evidence.sentences(0, n=1)[0].text
    'A comet is ice.'
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
