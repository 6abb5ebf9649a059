"""scikit-learn habits: texts in, distances out, refitted in every fold, all parameters within reach."""

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline

import hott
from hott import HOTT, L1, NBOW, TFIDF, WMD, Blend, KNNClassifier, Neighbors, TextDistance, Vocabulary
from hott.distances.vector import MeaningVectors
from hott.embeddings import WordVectors
from tests.index.test_filters import BALL, FOOD, SKY

rng = np.random.default_rng(0)
TEXTS = [" ".join(rng.permutation((SKY, FOOD, BALL)[i % 3].split())[:6]) for i in range(30)]
LABELS = np.array([("sky", "food", "ball")[i % 3] for i in range(30)])
SMALL = {"n_topics": 3, "n_models": 1, "iterations": 20}


@pytest.mark.parametrize(
    "distance", [None, HOTT(**SMALL), WMD(), TFIDF(), Blend([HOTT(**SMALL), L1("tfidf")])]
)
def test_texts_in_distances_out(distance):
    model = TextDistance(distance, meaning=0).fit(TEXTS)
    counts = model.vocabulary_.transform(TEXTS)
    np.testing.assert_array_equal(model.pairwise(TEXTS), model.distance_.pairwise(counts))
    assert model.vocabulary_.word_vectors is None
    found = Neighbors(model).fit(TEXTS).kneighbors(TEXTS[:2], n_neighbors=3)
    assert (LABELS[found.indices] == LABELS[[0, 1], None]).all()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.pairwise(TEXTS[:3]), model.pairwise(TEXTS[:3]))
    assert len(pickle.dumps(model)) < 3_000_000


@pytest.mark.parametrize("distance", [TFIDF(), Blend([HOTT(**SMALL), L1("tfidf")], [1, 0.5])])
def test_meaning_is_added_over_its_deviation(distance):
    texts = [*TEXTS, "1234"]
    model, without = (TextDistance(distance, meaning=weight).fit(texts) for weight in (2.0, 0))
    assert isinstance(model, TextDistance)
    vectors = MeaningVectors()
    encoded = vectors.fit_encode(texts).select(np.arange(len(TEXTS)))
    words = without.represent(texts).take(slice(None))
    scale = 1 if isinstance(distance, Blend) else without.deviation(words)
    expected = without.pairwise(TEXTS) / scale + 2 * vectors.between(encoded) / vectors.deviation(encoded)
    np.testing.assert_allclose(model.pairwise(TEXTS), expected, rtol=1e-12)
    assert np.isnan(model.pairwise(texts)[-1]).all()
    found = Neighbors(model).fit(texts).kneighbors(["Orion in the night", "qqqq"], 3)
    np.testing.assert_array_equal(
        found.indices[0], np.argsort(model.pairwise(["Orion in the night"], TEXTS)[0], kind="stable")[:3]
    )
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.pairwise(TEXTS[:3]), model.pairwise(TEXTS[:3]))


def test_texts_are_compared_by_meaning_by_default_where_the_encoder_knows_the_language():
    english = TextDistance().fit(TEXTS)
    assert english.vectors_ is not None
    words = TextDistance(meaning=0).fit(TEXTS)
    # The same words of the vocabulary, in other company: counts cannot tell them apart.
    texts = ["moon", "moon above telescopes", "moon in a recipe for pastry"]
    same, near, far = english.pairwise(texts[:1], texts)[0]
    assert same == 0 < near < far
    assert not words.pairwise(texts[:1], texts).any()
    assert TextDistance(vocabulary=Vocabulary(language="german")).fit(TEXTS).vectors_ is None
    assert TextDistance(TFIDF()).fit(TEXTS).vectors_ is None
    with pytest.raises(ValueError, match="meaning must be"):
        TextDistance(meaning=-1).fit(TEXTS)


def test_a_classifier_without_a_distance_reads_texts():
    model = KNNClassifier(n_neighbors=3).fit(TEXTS, LABELS)
    assert model.predict(["the moon at night", "butter on a loaf"]).tolist() == ["sky", "food"]


def test_words_and_vectors_are_refitted_in_each_fold():
    seen = []

    class Watched(Vocabulary):
        def fit_transform(self, X, y=None):
            counts = super().fit_transform(X)
            seen.append(len(X))
            return counts

    model = KNNClassifier(TextDistance(HOTT(**SMALL), Watched(word_vectors=hott.embeddings.default())), 3)
    scores = cross_val_score(model, TEXTS, LABELS, cv=KFold(3))
    assert scores.mean() > 0.9
    assert seen == [20, 20, 20]


def test_a_grid_search_reaches_every_part():
    blend = TextDistance(
        Blend([HOTT(**SMALL), L1("tfidf")]), Vocabulary(word_vectors=hott.embeddings.default())
    )
    grid = {
        "n_neighbors": [1, 3],
        "distance__distance__weights": [[1, 0.5]],
        "distance__distance__distances__0__n_topics": [2, 3],
        "distance__vocabulary__min_df": [1, 2],
    }
    search = GridSearchCV(KNNClassifier(blend), grid, cv=KFold(2)).fit(TEXTS, LABELS)
    best = search.best_estimator_.distance.distance
    assert best.distances[0].n_topics == search.best_params_["distance__distance__distances__0__n_topics"]
    assert blend.distance.distances[0].n_topics == 3  # the one that was given is left alone


def test_parameters_of_a_blend():
    blend = Blend([HOTT(n_topics=3), NBOW()])
    assert blend.get_params()["distances__0__n_topics"] == 3
    blend.set_params(distances__0__n_topics=5, distances__1=TFIDF())
    assert blend.distances[0].n_topics == 5
    assert isinstance(blend.distances[1], TFIDF)
    assert clone(blend).distances[0].n_topics == 5
    with pytest.raises(ValueError, match="Invalid parameter 'distances__7__p'"):
        blend.set_params(distances__7__p=1)


