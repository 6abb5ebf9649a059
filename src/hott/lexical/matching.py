"""From the words of a query to words of the corpus: the same, spelled like it, or near in meaning."""

import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hott import _core
from hott.embeddings import WordVectors
from hott.embeddings.nearest import find_nearest
from hott.lexical.compounds import LINKS, Compounds
from hott.lexical.frequencies import Frequencies
from hott.lexical.words import WordForms

How = Literal["same", "parts", "spelled like", "near in meaning", "in no document"]

SPELLED = 50_000
"""So many of the most frequent words of a language are taken for what they are, and not for misspelt."""

SHORT = 6
LONG = 8
"""Letters below which one other letter makes another word, and from which a word may be misspelt twice."""

SOUNDS = (("f", "ph"), ("n", "kn"), ("s", "ps"), ("r", "rh"), ("r", "wr"), ("c", "k"), ("ch", "k"),
          ("c", "s"), ("ks", "x"), ("z", "x"), ("kw", "qu"))  # fmt: skip
"""Letters of English that sound alike: to write one for the other is one edit, however many letters it is."""

NEAR_IN_MEANING = 0.45
"""Cosine of word vectors from which a word stands for one that is in no document."""

SUBSTITUTES = 3
"""Words of the corpus that may stand for one word of a query."""

PART = 0.5
OTHER_COMPOUND = 0.3
"""How much a part counts for a compound, or a compound for its part; and a compound with the same part."""

BESIDE = 0.5
"""How much all of that counts where the word itself is in a document."""

MAX_COMPOUNDS = 20
"""Compounds of the corpus that stand for one word of a query, those of the most documents."""

MAX_LISTED = 5  # of these that are named

MAX_LOOKED_UP = 32
"""Unknown words of a query that are looked up, so that a text of nothing else does not take long."""


@dataclass(frozen=True, slots=True)
class Match:
    """A word of a query, and the words of the corpus that it was searched by.

    >>> str(Match("mosquitos", "spelled like", (("mosquitoes", 0.9),)))
    '“mosquitos” is in no document: searched by mosquitoes, spelled like it'
    """

    word: str
    how: How
    by: tuple[tuple[str, float], ...]  # forms of words and how much each counts
    words: tuple[str, ...] = ()  # the same as they are written
    typed: str = ""  # the word with its capitals
    meant: str = ""  # the word that it is a misspelling of

    def __str__(self) -> str:
        typed = self.typed or self.word
        if self.how == "same":
            return f"“{typed}”"
        read_as = f" (read as “{self.meant}”)" if self.meant and self.how != "spelled like" else ""
        if self.how == "in no document":
            return f"“{typed}”{read_as} is in no document"
        words = self.words or tuple(form for form, _ in self.by)
        if typed[0].isupper() and self.how != "near in meaning":  # a noun of German, or a name
            words = tuple(word[0].upper() + word[1:] for word in words)
        listed, verb = ", ".join(words), "shares" if len(words) == 1 else "share"
        how = {"parts": f"which {verb} a part with it", "spelled like": "spelled like it"}
        return f"“{typed}”{read_as} is in no document: searched by {listed}, {how.get(self.how, self.how)}"

    @property
    def read(self) -> str:
        """The word as it is read: what is meant by a misspelt one, with the capital of a name.

        >>> Match("plaier", "spelled like", (), typed="Plaier", meant="player").read
        'Player'
        """
        typed = self.typed or self.word
        if self.meant and typed[0].isupper():
            return self.meant[:1].upper() + self.meant[1:]
        return self.meant or typed

    def describe(self, word: str) -> str:
        """Name a word of a document, and the word of the query that it stands for where that is another.

        >>> Match("wiket", "spelled like", (("wicket", 0.9),)).describe("wickets")
        'wickets for “wiket”'
        """
        how = {"parts": "for", "spelled like": "for", "near in meaning": "near"}.get(self.how)
        return f"{word} {how} “{self.typed or self.word}”" if how else word


def words_in(text: str, matches: Sequence[Match], forms: WordForms) -> Iterator[tuple[str, list[str], Match]]:
    """Yield the words of a query that a text has: their form, how the text writes them, and their match.

    As the query writes them first, then the most frequent.

    >>> forms = WordForms(frozenset(), "english")
    >>> [(form, words, match)] = words_in(
    ...     "It rises, and wages rise, too.", [Match("rise", "same", (("rise", 1.0),))], forms
    ... )
    >>> form, words
    ('rise', ['rise', 'rises'])
    """
    wanted = {form for match in matches for form, _ in match.by}
    written: dict[str, Counter[str]] = {}
    tokens = forms.tokens(text)
    forms = forms.narrow(tokens)
    for word, times in Counter(tokens).items():
        form = forms.form(word)
        if form in wanted:
            written.setdefault(form, Counter())[word] = times
    for match in matches:
        for form, _ in match.by:
            if own := written.get(form):
                yield form, sorted(own, key=lambda word: (word != match.word, -own[word], word)), match


