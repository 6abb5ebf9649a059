"""The small steps of reading, each by an example that can be worked by hand."""

import pytest

from hott.corpus.readers.lines import Budget, decode, is_binary
from hott.corpus.readers.log import Log
from hott.corpus.readers.markup import (
    _heading,
    charset_of,
    headline,
    read_html,
    read_markdown,
    spell_ligatures,
)
from hott.corpus.readers.options import format_of, why_left_out
from hott.corpus.readers.rows import Columns, Record, first_places, passages_of
from hott.corpus.readers.tables import _guess, _quote


def test_text_is_told_from_other_bytes():
    assert is_binary(b"\x89PNG\r\n\x1a\n\x00")
    assert not is_binary("Café".encode("utf-16"))
    assert decode("naïve".encode("cp1252")) == ("naïve", True)


def test_a_budget_is_spent():
    budget = Budget(1_000_000)
    budget.spend(150_000_000)
    with pytest.raises(ValueError, match="it swells to more than 200 times its size, as no honest file does"):
        budget.spend(60_000_000)


def test_a_log_notes_what_was_skipped():
    log = Log()
    log.note_skipped("a.png", "binary files")
    assert log.notes == ["skipped 1 file (binary files): 'a.png'"]
    for number in range(6):
        log.note_skipped(f"{number}.png", "binary files")
    assert log.notes[0].endswith("'a.png', '0.png', '1.png', '2.png', '3.png', ... (7 files)")


def test_pages_are_what_a_reader_sees():
    assert spell_ligatures("\ufb01rst o\ufb03ce") == "first office"
    page = read_html("<title>Cats</title><script>x=1<2</script><p>Cats &amp; <b>d</b>ogs<br>purr.")
    assert (page.title, page.text) == ("Cats", "Cats & dogs\npurr.")
    page = read_markdown("---\ndate: 2004-05-06\n---\n# Cats\n\nThey *purr*, [see](http://x.org).\n")
    assert page == Record(None, "Cats", "Cats\n\nThey purr, see.", None, {"date": "2004-05-06"})
    assert (charset_of(b"<meta charset=koi8-r>"), charset_of(b"<meta charset=no-such>")) == ("koi8-r", None)


def test_headlines_and_headings():
    assert (_heading("## Cats ##"), _heading("#cats")) == ((2, "Cats"), (0, ""))
    assert headline("Ad sales boost profit\n\nProfits rose.") == "Ad sales boost profit"
    assert headline("Profits rose.\n\nThey fell.") == ""
    assert headline("Cats\nCats sleep for most of the day.", is_laid_out=True) == "Cats"


def test_names_say_what_files_are():
    names = ("Data.CSV.gz", "site/index.html", "all.tar.gz", "12345")
    assert [format_of(name) for name in names] == ["csv", "html", "tar", None]
    assert why_left_out("src/main.py", (), ()) == "files of code or settings"
    assert why_left_out("src/main.py", ("*.py",), ()) is None
    assert why_left_out("notes/a.md", (), ("notes/*",)) == "files that were excluded"


def test_columns_are_found_by_their_names():
    assert Columns().are_in(["year", "1999", "text"])
    assert not Columns().are_in(["7", "Rates rise"])
    found = Columns(label=False).find(["Headline", "Body", "Class"], "news.csv")
    assert found == {"title": "Headline", "text": "Body"}
    assert first_places(["text", "year", "text"]) == {"text": 0, "year": 1}


def test_delimiters_and_quotes_are_guessed():
    rows = "Sport;One, two, three\nArts;Four, five\n"
    assert _guess("Sport;One, two, three", rows, None, None) == (";", '"')
    assert _guess("a,b", "a,b", None, "'") == (",", "'")
    assert (_quote("'id';'text'", ";"), _quote("id;text", ";")) == ("'", '"')


def test_passages():
    assert passages_of("One two. Three four five.\n\nSix seven.", 4) == [
        "One two.",
        "Three four five.",
        "Six seven.",
    ]
