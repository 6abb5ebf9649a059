"""What users of POT's ``emd`` and of gensim's ``wmdistance`` rely on, asked of our solver."""

import sys
import unittest
from types import SimpleNamespace

import numpy as np
import ot
import pytest
from scipy.spatial.distance import cdist

from hott import WMD, TextDistance, Vocabulary, transport
from hott.transport import Transport

from .problems import Array, check_certificate

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(60, 2)), rng.normal(size=(60, 2))
EQUAL = np.full(60, 1 / 60)


def solve_as_pot(a: Array, b: Array, cost: Array) -> tuple[Transport, Array, dict[str, Array]]:
    """Solve with both; values, certificates and the values of the plans agree."""
    t = transport.solve(a, b, cost)
    plan, log = ot.emd(a, b, cost, log=True, numItermax=10**6)
    check_certificate(a, b, cost, t)
    assert t.value == pytest.approx(log["cost"], rel=1e-9, abs=1e-12 * cost.max())
    assert (t.plan.toarray() * cost).sum() == pytest.approx(
        (plan * cost).sum(), rel=1e-9, abs=1e-12 * cost.max()
    )
    return t, plan, log


# -- POT ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("points", [10, 60])
@pytest.mark.parametrize("metric", ["sqeuclidean", "euclidean", "cityblock"])
def test_what_stays_where_it_is_costs_nothing(points, metric):
    equal = np.full(points, 1 / points)
    t, _, _ = solve_as_pot(equal, equal, cdist(X[:points], X[:points], metric))
    np.testing.assert_array_equal(t.plan.toarray(), np.eye(points) / points)
    assert t.value == 0


def test_equal_masses_are_an_assignment():
    t, plan, _ = solve_as_pot(EQUAL, EQUAL, ot.dist(X, Y))
    np.testing.assert_allclose(t.plan.toarray(), plan, atol=1e-15)
    assert (np.count_nonzero(t.plan.toarray(), axis=0) == 1).all()


def test_potentials_differ_from_those_of_pot_by_a_constant():
    """Where the plan's arcs connect all points, potentials are given but for that."""
    a, b = rng.dirichlet(np.ones(60)), rng.dirichlet(np.ones(60))
    t, _, log = solve_as_pot(a, b, ot.dist(X, Y))
    u, v = t.potentials
    assert t.plan.nnz == 60 + 60 - 1
    assert np.ptp(u - log["u"]) < 1e-12
    assert np.ptp(v - log["v"]) < 1e-12


def test_potentials_are_the_gradient_of_the_value():
    """What one more unit of mass costs, where none of the basic arcs changes."""
    a, b, cost = rng.dirichlet(np.ones(8)), rng.dirichlet(np.ones(7)), rng.random((8, 7))
    t = transport.solve(a, b, cost)
    u, v = t.potentials
    step = 1e-6 * t.plan.data.min()
    for i in range(1, 8):
        for j in range(1, 7):
            more, most = a.copy(), b.copy()
            more[[0, i]] += -step, step
            most[[0, j]] += -step, step
            slope = (transport.solve(more, most, cost).value - t.value) / step
            assert slope == pytest.approx(u[i] - u[0] + v[j] - v[0], rel=1e-5, abs=1e-5)


def test_the_plan_is_the_gradient_by_the_costs():
    a, b, cost = rng.dirichlet(np.ones(8)), rng.dirichlet(np.ones(7)), rng.random((8, 7))
    t = transport.solve(a, b, cost)
    plan = t.plan.toarray()
    for i, j in np.argwhere(plan > 0):
        dearer = cost.copy()
        dearer[i, j] += 1e-9
        assert transport.solve(a, b, dearer).value - t.value == pytest.approx(1e-9 * plan[i, j], abs=2e-15)


@pytest.mark.parametrize("without", ["rows", "columns", "both"])
def test_points_without_mass_take_no_part(without):
    a, b = rng.dirichlet(np.ones(60)), rng.dirichlet(np.ones(60))
    if without != "columns":
        a[::3] = 0
    if without != "rows":
        b[1::4] = 0
    a, b, cost = a / a.sum(), b / b.sum(), ot.dist(X, Y)
    t, _, _ = solve_as_pot(a, b, cost)
    assert t.plan.toarray()[a == 0].sum() == t.plan.toarray()[:, b == 0].sum() == 0
    fewer = transport.solve(a[a > 0], b[b > 0], cost[a > 0][:, b > 0])
    assert t.value == pytest.approx(fewer.value, rel=1e-14)


