"""What the device is asked to solve."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hott.gpu.device import Device, use_device
from hott.transport.distributions import Distributions

if TYPE_CHECKING:
    from hott.distances.base import Distance, Representation


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Distances between the rows of ``P`` and those of ``Q`` (of ``P``, without it) under one ground cost.

    Several of them add up to one distance: each gives ``share`` of its own, of the root of it for ``root``.
    """

    P: Distributions
    Q: Distributions | None
    cost: NDArray[np.float64]
    metric: bool  # the cost obeys the triangle inequality and is zero on its diagonal
    share: float = 1.0
    root: bool = False
    bound_cost: NDArray[np.float64] | None = None  # a metric whose bounds hold, where `cost` is none

    @property
    def others(self) -> Distributions:
        return self.P if self.Q is None else self.Q

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.P), len(self.others)

    @property
    def symmetric_cost(self) -> bool:
        return np.array_equal(self.cost, self.cost.T)

    @property
    def symmetric(self) -> bool:
        """Whether the distances of one half are those of the other."""
        return self.Q is None and self.symmetric_cost

    def contribution(self, values: Any) -> Any:
        """Its part of the distance, from its own distances: an array of NumPy or CuPy, changed in place."""
        if self.root:
            values **= 0.5
        if self.share != 1:
            values *= self.share
        return values


def problems_on(
    device: Device, distance: "Distance", R: "Representation", S: "Representation | None", pairs: int
) -> list[Problem] | None:
    """The distance of represented documents as problems for the device; None where it is for the CPU."""
    if not use_device(device, pairs):
        return None
    problems = distance._transport_problems(R, S)
    if problems is None and device == "cuda":
        raise ValueError(
            f'{type(distance).__name__} is computed on the CPU only: choose device="cpu" or "auto".'
        )
    return problems


def listed_on_cpu(
    problems: Sequence[Problem], rows: NDArray[np.integer], cols: NDArray[np.integer], threads: int | None
) -> NDArray[np.float64]:
    """Distances of listed pairs, by the CPU: what the device leaves to it."""
    from hott.transport.batch import pairs

    total = np.zeros(len(rows))
    for problem in problems:
        values = pairs(
            problem.P, problem.others, rows, cols, cost=problem.cost, metric=problem.metric, threads=threads
        )
        total += problem.contribution(values / problem.P.mass)
    return total
