"""Certified transport problems over adversarial families: nothing may be wrong, nothing refused.

Small problems are solved one by one and certified in exact arithmetic: the plan has the right marginals, no
cycle of the residual graph has a negative cost, and the value is that of the dual solution, all in whole
numbers. Larger collections are solved in batches, and the fast kernel, the bounds and the general solver are
held against each other.

    python tools/campaign --only transport --minutes 60
    python tools/campaign --only transport --seed 17 --first 200000     # go on where a run of that seed ended
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import count

import numpy as np
from common import Campaign, described
from numpy.typing import NDArray

from hott import _core, transport
from hott.ground import Distributions

Array = NDArray[np.float64]
Case = tuple[Array, Array, Array]
Random = np.random.Generator

RIGHT = 1e-15
"""How far a value may be from the exact one, relative to it."""

AGREE = 1e-9
"""How far the fast kernel may be from the general solver."""


def run(campaign: Campaign) -> None:
    """One problem of each family after the other, and now and then a batch, until the time is over."""
    for k in count(campaign.first):
        if not campaign.in_time:
            print(f"  next case: {k}")
            return
        for name, family in FAMILIES.items():
            _one(campaign, name, family, k)
        if k % 50 == 0:
            for name, batch in BATCHES.items():
                _batch(campaign, name, batch, k)


def _one(campaign: Campaign, name: str, family: Callable[[Random], Case], k: int) -> None:
    a, b, cost = family(np.random.default_rng([campaign.seed, k]))
    case = f"family {name}, seed {campaign.seed}, case {k}"
    try:
        wrong = fault(a, b, cost, transport.solve(a, b, cost))
    except transport.NotOptimalError as error:
        if "larger than any double" not in str(error):
            campaign.defect(f"{name}: refused, {error}", case)
        campaign.count(f"{name}: refused")
        return
    except Exception as error:
        campaign.defect(f"{name}: {described(error)}", case)
        return
    if wrong:
        campaign.defect(f"{name}: {wrong}", case)
    campaign.count(f"{name}: certified")


def fault(a: Array, b: Array, cost: Array, solution: transport.Transport) -> str | None:
    """What is wrong with a solution, in exact arithmetic; None: nothing."""
    n, m = cost.shape
    whole, unit = _whole(cost.ravel())
    plan = solution.plan.tocoo()
    used = {(int(i), int(j)) for i, j in zip(plan.row, plan.col)}
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
    supply, demand = [Fraction(float(x)) for x in a], [Fraction(float(x)) for x in b]
    total, ratio = sum(supply), sum(supply) / sum(demand)
    for flow, i, j in zip(plan.data, plan.row, plan.col):
        supply[i] -= Fraction(float(flow))
        demand[j] -= Fraction(float(flow)) / ratio
    if max(map(abs, supply + demand)) > total / 2**46:
        return "the plan has wrong marginals"
    value = sum((-u * Fraction(float(x)) for u, x in zip(potential, a)), Fraction(0))
    value += ratio * sum((v * Fraction(float(x)) for v, x in zip(potential[n:], b)), Fraction(0))
    value /= unit
    error = abs(Fraction(solution.value) - value)
    if error > RIGHT * value and error > 4 * Fraction(5e-324):
        return f"the value is wrong by {float(error / value) if value else float(error):.1g} of it"
    return None


def _whole(values: Array) -> tuple[list[int], int]:
    """Floats as whole numbers of one unit, and how many units make 1."""
    ratios = [float(x).as_integer_ratio() for x in values]
    unit = max(denominator for _, denominator in ratios)
    return [numerator * (unit // denominator) for numerator, denominator in ratios], unit


# -- families of single problems ---------------------------------------------------------------------------


def _sizes(rng: Random) -> tuple[int, int]:
    return int(rng.integers(1, 9)), int(rng.integers(1, 9))


def _counts(rng: Random, n: int, m: int) -> tuple[Array, Array]:
    """Whole masses: many sums of them coincide."""
    a = rng.integers(0, 10, n).astype(float)
    a[rng.integers(n)] += 1
    return a, rng.multinomial(int(a.sum()), rng.dirichlet(np.ones(m))).astype(float)


def _shares(rng: Random, n: int, m: int) -> tuple[Array, Array]:
    return rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(m))


def _masses(rng: Random, n: int, m: int) -> tuple[Array, Array]:
    return (_counts if rng.random() < 0.5 else _shares)(rng, n, m)


def _wide_masses(rng: Random, n: int, m: int) -> tuple[Array, Array]:
    decades = rng.choice([6, 12, 20, 40])
    a, b = 10.0 ** rng.uniform(-decades, 0, n), 10.0 ** rng.uniform(-decades, 0, m)
    return a / a.sum(), b / b.sum()


def _degenerate(rng: Random) -> Case:
    n, m = _sizes(rng)
    return *_counts(rng, n, m), rng.integers(0, 7, (n, m)).astype(float)


def _assignment(rng: Random) -> Case:
    n = int(rng.integers(2, 9))
    return np.ones(n), np.ones(n), rng.integers(0, 10, (n, n)).astype(float)


def _forbidden(rng: Random) -> Case:
    n, m = _sizes(rng)
    cost = rng.integers(0, 10, (n, m)).astype(float) if rng.random() < 0.5 else rng.random((n, m))
    cost[rng.random((n, m)) < rng.choice([0.05, 0.2, 0.6])] = rng.choice([1e12, 1e14, 1e15, 1e17, 1e300])
    return *_masses(rng, n, m), cost


def _wide_costs(rng: Random) -> Case:
    n, m = _sizes(rng)
    decades = rng.choice([4, 8, 16, 40, 100, 300])
    return *_masses(rng, n, m), 10.0 ** rng.uniform(-decades, decades, (n, m))


def _near_ties(rng: Random) -> Case:
    n, m = _sizes(rng)
    return *_masses(rng, n, m), rng.integers(1, 4, (n, m)) * (1 + rng.integers(-3, 4, (n, m)) * 2.0**-52)


def _usual(rng: Random) -> Case:
    n, m = _sizes(rng)
    return *_shares(rng, n, m), rng.random((n, m))


def _wide(rng: Random) -> Case:
    n, m = _sizes(rng)
    decades = rng.choice([0.5, 4, 8, 16, 40])
    return *_wide_masses(rng, n, m), 10.0 ** rng.uniform(-decades, decades, (n, m))


def _huge(rng: Random) -> Case:
    n, m = _sizes(rng)
    a, b = _shares(rng, n, m)
    cost = rng.random((n, m))
    return (1e308 * a, 1e308 * b, cost) if rng.random() < 0.5 else (a, b, 1.7e308 * cost)


def _denormal(rng: Random) -> Case:
    n, m = _sizes(rng)
    a, b = _counts(rng, n, m)
    cost = rng.integers(0, 50, (n, m)) * 5e-324 if rng.random() < 0.7 else rng.random((n, m))
    return (5e-324 * a, 5e-324 * b, cost) if rng.random() < 0.5 else (a, b, cost)


def _line(rng: Random) -> Case:
    """Places on a line, a tenth apart: in decimals all ties, in binary none."""
    n, m = _sizes(rng)
    x, y = rng.integers(0, 10, n) * 0.1, rng.integers(0, 10, m) * 0.1
    return *_shares(rng, n, m), np.abs(x[:, None] - y)


def _decimal(rng: Random) -> Case:
    n, m = _sizes(rng)
    a, b = _counts(rng, n, m)
    return 0.1 * a, 0.1 * b, rng.random((n, m))


FAMILIES: dict[str, Callable[[Random], Case]] = {
    "degenerate": _degenerate,
    "assignment": _assignment,
    "forbidden arcs": _forbidden,
    "wide costs": _wide_costs,
    "wide costs and masses": _wide,
    "near ties": _near_ties,
    "usual": _usual,
    "huge": _huge,
    "denormal": _denormal,
    "line": _line,
    "decimal masses": _decimal,
}


# -- collections -------------------------------------------------------------------------------------------


def _batch(
    campaign: Campaign, name: str, batch: Callable[[Random], tuple[Array, Array, bool]], k: int
) -> None:
    rows, cost, metric = batch(np.random.default_rng([campaign.seed, k]))
    case = f"collection {name}, seed {campaign.seed}, case {k}"
    try:
        found = transport.pairwise(rows, cost=cost, metric=metric, threads=1)
        expected = general(rows, cost, metric)
        small = 4 * np.finfo(float).smallest_subnormal
        if not (np.abs(found - expected) <= AGREE * expected + small).all():
            campaign.defect(f"{name}: the kernel and the general solver disagree", case)
        campaign.count(f"{name}: pairs certified", found.size)
        if metric:
            for what, bound in _bounds(rows, cost):
                if not (bound <= expected).all():
                    campaign.defect(f"{name}: {what} above the distance", case)
                campaign.count(f"{name}: bounds checked", found.size)
    except Exception as error:
        campaign.defect(f"{name}: {described(error)}", case)


def general(rows: Array, cost: Array, metric: bool) -> Array:
    """All distances by the general solver, which certifies each of them exactly."""
    arrays = Distributions.of(rows).arrays
    i, j = (x.ravel() for x in np.indices((len(rows), len(rows))))
    values = np.empty(len(i))
    words = np.arange(len(cost), dtype=np.int32)
    _core.word_pairs(arrays, arrays, i, j, words, cost, metric, False, 1, values)
    return values.reshape(len(rows), len(rows))


def _bounds(rows: Array, cost: Array) -> Iterator[tuple[str, NDArray]]:
    yield "lower_bound of many", transport.lower_bound(np.vstack([rows] * 2), rows, cost=cost)[: len(rows)]
    yield "lower_bound of one", np.vstack([transport.lower_bound(row, rows, cost=cost) for row in rows])
    yield "landmark_bound", transport.landmark_bound(rows, cost=cost)


def _documents(rng: Random, sites: int, n: int = 24) -> Array:
    rows = rng.dirichlet(np.full(sites, rng.choice([0.05, 0.2, 1.0])), n)
    rows[rows < rng.choice([0, 1 / (sites + 1)])] = 0
    rows[np.arange(n), rng.integers(0, sites, n)] += 1e-3
    return rows / rows.sum(axis=1, keepdims=True)


def _distances(rng: Random, sites: int, dimensions: int = 3) -> Array:
    points = rng.normal(size=(sites, dimensions))
    return np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))


def _shortest_paths(cost: Array) -> Array:
    """Costs made to obey the triangle inequality, each direction for itself."""
    np.fill_diagonal(cost, 0)
    for k in range(len(cost)):
        cost = np.minimum(cost, cost[:, k : k + 1] + cost[k])
    return cost


def _metric(rng: Random) -> tuple[Array, Array, bool]:
    sites = int(rng.choice([2, 5, 20, 70, 120]))
    return _documents(rng, sites), _distances(rng, sites, int(rng.integers(1, 6))), True


def _many_sites(rng: Random) -> tuple[Array, Array, bool]:
    sites = int(rng.integers(260, 400))
    return rng.dirichlet(np.ones(sites), 6), _distances(rng, sites), True


def _asymmetric(rng: Random) -> tuple[Array, Array, bool]:
    sites = int(rng.integers(2, 30))
    return _documents(rng, sites), _shortest_paths(rng.random((sites, sites))), True


def _squared(rng: Random) -> tuple[Array, Array, bool]:
    sites = int(rng.choice([2, 5, 20, 70]))
    return _documents(rng, sites), _distances(rng, sites) ** 2, False


def _far_site(rng: Random) -> tuple[Array, Array, bool]:
    sites = int(rng.choice([5, 20, 70]))
    points = rng.normal(size=(sites, 3))
    points[0] *= 10.0 ** rng.integers(2, 9)
    squares = ((points[:, None] - points) ** 2).sum(axis=2)
    return _documents(rng, sites), (squares if rng.random() < 0.5 else np.sqrt(squares)), False


def _wide_table(rng: Random) -> tuple[Array, Array, bool]:
    sites, decades = int(rng.choice([5, 20, 40])), rng.choice([4, 12, 100])
    cost = 10.0 ** rng.uniform(-decades, decades, (sites, sites))
    np.fill_diagonal(cost, 0)
    return _documents(rng, sites), cost, False


def _extreme(rng: Random) -> tuple[Array, Array, bool]:
    sites = int(rng.choice([5, 20]))
    cost = _distances(rng, sites)
    scale = rng.choice([1e-300, 1e-45, 1e-38, 1e38, 1e45, 1e150, 1e300])
    return _documents(rng, sites), scale * cost, True


def _tied(rng: Random) -> tuple[Array, Array, bool]:
    sites = int(rng.integers(2, 12))
    rows = rng.integers(0, 4, (16, sites)).astype(float)
    rows[:, 0] += rows.sum(axis=1) == 0
    cost = rng.integers(0, 5, (sites, sites)).astype(float)
    np.fill_diagonal(cost, 0)
    return rows / rows.sum(axis=1, keepdims=True), cost, False


def _near_identical(rng: Random) -> tuple[Array, Array, bool]:
    sites = int(rng.choice([5, 20, 70]))
    row = _documents(rng, sites, 1)
    rows = row * (1 + 10.0 ** -rng.integers(2, 7) * rng.normal(size=(16, sites)))
    return rows / rows.sum(axis=1, keepdims=True), _distances(rng, sites), True


BATCHES: dict[str, Callable[[Random], tuple[Array, Array, bool]]] = {
    "distances": _metric,
    "hundreds of sites": _many_sites,
    "asymmetric": _asymmetric,
    "squared distances": _squared,
    "one far site": _far_site,
    "wide tables": _wide_table,
    "extreme scales": _extreme,
    "tied tables": _tied,
    "near-identical": _near_identical,
}
