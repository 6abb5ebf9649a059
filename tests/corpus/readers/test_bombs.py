"""Small files that were made to fill the memory or to take hours: read in linear time, or refused by name.

Work is counted, not seconds (``work.py``). How often a regular expression goes back cannot be counted so;
there the input is so long that the test would not end today if the time grew with the square.
"""

import gzip
import io
import json
import re
import tarfile
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.parsers import expat

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hott
from hott.corpus.readers import office, tables
from hott.corpus.readers.mail import read_eml
from hott.corpus.readers.markup import read_html, read_markdown
from hott.corpus.readers.office import read_docx, read_epub, read_odt
from hott.corpus.readers.rows import list_values, passages_of
from hott.corpus.readers.workbook import read_workbook
from hott.lexical.snippets import snippet
from hott.terms.prose import sentences
from hott.text.tokens import tokenize
from tests.corpus.readers import files
from tests.corpus.readers.work import count_work

LONG = 20_000  # characters: a square of it is 4 * 10^8 steps


def read(folder: Path, name: str, content: bytes | str, **options: Any) -> hott.Corpus:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return hott.read(path, **options)


def outcome_of(function: Callable[[], Any]) -> Any:
    """Return what a call returns, or the message of its ValueError."""
    try:
        return function()
    except ValueError as error:
        return str(error)


def word_file(body: str) -> bytes:
    return files.zip_of(
        {"word/document.xml": f"<w:document {files.WORD}><w:body>{body}</w:body></w:document>"}
    )


def nested_docx(depth: int) -> bytes:
    return word_file("<w:p><w:r><w:t>word</w:t></w:r>" * depth + "</w:p>" * depth)


def nested_odt(depth: int) -> bytes:
    text = 'xmlns:t="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    return files.zip_of({"content.xml": f"<doc {text}>{'<t:p>word' * depth}{'</t:p>' * depth}</doc>"})


def sheet(rows: str, strings: str = "") -> bytes:
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    links = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    return files.zip_of(
        {
            "xl/workbook.xml": f'<workbook {main} {links}><sheets><sheet r:id="a"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
            'relationships"><Relationship Id="a" Type="x/worksheet" Target="worksheets/sheet1.xml"/>'
            "</Relationships>",
            "xl/sharedStrings.xml": f"<sst {main}>{strings}</sst>",
            "xl/worksheets/sheet1.xml": f"<worksheet {main}><sheetData>{rows}</sheetData></worksheet>",
        }
    )


def message(headers: str, body: str = "Hello.") -> bytes:
    return f"From: a@example.org\nSubject: Hi\n{headers}\n\n{body}".encode()


def nested_parts(depth: int) -> bytes:
    starts = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(depth))
    return f"Subject: x\n{starts}Content-Type: text/plain\n\nHello.\n".encode()


def columns_of(n: int) -> str:
    names = ",".join(f"c{number}" for number in range(n))
    return f"text,{names}\nwords,{',' * (n - 1)}\n" + f"more,{',' * (n - 1)}\n"


