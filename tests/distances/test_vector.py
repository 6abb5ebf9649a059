"""The vector baselines against scikit-learn and against examples worked by hand."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics.pairwise import cosine_distances, euclidean_distances, manhattan_distances
from sklearn.preprocessing import normalize

from hott import L1, LSI, NBOW, SIF, TFIDF, Cosine, LDADistance
from hott.topics import FittedTopics, GibbsLDA
from tests.distances.corpora import random_counts, random_vectors

TRAIN, NEW = random_counts(40, 30, seed=0), random_counts(25, 30, seed=1)
VECTORS = random_vectors(30, seed=2)
DISTANCES = [
    NBOW(), Cosine(), TFIDF(), L1(), L1("tfidf"), LSI(n_components=6), SIF(VECTORS), LDADistance(n_topics=5)
]  # fmt: skip


def by_scikit_learn(name, X, Y):
    shares = [normalize(Z, norm="l1") for Z in (X, Y)]
    idf = TfidfTransformer().fit(TRAIN)
    if name == "NBOW":
        return euclidean_distances(*shares)
    if name == "Cosine":
        return cosine_distances(X, Y)
    if name == "TFIDF":
        return euclidean_distances(idf.transform(X), idf.transform(Y))
    if name == "L1":
        return manhattan_distances(*(share.toarray() for share in shares))
    if name == "L1 tfidf":
        return manhattan_distances(*(normalize(idf.transform(Z), norm="l1").toarray() for Z in (X, Y)))
    if name == "LSI":
        svd = TruncatedSVD(6, random_state=0).fit(normalize(TRAIN, norm="l1"))
        return euclidean_distances(*map(svd.transform, shares))
    raise KeyError(name)


@pytest.mark.parametrize(
    ("name", "distance"),
    [("NBOW", NBOW()), ("Cosine", Cosine()), ("TFIDF", TFIDF()), ("L1", L1()), ("L1 tfidf", L1("tfidf")),
     ("LSI", LSI(n_components=6))],
)  # fmt: skip
def test_agrees_with_scikit_learn(name, distance):
    distance.fit(TRAIN)
    assert distance.pairwise(NEW, TRAIN) == pytest.approx(by_scikit_learn(name, NEW, TRAIN), abs=1e-9)


@pytest.mark.parametrize("distance", DISTANCES, ids=str)
class TestEveryVectorDistance:
    def test_listed_pairs_are_entries_of_the_matrix(self, distance):
        fitted = distance.fit(TRAIN)
        R, S = fitted.represent(NEW), fitted.represent(TRAIN)
        rows, cols = np.divmod(np.arange(25 * 40), 40)
        matrix = fitted.between(R, S)
        assert fitted.pairs(R, S, rows, cols) == pytest.approx(matrix.ravel(), abs=1e-12)
        assert fitted.lower_bound(R, S) == pytest.approx(matrix, abs=1e-12)

    def test_a_document_is_at_distance_zero_from_itself_and_its_copies(self, distance):
        counts = sparse.vstack([TRAIN[:5], TRAIN[:5]]).tocsr()
        matrix = distance.fit(TRAIN).pairwise(counts)
        assert (matrix[np.arange(10), np.arange(10)] == 0).all()
        assert (matrix[np.arange(5), np.arange(5) + 5] == 0).all()

    def test_is_symmetric(self, distance):
        matrix = distance.fit(TRAIN).pairwise(NEW)
        assert matrix == pytest.approx(matrix.T, abs=1e-12)

    def test_rows_are_paired(self, distance):
        fitted = distance.fit(TRAIN)
        assert fitted.paired(NEW, TRAIN[:25]) == pytest.approx(
            np.diag(fitted.pairwise(NEW, TRAIN[:25])), abs=1e-12
        )

    def test_document_without_words_is_named(self, distance):
        counts = NEW.toarray()
        counts[[3, 7]] = 0
        with pytest.raises(ValueError, match=r"2 of 25 documents have no word.*rows 3, 7\."):
            distance.fit(TRAIN).pairwise(counts)
        for n, named in ((10, r"7, 8, 9\."), (11, r"7, 8, 9, \.\.\.")):  # of many the first ten
            counts[:n] = 0
            with pytest.raises(ValueError, match=rf"rows 0, 1, .*{named}"):
                distance.fit(TRAIN).pairwise(counts)

    def test_document_without_words_is_nan_or_left_out_by_choice(self, distance):
        counts = NEW.toarray()
        counts[[3, 7]] = 0
        whole = distance.fit(TRAIN).pairwise(NEW, TRAIN)
        policy = distance.__class__(**(distance.get_params() | {"on_empty": "nan"})).fit(TRAIN)
        gaps = policy.pairwise(counts, TRAIN)
        assert np.isnan(gaps[[3, 7]]).all()
        kept = np.delete(np.arange(25), [3, 7])
        assert gaps[kept] == pytest.approx(whole[kept], abs=1e-12)
        dropped = policy.set_params(on_empty="drop").pairwise(counts, TRAIN)
        assert dropped == pytest.approx(whole[kept], abs=1e-12)

    def test_fills_the_array_it_is_given(self, distance):
        out = np.empty((25, 40))
        fitted = distance.fit(TRAIN)
        assert fitted.pairwise(NEW, TRAIN, out=out) is out
        assert out == pytest.approx(fitted.pairwise(NEW, TRAIN))


class TestThreeWordsByHand:
    """Two documents over three words: (2, 1, 1) and (0, 1, 3)."""

    a, b = [[2, 1, 1]], [[0, 1, 3]]

    def distance(self, distance):
        return distance.fit(self.a + self.b).pairwise(self.a, self.b).item()

    def test_nbow(self):
        assert self.distance(NBOW()) == pytest.approx(np.sqrt(0.5**2 + 0 + 0.5**2))

    def test_cosine(self):
        assert self.distance(Cosine()) == pytest.approx(1 - (1 + 3) / np.sqrt(6 * 10))

    def test_l1(self):
        assert self.distance(L1()) == pytest.approx(0.5 + 0 + 0.5)

    def test_tfidf(self):
        idf = np.log(3 / 2) + 1  # of the first word, in one of two documents; the others: log(3/3) + 1 = 1
        a, b = np.array([2 * idf, 1, 1]), np.array([0, 1, 3])
        assert self.distance(TFIDF()) == pytest.approx(
            np.linalg.norm(a / np.linalg.norm(a) - b / np.linalg.norm(b))
        )
        assert self.distance(L1("tfidf")) == pytest.approx(np.abs(a / a.sum() - b / b.sum()).sum())

    def test_lsi_keeps_everything_when_there_are_as_many_directions_as_documents(self):
        assert self.distance(LSI(n_components=2)) == pytest.approx(self.distance(NBOW()))

    def test_sif(self):
        # Frequencies 2/8, 2/8, 4/8; with a = 1 weights 4/5, 4/5, 2/3. The documents lie in the plane, on
        # either side of the direction they share; without it, at unit length, they are opposite points.
        vectors = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
        means = np.array([[2 * 4 / 5, 4 / 5 + 2 / 3], [0, 4 / 5 + 3 * 2 / 3]]) / 4
        direction = np.linalg.svd(means)[2][0]
        sides = np.sign(means @ [direction[1], -direction[0]])
        assert sides[0] != sides[1]
        assert self.distance(SIF(vectors, a=1.0)) == pytest.approx(2)

    def test_sif_of_documents_on_printable(self):
        vectors = np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 4.0]])
        assert self.distance(SIF(vectors, a=1.0)) == 0  # all they have is what they share


def test_sif_takes_out_the_leading_direction():
    fitted = SIF(VECTORS).fit(TRAIN)
    frequency = TRAIN.sum(axis=0) / TRAIN.sum()
    means = normalize(TRAIN.toarray(), norm="l1") @ (VECTORS * (1e-3 / (1e-3 + frequency))[:, None])
    direction = np.linalg.svd(means)[2][0]
    expected = normalize(means - np.outer(means @ direction, direction))
    assert fitted.transform(TRAIN) == pytest.approx(expected, abs=1e-9)
    assert fitted.transform(NEW) @ direction == pytest.approx(np.zeros(25), abs=1e-9)


def test_lda_is_the_distance_of_topic_proportions():
    model = GibbsLDA(n_topics=4, random_state=3).fit(TRAIN)
    expected = euclidean_distances(model.transform(NEW), model.transform(TRAIN))
    for distance in (
        LDADistance(n_topics=4, random_state=3),
        LDADistance(topic_model=GibbsLDA(4, random_state=3)),
    ):
        assert distance.fit(TRAIN).pairwise(NEW, TRAIN) == pytest.approx(expected, abs=1e-7)


def test_lda_takes_topics_made_elsewhere():
    topics = FittedTopics(np.eye(30), alpha=0)
    assert LDADistance(topic_model=topics).fit(TRAIN).pairwise(NEW) == pytest.approx(
        NBOW().fit(TRAIN).pairwise(NEW), abs=1e-6
    )


@given(
    npst.arrays(np.int64, (6, 8), elements=st.integers(0, 3)),
    npst.arrays(np.int64, (4, 8), elements=st.integers(0, 3)),
)
def test_l1_is_the_sum_of_absolute_differences(X, Y):
    X[:, 0] += 1
    Y[:, 7] += 1
    expected = manhattan_distances(normalize(X, norm="l1"), normalize(Y, norm="l1"))
    assert L1().fit(X).pairwise(X, Y) == pytest.approx(expected, abs=1e-12)


def test_nearly_equal_documents_keep_their_distance():
    """Matrix products alone would lose it: their rounding errors are larger."""
    a, b = np.array([[10**9, 10**9]]), np.array([[10**9, 10**9 + 1]])
    expected = np.sqrt(2) * abs(0.5 - (10**9 + 1) / (2 * 10**9 + 1))
    assert NBOW().fit(a).pairwise(a, b).item() == pytest.approx(expected, rel=1e-6)


def test_unordered_and_repeated_entries_count_once_each():
    """A sparse matrix may list a row's words in any order, and the same one twice."""
    messy = sparse.csr_array(([1.0, 2.0, 1.0, 0.0], [2, 0, 2, 1], [0, 4]), shape=(1, 3))
    assert L1().fit(messy).pairwise(messy, [[2, 0, 2]]).item() == 0
    assert TFIDF().fit(messy).idf_ == pytest.approx(TFIDF().fit([[2, 0, 2]]).idf_)
    assert messy.nnz == 4  # left as it was


