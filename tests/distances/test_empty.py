"""What has no words has no distance: every distance of the table, alone and as a part of another."""

import numpy as np
import pytest
from scipy import sparse

from hott import SIF, Blend, Index, KNNClassifier, LDADistance, Neighbors
from hott.distances.registry import REGISTRY, Settings
from hott.topics import FittedTopics
from tests.distances.corpora import random_counts, random_vectors

WORDS = 12
TRAIN = random_counts(20, WORDS, seed=1)
FULL = random_counts(6, WORDS, seed=2)
EMPTY = sparse.csr_array((3, WORDS))
MIXED = sparse.csr_array(sparse.vstack([FULL[:2], EMPTY[:1], FULL[2:], EMPTY[:2]], format="csr"))
HAVE_WORDS = np.array([True, True, False, True, True, True, True, False, False])
SETTINGS = Settings(random_vectors(WORDS, seed=3), n_topics=3, n_models=2)


@pytest.fixture(scope="module", params=sorted(REGISTRY))
def fitted(request):
    """One of the table, that gives NaN."""
    return REGISTRY[request.param].make(SETTINGS).set_params(on_empty="nan").fit(TRAIN)


class TestEveryDistance:
    def test_is_nan_for_documents_without_words_and_as_ever_for_others(self, fitted):
        between, among = fitted.pairwise(MIXED, TRAIN), fitted.pairwise(MIXED)
        assert np.array_equal(between[HAVE_WORDS], fitted.pairwise(FULL, TRAIN))
        assert np.array_equal(among[np.ix_(HAVE_WORDS, HAVE_WORDS)], fitted.pairwise(FULL))
        assert np.isnan(between[~HAVE_WORDS]).all()
        assert np.isnan(among[~HAVE_WORDS]).all()
        assert np.isnan(among[:, ~HAVE_WORDS]).all()
        pairs = fitted.paired(MIXED, TRAIN[:9])
        assert np.array_equal(np.isnan(pairs), ~HAVE_WORDS)
        assert pairs[HAVE_WORDS] == pytest.approx(np.diag(between[:, :9])[HAVE_WORDS])

    def test_has_nothing_to_say_where_no_document_has_words(self, fitted):
        assert fitted.pairwise(EMPTY).shape == (3, 3)
        assert np.isnan(fitted.pairwise(EMPTY)).all()
        assert fitted.pairwise(EMPTY, TRAIN).shape == (3, 20)
        assert np.isnan(fitted.pairwise(EMPTY, TRAIN)).all()
        assert fitted.pairwise(TRAIN, EMPTY).shape == (20, 3)
        assert np.isnan(fitted.pairwise(TRAIN, EMPTY)).all()
        assert np.isnan(fitted.paired(EMPTY, FULL[:3])).all()
        assert np.isnan(Neighbors(fitted).fit(TRAIN).kneighbors(EMPTY, k=2).distances).all()
        near = Neighbors(fitted).fit(TRAIN).radius_neighbors(EMPTY, radius=9.0)
        assert [len(found) for found in near.indices] == [0, 0, 0]

    def test_never_finds_a_document_without_words(self, fitted):
        found = Neighbors(fitted).fit(MIXED).kneighbors(TRAIN, k=6)
        assert (np.sort(found.indices, axis=1) == np.flatnonzero(HAVE_WORDS)).all()
        within = Neighbors(fitted).fit(MIXED).radius_neighbors(TRAIN, radius=np.inf)
        assert all((np.sort(row) == np.flatnonzero(HAVE_WORDS)).all() for row in within.indices)

    def test_lets_no_document_without_words_vote(self, fitted):
        labels = np.where(HAVE_WORDS, "words", "none")
        model = KNNClassifier(fitted, n_neighbors=1).fit(MIXED, labels)
        assert (model.predict(TRAIN) == "words").all()


def test_dropped_everywhere_leaves_nothing():
    for name in REGISTRY:
        distance = REGISTRY[name].make(SETTINGS).set_params(on_empty="drop").fit(TRAIN)
        assert distance.pairwise(EMPTY).shape == (0, 0)
        assert distance.pairwise(EMPTY, TRAIN).shape == (0, 20)
        assert distance.pairwise(TRAIN, EMPTY).shape == (20, 0)


def test_a_document_without_a_topic_that_knows_its_words_has_no_proportions():
    topics = FittedTopics([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])
    distance = LDADistance(topic_model=topics, on_empty="nan").fit([[1, 1, 1]])
    assert np.isnan(distance.pairwise([[1, 0, 2], [0, 0, 3]])[1]).all()


def test_a_document_without_a_word_vector_has_no_mean_direction():
    distance = SIF([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], on_empty="nan").fit([[1, 2, 1], [3, 1, 0]])
    assert np.isnan(distance.pairwise([[1, 0, 2], [0, 0, 3]])).tolist() == [[False, True], [True, True]]
    blend = Blend([distance, REGISTRY["l1"].make(SETTINGS)], on_empty="nan").fit([[1, 2, 1], [3, 1, 0]])
    assert np.isnan(blend.pairwise([[1, 0, 2], [0, 0, 3]])[1]).all()


@pytest.mark.parametrize("name", ["blend", "hott", "l1", "tfidf-l1", "two L1", "tfidf", "lda", "wmd"])
@pytest.mark.parametrize("encoder", [None, lambda texts: [[1.0, len(text)] for text in texts]])
def test_an_index_finds_no_document_without_words(name, encoder):
    texts = ["cats and dogs run", "a dog sleeps", "", "stars and planets", "planets orbit stars", "12 34"]
    distance = Blend([REGISTRY["l1"].make(SETTINGS), REGISTRY["tfidf-l1"].make(SETTINGS)])
    index = Index.build(
        texts,
        distance=distance if name == "two L1" else name,
        encoder=encoder,
        on_empty="nan",
        n_topics=2,
        n_models=1,
        iterations=5,
    )
    empty = np.array([False, False, True, False, False, True])
    D = index.distances()
    assert np.array_equal(np.isnan(D), empty[:, None] | empty)
    found = index.neighbors(k=2)
    assert not empty[found.indices[~empty]].any()
    assert np.isnan(found.distances[empty]).all()
    assert index.search(id="0", k=6)[0].id == "0"
    assert not {hit.id for hit in index.search(id="0", k=6)} & {"2", "5"}
    assert len(index.reasons(index.search(id="0", k=6))) == 4
    assert np.array_equal(np.isnan(index.map()).any(axis=1), empty)
    with pytest.raises(ValueError, match="'2' has no word"):
        index.search(id="2")
    with pytest.raises(ValueError, match="'2' has no word"):
        index.compare("0", "2")
