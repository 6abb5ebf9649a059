"""Optimal plans that leave in place what may stay."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hott import _core

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

    Examples
    --------
    >>> line = np.abs(np.subtract.outer(range(3), range(3))).astype(float)
    >>> plan = least_cost_plan(np.array([0.5, 0.5, 0]), np.array([0, 0.5, 0.5]), line, keep_common=True)
    >>> list(zip(*(column.tolist() for column in plan)))
    [(1, 1, 0.5), (0, 2, 0.5)]
    """
    common = np.minimum(a, b) if keep_common else np.zeros(len(a))
    stays = np.flatnonzero(common)
    sources, targets, masses = _move(a - common, b - common, cost)
    return Plan(
        np.concatenate([stays, sources]),
        np.concatenate([stays, targets]),
        np.concatenate([common[stays], masses]),
    )


def _move(left: NDArray[np.float64], right: NDArray[np.float64], cost: NDArray[np.float64]) -> Plan:
    """The plan of what cannot stay: ``left`` and ``right`` have no site in common, or none may stay."""
    rest = left.sum()
    if rest < NO_MASS:
        return Plan(np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0))
    sources, targets = np.flatnonzero(left), np.flatnonzero(right)
    there = np.ascontiguousarray(cost[np.ix_(sources, targets)])
    _, rows, columns, masses, *_ = _core.solve(
        left[sources] / rest, right[targets] / right[targets].sum(), there
    )
    positive = masses > 0
    return Plan(sources[rows[positive]], targets[columns[positive]], masses[positive] * rest)
