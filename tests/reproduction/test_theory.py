"""The paper's inequalities hold, are tight where it says so, and its examples of failure fail."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from hott import transport
from reproduction.theory import hausdorff, relaxed, topic_loss

seeds = st.integers(0, 10**6)


def random_topics(seed, n_topics, n_words, concentration=0.3):
    """Words in the plane, topics over them, and two documents drawn near mixtures of the topics."""
    random = np.random.default_rng(seed)
    points = random.normal(size=(n_words, 2))
    topics = random.dirichlet(np.full(n_words, concentration), size=n_topics) + 1e-6
    topics /= topics.sum(axis=1, keepdims=True)
    proportions = random.dirichlet(np.full(n_topics, 0.5), size=2)
    documents = random.multinomial(40, proportions @ topics) / 40
    return cdist(points, points), topics, proportions, documents


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_wmd_is_at_most_hoftt_and_what_the_topics_lose(seed):
    words, topics, proportions, documents = random_topics(seed, n_topics=4, n_words=12)
    wmd = transport.pairwise(documents, cost=words)[0, 1]
    topic_distances = transport.pairwise(topics, cost=words)
    hoftt = transport.pairwise(proportions, cost=topic_distances)[0, 1]
    loss = topic_loss(documents, proportions, topics, diameter=words.max())
    assert wmd <= hoftt + loss.sum() + 1e-9
    # The steps of the proof: each document is not farther from its mixture than its loss,
    # and the mixtures are not farther apart than the topic proportions.
    mixtures = proportions @ topics
    assert (transport.pairs(documents, mixtures, [0, 1], [0, 1], cost=words) <= loss + 1e-9).all()
    assert transport.pairwise(mixtures, cost=words)[0, 1] <= hoftt + 1e-9


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_with_one_word_a_topic_hoftt_is_wmd_and_nothing_is_lost(seed):
    words, _, _, documents = random_topics(seed, n_topics=4, n_words=12)
    topics = np.eye(12)
    hoftt = transport.pairwise(documents, cost=transport.pairwise(topics, cost=words))
    assert hoftt == pytest.approx(transport.pairwise(documents, cost=words), abs=1e-9)
    assert topic_loss(documents, documents, topics, diameter=words.max()).tolist() == [0, 0]


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_relaxed_is_at_most_exact_and_at_most_hausdorff(seed):
    random = np.random.default_rng(seed)
    x, y = random.normal(size=(5, 2)), random.normal(size=(7, 2))
    a, b = random.dirichlet(np.ones(5)), random.dirichlet(np.ones(7))
    cost = cdist(x, y)
    from_a, from_b = relaxed(a, b, cost)
    assert max(from_a, from_b) <= transport.solve(a, b, cost).value + 1e-9
    assert max(from_a, from_b) <= hausdorff(cost) + 1e-9


def test_hausdorff_is_reached_by_documents_of_one_word():
    cost = [[2.5]]
    assert relaxed([1], [1], cost) == (2.5, 2.5)
    assert hausdorff(cost) == 2.5


def test_hausdorff_is_reached_by_parallel_translates():
    """Words on a line, and the same words shifted by 0.7 at right angles to it."""
    line = np.column_stack([np.arange(4.0), np.zeros(4)])
    cost = cdist(line, line + [0, 0.7])
    a, b = [0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4]
    assert relaxed(a, b, cost) == pytest.approx((0.7, 0.7))
    assert hausdorff(cost) == pytest.approx(0.7)
    assert transport.solve(a, b, cost).value > 1.2  # while the documents are farther apart than that


class TestWhereTheRelaxedDistanceFails:
    """The two examples of the paper's figure: relaxed nearly zero, exact not."""

    def test_two_places_with_masses_swapped(self):
        """In the plane: 1 - e and e on two places in one document, e and 1 - e next to them in the other."""
        e, near = 0.05, 0.01
        points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, near], [1.0, near]])
        P, Q = np.array([[1 - e, e, 0, 0]]), np.array([[0, 0, e, 1 - e]])
        cost = cdist(points, points)
        assert relaxed(P[0], Q[0], cost) == pytest.approx((near, near))
        assert transport.pairwise(P, Q, cost=cost).item() > 0.9

    def test_histograms_over_the_same_bins(self):
        """On a line: the same bins filled from the left and from the right."""
        bins = np.arange(10.0)[:, None]
        cost = cdist(bins, bins)
        left, right = np.linspace(10, 1, 10) / 55, np.linspace(1, 10, 10) / 55
        assert relaxed(left, right, cost) == (0, 0)
        exact = transport.solve(left, right, cost).value
        assert exact == pytest.approx(np.abs(np.cumsum(left - right)).sum())
        assert exact == pytest.approx(3)
        bound = transport.lower_bound([left], [right], cost=cost).item()
        assert 0.45 < bound <= exact  # the excess of every bin moves to the next at least


def test_what_topics_lose_by_hand():
    """Half of the document's mass is where the mixture has a quarter: KL = log(2)/2 + log(2/3)/2."""
    loss = topic_loss([[0.5, 0.5]], [[1.0]], [[0.25, 0.75]], diameter=2.0)
    assert loss == pytest.approx(2 * np.sqrt((np.log(2) + np.log(2 / 3)) / 2 / 2))
    assert np.isinf(topic_loss([[0.5, 0.5]], [[1.0]], [[0.0, 1.0]], diameter=2.0))


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"documents, proportions and topics must have shapes.*\(1, 3\)"):
        topic_loss([[0.2, 0.3, 0.5]], [[1.0]], [[0.5, 0.5]], diameter=1.0)
    with pytest.raises(ValueError, match=r"cost must be a matrix.*shape \(0, 2\)"):
        hausdorff(np.empty((0, 2)))
    with pytest.raises(ValueError, match="cost must have shape"):
        relaxed([1.0], [1.0], [[1.0, 2.0]])
