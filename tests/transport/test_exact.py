"""Exact for any cost and any mass: the smallest problems that tolerances of the largest cost get wrong."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hott import transport

from . import reference
from .problems import documents, euclidean

FORBIDDEN = [1e12, 1e14, 1e15, 1e16, 1e300]


@pytest.mark.parametrize("far", FORBIDDEN)
def test_a_forbidden_arc_does_not_hide_the_others(far):
    t = transport.solve([1, 1, 1], [1, 1, 1], [[1, 5, 8], [5, far, 3], [5, 7, 5]])
    assert t.value == 11
    assert t.plan.toarray().tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]


@given(st.data())
@settings(deadline=None, max_examples=200)
def test_forbidden_arcs_anywhere_agree_with_fractions(data):
    n = data.draw(st.integers(2, 6))
    cell = st.one_of(st.integers(0, 9).map(float), st.sampled_from(FORBIDDEN))
    cost = np.array(data.draw(st.lists(cell, min_size=n * n, max_size=n * n))).reshape(n, n)
    value = transport.solve(np.ones(n), np.ones(n), cost).value
    assert value == pytest.approx(reference.solve(np.ones(n), np.ones(n), cost).value, rel=1e-15)


def test_no_cost_is_too_small_to_be_counted_beside_the_others():
    """Sums such as 1e300 + 1e100 + 1 have more digits than two doubles, so whole numbers tell the least."""
    rng = np.random.default_rng(0)
    ways = [list(way) for way in permutations(range(5))]
    for _ in range(600):
        cost = rng.integers(1, 4, (5, 5)) * rng.choice([1.0, 1e100, 1e200, 1e300], (5, 5))
        rows, chosen = np.nonzero(transport.solve(np.ones(5), np.ones(5), cost).plan.toarray())
        whole = [[int(x) for x in row] for row in cost]
        sums = {tuple(way): sum(row[j] for row, j in zip(whole, way)) for way in ways}
        assert rows.tolist() == [0, 1, 2, 3, 4]
        assert sums[tuple(chosen.tolist())] == min(sums.values())


@given(st.data())
@settings(deadline=None, max_examples=200)
def test_costs_and_masses_of_any_range_agree_with_fractions(data):
    n, m = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 5))
    decades = st.floats(-40, 40)
    powers = [10.0 ** np.array(data.draw(st.lists(decades, min_size=k, max_size=k))) for k in (n, m, n * m)]
    a, b, cost = powers[0] / powers[0].sum(), powers[1] / powers[1].sum(), powers[2].reshape(n, m)
    exact = reference.solve(a, b, cost).value
    # What rounding of the masses can move, at the largest cost.
    noise = 2.0**-50 * cost.max() if cost.max() > 1e12 * exact else 0
    assert transport.solve(a, b, cost).value == pytest.approx(exact, rel=1e-13, abs=noise)


def test_costs_that_differ_in_the_last_digit_are_told_apart():
    one, more = 1.0, float(np.nextafter(1.0, 2))
    t = transport.solve([1, 1, 1], [1, 1, 1], [[more, one, 9], [one, 9, one], [9, one, more]])
    assert t.value == pytest.approx(3, rel=1e-15)
    assert t.plan.toarray().tolist() in (
        [[0, 1, 0], [1, 0, 0], [0, 0, 1]],
        [[1, 0, 0], [0, 0, 1], [0, 1, 0]],
    )


def test_eighty_thousand_equal_masses():
    n = 80_000
    a = np.full(n, 1 / n)
    assert transport.solve(a, [1.0], np.ones((n, 1))).value == 1
    assert transport.solve([0.5, 0.5], a, np.tile([[1.0], [3.0]], n)).value == pytest.approx(2, rel=1e-15)


def test_masses_near_the_largest_and_the_smallest_number():
    cost = [[0, 1], [1, 0]]
    assert transport.solve([1e308, 1e308], [1e308, 1e308], cost).value == 0
    assert transport.solve([1.5e308, 1e307], [1e307, 1.5e308], cost).value == pytest.approx(1.4e308)
    assert transport.solve([5e-324], [5e-324], [[2.0]]).value == 1e-323
    assert transport.solve([1e-323, 5e-324], [5e-324, 1e-323], cost).value == 5e-324
    with pytest.raises(transport.NotOptimalError, match="larger than any double"):
        transport.solve([1e308, 1e308], [1e308, 1e308], [[2, 2], [2, 2]])
    rows = [[1e308, 0], [0, 1e308]]
    assert transport.pairwise(rows, cost=cost)[0, 1] == 1e308
    with pytest.raises(ValueError, match="sums to more than any float64"):
        transport.pairwise([[1e308, 1e308]], cost=cost)


def test_costs_near_the_largest_and_the_smallest_number():
    assert transport.solve([1, 1], [1, 1], [[1e308, 2e307], [3e307, 1e308]]).value == pytest.approx(5e307)
    assert transport.solve([1, 1], [1, 1], [[5e-324, 1e-323], [2e-323, 1e-322]]).value == 3e-323
    cost = np.array([[0, 1, 3], [1, 0, 2], [3, 2, 0.0]])
    P = np.array([[0.5, 0.5, 0], [0, 0.25, 0.75]])
    for scale in (1e-310, 1e-200, 1e200, 1e307):
        assert transport.pairwise(P, cost=scale * cost)[0, 1] == pytest.approx(2 * scale, rel=1e-9)


def test_costs_times_any_power_of_two_give_the_value_times_it():
    a, b = [0.5, 0.25, 0.25], [0.375, 0.625]
    cost = np.array([[1, 1.5], [1.25, 1.75], [1.125, 1]])
    value = transport.solve(a, b, cost).value
    for exponent in range(-1010, 1023):
        assert transport.solve(a, b, np.ldexp(cost, exponent)).value == np.ldexp(value, exponent), exponent


def test_masses_that_differ_by_rounding_alone_use_no_forbidden_arc():
    """0.1 + 0.2 is not 0.3 in binary, by 3e-17: no reason to send that much at a cost of 1e17."""
    t = transport.solve([0.1, 0.2, 0.7], [0.3, 0.7], [[1, 1e17], [1, 1e17], [1e17, 2]])
    assert t.value == pytest.approx(0.3 + 1.4, rel=1e-15)


@pytest.mark.parametrize("sites", [20, 80])
def test_documents_that_differ_by_rounding_alone_are_no_farther_apart_than_that(sites):
    """What is left of them when the common mass is taken away need not even have the same sums."""
    rng = np.random.default_rng(sites)
    p = rng.dirichlet(np.ones(sites))
    Q = p * (1 + rng.choice([-4e-16, 0, 4e-16], (30, sites)))
    cost = np.abs(np.subtract.outer(np.arange(sites), np.arange(sites))).astype(float)
    found = transport.pairwise([p], Q, cost=cost)
    assert (found <= np.abs(Q - p).sum(axis=1) * (sites - 1)).all()
    assert found.max() > 0


def test_the_batch_is_exact_beside_a_far_site():
    """One word vector far away: all other costs are rounded to nothing beside the largest."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(30, 5))
    points[0] = 1e9
    cost = ((points[:, None] - points) ** 2).sum(axis=2)
    P = documents(rng, 40, 30, 0.2)
    P[::2, 0] = 0
    P /= P.sum(axis=1, keepdims=True)
    found = transport.pairwise(P, cost=cost)
    expected = [[transport.solve(p, q, cost).value for q in P] for p in P]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=0)


