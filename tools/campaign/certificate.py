"""Is a solution of a transport problem the right one? Decided without trusting the solver.

Potentials give a bound from below: whatever they are, the dual value of the best that can be made of them is
not above the optimum. A plan gives a cost. Where both are the value that came back, it is the optimum. For
many problems of one shape this takes one pass of NumPy, with all that rounding can do counted; where that
leaves a doubt, forbidden arcs in the potentials perhaps, `fault` decides in whole numbers.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

RIGHT = 1e-15
"""How far a value may be from the exact one, relative to it."""

MARGINALS = 2.0**-46
"""How far the sums of a plan may be from the masses, relative to all there is."""

SMALL = 4 * float(np.finfo(np.float64).smallest_subnormal)


@dataclass(frozen=True, slots=True)
class Solutions:
    """What the solver says of k problems of n x m: the values, the plans and the potentials."""

    value: Array  # k
    plan: Array  # k x n x m
    u: Array  # k x n
    v: Array  # k x m


def doubtful(a: Array, b: Array, cost: Array, found: Solutions) -> NDArray[np.intp]:
    """The problems whose solutions one pass in the longest floats there are does not prove right."""
    long = np.longdouble
    rounding = (a.shape[1] + b.shape[1] + 8) * np.finfo(long).eps
    a, b, cost, plan = (x.astype(long) for x in (a, b, cost, found.plan))
    total, other = a.sum(axis=1, keepdims=True), b.sum(axis=1, keepdims=True)
    b = b * (total / other)
    with np.errstate(invalid="ignore", over="ignore"):
        # The best that can be made of u; and of that again, which mends the rounding of u.
        v = (cost - found.u.astype(long)[:, :, None]).min(axis=1)
        u = (cost - v[:, None]).min(axis=2)
        v = (cost - u[:, :, None]).min(axis=1)
        terms = np.hstack([u * a, v * b])
        bound, error = terms.sum(axis=1), rounding * np.abs(terms).sum(axis=1)
        spent = (plan * cost).sum(axis=(1, 2))
        slack = RIGHT * found.value + SMALL
        proved = np.abs(bound - found.value) + error <= slack
        proved &= np.abs(spent - found.value) <= slack + rounding * spent
        for sums, masses in ((plan.sum(axis=2), a), (plan.sum(axis=1), b)):
            proved &= (np.abs(sums - masses) <= MARGINALS * total).all(axis=1)
    return np.flatnonzero(~(proved & (found.plan >= 0).all(axis=(1, 2))))


def fault(a: Array, b: Array, cost: Array, value: float, plan: Array) -> str | None:
    """What is wrong with one solution, in exact arithmetic; None: nothing."""
    n, m = cost.shape
    whole, unit = _whole(cost.ravel())
    if (plan < 0).any():
        return "the plan has negative flows"
    used = [(int(i), int(j)) for i, j in np.argwhere(plan > 0)]
    arcs = [(i, n + j, whole[i * m + j]) for i in range(n) for j in range(m)]
    arcs += [(n + j, i, -whole[i * m + j]) for i, j in used]
    potential = [0] * (n + m)
    for _ in range(n + m + 1):  # Bellman and Ford: it ends unless a cycle has a negative cost
        changed = False
        for start, end, c in arcs:
            if potential[start] + c < potential[end]:
                potential[end] = potential[start] + c
                changed = True
        if not changed:
            break
    else:
        return "the plan is not optimal"
    (supply, of_a), (demand, _), (flows, of_plan) = (_whole(x) for x in (a, b, plan.ravel()))
    total, other = sum(supply), sum(demand)
    # Columns are scaled by the ratio of the totals.
    best = Fraction(
        total * sum(v * x for v, x in zip(potential[n:], demand))
        - other * sum(u * x for u, x in zip(potential, supply)),
        other * of_a * unit,
    )
    sums = [sum(flows[i * m : i * m + m]) for i in range(n)], [sum(flows[j::m]) for j in range(m)]
    apart = [abs(moved * of_a - mass * of_plan) for moved, mass in zip(sums[0], supply)]
    apart += [
        abs(moved * of_a - Fraction(mass * total * of_plan, other)) for moved, mass in zip(sums[1], demand)
    ]
    if max(apart) > total * of_plan * Fraction(MARGINALS):
        return "the plan has wrong marginals"
    error = abs(Fraction(float(value)) - best)
    if error > Fraction(RIGHT) * best and error > Fraction(SMALL):
        return f"the value is wrong by {float(error / best) if best else float(error):.1g} of it"
    return None


def _whole(values: Array) -> tuple[list[int], int]:
    """Floats as whole numbers of one unit, and how many units make 1."""
    ratios = [float(x).as_integer_ratio() for x in values]
    unit = max(denominator for _, denominator in ratios)
    return [numerator * (unit // denominator) for numerator, denominator in ratios], unit
