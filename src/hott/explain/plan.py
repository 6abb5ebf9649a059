"""Optimal plans that leave in place what may stay, and the model of topics they move through."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import cdist

from hott import transport
from hott.ground import Ground
from hott.topics.truncate import truncate_topics

_NO_MASS = 1e-12  # below this, what is left after cancelling is rounding


def least_cost_plan(
    a: NDArray[np.float64], b: NDArray[np.float64], cost: NDArray[np.float64], *, keep_common: bool
) -> sparse.coo_array:
    """Move ``a`` onto ``b``, both over the same sites, at the least cost.

    Under a metric cost some optimal plan leaves common mass where it is, but a solver may return another one
    of the same value. ``keep_common`` asks for that plan: it has the most in common, and reads best.

    Examples
    --------
    >>> line = np.abs(np.subtract.outer(range(3), range(3))).astype(float)
    >>> plan = least_cost_plan(np.array([0.5, 0.5, 0]), np.array([0, 0.5, 0.5]), line, keep_common=True)
    >>> plan.toarray().tolist()
    [[0.0, 0.0, 0.5], [0.0, 0.5, 0.0], [0.0, 0.0, 0.0]]
    """
    n = len(a)
    common = np.minimum(a, b) if keep_common else np.zeros(n)
    left, right = a - common, b - common
    rest = left.sum()
    stays = np.flatnonzero(common)
    if rest < _NO_MASS:
        return sparse.coo_array((common[stays], (stays, stays)), shape=(n, n))
    sources, targets = np.flatnonzero(left), np.flatnonzero(right)
    moved = transport.solve(
        left[sources] / rest, right[targets] / right.sum(), cost[np.ix_(sources, targets)]
    ).plan.tocoo()
    positive = moved.data > 0
    rows = np.concatenate([stays, sources[moved.row[positive]]])
    columns = np.concatenate([stays, targets[moved.col[positive]]])
    return sparse.coo_array(
        (np.concatenate([common[stays], moved.data[positive] * rest]), (rows, columns)), shape=(n, n)
    )


@dataclass(frozen=True, eq=False)
class TopicGeometry:
    """One topic model with its geometry: what documents are moved over, and what topics are made of.

    ``topics`` are rows of word probabilities, whose ``n_words`` heaviest are what the ground's distances are
    between. ``vectors`` is None where all words are equally far apart.
    """

    topics: NDArray[np.floating]
    ground: Ground
    vectors: NDArray[np.floating] | None
    n_words: int | None

    def topic_plan(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> sparse.coo_array:
        """The plan between two documents, rows of topic proportions."""
        return least_cost_plan(a, b, self.ground.cost, keep_common=self.ground.keeps_common)

    def word_plan(
        self, source: int, target: int
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
        """The plan between two topics: from word, to word, mass and cost of each step."""
        a, b = truncate_topics(self.topics[[source, target]], self.n_words).toarray()
        words = np.flatnonzero((a > 0) | (b > 0))
        if self.vectors is None:
            cost = 1.0 - np.eye(len(words))
        else:
            vectors = np.asarray(self.vectors[words], np.float64)
            cost = self.ground.order.costs(cdist(vectors, vectors))
        plan = least_cost_plan(a[words], b[words], cost, keep_common=self.ground.order.is_metric)
        return words[plan.row], words[plan.col], plan.data, cost[plan.row, plan.col]
