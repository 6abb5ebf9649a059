"""Documents as people keep them: every format by a real file, and what is broken or hostile in each."""

import bz2
import io
import json
import os
import re
import tarfile
import zipfile
from datetime import date, datetime

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hott
from hott.corpus import Document
from hott.corpus.readers.markup import read_html, read_markdown
from hott.corpus.readers.options import why_left_out
from hott.corpus.readers.pdf import _START
from hott.corpus.readers.rows import passages_of

from . import files

pytestmark = pytest.mark.filterwarnings("error")


def read(path, content, **options):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return hott.read(path, **options)


class TestOneDocumentAFile:
    def test_a_folder_of_every_format(self, tmp_path):
        expected = files.folder_of_all(tmp_path / "all")
        corpus = hott.read(tmp_path / "all")
        assert dict(zip(corpus.ids, corpus.texts)) == expected

    def test_html(self, tmp_path):
        [page] = read(tmp_path / "a.html", files.HTML)
        assert page.title == "Cats & dogs"
        assert page.text.split() == ["Pets", "Cats", "purr.", "Dogs", "bark.", "1", "<", "2", "café"]

    def test_the_main_part_of_a_page_is_its_text(self, tmp_path):
        menu = "<title>Cats | Pets</title><header><h1>Pets</h1><div>Light Dark Print</div></header>"
        [page] = read(tmp_path / "a.html", f"{menu}<MAIN id=x><h1>Cats</h1>They purr.</main><footer>Next")
        assert (page.title, page.text) == ("Cats", "Cats\n\nThey purr.")
        [page] = read(tmp_path / "b.html", f"{menu}<main>They purr.</main>")
        assert (page.title, page.text) == ("Pets", "They purr.")
        for empty in ("<main></main>", "<main>", "</main>"):  # filled by a script, or broken
            [page] = read(tmp_path / "c.html", f"{menu}{empty}<p>They purr.")
            assert page.text.split() == ["Pets", "Light", "Dark", "Print", "They", "purr."]

    def test_html_in_the_encoding_it_says(self, tmp_path):
        [page] = read(tmp_path / "a.htm", "<meta charset=koi8-r><p>Привет".encode("koi8-r"))
        assert page.text == "Привет"
        with pytest.warns(UserWarning, match="Windows-1252"):
            [page] = read(tmp_path / "b.htm", "<meta charset=utf-8><p>café".encode("cp1252"))
        assert page.text == "café"

    def test_markdown(self, tmp_path):
        text = (
            "---\ntitle: Notes\ndate: 2004-05-06\n---\n\n# Cats\n\n"
            "```python\nx = 1\n```\n> They [purr](http://x) `softly`\n"
        )
        [page] = read(tmp_path / "a.md", text)
        assert page == Document("a.md", "Notes", "Cats\n\nThey purr softly", None, {"date": date(2004, 5, 6)})

    def test_pdf(self, tmp_path):
        [page] = read(tmp_path / "a.pdf", files.pdf("Cats purr.", "Pets"))
        assert (page.title, page.text, page.columns) == ("Pets", "Cats purr.", {})
        [page] = read(tmp_path / "a.pdf", files.pdf("Cats purr.", author="Ann Smith"))
        assert page.columns == {"author": "Ann Smith"}
        [page] = read(tmp_path / "a.pdf", files.pdf("Cats purr.", "Microsoft Word - draft2.DOC"))
        assert page.title == "a"
        with pytest.warns(UserWarning, match=r"[Ff]ound no text in a PDF, as in scanned pages: 'a.pdf'"):
            read(tmp_path / "a.pdf", files.pdf(""))
        with pytest.raises(ValueError, match=r"b.pdf: it is encrypted with a password.*on_error='skip'"):
            read(tmp_path / "b.pdf", files.encrypted_pdf("secret"))
        with pytest.raises(ValueError, match=r"c.pdf: it is damaged, or no PDF"):
            read(tmp_path / "c.pdf", b"%PDF-1.4 and no more")

    def test_a_pdf_that_never_ends_is_given_up(self, tmp_path, monkeypatch):
        monkeypatch.setenv("HOTT_PDF_SECONDS", "0.01")
        with pytest.raises(ValueError, match=r"a.pdf: it took more than 0.01 s"):
            read(tmp_path / "a.pdf", files.pdf("Cats"))

    @pytest.mark.parametrize("seconds", ["inf", "nan", "-1", "0", "1e300", "a while"])
    def test_a_limit_that_is_none_is_refused_before_anything_is_read(self, tmp_path, monkeypatch, seconds):
        monkeypatch.setenv("HOTT_PDF_SECONDS", seconds)
        with pytest.raises(ValueError, match=f"HOTT_PDF_SECONDS must be a number.*got '{seconds}'"):
            read(tmp_path / "a.txt", "Cats", on_error="skip")

    def test_what_pdf_needs_is_asked_for_by_name(self, tmp_path, monkeypatch):
        monkeypatch.setattr(
            "hott.corpus.readers.pdf._START", f"import sys; sys.modules['pypdf'] = None; {_START}"
        )
        with pytest.raises(ValueError, match=r'pypdf is needed.*pip install "hott\[documents\]"'):
            read(tmp_path / "a.pdf", files.pdf("Cats"))

    def test_word_and_open_documents(self, tmp_path):
        for name, make in (("a.docx", files.docx), ("a.odt", files.odt)):
            [page] = read(tmp_path / name, make("Cats &amp; dogs.", "They play.", title="Pets"))
            assert (page.title, page.text) == ("Pets", "Cats & dogs.\n\nThey play.")

    def test_without_a_title_the_first_heading_of_a_document_is_its_title(self, tmp_path):
        for name, make in (("a.docx", files.docx), ("a.odt", files.odt)):
            [page] = read(tmp_path / name, make("Not this.", heading="Our\n pets"))
            assert page.title == "Our pets"
            [page] = read(tmp_path / name, make("Not this.", heading="Our pets", title="Pets"))
            assert page.title == "Pets"
            [page] = read(tmp_path / name, make("Nor this."))
            assert page.title == "a"

    def test_a_book(self, tmp_path):
        content = files.epub("<h1>One</h1><p>Cats.", "<p>Dogs.", title="Pets")
        [page] = read(tmp_path / "a.epub", content)
        assert page == Document("a.epub", "Pets", "One\n\nCats.\n\nDogs.", None, {"author": "A. Author"})

    @pytest.mark.parametrize("name", ["a.docx", "a.odt", "a.epub"])
    def test_packed_documents_that_are_broken_or_hostile(self, tmp_path, name):
        with pytest.raises(ValueError, match=r"damaged, or no such document"):
            read(tmp_path / name, b"no zip file")
        with pytest.raises(ValueError, match=r"it is no such document: .* is not in it"):
            read(tmp_path / name, files.zip_of({"x": "y"}))
        laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><x>&b;</x>'
        first = {"a.docx": "word/document.xml", "a.odt": "content.xml", "a.epub": "META-INF/container.xml"}[
            name
        ]
        with pytest.raises(ValueError, match="defines entities"):
            read(tmp_path / name, files.zip_of({first: laughs}))
        with pytest.raises(ValueError, match="swells to more than 200 times"):
            read(tmp_path / name, files.zip_of({first: b" " * 70_000_000}))

    def test_messages(self, tmp_path):
        [one] = read(tmp_path / "a.eml", files.EML)
        assert (one.id, one.title, one.text) == ("a.eml", "Café tonight", "Coffee at eight.")
        assert one.columns["from"] == "Ann <ann@example.org>"
        assert one.columns["date"] == datetime(2004, 5, 6, 5, 8, 9)
        two = read(tmp_path / "a.mbox", files.MBOX)
        assert two.ids == ["1@example.org", "0"]
        assert two[1].text == "From here on: yes."
        assert read(tmp_path / "a.mbox", files.MBOX + b"\n" + files.MBOX).ids == [
            "1@example.org",
            "0",
            "1@example.org#2",
            "1",
        ]
        assert read(tmp_path / "a.mbox", files.MBOX, id=False).ids == ["0", "1"]
        with pytest.raises(ValueError, match="it is no mailbox"):
            read(tmp_path / "b.mbox", b"Hello\n")
        with pytest.raises(ValueError, match="no header of a message"):
            read(tmp_path / "b.eml", b"\n\nHello\n")


