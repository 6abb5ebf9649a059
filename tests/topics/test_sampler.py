"""The topic sampler: against its slow twin, against the formula, and by what it promises."""

import itertools
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from hott import _core
from hott.topics import GibbsLDA
from hott.topics.counts import TopicCounts
from hott.topics.neighborhood import SCALE, Neighborhood, neighborhood
from hott.utils.checks import check_counts
from hott.utils.run import Run
from tests.topics import reference
from tests.topics.test_models import planted_counts

ALPHA, ETA = 0.1, 0.01


def nobody(n_words):
    """Neighbours of words that borrow nothing."""
    return np.zeros((n_words, 0), np.int32), np.zeros((n_words, 0), np.float32)


def fit_seeds(model, counts, seeds, **options):
    """The topics of counts, once for each seed."""
    return model.learn_many(check_counts(counts, whole=True), seeds, Run(**options))


def sample(counts, near, n_topics, sweeps, strength, seeds, alpha=ALPHA, eta=ETA, threads=1):
    """What the core draws, models x occurrences, and how often for each word, models x words x topics."""
    rows = sparse.csr_array(np.asarray(counts, float))
    csr = rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data
    topic_of = np.zeros((len(seeds), int(rows.sum())), np.uint16)
    found = np.zeros((len(seeds), rows.shape[1], n_topics), np.float32)
    seeds = np.array(seeds, np.uint64)
    _core.sample_topics(
        csr, rows.shape[1], *near, sweeps, alpha, eta, strength, seeds, threads, found, topic_of, None
    )
    return topic_of, found


def words_of(counts):
    """The word of every occurrence, in the core's order."""
    return np.array([w for row in counts for w in np.flatnonzero(row) for _ in range(row[w])])


