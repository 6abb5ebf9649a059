"""The inference of topic proportions: against its slow twin, and by what it promises."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from hott.topics import FittedTopics
from hott.topics.fitted import BURN_IN, FIXED_POINT_STEPS, SWEEPS
from tests.topics import reference

INFERENCES = ["fixed-point", "gibbs"]


def random_topics(n_topics, n_words, seed, alpha=0.1, inference="fixed-point"):
    components = np.random.default_rng(seed).dirichlet(np.full(n_words, 0.1), size=n_topics)
    return FittedTopics(components, alpha, inference, seed)


def random_counts(n, n_words, seed, mean=0.5):
    return np.random.default_rng(seed).poisson(mean, size=(n, n_words)).astype(float)


@st.composite
def problems(draw):
    """Topics of any number (the core pads to eights), some words unknown to all of them, and a document."""
    n_topics, n_words = draw(st.integers(1, 20)), draw(st.integers(1, 30))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    components = random.dirichlet(np.full(n_words, 0.3), size=n_topics)
    components[:, 1:] *= random.random(n_words - 1) > 0.1
    components = (components + 1e-6 * (np.arange(n_words) == 0)).astype(np.float32)
    components /= components.sum(axis=1, keepdims=True)
    alpha = random.gamma(1, 0.1, size=n_topics).astype(np.float32) * draw(st.sampled_from([0, 1]))
    counts = random.poisson(draw(st.sampled_from([0.1, 1, 20])), size=n_words).astype(float)
    return counts, components, alpha


@given(problems())
@settings(deadline=None)
def test_fixed_point_agrees_with_its_twin(problem):
    counts, components, alpha = problem
    found = FittedTopics(components, alpha).transform(counts[None])[0]
    slow = reference.fixed_point(counts, components.astype(float), alpha.astype(float), FIXED_POINT_STEPS)
    assert found == pytest.approx(slow, abs=2e-4)  # single precision, thirty times over
    assert found.sum() == pytest.approx(1, abs=1e-12)


@given(problems(), st.integers(0, 2**63 - 1))
@settings(deadline=None, max_examples=30)
def test_gibbs_draws_what_its_twin_draws(problem, seed):
    counts, components, alpha = problem
    found = FittedTopics(components, alpha, "gibbs", seed).transform(counts[None])[0]
    slow = reference.gibbs(counts, components.astype(float), alpha.astype(float), SWEEPS, BURN_IN, seed)
    assert found == pytest.approx(slow, abs=1e-12)


@pytest.mark.parametrize("inference", INFERENCES)
class TestDependsOnTheDocumentAlone:
    def test_not_on_batch_or_order(self, inference):
        topics, counts = random_topics(11, 40, 0, inference=inference), random_counts(150, 40, 1)
        together = topics.transform(counts)
        order = np.random.default_rng(2).permutation(150)
        assert np.array_equal(topics.transform(counts[order]), together[order])
        assert np.array_equal(np.vstack([topics.transform(row[None]) for row in counts]), together)

    def test_not_on_threads(self, inference):
        topics, counts = random_topics(70, 60, 0, inference=inference), random_counts(500, 60, 1)
        once = topics.transform(counts, threads=1)
        assert np.array_equal(topics.transform(counts, threads=4), once)

    def test_not_on_how_the_counts_are_stored(self, inference):
        topics, counts = random_topics(9, 30, 0, inference=inference), random_counts(20, 30, 1)
        counts += 1  # so that every row can be split alike: each word in two parts, last word first
        parts = np.stack([counts - 1, np.ones_like(counts)], axis=2)[:, ::-1].reshape(20, 60)
        words = np.tile(np.repeat(np.arange(30)[::-1], 2), 20)
        messy = sparse.csr_array((parts.ravel(), words, np.arange(21) * 60), shape=counts.shape)
        stored = messy.copy()
        assert np.array_equal(topics.transform(messy), topics.transform(counts))
        assert np.array_equal(messy.indices, stored.indices)  # the caller's matrix is left as it was

    def test_the_same_in_another_copy_of_the_topics(self, inference):
        topics, counts = random_topics(9, 30, 0, inference=inference), random_counts(20, 30, 1)
        copy = FittedTopics(topics.components.copy(), topics.alpha.copy(), topics.inference, topics.seed)
        assert np.array_equal(copy.transform(counts), topics.transform(counts))


@pytest.mark.parametrize("inference", INFERENCES)
def test_a_pure_document_is_recognised(inference):
    topics = random_topics(5, 200, 0, inference=inference)
    counts = np.random.default_rng(1).multinomial(
        300, topics.components.astype(float) / topics.components.sum(1, keepdims=True, dtype=float)
    )
    assert topics.transform(counts).diagonal() == pytest.approx(1, abs=0.05)


def test_gibbs_averages_to_about_the_fixed_point_on_long_documents():
    topics = random_topics(6, 100, 0)
    counts = np.random.default_rng(1).multinomial(2000, np.full(100, 0.01), size=5)
    sampled = FittedTopics(topics.components, topics.alpha, "gibbs").transform(counts)
    assert sampled == pytest.approx(topics.transform(counts), abs=0.05)


def test_the_model_seed_matters_to_gibbs():
    counts = random_counts(5, 30, 1)
    first, second = (FittedTopics(random_topics(9, 30, 0).components, 0.1, "gibbs", seed) for seed in (0, 1))
    assert not np.array_equal(first.transform(counts), second.transform(counts))


def test_without_a_known_word_the_prior_stays():
    topics = FittedTopics([[1.0, 0.0], [1.0, 0.0]], alpha=[0.1, 0.3])
    assert topics.transform([[0, 0], [0, 5]]) == pytest.approx(np.array([[0.25, 0.75]] * 2))


def test_progress_counts_documents():
    heard = []
    random_topics(3, 10, 0).transform(random_counts(100, 10, 1), progress=lambda *now: heard.append(now))
    assert heard[-1] == (100, 100)


class TestBadInput:
    def test_counts(self):
        topics = random_topics(3, 4, 0)
        with pytest.raises(ValueError, match=r"row 1 has 0\.5 in column 2"):
            topics.transform([[1, 0, 0, 0], [0, 0, 0.5, 0]])
        with pytest.raises(ValueError, match="row 0 has -1"):
            topics.transform([[-1, 0, 0, 0]])
        with pytest.raises(ValueError, match="row 0 has nan"):
            topics.transform([[np.nan, 0, 0, 0]])
        with pytest.raises(ValueError, match="counts has 3 columns"):
            topics.transform([[1, 0, 0]])

    def test_topics(self):
        with pytest.raises(ValueError, match="every row summing to 1"):
            FittedTopics([[0.5, 0.2]], alpha=0.1)
        with pytest.raises(ValueError, match="topics x words"):
            FittedTopics([0.5, 0.5], alpha=0.1)
        with pytest.raises(ValueError, match="alpha must be one number"):
            FittedTopics([[1.0]], alpha=[0.1, 0.1])
        with pytest.raises(ValueError, match="inference must be"):
            FittedTopics([[1.0]], inference="guess")
