"""The slow, obvious twin of the compiled solver: a transportation simplex in plain Python, in fractions.

Same inputs and results as :func:`hott.transport.solve`, readable from top to bottom. The tests run both on
the same problems.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from hott.transport import NotOptimalError, Transport, totals
from hott.utils.checks import check_cost, check_masses, check_same_mass

Cell = tuple[int, int]
Plan = dict[Cell, Fraction]
Costs = Sequence[Sequence[Fraction]]


def solve(a: ArrayLike, b: ArrayLike, cost: ArrayLike) -> Transport:
    """Move the mass ``a`` onto ``b``, scaled to the same total, at the least total cost.

    Parameters
    ----------
    a, b, cost
        As in :func:`hott.transport.solve`.

    Examples
    --------
    >>> solve([0.5, 0.5], [1.0], [[2.0], [4.0]]).value
    3.0
    """
    a, b = check_masses(a, "a"), check_masses(b, "b")
    matrix = check_cost(cost, (len(a), len(b)))
    check_same_mass(*totals(a, b))
    supply, demand = [Fraction(x) for x in a], [Fraction(x) for x in b]
    ratio = sum(supply, Fraction(0)) / sum(demand, Fraction(0))
    costs = [[Fraction(c) for c in row] for row in matrix]
    plan = northwest_corner(supply, [mass * ratio for mass in demand])
    for n_pivots in range(100 * (len(a) + len(b)) ** 2):
        u, v = potentials(plan, costs)
        # Bland's rule, the first cell that helps, cannot cycle however many flows are zero.
        helpful = ((i, j) for i, row in enumerate(costs) for j, c in enumerate(row) if c < u[i] + v[j])
        entering = next(helpful, None)
        if entering is None:
            return _result(plan, costs, u, v, n_pivots)
        pivot(plan, entering)
    raise NotOptimalError("The optimum was not reached.")


def northwest_corner(a: Sequence[Fraction], b: Sequence[Fraction]) -> Plan:
    """A first plan: fill from the top left, closing one row or one column a step. It spans all of them."""
    left, open_, plan = list(a), list(b), {}
    i = j = 0
    while True:
        moved = min(left[i], open_[j])
        plan[i, j] = moved
        left[i] -= moved
        open_[j] -= moved
        if i == len(a) - 1 and j == len(b) - 1:
            return plan
        if j == len(b) - 1 or (i < len(a) - 1 and left[i] <= open_[j]):
            i += 1
        else:
            j += 1


def potentials(plan: Plan, cost: Costs) -> tuple[dict[int, Fraction], dict[int, Fraction]]:
    """u and v with u[i] + v[j] = cost[i][j] on every cell of the plan's tree; u[0] = 0."""
    u, v = {0: Fraction(0)}, dict[int, Fraction]()
    while len(u) + len(v) < len(cost) + len(cost[0]):
        for i, j in plan:
            if i in u and j not in v:
                v[j] = cost[i][j] - u[i]
            elif j in v and i not in u:
                u[i] = cost[i][j] - v[j]
    return u, v


def pivot(plan: Plan, entering: Cell) -> None:
    """Let ``entering`` join the tree, send as much as possible around the cycle, drop an emptied cell."""
    cycle = [entering, *_path(plan, entering)]
    givers = cycle[1::2]
    step = min(plan[cell] for cell in givers)
    leaving = min(cell for cell in givers if plan[cell] == step)
    plan[entering] = Fraction(0)
    for position, cell in enumerate(cycle):
        plan[cell] += step if position % 2 == 0 else -step
    del plan[leaving]


def _path(plan: Plan, entering: Cell) -> list[Cell]:
    """Cells of the tree from the entering cell's column back to its row, alternating column and row."""

    def walk(cells: list[Cell], along_column: bool) -> list[Cell] | None:
        last = cells[-1] if cells else entering
        if not along_column and last[0] == entering[0] and cells:
            return cells
        for cell in plan:
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


def _result(plan: Plan, cost: Costs, u: dict[int, Fraction], v: dict[int, Fraction], n: int) -> Transport:
    value = float(sum(flow * cost[i][j] for (i, j), flow in plan.items()))
    rows, columns = np.array(list(plan)).T
    flows = [float(flow) for flow in plan.values()]
    matrix = sparse.coo_array((flows, (rows, columns)), shape=(len(u), len(v))).tocsr()
    matrix.eliminate_zeros()
    both = (np.array([float(x[k]) for k in range(len(x))]) for x in (u, v))
    return Transport(value, matrix, (next(both), next(both)), n)
