"""What is known of a word as it is written: its form, and what kind of word it is."""

import hashlib
import threading
import unicodedata
from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hott.embeddings import default
from hott.text.languages import check_language, stemmer, stop_words
from hott.text.tokens import MAX_WORD_LENGTH

STOP = 1  # says nothing of the subject, or is too short or too long
CAPITAL = 2  # begins with a capital letter
DIGIT = 4
MINOR = 8  # a number, a unit, a month, a day of the week, or a verb that says next to nothing
ADVERB = 16
COMMON = 32  # among the most common words of the language
PLAIN = 64  # common enough that a capital at the beginning of a sentence says nothing
CHATTER = 128  # a greeting, or a word of mail and forums
PARTICLE = 256  # a small word that a name may begin with: Du Pont
ORIGIN = 512  # says where somebody is from, before a name
VERB = 1024  # hardly ever names a thing: "killed", "able"
ARTICLE = 2048  # what follows names a thing
NAME = 4096  # has a capital wherever it stands

WORDS = Path(__file__).with_name("words.txt")
MAX_COMMON = 2_000  # rank of a common word
MAX_PLAIN = 3_000
MAX_RANK = 50_000  # of a word whose chance in the language matters
_MAX_SURFACES = 400_000  # that a lexicon remembers between two readings


