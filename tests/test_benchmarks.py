"""Benchmarks whose tables stand in the documentation count what they say."""

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
    monkeypatch.setattr(meaning, "scorers", lambda corpus: {"ours": lambda asked: np.array(scores[asked])})

    [row] = meaning.questions("weather", "asked.json", corpus)

    assert row["MRR"] == pytest.approx((1 + 1 / 2 + 1 / 4) / 3)
    assert (row["in three"], row["in ten"]) == ("2", "3")
