"""How far apart two spellings are, against the table that textbooks fill."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hott
from hott.lexical.matching import Spellings

WORDS = st.text("abc", max_size=7)


def by_table(a, b):
    """Letters put in, left out, changed, or swapped with the next one: optimal string alignment."""
    table = [[i + j for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            ways = [
                table[i - 1][j] + 1,
                table[i][j - 1] + 1,
                table[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
            ]
            if i > 1 and j > 1 and a[i - 2 : i] == b[j - 1] + b[j - 2]:
                ways.append(table[i - 2][j - 2] + 1)
            table[i][j] = min(ways)
    return table[-1][-1]


@given(WORDS, st.lists(WORDS), st.integers(0, 3))
def test_edits_are_the_fewest(word, words, max_edits):
    begins_alike = [w for w in words if w and word and (w[0] == word[0] or w[1:3] == word[1:3] != w[1:2])]
    expected = [(w, by_table(word, w)) for w in begins_alike if by_table(word, w) <= max_edits]
    found = [(words[place], n) for place, n in Spellings(words).near(word, max_edits)]
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize("letter", ["\U0001f600", "\u00e4", "\ud800"])
def test_letters_beyond_ascii_are_one_edit_each(letter):
    assert list(Spellings([f"plan{letter}t"]).near("planet", 2)) == [(0, 1)]


def test_long_words_take_time_that_grows_with_their_length():
    """A table of all letters against all would have 10**10 cells."""
    long = "ab" * 50_000
    assert list(Spellings([long]).near("x" + long[1:], 2)) == [(0, 1)]


@pytest.fixture(scope="module")
def index():
    return hott.Index.build(hott.demo.corpus(), n_models=1)


@pytest.mark.parametrize(
    ("typed", "meant", "first"),
    [("fotosynthesis", "photosynthesis", "biology/photosynthesis"), ("wiskey", "whiskey", None)],
)
def test_a_word_that_sounds_like_one_of_the_documents_finds_it(index, typed, meant, first):
    hits = index.search(typed, k=1)
    if first:
        assert hits.query.matches[0].how == "spelled like"
        assert hits[0].id == first
    assert hits.query.matches[0].meant == meant


def test_a_misspelt_word_that_no_document_has_is_read_as_the_word(index):
    [match] = index.search("alfabet", k=1).query.matches
    assert (match.how, match.meant) == ("in no document", "alphabet")
    assert "alfabet” (read as “alphabet”) is in no document" in str(match)


def test_a_rare_word_of_the_language_is_not_read_as_another(index):
    assert [index.search(word, k=1).query.matches[0].meant for word in ("nourishes", "entangle")] == ["", ""]
