"""A distance is the same to the bit in whatever block, order or list of pairs it is computed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hott import Neighbors
from hott.distances._euclidean import Points, squared_distances, squared_distances_of_pairs
from hott.distances.registry import REGISTRY, Settings
from hott.distances.vector import DocumentVectors
from tests.distances.corpora import random_counts, random_vectors

WORDS = 60
X, Y = random_counts(45, WORDS, seed=1, mean=0.2), random_counts(37, WORDS, seed=2, mean=0.2)


@pytest.fixture(scope="module", params=sorted(REGISTRY))
def distance(request):
    settings = Settings(random_vectors(WORDS, seed=3, dimensions=30), n_topics=5, n_models=2)
    return REGISTRY[request.param].make(settings).fit(X)


def test_blocks_of_any_shape_have_the_same_bits(distance):
    whole = distance.pairwise(X, Y)
    for rows, cols in ((8, 8), (1, 37), (45, 1), (13, 20)):
        blocks = [
            [distance.pairwise(X[i : i + rows], Y[j : j + cols]) for j in range(0, 37, cols)]
            for i in range(0, 45, rows)
        ]
        assert np.array_equal(np.block(blocks), whole)


def test_neighbours_are_at_the_distances_of_the_matrix(distance):
    whole = distance.pairwise(X, Y)
    found = Neighbors(distance).fit(Y).kneighbors(X, k=9)
    assert np.array_equal(found.distances, np.sort(whole, axis=1)[:, :9])
    assert np.array_equal(np.take_along_axis(whole, found.indices, axis=1), found.distances)
    few = Neighbors(distance).fit(Y).kneighbors(X[7:8], k=9)
    assert np.array_equal(few.distances[0], found.distances[7])


def test_listed_pairs_are_at_the_distances_of_the_matrix(distance):
    if type(distance).__name__ == "RWMD":
        pytest.skip("sums the words of a pair in the order of the document, not of the collection")
    R, S = distance.represent(X), distance.represent(Y)
    rows, cols = np.divmod(np.random.default_rng(4).permutation(45 * 37)[:500], 37)
    assert np.array_equal(distance.pairs(R, S, rows, cols), distance.between(R, S)[rows, cols])


def test_vectors_of_an_encoder_have_the_same_bits_in_every_block():
    random, distance = np.random.default_rng(5), DocumentVectors()
    vectors = random.normal(size=(203, 384)).astype(np.float32)
    vectors[100:150] = vectors[:50]
    documents = distance.of(vectors)
    whole = distance.between(documents)
    assert np.array_equal(np.diag(whole), np.zeros(203))
    assert np.array_equal(whole[:50], whole[100:150])
    assert np.array_equal(whole, whole.T)
    for size in (1, 8, 64, 101):
        parts = [documents.take(slice(i, i + size)) for i in range(0, 203, size)]
        assert np.array_equal(np.hstack([distance.between(documents, part) for part in parts]), whole)


@given(st.integers(0, 2**32 - 1), st.integers(1, 1200), st.sampled_from([1e-9, 1e-3, 1.0, 1e5]))
def test_products_are_exact_in_any_order(seed, dimensions, spread):
    """What linear algebra libraries may do: sum in another order, or in parts."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(3, dimensions)) * spread ** random.random(dimensions)
    others = random.normal(size=(4, dimensions)) * spread ** random.random(dimensions)
    P, Q = Points(rows), Points(others)
    products, order = P.products(Q), random.permutation(dimensions)
    high, low = P._parts
    other_high, other_low = Q._parts
    for i in range(3):
        for j in range(4):
            main, rest = high[i] * other_high[j], high[i] * other_low[j] + low[i] * other_high[j]
            assert np.cumsum(main[order])[-1] + np.cumsum(rest[order])[-1] == products[i, j]
    lengths = np.linalg.norm(rows, axis=1)[:, None] * np.linalg.norm(others, axis=1)
    assert (np.abs(products - rows @ others.T) <= 2e-13 * lengths).all()


def test_near_points_are_as_far_as_their_differences_say():
    random = np.random.default_rng(6)
    points = random.normal(size=(20, 10))
    near = points + 1e-8 * random.normal(size=points.shape)
    wanted = ((points - near) ** 2).sum(axis=1)
    assert np.diag(squared_distances(points, near)) == pytest.approx(wanted, rel=1e-12)
    rows = np.arange(20)
    assert squared_distances_of_pairs(points, near, rows, rows) == pytest.approx(wanted, rel=1e-12)
