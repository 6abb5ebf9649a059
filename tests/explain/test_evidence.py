import numpy as np
import pytest
from scipy import sparse

from hott import Vocabulary
from hott.explain.evidence import Evidence

TEXT = "Serve the ball. The planet has a moon! Ball and moon."


@pytest.fixture
def evidence():
    vocabulary = Vocabulary.from_words(["ball", "moon", "planet", "serve", "void"])
    topics = np.array([[0.6, 0.1, 0.0, 0.3, 0.0], [0.0, 0.5, 0.5, 0.0, 0.0], [0.2, 0.2, 0.2, 0.2, 0.2]])
    proportions = np.array([0.5, 0.5, 0.0])
    counts = sparse.csr_array(vocabulary.transform([TEXT]))
    return Evidence(counts, proportions, topics, vocabulary.words_, TEXT, vocabulary.transform)


def test_words_are_shared_out_by_responsibility(evidence):
    words = {word.text: word.mass for word in evidence.words(0)}
    # six words: ball twice, moon twice, planet, serve; topic 0 has a sixth of each moon
    assert words == pytest.approx({"ball": 2 / 6, "serve": 1 / 6, "moon": 2 / 6 * (0.1 / 0.6)})
    assert [word.text for word in evidence.words(1)] == ["moon", "planet"]


def test_sentences_are_ranked_by_what_they_carry(evidence):
    first, second, third = evidence.sentences(0)
    assert (first.text, first.start) == ("Serve the ball.", 0)
    assert first.mass == pytest.approx(2 / 6)
    assert second.text == "Ball and moon."
    assert TEXT[second.start :].startswith(second.text)
    assert third.text == "The planet has a moon!"
    assert [sentence.text for sentence in evidence.sentences(1, 1)] == ["The planet has a moon!"]


def test_all_carriers_together_have_mass_one(evidence):
    for carriers in (evidence.words, evidence.sentences):
        assert sum(c.mass for topic in range(3) for c in carriers(topic)) == pytest.approx(1.0, abs=1e-12)


def test_a_topic_the_document_does_not_have_is_carried_by_nothing(evidence):
    assert evidence.words(2) == ()
    assert evidence.sentences(2) == ()


def test_words_no_topic_has_are_passed_over():
    counts = sparse.csr_array(np.array([[1, 3]]))
    evidence = Evidence(counts, np.array([1.0]), np.array([[1.0, 0.0]]), ["known", "unknown"])
    assert [(word.text, word.mass) for word in evidence.words(0)] == [("known", 1.0)]
