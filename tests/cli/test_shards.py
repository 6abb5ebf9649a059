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


def test_shards_say_why_are_compared_and_mapped(folder, capsys):
    path, one = str(folder / "x.hotts"), folder / "one.hott"
    hott.Shards.open(path).index().save(one)
    capsys.readouterr()
    answers = []
    for index in (path, str(one)):
        assert run(["search", index, "planets and moons", "-k", "4", "--why", "--json"]) == 0
        hits = json.loads(capsys.readouterr().out)["hits"]
        first, last = hits[0]["id"], hott.open(one).documents.ids[-1]
        assert run(["compare", index, first, last, "--json"]) == 0
        compared = json.loads(capsys.readouterr().out)
        assert run(["map", index, "-o", str(folder / "map.csv")]) == 0
        capsys.readouterr()
        answers.append((hits, compared, (folder / "map.csv").read_text()))
    assert answers[0] == answers[1]
    assert answers[0][0][0]["why"]


def test_an_index_at_an_address(folder, capsys, monkeypatch):
    pytest.importorskip("fsspec")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    one, shards = "memory://line/x.hott", "memory://line/x.hotts"
    made = [str(folder / "first.jsonl"), "--topics", "4", "--models", "1", "--json"]
    assert run(["index", *made, "-o", one]) == 0
    assert run(["index", *made, "-o", shards, "--shards", "2"]) == 0
    capsys.readouterr()
    for verb in (["search", "moons", "-k", "3", "--why"], ["info"]):
        told = []
        for index in (one, shards):
            assert run([verb[0], index, *verb[1:], "--json"]) == 0
            told.append(json.loads(capsys.readouterr().out))
        assert told[0].get("hits") == told[1].get("hits")
        assert told[0].get("documents") == told[1].get("documents")
    assert told[0]["bytes"] > 10_000
    assert told[1]["bytes"] > told[0]["bytes"]
    assert run(["topics", one, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 4
    assert run(["add", shards, str(folder / "more.jsonl"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"shard": "00003", "documents": 40}
    assert run(["add", one, str(folder / "more.jsonl")]) == 1
    assert f"{one} is remote and cannot be locked" in capsys.readouterr().err
    assert run(["search", "memory://line/none.hott", "moons"]) == 1
    assert "There is no file memory://line/none.hott" in capsys.readouterr().err


def test_what_goes_wrong_is_told_in_a_line(folder, capsys):
    path = str(folder / "x.hotts")
    capsys.readouterr()
    assert run(["clusters", path]) == 1
    assert "is an index of shards: hott search, compare, map, add and info" in capsys.readouterr().err
    next((folder / "x.hotts").glob("00002-*")).unlink()
    assert run(["search", path, "planets"]) == 1
    assert "The shard '00002'" in capsys.readouterr().err
