from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hott import HOTT
from hott.compute.ground import Order
from hott.distances.topic_space import TopicSpace
from hott.explain import Background
from hott.explain.themes import MAX_THEMES
from hott.topics import FittedTopics
from tests.explain.models import WORDS, compared, documents, fitted
from tests.plots.comparisons import comparison


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    p=st.sampled_from([1, 2]),
    n_models=st.integers(1, 3),
    vectors=st.booleans(),
    known=st.booleans(),
)
def test_everything_that_is_shown_adds_up(seed, p, n_models, vectors, known):
    hott = fitted(seed, p=p, n_models=n_models, vectors=vectors)
    x, y = documents(seed)
    frequencies = np.random.default_rng(seed).integers(1, 50, 14) if known else None
    c = compared(hott, x, y, background=Background(frequencies))
    R = hott.represent([x, y])
    assert c.distance == pytest.approx(hott.between(R[:1], R[1:])[0, 0], abs=1e-9)

    assert sum(move.mass for move in c.moves) == pytest.approx(1, abs=1e-9)
    assert sum(move.cost for move in c.moves) == pytest.approx(c.distance, abs=1e-9)
    assert sum(theme.mass_a for theme in c.themes) == pytest.approx(1, abs=1e-9)
    assert sum(theme.mass_b for theme in c.themes) == pytest.approx(1, abs=1e-9)
    moved = sum(move.cost for move in c.moved)
    assert sum(theme.cost for theme in c.themes) + moved == pytest.approx(c.distance, abs=1e-9)
    rest = sum(theme.both for theme in c.themes if theme.is_other)
    assert c.both + rest + sum(move.mass for move in c.moved) == pytest.approx(1, abs=1e-9)
    for theme in c.themes:
        out = sum(move.mass for move in c.moves if move.source.number == theme.number)
        into = sum(move.mass for move in c.moves if move.target.number == theme.number)
        assert (out, into) == (pytest.approx(theme.mass_a, abs=1e-9), pytest.approx(theme.mass_b, abs=1e-9))
        assert sum(word.mass for word in theme.words_a) <= theme.mass_a + 1e-9
    assert sum(step.mass for step in c.flow) == pytest.approx(1, abs=1e-9)
    assert sum(step.cost for step in c.flow) == pytest.approx(c.distance, abs=1e-9)
    between = {(m.source.number, m.target.number): m.cost for m in c.moves}
    for pair, cost in between.items():
        steps = [s.cost for s in c.flow if (s.source_theme, s.target_theme) == pair]
        assert sum(steps) == pytest.approx(cost, abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), n_models=st.integers(1, 3), vectors=st.booleans())
def test_b_to_a_is_a_to_b_reversed(seed, n_models, vectors):
    hott = fitted(seed, n_models=n_models, vectors=vectors)
    x, y = documents(seed)
    there, back = compared(hott, x, y), compared(hott, y, x)
    assert there.distance == pytest.approx(back.distance, abs=1e-12)
    assert len(there.themes) == len(back.themes)
    for one, other in zip(there.themes, back.themes):
        assert [w.text for w in one.words_a] == [w.text for w in other.words_b]
        assert [w.text for w in one.words_b] == [w.text for w in other.words_a]
        assert (one.mass_a, one.mass_b) == (pytest.approx(other.mass_b), pytest.approx(other.mass_a))
        assert (one.both, one.cost) == (pytest.approx(other.both), pytest.approx(other.cost))
    assert [t.number for t in there.only_a] == [t.number for t in back.only_b]


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000))
def test_only_words_of_the_documents_are_shown(seed):
    hott = fitted(seed, n_models=2)
    x, y = documents(seed)
    c = compared(hott, x, y)
    assert 1 <= len([theme for theme in c.themes if not theme.is_other]) <= MAX_THEMES
    for row, words in ((x, [t.words_a for t in c.themes]), (y, [t.words_b for t in c.themes])):
        shown = [form for theme in words for word in theme for form in word.forms]
        assert set(shown) <= {WORDS[j] for j in np.flatnonzero(row)}
        assert len(shown) == len(set(shown))  # no word in two themes
        assert all(len(theme) <= 8 for theme in words)


NAMES = ["planet", "planets", "orbit", "moon", "serve", "court", "racket", "net", "began", "used"]


def sky_and_tennis():
    """Two topics far apart, and a third of words that say nothing."""
    topics = np.full((3, 10), 0.001)
    topics[0, :4], topics[1, 4:8], topics[2, 8:] = 0.25, 0.25, 0.5
    topics /= topics.sum(axis=1, keepdims=True)
    vectors = np.repeat(np.eye(3), [4, 4, 2], axis=0) + 0.1 * np.random.default_rng(0).normal(size=(10, 3))
    space = TopicSpace.of(FittedTopics(topics, alpha=0.01), vectors, None, Order(1))
    return HOTT.from_models([space], word_vectors=vectors, n_words=None)