class Lexicon(dict[str, int]):
    """Numbers for words as they are written, and for each its form's key and its kinds.

    ``lexicon[word]`` is its number, for :meth:`describe`. A key is a number that all forms of a word share,
    the same on every machine and in every run.

    >>> english = Lexicon("english")
    >>> keys, kinds = english.describe_words(["planet", "Planets", "the"])
    >>> bool(keys[0] == keys[1]), bool(kinds[2] & STOP)
    (True, True)
    """

    def __init__(self, language: str) -> None:
        super().__init__()
        self.language = check_language(language)
        language, *others = self.language.split(",")
        self._stem = stemmer(language)
        self._stop = stop_words(language)
        self._lists = {kind: words for (kind, of), words in word_lists().items() if of == language}
        self._ranks = ranks() if language == "english" else {}
        # A word is stopped that means nothing in another language of the texts, and in this one is no common
        # word: "der", and not "war" or "die".
        stopped = frozenset().union(*map(stop_words, others))
        self._stop |= {word for word in stopped if self._ranks.get(word, MAX_RANK) >= MAX_PLAIN}
        self._keys, self._flags = array("Q"), array("H")
        self._lock, self._readers = threading.Lock(), 0

    def describe(self, rows: NDArray[np.int32]) -> tuple[NDArray[np.uint64], NDArray[np.uint16]]:
        """Give the keys and the kinds of the words in these rows."""
        if not len(rows):
            return np.empty(0, np.uint64), np.empty(0, np.uint16)
        with self._lock:  # an array cannot grow while someone looks into it
            return np.frombuffer(self._keys, np.uint64)[rows], np.frombuffer(self._flags, np.uint16)[rows]

    def describe_words(self, words: Iterable[str]) -> tuple[NDArray[np.uint64], NDArray[np.uint16]]:
        """Give the keys and the kinds of words; those not met before are added."""
        with self.reading():
            return self.describe(np.fromiter(map(self.__getitem__, words), np.int32))

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Keep all rows as they are meanwhile. Before, forget all words if there are very many."""
        with self._lock:
            if len(self) > _MAX_SURFACES and not self._readers:
                self.clear()
                self._keys, self._flags = array("Q"), array("H")
            self._readers += 1
        try:
            yield
        finally:
            with self._lock:
                self._readers -= 1

    def form(self, word: str) -> str:
        """Bring a word to the form that stands for all its forms."""
        word = normalize(word)
        return self._stem(word) if len(word) <= MAX_WORD_LENGTH else word[:MAX_WORD_LENGTH]

    def key(self, word: str) -> int:
        """Return the key of the form of a word."""
        return key_of(self.form(word))

    def __missing__(self, word: str) -> int:
        key, kinds = self.key(word), self._kinds(word)
        with self._lock:  # threads read at a time: a word has one row, and a row one word
            if word not in self:
                self._keys.append(key)
                self._flags.append(kinds)
                self[word] = len(self._keys) - 1
            return self[word]

    def _kinds(self, word: str) -> int:
        lower = normalize(word)
        rank = self._ranks.get(lower, MAX_RANK)
        has_digit, minor = any(map(str.isdigit, word)), self._is(lower, "minor")
        # A Chinese character may be a word, and two capitals may stand for a country, but not OK.
        chatter = self._is(lower, "chatter")
        letters = 1 if word[0] > "\u2e80" else 2 if word.isupper() and not chatter else 3
        # Of numbers, years are worth a mention; the 000m of 1,000m is not.
        part = word[0].isdigit() and not (len(word) == 4 and word.isdigit())
        kinds = {
            STOP: part
            or lower in self._stop
            or self._is(lower, "prefix")
            or not letters <= len(lower) <= MAX_WORD_LENGTH,
            CAPITAL: word[0].isupper(),
            DIGIT: has_digit,
            MINOR: has_digit or minor,
            ADVERB: bool(self._ranks) and lower.endswith("ly") and self._is_adverb(word, lower),
            COMMON: rank < MAX_COMMON,
            PLAIN: rank < MAX_PLAIN,
            CHATTER: chatter,
            ORIGIN: self._is(lower, "origin"),
            VERB: self._is(lower, "verb"),
            ARTICLE: self._is(lower, "article"),
            NAME: word[0].isupper() and self._is(lower, "name"),
            PARTICLE: self._is(lower, "particle")
            or (len(lower) == 2 and word[0].isupper() and lower not in self._stop and not minor),
        }
        return sum(kind for kind, holds in kinds.items() if holds)

    def _is(self, word: str, kind: str) -> bool:
        return word in self._lists.get(kind, ())

    def _is_adverb(self, word: str, lower: str) -> bool:
        """Say whether a word in -ly is an adverb, unlike Kelly and Sicily."""
        if len(lower) < 5 or self._is(lower, "no-adverb"):
            return False
        return word == lower or any(stem in self._ranks for stem in (lower[:-2], lower[:-1] + "e"))


@lru_cache(maxsize=8)
def lexicon_of(language: str) -> Lexicon:
    """Give the lexicon of a language that all readings share."""
    return Lexicon(language)


def normalize(word: str) -> str:
    """Write a word in lower case, its accents joined to their letters."""
    if word.isascii():
        return word.lower()
    word = unicodedata.normalize("NFKC", word[: 4 * MAX_WORD_LENGTH])
    return word.replace("\u00ad", "").replace("\u034f", "").lower().replace("i\u0307", "i")


@lru_cache(maxsize=200_000)
def key_of(form: str) -> int:
    """Compute the key of a form, a number that is the same on every machine."""
    return int.from_bytes(hashlib.blake2b(form.encode("utf-8", "replace"), digest_size=8).digest(), "little")


def join_keys(first: NDArray[np.uint64], second: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Compute the keys of phrases from the keys of their parts."""
    with np.errstate(over="ignore"):
        mixed = (first ^ (first >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9) + second
        return (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0x94D049BB133111EB)


@lru_cache(maxsize=1)
def word_lists() -> dict[tuple[str, str], frozenset[str]]:
    """Read the lists of words by their kind and language.

    Minor words are numbers, units, months, days and bland verbs; chatter are greetings and words of mail; a
    prefix is no word; an origin stands before a name and is no part of it, and a particle may be one. Verbs
    and names are found by ``tools/make_verbs.py``.
    """
    lines = WORDS.read_text(encoding="utf-8").splitlines()
    return {(kind, language): frozenset(words) for kind, language, *words in map(str.split, lines)}


@lru_cache(maxsize=1)
def ranks() -> dict[str, int]:
    """Rank the most common English words, from 0."""
    return {word: rank for rank, word in enumerate(islice(default(), MAX_RANK))}
