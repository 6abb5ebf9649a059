"""Every format, every encoding, every way a file can be broken."""

import codecs
import csv
import errno
import gzip
import json
import os
import random
import socket
import string
import subprocess
import sys
import warnings
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import hott
from hott.corpus import Corpus, Document, stream

ARTICLES = Corpus(
    ['Cats purr, "meow" and\nsleep.', "Älter werden; schön!", ""],
    ids=["1", "2", "3"],
    titles=["Cats", "Das Alter", "Nothing"],
    labels=["pets", "leben", None],
)
ROWS = [[d.id, d.title, d.text, d.label or ""] for d in ARTICLES]
HEADER = ["id", "title", "text", "label"]


def write_csv(path: Path, delimiter: str = ",", encoding: str = "utf-8") -> Path:
    with path.open("w", encoding=encoding, newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([HEADER, *ROWS])
    return path


def write_jsonl(path: Path, opened=open) -> Path:
    with opened(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(dict(zip(HEADER, row)), ensure_ascii=False) + "\n" for row in ROWS)
    return path


@pytest.fixture
def strict():
    """No warning goes by unnoticed."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.usefixtures("strict")
class TestFormats:
    @pytest.mark.parametrize(
        ("name", "delimiter"), [("a b.csv", ","), ("a.CSV", ";"), ("a.tsv", "\t"), ("a.csv", "|")]
    )
    def test_csv(self, tmp_path, name, delimiter):
        assert hott.read(write_csv(tmp_path / name, delimiter)) == ARTICLES

    def test_gzipped_csv(self, tmp_path):
        data = write_csv(tmp_path / "a.csv").read_bytes()
        (tmp_path / "b.csv.gz").write_bytes(gzip.compress(data))
        assert hott.read(tmp_path / "b.csv.gz") == ARTICLES

    @pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "ä ö.jsonl"])
    def test_json_lines(self, tmp_path, name):
        assert hott.read(write_jsonl(tmp_path / name)) == ARTICLES

    def test_gzipped_json_lines(self, tmp_path):
        assert hott.read(str(write_jsonl(tmp_path / "a.jsonl.gz", gzip.open))) == ARTICLES

    def test_parquet(self, tmp_path):
        pq.write_table(ARTICLES.to_table(), tmp_path / "a.parquet")
        assert hott.read(tmp_path / "a.parquet") == ARTICLES

    def test_parquet_with_numbers_and_nulls(self, tmp_path):
        table = pa.table({"doc_id": [10, 20], "body": ["one", None], "class": pa.array([1, None], pa.int8())})
        pq.write_table(table, tmp_path / "a.pq")
        assert list(hott.read(tmp_path / "a.pq")) == [
            Document("10", "", "one", "1", {"class": "1"}),
            Document("20", "", "", None, {"class": None}),
        ]

    def test_one_text_file_is_one_document(self, tmp_path):
        (tmp_path / "My notes.txt").write_text("Line one.\nLine two.\n")
        assert list(hott.read(tmp_path / "My notes.txt")) == [
            Document("My notes.txt", "My notes", "Line one.\nLine two.\n", None)
        ]

    def test_a_stated_format_beats_the_name(self, tmp_path):
        assert hott.read(write_jsonl(tmp_path / "dump.data"), format="jsonl") == ARTICLES

    def test_folder(self, tmp_path):
        files = {
            "10.txt": "ten",
            "2.txt": "two",
            "sport/a b.txt": "ball",
            "sport/old/x.md": "",
            ".hidden/no.txt": "no",
        }
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        (tmp_path / "z.txt.gz").write_bytes(gzip.compress(b"zipped"))
        (tmp_path / ".DS_Store").write_bytes(b"\0\0")
        assert list(hott.read(tmp_path)) == [
            Document("2.txt", "2", "two", None),
            Document("10.txt", "10", "ten", None),
            Document("sport/a b.txt", "a b", "ball", "sport"),
            Document("sport/old/x.md", "x", "", "sport/old"),
            Document("z.txt.gz", "z", "zipped", None),
        ]


class TestColumns:
    def test_are_found_by_name(self, tmp_path):
        (tmp_path / "a.csv").write_text("Category,Abstract,Headline,DOC_ID\nx,words,News,n1\n")
        assert list(hott.read(tmp_path / "a.csv")) == [
            Document("n1", "News", "words", "x", {"Category": "x"})
        ]

    def test_can_be_given_or_left_out(self, tmp_path):
        (tmp_path / "a.csv").write_text("id,text,kind\nn1,short,long\nn1,other,longer\n")
        found = hott.read(tmp_path / "a.csv", text="kind", id=False, label="text")
        n1 = {"id_": "n1"}  # not the id, and kept all the same
        assert list(found) == [
            Document("0", "", "long", "short", n1),
            Document("1", "", "longer", "other", n1),
        ]

    def test_of_json_may_come_late(self, tmp_path):
        (tmp_path / "a.jsonl").write_text(
            '{"text": "a"}\n\n{"text": "b", "label": 3}\n{"text": null, "label": true}\n'
        )
        assert hott.read(tmp_path / "a.jsonl").labels == [None, "3", "True"]
        assert hott.read(tmp_path / "a.jsonl").texts == ["a", "b", ""]

    def test_the_first_of_two_with_one_name_counts(self, tmp_path):
        (tmp_path / "a.csv").write_text("text,text\nfirst,second\n")
        assert hott.read(tmp_path / "a.csv").texts == ["first"]

    @pytest.mark.parametrize(("n", "end"), [(20, r"'c19': say"), (21, r"'c19', \.\.\.: say")])
    def test_twenty_are_named_where_the_text_is_missing(self, tmp_path, n, end):
        (tmp_path / "a.csv").write_text(",".join(f"c{number}" for number in range(n)) + "\n")
        with pytest.raises(ValueError, match=f"It has 'c0', .*{end}"):
            hott.read(tmp_path / "a.csv")

    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            ({}, r"a.csv has no column with a usual name for the text .* It has 'x', 'y': .* text='y'"),
            ({"text": "z"}, r"text: a.csv has no column 'z'. It has 'x', 'y'"),
            ({"text": "x", "label": "z"}, r"label: a.csv has no column 'z'"),
        ],
    )
    def test_that_are_missing(self, tmp_path, columns, message):
        (tmp_path / "a.csv").write_text("x,y\n1,2\n")
        with pytest.raises(ValueError, match=message):
            hott.read(tmp_path / "a.csv", **columns)


class TestEncodings:
    @pytest.mark.usefixtures("strict")
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
    def test_marked_ones_are_recognised(self, tmp_path, encoding):
        assert hott.read(write_csv(tmp_path / "a.csv", encoding=encoding)) == ARTICLES
        (tmp_path / "texts").mkdir()
        (tmp_path / "texts/a.txt").write_text("Ünïcode ☃", encoding=encoding)
        assert hott.read(tmp_path / "texts").texts == ["Ünïcode ☃"]

    @pytest.mark.usefixtures("strict")
    @pytest.mark.parametrize("encoding", ["cp1252", "utf-8", "utf-16-le", "latin-1", "utf-8-sig"])
    def test_a_stated_one_is_used(self, tmp_path, encoding):
        assert hott.read(write_csv(tmp_path / "a.csv", encoding=encoding), encoding=encoding) == ARTICLES
        (tmp_path / "a.txt").write_text("schön", encoding=encoding)
        assert hott.read(tmp_path / "a.txt", encoding=encoding).texts == ["schön"]

    def test_windows_text_is_guessed_with_a_warning(self, tmp_path):
        path = write_csv(tmp_path / "a.csv", encoding="cp1252")
        with pytest.warns(
            UserWarning, match=r"a.csv: 1 lines are not UTF-8 .* Windows-1252 \(the first is line 4\)"
        ):
            assert hott.read(path) == ARTICLES
        (tmp_path / "one").mkdir()
        (tmp_path / "one/a.txt").write_bytes(b"\x93quoted\x94 \x81")
        with pytest.warns(UserWarning, match=r"[Rr]ead as Windows-1252, for want of valid UTF-8: 'a.txt'"):
            assert hott.read(tmp_path / "one").texts == ["\x93quoted\x94 \x81"]  # 0x81 is in latin-1 only

    def test_an_unknown_one(self, tmp_path):
        with pytest.raises(ValueError, match="encoding 'utf-9' is not known"):
            hott.read(write_csv(tmp_path / "a.csv"), encoding="utf-9")

    @pytest.mark.parametrize(
        "encoding", ["rot13", "hex", "base64", "zlib", "idna", "punycode", "undefined", "", "\0"]
    )
    def test_codecs_that_are_no_encodings_of_text(self, tmp_path, encoding):
        for path in (write_csv(tmp_path / "a.csv"), tmp_path):
            with pytest.raises(ValueError, match=r"encoding '.*' is not known as one of text"):
                hott.read(path, encoding=encoding)

    @pytest.mark.usefixtures("strict")
    def test_lines_that_do_not_end_with_a_byte_of_ascii(self, tmp_path):
        path = write_csv(tmp_path / "a.csv", encoding="cp500")
        assert hott.read(path, encoding="cp500") == ARTICLES

    @pytest.mark.parametrize("end", [b"\0", b"\0\xd8", b"\0\xd8" * 20_000])
    def test_wide_text_that_breaks_off_comes_to_an_end(self, tmp_path, end):
        (tmp_path / "a.jsonl").write_bytes('{"text": "one"}\n{"text": "two"}\n'.encode("utf-16") + end)
        with pytest.warns(UserWarning, match=r"left out 1 broken row: a.jsonl, line 3: not in the encoding"):
            assert hott.read(tmp_path / "a.jsonl", on_error="skip").texts == ["one", "two"]

    def test_a_header_in_another_encoding(self, tmp_path):
        (tmp_path / "a.csv").write_text("täxt,text\na,b\n", encoding="utf-8")
        with pytest.raises(ValueError, match=r"a.csv, line 1: the header cannot be read: not ascii"):
            hott.read(tmp_path / "a.csv", encoding="ascii")

    @given(data=st.binary(max_size=200))
    @example(data=b"\x1f\x8b")  # gzip that ends at once
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    def test_no_bytes_crash_the_reader(self, tmp_path, data):
        """Any file gives documents or a ValueError, nothing else."""
        for suffix in ("jsonl", "csv", "txt", "parquet", "jsonl.gz"):
            path = tmp_path / f"fuzz.{suffix}"
            path.write_bytes(b'{"text": "good"}\n' + data if suffix == "jsonl" else data)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    corpus = hott.read(path, on_error="skip")
                except ValueError:
                    assert suffix != "jsonl"
                else:
                    assert len(corpus) >= 1


BROKEN = {
    "a.jsonl": (
        b'{"text": "one"}\n{"text": "tw\n[1]\n{"body": "x"}\n{"text": 5}\n\n{"text": "two"}\n',
        {
            2: "not valid JSON (Unterminated string starting at, column 10)",
            3: 'expected an object such as {"text": "..."}, got list',
            4: "has no 'text'",
            5: "'text' must be text, got int",
        },
    ),
    "a.csv": (
        b'id,text\na,one\nb\nc,x,y\n\n"d"d,x\ne,"two\nlines"\n',
        {3: "1 fields where the header has 2", 4: "3 fields", 6: "',' expected after '\"'"},
    ),
}


class TestBrokenRows:
    @pytest.mark.parametrize("name", BROKEN)
    def test_the_first_stops_the_read_and_is_named(self, tmp_path, name):
        data, reasons = BROKEN[name]
        (tmp_path / name).write_bytes(data)
        line, reason = next(iter(reasons.items()))
        with pytest.raises(ValueError, match="on_error='skip'") as caught:
            hott.read(tmp_path / name)
        assert str(caught.value).startswith(f"{name}, line {line}: {reason}")

    @pytest.mark.parametrize("name", BROKEN)
    def test_all_are_skipped_by_choice_and_counted(self, tmp_path, name):
        data, reasons = BROKEN[name]
        (tmp_path / name).write_bytes(data)
        with pytest.warns(UserWarning, match=f"left out {len(reasons)} broken rows") as caught:
            corpus = hott.read(tmp_path / name, on_error="skip-all")
        assert [text.split()[0] for text in corpus.texts] == ["one", "two"]
        for line, reason in list(reasons.items())[:3]:
            assert f"{name}, line {line}: {reason}" in str(caught[0].message)
        assert caught[0].filename == __file__

    def test_a_line_outside_the_stated_encoding(self, tmp_path):
        (tmp_path / "a.csv").write_bytes(b"text\none\ncaf\xe9\ntwo\n")
        with pytest.raises(ValueError, match=r"a.csv, line 3: not utf-8: .* at byte 4"):
            hott.read(tmp_path / "a.csv", encoding="utf-8")
        with pytest.warns(UserWarning, match="left out 1 broken row: a.csv, line 3"):
            assert hott.read(tmp_path / "a.csv", encoding="utf-8", on_error="skip").texts == ["one", "two"]

    def test_an_unclosed_quote_does_not_swallow_the_rest_silently(self, tmp_path):
        (tmp_path / "a.csv").write_text('text,label\none,x\n"two,x\nthree,x\nfour,x\n')
        with pytest.raises(
            ValueError, match=r'line 3: a field opens with a " that is not closed .* \(line 5\)'
        ):
            hott.read(tmp_path / "a.csv")

    def test_gzip_cut_short(self, tmp_path):
        rng = random.Random(0)
        lines = [json.dumps({"text": "".join(rng.choices(string.ascii_letters, k=80))}) for _ in range(1000)]
        data = gzip.compress("\n".join(lines).encode())
        (tmp_path / "a.jsonl.gz").write_bytes(data[: len(data) // 2])
        with pytest.raises(
            ValueError, match=r"cut short after [\d,]+ bytes .* keep what was read with on_error"
        ):
            hott.read(tmp_path / "a.jsonl.gz")
        with pytest.warns(UserWarning, match="what came after them is lost") as caught:
            kept = hott.read(tmp_path / "a.jsonl.gz", on_error="skip")
        assert 300 < len(kept) < 1000
        assert kept.texts == [json.loads(line)["text"] for line in lines[: len(kept)]]
        assert f"{len(kept)} lines were read" in str(caught[0].message)
        assert "broken row" not in str(caught[0].message)  # one would be a small thing; this is not

    @pytest.mark.parametrize("name", ["a.csv.gz", "a.jsonl.gz"])
    def test_what_is_lost_is_told_besides_what_is_broken(self, tmp_path, name):
        content = BROKEN[name.removesuffix(".gz")][0]
        more = b"x" * 100_000 if name == "a.csv.gz" else b'{"text": "three"}' + b" " * 100_000
        data = gzip.compress(content + random.Random(0).randbytes(100_000).hex().encode() + more)
        (tmp_path / name).write_bytes(data[: len(data) // 2])
        with pytest.warns(UserWarning, match="lost") as caught:
            assert len(hott.read(tmp_path / name, on_error="skip-all")) == 2
        messages = [str(warning.message) for warning in caught]
        assert len(messages) == 2
        assert "what came after them is lost" in messages[0]
        assert f"left out {len(BROKEN[name.removesuffix('.gz')][1])} broken rows" in messages[1]

    def test_a_gzipped_text_cut_short(self, tmp_path):
        (tmp_path / "a.txt").write_text("whole")
        data = gzip.compress(random.Random(0).randbytes(50_000).hex().encode())[:9_000]
        (tmp_path / "b.txt.gz").write_bytes(data)
        left = len(zlib.decompressobj(31).decompress(data))
        with pytest.raises(
            ValueError, match=rf"b.txt.gz: the gzip data is damaged or cut short after {left:,} bytes"
        ):
            hott.read(tmp_path)
        with pytest.warns(UserWarning, match="left out 1 broken file: b.txt.gz"):
            assert hott.read(tmp_path, on_error="skip").ids == ["a.txt"]

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
    def test_a_file_that_cannot_be_opened(self, tmp_path):
        (tmp_path / "good.txt").write_text("good")
        (tmp_path / "secret.txt").write_text("secret")
        (tmp_path / "secret.txt").chmod(0)
        with pytest.raises(ValueError, match=r"secret.txt: .*Permission denied"):
            hott.read(tmp_path)
        with pytest.warns(UserWarning, match="left out 1 broken file: secret.txt"):
            assert hott.read(tmp_path, on_error="skip").ids == ["good.txt"]


class TestMostOfAFileBroken:
    """A wrong guess must not make an index of a handful of documents."""

    CONTENT = "text,n\n" + "one,1\n" * 40 + "two,2,3\n" * 11

    def test_is_an_error_that_says_what_may_be_wrong(self, tmp_path):
        (tmp_path / "a.csv").write_text(self.CONTENT)
        with pytest.raises(ValueError, match=r"11 of 51 rows are broken.*quote=.*on_error='skip-all'"):
            hott.read(tmp_path / "a.csv", on_error="skip")
        with pytest.warns(UserWarning, match="left out 11 broken rows"):
            assert len(hott.read(tmp_path / "a.csv", on_error="skip-all")) == 40

    def test_also_of_a_few_files(self, tmp_path):
        for number in range(4):
            (tmp_path / f"{number}.pdf").write_bytes(b"%PDF-1.4 and no more")
        for number in range(4, 10):
            (tmp_path / f"{number}.txt").write_text("good")
        with pytest.raises(ValueError, match="4 of 10 files are broken, over a tenth"):
            hott.read(tmp_path, on_error="skip")
        with pytest.warns(UserWarning, match="left out 4 broken files"):
            assert len(hott.read(tmp_path, on_error="skip-all")) == 6

    def test_a_tenth_may_be_broken(self, tmp_path):
        (tmp_path / "a.csv").write_text(self.CONTENT + "one,1\n" * 59)
        with pytest.warns(UserWarning, match="left out 11 broken rows"):
            assert len(hott.read(tmp_path / "a.csv", on_error="skip")) == 99


class TestQuotes:
    @pytest.mark.parametrize(("mark", "end"), [(";", "\r\n"), ("\t", "\n"), ("^", "\n")])
    def test_the_delimiter_that_excel_states_is_taken(self, tmp_path, mark, end):
        rows = [f"sep={mark}", mark.join(["id", "text"]), mark.join(["7", "cats, dogs | mice"])]
        (tmp_path / "a.csv").write_text(end.join([*rows, ""]), encoding="utf-8-sig", newline="")
        assert (hott.read(tmp_path / "a.csv").ids, hott.read(tmp_path / "a.csv")[0].text) == (
            ["7"],
            "cats, dogs | mice",
        )
        (tmp_path / "a.csv").write_text(rows[0])
        with pytest.raises(ValueError, match="no document was found"):
            hott.read(tmp_path / "a.csv")

    def test_a_header_of_one_column_may_be_several(self, tmp_path):
        (tmp_path / "a.csv").write_text("id^text\n7^cats\n")
        with pytest.raises(ValueError, match=r"or delimiter= if these are several columns\."):
            hott.read(tmp_path / "a.csv")
        assert hott.read(tmp_path / "a.csv", delimiter="^").texts == ["cats"]

    def test_apostrophes_are_recognised(self, tmp_path):
        (tmp_path / "a.csv").write_text("'id';'text'\n'a';'one; two'\n'b';'it''s'\n")
        assert hott.read(tmp_path / "a.csv").texts == ["one; two", "it's"]

    def test_texts_full_of_commas_are_not_cut_at_them(self, tmp_path):
        """As German news are kept: no header, apostrophes around some texts, quotation marks in them."""
        first, *others = [
            "Rot, blau, grün.",
            '"Nein", sagt er, "nie".',
            "Vier; fünf, sechs.",
            "Sieben, acht.",
        ]
        rows = [f"Sport;{first}", f"Web;{others[0]}", f"Sport;'{others[1]}'", f"Web;'{others[2]}'"]
        for ending in ("\n", "\r\n"):
            (tmp_path / "a.csv").write_bytes((ending.join(rows) + ending).encode())
            assert hott.read(tmp_path / "a.csv", header=False, text="2").texts == [first, *others]
        (tmp_path / "b.csv").write_text(
            "id;text\na;one, two\n" + "b;three, four, five\n" * 9 + "c;six;seven\n" * 3
        )
        with pytest.raises(ValueError, match=r"3 fields where the header has 2; say delimiter= or quote= if"):
            hott.read(tmp_path / "b.csv")

    def test_others_can_be_given(self, tmp_path):
        (tmp_path / "a.csv").write_text('id,text\na,|one, two|\nb,"three\n')
        assert hott.read(tmp_path / "a.csv", quote="|").texts == ["one, two", '"three']
        (tmp_path / "b.csv").write_text('id,text\na,"one\nb,two"\n')
        assert hott.read(tmp_path / "b.csv", quote="none").texts == ['"one', 'two"']
        with pytest.raises(
            ValueError, match=r"quote must be one character, such as .*, or 'none', got '\|\|'"
        ):
            hott.read(tmp_path / "b.csv", quote="||")

    def test_a_missing_header_is_noticed_and_said(self, tmp_path):
        (tmp_path / "a.csv").write_text(f"7,{'long ' * 100}\n8,short\n")
        with pytest.warns(
            UserWarning, match=r"a.csv seems to have no header.* Say header=True if it has one"
        ):
            corpus = hott.read(tmp_path / "a.csv")
        assert [len(text) for text in corpus.texts] == [500, 5]
        assert corpus.columns["1"].tolist() == [7, 8]
        (tmp_path / "b.csv").write_text("1999;2000\nCats purr.;Dogs bark.\n")
        assert hott.read(tmp_path / "b.csv", header=True, text="2000").texts == ["Dogs bark."]

    def test_names_of_columns_in_other_languages(self, tmp_path):
        (tmp_path / "a.csv").write_text("Nr;Titre;Contenu;Rubrique\n1;Chats;Les chats.;vie\n", "latin-1")
        [document] = hott.read(tmp_path / "a.csv")
        assert (document.title, document.text, document.label) == ("Chats", "Les chats.", "vie")

    def test_the_longest_column_is_suggested_and_long_names_are_cut(self, tmp_path):
        (tmp_path / "a.csv").write_text(f"nr,foo,{'bar' * 15}\na,Some long words here,x\n")
        with pytest.raises(
            ValueError, match=r"has 'nr', 'foo', 'bar.*': say .* such as text='foo', or header"
        ):
            hott.read(tmp_path / "a.csv")


class TestLimits:
    """No file takes the memory, whatever is in it."""

    @pytest.mark.parametrize(
        ("name", "start", "content"),
        [
            ("a.jsonl.gz", "", '{"text": ""}\n'),
            ("a.jsonl.gz", '{"text": "', "x" * 1000),
            ("a.jsonl.gz", "", "[" * 1000),
            ("a.csv.gz", "text\n", "x\n"),
            ("a.csv.gz", 'text\n"', "x\n"),
            ("a.csv.gz", "text\n", "x" * 1000),
            ("a.txt.gz", "", "x" * 1000),
        ],
    )
    def test_a_gzip_file_does_not_swell_without_end(self, tmp_path, monkeypatch, name, start, content):
        monkeypatch.setattr("hott.corpus.readers.lines.ALWAYS_ALLOWED", 100_000)
        bomb = gzip.compress(start.encode() + content.encode() * (1_500_000 // len(content)))
        assert len(bomb) < 100_000
        (tmp_path / name).write_bytes(bomb)
        with pytest.raises(ValueError, match=r"swells to more than 200 times its size.*HOTT_GZIP_RATIO"):
            hott.read(tmp_path / name)

    def test_the_ratio_can_be_set(self, tmp_path, monkeypatch):
        monkeypatch.setattr("hott.corpus.readers.lines.ALWAYS_ALLOWED", 1_000_000)
        text = "x" * 10_000_000
        (tmp_path / "a.txt.gz").write_bytes(gzip.compress(text.encode()))
        monkeypatch.setenv("HOTT_GZIP_RATIO", "1100")
        assert hott.read(tmp_path / "a.txt.gz").texts == [text]
        monkeypatch.setenv("HOTT_GZIP_RATIO", "much")
        with pytest.raises(
            ValueError, match="HOTT_GZIP_RATIO must be a whole number of at least 1, got 'much'"
        ):
            hott.read(tmp_path / "a.txt.gz")

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
    @pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.tsv"])
    def test_a_line_that_is_too_long_is_one_broken_row(self, tmp_path, monkeypatch, name, encoding):
        monkeypatch.setenv("HOTT_LARGEST_DOCUMENT", "1000")
        rows = ["one", "x" * 5000, "two", "y" * 980]
        if name == "a.jsonl":
            lines = [json.dumps({"text": row}) for row in rows]
        else:
            lines = ["text", *rows]
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding=encoding)
        with pytest.warns(
            UserWarning, match=r"left out 1 broken row: .* larger than 1,000 bytes.*HOTT_LARGEST"
        ):
            assert hott.read(tmp_path / name, on_error="skip").texts == ["one", "two", "y" * 980]

    def test_a_field_of_many_lines_is_too_long_as_well(self, tmp_path, monkeypatch):
        monkeypatch.setenv("HOTT_LARGEST_DOCUMENT", "1000")
        (tmp_path / "a.csv").write_text('text\none\n"' + "many\n" * 500 + '"\ntwo\n')
        with pytest.raises(ValueError, match=r"line 3: it is larger than 1,000 bytes"):
            hott.read(tmp_path / "a.csv")

    def test_a_text_that_is_too_long(self, tmp_path, monkeypatch):
        monkeypatch.setenv("HOTT_LARGEST_DOCUMENT", "1000")
        (tmp_path / "a.txt").write_text("x" * 1000)
        (tmp_path / "b.txt").write_text("x" * 1001)
        with pytest.warns(UserWarning, match=r"left out 1 broken file: b.txt: it is larger than 1,000 bytes"):
            assert hott.read(tmp_path, on_error="skip").ids == ["a.txt"]

    def test_long_rows_of_parquet_are_read_few_at_a_time(self, tmp_path, monkeypatch):
        from hott.corpus.readers import tables

        texts = [str(i) * 10_000 for i in range(20)]
        pq.write_table(pa.table({"text": texts}), tmp_path / "a.parquet", use_dictionary=False)
        monkeypatch.setattr(tables, "BATCH_BYTES", 50_000)
        with pq.ParquetFile(tmp_path / "a.parquet") as file:
            assert 2 <= tables._rows_together(file.metadata) <= 5
        assert hott.read(tmp_path / "a.parquet").texts == texts


class TestFolders:
    def test_an_unreadable_folder_is_reported(self, tmp_path, monkeypatch):
        for name in ("a.txt", "secret/b.txt", "z/c.txt"):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(name)
        scandir = os.scandir

        def refused(path):
            if Path(path).name == "secret":  # as for anyone but root, who may read everything
                raise PermissionError(errno.EACCES, "Permission denied")
            return scandir(path)

        monkeypatch.setattr("os.scandir", refused)
        with pytest.raises(ValueError, match=r"secret: the folder cannot be read: Permission denied"):
            hott.read(tmp_path)
        with pytest.warns(UserWarning, match=r"left out 1 broken file: .*secret: the folder cannot be read"):
            assert hott.read(tmp_path, on_error="skip").ids == ["a.txt", "z/c.txt"]

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
    def test_pipes_sockets_and_devices_are_passed_over(self, tmp_path):
        (tmp_path / "a.txt").write_text("text")
        os.mkfifo(tmp_path / "pipe.txt")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(tmp_path / "socket"))
        (tmp_path / "zeros.txt").symlink_to("/dev/zero")
        with pytest.warns(UserWarning, match=r"skipped 3 files \(pipes, devices or sockets\): ") as caught:
            assert hott.read(tmp_path).ids == ["a.txt"]
        assert all(name in str(caught[0].message) for name in ("pipe.txt", "socket", "zeros.txt"))

    def test_links_to_folders_are_not_followed_but_told(self, tmp_path):
        (tmp_path / "a.txt").write_text("text")
        (tmp_path / "round").symlink_to(tmp_path)
        with pytest.warns(UserWarning, match=r"skipped 1 file \(links to folders\): 'round'"):
            assert hott.read(tmp_path).ids == ["a.txt"]

    def test_links_to_files_elsewhere_are_not_followed_unless_asked_for(self, tmp_path):
        (tmp_path / "secret.txt").write_text("secret")
        folder = tmp_path / "folder"
        (folder / "sub").mkdir(parents=True)
        (folder / "a.txt").write_text("text")
        (folder / "inside.txt").symlink_to("a.txt")
        (folder / "sub" / "up.txt").symlink_to(folder / "a.txt")
        (folder / "outside.txt").symlink_to(tmp_path / "secret.txt")
        (folder / "sub" / "relative.txt").symlink_to("../../secret.txt")
        (tmp_path / "link").symlink_to(folder)
        for path in (folder, tmp_path / "link"):
            with pytest.warns(
                UserWarning, match=r"skipped 2 files \(links to files outside the folder"
            ) as caught:
                assert hott.read(path).ids == ["a.txt", "inside.txt", "sub/up.txt"]
            assert all(name in str(caught[0].message) for name in ("outside.txt", "sub/relative.txt"))
        assert hott.read(folder, include="outside.txt").texts == ["secret"]

    def test_a_link_that_leads_nowhere_does_not_stop_the_read(self, tmp_path):
        (tmp_path / "good.txt").write_text("good")
        (tmp_path / "gone.txt").symlink_to(tmp_path / "nowhere")
        with pytest.warns(UserWarning, match=r"skipped 1 file \(links that lead nowhere\): 'gone.txt'"):
            assert hott.read(tmp_path).ids == ["good.txt"]

    @pytest.mark.skipif(sys.platform == "win32", reason="paths are short there")
    def test_folders_a_thousand_deep(self, tmp_path):
        here = os.getcwd()
        try:
            os.chdir(tmp_path)
            for _ in range(1500):
                os.mkdir("a")
                os.chdir("a")
            Path("deep.txt").write_text("deep")
        finally:
            os.chdir(here)
        corpus = hott.read(tmp_path)
        assert corpus.ids == ["a/" * 1500 + "deep.txt"]
        subprocess.run(["rm", "-r", tmp_path / "a"], check=True)  # too deep for pytest, which cleans up

    @pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names are UTF-8 there")
    def test_names_that_are_not_utf8_stay_apart(self, tmp_path):
        for name in (b"\xff.txt", b"\xfe.txt"):
            Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name))).write_text("text")
        assert sorted(hott.read(tmp_path).ids) == ["\\udcfe.txt", "\\udcff.txt"]

    @pytest.mark.skipif(sys.platform == "win32", reason="no such names there")
    def test_names_do_not_reach_the_terminal_with_escape_sequences(self, tmp_path):
        (tmp_path / "\x1b[2J.txt").write_bytes(b"\xff")
        with pytest.raises(ValueError, match=r"2J.txt") as caught:
            hott.read(tmp_path, encoding="utf-8")
        assert "\x1b" not in str(caught.value)
        with pytest.warns(UserWarning, match=r"valid UTF-8") as warned:
            hott.read(tmp_path)
        assert "\x1b" not in str(warned[0].message)

    def test_what_is_no_document_is_skipped_and_named(self, tmp_path):
        (tmp_path / "a.txt").write_text("text")
        (tmp_path / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
        (tmp_path / "d.bin").write_bytes(bytes(range(1, 256)))
        (tmp_path / "e.csv").write_text("text,year\nyes,2004\n")
        (tmp_path / "f.csv").write_text("x,y\n1,2\n")
        (tmp_path / "main.py").write_text("print()")
        (tmp_path / "LICENSE").write_text("All rights")
        with pytest.warns(UserWarning, match="skipped") as caught:
            assert hott.read(tmp_path).ids == ["a.txt", "e.csv#1"]
        assert [str(warning.message) for warning in caught] == [
            "skipped 1 file (licences, readme files and other files of projects): 'LICENSE'",
            "skipped 1 file (files of code or settings): 'main.py'",
            "skipped 2 files (binary files): 'b.png', 'd.bin'",
            "skipped 1 file (tables without a column of text): 'f.csv'",
        ]

    @pytest.mark.parametrize(("n", "end"), [(5, "'4.png'"), (6, r"'4.png', \.\.\. \(6 files\)")])
    def test_five_files_are_named_and_more_are_counted(self, tmp_path, n, end):
        (tmp_path / "a.txt").write_text("text")
        for number in range(n):
            (tmp_path / f"{number}.png").write_bytes(b"\0")
        with pytest.warns(UserWarning, match=rf"skipped {n} files \(binary files\): '0.png', .*{end}$"):
            hott.read(tmp_path)

    def test_nothing_to_read(self, tmp_path):
        with pytest.raises(ValueError, match=r"the folder .* is empty"):
            hott.read(tmp_path)
        (tmp_path / "a.png").write_bytes(b"\0")
        with pytest.raises(
            ValueError, match=r"no document was found in .*: skipped 1 file \(binary files\): 'a.png'"
        ):
            hott.read(tmp_path)
        (tmp_path / "b.txt").write_text("text")
        with pytest.raises(ValueError, match="no file fits include="):
            hott.read(tmp_path, include="*.md")


@pytest.mark.parametrize(
    ("name", "content", "arguments", "message"),
    [
        ("a.doc", b"x", {}, r"cannot tell from its name what .*a.doc is"),
        ("a.csv", b"text\n", {}, r"no document was found in .*a.csv"),
        ("a.csv", b"", {}, r"no document was found in .*a.csv"),
        ("a.jsonl", b"\n\n", {}, r"no document was found"),
        ("a.json", b'{"docs": 1}', {}, r"such as text='docs'\.$"),
        ("a.json", b'[{"text": "x"}, {"te', {}, r"a.json: object 2: not valid JSON"),
        ("a.parquet", b"PAR1 not", {}, r"a.parquet: it cannot be read as Parquet"),
        ("a.txt", b"\0\1", {}, r"skipped 1 file \(binary files\): 'a.txt'"),
        ("a.csv", b"text\nx\n", {"format": "xml"}, r"format must be one of folder, .*, got 'xml'"),
        ("a.csv", b"text\nx\n", {"format": "folder"}, r"format='folder' does not fit: .* is a file"),
        (
            "a.csv",
            b"text\nx\n",
            {"on_error": "ignore"},
            r"on_error must be one of 'raise', 'skip', 'skip-all'",
        ),
        ("a.csv", b"id,text\n1,x\n2,y\n1,z\n", {}, r"1 of them occur more than once \('1'\).*id=False"),
        ("a.csv", b'"text\nx\n', {}, r"a.csv, line 2: the header cannot be read"),
    ],
)
def test_bad_files_are_named(tmp_path, name, content, arguments, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        hott.read(tmp_path / name, **arguments)


def test_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no file or folder .*nowhere.csv"):
        hott.read(tmp_path / "nowhere.csv")


def test_a_list_column_in_parquet(tmp_path):
    pq.write_table(pa.table({"text": [["a", "b"]]}), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"the column 'text' holds list<.*>, expected text"):
        hott.read(tmp_path / "a.parquet")


def test_fields_longer_than_the_limit_of_the_csv_module(tmp_path):
    text = "long " * 100_000
    (tmp_path / "a.csv").write_text(f"text\n{text}\n")
    assert hott.read(tmp_path / "a.csv").texts == [text]


def test_stream_gives_the_same_documents_in_batches(tmp_path):
    lines = [json.dumps({"text": f"text {i}"}) for i in range(25)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    parts = list(stream(tmp_path / "a.jsonl", batch=10))
    assert [len(part) for part in parts] == [10, 10, 5]
    assert parts[0] + parts[1] + parts[2] == hott.read(tmp_path / "a.jsonl")
    with pytest.raises(ValueError, match="batch must be at least 1 document, got 0"):
        next(stream(tmp_path / "a.jsonl", batch=0))


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.csv", "a.parquet", "folder"])
def test_progress_ends_at_the_total(tmp_path, name):
    path = tmp_path / name
    if name == "folder":
        path.mkdir()
        (path / "a.txt").write_text("a")
    elif name == "a.parquet":
        pq.write_table(ARTICLES.to_table(), path)
    else:
        write_csv(path) if name == "a.csv" else write_jsonl(path, gzip.open)
    calls: list[tuple[int, int]] = []
    hott.read(path, progress=lambda done, total: calls.append((done, total)))
    assert calls
    assert calls == sorted(calls)
    assert calls[-1][0] == calls[-1][1] > 0


def test_a_byte_order_mark_alone_is_an_empty_text(tmp_path):
    (tmp_path / "a.txt").write_bytes(codecs.BOM_UTF8)
    assert hott.read(tmp_path / "a.txt").texts == [""]


def test_columns_of_a_table_keep_their_types_beside_other_files(tmp_path):
    (tmp_path / "rows.csv").write_text("text,year,price\nstars,2004,1.5\nmoons,2005,2\n")
    (tmp_path / "note.txt").write_text("planets")
    (tmp_path / "more.jsonl").write_text('{"text": "comets", "year": "2006", "code": "007"}\n')
    corpus = hott.read(tmp_path)
    kinds = {name: corpus.table.schema[name] for name in ("year", "price", "code")}
    assert kinds == {"year": "text", "price": "number", "code": "text"}  # a JSON file would write a number
    (tmp_path / "more.jsonl").unlink()
    assert [document.columns["year"] for document in hott.read(tmp_path)] == [None, 2004, 2005]


class TestTitles:
    """What files are called by."""

    @pytest.mark.parametrize(
        ("title", "names"),
        [
            (None, ["Cats", "b"]),
            ("heading", ["Cats", "b"]),
            ("file-name", ["a", "b"]),
            ("first-line", ["Cats", "Section"]),
            (False, ["Cats", "Section"]),
        ],
    )
    def test_can_be_chosen(self, tmp_path, title, names):
        (tmp_path / "a.md").write_text("# Cats\n\nThey purr.")
        (tmp_path / "b.md").write_text("## Section\n\nThey bark.")
        assert [document.name for document in hott.read(tmp_path, title=title)] == names

    def test_one_that_many_files_share_is_none(self, tmp_path):
        for name in ("one", "two", "three", "four"):
            (tmp_path / f"{name}.md").write_text(f"# Summary\n\nThis is {name}.")
            (tmp_path / name).mkdir()
            (tmp_path / name / "index.html").write_text(f"<p>A page of {name}.")
        titles = {document.id: document.title for document in hott.read(tmp_path)}
        assert titles["one.md"] == "one"
        assert titles["two/index.html"] == "two/index.html"

    def test_a_page_is_called_by_the_heading_within_its_title(self, tmp_path):
        (tmp_path / "a.html").write_text("<title>Cats | My site</title><h1>Cats</h1><p>They purr.")
        (tmp_path / "b.html").write_text("<title>Dogs</title><h1>Welcome</h1><p>They bark.")
        assert list(hott.read(tmp_path).titles) == ["Cats", "Dogs"]

    def test_a_misspelt_option_of_reading_is_answered_with_what_was_meant(self, tmp_path):
        with pytest.raises(TypeError, match="Did you mean 'encoding'"):
            hott.read(tmp_path, encodin="utf-8")
