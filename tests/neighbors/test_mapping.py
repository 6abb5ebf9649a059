import os
import signal
import threading

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from hott.neighbors.mapping import layout, n_neighbors
from hott.utils.progress import defer_sigint


def neighbors(points, k=None):
    k = n_neighbors(len(points)) if k is None else k
    distances, indices = NearestNeighbors(n_neighbors=k).fit(points).kneighbors()
    return indices, distances


def clusters(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 5)) + 8 * np.eye(5)[np.arange(n) % 3]


def test_near_documents_are_near_on_the_map():
    points = clusters(120)
    places = layout(*neighbors(points))
    nearest = NearestNeighbors(n_neighbors=5).fit(places).kneighbors()[1]
    assert (nearest % 3 == np.arange(120)[:, None] % 3).mean() > 0.98
    assert places.mean(axis=0) == pytest.approx([0, 0], abs=1e-9)


def test_the_same_seed_gives_the_same_map():
    graph = neighbors(clusters(60))
    assert np.array_equal(layout(*graph, random_state=1), layout(*graph, random_state=1))


def test_progress_is_told_and_may_end_the_work():
    graph, seen = neighbors(clusters(60)), []
    places = layout(*graph, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(done, 750) for done in range(10, 751, 10)]
    np.testing.assert_array_equal(places, layout(*graph))

    def enough(done, total):
        if done == 300:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        layout(*graph, progress=enough)


@pytest.fixture
def handler():
    """What hears Ctrl-C: a job in the background starts with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_comes_between_steps(handler):
    """Within one it leaves openTSNE a tree half made, and the process ends with a crash now and then."""
    graph = neighbors(clusters(1_500))
    pressed = threading.Timer(0.005, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt) as caught:
        layout(*graph, progress=lambda done, total: pressed.start() if done == 10 else None)
    assert caught.traceback[-1].name == "let_in"
    assert signal.getsignal(signal.SIGINT) is handler


@pytest.mark.usefixtures("handler")
def test_ctrl_c_that_comes_last_is_not_lost():
    with pytest.raises(KeyboardInterrupt), defer_sigint():
        os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 8, 9, 10, 11, 25])
def test_small_corpora_have_a_map(n):
    places = layout(*neighbors(clusters(n)))
    assert places.shape == (n, 2)
    assert np.isfinite(places).all()
    assert len(np.unique(places.round(6), axis=0)) == n


@pytest.mark.parametrize("n", [0, 1])
def test_nothing_to_compare(n):
    assert layout(np.zeros((n, 0), int), np.zeros((n, 0))).tolist() == [[0.0, 0.0]] * n


def test_identical_documents_do_not_collapse():
    indices = np.array([[j for j in range(50) if j != i][:20] for i in range(50)])
    places = layout(indices, np.zeros((50, 20)))
    assert np.isfinite(places).all()
    assert places.std(axis=0).min() > 0.1


def test_groups_without_a_link_between_them():
    points = np.concatenate([np.random.default_rng(g).normal(size=(15, 2)) + 1000 * g for g in range(4)])
    places = layout(*neighbors(points, k=8))
    nearest = NearestNeighbors(n_neighbors=3).fit(places).kneighbors()[1]
    assert (nearest // 15 == np.arange(60)[:, None] // 15).mean() > 0.95


def test_bad_neighbours_are_named():
    with pytest.raises(ValueError, match="same shape"):
        layout([[1]], [[1.0, 2.0]])
    with pytest.raises(ValueError, match=r"distances must be finite.*Leave empty documents out"):
        layout([[1], [0]], [[np.nan], [1.0]])
    with pytest.raises(ValueError, match="from 0 to 1"):
        layout([[2], [0]], [[1.0], [1.0]])
