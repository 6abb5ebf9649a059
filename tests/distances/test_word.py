"""The word mover's distance, its relaxation and its centroid form, against POT and examples by hand."""

import tracemalloc

import numpy as np
import ot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from hott import RWMD, WCD, WMD
from hott.distances import word
from hott.distances.registry import named_distance
from hott.distances.word import heaviest
from reproduction.theory import relaxed
from tests.distances.corpora import random_counts, random_vectors

TRAIN, NEW = random_counts(20, 25, seed=0), random_counts(12, 25, seed=1)
VECTORS = random_vectors(25, seed=2)


def by_definition(value, X, Y, p):
    """``value(a, b, cost)`` of every pair, over the words of the two documents only."""
    cost = cdist(VECTORS, VECTORS) ** p
    matrix = np.empty((len(X), len(Y)))
    for i, x in enumerate(X):
        for j, y in enumerate(Y):
            a, b = np.flatnonzero(x), np.flatnonzero(y)
            matrix[i, j] = max(value(x[a], y[b], cost[np.ix_(a, b)]), 0) ** (1 / p)
    return matrix


def shares(X, weights):
    if weights == "tfidf":
        return normalize(TfidfTransformer().fit(TRAIN).transform(X), norm="l1").toarray()
    return normalize(X, norm="l1").toarray()


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("weights", ["nbow", "tfidf"])
class TestByDefinition:
    def test_wmd_agrees_with_pot(self, p, weights):
        expected = by_definition(ot.emd2, shares(NEW, weights), shares(TRAIN, weights), p)
        found = WMD(VECTORS, p=p, weights=weights).fit(TRAIN).pairwise(NEW, TRAIN)
        assert found**p == pytest.approx(expected**p, abs=1e-9)

    def test_rwmd_is_the_larger_relaxation(self, p, weights):
        expected = by_definition(
            lambda a, b, cost: max(relaxed(a, b, cost)), shares(NEW, weights), shares(TRAIN, weights), p
        )
        found = RWMD(VECTORS, p=p, weights=weights).fit(TRAIN).pairwise(NEW, TRAIN)
        assert found**p == pytest.approx(expected**p, abs=1e-9)

    def test_bounds_stay_below_and_cancelling_helps(self, p, weights):
        wmd = WMD(VECTORS, p=p, weights=weights).fit(TRAIN)
        exact = wmd.pairwise(NEW, TRAIN)
        bound = wmd.lower_bound(wmd.represent(NEW), wmd.represent(TRAIN))
        rwmd = RWMD(VECTORS, p=p, weights=weights).fit(TRAIN).pairwise(NEW, TRAIN)
        assert (bound <= exact + 1e-9).all()
        assert (rwmd <= bound + 1e-9).all()
        assert (bound.mean() > 1.05 * rwmd.mean()) == (p == 1)

    def test_mirrored_matrix_is_the_full_one(self, p, weights):
        for distance in (WMD(VECTORS, p=p, weights=weights), RWMD(VECTORS, p=p, weights=weights)):
            half, full = distance.fit(TRAIN).pairwise(NEW), distance.pairwise(NEW, NEW)
            np.testing.assert_array_equal(half, full)
            np.testing.assert_array_equal(distance.pairwise(NEW, TRAIN), distance.pairwise(TRAIN, NEW).T)
            assert (np.diag(half) == 0).all()


def test_wcd_is_the_distance_of_mean_vectors_and_below_wmd():
    wcd = WCD(VECTORS).fit(TRAIN).pairwise(NEW, TRAIN)
    assert wcd == pytest.approx(
        cdist(shares(NEW, "nbow") @ VECTORS, shares(TRAIN, "nbow") @ VECTORS), abs=1e-9
    )
    assert (wcd <= WMD(VECTORS).fit(TRAIN).pairwise(NEW, TRAIN) + 1e-9).all()


