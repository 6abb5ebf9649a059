"""The topic models: what they learn, that a seed fixes it, and scikit-learn's contract."""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import NMF
from sklearn.utils.estimator_checks import parametrize_with_checks

from hott.topics import FittedTopics, GibbsLDA, TopicModel, train
from hott.topics.model import thin
from reproduction.hdp import HDP

MODELS = [
    GibbsLDA(n_topics=3, iterations=20),
    HDP(iterations=20, alpha=0.1, gamma=0.1, initial_topics=3),
]
names = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)


def planted_counts(n=60, seed=0):
    """Documents about one of three themes of five words each, with a word in the middle that nobody uses."""
    random = np.random.default_rng(seed)
    themes = np.kron(np.eye(3), np.full(5, 0.2))
    counts = np.vstack([random.multinomial(30, themes[i % 3]) for i in range(n)])
    return sparse.csr_array(np.insert(counts, 7, 0, axis=1))


@names
class TestEveryModel:
    def test_finds_planted_themes(self, model):
        counts = planted_counts()
        proportions = model.fit(counts).transform(counts)
        theme = proportions.argmax(axis=1)
        assert (theme == np.tile(theme[:3], 20)).all()
        assert len(set(theme[:3])) == 3

    def test_is_a_topic_model_whose_rows_sum_to_one(self, model):
        counts = planted_counts()
        assert isinstance(model.fit(counts), TopicModel)
        assert model.components_.sum(axis=1) == pytest.approx(1, abs=1e-6)
        assert model.transform(counts).sum(axis=1) == pytest.approx(1, abs=1e-12)

    def test_words_of_no_document_are_unknown(self, model):
        model.fit(planted_counts())
        assert not model.components_[:, 7].any()
        assert list(np.flatnonzero(~model.fitted_.known_words)) == [7]

    def test_same_seed_same_topics(self, model):
        counts = planted_counts()
        first = model.fit(counts).components_.copy()
        assert np.array_equal(model.fit(counts).components_, first)

    def test_arrays_are_enough_to_read_documents(self, model):
        counts = planted_counts()
        learned = model.fit(counts).fitted_
        again = FittedTopics(learned.components, learned.alpha, learned.inference, learned.seed)
        assert np.array_equal(again.transform(counts), model.transform(counts))

    def test_reports_progress(self, model):
        heard = []
        model.fit(planted_counts(), progress=lambda *now: heard.append(now))
        assert heard[-1] == (model.iterations, model.iterations)
        assert [done for done, _ in heard] == sorted(done for done, _ in heard)

    def test_whole_counts_only(self, model):
        with pytest.raises(ValueError, match=r"whole numbers.*row 0 has 0\.5"):
            model.fit([[0.5, 1], [1, 2]])
        with pytest.raises(ValueError, match="no document with a word"):
            model.fit([[0, 0], [0, 0]])


def test_interrupting_and_reporting_often_changes_nothing(monkeypatch):
    counts = planted_counts()
    at_once = HDP(iterations=25).fit(counts).components_
    monkeypatch.setattr("reproduction.hdp.WORDS_AT_A_TIME", 1)
    heard = []
    step_by_step = HDP(iterations=25).fit(counts, progress=lambda *now: heard.append(now))
    assert len(heard) == 26
    assert np.array_equal(step_by_step.components_, at_once)


def test_hdp_keeps_only_topics_in_use():
    model = HDP(iterations=60, alpha=0.1, gamma=0.1, initial_topics=30).fit(planted_counts(200))
    assert 3 <= len(model.components_) <= 10
    assert model.fitted_.alpha.shape == (len(model.components_),)


def test_long_documents_are_thinned_and_short_ones_left_alone():
    counts = sparse.csr_array(np.vstack([np.arange(1, 201) * 50, np.ones(200)]))
    few = thin(counts, 1000, seed=0)
    assert few[[0]].sum() == pytest.approx(1000, abs=30)
    assert np.array_equal(few[[1]].toarray(), counts[[1]].toarray())
    assert np.corrcoef(few[[0]].toarray(), counts[[0]].toarray())[0, 1] > 0.95
    assert np.array_equal(few.data, np.rint(few.data))
    assert counts.sum() == 50 * 200 * 201 / 2 + 200  # the caller's counts are left as they were


def test_thinned_training_still_finds_the_themes():
    counts = planted_counts()
    model = GibbsLDA(n_topics=3, iterations=20, max_words=10).fit(counts * 1000)
    theme = model.transform(counts).argmax(axis=1)
    assert (theme == np.tile(theme[:3], 20)).all()


def test_fewer_documents_than_topics_works_and_warns():
    with pytest.warns(UserWarning, match="3 documents cannot tell 10 topics apart"):
        model = GibbsLDA(n_topics=10, iterations=5).fit(planted_counts(3))
    assert model.components_.shape == (10, 16)


def test_all_wrong_settings_are_told_at_once():
    with pytest.raises(ValueError, match=r"n_topics must be a positive whole number, not 0\. .*eta must be"):
        GibbsLDA(n_topics=0, eta=-1).fit(planted_counts())


class TestTrainingSeveral:
    def test_models_differ_and_a_longer_list_starts_like_a_shorter(self):
        counts, model = planted_counts(), GibbsLDA(n_topics=4, iterations=5)
        two, three = train(model, counts, 2, seed=3), train(model, counts, 3, seed=3)
        assert not np.array_equal(two[0].components, two[1].components)
        assert all(np.array_equal(a.components, b.components) for a, b in zip(two, three))

    def test_a_fresh_process_with_other_threads_learns_the_same(self):
        code = (
            "import numpy as np; from hott.topics import GibbsLDA;"
            "counts = np.arange(60).reshape(12, 5) % 7;"
            "print(GibbsLDA(n_topics=4, iterations=5).fit(counts).components_.tobytes().hex())"
        )
        environment = {"OMP_NUM_THREADS": "3", "PYTHONPATH": os.pathsep.join(sys.path)}
        there = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        ).stdout
        here = GibbsLDA(n_topics=4, iterations=5).fit(np.arange(60).reshape(12, 5) % 7)
        assert there.strip() == here.components_.tobytes().hex()

    def test_foreign_estimators_serve_by_their_own_transform(self):
        counts = planted_counts()
        model = NMF(3, init="random", max_iter=300)
        (topics,) = train(model, counts)
        proportions = topics.transform(counts)
        theme = proportions.argmax(axis=1)
        assert (theme == np.tile(theme[:3], 20)).all()
        raw = topics.model.transform(counts)
        assert proportions == pytest.approx(raw / raw.sum(axis=1, keepdims=True))
        assert not hasattr(model, "components_")  # it was copied

    def test_fitted_topics_are_taken_as_they_are(self):
        topics = FittedTopics(np.eye(16))
        assert train(topics, planted_counts()) == [topics]
        with pytest.raises(ValueError, match="n_models must be 1, not 2"):
            train(topics, planted_counts(), 2)
        with pytest.raises(ValueError, match=r"topic_model must be a topic model, .* got 'lda'"):
            train("lda", planted_counts())


# -- scikit-learn's contract -------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*cannot tell.*apart")
@parametrize_with_checks(
    [
        GibbsLDA(n_topics=3, iterations=5),
        HDP(iterations=5, initial_topics=2),
    ]
)
def test_scikit_learn_contract(estimator, check, whole_numbers):
    check(estimator)