LINEAR: dict[str, Callable[[int], Callable[[Path], Any]]] = {
    "nested paragraphs of Word": lambda n: lambda folder: read_docx(nested_docx(n)),
    "nested paragraphs of OpenDocument": lambda n: lambda folder: read_odt(nested_odt(n)),
    "many prefixes": lambda n: (
        lambda folder: read_docx(word_file("".join(f'<a{i}:b xmlns:a{i}="x"/>' for i in range(n))))
    ),
    "many chapters": lambda n: lambda folder: read_epub(files.epub(*["<p>x"] * n)),
    "many columns": lambda n: lambda folder: read(folder, "a.csv", columns_of(n)),
    "many columns of one name": lambda n: (
        lambda folder: read(folder, "a.csv", "text" + ",x" * n + "\nwords" + "," * n + "\n")
    ),
    "many keys": lambda n: (
        lambda folder: read(folder, "a.jsonl", json.dumps({"text": "x"} | {f"k{i}": i for i in range(n)}))
    ),
    "an array on one line": lambda n: lambda folder: read(folder, "a.json", json.dumps([{"text": "x"}] * n)),
    "an object over many lines": lambda n: (
        lambda folder: read(folder, "a.json", json.dumps({"text": "x", "more": list(range(n))}, indent=1))
    ),
    "cells far apart": lambda n: (
        lambda folder: list(
            read_workbook(
                sheet("".join(f'<row r="{i * 1000}"><c r="XFD{i}"><v>1</v></c></row>' for i in range(n)))
            )
        )
    ),
    "parameters of a header": lambda n: (
        lambda folder: read_eml(message("Content-Type: text/plain" + '; a="b' * n))
    ),
    "headers": lambda n: lambda folder: read_eml(message("To: a@example.org\n" * n)),
    "addresses": lambda n: lambda folder: read_eml(message("To: " + "a@example.org, " * n)),
    "encoded words": lambda n: lambda folder: read_eml(message("Subject: " + "=?utf-8?q?x?= " * n)),
    "parts": lambda n: (
        lambda folder: read_eml(
            message("Content-Type: multipart/mixed; boundary=b", "--b\nContent-Type: text/plain\n\nx\n" * n)
        )
    ),
    "messages": lambda n: lambda folder: read(folder, "a.mbox", b"From a\nSubject: x\n\nHello.\n\n" * n),
    "lines of a message": lambda n: (
        lambda folder: read(folder, "a.mbox", b"From a\nSubject: x\n\n" + b">From me\n" * n)
    ),
    "tags": lambda n: lambda folder: read_html("<p><b x='1'>word</b>" * n),
    "headings": lambda n: lambda folder: read_markdown("# word\n" * n),
    "passages": lambda n: lambda folder: passages_of("word. " * n, 5),
}


@pytest.mark.parametrize("name", LINEAR)
def test_four_times_the_input_takes_four_times_the_work(name, tmp_path):
    few, many = (count_work(lambda n=n: LINEAR[name](n)(tmp_path)) for n in (200, 800))
    assert many < 4 * few * 1.25


def look_up(names: list[str]) -> None:
    for name in names:
        names.index(name)


def look_in(names: list[str]) -> None:
    seen: list[str] = []
    for name in names:
        if name not in seen:
            seen.append(name)


def cut_off(names: list[str]) -> None:
    text = " ".join(names)
    while text:
        text = text[5:]


def pile_up(names: list[str]) -> None:
    text = ""
    for name in names:
        text = text + name


def search_again(names: list[str]) -> None:
    text = " ".join(names)
    for place in range(len(names)):
        tables.SPACES.search(text, place)


def go_on(names: list[str]) -> None:
    text, place = " ".join(names), 0
    while match := tables.SPACES.search(text, place):
        place = match.end()


@pytest.mark.parametrize("function", [look_up, look_in, cut_off, pile_up, search_again, go_on])
def test_work_that_grows_with_the_square_is_seen(function, monkeypatch):
    """Or the tests before could not fail; what goes on where it was is linear."""
    monkeypatch.setattr(
        tables, "SPACES", re.compile("  " if function is search_again else " "), raising=False
    )
    few, many = (count_work(lambda n=n: function([f"{i:04}" for i in range(n)])) for n in (200, 800))
    assert (many < 4 * few * 1.25) == (function is go_on)


RUNS = [
    *(
        " ",
        "\t",
        ".",
        "…",
        "。",
        "!",
        "'",
        '"',
        "#",
        "-",
        "_",
        "*",
        "`",
        "[",
        "](",
        "[a](",
        "<",
        ">",
        "&",
        "&#9",
    ),
    *("\n", "\n ", " \n", "\r", "\xa0", "\u0301", "\u200d", "a", "a.", "a ", "A. ", ". ", ".)", '."'),
    *("<a b='", "é", "字", "ก", "İ", "0", "=?", "---\n", "a: ", "| ", "> ", "~~~\n"),
]


