"""What is shown to people moves no cursor and hides nothing."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hott
from hott.cli.app import run
from hott.index import Hit
from hott.utils.wording import csv_cell, elide, escape, fit, per_cent, printable, visible


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


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        (0, "0 %"), (1e-9, "0 %"), (2e-9, "<1 %"), (0.0049, "<1 %"), (0.005, "<1 %"), (0.0051, "1 %"),
        (0.5, "50 %"), (0.9949, "99 %"), (0.995, ">99 %"), (1 - 2e-9, ">99 %"), (1 - 1e-10, "100 %"),
        (1, "100 %"),
    ],
)  # fmt: skip
def test_shares_that_are_little_or_nearly_all_stay_visible(part, shown):
    assert per_cent(part) == shown


def test_columns_of_text():
    """Wide letters take two columns."""
    assert elide("planet", 6) == "planet"
    assert elide("planets", 6) == "plane…"
    assert elide("one, two", 6) == "one…"
    assert elide("文文文", 6) == "文文文"
    assert elide("文文文文", 6) == "文文…"
    assert fit("star", 6) == "star  "
    assert fit("文文文文", 6) == "文文… "
    assert fit("planets", 6) == "plane…"


def hostile(text):
    """The characters of a text that move the cursor, turn the direction, or cannot be written at all."""
    turns = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI")
    moves = ("Cc", "Cs", "Zl", "Zp")
    return [c for c in text if unicodedata.category(c) in moves or unicodedata.bidirectional(c) in turns]


@given(st.text(st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp", "L", "Zs"])))
def test_nothing_is_left_that_moves_the_cursor(text):
    shown = printable(text)
    shown.encode("utf-8")  # which half a surrogate pair would not let pass
    assert not hostile(shown)
    assert printable(shown) == shown


@given(st.text(st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp", "L", "Zs"])))
def test_json_keeps_its_values_and_moves_no_cursor(text):
    written = escape(json.dumps({text: [text]}, ensure_ascii=False))
    assert json.loads(written) == {text: [text]}
    assert not hostile(written)


HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202etitle\r"


def test_hits_show_nothing_hostile():
    shown = repr(hott.index.Hits((Hit(HOSTILE, HOSTILE, HOSTILE, 0.0),), 1, 0))
    assert "title" in shown
    assert all(character.isprintable() for line in shown.split("\n") for character in line)


@pytest.fixture(scope="module")
def hostile_index(tmp_path_factory):
    texts = ["Stars and planets shine.", "Planets orbit stars.", "Goals win a football match."]
    names = [f"{number}{HOSTILE}" for number in range(3)]
    corpus = hott.Corpus(texts, ids=names, titles=names, labels=names)
    path = tmp_path_factory.mktemp("hostile") / "x.hott"
    hott.Index.build(corpus, n_topics=2, n_models=1, iterations=5).save(path)
    return str(path)


def test_documents_and_comparisons_show_nothing_hostile(hostile_index):
    index = hott.open(hostile_index)
    a, b, _ = index.documents.ids
    shown = [repr(index.documents[0]), str(index.compare(a, b)), repr(index.documents.ids), repr(index)]
    for text in shown:
        assert all(character.isprintable() for line in text.split("\n") for character in line)


@pytest.mark.parametrize(
    "command",
    [
        ["search", "INDEX", "stars"],
        ["search", "INDEX", "stars", "--json"],
        ["neighbors", "INDEX", "-k", "1"],
        ["info", f"no{HOSTILE}.hott"],
    ],
    ids=" ".join,
)
def test_commands_show_nothing_hostile(hostile_index, command, capsys):
    run([hostile_index if word == "INDEX" else word for word in command])
    shown = capsys.readouterr()
    for line in (shown.out + shown.err).splitlines():
        assert all(character.isprintable() for character in line)


def test_texts_are_cleaned_in_pieces_and_formulas_made_harmless():
    assert visible(" red:\x1b[31m\tyes ") == " red:[31m yes "
    assert escape('["evil\u202etxt"]') == '["evil\\u202etxt"]'
    assert [csv_cell(text) for text in ("=HYPERLINK(A1)", "-1.5", "a=b")] == [
        "'=HYPERLINK(A1)",
        "-1.5",
        "a=b",
    ]
    assert elide("planet, orbit, moon", 14) == "planet, orbit…"
