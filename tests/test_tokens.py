import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hott.tokens import tokenize


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
