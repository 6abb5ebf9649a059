import numpy as np
import ot
import pytest
from hypothesis import given, settings
from scipy.optimize import linprog

from hott import transport

from . import reference
from .problems import check_certificate, degenerate, euclidean, problems

BOTH = pytest.mark.parametrize("solve", [transport.solve, reference.solve], ids=["compiled", "reference"])


def highs(a, b, cost):
    n, m = cost.shape
    marginals = np.vstack([np.kron(np.eye(n), np.ones(m)), np.kron(np.ones(n), np.eye(m))])
    return linprog(cost.ravel(), A_eq=marginals, b_eq=np.concatenate([a, b]), method="highs").fun


@BOTH
def test_a_hand_worked_problem(solve):
    t = solve([0.5, 0.5], [0.25, 0.75], [[0.0, 2.0], [3.0, 1.0]])
    # A quarter stays at no cost, a quarter moves at 2, a half moves at 1.
    assert t.value == pytest.approx(0.25 * 2 + 0.5 * 1)
    np.testing.assert_allclose(t.plan.toarray(), [[0.25, 0.25], [0.0, 0.5]])


@BOTH
@given(problems())
@settings(deadline=None, max_examples=150)
def test_optimum_is_certified(solve, problem):
    check_certificate(*problem, solve(*problem))


@given(problems())
@settings(deadline=None, max_examples=150)
def test_both_implementations_and_linear_programming_agree(problem):
    value = transport.solve(*problem).value
    assert value == pytest.approx(reference.solve(*problem).value, rel=1e-9, abs=1e-12)
    assert value == pytest.approx(highs(*problem), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", degenerate())
def test_degenerate_problems_are_certified_and_agree_with_pot(name):
    a, b, cost = degenerate()[name]
    t = transport.solve(a, b, cost)
    check_certificate(a, b, cost, t)
    assert t.value == pytest.approx(ot.emd2(a, b * (a.sum() / b.sum()), cost), rel=1e-9, abs=1e-12 * a.sum())


@pytest.mark.parametrize("size", [1, 2, 5, 20, 70, 300])
def test_random_problems_of_all_sizes_agree_with_pot(size):
    rng = np.random.default_rng(size)
    for _ in range(max(3, 300 // size)):
        a, b = rng.dirichlet(np.ones(size)), rng.dirichlet(np.full(max(1, size - 1), 0.3))
        cost = rng.random((size, max(1, size - 1)))
        t = transport.solve(a, b, cost)
        check_certificate(a, b, cost, t)
        assert t.value == pytest.approx(ot.emd2(a, b, cost), rel=1e-9)


@pytest.mark.parametrize("masses", ["random", "uniform"])
def test_a_thousand_by_a_thousand(masses):
    rng = np.random.default_rng(1)
    a, b = (rng.dirichlet(np.ones(1000)), rng.dirichlet(np.ones(1000)))
    if masses == "uniform":
        a = b = np.full(1000, 1e-3)
    cost = euclidean(rng, 2000)[:1000, 1000:]
    t = transport.solve(a, b, cost)
    check_certificate(a, b, cost, t)
    assert t.value == pytest.approx(ot.emd2(a, b, cost, numItermax=10**7), rel=1e-9)


def test_the_result_cannot_be_changed_by_accident():
    t = transport.solve([1.0], [1.0], [[1.0]])
    with pytest.raises(AttributeError):
        t.value = 2.0


def test_integers_and_single_precision_are_accepted():
    assert transport.solve([1, 1], [2], [[1], [3]]).value == 4
    half = np.array([0.5, 0.5], np.float32)
    assert transport.solve(half, half, np.array([[0, 1], [1, 0]], np.float32)).value == 0


@pytest.mark.parametrize(
    ("a", "b", "cost", "message"),
    [
        ([-1, 2], [1], [[1], [1]], "a holds -1"),
        ([np.nan, 1], [1], [[1], [1]], "a holds nan"),
        ([1], [np.inf], [[1]], "b holds inf"),
        ([1], [1], [[np.nan]], "cost holds nan"),
        ([1], [1], [[-0.5]], "cost holds -0.5"),
        ([0, 0], [1], [[1], [1]], "a carries no mass"),
        ([], [1], np.empty((0, 1)), "a must be a non-empty vector"),
        ([[1]], [1], [[1]], "a must be a non-empty vector"),
        ([1], [0.98], [[1]], r"a and b must carry the same mass: a sums to 1, b to 0\.98"),
        ([1], [1], [[1, 2]], r"cost must have shape \(1, 1\)"),
        ([1 + 1j], [1], [[1]], "a must hold real numbers, not complex128"),
        (["x"], [1], [[1]], "a must hold real numbers"),
        (np.ma.array([1, 1], mask=[0, 1]), [1], [[1], [1]], "a has masked entries"),
        ([1], [1], np.ma.array([[1]], mask=[[1]]), "cost has masked entries"),
    ],
)
@BOTH
def test_bad_input_names_the_argument(solve, a, b, cost, message):
    with pytest.raises(ValueError, match=message):
        solve(a, b, cost)
