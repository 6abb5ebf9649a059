"""What a word of a query is searched by."""

import numpy as np
import pytest

from hott.lexical import Matcher, Postings, WordForms

FORMS = WordForms(frozenset(["the"]), "english")
TEXTS = ["The mosquito bites", "Malaria and quinine", "penalty kicks", "naïve Bäckerei"]
VECTORS = {
    "mosquito": [1.0, 0.0],
    "malaria": [0.8, 0.6],
    "quinine": [0.0, 1.0],
    "gnat": [0.99, 0.1],
    "zzz": [-1, 0],
}


@pytest.fixture(scope="module")
def matcher():
    words = ["mosquito", "malaria", "quinine"]
    vectors = np.array([VECTORS[word] for word in words])
    return Matcher(
        Postings.of(TEXTS, FORMS.forms).frequencies,
        FORMS,
        words,
        vectors,
        lambda word: np.array(VECTORS[word]) if word in VECTORS else None,
    )


@pytest.mark.parametrize(
    ("word", "how", "by"),
    [
        ("mosquito", "same", "mosquito"),
        ("mosquitoes", "same", "mosquito"),  # a form of the word
        ("kick", "same", "kick"),
        ("mosqito", "spelled like", "mosquito"),
        ("malarria", "spelled like", "malaria"),
        ("gnat", "near in meaning", "mosquito"),
        ("bäckerei", "same", "bäckerei"),
        ("zzz", "in no document", None),
        ("xylophone", "in no document", None),
        ("q", "in no document", None),
        ("蚊", "in no document", None),
    ],
)
def test_how_a_word_is_found(matcher, word, how, by):
    match = matcher.match(word)
    assert match.how == how
    assert (match.by[0][0] if match.by else None) == by


def test_what_is_said_of_a_word(matcher):
    assert str(matcher.match("gnat")).startswith("“gnat” is in no document: searched by mosquito")
    assert str(matcher.match("gnat")).endswith("near in meaning")
    assert str(matcher.match("mosqito")).endswith("spelled like it")
    assert str(matcher.match("zzz")) == "“zzz” is in no document, and no word like it"


def test_words_are_named_as_they_are_written():
    forms = WordForms(frozenset(), "english")
    postings = Postings.of(["Bakeries and bakery goods"], forms.forms)
    matcher = Matcher(postings.frequencies, forms, ["bakeries", "bakery"])
    assert str(matcher.match("bakerry")).endswith("searched by bakery, spelled like it")


@pytest.mark.parametrize(
    ("other", "how"),
    [("planetarix", "near in meaning"), ("planetariumx", "spelled like")],  # 9 of 10 letters, 11 of 12
)
def test_a_word_with_a_vector_is_the_form_of_one_spelled_nearly_the_same(other, how):
    forms = WordForms(frozenset(), None)
    frequencies = Postings.of([f"{other} observatory"], forms.forms).frequencies
    matcher = Matcher(
        frequencies, forms, ["observatory"], np.array([[1.0, 0.0]]), lambda word: np.array([1.0, 0.0])
    )
    assert matcher.match(other[:-1] + "z").how == how


def spelled(texts, word):
    """What a misspelt word is searched by, in a corpus of these texts."""
    forms = WordForms(frozenset(), None)
    match = Matcher(Postings.of(texts, forms.forms).frequencies, forms).match(word)
    return [other for other, _ in match.by]


def test_the_one_word_that_is_spelled_most_alike_is_taken():
    assert spelled(["planets planet plane"], "planeet") == ["planet"]
    # of those spelled as much alike the more frequent one, then the first of the alphabet
    assert spelled(["planta planto", "planto"], "plantx") == ["planto"]
    assert spelled(["planto planta"], "plantx") == ["planta"]


def test_words_are_alike_from_four_letters_on_and_up_to_two_longer_or_shorter():
    assert spelled(["moons"], "moon") == ["moons"]
    assert spelled(["moo"], "moon") == ["moo"]
    assert spelled(["sunn"], "sun") == []
    assert spelled(["plans"], "plant") == ["plans"]  # four of five letters: just enough
    assert spelled(["plaxs"], "plant") == []
    assert spelled(["telescopes"], "telescop") == ["telescopes"]
    assert spelled(["telescopically"], "telescop") == []
    assert spelled(["telescop"], "telescopes") == ["telescop"]
    assert spelled(["telesc"], "telescopes") == []


def test_the_first_letter_or_the_two_after_it_are_the_same():
    assert spelled(["xelescope"], "telescope") == ["xelescope"]
    assert spelled(["txlescope"], "telescope") == ["txlescope"]
    assert spelled(["xtlescope"], "telescope") == []


def test_nearer_words_count_more(matcher):
    weights = dict(matcher.match("gnat").by)
    assert weights["mosquito"] > weights["malaria"]
    assert weights["mosquito"] == pytest.approx(0.99 / np.hypot(0.99, 0.1), abs=1e-6)


def test_without_vectors_only_spelling_helps():
    matcher = Matcher(Postings.of(TEXTS, FORMS.forms).frequencies, FORMS)
    assert matcher.match("gnat").how == "in no document"
    assert matcher.match("mosqito").how == "spelled like"
