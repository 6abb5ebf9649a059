"""The order p of a transport distance: what it does to distances before, and to costs after."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hott.utils.checks import check_choice

Power: TypeAlias = Literal[1, 2]


@dataclass(frozen=True, slots=True)
class Order:
    """W_p: distances between sites are raised to the power ``p``, and the root is taken of the least cost.

    Examples
    --------
    >>> Order(2).costs(np.array([3.0])), Order(2).root(np.array([9.0])), Order(2).is_metric
    (array([9.]), array([3.]), False)
    """

    p: Power = 1

    def __post_init__(self) -> None:
        check_choice(self.p, "p", (1, 2))

    @property
    def is_metric(self) -> bool:
        """Whether costs made of distances obey the triangle inequality, as squares do not."""
        return self.p == 1

    def costs(self, distances: NDArray[np.float64]) -> NDArray[np.float64]:
        """What it costs to move one unit over these distances."""
        return distances if self.p == 1 else distances**2

    def root(self, costs: NDArray) -> NDArray:
        """Distances from least costs, in place: arrays of NumPy or CuPy."""
        if self.p == 2:
            costs **= 0.5
        return costs
