import tracemalloc
import unicodedata
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hott.text import tokens
from hott.text.languages import stop_words
from hott.text.tokens import NumberedTexts, number, passages, tokenize


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't PANIC: it's 4x4, MP3 or 3D, in 1987.", ["don", "panic", "it", "mp3", "or", "in"]),
        ("snake_case and hyphen-words", ["snake", "case", "and", "hyphen", "words"]),
        ("a I é", []),
        ("Café naïve Straße ÅNGSTRÖM", ["café", "naïve", "straße", "ångström"]),
        ("e\u0301tude", ["étude"]),  # the accent as a mark of its own
        ("ﬁnance in\u00adformation", ["finance", "information"]),  # a PDF's ligature and soft hyphen
        ("Привет, мир! Ελληνικά", ["привет", "мир", "ελληνικά"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("שָׁלוֹם مُحَمَّد", ["שָׁלוֹם", "مُحَمَّد"]),
        ("한국어 문서", ["한국어", "문서"]),
        ("我喜欢猫。", ["我喜", "喜欢", "欢猫"]),
        ("ABC株式会社です", ["abc", "株式", "式会", "会社", "社で", "です"]),
        ("ไทย", ["ไท", "ทย"]),
        ("𠮷野家", ["𠮷野", "野家"]),
        ("Über die Größe der Fußgängerzone", ["über", "die", "größe", "der", "fußgängerzone"]),
        ("L'homme qu’il aimait, aujourd’hui", ["homme", "qu", "il", "aimait", "aujourd", "hui"]),
        ("dell'arte, un'altra, l'acqua", ["dell", "arte", "un", "altra", "acqua"]),
        ("Ещё раз: ОБЪЯВЛЕНИЕ", ["ещё", "раз", "объявление"]),
        ("İSTANBUL İstanbul istanbul", ["istanbul", "istanbul", "istanbul"]),
    ],
)
def test_words_of_many_scripts(text, words):
    assert tokenize(text) == [unicodedata.normalize("NFKC", word) for word in words]


@given(st.text())
def test_any_text_gives_words_that_split_no_further(text):
    for word in tokenize(text):
        assert len(word) >= 2
        assert word == word.lower()
        assert not any(character.isspace() for character in word)


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_takes_a_short_way_to_the_same_words(text):
    assert tokenize(text) == tokenize(text + " é")


def test_an_apostrophe_leaves_words_and_stop_words():
    words = tokenize("L'homme qu'il aime s'en va jusqu'à l'église d'aujourd'hui")
    assert [word for word in words if word not in stop_words("french")] == ["homme", "aime", "église"]


@pytest.mark.parametrize("letter", ["a", "é", "я", "कि"])
def test_what_is_longer_than_64_characters_is_no_word(letter):
    longest = letter * (64 // len(letter))
    assert tokenize(f"one {longest} two") == ["one", longest, "two"]
    assert tokenize(f"one {longest}x two") == ["one", "two"]
    assert tokenize(letter * 100_000) == []


def test_a_tower_of_marks_is_passed_over():
    """Unicode brings marks into order in time that grows with the square of their number."""
    assert tokenize("one a" + "\u0301\u0316" * 500_000 + " two") == ["one", "two"]
    assert tokenize("zalgo\u0301\u0316\u0301 ——— " + "—" * 1_000 + " two")[-1] == "two"


PIECES = st.sampled_from(
    [
        "one",
        "Two2",
        "3d",
        "_x",
        "é",
        "e\u0301",
        "\u0301",
        "Σ",
        "ΑΣ",
        "İ",
        "ﬁn",
        "我喜欢猫",
        "ไทย",
        "—",
        " ",
        "\n",
        "\u00a0",
    ]
)


@given(st.lists(PIECES, max_size=60).map("".join), st.integers(1, 8))
def test_a_long_text_is_read_in_passages_with_the_same_words(text, size):
    whole = tokenize(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "PASSAGE", size)
        assert "".join(passages(text)) == text
        assert tokenize(text) == whole


def test_a_long_text_takes_little_memory_beside_it():
    text = "Some of the words are here, and some of the words are there. " * 40_000
    tracemalloc.start()
    try:
        found = tokenize(text)
        assert tracemalloc.get_traced_memory()[1] < 5 * len(text)  # 13 times for words of their own
    finally:
        tracemalloc.stop()
    assert len(found) == 520_000


words = st.sampled_from(["one", "two", "fish", "red", "blue"])
texts = st.lists(st.lists(words, max_size=6).map(" ".join), max_size=6)


@given(texts)
def test_numbers_stand_for_the_words_in_their_order(texts):
    names, numbered = number(texts)
    assert names == sorted({word for text in texts for word in text.split()})
    assert len(numbered) == len(texts)
    for row, text in enumerate(texts):
        start, end = numbered.starts[row : row + 2]
        assert [names[place] for place in numbered.numbers[start:end]] == text.split()
        assert (numbered.documents()[start:end] == row).all()
    for row, counts in enumerate(numbered.counts().toarray()):
        assert dict(zip(names, counts)) == {name: Counter(texts[row].split())[name] for name in names}
    assert numbered.totals().tolist() == [" ".join(texts).split().count(name) for name in names]


def test_words_can_be_renumbered_and_left_out():
    numbered = NumberedTexts(3, np.array([0, 1, 2, 1, 0], np.int32), np.array([0, 2, 2, 5]))
    fewer = numbered.renumber(np.array([1, -1, 0], np.int32), 2)
    assert fewer.numbers.tolist() == [1, 0, 1]
    assert fewer.starts.tolist() == [0, 1, 1, 3]
    assert fewer.n_words == 2
    assert numbered.counts().sum() == 5  # counting leaves the numbers as they are
    assert numbered.numbers.tolist() == [0, 1, 2, 1, 0]
