"""The slow, obvious twin of the compiled solver: a transportation simplex in plain Python.

Same inputs and results as :func:`hott.transport.solve`, readable from top to bottom. The tests run both on
the same problems.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hott.checks import check_cost, check_masses, check_same_mass
from hott.transport.single import NotOptimalError, Transport

Cell = tuple[int, int]


def solve(a: ArrayLike, b: ArrayLike, cost: ArrayLike) -> Transport:
    """Move the mass ``a`` onto ``b`` at the least total cost.

    Examples
    --------
    >>> solve([0.5, 0.5], [1.0], [[2.0], [4.0]]).value
    3.0
    """
    a, b = check_masses(a, "a"), check_masses(b, "b")
    cost = check_cost(cost, (len(a), len(b)))
    check_same_mass(a.sum(), b.sum())
    flows = northwest_corner(a, b * (a.sum() / b.sum()))
    tolerance = 1e-13 * max(cost.max(), 1e-300)
    for n_pivots in range(100 * (len(a) + len(b)) ** 2):
        u, v = potentials(flows, cost)
        reduced = cost - u[:, None] - v
        # Bland's rule, the first cell that helps, cannot cycle however many flows are zero.
        helpful = np.argwhere(reduced < -tolerance)
        if len(helpful) == 0:
            return _result(flows, cost, u, v, n_pivots)
        pivot(flows, (int(helpful[0][0]), int(helpful[0][1])))
    raise NotOptimalError("The optimum was not reached.")


def northwest_corner(a: NDArray[np.float64], b: NDArray[np.float64]) -> dict[Cell, float]:
    """A first plan: fill from the top left, closing one row or one column a step. It spans all of them."""
    left, open_, flows = a.copy(), b.copy(), {}
    i = j = 0
    while True:
        moved = min(left[i], open_[j])
        flows[i, j] = moved
        left[i] -= moved
        open_[j] -= moved
        if i == len(a) - 1 and j == len(b) - 1:
            return flows
        if j == len(b) - 1 or (i < len(a) - 1 and left[i] <= open_[j]):
            i += 1
        else:
            j += 1


def potentials(
    flows: dict[Cell, float], cost: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """u and v with u[i] + v[j] = cost[i, j] on every cell of the plan's tree; u[0] = 0."""
    u, v = np.full(cost.shape[0], np.nan), np.full(cost.shape[1], np.nan)
    u[0], reached = 0.0, [("row", 0)]
    for kind, node in reached:
        for i, j in flows:
            if kind == "row" and i == node and np.isnan(v[j]):
                v[j] = cost[i, j] - u[i]
                reached.append(("column", j))
            if kind == "column" and j == node and np.isnan(u[i]):
                u[i] = cost[i, j] - v[j]
                reached.append(("row", i))
    return u, v


def pivot(flows: dict[Cell, float], entering: Cell) -> None:
    """Let ``entering`` join the tree, send as much as possible around the cycle, drop an emptied cell."""
    cycle = [entering, *_path(flows, entering)]
    givers = cycle[1::2]
    step = min(flows[cell] for cell in givers)
    leaving = min(cell for cell in givers if flows[cell] == step)
    flows[entering] = 0.0
    for position, cell in enumerate(cycle):
        flows[cell] += step if position % 2 == 0 else -step
    del flows[leaving]


def _path(flows: dict[Cell, float], entering: Cell) -> list[Cell]:
    """Cells of the tree from the entering cell's column back to its row, alternating column and row."""

    def walk(cells: list[Cell], along_column: bool) -> list[Cell] | None:
        last = cells[-1] if cells else entering
        if not along_column and last[0] == entering[0] and cells:
            return cells
        for cell in flows:
            shares = cell[1] == last[1] if along_column else cell[0] == last[0]
            if (
                shares
                and cell != last
                and cell not in cells
                and (found := walk([*cells, cell], not along_column))
            ):
                return found
        return None

    path = walk([], along_column=True)
    if path is None:
        raise NotOptimalError("The plan is not a spanning tree.")
    return path


def _result(
    flows: dict[Cell, float],
    cost: NDArray[np.float64],
    u: NDArray[np.float64],
    v: NDArray[np.float64],
    n: int,
) -> Transport:
    rows, columns = np.array(list(flows)).T
    plan = sparse.coo_array((list(flows.values()), (rows, columns)), shape=cost.shape).tocsr()
    plan.eliminate_zeros()
    return Transport(float(plan.multiply(cost).sum()), plan, (u, v), n)