class TestThreeWordsByHand:
    """Words at 0, 1 and 3 on a line; documents (1/2, 1/2, 0) and (0, 1/4, 3/4)."""

    vectors = ((0.0,), (1.0,), (3.0,))
    a, b = [[2, 2, 0]], [[0, 1, 3]]

    def distance(self, distance):
        return distance.fit(self.a + self.b).pairwise(self.a, self.b).item()

    def test_wmd(self):
        # 1/4 stays at 1; 1/4 goes from 1 to 3, 1/2 from 0 to 3.
        assert self.distance(WMD(self.vectors)) == pytest.approx(0.25 * 2 + 0.5 * 3)

    def test_wmd_squared(self):
        # On a line the sorted match is best: 1/4 from 0 to 1, 1/4 from 0 to 3, 1/2 from 1 to 3.
        assert self.distance(WMD(self.vectors, p=2)) == pytest.approx(np.sqrt(0.25 * 1 + 0.25 * 9 + 0.5 * 4))

    def test_rwmd(self):
        # From a: 0 to 1 for a half, the rest stays. From b: 3 to 1 for three quarters.
        assert self.distance(RWMD(self.vectors)) == pytest.approx(max(0.5 * 1, 0.75 * 2))
        assert self.distance(RWMD(self.vectors, p=2)) == pytest.approx(np.sqrt(max(0.5 * 1, 0.75 * 4)))

    def test_wcd(self):
        assert self.distance(WCD(self.vectors)) == pytest.approx(abs(0.5 - (0.25 + 2.25)))

    def test_bound(self):
        # The quarter that both have at 1 stays. From a: 0 to 1 for a half, 1 to 3 for a quarter.
        # From b: 3 to 1 for three quarters.
        wmd = WMD(self.vectors).fit(self.a + self.b)
        assert wmd.lower_bound(wmd.represent(self.a), wmd.represent(self.b)).item() == pytest.approx(
            max(0.5 * 1 + 0.25 * 2, 0.75 * 2)
        )

    def test_one_word_kept(self):
        # Ties go to the first word: all of a is at 0, all of b at 3.
        assert self.distance(WMD(self.vectors, max_words=1)) == pytest.approx(3)


def test_keeps_the_heaviest_words():
    weights = sparse.csr_array([[0.1, 0.4, 0.4, 0.1], [0, 1, 0, 0]])
    assert heaviest(weights, 2).toarray() == pytest.approx(np.array([[0, 0.5, 0.5, 0], [0, 1, 0, 0]]))
    assert heaviest(weights, 3).toarray() == pytest.approx(
        np.array([[0.1 / 0.9, 0.4 / 0.9, 0.4 / 0.9, 0], [0, 1, 0, 0]])
    )
    assert heaviest(weights, 9).toarray() == pytest.approx(weights.toarray())


def test_truncated_documents_have_the_distance_of_what_is_kept():
    kept = heaviest(sparse.csr_array(shares(NEW, "nbow")), 4).toarray()
    assert np.count_nonzero(kept, axis=1).max() == 4
    found = WMD(VECTORS, max_words=4).fit(TRAIN).pairwise(NEW)
    assert found == pytest.approx(by_definition(ot.emd2, kept, kept, 1), abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1, 2]))
def test_the_order_of_the_distances(seed, p):
    counts, vectors = random_counts(8, 6, seed), random_vectors(6, seed, dimensions=2)
    wmd, rwmd, wcd = (
        distance.fit(counts).pairwise(counts)
        for distance in (WMD(vectors, p=p), RWMD(vectors, p=p), WCD(vectors))
    )
    assert (rwmd <= wmd + 1e-7).all()
    assert (wcd <= wmd + 1e-7).all()


@pytest.mark.parametrize("distance", [WMD(VECTORS), WMD(VECTORS, p=2), RWMD(VECTORS), WCD(VECTORS)], ids=str)
def test_listed_pairs_are_entries_of_the_matrix(distance):
    R, S = distance.fit(TRAIN).represent(NEW), distance.represent(TRAIN)
    rows, cols = np.random.default_rng(0).integers([[12], [20]], size=(2, 300))
    assert distance.pairs(R, S, rows, cols) == pytest.approx(distance.between(R, S)[rows, cols], abs=1e-9)
    assert len(distance.pairs(R, S, rows[:0], cols[:0])) == 0


@pytest.mark.parametrize("distance", [WMD, RWMD])
def test_a_distance_does_not_depend_on_the_pairs_it_is_computed_with(distance):
    """To the bit: or else copies of a document would not tie, and their order among neighbours be chance."""
    counts = random_counts(40, 300, seed=5, mean=0.1)
    fitted = distance(random_vectors(300, seed=6, dimensions=50)).fit(counts)
    R = fitted.represent(counts)
    rows, cols = np.divmod(np.arange(400), 40)
    together = fitted.pairs(R, R, rows, cols)
    for part in (slice(0, 1), slice(1, 8), slice(100, 250)):
        assert np.array_equal(fitted.pairs(R, R, rows[part], cols[part]), together[part])
    matrix = together.reshape(10, 40)
    assert np.array_equal(matrix[:, :8], matrix[:, 32:])  # the last 8 documents repeat the first