def test_a_document_without_words_does_not_stop_a_cross_validation():
    texts = [*TEXTS, "1234", "qqqq"]
    labels = [*LABELS, "sky", "sky"]
    scores = cross_val_score(KNNClassifier(TextDistance(TFIDF()), 3), texts, labels, cv=KFold(4))
    assert np.isfinite(scores).all()
    assert np.isnan(TextDistance(TFIDF()).fit(TEXTS).pairwise(["1234", "planets"], TEXTS)[0]).all()


def test_frames_out():
    model = HOTT(**SMALL, random_state=0)
    pipeline = make_pipeline(Vocabulary(word_vectors=None), model).fit(TEXTS)
    assert pipeline.get_feature_names_out().tolist() == ["hott0", "hott1", "hott2"]
    frame = model.set_output(transform="pandas").fit_transform(Vocabulary().fit_transform(TEXTS))
    assert list(frame.columns) == ["hott0", "hott1", "hott2"]
    np.testing.assert_allclose(frame.sum(axis=1), 1)


def test_counts_stay_sparse_where_frames_are_asked_for():
    pandas = pytest.importorskip("pandas")
    pipeline = make_pipeline(Vocabulary(), HOTT(**SMALL, random_state=0))
    with pytest.raises(ValueError, match=r"pipeline\[-1\]\.set_output.*from_spmatrix"):
        pipeline.set_output(transform="pandas")
    pipeline.set_output(transform="default")
    pipeline[-1].set_output(transform="pandas")
    assert list(pipeline.fit_transform(TEXTS).columns) == ["hott0", "hott1", "hott2"]
    with config_context(transform_output="pandas"):
        counts = pipeline[0].transform(TEXTS)
    assert sparse.issparse(counts)
    frame = pandas.DataFrame.sparse.from_spmatrix(counts, columns=pipeline[0].words_)
    np.testing.assert_array_equal(frame.to_numpy(), counts.toarray())


def test_vectors_of_gensim():
    gensim = pytest.importorskip("gensim.models")
    vectors = gensim.KeyedVectors(2)
    words = sorted({word for text in TEXTS for word in text.split()})
    vectors.add_vectors(words, rng.normal(size=(len(words), 2)))
    vocabulary = Vocabulary(word_vectors=vectors).fit(TEXTS)
    np.testing.assert_allclose(
        vocabulary.vectors_[vocabulary.vocabulary_["moon"]], vectors["moon"], rtol=1e-6
    )
    index = hott.Index.build(TEXTS, embeddings=vectors, n_topics=2, n_models=1, iterations=5)
    assert index.parameters["embeddings"] == repr(WordVectors(words, vectors.vectors))
    with pytest.raises(ValueError, match="embeddings must be None"):
        hott.Index.build(TEXTS, embeddings=5)


class TestVocabulary:
    TEXTS = ("New York is big", "the new York times", "big times in the city")

    def test_words_in_a_row(self):
        vocabulary = Vocabulary(ngrams=2).fit(self.TEXTS)
        assert "new york" in vocabulary.vocabulary_
        assert "the new" not in vocabulary.vocabulary_  # with a stop word in it
        assert vocabulary.transform(["a New York minute"]).toarray().sum() == 3
        assert "new york time" in Vocabulary(ngrams=3, stem=True).fit(self.TEXTS).vocabulary_

    def test_common_words_are_left_out(self):
        assert set(Vocabulary(max_df=1).fit(self.TEXTS).words_) == {"city"}
        assert "big" in Vocabulary(max_df=0.7).fit(self.TEXTS).words_
        assert "dropped 4 words in too many documents" in str(Vocabulary(max_df=1).fit(self.TEXTS).report_)

    def test_a_tokenizer_of_ones_own(self):
        vocabulary = Vocabulary(tokenizer=str.split, stop_words=None).fit(["C++ and C#", "c++"])
        assert vocabulary.words_.tolist() == ["C#", "C++", "and", "c++"]
        assert vocabulary.transform(["C++ C++"]).toarray().tolist() == [[0, 2, 0, 0]]

    @pytest.mark.parametrize("wrong", [{"max_df": 1.5}, {"max_df": 0}, {"ngrams": 0}, {"ngrams": 1.5}])
    def test_wrong_choices(self, wrong):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Vocabulary(**wrong).fit(self.TEXTS)


GERMAN = [
    "Der Trainer lobt die Mannschaft nach dem Sieg im Spiel.",
    "Die Mannschaft verliert das Spiel, und der Trainer geht.",
    "Die Bank erhöht die Zinsen auf den Kredit.",
    "Ein Kredit der Bank hat hohe Zinsen.",
]


def test_the_language_is_found_out():
    """A distance between texts took every language for English, and said nothing."""
    with pytest.warns(UserWarning, match="taken to be German"):
        distance = TextDistance(TFIDF()).fit(GERMAN)
    assert distance.vocabulary_.language_ == "german"
    assert set(distance.vocabulary_.words_).isdisjoint({"der", "die", "und", "nach"})


def test_a_grid_search_reaches_the_default_vocabulary():
    texts = [text for text in GERMAN for _ in range(3)]
    labels = ["sport", "sport", "money", "money"]
    model = KNNClassifier(TextDistance(TFIDF()), n_neighbors=1)
    search = GridSearchCV(model, {"distance__vocabulary__min_df": [1, 2]}, cv=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(texts, [label for label in labels for _ in range(3)])
    assert search.best_score_ == 1.0
