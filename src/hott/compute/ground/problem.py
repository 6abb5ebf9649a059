"""Transport problems as the two backends, the compiled core and the GPU, are asked to solve them."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott.compute.ground.distributions import Distributions
from hott.compute.ground.order import Order


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """The sites that mass moves between: how far apart they are, the order p, and whether that is a metric.

    Examples
    --------
    >>> ground = Ground(np.array([[0.0, 3.0], [3.0, 0.0]]), Order(2))
    >>> ground.cost[0], ground.keeps_common
    (array([0., 9.]), False)
    """

    distances: NDArray[np.float64]  # sites x sites
    order: Order = Order(1)
    is_metric: bool = True  # the distances obey the triangle inequality and are zero on the diagonal
    cost: NDArray[np.float64] = field(init=False)  # of moving one unit from one site to another
    keeps_common: bool = field(init=False)  # mass that two distributions have in common may stay where it is

    def __post_init__(self) -> None:
        object.__setattr__(self, "cost", self.order.costs(self.distances))
        object.__setattr__(self, "keeps_common", self.is_metric and self.order.is_metric)

    @property
    def is_symmetric(self) -> bool:
        return np.array_equal(self.distances, self.distances.T)


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Distances between the rows of ``P`` and those of ``Q`` (of ``P``, without it) over one ground."""

    P: Distributions
    Q: Distributions | None
    ground: Ground

    @property
    def others(self) -> Distributions:
        return self.P if self.Q is None else self.Q

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.P), len(self.others)

    @property
    def is_symmetric(self) -> bool:
        """Whether the distances of one half are those of the other."""
        return self.Q is None and self.ground.is_symmetric


@dataclass(frozen=True, slots=True, eq=False)
class Problems:
    """One problem, or several over the same documents (one a topic model) of which the mean is sought."""

    each: tuple[Problem, ...]
    scale: float = (
        1.0  # what the mean is multiplied by: the mass that rows carried before they were scaled to 1
    )

    @property
    def shape(self) -> tuple[int, int]:
        return self.each[0].shape

    @property
    def share(self) -> float:
        """The part of each problem in the result."""
        return self.scale / len(self.each)

    @property
    def largest(self) -> float:
        """What no result is above."""
        return (
            self.scale
            / len(self.each)
            * sum(float(problem.ground.distances.max(initial=0.0)) for problem in self.each)
        )

    def contribution(self, problem: Problem, costs: Any) -> Any:
        """A problem's part of the result, from its least costs: NumPy's or CuPy's array, changed in place."""
        values = problem.ground.order.root(costs)
        if self.share != 1:
            values *= self.share
        return values
