"""From the words of a query to words of the corpus: the same, spelled like it, or near in meaning."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hott.lexical.frequencies import Frequencies
from hott.lexical.words import WordForms

How = Literal["same", "spelled like", "near in meaning", "in no document"]

SPELLED_LIKE = 0.8
"""Ratio of common characters from which a word may be a misspelling of another."""

NEAR_IN_MEANING = 0.45
"""Cosine of word vectors from which a word stands for one that is in no document."""

SUBSTITUTES = 3
"""Words of the corpus that may stand for one word of a query."""


@dataclass(frozen=True, slots=True)
class Match:
    """A word of a query, and the words of the corpus that it was searched by.

    Examples
    --------
    >>> str(Match("mosquitos", "spelled like", (("mosquitoes", 0.9),)))
    '“mosquitos” is in no document: searched by mosquitoes, spelled like it'
    """

    word: str
    how: How
    by: tuple[tuple[str, float], ...]  # forms of words and how much each counts
    words: tuple[str, ...] = ()  # the same as they are written

    def __str__(self) -> str:
        if self.how == "same":
            return f"“{self.word}”"
        if self.how == "in no document":
            return f"“{self.word}” is in no document, and no word like it"
        listed = ", ".join(self.words or (form for form, _ in self.by))
        return f"“{self.word}” is in no document: searched by {listed}, {self.how} it".replace(
            "near in meaning it", "near in meaning"
        )

    def said(self, word: str) -> str:
        """A word of a document, and which word of the query it stands for where that is another.

        Examples
        --------
        >>> Match("wiket", "spelled like", (("wicket", 0.9),)).said("wickets")
        'wickets for “wiket”'
        """
        how = {"spelled like": "for", "near in meaning": "near"}.get(self.how)
        return f"{word} {how} “{self.word}”" if how else word


def words_in(text: str, matches: Sequence[Match], forms: WordForms) -> Iterator[tuple[str, list[str], Match]]:
    """The words of a query that a text has: their form, and how the text writes them.

    As the query writes them first, then the most frequent.

    Examples
    --------
    >>> forms = WordForms(frozenset(), "english")
    >>> [(form, words, match)] = words_in(
    ...     "It rises, and wages rise, too.", [Match("rise", "same", (("rise", 1.0),))], forms
    ... )
    >>> form, words
    ('rise', ['rise', 'rises'])
    """
    wanted = {form for match in matches for form, _ in match.by}
    written: dict[str, Counter[str]] = {}
    for word, times in Counter(forms.tokens(text)).items():
        form = forms.form(word)
        if form in wanted:
            written.setdefault(form, Counter())[word] = times
    for match in matches:
        for form, _ in match.by:
            if own := written.get(form):
                yield form, sorted(own, key=lambda word: (word != match.word, -own[word], word)), match


@dataclass(frozen=True, eq=False)
class Matcher:
    """Finds the words of a corpus that stand for the words of a query.

    Parameters
    ----------
    frequencies : Frequencies
        Of the words of the corpus, as their forms.
    forms : WordForms
    words : sequence of str
        Words of the corpus that have a vector.
    vectors : array of shape (words, dimensions)
    vector_of : function from a word to its vector, or None for a word without one
    """

    frequencies: Frequencies
    forms: WordForms
    words: Sequence[str] | NDArray[np.object_] = ()
    vectors: NDArray[np.floating] | None = None
    vector_of: Callable[[str], NDArray[np.floating] | None] | None = None

    def match(self, word: str) -> Match:
        """What a word of a query is searched by."""
        own = self.forms.form(word)
        if own in self.frequencies:
            return Match(word, "same", ((own, 1.0),))
        near = self._near_in_meaning(word)
        alike = self._spelled_like(own)
        # A word that has no vector is likely to be misspelt; one that has a vector, and is spelled like a
        # word of the corpus, is a form of it.
        if alike and (not near or alike[0][1] > 0.9):
            return Match(word, "spelled like", alike, self.written(alike))
        if near:
            return Match(word, "near in meaning", near, self.written(near))
        return Match(word, "in no document", ())

    def written(self, forms: tuple[tuple[str, float], ...]) -> tuple[str, ...]:
        """Words of these forms as they are written: the shortest of those that have a vector."""
        return tuple(self._words_of_forms.get(form, form) for form, _ in forms)

    @cached_property
    def _words_of_forms(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for word in sorted(self.words, key=lambda word: (-len(word), word)):
            found[self.forms.form(word)] = word
        return found

    def _spelled_like(self, word: str) -> tuple[tuple[str, float], ...]:
        if len(word) < 4:
            return ()
        found = []
        for other in self._by_length(len(word)):
            if other[0] == word[0] or other[1:3] == word[1:3]:
                compare = SequenceMatcher(None, word, other, autojunk=False)
                if compare.real_quick_ratio() >= SPELLED_LIKE and compare.quick_ratio() >= SPELLED_LIKE:
                    ratio = compare.ratio()
                    if ratio >= SPELLED_LIKE:
                        found.append((other, ratio))
        best = sorted(
            found, key=lambda pair: (-pair[1], -self.frequencies.document_frequency(pair[0]), pair[0])
        )
        return tuple(best[:1])

    def _by_length(self, length: int) -> list[str]:
        return [word for n in range(length - 2, length + 3) for word in self._lengths.get(n, ())]

    @cached_property
    def _lengths(self) -> dict[int, list[str]]:
        grouped: dict[int, list[str]] = {}
        for word in self.frequencies.words:
            grouped.setdefault(len(word), []).append(word)
        return grouped

    def _near_in_meaning(self, word: str) -> tuple[tuple[str, float], ...]:
        own = None if self.vector_of is None or self.vectors is None else self.vector_of(word)
        if own is None:
            return ()
        cosines = self._unit_vectors @ _unit(own[None, :])[0]
        found: dict[str, float] = {}
        for i in np.argsort(-cosines, kind="stable")[: 4 * SUBSTITUTES]:
            form = self.forms.form(self.words[i])
            if cosines[i] >= NEAR_IN_MEANING and form in self.frequencies and len(found) < SUBSTITUTES:
                found.setdefault(form, float(cosines[i]))
        return tuple(found.items())

    @cached_property
    def _unit_vectors(self) -> NDArray[np.float32]:
        return _unit(self.vectors) if self.vectors is not None else np.zeros((0, 1), np.float32)


def _unit(vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    """Rows of length 1; rows without a vector stay zero."""
    clean = np.nan_to_num(np.asarray(vectors, np.float32))
    lengths = np.linalg.norm(clean, axis=1, keepdims=True)
    return np.divide(clean, lengths, out=np.zeros_like(clean), where=lengths > 0)
