"""Neighbours found by bounds are those of solving every pair, whatever the distance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import NearestNeighbors

from hott import (
    HOTT,
    L1,
    NBOW,
    RWMD,
    TFIDF,
    WMD,
    Blend,
    Neighbors,
    _core,
)
from hott.compute.cpu import row_blocks
from hott.distances.base import Distance
from hott.distances.registry import REGISTRY, Settings
from tests.distances.corpora import random_counts, random_vectors

TRAIN, NEW = random_counts(60, 20, seed=0), random_counts(15, 20, seed=1)
VECTORS = random_vectors(20, seed=2)


class Unbounded(NBOW):
    bound_is_exact = False
    _lower_bound = Distance._lower_bound


DISTANCES = [
    *(entry.make(Settings(VECTORS, n_topics=6, n_models=3)) for entry in REGISTRY.values()),
    WMD(VECTORS, p=2, weights="tfidf"),
    WMD(VECTORS, max_words=3),
    RWMD(VECTORS, p=2),
    Blend([WMD(VECTORS), L1("tfidf")], [1, 0.5]),
    HOTT(VECTORS, n_topics=6, iterations=20, p=2),
    Unbounded(),
    Blend([Unbounded(), WMD(VECTORS)]),
]


def by_brute_force(distance, queries, documents, k, leave_out_own=False):
    """Every pair solved on its own, sorted by distance, then by order."""
    R, S = distance.represent(queries), distance.represent(documents)
    n, m = queries.shape[0], documents.shape[0]
    rows, cols = np.divmod(np.arange(n * m), m)
    values = distance.pairs(R, S, rows, cols).reshape(n, m)
    if leave_out_own:
        np.fill_diagonal(values, np.inf)
    order = np.argsort(values, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(values, order, axis=1)


@pytest.mark.parametrize("distance", DISTANCES, ids=str)
class TestEveryDistance:
    """On documents a fifth of which are copies of others, so that there are ties."""

    def test_new_documents(self, distance):
        model = Neighbors(distance).fit(TRAIN)
        found = model.kneighbors(NEW, k=7)
        indices, distances = by_brute_force(model.distance_, NEW, TRAIN, 7)
        assert found.indices.tolist() == indices.tolist()
        assert found.distances == pytest.approx(distances, abs=1e-12)
        assert found.computed + found.pruned == 15 * 60

    def test_the_documents_themselves(self, distance):
        model = Neighbors(distance).fit(TRAIN)
        found = model.kneighbors(k=3)
        indices, distances = by_brute_force(model.distance_, TRAIN, TRAIN, 3, leave_out_own=True)
        assert found.indices.tolist() == indices.tolist()
        assert found.distances == pytest.approx(distances, abs=1e-12)
        assert found.computed + found.pruned == 60 * 59

    def test_hubs_corrected(self, distance):
        model = Neighbors(distance, correct_hubs=True).fit(TRAIN)
        _, own = by_brute_force(model.distance_, TRAIN, TRAIN, 10, leave_out_own=True)
        rows, cols = np.divmod(np.arange(15 * 60), 60)
        R, S = (model.distance_.represent(documents) for documents in (NEW, TRAIN))
        values = model.distance_.pairs(R, S, rows, cols).reshape(15, 60)
        corrected = 2 * values - own.mean(axis=1)
        found = model.kneighbors(NEW, k=7)
        assert np.take_along_axis(corrected, found.indices, axis=1) == pytest.approx(
            np.sort(corrected, axis=1)[:, :7], abs=1e-9
        )
        assert found.distances == pytest.approx(np.take_along_axis(values, found.indices, axis=1), abs=1e-9)
        others = model.kneighbors(k=3)  # of the documents themselves
        assert (others.indices != np.arange(60)[:, None]).all()

    def test_radius(self, distance):
        model = Neighbors(distance).fit(TRAIN)
        indices, distances = by_brute_force(model.distance_, NEW, TRAIN, 60)
        radius = float(distances[0, 10])  # exactly at the distance of a document, which is still within
        found = model.radius_neighbors(NEW, radius)
        for i in range(15):
            inside = distances[i] <= radius
            assert found.indices[i].tolist() == indices[i][inside].tolist()
            assert found.distances[i] == pytest.approx(distances[i][inside], abs=1e-12)
        assert len(found.indices[0]) >= 11
        assert found.computed + found.pruned == 15 * 60


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12), st.sampled_from([1, 2]))
def test_equal_to_brute_force_on_few_words_and_many_ties(seed, k, p):
    """Three words and small counts: most documents coincide with others, and distances tie all over."""
    random = np.random.default_rng(seed)
    documents = random.integers(1, 3, size=(20, 3))
    distance = WMD([[0.0], [1.0], [2.0]], p=p)
    model = Neighbors(distance).fit(documents)
    found = model.kneighbors(documents[:5], k)
    indices, distances = by_brute_force(model.distance_, documents[:5], documents, k)
    assert found.indices.tolist() == indices.tolist()
    assert found.distances == pytest.approx(distances, abs=1e-12)


def test_bounds_rule_pairs_out():
    counts = random_counts(400, 20, seed=3)
    model = Neighbors(WMD(VECTORS)).fit(counts)
    found = model.kneighbors(counts[:20], k=5)
    assert 20 * 5 <= found.computed < 0.3 * 20 * 400
    assert found.pruned == 20 * 400 - found.computed
    assert model.radius_neighbors(counts[:20], 0.5).pruned > 0


@pytest.mark.parametrize("distance", [NBOW(), RWMD(VECTORS), Unbounded()], ids=str)
def test_without_a_cheaper_bound_every_pair_is_computed(distance):
    found = Neighbors(distance).fit(TRAIN).kneighbors(NEW, k=2)
    assert (found.computed, found.pruned) == (15 * 60, 0)


def test_small_blocks_of_queries_give_the_same(monkeypatch):
    model = Neighbors(WMD(VECTORS)).fit(TRAIN)
    whole = model.kneighbors(NEW, k=4), model.kneighbors(k=4), model.radius_neighbors(NEW, 0.9)
    few = lambda n, m: row_blocks(n, m, entries=2 * m)  # noqa: E731
    monkeypatch.setattr("hott.neighbors.searching.row_blocks", few)
    parts = model.kneighbors(NEW, k=4), model.kneighbors(k=4), model.radius_neighbors(NEW, 0.9)
    for a, b in zip(whole[:2], parts[:2]):
        assert np.array_equal(a.indices, b.indices)
        assert np.array_equal(a.distances, b.distances)
        assert a.computed == b.computed
    assert [i.tolist() for i in whole[2].indices] == [i.tolist() for i in parts[2].indices]


def test_all_documents_can_be_asked_for():
    model = Neighbors(WMD(VECTORS)).fit(TRAIN)
    found = model.kneighbors(NEW, k=60)
    assert np.sort(found.indices, axis=1).tolist() == [list(range(60))] * 15
    assert model.kneighbors(k=59).indices.shape == (60, 59)


def test_graph_is_what_scikit_learn_builds():
    graph = Neighbors(NBOW()).fit(NEW).graph(4)
    shares = NBOW().fit(NEW).transform(NEW).toarray()
    expected = (
        NearestNeighbors(n_neighbors=4, algorithm="brute").fit(shares).kneighbors_graph(mode="distance")
    )
    assert graph.shape == (15, 15)
    # Two documents are equally far from a third: whose neighbour is which is left to rounding.
    assert np.sort(graph.toarray()) == pytest.approx(np.sort(expected.toarray()), abs=1e-7)
    assert np.diff(graph.indptr).tolist() == [4] * 15  # distance 0 between copies is stored too


class TestDocumentsWithoutWords:
    counts = NEW.toarray()
    counts[[1, 4]] = 0

    def test_stop_by_default(self):
        with pytest.raises(ValueError, match="2 of 15 documents have no word"):
            Neighbors(NBOW()).fit(self.counts)
        with pytest.raises(ValueError, match="2 of 15 documents have no word"):
            Neighbors(NBOW()).fit(TRAIN).kneighbors(self.counts, k=2)

    @pytest.mark.parametrize("policy", ["nan", "drop"])
    def test_are_never_neighbours_and_others_keep_their_numbers(self, policy):
        found = Neighbors(NBOW(on_empty=policy)).fit(self.counts).kneighbors(TRAIN, k=13)
        expected = np.delete(np.arange(15), [1, 4]).tolist()
        assert np.sort(found.indices, axis=1).tolist() == [expected] * 60

    def test_as_queries_have_nan(self):
        model = Neighbors(NBOW(on_empty="nan")).fit(TRAIN)
        found, whole = model.kneighbors(self.counts, k=2), model.kneighbors(NEW, k=2)
        assert np.isnan(found.distances).all(axis=1).tolist() == [row in (1, 4) for row in range(15)]
        kept = np.delete(np.arange(15), [1, 4])
        assert found.indices[kept].tolist() == whole.indices[kept].tolist()
        near = model.radius_neighbors(self.counts, radius=0.5)
        assert [len(near.indices[row]) for row in (1, 4)] == [0, 0]
        assert len(near.indices) == 15

    def test_as_queries_can_be_dropped(self):
        model = Neighbors(NBOW(on_empty="drop")).fit(TRAIN)
        assert model.kneighbors(self.counts, k=2).indices.shape == (13, 2)
        assert len(model.radius_neighbors(self.counts).indices) == 13

    @pytest.mark.parametrize("policy", ["nan", "drop"])
    def test_have_an_empty_row_in_the_graph(self, policy):
        graph = Neighbors(NBOW(on_empty=policy)).fit(self.counts).graph(2)
        assert graph.shape == (15, 15)
        assert np.diff(graph.indptr).tolist() == [0 if row in (1, 4) else 2 for row in range(15)]


def test_fitted_distance_is_used_as_it_is():
    fitted = TFIDF().fit(NEW)
    assert Neighbors(fitted).fit(TRAIN).distance_ is fitted
    unfitted = TFIDF()
    assert Neighbors(unfitted).fit(TRAIN).distance_ is not unfitted
    assert clone(Neighbors(fitted)).get_params()["distance"] is not fitted


def test_reports_how_far_it_is():
    seen = []
    Neighbors(NBOW()).fit(TRAIN).kneighbors(NEW, k=1, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(900, 900)]


def test_bad_requests_are_named():
    model = Neighbors(NBOW())
    with pytest.raises(NotFittedError):
        model.kneighbors(NEW)
    model.fit(NEW)
    with pytest.raises(
        ValueError, match="k must not exceed the number of documents: k is 16, n_samples = 15"
    ):
        model.kneighbors(TRAIN, k=16)
    with pytest.raises(ValueError, match="number of other documents: k is 15, n_samples = 15"):
        model.kneighbors(k=15)
    with pytest.raises(ValueError, match=r"k must be a positive whole number, not 0"):
        model.kneighbors(k=0)
    with pytest.raises(ValueError, match="radius must be zero or more, not nan"):
        model.radius_neighbors(radius=float("nan"))


class TestSmallest:
    """The compiled choice of first candidates."""

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_is_a_stable_sort(self, dtype):
        values = np.random.default_rng(0).integers(0, 30, size=(70, 50)).astype(dtype)
        out = np.empty((70, 9), np.int64)
        _core.smallest(values, 2, out)
        assert np.array_equal(out, np.argsort(values, axis=1, kind="stable")[:, :9])

    @pytest.mark.parametrize("columns", [5, 0])
    def test_of_none_there_is_none(self, columns):
        """As a filter that leaves nothing asks for."""
        out = np.empty((3, 0), np.int64)
        _core.smallest(np.zeros((3, columns)), 2, out)
        assert out.tolist() == [[], [], []]

    def test_puts_nan_and_infinity_last(self):
        values = np.array([[np.nan, 3.0, np.inf, 1.0, np.nan]])
        out = np.empty((1, 5), np.int64)
        _core.smallest(values, 1, out)
        assert out.tolist() == [[3, 1, 0, 2, 4]]


class TestNotAbove:
    """The compiled choice of what may still be among the nearest."""

    @settings(deadline=None)
    @given(st.data(), st.sampled_from([np.float32, np.float64]))
    def test_is_what_a_comparison_finds(self, data, dtype):
        size = data.draw(st.tuples(st.integers(0, 5), st.integers(0, 150)))
        width = 32 if dtype == np.float32 else 64
        values = data.draw(arrays(dtype, size, elements=st.floats(allow_nan=False, width=width)))
        limits = data.draw(arrays(np.float64, size[0], elements=st.floats(allow_nan=False)))
        for i in range(min(size)):  # at the limit itself, and next to it
            towards = data.draw(st.sampled_from([-np.inf, values[i, 0], np.inf]))
            limits[i] = np.nextafter(np.float64(values[i, 0]), np.float64(towards))
        rows, columns = _core.not_above(values, limits, data.draw(st.integers(1, 3)))
        expected = np.nonzero(values.astype(np.float64) <= limits[:, None])
        assert (rows.tolist(), columns.tolist()) == tuple(one.tolist() for one in expected)

    def test_of_long_rows_each_is_a_task(self):
        values = np.random.default_rng(0).random((9, 70_000), np.float32)
        rows, columns = _core.not_above(values, np.linspace(0, 1e-3, 9), 2)
        expected = np.nonzero(values <= np.linspace(0, 1e-3, 9)[:, None])
        assert np.array_equal(rows, expected[0])
        assert np.array_equal(columns, expected[1])
