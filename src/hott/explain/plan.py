"""Optimal plans that leave in place what may stay, and the plan between the topics of two documents."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hott import _core
from hott.distances.representation import Representation
from hott.distances.topic import HOTT
from hott.topics import Topic

NO_MASS = 1e-12  # below this, what is left after cancelling is rounding


class Plan(NamedTuple):
    """Which site's mass goes where: one entry a pair of sites, all masses positive."""

    sources: NDArray[np.intp]
    targets: NDArray[np.intp]
    masses: NDArray[np.float64]


def least_cost_plan(
    a: NDArray[np.float64], b: NDArray[np.float64], cost: NDArray[np.float64], *, keep_common: bool
) -> Plan:
    """Move ``a`` onto ``b``, both over the same sites and of sum 1, at the least cost.

    Under a metric cost some optimal plan leaves common mass where it is, but a solver may return another one
    of the same value. ``keep_common`` asks for that plan: it has the most in common, and reads best.

    >>> line = np.abs(np.subtract.outer(range(3), range(3))).astype(float)
    >>> plan = least_cost_plan(np.array([0.5, 0.5, 0]), np.array([0, 0.5, 0.5]), line, keep_common=True)
    >>> list(zip(*(column.tolist() for column in plan)))
    [(1, 1, 0.5), (0, 2, 0.5)]
    """
    common = np.minimum(a, b) if keep_common else np.zeros(len(a))
    stays = np.flatnonzero(common)
    left, right = a - common, b - common
    rest = left.sum()
    if rest < NO_MASS:
        return Plan(stays, stays, common[stays])
    sources, targets = np.flatnonzero(left), np.flatnonzero(right)
    there = np.ascontiguousarray(cost[np.ix_(sources, targets)])
    parts = left[sources] / rest, right[targets] / right[targets].sum()
    _, rows, columns, masses, *_ = _core.solve(*parts, there)
    positive = masses > 0
    return Plan(
        np.concatenate([stays, sources[rows[positive]]]),
        np.concatenate([stays, targets[columns[positive]]]),
        np.concatenate([common[stays], masses[positive] * rest]),
    )


@dataclass(frozen=True, slots=True)
class TopicMove:
    """Mass that goes from a topic of one document to a topic of another.

    Attributes
    ----------
    source, target : Topic
    mass : float
    cost : float
        Of all of the mass.

    Examples
    --------
    >>> topic = Topic(0, "planet, orbit", ("planet", "orbit"))
    >>> TopicMove(topic, topic, mass=0.5, cost=0.0).stays
    True
    """

    source: Topic
    target: Topic
    mass: float
    cost: float

    @property
    def stays(self) -> bool:
        """True for mass that both documents have in the same topic."""
        return self.source.number == self.target.number


def topic_moves(
    distance: HOTT, a: Representation, b: Representation, topics: Sequence[Topic], model: int = 0
) -> tuple[TopicMove, ...]:
    """Give the exact plan between two documents over the topics of one model, the heaviest move first.

    Parameters
    ----------
    distance : HOTT or HOFTT
        Fitted.
    a, b : Representation
        One document each, or several, of which the mean is taken.
    topics : sequence of Topic
        The topics of that model in their order, as :func:`hott.topics.named_topics` gives them.
    model : int

    Examples
    --------
    >>> import numpy as np
    >>> from hott.topics import named_topics
    >>> X = np.array([[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 4, 2], [0, 0, 2, 4]])
    >>> hott = HOTT(n_topics=2).fit(X)
    >>> R = hott.represent(X)
    >>> topics = named_topics(hott.topics_, ["cat", "dog", "stocks", "bonds"])
    >>> [(move.mass, move.stays) for move in topic_moves(hott, R[:1], R[2:3], topics)]
    [(1.0, False)]
    """
    ground = distance.grounds[model]
    left, right = (side.distributions[model].csr.toarray().mean(axis=0) for side in (a, b))
    plan = least_cost_plan(left, right, ground.cost, keep_common=ground.keeps_common)
    moves = (
        TopicMove(topics[i], topics[j], float(mass), float(mass * ground.cost[i, j]))
        for i, j, mass in zip(*plan)
    )
    return tuple(sorted(moves, key=lambda move: -move.mass))