@pytest.mark.parametrize("distance", [WMD(VECTORS), WMD(VECTORS, p=2), RWMD(VECTORS)], ids=str)
def test_small_tables_of_costs_give_the_same_numbers(distance, monkeypatch):
    """Memory is bounded by splitting the words and the pairs; the result must not show it."""
    R, S = distance.fit(TRAIN).represent(NEW), distance.represent(TRAIN)
    whole, bound = distance.between(R, S), distance.lower_bound(R, S)
    monkeypatch.setattr(word, "_TABLE", 60)
    monkeypatch.setattr(word, "_SMALL_TABLE", 40)
    assert distance.between(R, S) == pytest.approx(whole, abs=1e-9)
    assert distance.lower_bound(R, S) == pytest.approx(bound, abs=1e-9)


@pytest.mark.parametrize("distance", [WMD, RWMD])
def test_memory_stays_far_below_the_vocabulary_squared(distance):
    """20,000 words: their matrix of costs would take 3.2 GB."""
    random = np.random.default_rng(0)
    counts = sparse.csr_array(sparse.random(20, 20_000, density=0.01, random_state=random, format="csr"))
    fitted = distance(random.normal(size=(20_000, 3))).fit(counts)
    R = fitted.represent(counts)
    tracemalloc.start()
    try:
        fitted.lower_bound(R, R)
        fitted.pairs(R, R, np.arange(19), np.arange(1, 20))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 250e6


@pytest.mark.parametrize("distance", [WMD(VECTORS), RWMD(VECTORS)], ids=str)
def test_threads_do_not_change_a_bit(distance):
    one, two = (distance.fit(TRAIN).pairwise(NEW, TRAIN, threads=threads) for threads in (1, 2))
    assert np.array_equal(one, two)


def test_reports_how_far_it_is():
    seen = []
    WMD(VECTORS).fit(TRAIN).pairwise(NEW, TRAIN, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (240, 240)


def test_same_words_in_other_shares_are_not_at_distance_zero():
    """The paper's example where the relaxed distance collapses."""
    a, b = [[9, 1]], [[1, 9]]
    vectors = [[0.0], [1.0]]
    assert RWMD(vectors).fit(a).pairwise(a, b).item() == 0
    assert WMD(vectors).fit(a).pairwise(a, b).item() == pytest.approx(0.8)
    wmd = WMD(vectors).fit(a)
    assert wmd.lower_bound(wmd.represent(a), wmd.represent(b)).item() == pytest.approx(0.8)


def test_words_with_the_same_vector_are_at_distance_zero():
    vectors = np.array([[0.3, 0.1], [0.3, 0.1], [0.7, 0.2]])
    assert WMD(vectors).fit([[1, 1, 1]]).pairwise([[1, 0, 0]], [[0, 1, 0]]).item() == 0
    assert RWMD(vectors).fit([[1, 1, 1]]).pairwise([[1, 0, 0]], [[0, 1, 0]]).item() == 0


def test_without_vectors_every_two_words_are_at_distance_one():
    a, b = [[2, 1, 1]], [[0, 1, 3]]
    assert WMD().fit(a).pairwise(a, b).item() == pytest.approx(0.5)
    assert RWMD().fit(a).pairwise(a, b).item() == pytest.approx(0.5)


@pytest.mark.parametrize("distance", [WMD, RWMD, WCD])
def test_large_vocabulary_needs_vectors(distance):
    counts = sparse.csr_array(([1.0], [0], [0, 1]), shape=(1, 5000))
    with pytest.raises(ValueError, match=r"word_vectors must be given for 5000 words.*use L1"):
        distance().fit(counts)


@pytest.mark.parametrize(
    ("distance", "message"),
    [
        (WMD(VECTORS, p=3), "p must be one of 1, 2, not 3"),
        (WMD(VECTORS, max_words=0), "max_words must be a positive whole number, not 0"),
        (RWMD(VECTORS, weights="idf"), "weights must be one of 'nbow', 'tfidf', not 'idf'"),
        (WCD(VECTORS[0]), r"word_vectors must have one row.*shape \(5,\)"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(distance, message):
    with pytest.raises(ValueError, match=message):
        distance.fit(TRAIN)


def test_a_distance_by_its_name():
    assert repr(named_distance("wmd-t20")) == "WMD(max_words=20)"
    with pytest.raises(
        ValueError, match=r"no distance 'chebyshev'\. There are: blend, cosine, hoftt, hott, "
    ):
        named_distance("chebyshev")
