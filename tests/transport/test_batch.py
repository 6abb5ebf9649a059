import os
import signal
import subprocess
import sys
import time

import numpy as np
import ot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from hott import _core, transport
from hott.compute.ground import Distributions

from .problems import documents, euclidean


def by_pot(P, Q, cost):
    return np.array([[ot.emd2(p, q, cost) for q in Q] for p in P])


@pytest.mark.parametrize("concentration", [0.02, 0.1, 1.0], ids=["few sites", "some sites", "all sites"])
@pytest.mark.parametrize("dimensions", [1, 3, 50])
def test_all_pairs_agree_with_pot(concentration, dimensions):
    rng = np.random.default_rng(dimensions)
    cost = euclidean(rng, 70, dimensions)
    P, Q = documents(rng, 40, 70, concentration), documents(rng, 60, 70, concentration)
    D = transport.pairwise(P, Q, cost=cost)
    np.testing.assert_allclose(D, by_pot(P, Q, cost), rtol=1e-9, atol=1e-14)


def test_twenty_thousand_pairs_agree_with_pot():
    rng = np.random.default_rng(7)
    cost = euclidean(rng, 70, 10)
    P = documents(rng, 201, 70)
    D = transport.pairwise(P, cost=cost)
    i, j = np.triu_indices(201, 1)
    assert len(i) == 20_100
    exact = np.array([ot.emd2(P[x], P[y], cost) for x, y in zip(i, j)])
    np.testing.assert_allclose(D[i, j], exact, rtol=1e-9, atol=1e-14)


def test_many_tiles_hold_what_their_pairs_give_alone():
    """A matrix is computed in tiles of 32 rows and 512 columns."""
    rng = np.random.default_rng(8)
    cost = euclidean(rng, 5, 2)
    P, Q = documents(rng, 150, 5), documents(rng, 1600, 5)
    i, j = (places.ravel() for places in np.indices((150, 1600)))
    both = transport.pairs(P, Q, i, j, cost=cost).reshape(150, 1600)
    np.testing.assert_array_equal(transport.pairwise(P, Q, cost=cost), both)
    among = transport.pairwise(Q, cost=cost)
    np.testing.assert_array_equal(among[-150:], transport.pairwise(Q[-150:], Q, cost=cost))
    np.testing.assert_array_equal(among, among.T)


