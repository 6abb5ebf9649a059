"""Words that the topics were not learned from: they add next to nothing, however many they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from hott import Corpus, Index, embeddings
from hott.embeddings.nearest import quantize
from hott.index import Text
from hott.topics import FittedTopics, borrow, nearest_weights
from hott.topics.neighborhood import NEIGHBORS


@pytest.fixture(scope="module")
def words():
    return np.array(embeddings.default().words)


@pytest.fixture(scope="module")
def texts(words):
    random = np.random.default_rng(0)
    return [" ".join(random.choice(words[:600], 40)) for _ in range(30)]


@pytest.fixture(scope="module")
def index(texts):
    return Index.build(texts, n_models=2, n_topics=5, iterations=5)


def many(words, count, at_once=50):
    """Texts that have words of the index and ``count`` others, each in one text."""
    new = words[1_000 : 1_000 + count]
    return [" ".join([*words[500:520], *new[i : i + at_once]]) for i in range(0, count, at_once)]


@pytest.mark.parametrize("count", [1, 5_000, 50_000])
def test_rows_sum_to_one_whatever_the_number_of_new_words(count):
    random = np.random.default_rng(count)
    vectors, new = random.normal(size=(40, 8)), random.normal(size=(count, 8))
    topics = FittedTopics(random.dirichlet(np.full(40, 0.1), size=7), alpha=0.1)
    wider = topics.with_words(borrow(topics.components, *nearest_weights(quantize(vectors), new)))
    assert wider.components.shape == (7, 40 + count)
    assert np.abs(wider.components.sum(axis=1, dtype=np.float64) - 1).max() < 2e-6
    assert wider.known_words[40:].mean() > 0.9


@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(2, 60))
def test_a_batch_is_read_as_its_words_alone_are(seed, dimensions, n_words):
    """The proportions of a document are the same to the bit whatever new words others have."""
    random = np.random.default_rng(seed)
    vectors, new = random.normal(size=(n_words, dimensions)), random.normal(size=(100, dimensions))
    vectors[random.integers(n_words)] = 0
    topics = FittedTopics(random.dirichlet(np.full(n_words, 0.1), size=9), alpha=0.1)
    whole = quantize(vectors)
    near = nearest_weights(whole, new)
    wide = topics.with_words(borrow(topics.components, *near))
    known, counts = random.poisson(0.5, (10, n_words)), random.poisson(0.3, (10, 100))
    together = wide.transform(sparse.csr_array(np.hstack([known, counts])))
    columns = np.flatnonzero(known.any(axis=0))
    few = topics.with_words(borrow(topics.components, *near), columns)
    assert np.array_equal(few.transform(np.hstack([known[:, columns], counts])), together)
    for row in range(10):
        own = np.flatnonzero(counts[row])
        alone_near = nearest_weights(whole, new[own])
        for each, part in zip(near, alone_near):
            assert np.array_equal(each[own], part)
        alone = topics.with_words(borrow(topics.components, *alone_near))
        assert np.array_equal(alone.transform([[*known[row], *counts[row, own]]])[0], together[row])


def test_the_nearest_words_are_those_of_the_cosine():
    random = np.random.default_rng(3)
    vectors, new = random.normal(size=(200, 20)), random.normal(size=(30, 20))
    columns, weights = nearest_weights(quantize(vectors), new)
    lengths = np.linalg.norm(new, axis=1)[:, None] * np.linalg.norm(vectors, axis=1)
    cosines = new @ vectors.T / lengths
    best = np.sort(cosines, axis=1)[:, ::-1][:, :NEIGHBORS]
    assert np.take_along_axis(cosines, columns, axis=1) == pytest.approx(best, abs=1e-4)
    assert weights == pytest.approx(np.exp((best - 1) / 0.15), rel=2e-3)


def test_copies_of_a_word_lend_in_the_order_of_the_columns():
    vectors = quantize(np.tile([[1.0, 0.0]], (30, 1)))
    assert nearest_weights(vectors, np.array([[2.0, 0.0]]))[0].tolist() == [list(range(NEIGHBORS))]


@pytest.mark.parametrize("count", [5_000, 50_000])
def test_the_cut_of_a_stream_into_batches_changes_no_bit(index, words, count):
    texts = many(words, count)
    whole = index.infer(texts, threads=1)
    assert (index.infer(texts, block=7 if count == 5_000 else 333) != whole).nnz == 0


def test_documents_with_thousands_of_new_words_come_in_by_every_door(texts, index, words):
    new = many(words, 5_000, at_once=500)
    corpus = Corpus(new, ids=[f"new {i}" for i in range(len(new))])
    grown = index.with_documents(texts)
    grown.add(corpus)
    assert len(grown) == 30 + len(new)
    assert grown.update(corpus).unchanged == len(new)
    assert grown.update(corpus[:4]).unchanged == 4
    assert grown.compare("new 3", Text(new[3])).distance == 0
    assert grown.compare("new 3", Text(" ".join(new))).distance > 0
    sampled = Index.build([*texts, *new], fit_sample=20, n_topics=5, n_models=1)
    assert len(sampled) == 30 + len(new)
