"""Certified transport problems over adversarial families: nothing may be wrong, nothing refused.

Single problems are certified without trust in the solver (certificate.py), and one in four thousand is solved
again in fractions. Collections of documents are solved by the fast kernel and by the general solver, which
must agree, and the bounds are held against both.

    python tools/campaign --only transport --minutes 60
    python tools/campaign --only transport --seed 17 --first 20000     # go on where a run of that seed ended
"""

from collections.abc import Callable, Iterator
from itertools import count

import numpy as np
from certificate import Solutions, doubtful, fault
from common import Campaign, described
from numpy.typing import NDArray
from problems import COLLECTIONS, FAMILIES, Array, Cases, Collection, Random, Shape

from hott import _core, transport
from hott.compute.ground import Distributions
from tests.transport import reference

AT_ONCE = 512
"""Problems of one family that are made and certified together."""

AGREE = 1e-9
"""How far the fast kernel may be from the general solver."""

MASS_ROUNDING = 2.0**-50
"""Of the largest cost: how well masses tell near-identical documents apart, each mass being rounded."""


def run(campaign: Campaign) -> None:
    """Problems of each family after the other, and now and then collections, until the time is over."""
    for k in count(campaign.first):
        if not campaign.in_time:
            print(f"  next case: {k}")
            return
        run_case(campaign, k)


def run_case(campaign: Campaign, k: int) -> None:
    """Problems of each family, and every second time collections: always the same for a number and a seed."""
    for name, family in FAMILIES.items():
        _problems(campaign, name, family, k)
    if k % 2 == 0:
        for name, collection in COLLECTIONS.items():
            _collection(campaign, name, collection, k)


def _problems(campaign: Campaign, name: str, family: Callable[[Random, Shape], Cases], k: int) -> None:
    rng = np.random.default_rng([campaign.seed, k])
    largest = 9 if k % 50 else 40
    shape = (AT_ONCE if k % 50 else 4, int(rng.integers(1, largest)), int(rng.integers(1, largest)))
    a, b, cost = family(rng, shape)
    case = f"family {name}, seed {campaign.seed}, case {k}"
    solved, found = _solve(campaign, name, case, a, b, cost)
    a, b, cost = a[solved], b[solved], cost[solved]
    campaign.count(f"{name}: certified", len(solved))
    for i in doubtful(a, b, cost, found):
        wrong = fault(a[i], b[i], cost[i], found.value[i], found.plan[i])
        if wrong:
            campaign.defect(f"{name}: {wrong}", f"{case}, problem {solved[i]}")
        campaign.count(f"{name}: of these in whole numbers")
    if k % 8 == 0 and len(solved) and largest == 9:
        exact = reference.solve(a[0], b[0], cost[0]).value
        # A difference of masses that is all rounding may go any way.
        noise = MASS_ROUNDING * a[0].sum() * cost[0].max() if cost[0].max() > 1e12 * exact / a[0].sum() else 0
        if abs(found.value[0] - exact) > 1e-13 * exact + noise:
            campaign.defect(f"{name}: fractions give another value", f"{case}, problem {solved[0]}")
        campaign.count(f"{name}: of these solved in fractions")


def _solve(
    campaign: Campaign, name: str, case: str, a: Array, b: Array, cost: Array
) -> tuple[NDArray[np.intp], Solutions]:
    """Solve what can be solved; the numbers of those problems, and the solutions."""
    value, plan, u, v = np.full(len(a), np.nan), np.zeros(cost.shape), np.zeros(a.shape), np.zeros(b.shape)
    for i in range(len(a)):
        try:
            value[i], rows, columns, flows, u[i], v[i], _ = _core.solve(a[i], b[i], cost[i])
            plan[i, rows, columns] = flows
        except Exception as error:
            campaign.defect(f"{name}: {described(error)}", f"{case}, problem {i}")
            campaign.count(f"{name}: refused")
    solved = np.flatnonzero(~np.isnan(value))
    return solved, Solutions(value[solved], plan[solved], u[solved], v[solved])


def _collection(campaign: Campaign, name: str, make: Callable[[Random], Collection], k: int) -> None:
    masses, cost, metric = make(np.random.default_rng([campaign.seed, k]))
    rows = Distributions.of(masses)
    case = f"collection {name}, seed {campaign.seed}, case {k}"
    try:
        found = transport.pairwise(rows, cost=cost, metric=metric, threads=1)
        expected = general(rows, cost, metric)
        slack = MASS_ROUNDING * cost.max() if metric else 4 * np.finfo(float).smallest_subnormal
        if not (np.abs(found - expected) <= AGREE * expected + slack).all():
            campaign.defect(f"{name}: the kernel and the general solver disagree", case)
        campaign.count(f"{name}: pairs certified", found.size)
        if metric:
            for what, bound in _bounds(rows, cost):
                if not (bound <= np.minimum(found, expected)).all():
                    campaign.defect(f"{name}: {what} above the distance", case)
                campaign.count(f"{name}: bounds checked", found.size)
    except Exception as error:
        campaign.defect(f"{name}: {described(error)}", case)


def general(rows: Distributions, cost: Array, metric: bool) -> Array:
    """All distances by the general solver, which decides every reduced cost exactly."""
    i, j = (x.ravel() for x in np.indices((len(rows), len(rows))))
    values = np.empty(len(i))
    words = np.arange(len(cost), dtype=np.int32)
    _core.word_pairs(rows.arrays, rows.arrays, i, j, words, cost, metric, False, 1, values)
    return values.reshape(len(rows), len(rows))


def _bounds(rows: Distributions, cost: Array) -> Iterator[tuple[str, NDArray]]:
    twice = Distributions.concat([rows, rows])
    yield "lower_bound of many", transport.lower_bound(twice, rows, cost=cost)[: len(rows)]
    alone = (transport.lower_bound(rows[i : i + 1], rows, cost=cost) for i in range(len(rows)))
    yield "lower_bound of one", np.vstack(list(alone))
