"""An index of shards on the command line."""

import json

import pytest

import hott
from hott.cli.app import run


@pytest.fixture
def folder(tmp_path):
    """Documents as JSON lines, and more of them, and an index of shards of the first."""
    corpus = hott.demo.corpus()[:40]
    for name, part in (("first", corpus[:30]), ("more", corpus[30:])):
        rows = [{"id": d.id, "title": d.title, "text": d.text, "label": d.label} for d in part]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    made = [str(tmp_path / "first.jsonl"), "--shards", "3", "--topics", "4", "--models", "2"]
    assert run(["index", *made, "-o", str(tmp_path / "x.hotts"), "--json"]) == 0
    return tmp_path


def test_shards_are_made_searched_and_added_to(folder, capsys):
    path = str(folder / "x.hotts")
    capsys.readouterr()
    shards = hott.Shards.open(path)
    assert run(["search", path, "planets and moons", "-k", "4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["hits"] == shards.search("planets and moons", k=4).to_dict()["hits"]
    assert run(["search", path, "planets", "--where", "label=biology", "--json"]) == 0
    assert {hit["label"] for hit in json.loads(capsys.readouterr().out)["hits"]} == {"biology"}
    assert run(["add", path, str(folder / "more.jsonl"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"shard": "00004", "documents": 40}
    assert run(["info", path, "--verify", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["shards"] == {
        "00001": 10, "00002": 10, "00003": 10, "00004": 10
    }  # fmt: skip


def test_what_goes_wrong_is_told_in_a_line(folder, capsys):
    path = str(folder / "x.hotts")
    capsys.readouterr()
    assert run(["search", path, "planets", "--why"]) == 1
    assert "--why wants an index of one file" in capsys.readouterr().err
    assert run(["map", path]) == 1
    assert "is an index of shards, which hott search, add and info know" in capsys.readouterr().err
    next((folder / "x.hotts").glob("00002-*")).unlink()
    assert run(["search", path, "planets"]) == 1
    assert "The shard '00002'" in capsys.readouterr().err