def test_triangles_are_judged_by_their_own_size():
    cost = np.array([[0, 1, 10, 1e14], [1, 0, 1, 1e14], [10, 1, 0, 1e14], [1e14, 1e14, 1e14, 0]])
    P = [[0.5, 0.5, 0, 0], [0, 0.5, 0.5, 0]]
    # Two steps of one; to keep the common half where it is would cost 5.
    assert transport.pairwise(P, cost=cost)[0, 1] == pytest.approx(1, rel=1e-9)
    line = np.abs(np.subtract.outer(*2 * [np.array([0, 1, 2, 1e14])]))
    assert transport.pairwise(P, cost=line)[0, 1] == pytest.approx(1, rel=1e-9)


def shortest_paths(cost):
    np.fill_diagonal(cost, 0)
    for k in range(len(cost)):
        cost = np.minimum(cost, cost[:, k : k + 1] + cost[k])
    return cost


def check_bounds(P, cost):
    D = transport.pairwise(P, cost=cost, metric=True)
    many = transport.lower_bound(np.vstack([P] * 8), P, cost=cost)[: len(P)]
    one = np.vstack([transport.lower_bound(P[i : i + 1], P, cost=cost) for i in range(len(P))])
    for bound in (many, one):
        assert np.isfinite(bound).all()
        assert bound.min() >= 0
        assert (bound <= D).all()
    assert many == pytest.approx(one, rel=1e-3, abs=1e-3 * cost.max())
    return D, many


@pytest.mark.parametrize("sites", [277, 700])
def test_bounds_hold_for_hundreds_of_sites(sites):
    rng = np.random.default_rng(sites)
    for cost in (1 - np.eye(sites), euclidean(rng, sites, 2)):
        check_bounds(rng.dirichlet(np.ones(sites), size=4), cost)


@pytest.mark.parametrize("half", [120, 170, 261, 324, 478])
def test_sums_of_many_equal_terms_are_bounds(half):
    """Equal costs make the bound the distance itself; every step of the sum is rounded upwards."""
    P = np.repeat(np.eye(2), half, axis=1) / half
    check_bounds(P, 1 - np.eye(2 * half))


def test_bounds_hold_for_costs_that_differ_by_direction():
    rng = np.random.default_rng(1)
    for sites in (2, 5, 30):
        cost = shortest_paths(rng.random((sites, sites)))
        D, bound = check_bounds(documents(rng, 12, sites, 0.5), cost)
        assert (bound[D > 0] > 0.3 * D[D > 0]).mean() > 0.8
    # Down is free, up costs 1: in one direction the distance is 0.
    slide = np.array([[0.0, 0.0], [1.0, 0.0]])
    for rows in ([[1, 0], [0, 1]], np.eye(2)[[0, 1] * 5]):
        bound = transport.lower_bound(rows, np.eye(2), cost=slide)
        assert bound[0].tolist() == [0, 0]
        assert bound[1] == pytest.approx([1, 0], abs=1e-5)


@pytest.mark.parametrize("scale", [1e-310, 1e-300, 1e-44, 1e-38, 1e38, 1e39, 1e200, 1e307])
def test_bounds_hold_for_costs_beyond_single_precision(scale):
    rng = np.random.default_rng(2)
    cost, P = euclidean(rng, 20), documents(rng, 10, 20)
    D, bound = check_bounds(P, scale * cost / cost.max())
    if 1e-35 < scale < 3e38:
        assert np.median(bound[D > 0] / D[D > 0]) > 0.5


@pytest.mark.parametrize("mass", [1e-300, 1e-45, 1e-30, 3.3, 1e38, 1e270])
def test_bounds_hold_for_masses_beyond_single_precision(mass):
    rng = np.random.default_rng(3)
    cost, P = euclidean(rng, 20), mass * documents(rng, 10, 20)
    for scale in (1e-30, 1.0, 1e30):
        check_bounds(P, scale * cost)