@pytest.mark.parametrize("run", RUNS)
def test_no_run_of_one_pattern_takes_long(run):
    """A heading of spaces, a line of dots: nothing that is cut into words, sentences or passages hangs."""
    text = run * (LONG // len(run))
    for start, end in (("", ""), ("# ", "x"), ("x", "\n"), ("---\na:", "x\n---\n")):
        page = start + text + end
        assert len(read_markdown(page).text) <= len(page)
        assert len(read_html(page).text) <= len(page)
        spans = sentences(page)
        assert all(a < b for a, b in spans)
        assert len(passages_of(page, 50)) >= 1
        assert isinstance(tokenize(page), list)
        assert len(snippet(page, lambda word: 1.0).text) <= len(page) + 2


def test_a_hundred_thousand_columns_do_not_take_long(tmp_path):
    """Looking one name up among the others is a step that no count of lines sees; 30,000 took 5 s."""
    [first, second] = read(tmp_path, "a.csv", columns_of(100_000))
    assert (first.text, second.text) == ("words", "more")


@pytest.mark.parametrize(
    "run", ["=?utf-8?q?", "=?", ";", '"', '";', "(", "<", "\\", ",", "a@b,", " ", "=?x?b?=?="]
)
def test_no_header_takes_long(run):
    text = run * (LONG // len(run))
    for name in ("Subject", "From", "To", "Date", "Message-ID", "Content-Type", "Content-Disposition"):
        record = read_eml(message(f"{name}: {text}"))
        assert record.text == "Hello." or name.startswith("Content-")
        assert len(record.title) <= 10_000


def test_a_charset_that_takes_quadratic_time_is_not_used():
    record = read_eml(message("Content-Type: text/plain; charset=punycode", "a" * LONG))
    assert record.text == "a" * LONG


def test_a_tag_of_megabytes_is_parsed_a_few_times(monkeypatch):
    """Older versions of expat begin again at each piece of a tag: small pieces would take hours."""
    pieces = []

    class Parser:
        def __init__(self):
            object.__setattr__(self, "own", expat.ParserCreate())

        def __setattr__(self, name, value):
            setattr(self.own, name, value)

        def Parse(self, data, final):
            pieces.append(len(data))
            return self.own.Parse(data, final)

    monkeypatch.setattr(office, "expat", SimpleNamespace(ParserCreate=Parser, ExpatError=expat.ExpatError))
    document = word_file(f'<w:p id="{"x" * 4_000_000}"/><w:p><w:r><w:t>End</w:t></w:r></w:p>')
    assert read_docx(document).text == "End"
    assert sum(pieces) > 4_000_000
    assert len(pieces) < 20


def test_xml_that_is_damaged_far_from_its_beginning_is_named():
    paragraph = '<w:p w:id="1"><w:r><w:t>words</w:t></w:r></w:p>'
    with pytest.raises(ValueError, match=r"word/document.xml in it is damaged: mismatched tag"):
        read_docx(word_file(1000 * paragraph + "<w:p></w:r>"))


@pytest.mark.parametrize("make", [nested_docx, nested_odt])
def test_nested_paragraphs_are_read_once(make):
    page = (read_docx if make is nested_docx else read_odt)(make(50_000))
    assert page.text == "\n\n".join(["word"] * 50_000)


def test_a_text_box_of_word_is_read_once():
    """It is written twice: for this version of Word, and in the older way for others."""
    mc = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    box = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"

    def choice(*texts: str) -> str:
        first, last = (box.format(text) if text else "" for text in texts)
        return (
            f'<mc:AlternateContent {mc}><mc:Choice Requires="wps">{first}</mc:Choice>'
            f"<mc:Fallback>{last}</mc:Fallback></mc:AlternateContent>"
        )

    def paragraph(inside: str) -> str:
        return f"<w:p><w:r><w:t>Before </w:t>{inside}</w:r><w:r><w:t>after.</w:t></w:r></w:p>"

    body = paragraph(choice("box", "box")) + paragraph(choice("", "old box"))
    assert read_docx(word_file(body)).text == "Before after.\n\nbox\n\nBefore after.\n\nold box"
    nested = paragraph(choice("outer</w:t></w:r>" + choice("inner", "inner") + "<w:r><w:t>", "both"))
    assert read_docx(word_file(nested)).text == "Before after.\n\nouter\n\ninner"


def test_deleted_and_boxed_text_of_an_open_document():
    text = 'xmlns:t="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    body = (
        "<t:tracked-changes><t:p>gone</t:p></t:tracked-changes>"
        "<t:p>One<x><t:p>a <t:span>box</t:span></t:p></x> two</t:p>"
    )
    assert read_odt(files.zip_of({"content.xml": f"<doc {text}>{body}</doc>"})).text == "One two\n\na box"


def test_a_tree_of_xml_is_never_built():
    """Empty elements take four bytes each as text, and a hundred as a tree."""
    data = word_file("<w:p><w:r><w:t>word</w:t></w:r></w:p>" + "<x/>" * 200_000)
    tracemalloc.start()
    try:
        assert read_docx(data).text == "word"
        assert tracemalloc.get_traced_memory()[1] < 6_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "definition", ['<!ENTITY a "ha">', '<!ATTLIST w:p x CDATA "long">', '<!ENTITY % a "<!ELEMENT b ANY>">']
)
def test_xml_that_defines_something_is_refused(definition):
    content = f"<!DOCTYPE x [{definition}]><w:document {files.WORD}/>"
    for encoding in ("utf-8", "utf-16"):
        with pytest.raises(ValueError, match=r"word/document.xml in it defines entities or attributes"):
            read_docx(files.zip_of({"word/document.xml": content.encode(encoding)}))