@given(st.data())
@settings(deadline=None, max_examples=200)
def test_tied_masses_and_costs_agree_with_the_single_solver(data):
    sites = data.draw(st.integers(1, 12))
    whole = st.lists(st.integers(0, 3), min_size=sites, max_size=sites)
    rows = np.array(data.draw(st.lists(whole.filter(any), min_size=2, max_size=6)), float)
    rows /= rows.sum(axis=1, keepdims=True)
    cost = np.array(data.draw(st.lists(st.integers(0, 4), min_size=sites**2, max_size=sites**2)), float)
    cost = cost.reshape(sites, sites)
    D = transport.pairwise(rows, cost=cost)
    exact = [[transport.solve(p, q, cost).value for q in rows] for p in rows]
    np.testing.assert_allclose(D, exact, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("sites", [12, 70])
def test_few_pairs_are_left_to_the_general_solver(sites):
    """All results would be right without the fast kernel, and a hundred times slower."""
    rng = np.random.default_rng(sites)
    rows, cost = Distributions.of(documents(rng, 300, sites, 0.1)), euclidean(rng, sites)
    left = _core.pairwise(rows.arrays, None, cost, True, 2, np.empty((300, 300)), None)
    assert left < 0.001 * 300 * 299 / 2


def test_a_cost_without_triangle_inequality_is_recognised():
    """Squared distances: moving common mass can pay, so nothing may be cancelled."""
    line = np.arange(6.0)
    cost = (line[:, None] - line) ** 2
    rng = np.random.default_rng(0)
    P = documents(rng, 30, 6, 0.5)
    D = transport.pairwise(P, cost=cost)
    np.testing.assert_allclose(D, by_pot(P, P, cost), rtol=1e-9, atol=1e-14)
    assert (transport.pairwise(P, cost=cost, metric=True) >= D - 1e-12).all()
    assert (transport.pairwise(P, cost=cost, metric=True) > D + 1e-3).any()


def test_an_asymmetric_cost_gives_asymmetric_distances():
    rng = np.random.default_rng(0)
    cost, P = rng.random((10, 10)), documents(rng, 12, 10, 0.5)
    np.testing.assert_allclose(transport.pairwise(P, cost=cost), by_pot(P, P, cost), rtol=1e-9)


def test_the_same_documents_are_at_distance_exactly_zero():
    rng = np.random.default_rng(0)
    for cost in (euclidean(rng, 70), euclidean(rng, 70) ** 2):
        P = documents(rng, 50, 70)
        assert (np.diagonal(transport.pairwise(P, P.copy(), cost=cost)) == 0).all()
        assert (np.diagonal(transport.pairwise(P, cost=cost)) == 0).all()


@pytest.mark.parametrize("shift", [1e-3, 1e-6, 1e-9])
def test_near_identical_documents_keep_their_relative_precision(shift):
    rng = np.random.default_rng(0)
    cost = euclidean(rng, 70)
    P = documents(rng, 50, 70)
    Q = P.copy()
    for row in Q:
        heavy, light = np.argsort(row)[[-1, -2]]
        row[heavy] -= shift
        row[light] += shift
    moved = P - Q
    exact = [
        transport.solve(
            np.maximum(m, 0), np.maximum(-m, 0) * (np.maximum(m, 0).sum() / np.maximum(-m, 0).sum()), cost
        ).value
        for m in moved
    ]
    values = transport.pairs(P, Q, np.arange(50), np.arange(50), cost=cost)
    # The masses themselves are rounded to 1e-16, which is all that limits the precision.
    np.testing.assert_allclose(values, exact, rtol=max(1e-9, 1e-14 / shift))


@pytest.mark.parametrize("left", [(1e-17, 1e-100), (1e-100, 1e-17), (1e-23, 2e-53), (1e-50, 5e-324)])
def test_what_is_left_of_both_below_their_rounding_may_be_of_any_size(left):
    """In doubles the sums are equal; what one has left is lost beside what the other has."""
    P, Q = [[1, left[0], left[0], 0, 0]], [[1, 0, 0, left[1], left[1]]]
    cost = 1 - np.eye(5)
    assert 0 < transport.pairwise(P, Q, cost=cost)[0, 0] <= 2.1 * max(left)
    assert 0 <= transport.pairwise(P, Q, cost=cost, metric=False)[0, 0] <= 1e-15


def test_masses_over_twelve_orders_of_magnitude_agree_with_pot():
    rng = np.random.default_rng(0)
    P = 10.0 ** rng.uniform(-12, 0, size=(30, 20))
    P /= P.sum(axis=1, keepdims=True)
    cost = euclidean(rng, 20)
    np.testing.assert_allclose(transport.pairwise(P, cost=cost), by_pot(P, P, cost), rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("metric", [True, False])
def test_results_are_the_same_to_the_bit_however_they_are_asked_for(metric):
    rng = np.random.default_rng(3)
    cost, P = euclidean(rng, 70), documents(rng, 300, 70, 0.1)
    D = transport.pairwise(P, cost=cost, metric=metric, threads=1)
    assert (D == D.T).all()
    assert (transport.pairwise(P, cost=cost, metric=metric, threads=3) == D).all()
    assert (transport.pairwise(P, P, cost=cost, metric=metric, threads=2) == D).all()
    rows, cols = rng.integers(0, 300, (2, 5000))
    assert (D[rows, cols] == transport.pairs(P, P, rows, cols, cost=cost, metric=metric, threads=2)).all()
    some = rng.permutation(300)[:37]
    assert (D[some] == transport.pairwise(P[some], P, cost=cost, metric=metric)).all()


def test_sparse_rows_in_any_state_are_accepted():
    rng = np.random.default_rng(0)
    cost, P = euclidean(rng, 10), documents(rng, 5, 10, 0.5)
    D = transport.pairwise(P, cost=cost)
    messy = sparse.csr_matrix(
        (np.concatenate([r for p in P for r in (p[::-1] / 2, p[::-1] / 2)]),
         np.tile(np.arange(10)[::-1], 10), np.arange(6) * 20), shape=(5, 10))  # fmt: skip
    before = messy.data.copy()
    np.testing.assert_allclose(transport.pairwise(messy, cost=cost), D, atol=1e-15)
    assert (messy.data == before).all()  # the caller's matrix is left as it was
    np.testing.assert_allclose(transport.pairwise(sparse.coo_array(3 * P), cost=cost), 3 * D, rtol=1e-12)
    counts = np.array([[1, 1, 0], [0, 2, 0]])
    assert transport.pairwise(counts, cost=[[0, 1, 1], [1, 0, 1], [1, 1, 0]])[0, 1] == 1


def test_rows_checked_once_give_the_same_numbers():
    rng = np.random.default_rng(0)
    cost, P = euclidean(rng, 20), documents(rng, 60, 20)
    D, checked = transport.pairwise(P, cost=cost), transport.Distributions.of(P)
    assert (transport.pairwise(checked, cost=cost) == D).all()
    assert (transport.pairwise(checked[10:20], checked, cost=cost) == D[10:20]).all()
    assert (transport.pairwise(checked[[5, 3]], checked[:0:-1], cost=cost) == D[[5, 3], :0:-1]).all()
    assert (transport.lower_bound(checked[30:], cost=cost) == transport.lower_bound(P[30:], cost=cost)).all()
    assert transport.Distributions.of(checked) is checked


def test_output_can_be_a_memory_map(tmp_path):
    rng = np.random.default_rng(0)
    cost, P = euclidean(rng, 20), documents(rng, 60, 20)
    out = np.lib.format.open_memmap(tmp_path / "D.npy", mode="w+", dtype=np.float64, shape=(60, 60))
    assert transport.pairwise(P, cost=cost, out=out) is out
    out.flush()
    assert (np.load(tmp_path / "D.npy") == transport.pairwise(P, cost=cost)).all()


def test_progress_ends_at_the_number_of_pairs():
    rng = np.random.default_rng(0)
    calls = []
    P = documents(rng, 100, 20)
    transport.pairwise(P, cost=euclidean(rng, 20), progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (4950, 4950)


def test_bounds_lie_below_the_distance_and_not_far():
    rng = np.random.default_rng(0)
    for dimensions in (1, 3, 50):
        cost, P, Q = euclidean(rng, 70, dimensions), documents(rng, 80, 70), documents(rng, 90, 70)
        D = transport.pairwise(P, Q, cost=cost)
        bound = transport.lower_bound(P, Q, cost=cost)
        assert (bound <= D).all()
        assert bound.min() >= 0
        assert np.median(bound / D) > {1: 0.3, 3: 0.6, 50: 0.9}[dimensions]
        assert (transport.lower_bound(P, cost=cost) <= transport.pairwise(P, cost=cost)).all()


@pytest.mark.parametrize("sites", [1, 7, 20, 33, 70, 100, 200, 300])
def test_bounds_hold_for_documents_of_any_size(sites):
    rng = np.random.default_rng(sites)
    cost, P = euclidean(rng, sites, 20), rng.dirichlet(np.ones(sites), size=20)
    D, bound = transport.pairwise(P, cost=cost), transport.lower_bound(P, cost=cost)
    assert (bound <= D).all()
    if sites > 1:
        assert (bound[np.triu_indices(20, 1)] > 0.3 * D[np.triu_indices(20, 1)]).all()
    # One row and many take different ways, to the same bounds but for the margins.
    alone = np.vstack([transport.lower_bound(P[i : i + 1], P, cost=cost) for i in range(20)])
    assert (alone <= D).all()
    assert alone == pytest.approx(bound, abs=1e-4 * cost.max())


def test_bounds_of_more_documents_than_are_taken_at_a_time():
    """A row against many goes in parts of 65,536."""
    sites = np.arange(70_000) % 3
    cost = np.array([[0.0, 2.0, 3.0], [2.0, 0.0, 4.0], [3.0, 4.0, 0.0]])
    bound = transport.lower_bound(np.eye(3), np.eye(3)[sites], cost=cost)
    assert bound == pytest.approx(cost[:, sites], rel=1e-5)


@given(st.data())
@settings(deadline=None, max_examples=200)
def test_bounds_never_exceed_the_distance_on_tied_data(data):
    sites = data.draw(st.integers(1, 10))
    places = np.array(data.draw(st.lists(st.integers(0, 5), min_size=sites, max_size=sites)), float)
    cost = np.abs(places[:, None] - places)
    whole = st.lists(st.integers(0, 3), min_size=sites, max_size=sites)
    rows = np.array(data.draw(st.lists(whole.filter(any), min_size=2, max_size=6)), float)
    rows /= rows.sum(axis=1, keepdims=True)
    D = transport.pairwise(rows, cost=cost)
    assert (transport.lower_bound(rows, cost=cost) <= D).all()
    many = np.tile(rows, (5, 1))
    assert (transport.lower_bound(many, rows, cost=cost) <= np.tile(D, (5, 1))).all()


GOOD = [[0.5, 0.5], [1.0, 0.0]]
COST = [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("P", "Q", "cost", "options", "message"),
    [
        ([[0.5, -0.5]], None, COST, {}, r"P holds -0\.5"),
        ([[0.5, np.nan]], None, COST, {}, "P holds nan"),
        (sparse.csr_array([[np.inf, 1.0]]), None, COST, {}, "P holds inf"),
        ([[0.5, 0.5], [0, 0]], None, COST, {}, r"P has 1 empty rows \(first: row 1\)"),
        ([[0.5, 0.5], [0.5, 0.4]], None, COST, {}, "row 0 of P and row 1 of P must carry the same mass"),
        (GOOD, [[2.0, 0.0]], COST, {}, "the rows of P and the rows of Q must carry the same mass"),
        (GOOD, [[1.0, 0.0, 0.0]], COST, {}, "Q must have 2 columns"),
        (GOOD, None, [[0, 1]], {}, r"cost must have shape \(2, 2\)"),
        (GOOD, None, [[0, -1], [1, 0]], {}, "cost holds -1"),
        (GOOD, None, [[0, 1j], [1, 0]], {}, "cost must hold real numbers"),
        (np.array(GOOD) * 1j, None, COST, {}, "P must hold real numbers"),
        (np.empty((0, 2)), None, COST, {}, "P has no rows"),
        (GOOD, None, COST, {"threads": 0}, "threads must be a positive whole number"),
        (GOOD, None, COST, {"out": np.empty((3, 2))}, r"out must be a float64 array of shape \(2, 2\)"),
        (GOOD, None, COST, {"out": np.empty((2, 2), np.float32)}, "out must be a float64 array"),
    ],
)
def test_bad_input_names_the_argument(P, Q, cost, options, message):
    with pytest.raises(ValueError, match=message):
        transport.pairwise(P, Q, cost=cost, **options)


@pytest.mark.parametrize("column", [2, -1])
def test_a_column_out_of_range_does_not_reach_compiled_code(column):
    broken = sparse.csr_array(np.array([[0.5, 0.5]]))
    broken.indices[1] = column
    for P, Q, name in ((broken, None, "P"), (GOOD, broken, "Q")):
        with pytest.raises(ValueError, match=f"{name} is a broken CSR matrix"):
            transport.pairwise(P, Q, cost=COST)


def test_row_numbers_out_of_range_are_refused():
    with pytest.raises(ValueError, match="cols must lie between 0 and 1; it spans 0 to 2"):
        transport.pairs(GOOD, GOOD, [0, 1], [0, 2], cost=COST)
    with pytest.raises(ValueError, match="rows and cols must be as long as each other"):
        transport.pairs(GOOD, GOOD, [0, 1], [0], cost=COST)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="free memory is read from /proc")
def test_a_result_larger_than_memory_says_how_much_it_needs():
    P = sparse.csr_array((np.ones(10**6), np.zeros(10**6, int), np.arange(10**6 + 1)), shape=(10**6, 1))
    with pytest.raises(ValueError, match=r"1000000 x 1000000 distances need 7450\.6 GiB"):
        transport.pairwise(P, cost=[[0]])


def test_what_a_watcher_raises_stops_the_rest():
    rng = np.random.default_rng(0)
    P, cost = documents(rng, 2000, 70, 0.1), euclidean(rng, 70)
    out, calls = np.full((2000, 2000), np.nan), []

    def progress(done, total):
        calls.append(done)
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        transport.pairwise(P, cost=cost, out=out, threads=1, progress=progress)
    assert len(calls) == 1
    assert np.isnan(out).any()


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_ctrl_c_stops_a_long_computation():
    program = """
import numpy as np, signal, threading, time
from hott import transport
rng = np.random.default_rng(0)
P = rng.dirichlet(np.ones(70), size=5000)
X = rng.normal(size=(70, 3))
cost = np.sqrt(((X[:, None] - X) ** 2).sum(2))
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job starts with it ignored
print("ready", flush=True)
try:
    transport.pairwise(P, cost=cost)
except KeyboardInterrupt:
    time.sleep(0.2)
    print("threads left:", threading.active_count(), flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.stdout.read() == "threads left: 1\n"
    assert process.wait() == 0
    assert time.monotonic() - sent < 30  # a whole run takes minutes; the bound is generous for slow machines