class Spellings:
    """A list of words, by their letters.

    >>> words = Spellings(["league", "ticket", "cricket"])
    >>> list(words.near("leauge", 2)), list(words.near("criket", 2))
    ([(0, 1)], [(2, 1)])
    """

    def __init__(self, words: Iterable[str]) -> None:
        listed = list(words)
        sizes = np.fromiter(map(len, listed), np.int64, len(listed))
        self._places = np.argsort(sizes, kind="stable")  # words of a length are together
        self._sizes = sizes[self._places]
        self._starts = np.concatenate([[0], np.cumsum(self._sizes)])
        self._letters = _letters("".join(listed[place] for place in self._places))

    def near(self, word: str, max_edits: int) -> Iterator[tuple[int, int]]:
        """Yield the place of each word within ``max_edits`` edits of a word, with the number of edits.

        An edit puts a letter in, leaves one out, changes one, or swaps it with the next. The first letter is
        the same, or the two after it are.
        """
        first, last = np.searchsorted(self._sizes, [len(word) - max_edits, len(word) + max_edits + 1])
        edits = np.empty(last - first, np.uint8)
        _core.near_spellings(_letters(word), self._letters, self._starts, int(first), max_edits, edits)
        for place in np.flatnonzero(edits <= max_edits):
            yield int(self._places[first + place]), int(edits[place])