class TestWorkbooks:
    def test_a_cell_at_the_far_corner(self, tmp_path):
        rows = (
            '<row r="1"><c r="A1" t="inlineStr"><is><t>text</t></is></c></row>'
            '<row r="2"><c r="A2" t="inlineStr"><is><t>Cats purr.</t></is></c></row>'
            '<row r="1048576"><c r="A1048576" t="str"><v>Last.</v></c><c r="XFD1048576"><v>7</v></c></row>'
        )
        corpus = read(tmp_path, "a.xlsx", sheet(rows))
        assert corpus.texts == ["Cats purr.", "Last."]
        assert corpus.columns["16384"] == [None, 7]

    def test_rows_and_columns_beyond_all_sheets(self):
        rows = '<row r="99999999999999"><c r="ZZZZ9"><v>1</v></c><c r="ZZZ1"><v>2</v></c></row>'
        assert list(read_workbook(sheet(rows))) == [(1, {0: 1})]

    def test_one_long_string_in_many_cells(self, tmp_path, monkeypatch):
        monkeypatch.setattr("hott.corpus.readers.lines.ALWAYS_ALLOWED", 1_000_000)
        rows = (
            '<row><c t="inlineStr"><is><t>text</t></is></c></row>' + '<row><c t="s"><v>0</v></c></row>' * 2000
        )
        content = sheet(rows, f"<si><t>{'x' * 1000}</t></si>")
        with pytest.raises(
            ValueError, match=r"a.xlsx: it swells to more than 200 times its size.*on_error='skip'"
        ):
            read(tmp_path, "a.xlsx", content)
        assert 900 <= len(read(tmp_path, "a.xlsx", content, on_error="skip")) <= 1000

    def test_values_are_those_of_openpyxl(self, tmp_path):
        import openpyxl

        book = openpyxl.Workbook()
        values = [
            *("text", "", " spaces ", "two\nlines", "1", True, False, 0, -5, 2**40, 1.5, -1e-9, 1e300),
            *(
                datetime(1900, 1, 1),
                datetime(1900, 3, 1),
                datetime(2004, 5, 6, 7, 8, 9),
            ),
            *(date(9999, 12, 31), "=1+1", "#N/A", "ﬁ 字 😀"),
        ]
        for value in values:
            book["Sheet"].append([value, None, value])
        book["Sheet"]["A6"].number_format = '[Red]"day"0.0'  # the letters of a date, and none
        book["Sheet"]["A5"].number_format = "General"
        out = io.BytesIO()
        book.save(out)
        [first] = [
            sheet
            for sheet in openpyxl.load_workbook(io.BytesIO(out.getvalue()), data_only=True)
            if hasattr(sheet, "iter_rows")
        ]
        expected = [
            {place: cell for place, cell in enumerate(row) if cell is not None}
            for row in first.iter_rows(values_only=True)
        ]
        rows = [row for _, row in read_workbook(out.getvalue())]
        assert rows == [row for row in expected if row]


