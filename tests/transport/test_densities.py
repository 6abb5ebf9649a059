"""Densities on grids: tails far below the rounding of the total, costs full of ties, in both directions."""

import numpy as np
import ot
import pytest
from scipy.stats import poisson

from hott import transport

from . import reference
from .problems import Array, check_certificate


def gauss(points: int, mean: float, deviation: float) -> Array:
    return normalized(np.exp(-((np.arange(points) - mean) ** 2) / (2 * deviation**2)))


def normalized(mass: Array) -> Array:
    return mass / mass.sum()


def on_a_line(n: int, m: int) -> Array:
    return np.abs(np.subtract.outer(np.arange(float(n)), np.arange(float(m))))


def transposed(a, b, cost):
    return b, a, np.ascontiguousarray(cost.T)


def check(a: Array, b: Array, cost: Array, steps: int = 60) -> float:
    """Solve in both directions; certify, count steps and compare with POT."""
    value = 0.0
    for problem in ((a, b, cost), transposed(a, b, cost)):
        t = transport.solve(*problem)
        check_certificate(*problem, t)
        assert t.n_pivots <= steps * (len(a) + len(b))
        assert np.abs(t.plan.sum(axis=1) - problem[0]).max() <= 1e-14 * problem[0].sum()
        total = problem[0].sum()
        expected = ot.emd2(problem[0] / total, normalized(problem[1]), problem[2], numItermax=10**6)
        assert t.value / total == pytest.approx(expected, rel=1e-9, abs=1e-12 * cost.max())
        value = t.value
    return value


@pytest.mark.parametrize(("n", "m"), [(400, 400), (500, 500), (500, 600)])
def test_two_gaussians_on_a_line(n, m):
    """Masses down to 1e-300 and below, most of them far less than the rounding of the others."""
    a, b = gauss(n, 300, 5), gauss(m, 400, 10)
    assert a[a > 0].min() < 1e-300
    # On a line what passes each point is known: the difference of the sums so far.
    passing = np.cumsum(np.pad(a, (0, max(m - n, 0))) - b)
    assert check(a, b, on_a_line(n, m)) == pytest.approx(np.abs(passing).sum(), rel=1e-13)


DENSITIES = {
    "gauss": gauss(120, 70, 3),
    "narrow": gauss(120, 20, 0.3),
    "exponential": normalized(np.exp(-5.0 * np.arange(120))),
    "laplace": normalized(np.exp(-np.abs(np.arange(120) - 50) / 0.2)),
    "poisson": normalized(poisson.pmf(np.arange(120), 8)),
    "power law": normalized((1.0 + np.arange(120)) ** -40),
    "powers of two": normalized(2.0 ** -np.arange(120)),
    "mixture": normalized(gauss(120, 30, 2) + 1e-20 * gauss(120, 90, 1)),
    "histogram": normalized(
        np.histogram(np.random.default_rng(0).normal(60, 9, 80), 120, (0, 120))[0].astype(float)
    ),
    "620 decades": 10.0 ** np.random.default_rng(1).uniform(-320, 297, 120),
    "equal": np.full(120, 1 / 120),
}
GRID = np.stack(np.divmod(np.arange(120), 11), axis=1).astype(float)
COSTS = {
    "whole numbers": on_a_line(120, 120),
    "tied but for rounding": np.abs(np.subtract.outer(np.linspace(0, 1, 120), np.linspace(0, 1, 120))),
    "squares": on_a_line(120, 120) ** 2,
    "on a plane": np.sqrt(((GRID[:, None] - GRID) ** 2).sum(axis=2)),
    "blocks": np.abs(GRID[:, None] - GRID).sum(axis=2),
    "zero or one": 1 - np.eye(120),
    "constant rows": np.repeat(np.random.default_rng(2).random((120, 1)), 120, axis=1),
}


@pytest.mark.parametrize("kind", COSTS)
@pytest.mark.parametrize("density", DENSITIES)
def test_every_density_goes_to_the_others(density, kind):
    a, rng = DENSITIES[density], np.random.default_rng(3)
    for other in rng.choice(sorted(DENSITIES), 3, replace=False):
        b = DENSITIES[other]
        check(a, a.sum() * normalized(b * 2.0**-64), COSTS[kind])
    few = rng.choice(120, 7, replace=False)
    check(a, a.sum() * rng.dirichlet(np.ones(7)), np.ascontiguousarray(COSTS[kind][:, few]))
    check(a, a.sum(keepdims=True), np.ascontiguousarray(COSTS[kind][:, few[:1]]))


@pytest.mark.parametrize("masses", ["gaussians", "equal"])
def test_a_thousand_points_whose_costs_are_tied_but_for_rounding(masses):
    """Half of all arcs are ties in real numbers and differ in the last digits of their doubles."""
    x = np.linspace(0, 1, 1000)
    a, b = (gauss(1000, 600, 5), gauss(1000, 800, 10)) if masses == "gaussians" else 2 * [np.full(1000, 1e-3)]
    check(a, b, np.abs(np.subtract.outer(x, x)))


def test_tails_agree_with_fractions():
    """Small problems of which the far tails are all: nothing else has to move."""
    rng = np.random.default_rng(4)
    for n in (3, 5, 8, 12):
        for width in (0.1, 0.3, 1.0):
            a = gauss(n, rng.uniform(0, n), width)
            b = a * (1 + rng.integers(-1, 2, n) * (a < 1e-3) * 0.5)
            b[a.argmax()] += a.sum() - b.sum()
            cost = on_a_line(n, n)
            exact = reference.solve(a, b, cost)
            found = transport.solve(a, b, cost)
            assert found.value == pytest.approx(exact.value, rel=1e-12, abs=2.0**-50 * n)


def test_all_pairs_of_densities():
    """The general solver under ``pairwise``, after the common mass was cancelled."""
    P = np.array([gauss(300, mean, width) for mean in (40, 90, 200, 280) for width in (0.5, 4, 30)])
    D = transport.pairwise(P, cost=on_a_line(300, 300))
    expected = np.abs(np.cumsum(P[:, None] - P, axis=2)).sum(axis=2)
    np.testing.assert_allclose(D, expected, rtol=1e-12, atol=1e-12)


def test_the_smallest_masses_are_moved_with_the_others():
    """Each tail has its own mass in the plan, whatever stands beside it."""
    a = np.array([1.0, 1e-50, 1e-150, 1e-300])
    t = transport.solve(a, a[::-1], 1.0 + np.eye(4))
    # The heavy one moves, which leaves the last column for nobody else.
    assert t.plan.toarray()[0, 3] == pytest.approx(1.0, rel=1e-15)
    light = transport.solve(a[1:], a[1:], 1 - np.eye(3)).plan.toarray()
    np.testing.assert_allclose(light.sum(axis=1), a[1:], rtol=1e-15)
