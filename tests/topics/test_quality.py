"""Measures of how good topics are, against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from hott.topics import agreement, coherence, fillers


def npmi_by_hand(counts: np.ndarray, i: int, j: int) -> float:
    present = counts > 0
    a, b, both = present[:, i].mean(), present[:, j].mean(), (present[:, i] & present[:, j]).mean()
    if both == 0:
        return -1.0
    if both == 1:
        return 1.0
    return float(np.log(both / (a * b)) / -np.log(both))


@given(arrays.arrays(int, (8, 5), elements=st.integers(0, 2)), st.integers(2, 5), st.integers(0, 1000))
def test_coherence_is_the_mean_npmi_of_the_heaviest_words(counts, n_words, seed):
    topics = np.random.default_rng(seed).dirichlet(np.ones(5), size=3)
    found = coherence(topics, sparse.csr_array(counts), n_words)
    for topic, value in zip(topics, found):
        heavy = [w for w in np.argsort(-topic, kind="stable")[:n_words] if counts[:, w].any()]
        pairs = [npmi_by_hand(counts, i, j) for n, i in enumerate(heavy) for j in heavy[n + 1 :]]
        if pairs:
            assert value == pytest.approx(np.mean(pairs))
        else:
            assert np.isnan(value)


def test_words_that_share_documents_are_coherent_and_words_that_never_meet_are_not():
    counts = sparse.csr_array([[3, 1, 0, 0], [1, 2, 0, 0], [0, 0, 1, 1], [0, 0, 2, 1]])
    together, apart = coherence(np.array([[0.5, 0.4, 0.1, 0.0], [0.4, 0.0, 0.5, 0.1]]), counts, n_words=2)
    assert (together, apart) == (1, -1)


def test_the_same_topics_in_another_order_agree_wholly():
    topics = np.random.default_rng(0).dirichlet(np.full(200, 0.05), size=6)
    assert agreement([topics, topics[::-1]]) == 1
    assert agreement([topics, np.roll(topics, 100, axis=1)]) < 0.3
    assert np.isnan(agreement([topics]))


def test_filler_is_loose_and_thin_everywhere():
    loose, tight = 0.0, 0.5
    thin, thick = 0.05, 0.4
    found = fillers(np.array([loose, loose, tight, tight]), np.array([thin, thick, thin, thick]))
    assert found.tolist() == [True, False, False, False]
    assert not fillers(np.full(3, np.nan), np.full(3, 0.1)).any()
    assert not fillers(np.zeros(2), np.zeros(2)).any()