class TestArchives:
    @pytest.mark.parametrize("compressed", [False, True])
    def test_members_that_fill_the_memory_together(self, tmp_path, monkeypatch, compressed):
        """Each of them is small enough by itself."""
        monkeypatch.setattr("hott.corpus.readers.lines.ALWAYS_ALLOWED", 1_000_000)
        content = b"x" * 300_000
        members: dict[str, str | bytes] = {
            f"{n}.txt{'.gz' * compressed}": gzip.compress(content) if compressed else content
            for n in range(12)
        }
        data = files.zip_of(members)
        with pytest.raises(
            ValueError, match=r"3.txt(.gz)?: .*with it, the archive swells to more than 200 times"
        ):
            read(tmp_path, "a.zip", data)
        kept = read(tmp_path, "a.zip", data, on_error="skip-all")
        assert kept.texts == [content.decode()] * 3

    def test_the_same_in_a_tar(self, tmp_path, monkeypatch):
        monkeypatch.setattr("hott.corpus.readers.lines.ALWAYS_ALLOWED", 1_000_000)
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w:gz") as archive:
            for n in range(4):
                content = gzip.compress(b"x" * 400_000)
                info = tarfile.TarInfo(f"{n}.txt.gz")
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
        assert len(read(tmp_path, "a.tar.gz", out.getvalue(), on_error="skip")) == 2

    @pytest.mark.parametrize("size", ["99999999999999999999", "-100000", "-1"])
    def test_sizes_of_a_tar_that_lead_nowhere(self, tmp_path, size):
        """Python skips so many bytes, a block at a time, or goes back to the beginning for ever."""
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for name in ("a.txt", "b.txt", "c.txt"):
                info = tarfile.TarInfo(name)
                info.size = 5000
                info.pax_headers = {"size": size} if name == "b.txt" else {}
                archive.addfile(info, io.BytesIO(b"x" * 5000))
        for name, data in (("a.tar", out.getvalue()), ("a.tar.gz", gzip.compress(out.getvalue()))):
            outcome = outcome_of(lambda name=name, data=data: read(tmp_path, name, data))
            assert isinstance(outcome, str)
            assert name in outcome or "b.txt" in outcome

    def test_a_long_header_of_a_tar(self, tmp_path):
        """Python looks for numbers in it, from each digit again."""
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
            archive.addfile(info := tarfile.TarInfo("a.txt"), io.BytesIO())
            info.pax_headers = {"comment": "1" * 400_000}
            info.name = "b.txt"
            archive.addfile(info, io.BytesIO())
        with pytest.raises(
            ValueError, match=r"a.tar: a header of the tar archive has more than 100,000 bytes"
        ):
            read(tmp_path, "a.tar", out.getvalue())

    def test_members_that_share_their_bytes(self, tmp_path, monkeypatch):
        """The directory of a zip file may name the same compressed bytes many times."""
        monkeypatch.setattr("hott.corpus.readers.lines.ALWAYS_ALLOWED", 1_000_000)
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("0.txt", b"x" * 300_000)
            [first] = archive.infolist()
            for n in range(1, 50):
                copy = zipfile.ZipInfo(f"{n}.txt")
                for name in ("compress_type", "CRC", "compress_size", "file_size", "header_offset"):
                    setattr(copy, name, getattr(first, name))
                archive.filelist.append(copy)
        outcome = outcome_of(lambda: read(tmp_path, "a.zip", out.getvalue(), on_error="skip-all"))
        # Newer versions of Python refuse it themselves.
        assert "a.zip" in outcome if isinstance(outcome, str) else len(outcome) <= 3

    def test_chapters_and_parts_count_together(self, monkeypatch):
        monkeypatch.setattr("hott.corpus.readers.lines.ALWAYS_ALLOWED", 1_000_000)
        with pytest.raises(ValueError, match="swells to more than 200 times"):
            read_epub(files.epub(*["<p>" + "x" * 300_000] * 4))


