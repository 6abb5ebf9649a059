"""How common forms and phrases are in a collection: sums, so that those of its parts add up to it exactly."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hott.embeddings import default
from hott.terms.lexicon import CAPITAL, MAX_RANK, join_keys, lexicon_of
from hott.terms.reading import Reading, read

ELSEWHERE = 2_000
"""Documents of the language at large that are imagined beside those of a collection.

Among two hundred articles "barely" is as rare as "ryegrass"; in the language it is not.
"""

_PRIOR = 20  # documents that a word is imagined to be missing in, so that two or three say little
MIN_ASSOCIATION = 0.35  # normalised pointwise mutual information of the words of a phrase
MIN_ASSOCIATION_IN_ONE = 0.75  # the same, where one document alone has it
_BATCH = 500  # texts that are read at once


def look_up(keys: NDArray[np.uint64], values: NDArray[Any], wanted: NDArray[np.uint64]) -> NDArray[Any]:
    """Give the values, along the last axis, of some of ascending keys; zeros for those that are not there."""
    if not len(keys):
        return np.zeros((*values.shape[:-1], len(wanted)), values.dtype)
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[places] == wanted, values[..., places], 0)


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Numbers by key, ascending: one column a key, one row a kind of count. They add up."""

    keys: NDArray[np.uint64]
    values: NDArray[np.int32]

    @classmethod
    def total(cls, parts: "Iterable[Counts]", rows: int) -> Self:
        """Add up several counts; keys whose counts are all zero are left out."""
        parts = list(parts)
        if not parts:
            return cls(np.empty(0, np.uint64), np.empty((rows, 0), np.int32))
        keys, place = np.unique(np.concatenate([part.keys for part in parts]), return_inverse=True)
        stacked = np.concatenate([part.values for part in parts], axis=1)
        values = np.stack([np.bincount(place, row, len(keys)) for row in stacked]).round().astype(np.int32)
        kept = values.any(axis=0)
        return cls(keys[kept], values[:, kept])

    @classmethod
    def check(cls, keys: NDArray[Any], values: NDArray[Any], rows: int) -> Self:
        """Make counts of arrays from a file, which may be forged."""
        good = keys.dtype == np.uint64 and keys.ndim == 1 and values.shape == (rows, len(keys))
        in_range = 0 <= values.min(initial=0) <= values.max(initial=0) <= np.iinfo(np.int32).max
        if not good or not in_range or (keys[1:] <= keys[:-1]).any():
            raise ValueError("counts of terms have ascending keys and are not negative.")
        return cls(keys, values.astype(np.int32, copy=False))

    def find(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Give the counts of some keys, zeros for unknown ones."""
        return look_up(self.keys, self.values, keys).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class TermStatistics:
    """In how many documents of a collection each form and each possible phrase is.

    Statistics of a collection are the sum of those of its parts (:meth:`merge`), and of a collection without
    some documents the difference (:meth:`subtract`), to the last digit. So phrases that occur once are kept,
    too: in two parts they are two. They cost eight bytes each, as their keys alone are kept
    (:meth:`to_arrays`); words are told from the documents at hand and never from here.

    Attributes
    ----------
    language : str
    n_documents, n_words : int
    words : Counts
        Of each form: documents, occurrences, and of those inside sentences all and the ones with a capital.
    phrases : Counts
        Of each two neighbours and each name: documents and occurrences.

    Examples
    --------
    >>> some = TermStatistics.of(["A comet is ice.", "The comet has a tail."], "english")
    >>> more = TermStatistics.of(["A goal was scored."], "english")
    >>> both = some.merge(more)
    >>> both.n_documents, both.document_frequency("comets"), both.subtract(some).document_frequency("comet")
    (3, 2, 0)
    """

    language: str
    n_documents: int = 0
    n_words: int = 0
    words: Counts = field(default_factory=lambda: Counts.total((), 4))
    phrases: Counts = field(default_factory=lambda: Counts.total((), 2))

    @classmethod
    def of(cls, texts: Iterable[str], language: str) -> Self:
        """Count the forms and phrases of texts."""
        lexicon = lexicon_of(language)
        texts, parts = iter(texts), []
        while batch := list(islice(texts, _BATCH)):
            parts.append(count_terms(read(batch, lexicon)))
        return cls._sum(language, parts)

    @classmethod
    def _sum(cls, language: str, parts: "list[TermStatistics]") -> Self:
        return cls(
            language,
            sum(part.n_documents for part in parts),
            sum(part.n_words for part in parts),
            Counts.total([part.words for part in parts], 4),
            Counts.total([part.phrases for part in parts], 2),
        )

    def merge(self, *others: "TermStatistics") -> "TermStatistics":
        """Give the statistics of this collection and others together."""
        for other in others:
            if other.language != self.language:
                raise ValueError(
                    f"statistics of one language add up: this one is {self.language}, "
                    f"the other {other.language}."
                )
        return TermStatistics._sum(self.language, [self, *others])

    def subtract(self, other: "TermStatistics") -> "TermStatistics":
        """Give the statistics of this collection without documents that it has."""
        negative = TermStatistics(
            other.language,
            -other.n_documents,
            -other.n_words,
            Counts(other.words.keys, -other.words.values),
            Counts(other.phrases.keys, -other.phrases.values),
        )
        left = self.merge(negative)
        if left.n_documents < 0 or (left.words.values < 0).any() or (left.phrases.values < 0).any():
            raise ValueError("the documents to leave out are not among those of these statistics.")
        return left

    @property
    def mean_length(self) -> float:
        """Words of a document on average, at least 1."""
        return max(self.n_words / self.n_documents, 1.0) if self.n_documents else 1.0

    def key(self, word: str) -> int:
        """Return the key of a word, the same for all its forms, as in the terms of documents."""
        return lexicon_of(self.language).key(word)

    def document_frequency(self, word: str) -> int:
        """Count the documents that have a word, in any form."""
        return int(self.words.find(np.array([self.key(word)], np.uint64))[0, 0])

    def expect(self, keys: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Estimate the chance that a document of this length in the language at large has each form."""
        return -np.expm1(-self.mean_length * look_up(*background_of(self.language), keys))

    def idf(self, keys: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Weigh forms by how rare they are, in the collection and in the language.

        What more than a third of the collection has says less the more have it, however rare it is elsewhere:
        "synopsis" in manuals.
        """
        elsewhere = ELSEWHERE if len(background_of(self.language)[0]) else 0
        here = self.words.find(keys)[0]
        there = here + elsewhere * self.expect(keys)
        among = np.log((self.n_documents + _PRIOR) / (here + 0.5))
        rarity = np.log((self.n_documents + elsewhere + 1) / (there + 0.5))
        return np.maximum(rarity * np.clip(among, 0.0, 1.0), 0.0)

    def find_phrases(
        self, first: NDArray[np.uint64], second: NDArray[np.uint64]
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Say which neighbours belong together, met twice and more often than by chance; and how often."""
        documents, together = self.phrases.find(join_keys(first, second))
        alone = self.words.find(first)[1].astype(float) * self.words.find(second)[1]
        total = max(self.n_words, 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            association = np.log(together * total / alone) / np.log(total / together)
        least = np.where(documents >= 2, MIN_ASSOCIATION, MIN_ASSOCIATION_IN_ONE)
        return (together >= 2) & (association > least), together

    def are_names(self, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Say which forms are written with a capital in the middle of sentences, four times out of five.

        Of forms that only begin sentences, those that are no words of the language.
        """
        _, _, inside, capitals = self.words.find(keys)
        forms, chances = background_of(self.language)
        unknown = (inside == 0) & (look_up(forms, chances, keys) == 0) & (len(forms) > 0)
        return ((capitals > 0) & (capitals >= 0.8 * inside)) | unknown

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Give everything as arrays, to be kept."""
        once = (self.phrases.values == 1).all(axis=0)
        return {
            "totals": np.array([self.n_documents, self.n_words], np.int64),
            "words": self.words.keys,
            "word_counts": self.words.values,
            "phrases_once": self.phrases.keys[once],
            "phrases": self.phrases.keys[~once],
            "phrase_counts": self.phrases.values[:, ~once],
        }

    @classmethod
    def from_arrays(cls, language: str, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Make statistics from what :meth:`to_arrays` gave. What it cannot have given is a ValueError."""
        n_documents, n_words = arrays["totals"].tolist()
        once = Counts.check(arrays["phrases_once"], np.ones((2, len(arrays["phrases_once"])), np.int32), 2)
        often = Counts.check(arrays["phrases"], arrays["phrase_counts"], 2)
        words = Counts.check(arrays["words"], arrays["word_counts"], 4)
        return cls(language, n_documents, n_words, words, Counts.total([once, often], 2))


def count_terms(reading: Reading) -> TermStatistics:
    """Count the forms and phrases of texts that were read."""
    n = len(reading)
    content = reading.is_content
    # In a sentence, and not at its beginning, a capital means something.
    inside = content & reading.is_prose[reading.sentences] & ~reading.is_first
    capital = inside & ((reading.kinds & CAPITAL) > 0)
    words = _tally(reading.keys[content], reading.documents[content], inside[content], capital[content])
    pairs = reading.find_pairs()
    starts, lengths = reading.find_names()
    known = np.isin(starts + 1, pairs) & (lengths == 2)  # counted as neighbours already
    starts, lengths = starts[~known], lengths[~known]
    keys = np.concatenate([reading.join(pairs - 1, np.full(len(pairs), 2)), reading.join(starts, lengths)])
    phrases = _tally(keys, reading.documents[np.concatenate([pairs, starts])])
    return TermStatistics(reading.language, n, len(reading.keys), words, phrases)


def _tally(keys: NDArray[np.uint64], documents: NDArray[np.int32], *marks: NDArray[np.bool_]) -> Counts:
    """Count documents, occurrences, and occurrences with each of some marks."""
    found, place = np.unique(keys, return_inverse=True)
    pairs = np.unique(place.astype(np.int64) << 32 | documents)
    rows = [np.bincount(pairs >> 32, minlength=len(found)), np.bincount(place, minlength=len(found))]
    rows += [np.bincount(place, mark, len(found)) for mark in marks]
    return Counts(found, np.array(rows).astype(np.int32).reshape(2 + len(marks), len(found)))


@lru_cache(maxsize=8)
def background_of(language: str) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    """Give forms of a language at large, and the chance of each by Zipf's law, as Mandelbrot corrected it.

    Of English, from the ranks of the bundled words. Nothing is known of other languages: there the collection
    alone tells what is special.
    """
    if not language.startswith("english"):
        return np.empty(0, np.uint64), np.empty(0)
    lexicon = lexicon_of(language)
    keys = np.array([lexicon.key(word) for word in islice(default(), MAX_RANK)], np.uint64)
    weights = 1 / (np.arange(len(default())) + 2.7)
    found, place = np.unique(keys, return_inverse=True)
    return found, np.bincount(place, weights[: len(keys)]) / weights.sum()
