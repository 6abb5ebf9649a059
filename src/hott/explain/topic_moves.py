"""The plan between the topics of two documents in one topic model, for those who study topics."""

from collections.abc import Sequence
from dataclasses import dataclass

from hott.distances.representation import Representation
from hott.distances.topic import HOTT
from hott.explain.plan import least_cost_plan
from hott.topics import Topic


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