def test_one_point_with_mass():
    a = np.zeros(60)
    a[17] = 1
    cost = ot.dist(X, Y)
    t, _, _ = solve_as_pot(a, EQUAL, cost)
    assert t.value == pytest.approx(cost[17].mean(), rel=1e-14)


def test_several_columns_of_masses_are_several_problems():
    """POT takes a matrix of masses; here that is ``pairwise``, on any number of threads."""
    targets = rng.dirichlet(np.full(60, 0.2), size=5)
    cost = ot.dist(X, X, metric="euclidean")
    expected = ot.emd2(EQUAL, targets.T.copy(), cost)
    D = transport.pairwise([EQUAL], targets, cost=cost)
    np.testing.assert_allclose(D[0], expected, rtol=1e-9)
    assert (transport.pairwise([EQUAL], targets, cost=cost, threads=2) == D).all()
    assert D[0] == pytest.approx([transport.solve(EQUAL, b, cost).value for b in targets], rel=1e-9)


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("n", [1, 2, 50, 300])
def test_on_a_line_as_sorting_does_it(n, p):
    x, y = rng.normal(size=n), rng.normal(size=max(1, n - 1))
    a, b = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(len(y)))
    metric = "cityblock" if p == 1 else "sqeuclidean"
    cost = ot.dist(x[:, None], y[:, None], metric=metric)
    t, _, _ = solve_as_pot(a, b, cost)
    assert t.value == pytest.approx(ot.emd2_1d(x, y, a, b, metric=metric), rel=1e-12)


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int8, np.int64, bool])
def test_other_kinds_of_numbers_give_float64(kind):
    cost = rng.integers(0, 2, (6, 6)).astype(kind)
    t = transport.solve(np.ones(6, kind), np.ones(6, kind), cost)
    assert t.plan.dtype == np.float64
    assert t.value == ot.emd2(np.ones(6), np.ones(6), cost.astype(float))


@pytest.mark.parametrize("layout", ["transposed", "strided", "read only", "list"])
def test_any_layout_of_memory_gives_the_same_and_is_left_as_it_was(layout):
    a, b, cost = rng.dirichlet(np.ones(9)), rng.dirichlet(np.ones(8)), rng.random((9, 8))
    expected = transport.solve(a, b, cost)
    other = {
        "transposed": cost.T.copy().T,
        "strided": np.repeat(cost, 2, axis=1)[:, ::2],
        "read only": cost.copy(),
    }
    given = other.get(layout, cost.tolist())
    if layout == "read only":
        given.flags.writeable = False
    t = transport.solve(a, b, given)
    assert t.value == expected.value
    assert (t.plan != expected.plan).nnz == 0
    np.testing.assert_array_equal(given, cost)


def test_a_mask_of_forbidden_arcs():
    """POT's sparse costs: what is not stored is forbidden, here by a cost that nobody would pay."""
    cost = np.full((40, 40), 1e8)
    allowed = rng.random((40, 40)) < 0.1
    allowed |= np.eye(40, dtype=bool)
    cost[allowed] = rng.random(allowed.sum())
    t, _, _ = solve_as_pot(np.full(40, 1 / 40), np.full(40, 1 / 40), cost)
    assert (t.plan.toarray()[~allowed] == 0).all()
    assert t.value < 1


@pytest.mark.parametrize("constant", [0.0, 1e-9, 3.0, 1e9])
def test_a_constant_on_all_costs_is_paid_once(constant):
    a, b, cost = rng.dirichlet(np.ones(30)), rng.dirichlet(np.ones(30)), rng.random((30, 30))
    plain, shifted = transport.solve(a, b, cost), transport.solve(a, b, cost + constant)
    assert shifted.value == pytest.approx(plain.value + constant, rel=1e-14, abs=1e-12)


def test_more_masses_than_costs_is_refused():
    with pytest.raises(ValueError, match=r"cost must have shape \(61, 61\)"):
        transport.solve(np.full(61, 1 / 61), np.full(61, 1 / 61), ot.dist(X, X))


