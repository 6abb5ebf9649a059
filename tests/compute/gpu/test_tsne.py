"""The layout that a device computes, by the same lines on NumPy."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.neighbors import NearestNeighbors

from hott.compute import gpu
from hott.compute.gpu import tsne
from hott.neighbors import mapping

HERE = tsne.Libraries(np, sparse)


def neighbors(X: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    distances, indices = NearestNeighbors(n_neighbors=k + 1).fit(X).kneighbors(X)
    return indices[:, 1:], distances[:, 1:]


@pytest.mark.parametrize("scale", [1e-4, 1.0, 20.0])
def test_repulsion_is_that_of_all_pairs(scale):
    points = scale * np.random.default_rng(0).normal(size=(1_500, 2))
    apart = points[:, None] - points[None, :]
    squares = (apart**2).sum(axis=2)
    forces, total = tsne.repulsion(np, points)
    exact = (apart / (1 + squares[..., None]) ** 2).sum(axis=1)
    assert total == pytest.approx((1 / (1 + squares)).sum() - 1_500, rel=0.03)
    assert np.linalg.norm(forces - exact) < 0.03 * np.linalg.norm(exact)


def test_attraction_is_that_of_all_neighbours():
    rng = np.random.default_rng(0)
    P = tsne.affinities(HERE, *neighbors(rng.normal(size=(50, 3)), 9), perplexity=3)
    points = rng.normal(size=(50, 2))
    dense, apart = P.toarray(), points[:, None] - points[None, :]
    exact = (dense[..., None] * apart / (1 + (apart**2).sum(axis=2, keepdims=True))).sum(axis=1)
    rows = np.repeat(np.arange(50), np.diff(P.indptr))
    assert tsne.attraction(np, P, rows, points) == pytest.approx(exact)


def test_points_begin_on_the_leading_directions_of_the_graph():
    X, _ = make_blobs([90, 60, 30], 4, centers=[[0] * 4, [3] * 4, [-2, 2, -2, 2]], random_state=0)
    P = tsne.affinities(HERE, *neighbors(X, 30), perplexity=10)
    rows = np.repeat(np.arange(len(X)), np.diff(P.indptr))
    points = tsne.start(np, P, rows, np.random.default_rng(0))
    assert points.std(axis=0) == pytest.approx(1e-4)
    root = np.sqrt(np.asarray(P.sum(axis=1)))
    assert abs((root**2 * points).sum(axis=0)).max() < 1e-12  # not the direction that says nothing
    _, vectors = np.linalg.eigh(P.toarray() / (root * root.T))
    leading = vectors[:, -3:-1] / root
    inside = leading @ np.linalg.lstsq(leading, points, rcond=None)[0]
    assert np.linalg.norm(inside - points) < 0.05 * np.linalg.norm(points)


def test_affinities_are_those_of_opentsne():
    opentsne = pytest.importorskip("openTSNE")
    indices, distances = neighbors(np.random.default_rng(0).normal(size=(300, 5)), 30)
    known = opentsne.nearest_neighbors.PrecomputedNeighbors(indices, distances)
    theirs = opentsne.affinity.PerplexityBasedNN(perplexity=10, knn_index=known).P
    ours = tsne.affinities(HERE, indices, distances, perplexity=10)
    assert abs(ours - theirs).max() < 1e-4 * theirs.max()
    assert ours.sum() == pytest.approx(1)


def test_neighbours_at_distance_zero_and_far_ones_have_affinities():
    indices = np.array([[1, 2], [0, 2], [0, 1]])
    for distances in (np.zeros((3, 2)), np.full((3, 2), 1e200), np.array([[0, 1e-200]] * 3)):
        P = tsne.affinities(HERE, indices, distances, perplexity=1)
        assert np.isfinite(P.data).all()
        assert P.sum() == pytest.approx(1)


def test_groups_come_apart_and_neighbours_stay_together():
    X, groups = make_blobs(200, 8, centers=5, cluster_std=0.6, random_state=0)
    indices, distances = neighbors(X, 30)
    told = []
    schedule = tsne.Schedule(early=50, late=80, rate=50.0)
    points = tsne.lay_out(indices, distances, 10, schedule, 0, lambda *done: told.append(done), HERE)
    near = neighbors(points, 10)[0]
    assert (groups[near] == groups[:, None]).mean() > 0.99
    assert np.mean([len({*a} & {*b[:10]}) for a, b in zip(near.tolist(), indices.tolist())]) > 4
    assert abs(points.mean(axis=0)).max() < 1e-9
    assert told[-1] == (130, 130)
    short = tsne.Schedule(early=5, late=5, rate=50.0)
    one, other = (tsne.lay_out(indices, distances, 10, short, 0, None, HERE) for _ in range(2))
    np.testing.assert_array_equal(one, other)


@pytest.mark.skipif(not gpu.available(), reason="needs a CUDA device")
def test_the_device_computes_the_same_and_always_the_same_map():
    device, rng = tsne.Libraries.of_device(), np.random.default_rng(0)
    points = 20 * rng.normal(size=(2_000, 2))
    ours, there = tsne.repulsion(np, points), tsne.repulsion(device.xp, device.xp.asarray(points))
    assert there[0].get() == pytest.approx(ours[0], abs=1e-9)
    X = rng.normal(size=(12_000, 5))
    indices, distances = neighbors(X, 30)
    P = tsne.affinities(device, indices, distances, perplexity=10).get()
    assert abs(P - tsne.affinities(HERE, indices, distances, perplexity=10)).max() < 1e-12
    one, other = (mapping.layout(indices, distances, device="cuda") for _ in range(2))
    np.testing.assert_array_equal(one, other)