def _letters(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def respell(word: str) -> set[str]:
    """Write letters of a word in another way that sounds alike, at one place or wherever they are.

    >>> sorted(respell("fox"))
    ['foks', 'foz', 'phox']
    """
    others = set()
    for pair in SOUNDS:
        for one, other in (pair, pair[::-1]):
            places = [place for place in range(len(word)) if word.startswith(one, place)]
            others |= {word[:place] + other + word[place + len(one) :] for place in places}
            others.add(word.replace(one, other))
    return others - {word}


@dataclass(frozen=True, eq=False)
class Matcher:
    """Finds the words of a corpus that stand for the words of a query."""

    frequencies: Frequencies  # of the words of the corpus, as their forms
    forms: WordForms
    words: Sequence[str] | NDArray[np.object_] = ()  # of the corpus, that have a vector
    vectors: Callable[[], NDArray[np.int16] | None] = lambda: None  # of these, in whole numbers
    language: WordVectors | None = None  # words in a document or not, the most frequent first

    def match_all(self, words: Iterable[str]) -> tuple[Match, ...]:
        """Match the words of a query with those of the corpus; only the first unknown ones are looked up."""
        looked_up, matches, often = 0, [], self.frequencies.document_frequency
        for word in words:
            match = None
            if same := {form: 1.0 for form in self.forms.all_forms(word) if often(form)}:
                if self.forms.language in LINKS:
                    compounds = self._find_compounds(next(iter(same)))
                    same |= {form: BESIDE * weight for form, weight in compounds.items() if form not in same}
                match = Match(word, "same", tuple(same.items()))
            elif looked_up < MAX_LOOKED_UP:
                looked_up += 1
                match = self._like(word)
            matches.append(match or Match(word, "in no document", ()))
        return tuple(matches)

    def match(self, word: str) -> Match:
        """Match a word of a query with words of the corpus."""
        [match] = self.match_all([word])
        return match

    def _like(self, word: str) -> Match | None:
        """Match a word that no document has with others that it may stand for."""
        form = self.forms.form(word)
        if parts := self._find_compounds(form):
            spelled = [form for form in parts if form in self._words_of_forms] or list(parts)
            return Match(word, "parts", tuple(parts.items()), self.find_spellings(spelled[:MAX_LISTED]))
        is_right = self.language is not None and 0 <= self.language.rows([word])[0] < SPELLED
        if not is_right and (alike := self._correct_spelling(word, form)):
            return alike
        if near := self._near_in_meaning(word):
            return Match(word, "near in meaning", near, self.find_spellings(form for form, _ in near))
        if relatives := self._compounds.find_relatives(form, self.forms.stop_words)[:MAX_COMPOUNDS]:
            by = tuple((other, OTHER_COMPOUND) for other in relatives)
            return Match(word, "parts", by, self.find_spellings(relatives[:MAX_LISTED]))
        return None

    def _find_compounds(self, form: str) -> dict[str, float]:
        """Find words that share a part with a word, with weights that give rare ones no advantage."""
        split = self._compounds.split(form)
        weights: dict[str, float] = {}
        for part in split or (form,):
            if split:
                weights |= dict.fromkeys(self._compounds.complete(part), PART)
            for other in self._compounds.find(part):
                weights.setdefault(other, OTHER_COMPOUND if split else PART)
        weights.pop(form, None)
        often = self.frequencies.document_frequency
        kept = sorted(weights, key=lambda other: (-weights[other], -often(other), other))[:MAX_COMPOUNDS]
        most = max(
            (self.frequencies.idf(part) for part in (form, *(split or ())) if part in self.frequencies),
            default=0,
        )
        return {
            other: weights[other] * min(1.0, most / idf)
            if most and (idf := self.frequencies.idf(other))
            else weights[other]
            for other in kept
        }

    @cached_property
    def _compounds(self) -> Compounds:
        return Compounds(self.frequencies.words.tolist(), self.forms.language)

    def find_spellings(self, forms: Iterable[str]) -> tuple[str, ...]:
        """Find a spelling for each form: the shortest word with a vector, or else a frequent one."""
        return tuple(self._words_of_forms.get(form) or self._find_in_language(form) for form in forms)

    def _find_in_language(self, form: str) -> str:
        """Find the most frequent word of the language with this form; return the form where there is none."""
        if self.language is None or len(form) < 2:
            return form
        start = form[:-1]  # a stem may end in another letter than its words: happi, happy
        words = _sort_words(self.language)
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

    def _correct_spelling(self, word: str, own: str) -> Match | None:
        """Find the word that takes the fewest edits: of the corpus, or else an ordinary one of the language.

        Of several, one of the corpus, then one with the same first letter, which is seldom wrong; then the
        one most documents have. An ordinary word that no document has is looked for at one edit only, and its
        neighbours in meaning are searched by.
        """
        found = []
        is_unknown = self.language is not None and word not in self.language  # not even as a rare one
        for typed, (pairs, spellings) in zip((word, own), self._spellings):
            for place, n in self._near(typed, spellings, is_unknown):
                other, form = pairs[place]
                # In a language whose words are not known, one that differs in its ending alone is another
                # word (Wetter, Wetten), or in one letter of a few (Hase, Hose), rather than misspelt.
                is_short = len(typed) == len(other) < SHORT and sorted(typed) != sorted(other)
                is_another = is_short or typed[:-1] == other[:-1]
                if self.forms.language is None or self.language is not None or not is_another:
                    often = self.frequencies.document_frequency(form)
                    found.append((n, False, other[0] != typed[0], -often, form, other))
        if self.language is not None and is_unknown and min(found, default=(2,))[0] > 1:
            words, spellings = _ordinary_words(self.language)
            for place, n in self._near(word, spellings, is_unknown):
                form = self.forms.form(words[place])
                often = self.frequencies.document_frequency(form)
                if often or n == 1:
                    found.append(
                        (n, not often, words[place][0] != word[0], -often or place, form, words[place])
                    )
        if not found:
            return None
        n, is_absent, _, _, form, other = min(found)
        if is_absent:
            near = self._near_in_meaning(other)
            spelled = self.find_spellings(form for form, _ in near)
            return Match(word, "near in meaning" if near else "in no document", near, spelled, meant=other)
        written = self.find_spellings([form])[0] if other == form else other
        return Match(word, "spelled like", ((form, 1 - n / len(word)),), (written,), meant=written)

    def _near(self, typed: str, spellings: Spellings, is_unknown: bool) -> Iterable[tuple[int, int]]:
        """Find words that few edits make of a word, with their number; letters of one sound are one edit."""
        max_edits = (len(typed) >= 4) + (len(typed) >= LONG)
        if not max_edits:
            return ()
        edits = dict(spellings.near(typed, max_edits))
        for other in respell(typed) if is_unknown else ():
            for place, n in spellings.near(other, max_edits - 1):
                edits[place] = min(n + 1, edits.get(place, n + 1))
        return edits.items()

    @cached_property
    def _spellings(self) -> list[tuple[list[tuple[str, str]], Spellings]]:
        """Words of the corpus as they are written, and forms, which are all that is known of rare ones."""
        written = [pair for pair in self._with_forms if pair[1] in self.frequencies]
        forms = [(form, form) for form in self.frequencies.words]
        return [(pairs, Spellings(spelling for spelling, _ in pairs)) for pairs in (written, forms)]

    def _near_in_meaning(self, word: str) -> tuple[tuple[str, float], ...]:
        own = None if self.language is None else self.language.get(word)
        vectors = None if own is None else self.vectors()
        if own is None or vectors is None:
            return ()
        [rows], [cosines] = find_nearest(vectors, own[None, :], 4 * SUBSTITUTES)
        found: dict[str, float] = {}
        for row, cosine in zip(rows.tolist(), cosines.tolist()):
            form = self.forms.form(self.words[row])
            if cosine >= NEAR_IN_MEANING and form in self.frequencies and len(found) < SUBSTITUTES:
                found.setdefault(form, cosine)
        return tuple(found.items())


_sort_words = lru_cache(maxsize=2)(sorted)  # of a language, once for all indexes


@lru_cache(maxsize=2)
def _ordinary_words(language: WordVectors) -> tuple[list[str], Spellings]:
    """List the most frequent words of a language, and by their letters, once for all indexes."""
    words = list(islice(language, SPELLED))
    return words, Spellings(words)
