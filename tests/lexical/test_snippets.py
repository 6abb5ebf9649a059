"""Passages: of the right length, around the words that were searched for, whole characters, escaped."""

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
