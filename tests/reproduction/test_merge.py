"""Results of several folders become those of one."""

from dataclasses import replace

import numpy as np
import pytest

from hott.utils.run import Run
from reproduction.cli import run
from reproduction.experiments import EXPERIMENTS, Only
from reproduction.merge import merge_results
from reproduction.predictions import Predictions, links_file, read_links
from reproduction.provenance import remember, remembered
from reproduction.results import Results
from reproduction.study import Study
from reproduction.tables import read_rows, write_rows

from .conftest import TINY

pytestmark = pytest.mark.filterwarnings("ignore:.*cannot tell .* topics apart")  # tiny data


def compute(data, out, method, experiment="knn", **sizes):
    study = Study(data, out, ["r8"], replace(TINY, splits=1, **sizes), run=Run(threads=1))
    assert EXPERIMENTS[experiment].run(study, Only([method], "paper" if experiment == "knn" else None)) == []


def test_rows_and_answers_of_two_folders_are_those_of_one_run(data, tmp_path):
    one, other, whole = (tmp_path / name for name in ("one", "other", "whole"))
    compute(data, one, "nBOW")
    compute(data, other, "HOTT")
    for method in ("nBOW", "HOTT"):
        compute(data, whole, method)
    assert merge_results([one, other], tmp_path / "both") == {"knn": 2}
    rows = read_rows(tmp_path / "both" / "knn.csv")
    assert [(row["method"], row["error_k7"]) for row in rows] == [
        (row["method"], row["error_k7"]) for row in read_rows(whole / "knn.csv")
    ]
    merged, expected = (Predictions(folder, "knn") for folder in (tmp_path / "both", whole))
    for row in rows:
        assert np.array_equal(merged.of(row).wrong(), expected.of(row).wrong(), equal_nan=True)
        assert remembered(tmp_path / "both")[row["settings"]]["topics"] == 4


def test_of_the_same_cell_the_later_row_stays_as_it_was_written(data, tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    compute(data, old, "HOTT")
    compute(data, new, "HOTT", topics=5)
    [mine], [theirs] = read_rows(old / "knn.csv"), read_rows(new / "knn.csv")
    later = max((mine, theirs), key=lambda row: row["finished"])
    assert merge_results([new], old)["knn"] in (0, 1)
    [kept] = read_rows(old / "knn.csv")
    assert kept == later if mine["finished"] != theirs["finished"] else kept in (mine, theirs)
    assert merge_results([new], old) == {"knn": 0}  # a second time there is nothing to take


def test_a_row_goes_with_newer_ones_unless_a_size_that_it_depends_on_differs(data, tmp_path):
    """A size that experiments had once is nothing to them now; and what is finished is not computed again."""
    compute(data, tmp_path / "old", "nBOW")
    compute(data, tmp_path / "new", "HOTT")
    [row], [newer] = (read_rows(tmp_path / name / "knn.csv") for name in ("old", "new"))
    known = remembered(tmp_path / "old")
    settings = known[row["settings"]]
    remember(tmp_path, {**known, "once": {**settings, "retired": 6}, "other": {**settings, "validation": 3}})
    for name, shown in (("once", {"nBOW", "HOTT"}), ("other", {"HOTT"})):
        older = {**row, "settings": name}
        write_rows(tmp_path / "knn.csv", [older, newer])
        assert {row["method"] for row in Results(tmp_path).rows("knn")} == shown
        compute(data, tmp_path, "nBOW")
        again = next(row for row in read_rows(tmp_path / "knn.csv") if row["method"] == "nBOW")
        assert (again == older) == ("nBOW" in shown)


def test_links_and_maps_come_along(data, tmp_path):
    compute(data, tmp_path / "a", "None", "links")
    compute(data, tmp_path / "b", "HOTT", "links")
    merge_results([tmp_path / "a", tmp_path / "b"], tmp_path / "out")
    assert {name.split("|")[0] for name in read_links(links_file(tmp_path / "out", "glove"))} == {
        "None", "HOTT", "true"
    }  # fmt: skip
    study = Study(data, tmp_path / "c", ["classic"], TINY, run=Run(threads=1))
    assert EXPERIMENTS["maps"].run(study) == []
    assert run(["merge", str(tmp_path / "c"), "-o", str(tmp_path / "out")]) == 0
    assert len(read_rows(tmp_path / "out" / "maps" / "classic-hott-glove.csv")) == 40


def test_a_folder_without_results_is_an_error(tmp_path, capsys):
    assert run(["merge", str(tmp_path), "-o", str(tmp_path / "out")]) == 1
    assert "has no tables of results" in capsys.readouterr().err
