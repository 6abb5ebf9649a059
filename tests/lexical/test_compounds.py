"""German words made of words, and the forms of German words."""

import pytest

from hott import Index
from hott.lexical import Matcher, Postings, WordForms
from hott.lexical.compounds import Compounds

TEXTS = [
    "Die Abgasaffäre kostet den Konzern Milliarden.",
    "Ein Skandal erschüttert die Regierung, der Skandal weitet sich aus.",
    "Der Trainer lobt die Mannschaft nach dem Spiel.",
    "Ein Wechsel auf der Bank: der neue Cheftrainer beginnt am Montag.",
    "Auf das Spiel kann man wetten, die Wetten stehen gut.",
    "Die Bankenrettung war teuer, eine Rettung der Bank unvermeidlich.",
    "Der Klimawandel lässt die Gletscher schmelzen, ein Wandel ohne Beispiel.",
]
GERMAN = WordForms.of("auto", "german")


@pytest.fixture(scope="module")
def matcher():
    return Matcher(Postings.of(TEXTS, GERMAN.forms).frequencies, GERMAN)


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("abgasskandal", {"abgasaffar", "skandal"}),
        ("trainerwechsel", {"trainer", "wechsel", "cheftrainer"}),
        ("klimapolitik", {"klimawandel"}),
        ("bankenkrise", {"bank"}),
        ("klimarettung", {"klimawandel", "rettung"}),
        ("trainer", {"trainer", "cheftrainer"}),
    ],
)
def test_a_compound_meets_words_that_share_a_part(matcher, word, found):
    assert found <= {form for form, _ in matcher.match(word).by}


def test_two_compounds_meet_by_a_beginning_that_is_no_word_of_the_documents():
    texts = ["Die Abgasaffäre kostet Milliarden.", "Der Abgeordnete fragt nach der Untersuchung."]
    matcher = Matcher(Postings.of(texts, GERMAN.forms).frequencies, GERMAN)
    match = matcher.match("abgasskandal")
    assert [form for form, _ in match.by] == ["abgasaffar"]
    assert str(match).endswith("which shares a part with it")
    assert matcher.match("unterhaltung").how == "in no document"  # "unter" is a stop word


def test_a_known_word_of_three_letters_is_a_second_part_after_another():
    texts = ["Der Wein wird kräftig, die Lese begann früh."]
    matcher = Matcher(Postings.of(texts, GERMAN.forms).frequencies, GERMAN)
    assert {form for form, _ in matcher.match("weinlese").by} == {"wein", "les"}


def test_the_word_itself_counts_most(matcher):
    match = matcher.match("trainer")
    assert match.how == "same"
    assert match.by[0] == ("trainer", 1.0)
    assert dict(match.by)["cheftrainer"] < 1.0


def test_it_is_said_that_a_compound_is_in_no_document(matcher):
    match = matcher.match("trainerwechsel")
    assert match.how == "parts"
    assert str(match).startswith("“trainerwechsel” is in no document: searched by ")
    assert str(match).endswith("which share a part with it")


@pytest.mark.parametrize("word", ["wetter", "wette", "hose"])
def test_a_word_is_not_taken_for_another_that_differs_by_an_ending(matcher, word):
    found = {form for form, _ in matcher.match(word).by}
    assert found <= ({"wett"} if word == "wette" else set())


def test_a_misspelt_german_word_is_still_found(matcher):
    words = [word for text in TEXTS for word in GERMAN.tokens(text)]
    matcher = Matcher(matcher.frequencies, GERMAN, words)
    for misspelt, meant in (("regierugn", "regierung"), ("gletcher", "gletscher"), ("skanda", "skandal")):
        match = matcher.match(misspelt)
        assert (match.how, match.by[0][0]) == ("spelled like", GERMAN.form(meant))


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("wetter", "wetten", False),
        ("wetter", "wetters", True),
        ("trainer", "trainern", True),
        ("messer", "messen", False),
        ("kinder", "kind", True),
        ("häuser", "haus", True),
        ("mitglieder", "mitglied", True),
        ("politischer", "politische", True),
        ("gewählter", "gewählte", True),
        ("dauer", "dauern", True),
    ],
)
def test_er_belongs_to_a_german_word_unless_it_is_an_ending(one, other, alike):
    assert (GERMAN.form(one) == GERMAN.form(other)) is alike


def test_indexes_of_before_keep_their_forms():
    assert WordForms.of("auto", "german", keeps_er=False).form("wetter") == "wett"


def test_languages_that_write_words_apart_have_no_compounds():
    words = Compounds(["foot", "football", "ball"], "english")
    assert words.split("football") is None
    assert words.find("foot") == []


@pytest.mark.parametrize(
    ("language", "whole", "parts"),
    [
        ("dutch", "regeringsleider", ("regering", "leider")),
        ("danish", "arbejdsmarked", ("arbejd", "marked")),
        ("norwegian", "statsminister", ("stat", "minister")),
        ("swedish", "utbildningsminister", ("utbildning", "minister")),
    ],
)
def test_other_languages_join_words_with_letters_of_their_own(language, whole, parts):
    assert Compounds(sorted(parts), language).split(whole) == parts


def test_nouns_are_shown_with_their_capitals():
    texts = ["Die Abgasaffäre kostet den Konzern Milliarden\n\nKunden verlangen ihr Geld."] + TEXTS
    index = Index.build(texts, n_topics=2, n_models=1, iterations=10)
    hits = index.search("Abgasskandal", k=1)
    assert hits.notes[0].startswith("“Abgasskandal” is in no document: searched by ")
    assert "Abgasaffäre" in hits.notes[0]
    assert "for “Abgasskandal”" in index.reasons(hits)[0]
    assert "Konzern" in str(index.compare("0", "2"))
