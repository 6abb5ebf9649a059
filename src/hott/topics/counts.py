"""Topics as the sampler leaves them: how often it drew each topic for each word. The rest follows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott import _core
from hott.topics.neighborhood import Neighborhood

UNSEEN = 1e-3
"""Occurrences that a word of no document counts for when the words of a topic are compared."""


@dataclass(frozen=True, eq=False)
class TopicCounts:
    """What was drawn for each word, and the prior: a hundredth of the bytes of the topics, to the same bit.

    >>> nobody = Neighborhood(np.zeros((3, 0), np.int32), np.zeros((3, 0), np.float32))
    >>> drawn = sparse.csr_array(np.array([[3, 0], [1, 1], [0, 2]]))
    >>> TopicCounts.of(drawn, nobody, eta=0.5, strength=0.0).components().round(3)
    array([[0.636, 0.273, 0.091],
           [0.111, 0.333, 0.556]], dtype=float32)
    """

    drawn: sparse.csr_array  # words x topics, whole numbers
    near: Neighborhood  # the words that each word borrows from
    eta: float
    strength: float
    sums: NDArray[np.float64]  # of each topic over all words: added up once, where topics were learned

    @classmethod
    def of(cls, drawn: sparse.csr_array, near: Neighborhood, eta: float, strength: float) -> "TopicCounts":
        """Add up the topics of what was drawn."""
        unscaled = cls(drawn, near, eta, strength, np.ones(drawn.shape[1]))
        return cls(drawn, near, eta, strength, unscaled._masses().sum(axis=1))

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the components, topics x words."""
        n_words, n_topics = self.drawn.shape
        return n_topics, n_words

    def shares(self) -> NDArray[np.float32]:
        """Compute p(topic | word), words x topics; a word of no document has what it borrows."""
        rows = self.drawn.indptr.astype(np.int64), self.drawn.indices.astype(np.int32)
        out = np.empty(self.drawn.shape, np.float32)
        drawn = (*rows, self.drawn.data.astype(np.float64))
        _core.topic_shares(drawn, self.near.words, self.near.weights, self.eta, self.strength, out)
        return out

    def components(self) -> NDArray[np.float32]:
        """Compute p(word | topic), topics x words."""
        masses = self._masses()
        masses /= self.sums[:, None]
        return masses.astype(np.float32)

    def _masses(self) -> NDArray[np.float64]:
        """Return p(topic | word) times how much each word counts, topics x words."""
        occurrences = np.asarray(self.drawn.sum(axis=1), np.float64)
        # Without borrowing this is n(k, w) + eta, as it should be.
        counts = np.where(occurrences > 0, occurrences + self.drawn.shape[1] * self.eta, UNSEEN)
        return np.multiply(self.shares().T, counts, out=np.empty(self.shape))