class TestJson:
    @pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
    @pytest.mark.parametrize(
        "content", ["[" * 100_000, '{"text": ' * 100_000, '{"text": "x", "a": ' + "[" * 5000]
    )
    def test_that_is_nested_too_deeply(self, tmp_path, name, content):
        with pytest.raises(
            ValueError, match=rf"{name}.*(nested too deeply|not valid JSON|expected an object|cut short)"
        ):
            read(tmp_path, name, content)

    def test_deep_values_that_can_be_read(self, tmp_path):
        for depth in (100, 400, 900, 980, 990, 995, 2000):
            content = '{"text": "x", "a": ' + "[" * depth + "]" * depth + "}"
            outcome = outcome_of(lambda content=content: read(tmp_path, "a.jsonl", content).texts)
            assert "nested too deeply" in outcome if isinstance(outcome, str) else outcome == ["x"]

    def test_of_too_many_values(self, tmp_path, monkeypatch):
        monkeypatch.setattr("hott.corpus.readers.tables.MAX_BRACKETS", 1000)
        rows = [{"text": "a"}, {"text": "b", "more": [[]] * 2000}, {"text": "c"}]
        lines = "\n".join(map(json.dumps, rows))
        with pytest.raises(ValueError, match=r"a.jsonl, line 2: it has more than 1,000 lists and objects"):
            read(tmp_path, "a.jsonl", lines)
        assert read(tmp_path, "a.jsonl", lines, on_error="skip").texts == ["a", "c"]
        with pytest.raises(ValueError, match=r"a.json.*it has more than 1,000 lists and objects"):
            read(tmp_path, "a.json", json.dumps(rows))


def test_a_word_longer_than_a_snippet():
    found = snippet(f"short {'x' * 500} words", lambda word: float(word.startswith("x")))
    assert found.marked("[", "]").startswith("…[xxx") or found.text


def test_a_document_of_spaces_is_still_a_document(tmp_path):
    (tmp_path / "a.txt").write_text(" " * 10_000)
    assert hott.read(tmp_path / "a.txt", passages=20).ids == ["a.txt"]


def test_rows_of_many_columns_do_not_pile_up(tmp_path, monkeypatch):
    """A batch ends after so many characters, whatever column they are in; other columns are not kept."""
    monkeypatch.setattr("hott.corpus._reading.MAX_BATCH_CHARACTERS", 10_000)
    (tmp_path / "a.csv").write_text("text,long\n" + f"x,{'y' * 1000}\n" * 50)
    assert [len(part) for part in hott.corpus.stream(tmp_path / "a.csv")] == [10] * 5
    corpus = read(tmp_path, "b.csv", columns_of(1000))
    assert len(corpus.columns) == 200