class TestTitles:
    def test_only_a_heading_of_the_first_level_is_the_title_of_markdown(self, tmp_path):
        [page] = read(tmp_path / "rfc1.md", "## Summary\n\nA protocol.\n")
        assert page.title == "rfc1"
        [page] = read(tmp_path / "a.md", "## Summary\n\n# Gopher\n\nA protocol.\n")
        assert page.title == "Gopher"
        [page] = read(tmp_path / "a.md", "---\ntitle: Front\n---\n# Gopher\n")
        assert page.title == "Front"

    def test_a_headline_is_the_title_of_a_text(self, tmp_path):
        [page] = read(tmp_path / "001.txt", "Ad sales boost profit\n\nQuarterly profits rose by 76%.\n")
        assert page.title == "Ad sales boost profit"
        for text in (
            "Profits rose.\n\nThey fell.",
            "One line\nand its end",
            "x" * 101 + "\n\ny",
            "alone\n",
            "12\n\n13",
        ):
            [page] = read(tmp_path / "002.txt", text)
            assert page.title == "002"

    def test_definitions_of_links_go_and_notes_stay(self, tmp_path):
        [page] = read(tmp_path / "a.md", "See [here][1].\n\n[1]: http://example.org 'x'\n[^2]: A note.\n")
        assert page.text == "See here.\n\n[^2]: A note."

    def test_ligatures_are_letters(self, tmp_path):
        [page] = read(tmp_path / "a.txt", "The \ufb01rst o\ufb03ce.")
        assert page.text == "The first office."

    def test_a_readme_is_left_out_and_said(self, tmp_path):
        (tmp_path / "README.md").write_text("# About these files")
        (tmp_path / "a.md").write_text("text")
        with pytest.warns(UserWarning, match=r"skipped 1 file \(licences, readme files .*\): 'README.md'"):
            assert hott.read(tmp_path).ids == ["a.md"]


