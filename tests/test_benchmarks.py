"""Benchmarks whose tables stand in the documentation count what they say."""

import csv
import importlib
from pathlib import Path

import numpy as np
import pytest

import hott

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def meaning(monkeypatch):
    pytest.importorskip("bm25s")
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("meaning")


def test_a_copy_of_the_answer_is_as_right_as_the_answer(meaning, monkeypatch, tmp_path):
    corpus = hott.Corpus(["rain", "snow", "rain", "wind"], ids=["a", "b", "c", "d"])
    monkeypatch.setattr(meaning, "FOLDER", tmp_path)
    (tmp_path / "asked.json").write_text('{"wet": "a", "white": "b", "loud": "d"}', encoding="utf-8")
    scores = {"wet": [0.1, 0.5, 0.9, 0.2], "white": [0.4, 0.3, 0.2, 0.1], "loud": [0.5, 0.4, 0.3, 0.2]}
    monkeypatch.setattr(
        meaning, "scorers", lambda corpus, peers: {"ours": lambda asked: np.array(scores[asked])}
    )

    [row] = meaning.questions("weather", "asked.json", corpus, [])

    assert row["MRR"] == pytest.approx((1 + 1 / 2 + 1 / 4) / 3)
    assert (row["in three"], row["in ten"]) == ("2", "3")


def test_halves_of_the_held_out_questions_are_counted_apart(meaning, monkeypatch, tmp_path):
    texts = ["A volcano throws out lava.", "Bees dance for flowers.", "A goalkeeper stops shots."]
    corpus = hott.Corpus(texts, ids=["a", "b", "c"])
    monkeypatch.setattr(meaning, "FOLDER", tmp_path)
    rows = ["half,set,question,answer", "choose,x,lava,a", "report,x,bees,c", "report,other,lava,nowhere"]
    (tmp_path / "held_out_questions.csv").write_text("\n".join(rows), encoding="utf-8")

    rows = meaning.held_out("x", corpus, ["choose", "report"], [], most=None)
    counted = {(row["half"], row["method"]): row for row in rows}

    assert counted["choose", "words"]["hit@1"] == counted["choose", "words"]["MRR"] == 1
    assert counted["report", "words"]["hit@1"] == 0
    assert counted["report", "hott"]["n"] == "1"


def test_held_out_questions_about_the_bundled_articles_name_articles():
    with (FOLDER / "held_out_questions.csv").open(encoding="utf-8", newline="") as lines:
        asked = [row for row in csv.DictReader(lines) if row["set"] == "articles"]
    assert len(asked) == 40
    assert {row["answer"] for row in asked} <= set(hott.demo.corpus().ids)
    assert [row["half"] for row in asked].count("choose") == 20