@st.composite
def problems(draw):
    """Documents of few words, some of them empty; words that borrow, one that does not, and an unseen one."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_words = draw(st.integers(1, 12))
    mean = draw(st.sampled_from([0.2, 1, 8]))
    counts = random.poisson(mean, size=(draw(st.integers(1, 6)), n_words))
    counts[0, counts.sum(axis=0) == 0] = 1  # every word occurs
    counts[1:] *= random.random((len(counts) - 1, 1)) > 0.2
    counts[0, counts.sum(axis=0) == 0] = 1
    per_word = draw(st.integers(0, 4))
    near = (
        random.integers(0, n_words, (n_words + 1, per_word)).astype(np.int32),
        np.sort(random.random((n_words + 1, per_word)).astype(np.float32), axis=1)[:, ::-1].copy(),
    )
    near[1][0] = 0
    if per_word == 0:
        near = nobody(n_words)
    strength = draw(st.sampled_from([0.5, 10.0, 300.0])) if per_word else 0.0
    return counts, near, draw(st.integers(1, 40)), strength, draw(st.integers(0, 2**64 - 1))


@given(problems(), st.sampled_from([(0.1, 0.01), (2.0, 0.5)]))
@settings(deadline=None, max_examples=60)
def test_draws_what_its_twin_draws(problem, priors):
    counts, near, n_topics, strength, seed = problem
    sweeps = 17  # two looks at the neighbours
    topic_of, found = sample(counts, near, n_topics, sweeps, strength, [seed], *priors)
    twin = reference.sample(counts, *near, n_topics, sweeps, *priors, strength, seed)
    assert topic_of[0].tolist() == twin.topic_of
    drawn = sparse.csr_array(np.vstack([found[0], np.zeros((len(near[0]) - len(found[0]), n_topics))]))
    shares = TopicCounts.of(drawn, Neighborhood(*near), priors[1], strength).shares()
    assert shares == pytest.approx(twin.probabilities, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("n_topics", [7, 70, 330])
def test_models_that_share_a_thread_are_what_each_is_alone(n_topics):
    """Up to four chains take turns in a thread; the number of topics decides how."""
    counts = np.random.default_rng(3).poisson(0.7, size=(25, 30))
    counts[0] += 1
    near = (np.roll(np.arange(30, dtype=np.int32), 1)[:, None], np.ones((30, 1), np.float32))
    seeds = [11, 12, 13, 14, 15, 16, 17]
    alone = [sample(counts, near, n_topics, 12, 5.0, [seed]) for seed in seeds]
    for n_models, threads in ((2, 1), (3, 1), (7, 1), (7, 2), (7, 3)):
        topic_of, found = sample(counts, near, n_topics, 12, 5.0, seeds[:n_models], threads=threads)
        for model in range(n_models):
            assert np.array_equal(topic_of[model], alone[model][0][0])
            assert np.array_equal(found[model], alone[model][1][0])
    assert not np.array_equal(alone[0][0], alone[1][0])


class TestTheDistribution:
    def test_is_the_posterior_of_latent_dirichlet_allocation(self):
        """Every assignment of a tiny corpus, as often as the joint probability says."""
        counts, n_topics = np.array([[2, 1, 0], [0, 1, 1]]), 2
        alpha, eta, seeds = 0.5, 0.3, range(40_000)
        topic_of, _ = sample(counts, nobody(3), n_topics, 20, 0.0, seeds, alpha, eta)
        words, documents = words_of(counts), np.repeat([0, 1], counts.sum(axis=1))
        states = list(itertools.product(range(n_topics), repeat=len(words)))
        joint = np.array([_joint(np.array(z), words, documents, alpha, eta, n_topics, 3) for z in states])
        expected = joint / joint.sum()
        number = topic_of @ n_topics ** np.arange(len(words))[::-1]
        found = np.bincount(number, minlength=len(states)) / len(seeds)
        assert np.abs(found - expected).max() < 4.5 * np.sqrt(expected.max() / len(seeds))
        assert 0.5 * np.abs(found - expected).sum() < 0.01

    def test_follows_the_formula_with_borrowing(self):
        """The first draw of the eleventh sweep, its state known from a run of ten, for many seeds."""
        random = np.random.default_rng(0)
        counts = random.poisson(0.8, size=(4, 6))
        counts[0] += 1
        near = (
            np.array([[(w + 1) % 6, (w + 2) % 6] for w in range(6)], np.int32),
            np.tile(np.array([0.75, 0.25], np.float32), (6, 1)),
        )
        n_topics, strength, seeds = 3, 5.0, range(20_000)
        before, _ = sample(counts, near, n_topics, 10, strength, seeds)
        after, _ = sample(counts, near, n_topics, 11, strength, seeds)
        words, length = words_of(counts), counts[0].sum()
        one_hot = np.eye(n_topics)[before]  # seeds x occurrences x topics
        of_word = np.stack([one_hot[:, words == w].sum(axis=1) for w in range(6)], axis=1)
        lent = 0.75 * of_word[:, 1] + 0.25 * of_word[:, 2] + 0.1 * one_hot.mean(axis=1)
        borrowed = lent / lent.sum(axis=1, keepdims=True)
        own = one_hot[:, 0]
        here = one_hot[:, :length].sum(axis=1) - own + ALPHA
        word = of_word[:, 0] - own + ETA + strength * borrowed
        total = one_hot.sum(axis=1) - own + ETA * 6
        expected = here * word / total
        expected /= expected.sum(axis=1, keepdims=True)
        drawn = np.eye(n_topics)[after[:, 0]]
        # Were any factor of the formula too weak or too strong, draws would lean with it.
        for factor in (np.log(here), np.log(word), np.log(total), borrowed, own):
            leaning = ((drawn - expected) * factor).sum(axis=1)
            assert abs(leaning.mean()) < 4 * leaning.std() / np.sqrt(len(seeds))

    def test_counts_are_conserved_after_every_sweep(self):
        counts = np.random.default_rng(0).poisson(1, size=(30, 20)) + np.eye(30, 20, dtype=int)
        words, n_topics = words_of(counts), 37
        for sweeps in range(6):
            topic_of, found = sample(counts, nobody(20), n_topics, sweeps, 0.0, [5])
            kept = np.zeros((20, n_topics))
            np.add.at(kept, (words, topic_of[0]), 1)
            assert (found[0] == kept).all()


def _joint(topic_of, words, documents, alpha, eta, n_topics, n_words):
    """p(words, topics) up to a constant, the topics drawn one after another from what came before."""
    probability = 1.0
    for i in range(len(words)):
        past = topic_of[:i] == topic_of[i]
        here = documents[:i] == documents[i]
        probability *= (np.sum(past & here) + alpha) / (np.sum(here) + n_topics * alpha)
        probability *= (np.sum(past & (words[:i] == words[i])) + eta) / (np.sum(past) + n_words * eta)
    return probability


# -- what words borrow from --------------------------------------------------------------------------------


class TestNeighborhood:
    @given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(1, 40), st.integers(1, 30))
    @settings(deadline=None, max_examples=50)
    def test_nearest_by_cosine(self, seed, n_words, dimensions, n_neighbors):
        random = np.random.default_rng(seed)
        vectors = random.normal(size=(n_words, dimensions)) * random.choice([0, 1e-3, 1, 1e30], (n_words, 1))
        lenders = random.random(n_words) < 0.7
        near = neighborhood(vectors, lenders, n_neighbors, temperature=0.2)
        unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)
        whole = np.rint(unit * SCALE)
        cosine = whole @ whole.T / SCALE**2
        for w in range(n_words):
            allowed = lenders & vectors.any(axis=1) & vectors[w].any() & (np.arange(n_words) != w)
            best = np.argsort(-cosine[w], kind="stable")
            best = best[allowed[best]][:n_neighbors]
            found = near.weights[w] > 0
            assert near.words[w][: len(best)].tolist() == best.tolist()
            expected = np.exp((np.minimum(cosine[w, best], 1) - 1) / 0.2)
            assert near.weights[w][: len(best)] == pytest.approx(expected, rel=1e-3, abs=1e-7)
            assert not found[len(best) :].any()

    def test_threads_change_nothing(self):
        vectors = np.random.default_rng(0).normal(size=(300, 16))
        once, twice = (neighborhood(vectors, np.full(300, True), 5, 0.1, threads) for threads in (1, 3))
        assert np.array_equal(once.words, twice.words)
        assert np.array_equal(once.weights, twice.weights)

    def test_equal_vectors_come_in_order(self):
        near = neighborhood(np.ones((50, 3)), np.full(50, True), 4, 0.1)
        assert near.words[0].tolist() == [1, 2, 3, 4]
        assert near.words[3].tolist() == [0, 1, 2, 4]
        assert (near.weights == 1).all()


# -- the estimator -----------------------------------------------------------------------------------------


def themes(n_rare=40, seed=0):
    """Two themes of ten words, and rare words that occur once, in documents with as much of both.

    Counts cannot say where a rare word belongs. Its vector can: it lies with the words of one theme.
    """
    random = np.random.default_rng(seed)
    theme = np.kron(np.eye(2, dtype=int), np.ones(10, int))
    pure = np.vstack([random.multinomial(30, theme[i % 2] / 10) for i in range(80)])
    mixed = random.multinomial(20, np.full(20, 0.05), size=n_rare)
    counts = np.block([[pure, np.zeros((80, n_rare), int)], [mixed, np.eye(n_rare, dtype=int)]])
    side = np.concatenate([np.repeat([0, 1], 10), np.arange(n_rare) % 2])
    vectors = np.eye(2)[side] @ random.normal(size=(2, 20)) + 0.3 * random.normal(size=(len(side), 20))
    return counts, vectors, side


def placed(model, counts, side):
    """Which words have the topic of their side."""
    components = model.fit(counts).components_
    topic = [components[:, side == s][:, :10].sum(axis=1).argmax() for s in (0, 1)]
    assert topic[0] != topic[1]
    return components.argmax(axis=0) == np.array(topic)[side]


class TestBorrowing:
    def test_places_rare_words_that_counts_cannot(self):
        counts, vectors, side = themes()
        plain = placed(GibbsLDA(2, 60), counts, side)[20:]
        informed = placed(GibbsLDA(2, 60, word_vectors=vectors), counts, side)[20:]
        assert informed.mean() >= 0.95
        assert plain.mean() <= 0.75

    def test_places_words_that_occur_nowhere(self):
        counts, vectors, side = themes()
        counts[80:, 20:] = 0
        model = GibbsLDA(2, 60, word_vectors=vectors)
        assert placed(model, counts, side)[20:].all()
        assert model.fitted_.known_words.all()
        assert (model.components_[:, 20:] < 0.01 * model.components_[:, :20].max()).all()  # of little weight

    def test_without_a_vector_an_unseen_word_is_unknown(self):
        counts, vectors, _ = themes()
        counts[80:, 20:] = 0
        vectors[25] = 0
        model = GibbsLDA(2, 20, word_vectors=vectors).fit(counts)
        assert np.flatnonzero(~model.fitted_.known_words).tolist() == [25]

    def test_without_vectors_words_take_part_by_their_counts(self):
        counts = planted_counts()
        model = GibbsLDA(3, 30, word_vectors=np.zeros((16, 4))).fit(counts)
        plain = GibbsLDA(3, 30).fit(counts)
        assert np.array_equal(model.components_, plain.components_)

    def test_frequent_words_trust_their_counts(self):
        """A word of the first theme whose vector lies with the second."""
        counts, vectors, side = themes()
        vectors[0] = vectors[15]
        assert placed(GibbsLDA(2, 60, word_vectors=vectors), counts, side)[0]

    def test_strength_zero_is_plain_to_the_bit(self):
        counts, vectors, _ = themes()
        plain = GibbsLDA(5, 30, random_state=3).fit(counts)
        zero = GibbsLDA(5, 30, word_vectors=vectors, strength=0, random_state=3).fit(counts)
        assert np.array_equal(plain.components_, zero.components_)

    def test_plain_components_are_smoothed_counts(self):
        counts = planted_counts().toarray()[:, np.arange(16) != 7]
        seen = np.argsort(-counts.sum(axis=0), kind="stable")
        topic_of, _ = sample(counts[:, seen], nobody(15), 4, 12, 0.0, [9])
        kept = np.zeros((15, 4))
        np.add.at(kept, (seen[words_of(counts[:, seen])], topic_of[0]), 1)
        expected = (kept + ETA) / (kept + ETA).sum(axis=0)
        model = GibbsLDA(4, 12, random_state=9).fit(counts)
        assert model.components_ == pytest.approx(expected.T, rel=1e-4)


class TestTheEstimator:
    def test_finds_planted_themes(self):
        counts = planted_counts()
        theme = GibbsLDA(3, 30).fit_transform(counts).argmax(axis=1)
        assert (theme == np.tile(theme[:3], 20)).all()
        assert len(set(theme[:3])) == 3

    def test_words_of_no_document_are_unknown_to_plain_topics(self):
        model = GibbsLDA(3, 10).fit(planted_counts())
        assert np.flatnonzero(~model.fitted_.known_words).tolist() == [7]
        assert model.components_.sum(axis=1) == pytest.approx(1, abs=1e-6)

    def test_threads_and_company_change_nothing(self):
        counts, vectors, _ = themes()
        model = GibbsLDA(6, 25, word_vectors=vectors)
        one = fit_seeds(model, counts, [4, 5, 6], threads=1)
        three = fit_seeds(model, counts, [6, 5, 4], threads=3)
        alone = GibbsLDA(6, 25, word_vectors=vectors, random_state=5).fit(counts)
        for a, b in zip(one, three[::-1]):
            assert np.array_equal(a.components, b.components)
        assert np.array_equal(one[1].components, alone.components_)
        assert one[1].seed == 5
        assert not np.array_equal(one[0].components, one[1].components)

    def test_the_order_of_words_stored_in_a_row_does_not_matter(self):
        counts = planted_counts()
        rows = itertools.pairwise(counts.indptr)
        last_first = np.concatenate([np.arange(start, stop)[::-1] for start, stop in rows])
        backwards = sparse.csr_array(
            (counts.data[last_first], counts.indices[last_first], counts.indptr), shape=counts.shape
        )
        models = [GibbsLDA(3, 10).fit(X) for X in (counts, backwards, counts.toarray())]
        assert all(np.array_equal(m.components_, models[0].components_) for m in models)

    def test_reports_progress_over_all_seeds(self):
        heard = []
        fit_seeds(GibbsLDA(3, 20), planted_counts(), [0, 1], progress=lambda *now: heard.append(now))
        assert heard[-1] == (40, 40)

    def test_long_documents_can_be_thinned(self):
        counts = planted_counts()
        model = GibbsLDA(3, 20, max_words=10).fit(counts * 1000)
        theme = model.transform(counts).argmax(axis=1)
        assert (theme == np.tile(theme[:3], 20)).all()


class TestHostileInput:
    def test_vectors_that_are_no_numbers(self):
        counts, vectors, _ = themes()
        vectors[7, 3] = np.nan
        with pytest.raises(ValueError, match=r"word 7 \(row 7\) has nan.*row of zeros"):
            GibbsLDA(2, 5, word_vectors=vectors).fit(counts)
        vectors[7, 3] = np.inf
        with pytest.raises(ValueError, match=r"word 7 \(row 7\) has inf"):
            GibbsLDA(2, 5, word_vectors=vectors).fit(counts)

    def test_vectors_for_other_words(self):
        with pytest.raises(ValueError, match=r"each of the 16 words.*shape \(15, 2\)"):
            GibbsLDA(2, 5, word_vectors=np.ones((15, 2))).fit(planted_counts())

    @pytest.mark.filterwarnings("ignore:.*cannot tell.*apart")
    @pytest.mark.parametrize(
        "counts",
        [[[5]], [[1]], [[3, 1, 4]], [[2, 0], [0, 0], [0, 3]], [[0, 0, 1]]],
        ids=["one word", "one occurrence", "one document", "an empty document", "mostly unseen"],
    )
    @pytest.mark.parametrize("n_topics", [1, 2, 50])
    def test_next_to_nothing(self, counts, n_topics):
        vectors = np.random.default_rng(0).normal(size=(len(counts[0]), 3))
        for word_vectors in (None, vectors):
            model = GibbsLDA(n_topics, 25, word_vectors=word_vectors).fit(counts)
            assert model.components_.sum(axis=1) == pytest.approx(1, abs=1e-5)
            assert model.transform(counts).sum(axis=1) == pytest.approx(1)

    def test_extreme_settings(self):
        counts, vectors, _ = themes()
        for name, value in (
            ("strength", 1e6),
            ("eta", 1e-6),
            ("alpha", 1e4),
            ("temperature", 1e-3),
            ("neighbors", 500),
        ):
            model = GibbsLDA(4, 20, word_vectors=vectors).set_params(**{name: value}).fit(counts)
            assert np.isfinite(model.components_).all()

    def test_wrong_settings_are_told_at_once(self):
        with pytest.raises(ValueError, match=r"n_topics must be.*eta must be.*strength must be"):
            GibbsLDA(0, eta=-1, strength=-2).fit(planted_counts())
        with pytest.raises(ValueError, match="n_topics must be at most 65,535, not 65536"):
            GibbsLDA(2**16).fit([[1]])
        assert GibbsLDA(2**16 - 1, 1).fit([[1]]).components_.shape == (2**16 - 1, 1)

    def test_no_words(self):
        with pytest.raises(ValueError, match="no document with a word"):
            GibbsLDA(2).fit([[0, 0], [0, 0]])
        with pytest.raises(ValueError, match="no document with a word"):
            GibbsLDA(2).fit([[0, 0], [0, 0]])

    def test_a_word_too_frequent_to_count(self):
        with pytest.raises(ValueError, match=r"Word 1 occurs 20,000,000 times.*max_words"):
            fit_seeds(GibbsLDA(2), [[1, 20_000_000]], [0])


@pytest.mark.skipif(sys.platform == "win32", reason="signals are different there")
def test_control_c_stops_it():
    code = (
        "import signal, numpy as np; from hott.topics import GibbsLDA\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "counts = np.random.default_rng(0).poisson(1, size=(500, 500))\n"
        "print('ready', flush=True)\n"
        "try: GibbsLDA(100, 10**7).fit(counts)\n"
        "except KeyboardInterrupt: print('stopped')\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0] == "stopped\n"
    assert process.returncode == 0


def test_the_counts_of_the_caller_stay_as_they_were():
    """Words are renumbered and sorted inside; the values of a matrix that is shared must not move."""
    counts = check_counts(planted_counts(), whole=True)
    before = counts.copy()
    first = fit_seeds(GibbsLDA(n_topics=4, iterations=3), counts, [5])
    assert (counts != before).nnz == 0
    assert np.array_equal(counts.data, before.data)
    again = fit_seeds(GibbsLDA(n_topics=4, iterations=3), counts, [5])
    assert np.array_equal(first[0].components, again[0].components)
