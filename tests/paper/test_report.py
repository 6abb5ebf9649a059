"""The report holds the numbers of the CSV files, and nothing else."""

import csv
import re
import statistics
from pathlib import Path

import pytest

from hott.paper.experiments import EXPERIMENTS
from hott.paper.published import published
from hott.paper.report import render, write_report
from hott.paper.study import Study
from hott.paper.summary import leaders, normalised, scores

from .conftest import TINY

ROOT = Path(__file__).parent.parent.parent
RESULTS = ROOT / "results"


@pytest.fixture(scope="module")
def results(data, tmp_path_factory):
    """Results of most experiments on one small data set and the books."""
    out = tmp_path_factory.mktemp("results")
    study = Study(data, out, ["classic", "gutenberg"], TINY, threads=1)
    for name in ("knn", "statistics", "timing", "links", "maps", "interpretability"):
        assert EXPERIMENTS[name].run(study) == []
    write_report(out)
    return out


def table_after(text, heading):
    """The first table below a heading, as a dictionary of rows by their first cell."""
    lines = text[text.index(heading) :].splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows[0], {row[0]: dict(zip(rows[0], row)) for row in rows[2:]}


def read(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check_knn(results):
    """Every error in the two tables is the mean of the rows of its method and data set."""
    text = (results / "REPORT.md").read_text(encoding="utf-8")
    rows = read(results / "knn.csv")
    checked = 0
    for protocol, heading in (("clean", "### Clean protocol"), ("paper", "### Paper protocol")):
        if heading not in text:
            continue
        _, table = table_after(text, heading)
        own = [row for row in rows if row["protocol"] == protocol]
        for method, dataset in {(row["method"], row["dataset"]) for row in own}:
            errors = [
                100 * float(row["error"])
                for row in own
                if (row["method"], row["dataset"]) == (method, dataset)
            ]
            shown = table[method][dataset]
            assert re.match(r"[\d.]+", shown).group() == f"{statistics.mean(errors):.1f}"
            if len(errors) > 1 and protocol == "clean":
                assert re.search(r"± ([\d.]+)", shown).group(1) == f"{statistics.stdev(errors):.1f}"
            checked += 1
    return checked


def test_knn_numbers_are_those_of_the_csv(results):
    assert check_knn(results) >= 70


def test_numbers_of_the_other_tables_are_those_of_the_csv(results):
    text = (results / "REPORT.md").read_text(encoding="utf-8")
    _, links = table_after(text, "## Link prediction")
    for row in read(results / "links.csv"):
        for phi in ("phi1", "phi4"):
            assert links[row["distance"]][phi].startswith(f"{100 * float(row[phi]):.2f}")
    _, timing = table_after(text, "## Pairs of documents a second")
    for row in read(results / "timing.csv"):
        column = row["method"] if row["solver"] == "hott" else f"{row['method']}, POT"
        pairs = float(row["pairs_per_second"])
        shown = f"{pairs:,.0f}" if pairs >= 100 else f"{pairs:.1f}"
        assert timing[row["dataset"]][column].split()[0] == shown
    _, maps = table_after(text, "## t-SNE")
    for row in read(results / "maps.csv"):
        assert maps[row["dataset"]][row["method"]] == f"{100 * float(row['accuracy']):.1f}"


def test_published_numbers_stand_beside_ours(results):
    text = (results / "REPORT.md").read_text(encoding="utf-8")
    _, table = table_after(text, "### Paper protocol")
    assert table["HOTT"]["classic"].endswith("(5.1)")
    assert table["nBOW"]["gutenberg"].endswith("(26)")
    assert "NeurIPS 2019" in text
    assert "ICML 2022" in text


def test_every_picture_of_the_report_is_there(results):
    text = (results / "REPORT.md").read_text(encoding="utf-8")
    pictures = re.findall(r"\]\(([^)]+\.png)\)", text)
    assert len(pictures) == 6
    for picture in pictures:
        assert (results / picture).stat().st_size > 2000


def test_the_report_is_made_from_the_tables_alone(results, tmp_path):
    for path in results.glob("*.csv"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    assert render(tmp_path) == (results / "REPORT.md").read_text(encoding="utf-8")


@pytest.mark.skipif(not (RESULTS / "REPORT.md").exists(), reason="no results in this checkout")
def test_the_results_in_the_repository_and_their_report_agree():
    assert render(RESULTS) == (RESULTS / "REPORT.md").read_text(encoding="utf-8")
    assert check_knn(RESULTS) > 0


@pytest.mark.skipif(not (RESULTS / "REPORT.md").exists(), reason="no results in this checkout")
def test_tables_of_the_documentation_are_those_of_the_report():
    report = (RESULTS / "REPORT.md").read_text(encoding="utf-8").splitlines()
    page = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8").splitlines()
    tables = [line for line in page if line.startswith("|")]
    assert len(tables) > 20
    assert [line for line in tables if line not in report] == []


def test_published_tables_are_complete():
    figures = published()
    for table in ("knn_error_w1_no_stemming", "pairs_per_second"):
        methods = figures[table]["methods"]
        assert all(len(row) == len(methods) for name, row in figures[table].items() if name != "methods")
    assert len(figures["knn_error_w1_no_stemming"]) == 9


def test_means_and_leaders():
    def row(method, dataset, error, split=0):
        numbers = {"error": str(error), "tested": "100", "test": "100", "split": str(split)}
        return {"method": method, "dataset": dataset, **numbers}

    table = scores(
        [
            row("nBOW", "r8", 0.2), row("nBOW", "classic", 0.4),
            row("HOTT", "r8", 0.1), row("HOTT", "classic", 0.1),
            row("Blend", "r8", 0.05), row("Blend", "classic", 0.1, 0), row("Blend", "classic", 0.14, 1),
        ]
    )  # fmt: skip
    assert table["Blend"]["classic"].mean == pytest.approx(12)
    assert table["Blend"]["classic"].deviation == pytest.approx(2.828, abs=1e-3)
    assert normalised(table, "HOTT", ["r8", "classic"]) == pytest.approx((0.5 + 0.25) / 2)
    assert normalised(table, "HOTT", ["r8", "classic", "amazon"]) == pytest.approx(0.375)  # no nBOW there
    assert leaders(table, "Blend") == (["r8"], ["classic"])
