"""Topics to be learned, and documents to be read by topics, as the two backends are asked to."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class CountRows:
    """Documents as rows of a CSR matrix: how often which words occur in them."""

    starts: NDArray[np.int64]
    words: NDArray[np.int32]  # ascending in every row
    counts: NDArray[np.float64]  # whole numbers

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """What the core takes."""
        return self.starts, self.words, self.counts

    def occurrences(self, n_words: int) -> NDArray[np.float64]:
        """How often each word occurs in all."""
        return np.bincount(self.words, self.counts, n_words).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Sampling:
    """Topics to be learned by Gibbs sampling, once for each seed."""

    rows: CountRows
    n_seen: int  # words of the documents, numbered from 0; the others borrow all that they have
    neighbors: NDArray[np.int32]  # words x neighbours: from which each word borrows, all of them seen
    weights: NDArray[np.float32]  # of the neighbours, the first not below the others; 0: none
    n_topics: int
    sweeps: int
    alpha: float
    eta: float
    strength: float
    seeds: NDArray[np.uint64]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of what is learned, how often topics were drawn: models x words that were seen x topics."""
        return len(self.seeds), self.n_seen, self.n_topics

    @property
    def draws(self) -> int:
        """How many topics are drawn."""
        return int(self.rows.counts.sum()) * self.sweeps * len(self.seeds)


@dataclass(frozen=True, slots=True, eq=False)
class FoldIn:
    """Documents to be read in terms of topics."""

    rows: CountRows
    table: NDArray[np.float32]  # words x topics, these padded with zeros to a multiple of eight
    alpha: NDArray[np.float32]  # padded likewise
    n_topics: int
    steps: int  # updates of the fixed point, or Gibbs sweeps
    burn_in: int  # sweeps left out of the average
    seed: int
    is_sampled: bool  # by Gibbs sweeps

    @property
    def shape(self) -> tuple[int, int]:
        """Of the proportions: documents x topics."""
        return len(self.rows), self.n_topics
