"""What a word of a query is searched by."""

import numpy as np
import pytest

from hott import embeddings
from hott.embeddings import WordVectors
from hott.embeddings.nearest import quantize
from hott.lexical import Matcher, Postings, WordForms
from hott.lexical.matching import MAX_LOOKED_UP
from hott.text.languages import stop_words_of

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
        lambda: quantize(vectors),
        WordVectors(VECTORS, np.array([*VECTORS.values()])),
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
    assert str(matcher.match("zzz")) == "“zzz” is in no document"


def test_words_are_named_as_they_are_written():
    forms = WordForms(frozenset(), "english")
    postings = Postings.of(["Bakeries and bakery goods"], forms.forms)
    matcher = Matcher(postings.frequencies, forms, ["bakeries", "bakery"])
    assert str(matcher.match("bakerry")).endswith("searched by bakery, spelled like it")


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
    assert spelled(["comets"], "cmoest") == []  # two edits are too many for six letters
    assert spelled(["telesc"], "telescopes") == []


def test_the_first_letter_or_the_two_after_it_are_the_same():
    assert spelled(["xelescope"], "telescope") == ["xelescope"]
    assert spelled(["txlescope"], "telescope") == ["txlescope"]
    assert spelled(["xtlescope"], "telescope") == []


MISSPELT_AND_MEANT = (
    "olimpic:olympic olympcs:olympics wimbeldon:wimbledon tenis:tennis criket:cricket "
    "chanpion:champion champoinship:championship victroy:victory injurey:injury ijnury:injury "
    "goalkeper:goalkeeper referre:referee penelty:penalty penatly:penalty maraton:marathon "
    "atheletics:athletics scotish:scottish irland:ireland engalnd:england austrailia:australia "
    "arsenel:arsenal chelsae:chelsea livrepool:liverpool manchster:manchester strikr:striker "
    "midfeilder:midfielder wiket:wicket battsman:batsman tournment:tournament medel:medal "
    "silvr:silver trophey:trophy trasnfer:transfer contrct:contract captin:captain coatch:coach "
    "seson:season leauge:league dopping:doping suspnsion:suspension roddik:roddick federrer:federer "
    "sharapowa:sharapova mourinio:mourinho zimbabwae:zimbabwe malarria:malaria "
    "photosyntesis:photosynthesis parliment:parliament temperture:temperature orchestera:orchestra "
    "symphany:symphony astronamy:astronomy telescpe:telescope bacterria:bacteria "
    "anitbiotic:antibiotic pyramyd:pyramid philosphy:philosophy renaisance:renaissance "
    "revolusion:revolution democrcy:democracy inflaton:inflation whael:whale comittee:committee "
)
MISSPELT = dict(pair.split(":") for pair in MISSPELT_AND_MEANT.split())
# Some of them are spelled nearly as words that were meant.
REAL = (
    "violin volcano quantum recipe cinnamon galaxy hydrogen spaghetti penguin zebra chemistry "
    "pottery molecule tractor orchard harvest soprano dinosaur glucose vaccine algebra senate "
    "cathedral sculpture glacier canyon cabbage lobster rabbit kitten candle lantern poetry grammar "
    "archery yacht regatta chess badger horse house thicket medial metal couch roach lounge wicked "
    "picket ticket sprinkler printer pinch witch scout tribe packet catcher fever lever grain sprain "
)


@pytest.fixture(scope="module")
def of_all_words():
    forms = WordForms(stop_words_of("english", "english"), "english")
    frequencies = Postings.of([" ".join(MISSPELT.values())], forms.forms).frequencies
    words = sorted(set(MISSPELT.values()))
    language = embeddings.default()
    return Matcher(frequencies, forms, words, lambda: quantize(language.matrix(words)), language)


def test_misspelt_words_are_taken_for_what_was_meant(of_all_words):
    """Though some of them have vectors: the texts that those were learned from are misspelt as well."""
    assert sum(word in embeddings.default() for word in MISSPELT) >= 10
    found = {word: of_all_words.match(word) for word in MISSPELT}
    assert [word for word, match in found.items() if match.how not in ("same", "spelled like")] == []
    forms = {word: of_all_words.forms.form(meant) for word, meant in MISSPELT.items()}
    assert {word: match.by[0][0] for word, match in found.items()} == forms


def test_real_words_are_not_taken_for_misspelt(of_all_words):
    taken = {word: of_all_words.match(word) for word in REAL.split()}
    assert [str(match) for match in taken.values() if match.how == "spelled like"] == []


def test_rare_words_are_shown_as_the_language_writes_them():
    forms = WordForms(frozenset(), "english")
    frequencies = Postings.of(["Democracy"], forms.forms).frequencies
    assert Matcher(frequencies, forms).match("democrcy").words == ("democraci",)
    language = WordVectors(["democrat", "democracy"], np.eye(2))
    assert Matcher(frequencies, forms, language=language).match("democrcy").words == ("democracy",)


def test_nearer_words_count_more(matcher):
    weights = dict(matcher.match("gnat").by)
    assert weights["mosquito"] > weights["malaria"]
    assert weights["mosquito"] == pytest.approx(0.99 / np.hypot(0.99, 0.1), abs=1e-5)


def test_without_vectors_only_spelling_helps():
    matcher = Matcher(Postings.of(TEXTS, FORMS.forms).frequencies, FORMS)
    assert matcher.match("gnat").how == "in no document"
    assert matcher.match("mosqito").how == "spelled like"


def test_of_many_unknown_words_only_the_first_are_looked_up(matcher):
    """A hostile text of nothing but unknown words costs as much as a few of them."""
    misspelt = ["mosqito"] + [f"unknown{n}" for n in range(MAX_LOOKED_UP - 1)]
    matches = matcher.match_all([*misspelt, "malarria", "malaria"])
    assert [match.word for match in matches if match.by] == ["mosqito", "malaria"]
