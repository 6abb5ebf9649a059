"""The lower of the two levels of transport: how far apart topics are, as distributions over words."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott import transport
from hott.compute.ground import Order
from hott.topics.fitted import Topics
from hott.topics.truncate import truncate_topics

PRIOR = 5.0
"""Documents of the usual mix of classes that every topic is taken to have beside its own."""

WORDS_AT_ONCE = 3000
"""Words whose costs are held in memory together: 72 MB."""


@dataclass(frozen=True, eq=False)
class TopicSpace:
    """Topics and the distances between them: all that a fitted distance keeps of one topic model.

    Plain arrays, so that they can be saved and put together again without learning anything anew.
    """

    topics: Topics
    distances: NDArray[np.float64]  # topics x topics

    def __post_init__(self) -> None:
        if self.distances.shape != (self.topics.n_topics, self.topics.n_topics):
            raise ValueError(
                f"distances must be {self.topics.n_topics} x {self.topics.n_topics}, topics x topics; "
                f"they have shape {self.distances.shape}."
            )

    @classmethod
    def of(
        cls,
        topics: Topics,
        word_vectors: NDArray[np.float64] | None,
        n_words: int | None,
        order: Order,
        known: NDArray[np.bool_] | None = None,
    ) -> Self:
        """Measure the distances between topics, each cut to its ``n_words`` heaviest words.

        Words that are not ``known``, where that is given, have no vector: a topic is moved by its others,
        unless it has none.
        """
        components = topics.components
        if known is not None:
            placed = components * known
            components = np.where(placed.any(axis=1, keepdims=True), placed, components)
        return cls(topics, topic_distances(truncate_topics(components, n_words), word_vectors, order))

    def supervise(self, proportions: sparse.csr_array, classes: NDArray[np.intp]) -> "TopicSpace":
        """Add to the distances how different the classes of the documents are that have the topics.

        Half of each, both with the same mean, so that distances keep their size. A sum of metrics is one.
        """
        members = np.eye(classes.max() + 1)[classes]
        masses = np.asarray(proportions.T @ members) + PRIOR * members.mean(axis=0)
        shares = masses / masses.sum(axis=1, keepdims=True)
        apart = np.abs(shares[:, None] - shares).sum(axis=2)
        scale = self.distances.mean() / apart.mean() if apart.any() else 1.0
        return TopicSpace(self.topics, (self.distances + scale * apart) / 2)


def topic_distances(
    topics: sparse.csr_array, word_vectors: NDArray[np.float64] | None, order: Order = Order(1)
) -> NDArray[np.float64]:
    """Compute the exact W_p between topics over the Euclidean distances of their words.

    Without word vectors every two words are at distance 1, and what moves is the mass that two topics do
    not have in common.
    """
    from scipy.spatial.distance import cdist  # takes long to import, and an index that is opened does without

    if word_vectors is None:
        used = topics[:, np.unique(topics.indices)].toarray()
        return order.root(cdist(used, used, "cityblock") / 2)
    n = topics.shape[0]
    distances = np.zeros((n, n))
    step = max(1, WORDS_AT_ONCE // (2 * int(np.diff(topics.indptr).max())))
    for i in range(0, n, step):
        for j in range(i, n, step):
            left, right = topics[i : i + step], topics[j : j + step]
            words = np.union1d(left.indices, right.indices)
            costs = order.costs(cdist(word_vectors[words], word_vectors[words]))
            there = None if i == j else right[:, words]
            block = transport.pairwise(left[:, words], there, cost=costs, metric=order.is_metric)
            distances[i : i + step, j : j + step] = block
            distances[j : j + step, i : i + step] = block.T
    return order.root(distances)