@pytest.mark.parametrize(
    ("distance", "message"),
    [
        (L1("counts"), "weights must be one of 'nbow', 'tfidf', not 'counts'"),
        (LSI(n_components=0), "n_components must be a positive whole number, not 0"),
        (SIF(VECTORS[:5]), r"word_vectors must have one row for each of the 30 words.*shape \(5, 5\)"),
        (SIF(VECTORS * np.nan), "word_vectors must be finite; the vector of word 0 is not"),
        (SIF(VECTORS, a=0), "a must be above zero"),
        (NBOW(on_empty="skip"), "on_empty must be one of 'error', 'nan', 'drop'"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(distance, message):
    with pytest.raises(ValueError, match=message):
        distance.fit(TRAIN)


def test_negative_counts_are_refused():
    with pytest.raises(ValueError, match="row 1 has -2"):
        NBOW().fit([[1, 0], [-2, 1]])


@pytest.mark.filterwarnings("error")
def test_lsi_of_documents_that_are_all_alike_says_nothing():
    X = np.array([[2, 1, 0, 1]] * 4)
    np.testing.assert_allclose(LSI(n_components=2).fit(X).pairwise(X), 0, atol=1e-7)


@pytest.mark.parametrize("distance", [L1(), TFIDF(), Cosine()])
def test_a_very_long_document_is_not_copied_for_every_pair(distance):
    """Random pairs of few documents are the same few pairs; listed pairs of long documents go one by one."""
    counts = sparse.csr_array(np.arange(150_000).reshape(3, -1) % 7 + 1)
    R = distance.fit(counts).represent(counts)
    rows, cols = np.repeat([0, 1, 2], 300), np.tile([1, 2, 0], 300)
    pair = {(a, b): distance.pairs(R, R, np.array([a]), np.array([b]))[0] for a in range(3) for b in range(3)}
    tracemalloc.start()
    deviation, values = distance.deviation(R), distance.pairs(R, R, rows, cols)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 150e6  # one document takes 600 kB
    assert values.tolist() == [pair[key] for key in zip(rows, cols)]
    random = np.random.default_rng(0)
    drawn = random.integers(3, size=10_000)
    others = (drawn + random.integers(1, 3, size=10_000)) % 3
    assert deviation == pytest.approx(np.std([pair[key] for key in zip(drawn, others)]), rel=1e-9)
