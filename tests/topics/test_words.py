import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hott.topics import distinctive_words, named_topics


def topic_names(topics, words, **how):
    return [topic.name for topic in named_topics(topics, words, **how)]


def test_a_word_common_to_all_topics_does_not_name_any():
    words = ["year", "cell", "blood", "gene", "court", "serve", "ball"]
    topics = [[0.28, 0.24, 0.24, 0.24, 0, 0, 0], [0.28, 0, 0, 0, 0.24, 0.24, 0.24]]
    assert topic_names(topics, words) == ["cell, blood, gene", "court, serve, ball"]
    assert distinctive_words(topics, words, weight=1)[0][0] == "year"  # the most probable


def test_given_frequencies_decide_what_is_special():
    topics, words = [[0.5, 0.3, 0.2]], ["the", "planet", "orbit"]
    assert distinctive_words(topics, words, frequencies=[0.9, 0.05, 0.05]) == [("planet", "orbit", "the")]


def test_forms_of_one_word_are_named_once():
    topics = [[0.3, 0.25, 0.25, 0.1, 0.1]]
    words = ["planet", "planets", "planetary", "star", "moon"]
    assert topic_names(topics, words) == ["planet, star, moon"]


def test_a_topic_of_one_word_has_that_name():
    assert topic_names([[1.0, 0.0], [0.0, 1.0]], ["cat", "dog"]) == ["cat", "dog"]


def test_equal_topics_get_different_names():
    assert topic_names([[1.0, 0.0], [1.0, 0.0]], ["cat", "dog"]) == ["cat", "topic 1, cat"]
    even = np.full((3, 6), 1 / 6)
    assert len(set(topic_names(even, list("abcdef")))) == 3


@given(st.integers(1, 8), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_names_are_unique(n_topics, n_words, seed):
    topics = np.random.default_rng(seed).dirichlet(np.full(n_words, 0.2), n_topics).round(2)
    names = topic_names(topics, [f"{chr(97 + j)}word" for j in range(n_words)])
    assert len({name.split(", ")[0] for name in names}) == n_topics
    assert all(names)


def test_words_must_match_the_columns():
    with pytest.raises(ValueError, match="one column a word"):
        topic_names([[0.5, 0.5]], ["only"])


def test_words_of_two_documents_come_last():
    topics = [[0.4, 0.3, 0.2, 0.1], [0.1, 0.1, 0.1, 0.7]]
    words = ["radcliffe", "race", "runner", "goal"]
    common = {"frequencies": [4, 30, 15, 50]}
    assert distinctive_words(topics, words, **common)[0][0] == "radcliffe"
    assert distinctive_words(topics, words, **common, documents=[2, 9, 8, 9])[0] == (
        "runner",
        "race",
        "goal",
        "radcliffe",
    )
    assert topic_names(topics, words, **common, documents=[2, 9, 8, 9])[0] == "runner, race, goal"
