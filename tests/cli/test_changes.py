"""Commands that change an index."""

import json

import pytest

import hott
from hott.cli.app import run


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(6):
        (folder / f"{number}.md").write_text(f"# Title {number}\n\nbread yeast oven flour {number}")
    (folder / "notes.txt").write_text("not included")
    return folder


def ok(*arguments):
    assert run([str(argument) for argument in arguments]) == 0


def test_the_life_of_an_index(folder, tmp_path, capsys):
    path = tmp_path / "a.hott"
    ok("index", folder, "-o", path, "--topics", 2, "--models", 1, "--iterations", 5, "--include", "*.md")
    assert list(hott.open(path).documents.ids) == [f"{n}.md" for n in range(6)]

    (folder / "0.md").unlink()
    (folder / "1.md").write_text("# Other\n\nmoon planet bread")
    (folder / "more.md").write_text("oven butter bread")
    ok("sync", path, folder)  # which reads the Markdown files only, as before
    assert "1 added, 1 changed, 1 removed, 4 unchanged; 6 documents" in capsys.readouterr().out
    same = path.read_bytes()
    ok("sync", path, folder, "--json")
    assert json.loads(capsys.readouterr().out)["unchanged"] == 6
    assert path.read_bytes() == same

    table = tmp_path / "more.csv"
    table.write_text("id,text,year\n2.md,flour bread,2004\nx,yeast bread,2005\n")
    assert run(["add", str(path), str(table), "--include", "*"]) == 1
    assert "ids must be new" in capsys.readouterr().err
    assert path.read_bytes() == same
    ok("update", path, table)
    assert "1 added, 1 changed" in capsys.readouterr().out
    ok("remove", path, "x", "--where", "year=2004")
    assert list(hott.open(path).documents.ids) == ["1.md", "3.md", "4.md", "5.md", "more.md"]
    assert run(["remove", str(path), "nobody"]) == 1
    assert run(["remove", str(path)]) == 2
    (tmp_path / "ids.txt").write_text("5.md\nmore.md\n")
    ok("remove", path, "--from", tmp_path / "ids.txt")
    assert list(hott.open(path).documents.ids) == ["1.md", "3.md", "4.md"]
    ok("add", path, table, "--refit")
    assert not hott.open(path).staleness().new


def test_merge(folder, tmp_path, capsys):
    one, two, both = (tmp_path / f"{name}.hott" for name in ("one", "two", "both"))
    ok("index", folder, "-o", one, "--topics", 2, "--models", 1, "--iterations", 5)
    more = tmp_path / "more.txt"
    more.write_text("bread butter\nmoon bread\n")
    ok("index", more, "--format", "lines", "--like", one, "-o", two)
    ok("merge", one, two, "-o", both)
    assert len(hott.open(both)) == 9
    ok("index", folder, "-o", two, "--topics", 3, "--models", 1, "--iterations", 5)
    assert run(["merge", str(one), str(two), "-o", str(both)]) == 1
    assert "--like" in capsys.readouterr().err
