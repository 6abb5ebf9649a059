import numpy as np
import pytest

from hott import Vocabulary
from hott.explain import Evidence

TEXT = "Serve the ball. The planet has a moon! Ball and moon."


@pytest.fixture
def evidence():
    vocabulary = Vocabulary.from_words(["ball", "moon", "planet", "serve", "void"])
    words, themes = np.arange(4), np.array([0, 1, 1, -1])
    return Evidence([("d", TEXT)], vocabulary.transform, words, themes, np.array([0.4, 0.4, 0.1, 0.1]))


def test_sentences_are_ranked_by_what_they_carry(evidence):
    first, second = evidence.sentences(1, 5)
    assert (first.text, first.start, first.document) == ("The planet has a moon!", 16, "d")
    assert second.text == "Ball and moon."
    assert evidence.sentences(1, 1) == (first,)
    assert TEXT[second.start :].startswith(second.text)


def test_only_words_of_the_theme_are_marked_the_heavier_the_stronger(evidence):
    [first, second] = evidence.sentences(1, 5)
    assert [(first.text[m.start : m.end], m.strength) for m in first.marks] == [
        ("planet", pytest.approx(0.25)),
        ("moon", 1.0),
    ]
    assert [second.text[m.start : m.end] for m in second.marks] == ["moon"]


def test_words_without_a_theme_are_not_marked(evidence):
    marked = [TEXT[m.start : m.end] for m in evidence.marks[0]]
    assert marked == ["ball", "planet", "moon", "Ball", "moon"]


def test_a_theme_that_the_text_does_not_have(evidence):
    assert evidence.sentences(7, 2) == ()
