"""Which documents have which word and how often, and the BM25 scores that follow."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott import _core
from hott.lexical.frequencies import Frequencies, WeightedQuery, place_of
from hott.text.tokens import number

K1 = 1.2
B = 0.75
"""How soon more occurrences stop to count, and how much long documents are held back (Robertson, 1994)."""

Analyzer = Callable[[str], list[str]]


@dataclass(frozen=True, eq=False)
class Postings:
    """Every word of every document: for each word the documents that have it, and how often.

    >>> postings = Postings.of(["a cat sat", "a dog", "the cat and the dog"], str.split)
    >>> postings.scores({"cat": 1.0}).round(2)
    array([0.49, 0.  , 0.39])
    """

    words: NDArray[np.object_]  # ascending
    starts: NDArray[np.int64]  # the documents of word i are documents[starts[i] : starts[i + 1]]
    documents: NDArray[np.int32]  # ascending for each word
    counts: NDArray[np.integer]  # as few bytes each as will do
    lengths: NDArray[np.int64]  # words of each document
    _dampings: dict[float, NDArray[np.float64]] = field(default_factory=dict, repr=False)  # the last one

    @classmethod
    def of(cls, texts: Iterable[str], analyze: Analyzer) -> Self:
        """Take in texts, cut into words by ``analyze``."""
        words, numbered = number(texts, analyze)
        by_word = sparse.csr_array(numbered.counts().T)
        return cls._of_matrix(by_word, np.array(words, dtype=object), np.diff(numbered.starts))

    @classmethod
    def _of_matrix(
        cls, by_word: sparse.csr_array, words: NDArray[np.object_], lengths: NDArray[np.integer]
    ) -> Self:
        """Make postings of counts, words x documents, whose words are in ascending order."""
        by_word.sort_indices()
        most = int(by_word.data.max(initial=0))
        kept = np.uint8 if most < 1 << 8 else np.uint16 if most < 1 << 16 else np.int32
        return cls(
            words,
            by_word.indptr.astype(np.int64),
            by_word.indices.astype(np.int32, copy=False),
            by_word.data.astype(kept, copy=False),
            np.asarray(lengths, np.int64),
        )

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.lengths)

    def counts_by_document(self) -> sparse.csr_array:
        """Return how often each document has each word, documents x words."""
        return sparse.csr_array(self._by_word(self.words).astype(np.int32).T)

    def select(self, documents: NDArray[np.integer]) -> "Postings":
        """Keep some of the documents, in the given order, and the words that they have."""
        taken = self._by_word(self.words)[:, documents]
        used = np.flatnonzero(np.diff(taken.indptr))
        return Postings._of_matrix(taken[used], self.words[used], self.lengths[documents])

    @classmethod
    def concat(cls, parts: "Sequence[Postings]") -> "Postings":
        """Put the documents of all parts one after the other."""
        if len(parts) == 1:
            return parts[0]
        words = np.array(sorted({word for part in parts for word in part.words}), dtype=object)
        joined = sparse.hstack([part._by_word(words) for part in parts], format="csr")
        lengths = np.concatenate([part.lengths for part in parts])
        return Postings._of_matrix(sparse.csr_array(joined), words, lengths)

    def _by_word(self, words: NDArray[np.object_]) -> sparse.csr_array:
        """Return the counts, words x documents, over ``words``, which include all of ours, without a copy."""
        sizes = np.zeros(len(words) + 1, np.int64)
        if len(self.words):
            sizes[np.searchsorted(words, self.words) + 1] = np.diff(self.starts)
        shape = len(words), len(self)
        return sparse.csr_array((self.counts, self.documents, np.cumsum(sizes)), shape=shape)

    @cached_property
    def frequencies(self) -> Frequencies:
        """How common each word is in these documents."""
        return Frequencies(self.words, np.diff(self.starts), len(self), int(self.lengths.sum()))

    def scores(self, query: Mapping[str, float]) -> NDArray[np.float64]:
        """Compute BM25 of every document for a query of weighted words; unknown words add nothing."""
        return self.bm25(self.frequencies.weigh(query))

    def bm25(self, query: WeightedQuery) -> NDArray[np.float64]:
        """Compute BM25 of every document for a query weighed by the frequencies of the whole collection."""
        total = np.zeros(len(self.lengths))
        damping = self._dampings.get(query.mean_length)
        if damping is None:
            damping = np.asarray(K1 * (1 - B + B * self.lengths / query.mean_length), np.float64)
            self._dampings.clear()  # it is as large as the documents are many
            self._dampings[query.mean_length] = damping
        for word, weight in query.words.items():
            own = self._places(word)
            _core.add_bm25(self.documents[own], self.counts[own], weight, K1, damping, total)
        return total

    def having(self, word: str) -> NDArray[np.bool_]:
        """Tell which documents have a word."""
        found = np.zeros(len(self), bool)
        found[self.documents[self._places(word)]] = True
        return found

    def compute_coverage(self, query: WeightedQuery) -> NDArray[np.float64]:
        """Compute the share of a query that each document has, by the weights of its words; at most 1."""
        found = np.zeros(len(self.lengths))
        for word, weight in query.words.items():
            found[self.documents[self._places(word)]] += weight
        return np.minimum(found / query.total, 1) if query.total else found

    def _places(self, word: str) -> slice:
        """Return where the documents of a word are; nowhere, if none has it."""
        place = place_of(self.words, word)
        return slice(0) if place is None else slice(self.starts[place], self.starts[place + 1])