def said(a, b, **more):
    corpus = Background(np.array([5] * 8 + [80, 90]), [np.array([0.6, 0.6, 0.1])])
    return compared(sky_and_tennis(), a, b, words=NAMES, background=corpus, **more)


def test_what_both_share_is_a_theme_and_what_one_has_is_another():
    c = said([3, 1, 2, 1, 1, 0, 0, 0, 1, 0], [1, 2, 1, 2, 0, 3, 2, 1, 0, 1])
    assert {"planet", "orbit", "moon"} <= {word.text for word in c.shared[0].words_a}
    assert c.sentences[1].startswith("Both are about planet")
    assert {word.text for word in c.only_b[0].words_b} == {"court", "racket", "net"}
    assert "Only B is about court" in " ".join(c.sentences)
    assert "in common: planet" in c.why


def test_forms_of_one_word_are_merged_under_the_most_frequent():
    c = said([1, 3, 2, 1, 0, 0, 0, 0, 0, 0], [3, 1, 2, 1, 0, 0, 0, 0, 0, 0])
    [word] = [word for word in c.themes[0].words_a if "planet" in word.forms]
    assert (word.text, set(word.forms)) == ("planets", {"planets", "planet"})
    [word] = [word for word in c.themes[0].words_b if "planet" in word.forms]
    assert word.text == "planet"


def test_fillers_do_not_lead():
    c = said([1, 0, 1, 1, 0, 0, 0, 0, 3, 3], [1, 0, 1, 1, 0, 0, 0, 0, 3, 3])
    assert c.themes[0].words_a[0].text in ("planet", "orbit", "moon")
    assert "began" not in c.sentences[1]


def test_far_pairs_say_that_they_are_far_and_what_each_is_about():
    c = said([3, 1, 2, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 3, 1, 2, 1, 0, 0])
    assert c.shared == ()
    assert c.sentences[0].startswith("Far apart: distance")
    assert "nothing in common" in c.sentences[1]
    assert "A is about planet, orbit, moon; B is about serve, racket" in c.sentences[1]
    assert len(c.sentences) == 2
    assert c.why.startswith("nothing in common: planet, orbit, moon / serve, ")
    assert len(c.moved) <= 2


def test_documents_with_the_same_words():
    c = said([3, 1, 2, 1, 0, 0, 0, 0, 0, 0], [3, 1, 2, 1, 0, 0, 0, 0, 0, 0])
    assert (c.distance, c.closeness, c.both) == (0.0, 1.0, pytest.approx(1))
    assert c.moved == ()
    assert c.sentences[0] == "The same topics in the same proportions: distance 0."
    assert c.why.startswith("the same topics: planet")


def test_what_tells_a_document_apart_goes_by_mass_and_weight():
    """A theme that says little, such as common words, is not named though it is the larger one."""
    c = comparison({0: 0.8, 1: 0.2}, {2: 1.0}, other=False)
    c = replace(c, themes=tuple(replace(t, weight=w) for t, w in zip(c.themes, (0.3, 0.8, 1.0))))
    assert c.why.startswith("nothing in common: word1a, ")


def test_a_document_of_other_words_alone_is_told_by_them():
    assert "A is about word1a, word1b" in comparison({1: 1.0}, {0: 1.0}).sentences[1]
    assert "B is about word1a, word1b" in comparison({0: 1.0}, {1: 1.0}).sentences[1]


def test_documents_of_one_word():
    c = said(np.eye(10, dtype=int)[0], np.eye(10, dtype=int)[4])
    assert [word.text for theme in c.themes for word in theme.words_a] == ["planet"]
    assert [word.text for theme in c.themes for word in theme.words_b] == ["serve"]
    assert str(c)
    one = said(np.eye(10, dtype=int)[0], np.eye(10, dtype=int)[0])
    assert (one.distance, len(one.themes)) == (0.0, 1)


def test_groups_are_compared_by_their_means():
    sky = np.array([[3, 1, 0, 0, 0, 0, 0, 0, 1, 0], [0, 1, 2, 1, 0, 0, 0, 0, 0, 1]])
    tennis = np.array([[0, 0, 0, 1, 2, 1, 0, 0, 0, 1], [0, 0, 0, 0, 0, 1, 2, 1, 1, 0]])
    c = said(sky, tennis)
    hott = sky_and_tennis()
    p, q = (hott.represent(rows).distributions[0].csr.toarray().mean(axis=0) for rows in (sky, tennis))
    exact = hott.models_[0].distances
    from hott import transport

    assert c.distance == pytest.approx(transport.solve(p, q, exact).value, abs=1e-9)
    assert "A is about planet" in c.sentences[1] or "Only A is about planet" in " ".join(c.sentences)
