"""Which documents have which word and how often, and the BM25 scores that follow."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott import _core
from hott.lexical.frequencies import Frequencies, Weighed, place_of
from hott.tokens import number

K1 = 1.2
B = 0.75
"""How soon more occurrences stop to count, and how much long documents are held back (Robertson, 1994)."""

Analyzer = Callable[[str], list[str]]


@dataclass(frozen=True, eq=False)
class Postings:
    """Every word of every document: for each word the documents that have it, and how often.

    Examples
    --------
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
        rows = sparse.csr_array(numbered.counts())
        return cls._of_matrix(rows, np.array(words, dtype=object), np.diff(numbered.starts))

    @classmethod
    def _of_matrix(
        cls, rows: sparse.csr_array, words: NDArray[np.object_], lengths: NDArray[np.integer]
    ) -> Self:
        order = np.argsort(words) if len(words) else np.empty(0, np.intp)
        by_word = sparse.csc_array(rows)[:, order]
        by_word.sort_indices()
        return cls(
            words[order],
            by_word.indptr.astype(np.int64),
            by_word.indices.astype(np.int32),
            by_word.data.astype(_count_type(int(by_word.data.max(initial=0)))),
            np.asarray(lengths, np.int64),
        )

    def __len__(self) -> int:
        """How many documents there are."""
        return len(self.lengths)

    def counts_by_document(self) -> sparse.csr_array:
        """How often each document has each word: documents x words."""
        rows = self._matrix(self.words)
        rows.sum_duplicates()
        return rows

    def take(self, documents: NDArray[np.integer]) -> "Postings":
        """Some of the documents, in the given order, and the words that they have."""
        rows = self._matrix(self.words)[documents]
        used = np.unique(rows.indices)
        return Postings._of_matrix(sparse.csr_array(rows[:, used]), self.words[used], self.lengths[documents])

    def followed_by(self, more: "Postings") -> "Postings":
        """The same with other documents behind them."""
        words = np.array(sorted({*self.words, *more.words}), dtype=object)
        stacked = sparse.vstack([part._matrix(words) for part in (self, more)], format="csr")
        return Postings._of_matrix(
            sparse.csr_array(stacked), words, np.concatenate([self.lengths, more.lengths])
        )

    def _matrix(self, words: NDArray[np.object_]) -> sparse.csr_array:
        """Documents x words, over more words than there are here."""
        shape = len(self), len(self.words)
        counts = self.counts.astype(np.int32, copy=False)
        own = sparse.csc_array((counts, self.documents, self.starts), shape=shape).tocoo()
        columns = np.searchsorted(words, self.words)[own.col] if len(self.words) else own.col
        return sparse.csr_array((own.data, (own.row, columns)), shape=(len(self), len(words)))

    @cached_property
    def frequencies(self) -> Frequencies:
        """How common each word is in these documents."""
        return Frequencies(self.words, np.diff(self.starts), len(self), int(self.lengths.sum()))

    def scores(self, query: Mapping[str, float]) -> NDArray[np.float64]:
        """BM25 of every document for a query, given as words and their weights. Unknown words add nothing."""
        return self.bm25(self.frequencies.weighed(query))

    def bm25(self, query: Weighed) -> NDArray[np.float64]:
        """The same for a query weighed by the frequencies of a collection that these are a part of."""
        total = np.zeros(len(self))
        damping = self._damping(query.mean_length)
        for word, weight in query.words.items():
            place = place_of(self.words, word)
            if place is not None:
                part = slice(self.starts[place], self.starts[place + 1])
                _core.add_bm25(self.documents[part], self.counts[part], weight, K1, damping, total)
        return total

    def _damping(self, mean_length: float) -> NDArray[np.float64]:
        found = self._dampings.get(mean_length)
        if found is None:
            found = np.asarray(K1 * (1 - B + B * self.lengths / mean_length), np.float64)
            self._dampings.clear()  # it is as large as the documents are many
            self._dampings[mean_length] = found
        return found


def _count_type(most: int) -> type[np.integer]:
    return np.uint8 if most < 1 << 8 else np.uint16 if most < 1 << 16 else np.int32
