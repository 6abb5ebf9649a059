"""How common each word of a collection is: what BM25 weighs words by, for all parts of it alike."""

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hott.embeddings import default
from hott.lexical.words import WordForms

ELSEWHERE = 300
"""Documents in the language at large that are counted beside those of a collection.

In two hundred documents "make" may be as rare as "violin". With thousands of documents it hardly matters.
"""

FREQUENT = 10_000
"""Words of the language that are counted so: rarer ones are in none of so few documents."""


@dataclass(frozen=True, slots=True)
class WeightedQuery:
    """Words of a query, each with its weight times how rare it is, and how long documents are on average."""

    words: Mapping[str, float]
    mean_length: float
    total: float = 0.0  # of all words of the query, also those that no document has


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """How common words are in a language, as their rank tells (Zipf's law, as Mandelbrot corrected it).

    >>> english = Language.of(["the", "make", "violin", "makes"], WordForms(frozenset(["the"]), "english"))
    >>> round(english.chances["make"] / english.chances["violin"], 2)
    2.06
    """

    chances: Mapping[str, float]  # that a word of a text has this form, where stop words are left out

    @classmethod
    def of(cls, words: Iterable[str], forms: WordForms) -> Self:
        """Estimate how common words are from their order, the most frequent first."""
        weights: defaultdict[str, float] = defaultdict(float)
        for rank, word in enumerate(words, 1):
            if word not in forms.stop_words:
                weights[forms.form(word)] += 1 / (rank + 2.7)
        total = sum(weights.values())
        return cls({form: weight / total for form, weight in weights.items()})

    @classmethod
    @lru_cache
    def at_large(cls, forms: WordForms) -> Self:
        """Estimate how common words are from the order of the bundled ones."""
        return cls.of(islice(default(), FREQUENT), forms)


@dataclass(frozen=True, slots=True, eq=False)
class Frequencies:
    """In how many documents of a collection each word is, and how long they are together.

    Those of a collection are the sum of those of its parts, so that every part can be searched as if it were
    the whole.

    >>> some = Frequencies(np.array(["cat", "dog"], object), np.array([2, 1]), 3, 10)
    >>> more = Frequencies(np.array(["cow", "dog"], object), np.array([1, 1]), 1, 2)
    >>> both = some.plus(more)
    >>> both.words.tolist(), both.documents.tolist(), both.n_documents, both.mean_length
    (['cat', 'cow', 'dog'], [2, 1, 2], 4, 3.0)
    >>> both.plus(more, times=-1).words.tolist()
    ['cat', 'dog']
    """

    words: NDArray[np.object_]  # ascending
    documents: NDArray[np.int64]  # that have each of them
    n_documents: int
    n_words: int  # of all documents together

    def __contains__(self, word: str) -> bool:
        return place_of(self.words, word) is not None

    def document_frequency(self, word: str) -> int:
        """Return the number of documents that have a word."""
        place = place_of(self.words, word)
        return 0 if place is None else int(self.documents[place])

    @property
    def mean_length(self) -> float:
        """The mean number of words in a document, at least 1."""
        return max(self.n_words / self.n_documents, 1.0) if self.n_documents else 1.0

    def weigh(
        self, query: Mapping[str, float], language: Language | None = None, total: float = 0.0
    ) -> WeightedQuery:
        """Multiply the weights of a query's words that are in a document by their inverse frequencies."""
        there = (word for word in query if self.document_frequency(word))
        weights = {word: query[word] * self.idf(word, language) for word in there}
        return WeightedQuery(weights, self.mean_length, total)

    def idf(self, word: str, language: Language | None = None) -> float:
        """Return how rare a word is, here and in the language at large; of words in no document, too."""
        here = self.document_frequency(word)
        elsewhere = 0.0
        if language is not None:  # as many of the documents elsewhere have it, if they are as long
            elsewhere = -ELSEWHERE * math.expm1(-self.mean_length * language.chances.get(word, 0.0))
        among = self.n_documents + (0 if language is None else ELSEWHERE)
        return math.log1p((among - here - elsewhere + 0.5) / (here + elsewhere + 0.5))

    def plus(self, more: "Frequencies", times: int = 1) -> "Frequencies":
        """Add the frequencies of another collection, or with ``times=-1`` subtract those of a part."""
        words = np.array(sorted({*self.words, *more.words}), dtype=object)
        documents = np.zeros(len(words), np.int64)
        for part, factor in ((self, 1), (more, times)):
            if len(part.words):
                documents[np.searchsorted(words, part.words)] += factor * part.documents
        left = np.flatnonzero(documents)
        n_documents = self.n_documents + times * more.n_documents
        return Frequencies(words[left], documents[left], n_documents, self.n_words + times * more.n_words)


def place_of(words: NDArray[np.object_], word: str) -> int | None:
    """Find the place of a word among words in ascending order; None where it is not there."""
    place = bisect_left(words, word)
    return place if place < len(words) and words[place] == word else None
