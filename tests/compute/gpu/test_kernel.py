"""The kernel's solver against the CPU's, without a device."""

import numpy as np
import pytest

from hott import transport
from tests.compute.gpu.emulation import KERNELS, LARGE, SMALL, USUAL, emulate

TOPICS = 40


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("kernel")


def metric_cost(seed=0, dimensions=8):
    points = np.random.default_rng(seed).normal(size=(TOPICS, dimensions))
    return np.linalg.norm(points[:, None] - points, axis=2)


def documents(count, seed, largest=16):
    """Proportions over few topics, of every size from 1 to the largest."""
    rng = np.random.default_rng(seed)
    P = np.zeros((count, TOPICS))
    for row, size in zip(P, 1 + np.arange(count) % largest):
        row[rng.choice(TOPICS, size, replace=False)] = rng.gamma(1.0, size=size) + 0.05
    return P / P.sum(axis=1, keepdims=True)


def check(found, expected, uncertain=0.01, tolerance=1e-9):
    """Equal where the kernel is certain, which it must be of nearly all."""
    certain = ~np.isnan(found)
    assert certain.mean() >= 1 - uncertain
    np.testing.assert_allclose(found[certain], expected[certain], rtol=tolerance, atol=0)


@pytest.mark.parametrize("seed", range(3))
def test_pairs_of_every_size(folder, seed):
    P, Q, cost = documents(64, seed), documents(160, seed + 10), metric_cost(seed)
    check(emulate(folder, P, Q, cost), transport.pairwise(P, Q, cost=cost))


def test_the_kernel_for_small_documents_solves_those(folder):
    P, Q, cost = documents(60, 1), documents(100, 2), metric_cost()
    found = emulate(folder, P, Q, cost, kernel=SMALL)
    fits = ((P > 0).sum(axis=1) <= SMALL[1])[:, None] & ((Q > 0).sum(axis=1) <= SMALL[0])
    assert np.isnan(found[~fits]).all()
    check(found[fits], transport.pairwise(P, Q, cost=cost)[fits])
    assert (found[fits] == emulate(folder, P, Q, cost)[fits]).all()  # in every bit


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_kernel(folder, kernel):
    P, Q, cost = documents(48, 1, largest=kernel[1]), documents(64, 2, largest=kernel[0]), metric_cost()
    check(emulate(folder, P, Q, cost, kernel=kernel), transport.pairwise(P, Q, cost=cost))
    for other in (cost**2, np.random.default_rng(4).random((TOPICS, TOPICS))):
        expected = transport.pairwise(P, Q, cost=other, metric=False)
        check(emulate(folder, P, Q, other, metric=False, kernel=kernel), expected)


@pytest.mark.parametrize("kernel", KERNELS[:-1])
def test_a_value_does_not_depend_on_the_kernel(folder, kernel):
    """In any bit, and where masses tie or hardly differ as well."""
    P, Q, cost = documents(48, 1, largest=kernel[1]), documents(64, 2, largest=kernel[0]), metric_cost()
    equal = [(X > 0) / (X > 0).sum(axis=1, keepdims=True) for X in (P, Q)]
    near = [X * (1 + 1e-9 * P.sum(axis=0)) for X in equal]
    near = [X / X.sum(axis=1, keepdims=True) for X in near]
    for X, Y in ((P, Q), equal, near):
        found, larger = (emulate(folder, X, Y, cost, kernel=which) for which in (kernel, LARGE))
        certain = ~np.isnan(found) & ~np.isnan(larger)
        assert certain.mean() > 0.9
        assert (found[certain] == larger[certain]).all()


@pytest.mark.parametrize("kernel", [USUAL, LARGE])
def test_equal_documents_are_at_distance_zero(folder, kernel):
    P, cost = documents(48, 3, largest=kernel[1]), metric_cost()
    assert (np.diagonal(emulate(folder, P, P, cost, kernel=kernel)) == 0).all()
    assert (np.diagonal(emulate(folder, P, P, cost**2, metric=False, kernel=kernel)) == 0).all()


@pytest.mark.parametrize("difference", [1e-3, 1e-5, 1e-7])
def test_documents_that_hardly_differ(folder, difference):
    """What is left after cancelling is small, and so is its error: that of the masses given."""
    P, cost = documents(48, 4, largest=12), metric_cost()
    Q = P * (1 + difference * np.random.default_rng(5).normal(size=P.shape))
    Q /= Q.sum(axis=1, keepdims=True)
    found, expected = emulate(folder, P, Q, cost), transport.pairwise(P, Q, cost=cost)
    own = np.arange(len(P))[(P > 0).sum(axis=1) > 1]
    assert (expected[own, own] > 0).all()
    np.testing.assert_allclose(found[own, own], expected[own, own], rtol=1e-7)


