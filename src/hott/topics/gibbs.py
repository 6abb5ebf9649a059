"""Topics by our own collapsed Gibbs sampler, where rare words borrow from the words near them in meaning."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hott.compute import backends
from hott.compute.ground import CountRows, Sampling
from hott.topics.counts import TopicCounts
from hott.topics.fitted import FittedTopics, Inference
from hott.topics.model import RandomState, TopicEstimator, check_settings, thin
from hott.topics.neighborhood import Neighborhood, check_vectors, neighborhood
from hott.utils.run import Run

MAX_TOPICS = 2**16 - 1
MAX_OCCURRENCES = 2**24
"""Counts are kept in single precision, which is exact up to here."""


@dataclass(eq=False, repr=False)
class GibbsLDA(TopicEstimator):
    """Latent Dirichlet allocation that knows what words mean: a rare word borrows from its neighbours.

    Counts alone place a word that occurs once or twice at random. Here the nearest words by their vectors
    count too, as if the word had occurred ``strength`` times more often with their topics; a frequent word
    trusts its own counts. Words that occur in no document but have a vector are placed by their neighbours.
    Without word vectors, or with strength 0, this is plain collapsed Gibbs sampling.

    The same seed gives the same topics on any number of threads and any machine.

    Parameters
    ----------
    n_topics : int
    iterations : int
        Sweeps over the corpus.
    alpha, eta : float
        Dirichlet priors of the proportions in a document and of the words in a topic.
    word_vectors : array-like of shape (words, dimensions), optional
        A row for each column of the counts. A word with a row of zeros takes part by its counts alone.
    strength : float
        What is borrowed counts for this many occurrences of the word.
    neighbors : int
        Words that a word borrows from.
    temperature : float
        A neighbour weighs exp((cosine - 1) / temperature): the lower, the more the nearest count.
    max_words : int, optional
        Longer documents are thinned at random to about this many words while topics are learned, in the same
        way for every seed.
    inference : "fixed-point" or "gibbs"
        How the proportions of a document are found once the topics are learned.
    random_state : int, RandomState or None

    Examples
    --------
    The last word occurs nowhere; its vector says that it belongs with the first two.

    >>> counts = np.array([[9, 9, 0, 0, 0], [8, 7, 0, 0, 0], [0, 0, 9, 8, 0], [0, 0, 7, 9, 0]])
    >>> vectors = [[1, 0], [0.9, 0.1], [0, 1], [0.1, 0.9], [0.8, 0.2]]
    >>> model = GibbsLDA(n_topics=2, iterations=50, word_vectors=vectors).fit(counts)
    >>> first, _, other, _ = model.transform(counts).argmax(axis=1)
    >>> bool(model.transform([[0, 0, 0, 0, 3]]).argmax() == first != other)
    True
    """

    n_topics: int = 70
    iterations: int = 100
    alpha: float = 0.1
    eta: float = 0.01
    word_vectors: ArrayLike | None = None
    strength: float = 10.0
    neighbors: int = 20
    temperature: float = 0.15
    max_words: int | None = None
    inference: Inference = "fixed-point"
    random_state: RandomState = 0

    def learn_many(self, counts: sparse.csr_array, seeds: Sequence[int], run: Run) -> list[FittedTopics]:
        """Learn a model for each seed, side by side in threads; each is what ``fit`` learns with its seed."""
        self._warn_of_few(counts)
        return [
            FittedTopics(found, self.alpha, self.inference, seed)
            for found, seed in zip(self._draw(counts, seeds, run), seeds)
        ]

    def _draw(self, counts: sparse.csr_array, seeds: Sequence[int], run: Run) -> list[TopicCounts]:
        """Draw a topic for every occurrence of a word, again and again, for each seed."""
        thinned, borrowed = "" if self.max_words is None else "max_words", "strength" if self.strength else ""
        check_settings(self, f"n_topics iterations neighbors {thinned}", f"alpha eta temperature {borrowed}")
        if self.n_topics > MAX_TOPICS:
            raise ValueError(f"n_topics must be at most {MAX_TOPICS:,}, not {self.n_topics}.")
        counts = thin(counts, None if self.max_words is None else int(self.max_words), seed=0)
        occurrences = np.asarray(counts.sum(axis=0)).ravel()
        if occurrences.max() > MAX_OCCURRENCES:
            raise ValueError(
                f"Word {occurrences.argmax()} occurs {occurrences.max():,.0f} times, more than the sampler "
                f"counts ({MAX_OCCURRENCES:,}). Leave it out as a stop word, or thin documents: max_words."
            )
        near = self._neighborhood(occurrences > 0, run.n_threads)
        # Frequent words first: their rows share pages. Then the words to be placed by their neighbours alone.
        seen = np.argsort(-occurrences, kind="stable")[: np.count_nonzero(occurrences)]
        order = np.concatenate([seen, np.flatnonzero((occurrences == 0) & near.weights.any(axis=1))])
        place = np.zeros(len(occurrences), np.int32)
        place[order] = np.arange(len(order))
        # A copy: sorting it must not disorder the counts of the caller.
        rows = sparse.csr_array(
            (counts.data.copy(), place[counts.indices], counts.indptr), shape=counts.shape
        )
        rows.sort_indices()
        task = Sampling(
            CountRows(rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data),
            len(seen),
            place[near.words[order]],
            near.weights[order],
            int(self.n_topics),
            int(self.iterations),
            self.alpha,
            self.eta,
            self.strength,
            np.array(seeds, np.uint64),
        )
        models = []
        for drawn in backends.sample_topics(task, run):
            row, topic = np.nonzero(drawn)
            values, shape = drawn[row, topic].astype(np.int32), (len(occurrences), drawn.shape[1])
            of_words = sparse.csr_array((values, (seen[row], topic)), shape=shape)
            models.append(TopicCounts.of(of_words, near, self.eta, self.strength))
        return models

    def _neighborhood(self, seen: NDArray[np.bool_], threads: int) -> Neighborhood:
        if self.word_vectors is None or self.strength == 0:
            return Neighborhood(np.zeros((len(seen), 0), np.int32), np.zeros((len(seen), 0), np.float32))
        vectors = check_vectors(self.word_vectors, len(seen))
        return neighborhood(vectors, seen, int(self.neighbors), self.temperature, threads)