class TestHostileMarkup:
    @pytest.mark.parametrize(
        "piece",
        [
            "<",
            "<!--",
            "<a ",
            "<script>",
            "</",
            '<a b="',
            "<a '",
            "&",
            "<title>",
            "<main>",
            "<main></main>",
            "<!",
            "[",
            "![",
            "`",
            "**",
            "[](",
        ],
    )
    def test_no_page_takes_long(self, piece):
        page = piece * (400_000 // len(piece))
        assert len(read_html(page).text) <= len(page)  # not today, if the work were to grow with the square
        assert len(read_markdown(page).text) <= len(page)

    @given(st.text("<>/!-aps '\"=&;tile\n", max_size=200))
    @settings(max_examples=300)
    def test_no_page_breaks_it(self, page):
        assert isinstance(read_html(page).text, str)
        assert isinstance(read_markdown(page).text, str)

    @given(
        st.text(
            st.characters(codec="utf-8", exclude_characters="<>&\xa0", exclude_categories=["Z", "C"]),
            min_size=1,
        )
    )
    def test_text_between_tags_stays(self, text):
        assert (
            read_html(f"<script>x</script><p class='{'>' if len(text) % 2 else ''}'>{text}</p>").text == text
        )


class TestTables:
    def test_a_json_array(self, tmp_path):
        rows = [{"text": f"text {i}", "n": i, "more": {"a": [i]}} for i in range(300)]
        for indent in (None, 1):
            corpus = read(tmp_path / "a.json", json.dumps(rows, indent=indent))
            assert corpus.texts == [row["text"] for row in rows]
            assert corpus.columns["n"] == list(range(300))
            assert corpus.columns["more"][7] == '{"a": [7]}'

    def test_one_json_object_over_many_lines_and_an_object_a_line(self, tmp_path):
        assert read(tmp_path / "a.json", json.dumps({"text": "x"}, indent=2)).texts == ["x"]
        assert read(tmp_path / "b.json", '{"text": "x"}\n{"text": "y"}').texts == ["x", "y"]

    def test_a_json_array_that_is_cut_short(self, tmp_path):
        content = json.dumps([{"text": f"text {i}"} for i in range(9)])[:-20]
        with pytest.warns(UserWarning, match="object 9"):
            corpus = read(tmp_path / "a.json", content, on_error="skip")
        assert len(corpus) == 8
        with pytest.raises(ValueError, match="expected an object"):
            read(tmp_path / "b.json", "[1, 2]")

    def test_one_document_a_line(self, tmp_path):
        assert read(tmp_path / "a.txt", "one\n\ntwo\n", format="lines").texts == ["one", "two"]

    def test_no_header_and_another_delimiter(self, tmp_path):
        content = "7^Cats purr and sleep^2004\n8^Dogs^2005\n"
        corpus = read(tmp_path / "a.csv", content, header=False, delimiter="^")
        assert corpus.texts == ["Cats purr and sleep", "Dogs"]
        assert corpus.columns["3"] == [2004, 2005]
        assert read(tmp_path / "a.csv", content, header=False, delimiter="^", text="3", id="1").ids == [
            "7",
            "8",
        ]

    def test_utf16_with_a_broken_row(self, tmp_path):
        content = "text,year\ncafé,2004\nbroken\nthé,2005\n".encode("utf-16")
        with pytest.warns(UserWarning, match="left out 1 broken row: a.csv, line 3"):
            corpus = read(tmp_path / "a.csv", content, on_error="skip")
        assert corpus.texts == ["café", "thé"]
        assert corpus.columns["year"] == [2004, 2005]

    def test_a_workbook(self, tmp_path):
        rows = [
            ["title", "body", "when", "n"],
            ["Cats", "purr", datetime(2004, 5, 6), 1],
            [None] * 4,
            ["Dogs", "bark", None, 2.5],
        ]
        corpus = read(tmp_path / "a.xlsx", files.xlsx(rows))
        assert list(corpus) == [
            Document("0", "Cats", "purr", None, {"when": datetime(2004, 5, 6), "n": 1.0}),
            Document("1", "Dogs", "bark", None, {"when": None, "n": 2.5}),
        ]
        with pytest.raises(ValueError, match=r"b.xlsx: it is damaged, or no such document"):
            read(tmp_path / "b.xlsx", b"none")


class TestArchives:
    def members(self, tmp_path):
        files.folder_of_all(tmp_path / "all")
        (tmp_path / "all" / "sub").mkdir()
        (tmp_path / "all" / "sub" / "2.txt").write_text("two")
        (tmp_path / "all" / "sub" / "t.csv").write_text("id,text\nx,row\n")
        (tmp_path / "all" / ".hidden.txt").write_text("hidden")
        return sorted(p for p in (tmp_path / "all").rglob("*") if p.is_file())

    @pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tar.gz", "a.tgz", "a.tar.bz2", "a.tar.xz"])
    def test_hold_the_same_as_a_folder(self, tmp_path, name):
        members = self.members(tmp_path)
        if name == "a.zip":
            with zipfile.ZipFile(tmp_path / name, "w") as archive:
                for path in members:
                    archive.write(path, path.relative_to(tmp_path / "all"))
        else:
            mode = "w:" + name.rpartition(".")[2].replace("tgz", "gz").replace("tar", "")
            with tarfile.open(tmp_path / name, mode) as archive:
                for path in members:
                    archive.add(path, path.relative_to(tmp_path / "all"))
        assert sorted(map(repr, hott.read(tmp_path / name))) == sorted(map(repr, hott.read(tmp_path / "all")))

    def test_an_archive_by_another_name_is_read_when_its_format_is_stated(self, tmp_path):
        (tmp_path / "all.bin").write_bytes(files.zip_of({"a.txt": "Cats", "b.txt": "Dogs"}))
        assert hott.read(tmp_path / "all.bin", format="zip").texts == ["Cats", "Dogs"]

    def test_a_zipped_table_is_that_table(self, tmp_path):
        assert read(tmp_path / "a.csv.zip", files.zip_of({"a.csv": "id,text\nx,row\n"})).ids == ["x"]

    def test_broken_and_hostile_ones(self, tmp_path):
        with pytest.raises(ValueError, match=r"a.zip: the zip archive is damaged"):
            read(tmp_path / "a.zip", b"PK no")
        with pytest.raises(ValueError, match=r"a.tar: the tar archive is damaged"):
            read(tmp_path / "a.tar", b"no")
        bomb = files.zip_of({"a.txt": b"a" * 70_000_000, "b.txt": "b"})
        with pytest.raises(ValueError, match=r"a.txt: it swells to more than 200 times"):
            read(tmp_path / "b.zip", bomb)
        with pytest.warns(UserWarning, match="left out 1 broken file: a.txt"):
            assert hott.read(tmp_path / "b.zip", on_error="skip").ids == ["b.txt"]
        with pytest.warns(UserWarning, match=r"skipped 1 file \(archives within archives\): 'b.zip'"):
            assert read(tmp_path / "c.zip", files.zip_of({"b.zip": bomb, "c.txt": "c"})).ids == ["c.txt"]

    def test_a_tar_bomb(self, tmp_path):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as archive:
            info = tarfile.TarInfo("a.txt")
            info.size = 80_000_000
            archive.addfile(info, io.BytesIO(bytes(info.size)))
        with pytest.raises(ValueError, match="swells"):
            read(tmp_path / "a.tar.bz2", bz2.compress(out.getvalue()))

    def test_names_stay_inside_and_links_are_skipped(self, tmp_path):
        with tarfile.open(tmp_path / "a.tar", "w") as archive:
            info = tarfile.TarInfo("../../etc/a.txt")
            info.size = 1
            archive.addfile(info, io.BytesIO(b"a"))
            link = tarfile.TarInfo("b.txt")
            link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(link)
        with pytest.warns(
            UserWarning, match=r"skipped 1 file \(links or special files in archives\): 'b.txt'"
        ):
            assert hott.read(tmp_path / "a.tar").ids == ["etc/a.txt"]


class TestFrames:
    ROWS = (
        {"title": "Cats", "body": "Cats purr.", "year": 2004},
        {"title": "Dogs", "body": "Dogs bark.", "year": None},
    )

    def expected(self):
        return [
            Document("0", "Cats", "Cats purr.", None, {"year": 2004}),
            Document("1", "Dogs", "Dogs bark.", None, {"year": None}),
        ]

    def test_dicts(self):
        assert list(hott.read(self.ROWS)) == self.expected()
        assert list(hott.read(row for row in self.ROWS)) == self.expected()

    def test_frames_and_arrow_tables(self):
        assert list(hott.read(pd.DataFrame(self.ROWS))) == self.expected()
        assert list(hott.read(pa.Table.from_pylist(list(self.ROWS)))) == self.expected()
        assert hott.read(pd.DataFrame(self.ROWS, index=["c", "d"])).ids == ["c", "d"]

    def test_polars(self):
        pl = pytest.importorskip("polars")
        assert list(hott.read(pl.DataFrame(list(self.ROWS)))) == self.expected()
        assert hott.read(pl.Series(["one", "two"])).texts == ["one", "two"]

    def test_series(self):
        assert hott.read(pd.Series(["one", "two"])).texts == ["one", "two"]
        assert hott.read(pd.Series(["one", "two"], index=["x", "y"])).ids == ["x", "y"]

    def test_an_index_takes_them_as_they_are(self):
        index = hott.Index.build(pd.DataFrame(self.ROWS), n_topics=2, n_models=1, iterations=5)
        assert index.documents.titles == ["Cats", "Dogs"]
        assert len(hott.Index.build(self.ROWS, n_topics=2, n_models=1, iterations=5)) == 2

    def test_what_they_are_not(self):
        with pytest.raises(ValueError, match="the frame has no column with a usual name for the text"):
            hott.read(pd.DataFrame({"x": [1]}))
        with pytest.raises(ValueError, match="must hold dicts: number 1 is 5"):
            hott.read([{"text": "a"}, 5])
        with pytest.raises(ValueError, match=r"number 0 is 'a\.txt' .* of several files, read their folder"):
            hott.read(["a.txt", "b.txt"])
        with pytest.raises(ValueError, match="path must be a path"):
            hott.read(5)
        with pytest.raises(ValueError, match=r"hott\.read"):
            hott.Corpus(pd.DataFrame(self.ROWS))


class TestWhatIsRead:
    def test_patterns(self, tmp_path):
        for name in ("a.md", "b.txt", "drafts/c.md", "code/d.py", ".git/e.md", "f/.g.md"):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text("text")

        def ids(**options):
            return list(hott.read(tmp_path, **options).ids)

        assert ids(include="*.md") == ["a.md", "drafts/c.md"]
        assert ids(include=["*.md", "*.PY"], exclude="drafts") == ["a.md", "code/d.py"]
        assert ids(include="code/*") == ["code/d.py"]
        assert ids(include=".git/*") == [".git/e.md"]
        with pytest.warns(UserWarning, match="files of code"):
            assert ids(exclude=["*.txt"]) == ["a.md", "drafts/c.md"]

    def test_a_table_of_what_became_of_each_file(self, tmp_path):
        folder = tmp_path / "all"
        files.folder_of_all(folder)
        (folder / "x.py").write_text("x")
        (folder / ".h").write_text("x")
        (folder / "y.pdf").write_bytes(b"%PDF no")
        with pytest.warns(UserWarning, match="left out|skipped"):
            hott.read(folder, on_error="skip", report=tmp_path / "report.csv")
        table = pd.read_csv(tmp_path / "report.csv").set_index("file")
        assert table.loc["a.txt"].tolist() == ["read", "text", 1]
        assert table.loc["x.py"].tolist()[:2] == ["skipped", "files of code or settings"]
        assert table.loc[".h", "reason"] == "hidden files"
        assert table.loc["y.pdf", "outcome"] == "broken"
        assert len(table) == 11

    def test_no_cell_of_that_table_is_a_formula(self, tmp_path):
        folder = tmp_path / "all"
        folder.mkdir()
        for name in ("=1+1.txt", "+1.txt", "-1.txt", "@a.txt", "a=1.txt"):
            (folder / name).write_text("text")
        hott.read(folder, report=tmp_path / "report.csv")
        assert set(pd.read_csv(tmp_path / "report.csv")["file"]) == {
            "'=1+1.txt", "'+1.txt", "'-1.txt", "'@a.txt", "a=1.txt",
        }  # fmt: skip

    def test_a_pipe_by_itself_does_not_hang(self, tmp_path):
        os.mkfifo(tmp_path / "pipe.txt")
        with pytest.raises(ValueError, match="is a pipe or a device"):
            hott.read(tmp_path / "pipe.txt")

    def test_options_that_do_not_exist(self):
        with pytest.raises(TypeError, match=r"no option 'colour'; reading takes id, title, "):
            hott.read("x", colour=1)
        with pytest.raises(ValueError, match="delimiter must be one character"):
            hott.read("x", delimiter="--")

    @pytest.mark.parametrize(
        "name", ["makefile", "LICENSE.txt", "a/node_modules/b.md", "x.YAML", "package.json"]
    )
    def test_no_documents(self, name):
        assert why_left_out(name, (), ())
        assert why_left_out(name, (name,), ()) is None


class TestPassages:
    def test_long_documents_are_split_and_know_where_they_belong(self, tmp_path):
        text = "\n\n".join(f"Paragraph {i} has a few words. It ends here." for i in range(10))
        (tmp_path / "long.txt").write_text(text)
        (tmp_path / "short.txt").write_text("Short.")
        corpus = hott.read(tmp_path, passages=20)
        assert corpus.ids == [*(f"long.txt#{i}" for i in range(1, 6)), "short.txt"]
        assert corpus[1].title == "long (2/5)"
        assert corpus[1].columns == {"document": "long.txt", "passage": 2}
        assert corpus[5].columns == {"document": "short.txt", "passage": 1}

    @given(st.text("ab. \n!？", max_size=300), st.integers(1, 12))
    def test_nothing_is_lost_and_none_is_too_long(self, text, words):
        parts = passages_of(text, words)
        assert "".join(re.sub(r"\s", "", part) for part in parts) == re.sub(r"\s", "", text)
        assert all(len(part.split()) <= words for part in parts)
