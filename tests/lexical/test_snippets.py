"""Passages: of the right length, around the words that were searched for, whole characters, escaped."""

import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from hott.lexical import snippet

LONG = "It was a quiet night. " * 20 + "Then a mosquito bit the doctor. " + "Nothing else was heard. " * 20


def wants(*words):
    return lambda word: float(word in words)


def test_the_passage_has_what_was_searched_for():
    found = snippet(LONG, wants("mosquito", "doctor"))
    assert found.marked("[", "]").startswith("…")
    assert "a [mosquito] bit the [doctor]." in found.marked("[", "]")
    assert len(found.text) <= 165


def test_it_begins_with_a_sentence_where_one_begins_near():
    """Within a third of the length before the first word; otherwise with a word, a sixth before."""
    text = "x" * 50 + ". " + "fill " * 5 + "needle " + "after " * 20
    assert snippet(text, wants("needle"), 90).text.startswith("…fill fill fill fill fill needle after")
    assert snippet(text, wants("needle"), 60).text.startswith("…fill fill needle after")
    assert snippet("a needle here", wants("needle")).text == "a needle here"
    assert snippet(". needle here", wants("needle")).text == "…needle here"
    asked = text.replace(". ", "? ")
    assert snippet(asked, wants("needle"), 90).text == snippet(text, wants("needle"), 90).text


def test_it_ends_between_words_and_has_at_least_half_its_length():
    found = snippet("one two three four five six", wants("one"), 12)
    assert found.text == "one two…"
    assert snippet("needle " + "x" * 100, wants("needle"), 40).text == "needle " + "x" * 13 + "…"
    assert snippet("one two three", wants("one"), 13).text == "one two three"  # all of it: nothing is cut
    cut = snippet("one " * 10, wants("one"), 15)
    assert cut.marked("[", "]") == "[one] [one] [one]…"


def test_the_first_of_equal_passages_is_taken():
    text = "needle one. " + "x " * 200 + "needle two."
    assert snippet(text, wants("needle")).text.startswith("needle one.")


def test_words_within_two_thirds_of_the_length_count_together():
    weights = {"cat": 1.0, "dog": 2.0}

    def passage(apart):
        text = "x " * 40 + "cat " + "y" * (apart - 8) + " dog" + " z" * 100
        return snippet(text, lambda word: weights.get(word, 0.0), 60).marked("[", "]")

    assert passage(40).startswith("…x x x x x [cat] y")
    assert passage(41).startswith("…" + "y" * 33 + " [dog] z")


def test_two_different_words_count_more_than_one_twice():
    text = "cat here. " + "x " * 200 + "A cat and a dog met. " + "y " * 200
    assert "cat and a dog" in snippet(text, wants("cat", "dog")).text


def test_without_words_it_is_the_beginning():
    assert snippet(LONG, wants("zebra")).text.startswith("It was a quiet night.")
    assert snippet("", wants("zebra")).text == ""
    assert snippet("  one\n\ttwo ", wants("two")).marked("[", "]") == "one [two]"


def test_markup_is_escaped_and_marks_are_not():
    found = snippet('<script>alert("mosquito")</script> & more', wants("mosquito"))
    assert found.html() == (
        "&lt;script&gt;alert(&quot;<mark>mosquito</mark>&quot;)&lt;/script&gt; &amp; more"
    )


def test_no_character_is_split():
    accents = "e\u0301" * 500  # each an e and an accent that is written onto it
    family = "👨\u200d👩\u200d👧" * 200
    for text in (accents, "a" + accents, family, "ab" + family):
        passage = snippet(text, wants("x")).text.rstrip("…")
        rest = text[len(passage) :]
        assert not rest or (unicodedata.combining(rest[0]) == 0 and rest[0] != "\u200d")
        assert not passage.endswith("\u200d")


@given(st.text(max_size=400), st.integers(20, 200))
def test_any_text_gives_a_passage_of_it(text, length):
    flat = " ".join(text.split())
    found = snippet(text, lambda word: len(word) % 3 == 0, length)
    inside = found.text.removeprefix("…").removesuffix("…")
    assert inside.strip() in " ".join(text.split()) or inside in flat
    for start, end in found.marks:
        assert 0 <= start < end <= len(found.text)
        assert len(found.text[start:end]) % 3 == 0
    assert all(a[1] <= b[0] for a, b in zip(found.marks, found.marks[1:]))


@given(st.text("ab_1é ,-", max_size=60), st.text("ab_1é", min_size=1, max_size=3))
def test_only_whole_words_are_marked(text, word):
    flat = " ".join(text.split())
    marked = snippet(text, wants(word), 1_000).marks
    assert list(marked) == [found.span() for found in re.finditer(r"\w+", flat) if found.group() == word]


def test_a_very_long_text_is_read_as_far_as_the_first_part_that_has_a_word():
    asked = set()

    def wanted(word):
        asked.add(word)
        return word == "mosquito"

    text = "It was quiet. " * 100_000 + "A mosquito bit him. " + "Then he slept. " * 200_000
    found = snippet(text, wanted)
    assert "A [mosquito] bit him." in found.marked("[", "]")
    assert "then" in asked  # it is in the same part
    late = "It was quiet. " * 100_000 + "Then he slept. " * 200_000 + "Never again."
    assert str(snippet(late, wanted)).startswith("It was quiet.")
    asked.clear()
    snippet("A mosquito bit him. " + late, wanted)
    assert "never" not in asked
