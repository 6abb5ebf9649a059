"""Many transport problems under one ground cost: all pairs, listed pairs, and bounds from below."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist

from hott import _core
from hott._progress import Progress, reporting
from hott.transport._checks import (
    Metric,
    check_cost,
    check_numbers,
    check_output,
    check_same_mass,
    check_threads,
    obeys_triangle_inequality,
)
from hott.transport.distributions import Distributions

if TYPE_CHECKING:
    from hott.gpu import Device, Problem


def pairwise(
    P: Any,
    Q: Any = None,
    *,
    cost: ArrayLike,
    metric: Metric = "auto",
    threads: int | None = None,
    out: NDArray[np.float64] | None = None,
    progress: Progress = None,
    device: "Device" = "cpu",
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
    threads : int, optional
        All cores by default. The result is the same to the bit for any number.
    out : float64 array, optional
        Where to write, for example a memory map. Beyond it, memory stays under 100 MB.
    progress : True, a function of (done, total), or None
        Pairs solved so far.
    device : "cpu", "cuda" or "auto"
        Where to compute. ``"auto"`` takes a GPU where there is one and the work is large enough to gain
        (docs/gpu.md). Values differ from the CPU's by less than one part in 10^7.

    Examples
    --------
    >>> cost = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    >>> pairwise([[1, 0, 0], [0, 0.5, 0.5]], cost=cost)
    array([[0. , 1.5],
           [1.5, 0. ]])
    """
    problem = _Problem(P, Q, cost, metric)
    if _use_device(device, problem.shape[0] * problem.shape[1]):
        from hott import gpu

        with gpu.memory_permitting(device):
            return gpu.pairwise([problem.for_device()], threads=threads, out=out, progress=progress)
    out = check_output(out, problem.shape)
    with reporting(progress, "distances") as report:
        _core.pairwise(*problem.rows, problem.cost, problem.metric, check_threads(threads), out, report)
    return problem.rescale(out)


def pairs(
    P: Any,
    Q: Any,
    rows: ArrayLike,
    cols: ArrayLike,
    *,
    cost: ArrayLike,
    metric: Metric = "auto",
    threads: int | None = None,
    device: "Device" = "cpu",
) -> NDArray[np.float64]:
    """Exact transport distances of listed pairs: row ``rows[i]`` of ``P`` to row ``cols[i]`` of ``Q``.

    The same numbers, to the bit, as the entries of :func:`pairwise`.

    Examples
    --------
    >>> pairs([[1, 0], [0, 1]], [[0.5, 0.5]], rows=[1], cols=[0], cost=[[0, 2], [2, 0]])
    array([1.])
    """
    problem = _Problem(P, Q, cost, metric)
    numbers = check_numbers(rows, "rows", problem.shape[0]), check_numbers(cols, "cols", problem.shape[1])
    if len(numbers[0]) != len(numbers[1]):
        raise ValueError(
            f"rows and cols must be as long as each other: {len(numbers[0])}, {len(numbers[1])}."
        )
    if _use_device(device, len(numbers[0])):
        from hott import gpu

        with gpu.memory_permitting(device):
            return gpu.pairs([problem.for_device()], *numbers, threads=threads)
    values = np.empty(len(numbers[0]))
    _core.pairs(*problem.rows, problem.cost, problem.metric, *numbers, check_threads(threads), values)
    return problem.rescale(values)


def lower_bound(
    P: Any, Q: Any = None, *, cost: ArrayLike, threads: int | None = None, device: "Device" = "cpu"
) -> NDArray[np.float32]:
    """Values never above :func:`pairwise`, at a small part of its price; usually within 5 % of it.

    Mass common to two rows is cancelled, then every remaining unit goes to the nearest site of the other
    row, whatever that site can hold. ``cost`` must obey the triangle inequality. The bound is computed in
    single precision, with a margin that keeps it below the exact value.

    Examples
    --------
    >>> cost = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    >>> bool(lower_bound([[1, 0, 0]], [[0, 0.5, 0.5]], cost=cost)[0, 0] <= 1.5)
    True
    """
    problem = _Problem(P, Q, cost, True)
    if _use_device(device, problem.shape[0] * problem.shape[1] // 100):  # the CPU is as much faster at bounds
        from hott import gpu

        with gpu.memory_permitting(device):
            return gpu.lower_bound([problem.for_device()], threads)
    out = np.empty(problem.shape, np.float32)
    _core.lower_bound(*problem.rows, problem.cost, check_threads(threads), out)
    return problem.rescale(out)


def landmark_bound(P: Any, Q: Any = None, *, cost: ArrayLike) -> NDArray[np.float64]:
    """Values never above :func:`pairwise`: the largest of ``|<cost[k], p - q>|`` over all sites k.

    The cost from a site k is a function that changes no faster than the distance, and transport cannot cost
    less than the change in its mean. ``cost`` must obey the triangle inequality.

    Examples
    --------
    >>> landmark_bound([[1, 0, 0]], [[0, 0.5, 0.5]], cost=[[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    array([[1.5]])
    """
    problem = _Problem(P, Q, cost, True)
    means = problem.P.csr @ problem.cost.T
    others = means if problem.Q is None else problem.Q.csr @ problem.cost.T
    return problem.rescale(cdist(means, others, "chebyshev"))


class _Problem:
    """The checked arguments of all batch functions. Masses are scaled to 1, values back by ``mass``."""

    def __init__(self, P: Any, Q: Any, cost: ArrayLike, metric: Metric) -> None:
        self.P = Distributions.of(P, "P")
        sites = self.P.n_sites
        self.cost = check_cost(cost, (sites, sites))
        self.Q = None
        if Q is not None:
            self.Q = Distributions.of(Q, "Q")
            if self.Q.n_sites != sites:
                raise ValueError(f"Q must have {sites} columns, as P and cost have; it has {self.Q.n_sites}.")
            check_same_mass(self.P.mass, self.Q.mass, ("the rows of P", "the rows of Q"))
        self.metric = obeys_triangle_inequality(self.cost, metric)
        self.shape = (len(self.P), len(self.P if self.Q is None else self.Q))

    @property
    def rows(self) -> "tuple[_core.Rows, _core.Rows | None]":
        return _arrays(self.P), None if self.Q is None else _arrays(self.Q)

    def for_device(self) -> "Problem":
        from hott.gpu import Problem

        return Problem(self.P, self.Q, self.cost, self.metric, share=self.P.mass)

    def rescale(self, values: NDArray) -> NDArray:
        return values if self.P.mass == 1 else np.multiply(values, self.P.mass, out=values)


def _use_device(device: "Device", pairs: int) -> bool:
    if device == "cpu":
        return False
    from hott.gpu import use_device

    return use_device(device, pairs)


def _arrays(X: Distributions) -> "_core.Rows":
    return X.starts, X.sites, X.masses
