"""From the words of a query to words of the corpus: the same, spelled like it, or near in meaning."""

import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hott.embeddings import WordVectors
from hott.embeddings.vectors import unit_rows
from hott.lexical.frequencies import Frequencies
from hott.lexical.spelling import Spellings
from hott.lexical.words import WordForms

How = Literal["same", "spelled like", "near in meaning", "in no document"]

SPELLED = 50_000
"""So many of the most frequent words of a language are taken for what they are, and not for misspelt."""

LONG = 8
"""Letters from which a misspelt word may differ by two from the one that is meant."""

NEAR_IN_MEANING = 0.45
"""Cosine of word vectors from which a word stands for one that is in no document."""

SUBSTITUTES = 3
"""Words of the corpus that may stand for one word of a query."""

MAX_LOOKED_UP = 32
"""Unknown words of a query that are looked up, so that a text of nothing else does not take long."""


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
    language : WordVectors, optional
        Words of the language that have a vector, in a document or not, the most frequent first.
    """

    frequencies: Frequencies
    forms: WordForms
    words: Sequence[str] | NDArray[np.object_] = ()
    vectors: NDArray[np.floating] | None = None
    language: WordVectors | None = None

    def match_all(self, words: Iterable[str]) -> tuple[Match, ...]:
        """What the words of a query are searched by. Of unknown ones only the first are looked up."""
        looked_up, matches = 0, []
        for word in words:
            match = self._same(word)
            if match is None and looked_up < MAX_LOOKED_UP:
                looked_up += 1
                match = self._like(word)
            matches.append(match or Match(word, "in no document", ()))
        return tuple(matches)

    def match(self, word: str) -> Match:
        """What a word of a query is searched by."""
        [match] = self.match_all([word])
        return match

    def _same(self, word: str) -> Match | None:
        form = self.forms.form(word)
        return Match(word, "same", ((form, 1.0),)) if form in self.frequencies else None

    def _like(self, word: str) -> Match | None:
        if not self._is_spelled_right(word) and (alike := self._spelled_like(word, self.forms.form(word))):
            return alike
        if near := self._near_in_meaning(word):
            return Match(word, "near in meaning", near, self.written(form for form, _ in near))
        return None

    def _is_spelled_right(self, word: str) -> bool:
        return self.language is not None and 0 <= self.language.rows([word])[0] < SPELLED

    def written(self, forms: Iterable[str]) -> tuple[str, ...]:
        """Words of these forms as they are written: the shortest of those that have a vector."""
        return tuple(self._words_of_forms.get(form) or self._written_elsewhere(form) for form in forms)

    def _written_elsewhere(self, form: str) -> str:
        """The most frequent word of the language with a form, where no word with a vector has it."""
        if self.language is None or len(form) < 2:
            return form
        start = form[:-1]  # a stem may end in another letter than its words: happi, happy
        words = _words_in_order(self.language)
        first, last = (bisect_left(words, bound) for bound in (start, start + chr(sys.maxunicode)))
        words = [word for word in words[first:last] if self.forms.form(word) == form]
        return words[int(np.argmin(self.language.rows(words)))] if words else form

    @cached_property
    def _with_forms(self) -> list[tuple[str, str]]:
        """The words that have a vector, each with its form."""
        return [(word, self.forms.form(word)) for word in self.words]

    @cached_property
    def _words_of_forms(self) -> dict[str, str]:
        longest_first = sorted(self._with_forms, key=lambda pair: (-len(pair[0]), pair[0]))
        return {form: word for word, form in longest_first}

    def _spelled_like(self, word: str, own: str) -> Match | None:
        """The word of the corpus that takes the fewest edits.

        Of several, one with the same first letter, which is seldom wrong; then the one most documents have.
        """
        found = []
        for typed, (pairs, spellings) in ((word, self._spellings), (own, self._form_spellings)):
            max_edits = (len(typed) >= 4) + (len(typed) >= LONG)
            for place, n in spellings.near(typed, max_edits) if max_edits else ():
                other, form = pairs[place]
                often = self.frequencies.document_frequency(form)
                found.append((n, other[0] != typed[0], -often, form, other))
        if not found:
            return None
        n, _, _, form, other = min(found)
        written = self.written([form])[0] if other == form else other
        return Match(word, "spelled like", ((form, 1 - n / len(word)),), (written,))

    @cached_property
    def _spellings(self) -> tuple[list[tuple[str, str]], Spellings]:
        """Words of the corpus as they are written, with their forms."""
        return _spelled((word, form) for word, form in self._with_forms if form in self.frequencies)

    @cached_property
    def _form_spellings(self) -> tuple[list[tuple[str, str]], Spellings]:
        """The forms of all words: of rare ones, more is not known."""
        return _spelled((form, form) for form in self.frequencies.words)

    def _near_in_meaning(self, word: str) -> tuple[tuple[str, float], ...]:
        own = None if self.language is None else self.language.get(word)
        if own is None or self.vectors is None:
            return ()
        cosines = self._unit_vectors @ unit_rows(own[None, :])[0]
        found: dict[str, float] = {}
        for i in np.argsort(-cosines, kind="stable")[: 4 * SUBSTITUTES]:
            form = self.forms.form(self.words[i])
            if cosines[i] >= NEAR_IN_MEANING and form in self.frequencies and len(found) < SUBSTITUTES:
                found.setdefault(form, float(cosines[i]))
        return tuple(found.items())

    @cached_property
    def _unit_vectors(self) -> NDArray[np.floating]:
        return unit_rows(np.zeros((0, 1), np.float32) if self.vectors is None else self.vectors)


@lru_cache(maxsize=2)
def _words_in_order(language: WordVectors) -> list[str]:
    """The words of a language by the alphabet, once for all indexes."""
    return sorted(language)


def _spelled(pairs: Iterable[tuple[str, str]]) -> tuple[list[tuple[str, str]], Spellings]:
    listed = list(pairs)
    return listed, Spellings(spelling for spelling, _ in listed)
