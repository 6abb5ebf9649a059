from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hott.corpus import demo
from hott.embeddings import WordVectors, contexts, default, from_contexts
from hott.text.languages import ENGLISH
from hott.text.tokens import number, tokenize

words = st.sampled_from(["one", "two", "three", "four", "new", "strange"])
texts = st.lists(st.lists(words, max_size=8).map(" ".join), min_size=1, max_size=6)
KNOWN = WordVectors(["one", "two", "three"], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.5, 1.0]])


def slow_averages(texts, window):
    """The average vector of the known words around each word, written as it reads."""
    company = {}
    for text in texts:
        tokens = tokenize(text)
        for place, word in enumerate(tokens):
            around = chain(tokens[max(0, place - window) : place], tokens[place + 1 : place + 1 + window])
            company.setdefault(word, []).extend(KNOWN[near] for near in around if near in KNOWN)
    return {word: np.mean(vectors, axis=0) for word, vectors in company.items() if vectors}


@given(texts, st.integers(1, 4), st.integers(1, 20))
def test_averages_are_those_of_the_slow_way(texts, window, block):
    names, numbered = number(texts)
    vectors = np.array([KNOWN.get(name, np.zeros(3)) for name in names], np.float32).reshape(-1, 3)
    before, contexts._BLOCK = contexts._BLOCK, block
    try:
        averages, met = contexts._averages(numbered, vectors, vectors.any(axis=1), numbered.totals(), window)
    finally:
        contexts._BLOCK = before
    expected = slow_averages(texts, window)
    assert {name for name, has in zip(names, met) if has} == set(expected)
    for name, average in zip(names, averages):
        assert np.allclose(average, expected.get(name, 0), atol=1e-6)


@given(texts)
def test_known_vectors_stay_and_every_word_in_company_gets_one(texts):
    names, numbered = number(texts)
    vectors = np.array([KNOWN.get(name, np.zeros(3)) for name in names], np.float32).reshape(-1, 3)
    before = vectors.copy()
    induced = contexts.induce(numbered, vectors)
    assert np.array_equal(vectors[before.any(axis=1)], before[before.any(axis=1)])
    assert not vectors[~induced & ~before.any(axis=1)].any()
    in_company = set(slow_averages(texts, contexts.WINDOW))
    assert {name for name, has in zip(names, induced) if has} == in_company - set(KNOWN)


def test_frequent_words_are_looked_up_at_evenly_spaced_places(monkeypatch):
    monkeypatch.setattr(contexts, "_MAX_OCCURRENCES", 4)
    numbers = np.array([0, 1] * 10 + [2] * 3, np.int32)
    places = contexts._occurrences(numbers, np.bincount(numbers))
    assert numbers[places].tolist() == [0] * 4 + [1] * 4 + [2] * 3
    assert places[:4].tolist() == [0, 6, 10, 16]


def test_the_map_turns_company_towards_the_words_it_keeps():
    rng = np.random.default_rng(0)
    turn = np.linalg.qr(rng.normal(size=(8, 8)))[0]
    averages = rng.normal(size=(400, 8)).astype(np.float32)
    vectors = (averages @ turn).astype(np.float32)
    new = rng.normal(size=(50, 8))

    def cosine(first, second):
        return (
            (first * second).sum(axis=1) / np.linalg.norm(first, axis=1) / np.linalg.norm(second, axis=1)
        ).mean()

    learned = contexts._linear_map(averages, vectors, np.ones(400, np.int64))
    assert cosine(new @ learned, new @ turn) > 0.95 > 0.3 > cosine(new, new @ turn)
    # Frequent words count more: here they alone are turned.
    vectors[:200] = averages[:200]
    learned = contexts._linear_map(averages, vectors, np.repeat([1, 10_000], 200))
    assert cosine(new @ learned, new @ turn) > cosine(new @ learned, new)


def test_the_map_does_not_depend_on_the_unit_of_the_averages():
    rng = np.random.default_rng(0)
    averages, vectors = rng.normal(size=(2, 12, 8)).astype(np.float32)
    learned, of_thousandths = (
        contexts._linear_map(averages * np.float32(unit), vectors, np.ones(12, np.int64)) * unit
        for unit in (1.0, 1e-3)
    )
    np.testing.assert_allclose(of_thousandths, learned, rtol=1e-3, atol=1e-3)


def test_without_words_to_learn_from_the_average_stands():
    nothing = np.zeros((0, 2), np.float32)
    assert np.array_equal(contexts._linear_map(nothing, nothing, np.zeros(0, np.int64)), np.eye(2))


def test_vectors_hidden_from_real_articles_are_found_again_better_than_by_chance():
    texts = demo.corpus().texts
    words = sorted({word for text in texts for word in tokenize(text) if word in default()} - ENGLISH)
    rng = np.random.default_rng(0)
    hidden = rng.random(len(words)) < 0.2
    known = WordVectors(
        [word for word, out in zip(words, hidden) if not out], default().matrix(words)[~hidden]
    )
    found = from_contexts(texts, known, stop_words=ENGLISH)
    held = [word for word, out in zip(words, hidden) if out]
    assert set(held) <= set(found)
    true, guess = default().matrix(held), found.matrix(held)
    cosines = (true * guess).sum(axis=1) / np.linalg.norm(guess, axis=1)
    average = true @ known.vectors.mean(axis=0) / np.linalg.norm(known.vectors.mean(axis=0))
    assert cosines.mean() > 0.13 > 0.07 > average.mean()
    assert np.allclose(np.linalg.norm(found.vectors, axis=1), 1, atol=1e-4)  # as long as the bundled ones


def test_the_same_on_every_run():
    texts = demo.corpus().texts[:50]
    known = WordVectors(default().words[::2], default().vectors[::2])
    assert np.array_equal(from_contexts(texts, known).vectors, from_contexts(texts, known).vectors)


@pytest.mark.parametrize("texts", [[], [""], ["strange"], ["strange new"], ["one", "strange"]])
def test_without_company_there_is_no_vector(texts):
    assert from_contexts(texts, KNOWN).words == ()


def test_stop_words_are_no_company():
    found = from_contexts(["strange one", "two new"], KNOWN, stop_words=["one"])
    assert found.words == ("new",)