@pytest.mark.parametrize("kernel", [USUAL, LARGE])
def test_masses_that_tie(folder, kernel):
    """Equal masses make plans degenerate: many flows are zero."""
    P = (documents(96, 6, largest=kernel[1]) > 0).astype(float)
    P /= P.sum(axis=1, keepdims=True)
    cost = metric_cost()
    check(emulate(folder, P, P, cost, kernel=kernel), transport.pairwise(P, cost=cost))


@pytest.mark.parametrize("kernel", [USUAL, LARGE])
def test_masses_that_nearly_tie(folder, kernel):
    """Flows smaller than the rounding of masses: the kernel must not pass over their sign."""
    P = (documents(96, 7, largest=kernel[1]) > 0).astype(float)
    P *= 1 + 2e-9 * np.random.default_rng(8).normal(size=P.shape)
    P /= P.sum(axis=1, keepdims=True)
    cost = metric_cost()
    found = emulate(folder, P, P, cost, kernel=kernel)
    check(found, transport.pairwise(P, cost=cost), uncertain=1, tolerance=1e-7)


@pytest.mark.parametrize(
    "cost",
    [
        1 - np.eye(TOPICS),  # every two topics equally far apart
        np.abs(np.subtract.outer(np.arange(TOPICS), np.arange(TOPICS))).astype(float),  # on a line
        np.abs(np.subtract.outer(*2 * [np.random.default_rng(1).random(TOPICS)])),
    ],
    ids=["discrete", "integer line", "line"],
)
@pytest.mark.parametrize("kernel", [USUAL, LARGE])
def test_costs_that_tie(folder, cost, kernel):
    P = documents(96, 9, largest=kernel[1])
    check(emulate(folder, P, P, cost, kernel=kernel), transport.pairwise(P, cost=cost), tolerance=1e-8)


def test_costs_of_many_magnitudes_are_right_or_left_to_the_cpu(folder):
    scale = 10 ** np.random.default_rng(2).uniform(-6, 0, (TOPICS, 1))
    points = scale * np.random.default_rng(3).normal(size=(TOPICS, 3))
    cost, P = np.linalg.norm(points[:, None] - points, axis=2), documents(96, 10)
    check(emulate(folder, P, P, cost), transport.pairwise(P, cost=cost), uncertain=0.2, tolerance=1e-7)


def test_masses_from_counts_in_single_precision(folder):
    """Shares of few words that were rounded to float32: many flows are zero but for noise."""
    rng = np.random.default_rng(14)
    counts = rng.multinomial(20, rng.dirichlet(np.full(TOPICS, 0.2), 120)) + 0.1
    shares = (counts / counts.sum(axis=1, keepdims=True)).astype(np.float32)
    shares[shares < 1 / (TOPICS + 1)] = 0
    P = shares / shares.sum(axis=1, keepdims=True, dtype=np.float64)
    assert (P > 0).sum(axis=1).max() <= 16
    cost = metric_cost()
    check(emulate(folder, P, P, cost), transport.pairwise(P, cost=cost), uncertain=0.03, tolerance=1e-7)


def test_costs_that_are_no_metric(folder):
    """Nothing cancels: squared costs, and costs that differ by direction."""
    P, Q = documents(48, 11), documents(64, 12)
    squared, one_way = metric_cost() ** 2, np.random.default_rng(4).random((TOPICS, TOPICS))
    for cost in (squared, one_way):
        expected = transport.pairwise(P, Q, cost=cost, metric=False)
        check(emulate(folder, P, Q, cost, metric=False), expected)


def test_all_costs_zero(folder):
    P = documents(32, 13)
    assert (emulate(folder, P, P, np.zeros((TOPICS, TOPICS))) == 0).all()


@pytest.mark.parametrize("kind", ["far", "forbidden", "wide"])
def test_costs_of_a_wide_range_are_right_or_left_to_the_cpu(folder, kind):
    rng = np.random.default_rng(5)
    cost = metric_cost() ** 2
    if kind == "far":
        cost[0, 1:] *= 1e10
        cost[1:, 0] *= 1e10
    elif kind == "forbidden":
        cost[rng.random(cost.shape) < 0.1] = 1e14
    else:
        cost *= 10.0 ** rng.uniform(-6, 6, cost.shape)
    P, Q = documents(48, 1), documents(64, 2)
    expected = transport.pairwise(P, Q, cost=cost, metric=False)
    check(emulate(folder, P, Q, cost, metric=False), expected, uncertain=1, tolerance=1e-8)
