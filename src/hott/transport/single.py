"""One transport problem, solved exactly, with the plan and the potentials that prove it optimal."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hott import _core
from hott.utils.checks import check_cost, check_masses, check_same_mass

NotOptimalError = _core.NotOptimalError


@dataclass(frozen=True, slots=True)
class Transport:
    """An optimal plan and its certificate.

    The plan is optimal because ``cost[i, j] >= u[i] + v[j]`` everywhere (the potentials are feasible) and
    ``u @ a + v @ b`` equals ``value`` (there is no gap).

    Attributes
    ----------
    value : float
        The least total cost.
    plan : CSR matrix
        How much goes from each site to each other.
    potentials : (array, array)
        ``u`` and ``v``.
    n_pivots : int
        Steps that the solver took.

    Examples
    --------
    >>> transport = solve([0.5, 0.5], [1.0], [[2.0], [4.0]])
    >>> transport.value, transport.plan.toarray().tolist()
    (3.0, [[0.5], [0.5]])
    """

    value: float
    plan: sparse.csr_array
    potentials: tuple[NDArray[np.float64], NDArray[np.float64]]
    n_pivots: int


def solve(a: ArrayLike, b: ArrayLike, cost: ArrayLike) -> Transport:
    """Move the mass ``a`` onto ``b`` at the least total cost.

    Parameters
    ----------
    a, b : array-like of shape (n,) and (m,)
        Masses, non-negative, with equal sums (to one part in 10^9).
    cost : array-like of shape (n, m)
        Cost of moving one unit from site i to site j, non-negative.

    Returns
    -------
    Transport
        The optimal value, the plan, and the potentials that prove it optimal.

    Raises
    ------
    ValueError
        When the problem is malformed; the message names the argument.
    NotOptimalError
        When the optimum could not be certified. No number is returned then.

    Examples
    --------
    >>> solve([0.5, 0.5], [1.0], [[2.0], [4.0]]).value
    3.0
    """
    a, b = check_masses(a, "a"), check_masses(b, "b")
    cost = check_cost(cost, (len(a), len(b)))
    check_same_mass(*totals(a, b))
    value, rows, columns, flows, u, v, n_pivots = _core.solve(a, b, cost)
    # Arcs come row by row.
    starts = rows.searchsorted(np.arange(len(a) + 1, dtype=rows.dtype)).astype(rows.dtype)
    plan = sparse.csr_array((flows, columns, starts), shape=cost.shape)
    return Transport(value, plan, (u, v), n_pivots)


def totals(a: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[float, float]:
    """The sums of two vectors of masses, both scaled down by 2^64 where one would be beyond all floats."""
    with np.errstate(over="ignore"):
        sums = float(a.sum()), float(b.sum())
    return sums if np.isfinite(sums).all() else (float(np.ldexp(a, -64).sum()), float(np.ldexp(b, -64).sum()))
