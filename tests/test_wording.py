"""What is shown to people moves no cursor and hides nothing."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hott.wording import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;owned\x07title", "]0;ownedtitle"),
        ("\x1b[2J\x1b[H", "[2J[H"),
        ("\x9b31mred", "31mred"),
        ("one\r\ntwo\u2028three\x85four\tfive", "one two three four five"),
        ("evil\u202etxt.exe", "eviltxt.exe"),
        ("half \ud83d pair", "half \ufffd pair"),
        ("tags\U000e0041\U000e007f", "tags"),
        ("mother\u200dchild می\u200cخواهم naïve 文 🙂", "mother\u200dchild می\u200cخواهم naïve 文 🙂"),
        ("  \x00 ", ""),
    ],
)
def test_examples(text, shown):
    assert printable(text) == shown


@given(st.text(st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp", "L", "Zs"])))
def test_nothing_is_left_that_moves_the_cursor(text):
    shown = printable(text)
    shown.encode("utf-8")  # which half a surrogate pair would not let pass
    assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]
    assert not [
        c for c in shown if unicodedata.bidirectional(c) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI")
    ]
    assert printable(shown) == shown
