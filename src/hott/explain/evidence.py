"""Where a topic shows in a document: the words and sentences that carry it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.explain.sentences import sentences


@dataclass(frozen=True, slots=True)
class Carrier:
    """A word or sentence of a document, and how much of the document's mass a topic has in it.

    ``start`` is where a sentence begins in the text; it is None for words.
    """

    text: str
    mass: float
    start: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Evidence:
    """Shares out every word of one document among its topics.

    Topic k is responsible for a word w by ``proportions[k] * topics[k, w]``, divided by the sum of that over
    the document's topics. All carriers of all topics together have mass 1.
    """

    counts: sparse.csr_array  # one row
    proportions: NDArray[np.float64]
    topics: NDArray[np.floating]
    names: Sequence[str]  # of the words
    text: str = ""
    count: Callable[[list[str]], Any] | None = None  # texts -> counts, as the whole document was counted

    def words(self, topic: int, n: int | None = None) -> tuple[Carrier, ...]:
        """The words that carry a topic, the heaviest first."""
        found, shares = self._responsibilities
        mass = shares[topic] * self._occurrences if topic in shares else np.zeros(0)
        return tuple(Carrier(str(self.names[found[j]]), float(mass[j])) for j in _heaviest(mass, n))

    def sentences(self, topic: int, n: int | None = None) -> tuple[Carrier, ...]:
        """The sentences that carry a topic, the heaviest first."""
        _, shares = self._responsibilities
        if topic not in shares or self.count is None:
            return ()
        spans, counts = self._sentence_counts
        mass = counts @ shares[topic] / max(counts.sum(), 1.0)
        return tuple(
            Carrier(self.text[slice(*spans[j])], float(mass[j]), spans[j][0]) for j in _heaviest(mass, n)
        )

    @cached_property
    def _occurrences(self) -> NDArray[np.float64]:
        """How often each of the document's words occurs, as a part of all."""
        occurrences = self.counts[:, self._responsibilities[0]].toarray()[0]
        return occurrences / occurrences.sum()

    @cached_property
    def _responsibilities(self) -> tuple[NDArray[np.intp], dict[int, NDArray[np.float64]]]:
        """The document's words that any of its topics has, and each topic's share in them."""
        topics = np.flatnonzero(self.proportions)
        words = self.counts.indices[self.counts.data > 0]
        joint = self.proportions[topics, None] * self.topics[np.ix_(topics, words)]
        known = joint.sum(axis=0) > 0
        shares = joint[:, known] / joint[:, known].sum(axis=0)
        return words[known], dict(zip(topics.tolist(), shares))

    @cached_property
    def _sentence_counts(self) -> tuple[list[tuple[int, int]], sparse.csr_array]:
        """The sentences, and how often each of the document's words is in each of them."""
        assert self.count is not None
        spans = sentences(self.text)
        counts = sparse.csr_array(self.count([self.text[start:end] for start, end in spans]))
        return spans, counts[:, self._responsibilities[0]]


def _heaviest(mass: NDArray[np.float64], n: int | None) -> list[int]:
    order = np.argsort(-mass, kind="stable")[:n]
    return order[mass[order] > 0].tolist()