def test_masses_of_different_sums_are_refused():
    heavy = EQUAL.copy()
    heavy[0] = 100
    with pytest.raises(ValueError, match="a and b must carry the same mass"):
        transport.solve(heavy, EQUAL, ot.dist(X, X))


def test_masses_are_never_left_out():
    """POT takes an empty vector for equal masses. Here it is an error, and the message names it."""
    with pytest.raises(ValueError, match="a must be a non-empty vector"):
        transport.solve([], [], ot.dist(X, X))


# -- gensim ---------------------------------------------------------------------------------------------

DOCUMENTS = [
    "human interface computer",
    "survey user computer system response time",
    "eps user interface system",
    "system human system eps",
    "user response time",
    "trees",
    "graph trees",
    "graph minors trees",
    "graph minors survey",
]
WORDS = sorted({word for text in DOCUMENTS for word in text.split()})


@pytest.fixture(scope="module")
def keyed_vectors():
    vectors = pytest.importorskip("gensim.models").KeyedVectors(10)
    vectors.add_vectors(WORDS, np.random.default_rng(1).normal(size=(len(WORDS), 10)))
    return vectors


@pytest.fixture(scope="module")
def distances(keyed_vectors):
    return TextDistance(WMD(), Vocabulary(word_vectors=keyed_vectors, stop_words=None, min_df=1)).fit(
        DOCUMENTS
    )


def test_word_movers_distances_are_those_of_gensim(keyed_vectors, distances):
    split = [text.split() for text in DOCUMENTS]
    expected = [[keyed_vectors.wmdistance(p, q, norm=False) for q in split] for p in split]
    found = distances.pairwise(DOCUMENTS)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)  # gensim computes in single precision
    assert (np.diag(found) == 0).all()
    assert (found == found.T).all()
    assert (found[~np.eye(len(found), dtype=bool)] > 0).all()


def test_words_without_a_vector_do_not_count(keyed_vectors, distances):
    known, padded = "graph trees", "graph unheard trees unseen"
    found = distances.pairwise([known, padded], DOCUMENTS)
    np.testing.assert_array_equal(found[0], found[1])
    p, q = padded.split(), DOCUMENTS[0].split()
    assert found[1, 0] == pytest.approx(keyed_vectors.wmdistance(p, q, norm=False), rel=1e-5)


def test_no_known_word_means_no_distance(keyed_vectors, distances):
    """gensim says infinity, here it is NaN: no distance, neither near nor far."""
    assert keyed_vectors.wmdistance(["unheard"], ["graph"], norm=False) == np.inf
    found = distances.pairwise(["unheard unseen", "graph"], DOCUMENTS)
    assert np.isnan(found[0]).all()
    assert np.isfinite(found[1]).all()


def test_the_tests_of_gensim_pass_with_our_solver_in_the_place_of_pots(monkeypatch):
    """Its own files, as installed: gensim asks POT for the value of the word mover's distance."""
    asked = []

    def emd2(a: Array, b: Array, cost: Array) -> float:
        asked.append(len(a))
        return transport.solve(a, b, cost).value

    monkeypatch.setattr(ot, "emd2", emd2)
    captured = SimpleNamespace(log_capture=lambda: lambda test: test)  # what other tests of these files use
    monkeypatch.setitem(sys.modules, "testfixtures", captured)
    similarities = pytest.importorskip("gensim.test.test_similarities", exc_type=ImportError)
    word2vec = pytest.importorskip("gensim.test.test_word2vec", exc_type=ImportError)
    # It inherits from a class that gensim skips, and so is skipped there too.
    monkeypatch.setattr(similarities.TestWmdSimilarity, "__unittest_skip__", False)
    load = unittest.TestLoader().loadTestsFromTestCase
    found = unittest.TestResult()
    unittest.TestSuite([load(similarities.TestWmdSimilarity), load(word2vec.TestWMD)]).run(found)
    wrong = [text for _, text in found.failures + found.errors]
    assert [text for text in wrong if "no attribute 'testFull'" not in text] == []  # gensim renamed it, once
    assert found.testsRun - len(found.skipped) >= 15
    assert len(asked) > 50