class TestParquet:
    def test_a_text_that_is_written_once_for_many_rows(self, tmp_path, monkeypatch):
        monkeypatch.setattr("hott.corpus.readers.lines.ALWAYS_ALLOWED", 10_000_000)
        table = pa.table({"text": ["x" * 100_000] * 1000})
        pq.write_table(table, tmp_path / "a.parquet")
        assert (tmp_path / "a.parquet").stat().st_size < 20_000
        tracemalloc.start()
        try:
            with pytest.raises(ValueError, match=r"a.parquet: it swells to more than 200 times its size"):
                hott.read(tmp_path / "a.parquet")
            assert tracemalloc.get_traced_memory()[1] < 5_000_000
        finally:
            tracemalloc.stop()
        assert len(read(tmp_path, "a.parquet", (tmp_path / "a.parquet").read_bytes(), on_error="skip")) == 99

    def test_rows_of_nothing(self, tmp_path, monkeypatch):
        monkeypatch.setattr("hott.corpus.readers.lines.ALWAYS_ALLOWED", 1_000_000)
        pq.write_table(pa.table({"text": pa.nulls(1_000_000, pa.string())}), tmp_path / "a.parquet")
        with pytest.raises(ValueError, match=r"a.parquet: it swells"):
            hott.read(tmp_path / "a.parquet")


@pytest.mark.parametrize("place", [-1, 2, 10**9])
def test_a_column_that_names_values_it_does_not_have(place):
    """As a damaged Parquet file does; -1 would be the last of them."""
    places = pa.array([0, place, None], pa.int32())
    column = pa.DictionaryArray.from_arrays(places, pa.array(["words", "more"]), safe=False)
    with pytest.raises(ValueError, match="the column 'label' is damaged"):
        list_values(column, "label")
    sound = pa.DictionaryArray.from_arrays(pa.array([0, 1, None]), pa.array(["words", "more"]))
    assert list_values(sound, "label") == ["words", "more", None]


ARROW = [
    (pa.array([2**62], pa.timestamp("us")), None),
    (pa.array([2**30], pa.date32()), None),
    (pa.array([2**60], pa.duration("s")), None),
    (pa.array([1], pa.timestamp("ns")), datetime(1970, 1, 1)),
    (pa.array([2**63 - 1]), 2**63 - 1),
    (pa.array([2**64 - 1], pa.uint64()), str(2**64 - 1)),
]


@pytest.mark.parametrize(("column", "value"), ARROW)
def test_values_that_python_has_no_type_for(tmp_path, column, value):
    """Dates a hundred thousand years away: kept as text, or refused by the name of the column."""
    table = pa.table({"text": ["words"], "far": column})
    pq.write_table(table, tmp_path / "a.parquet")
    for path, name in ((table, "far"), (tmp_path / "a.parquet", "a.parquet")):
        kept = outcome_of(lambda path=path: hott.read(path).columns["far"][0])
        assert kept == value if value is not None else isinstance(kept, str)
        assert "cannot be read" not in str(kept) or name in str(kept)


def test_two_columns_of_one_name(tmp_path):
    """The first counts, as in CSV files."""
    arrays = [pa.array(["words"]), pa.array([1]), pa.array([2]), pa.array(["more"])]
    table = pa.Table.from_arrays(arrays, names=["text", "n", "n", "text"])
    pq.write_table(table, tmp_path / "a.parquet")
    frame = pd.DataFrame([["words", 1, 2, "more"]], columns=["text", "n", "n", "text"])
    for path in (table, frame, tmp_path / "a.parquet"):
        corpus = hott.read(path)
        assert corpus.texts == ["words"]
        assert corpus.columns == {"n": [1]}


def test_an_id_that_is_not_there_among_very_many():
    corpus = hott.Corpus([""] * 200_000, ids=[f"document {n}" for n in range(200_000)])
    work = count_work(lambda: outcome_of(lambda: corpus.position("document 77x")))
    assert work < 50 * len(corpus)  # letter by letter with each of them it would be many times as many
    with pytest.raises(ValueError, match=r"No document has the id 'Document 17x'\. Did you mean 'document"):
        corpus.position("Document 17x")
