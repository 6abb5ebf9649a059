import numpy as np
import pytest

import hott.embeddings.choice as choice_module
from hott import Corpus
from hott.embeddings import WordVectors, choose, default
from hott.text.tokens import tokenize

ENGLISH = ["A planet orbits its star in the night.", "The stars and the planets of the sky are bright."] * 3
GERMAN = [
    "Der Hund jagt die Katze durch den Garten, und die Katze ist auf dem Baum.",
    "Die Katze und der Hund liegen im Garten unter dem Baum.",
    "Zinsen und Kredite sind die Sache der Banken und der Sparkassen.",
    "Die Banken geben Kredite, und auf die Kredite gibt es Zinsen.",
] * 5


def test_the_bundled_vectors_where_they_know_the_words():
    choice = choose(None, ENGLISH)
    assert choice.vectors is default()
    assert (choice.language, choice.learned, choice.note) == ("english", False, "")
    assert choice.detected.clear
    assert choice.known == 1


def test_vectors_learned_from_the_texts_where_they_do_not():
    choice = choose(None, Corpus(GERMAN))
    assert (choice.language, choice.learned) == ("german", True)
    assert choice.known < 0.5
    assert {"hund", "katze", "kredite", "zinsen"} <= set(choice.vectors)
    assert "und" not in choice.vectors
    hund, katze, zinsen = choice.vectors.matrix(["hund", "katze", "zinsen"])
    assert hund @ katze > hund @ zinsen
    assert choice.note.startswith("the bundled word vectors, which are English, know 48% of the words")
    assert "taken to be German (not kredite, banken, zinsen, ...)" in choice.note
    assert "Vectors were learned from the texts instead" in choice.note


def test_words_known_by_their_spelling_alone_are_not_enough(monkeypatch):
    some = sorted({word for text in GERMAN for word in tokenize(text)} - {"hund", "zinsen", "katze"})
    monkeypatch.setattr(choice_module, "default", lambda: WordVectors(some, np.ones((len(some), 2))))
    choice = choose(None, GERMAN)
    assert 0.5 < choice.known < 0.8
    assert choice.learned
    assert not choose(None, GERMAN, language="english").learned


def test_none_where_there_is_too_little_to_learn_from():
    choice = choose(None, ["Baumkuchen"])
    assert (choice.vectors, choice.learned) == (None, False)
    assert "too short to learn vectors from: all words are equally far apart" in choice.note


def test_the_language_given_decides_about_stop_words():
    choice = choose("train", GERMAN, language="german")
    assert choice.detected is None
    assert "und" not in choice.vectors
    assert "und" in choose("train", GERMAN, language="english").vectors
    assert "und" in choose("train", GERMAN, language="german", stop_words=None).vectors
    with pytest.raises(ValueError, match=r"language must be one of arabic, .* got 'klingon'"):
        choose(None, GERMAN, language="klingon")


def test_given_vectors_are_taken_with_a_note_where_they_know_little(tmp_path):
    mine = WordVectors(["planet", "star", "stars", "planets", "sky"], [[1.0], [2.0], [3.0], [4.0], [5.0]])
    choice = choose(mine, ENGLISH)
    assert choice.vectors is mine
    assert choice.note == ""
    (tmp_path / "vectors.vec").write_text("planet 1 0\nstar 0 1\nunicorn 1 1\n")
    choice = choose(tmp_path / "vectors.vec", ENGLISH)
    assert choice.vectors.words == ("planet", "star")
    assert not choice.learned
    assert choice.note == (
        "the word vectors know 25% of the words of texts taken to be English (not bright, night, orbits, "
        "...). The other words take theirs from the words around them."
    )


def test_none_at_all():
    choice = choose(False, GERMAN)
    assert (choice.vectors, choice.language, choice.learned, choice.note) == (None, "german", False, "")


def test_learning_asked_for():
    assert choose("train", ENGLISH).learned
    assert choose("word2vec", ENGLISH).vectors.dimensions == 100
