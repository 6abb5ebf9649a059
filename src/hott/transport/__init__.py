"""Exact optimal transport: one problem with its plan and proof, or millions of distances a second."""

from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hott import _core
from hott.compute import backends
from hott.compute.ground import Distributions, Ground, Problem, Problems
from hott.utils.checks import (
    Metric,
    check_cost,
    check_masses,
    check_numbers,
    check_same_mass,
    obeys_triangle_inequality,
)
from hott.utils.run import Run, RunOptions

__all__ = ["Distributions", "NotOptimalError", "Transport", "lower_bound", "pairs", "pairwise", "solve"]

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
    """Return the sums of two vectors of masses, both scaled down by 2^64 where one would overflow."""
    with np.errstate(over="ignore"):
        sums = float(a.sum()), float(b.sum())
    return sums if np.isfinite(sums).all() else (float(np.ldexp(a, -64).sum()), float(np.ldexp(b, -64).sum()))


def pairwise(
    P: Any,
    Q: Any = None,
    *,
    cost: ArrayLike,
    metric: Metric = "auto",
    out: NDArray[np.float64] | None = None,
    **options: Unpack[RunOptions],
) -> NDArray[np.float64]:
    """Exact transport distances between all rows of ``P`` and all rows of ``Q``.

    Parameters
    ----------
    P, Q : CSR or dense, distributions x sites, or Distributions
        Rows of non-negative masses with equal sums (to one part in 10^9). Without ``Q``, the rows of ``P``
        among themselves; under a symmetric cost each pair is then solved once.
    cost : array-like of shape (sites, sites)
        Cost of moving one unit from one site to another.
    metric : bool or "auto"
        Whether ``cost`` obeys the triangle inequality and is zero on its diagonal. Mass that two rows have
        in common then stays where it is, which makes problems smaller and identical rows exactly 0 apart.
        ``"auto"`` checks it (up to 1,000 sites; beyond that it assumes nothing).
    out : float64 array, optional
        Where to write, for example a memory map. Beyond it, memory stays under 100 MB.
    **options : threads, device, progress
        See :class:`hott.run.RunOptions`. Values of a GPU differ from the CPU's by less than one part in 10^7.

    Examples
    --------
    >>> cost = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    >>> pairwise([[1, 0, 0], [0, 0.5, 0.5]], cost=cost)
    array([[0. , 1.5],
           [1.5, 0. ]])
    """
    return backends.pairwise(_problems(P, Q, cost, metric), Run.of(options), out)


def pairs(
    P: Any,
    Q: Any,
    rows: ArrayLike,
    cols: ArrayLike,
    *,
    cost: ArrayLike,
    metric: Metric = "auto",
    **options: Unpack[RunOptions],
) -> NDArray[np.float64]:
    """Exact transport distances of listed pairs: row ``rows[i]`` of ``P`` to row ``cols[i]`` of ``Q``.

    The same numbers, to the bit, as the entries of :func:`pairwise`.

    Parameters
    ----------
    P, Q, cost, metric, **options
        As in :func:`pairwise`.
    rows, cols : array-like of int
        Row numbers, as many of one as of the other.

    Examples
    --------
    >>> pairs([[1, 0], [0, 1]], [[0.5, 0.5]], rows=[1], cols=[0], cost=[[0, 2], [2, 0]])
    array([1.])
    """
    problems = _problems(P, Q, cost, metric)
    n, m = problems.shape
    left, right = check_numbers(rows, "rows", n), check_numbers(cols, "cols", m)
    if len(left) != len(right):
        raise ValueError(f"rows and cols must be as long as each other: {len(left)}, {len(right)}.")
    return backends.pairs(problems, left, right, Run.of(options))


def lower_bound(
    P: Any, Q: Any = None, *, cost: ArrayLike, **options: Unpack[RunOptions]
) -> NDArray[np.float32]:
    """Values never above :func:`pairwise`, at a small part of its price; usually within 5 % of it.

    Mass common to two rows is cancelled, then every remaining unit goes to the nearest site of the other
    row, whatever that site can hold. ``cost`` must obey the triangle inequality. The bound is computed in
    single precision, with a margin that keeps it below the exact value.

    Parameters
    ----------
    P, Q, cost, **options
        As in :func:`pairwise`.

    Examples
    --------
    >>> cost = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    >>> bool(lower_bound([[1, 0, 0]], [[0, 0.5, 0.5]], cost=cost)[0, 0] <= 1.5)
    True
    """
    return backends.lower_bound(_problems(P, Q, cost, True), Run.of(options))


def _problems(P: Any, Q: Any, cost: ArrayLike, metric: Metric) -> Problems:
    """Check the arguments of a batch function and pose its problem; scale masses to 1, and values back."""
    left = Distributions.of(P, "P")
    checked = check_cost(cost, (left.n_sites, left.n_sites))
    right = None
    if Q is not None:
        right = Distributions.of(Q, "Q")
        if right.n_sites != left.n_sites:
            raise ValueError(
                f"Q must have {left.n_sites} columns, as P and cost have; it has {right.n_sites}."
            )
        check_same_mass(left.mass, right.mass, ("the rows of P", "the rows of Q"))
    ground = Ground(checked, is_metric=obeys_triangle_inequality(checked, metric))
    return Problems((Problem(left, right, ground),), scale=left.mass)
