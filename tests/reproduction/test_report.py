"""The report holds the numbers of the CSV files, and nothing else."""

import csv
import re
import shutil
import statistics
from pathlib import Path

import numpy as np
import pytest

from hott.utils.run import Run
from reproduction.claims import CLAIMS
from reproduction.experiments import EXPERIMENTS, Only
from reproduction.knn_findings import less, level
from reproduction.methods import METHODS, PUBLISHED
from reproduction.predictions import keep
from reproduction.provenance import remembered
from reproduction.published import published
from reproduction.report import include, included, render, write_report
from reproduction.results import Cells, Results
from reproduction.study import Study
from reproduction.summary import normalised, scores
from reproduction.tables import write_rows

from .conftest import TINY

pytestmark = pytest.mark.filterwarnings("ignore:.*cannot tell .* topics apart")  # tiny data
ROOT = Path(__file__).parent.parent.parent
RESULTS = ROOT / "results"


@pytest.fixture(scope="module")
def results(data, tmp_path_factory):
    """Results of all experiments: those of texts on two small data sets, and the books."""
    out = tmp_path_factory.mktemp("results")
    study = Study(data, out, ["classic", "r8", "gutenberg"], TINY, run=Run(threads=1))
    few = Only(methods=[*PUBLISHED, "WMD", "WMD-T50", "WMD-T100", "Blend", "HOTT, HDP", "None"])
    for experiment in EXPERIMENTS.values():
        whole = experiment.name in ("knn", "judgement")
        assert experiment.run(study, None if whole else few) == []
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
    """Every error in the tables is the mean of the rows of its method and data set."""
    text = (results / "REPORT.md").read_text(encoding="utf-8")
    rows = read(results / "knn.csv")
    checked = 0
    for protocol, heading in (("clean", "## k-NN, clean protocol, 7"), ("paper", "## k-NN, paper protocol")):
        if heading not in text:
            continue
        _, table = table_after(text, heading)
        shown_first = "glove" if "**With GloVe**" in text[text.index(heading) :][:900] else "bundled"
        own = [row for row in rows if (row["protocol"], row["vectors"]) == (protocol, shown_first)]
        for method, dataset in {(row["method"], row["dataset"]) for row in own}:
            errors = [
                100 * float(row["error_k7"])
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
            assert links[row["distance"]][phi].startswith(f"{100 * float(row[phi]):.2f} [")
    _, timing = table_after(text, "## Pairs of documents a second")
    for row in read(results / "timing.csv"):
        column = row["method"] if row["solver"] == "hott" else f"{row['method']}, POT"
        pairs = float(row["pairs_per_second"])
        shown = f"{pairs:,.0f}" if pairs >= 100 else f"{pairs:.1f}"
        assert timing[row["dataset"]][column].split()[0] == shown
    _, maps = table_after(text, "## t-SNE")
    for row in read(results / "maps.csv"):
        assert maps[row["dataset"]][row["method"]].startswith(f"{100 * float(row['accuracy']):.1f} [")


def test_every_claim_has_a_verdict(results):
    found = Results(results)
    verdicts = [claim.verdict(found) for claim in CLAIMS]
    assert len(CLAIMS) >= 40
    untested = [claim.says for claim, (verdict, _) in zip(CLAIMS, verdicts) if verdict == "untested"]
    # What nobody can compute, and what needs data sets that are not in this test.
    assert set(untested) == {
        "Learning vectors, topics and transport together would be better",
        "WMD is at most HOTT plus two terms of topic modelling loss",
        "On twitter RWMD and WMD are faster than HOTT",
        "TF-IDF is strong on ohsumed and 20news",
        "HOTT is most powerful on larger corpora of longer documents: better than RWMD there",
        "HOTT is better than RWMD on gutenberg",
        "On shorter documents RWMD and HOTT are similar (twitter, classic, r8; within 1 point)",
        "t-SNE: both methods perform poorly on twitter",
        "As topics become more, HOTT approaches WMD",
    }
    assert all(finding.ours and finding.source for _, finding in verdicts if finding)
    text = (results / "REPORT.md").read_text(encoding="utf-8")
    assert f"of {len(CLAIMS)} claims" in text


def test_a_claim_that_holds_and_one_that_fails(tmp_path):
    """HOTT 10 %, RWMD 20 % and WMD 0 %, of ten documents that all three saw."""
    keys = {"dataset": "gutenberg", "protocol": "paper", "split": 0, "setting": "standard", "seed": 0}
    wrong = {"HOTT": 1, "RWMD": 2, "WMD": 0}
    rows = []
    for method, n in wrong.items():
        key = {**keys, "method": method}
        given = np.ones((2, 10), np.int16)
        given[:, :n] = 0
        keep(tmp_path, "knn", key, given, np.ones(10, np.int16))
        rows.append(
            {**{k: str(v) for k, v in key.items()}, "error_k7": str(n / 10), "tested": "10", "test": "10"}
        )
    write_rows(tmp_path / "knn.csv", rows)
    found = Results(tmp_path, "bundled")
    better = less("HOTT", "RWMD", ("gutenberg",))(found)
    assert better.holds
    assert better.certain is False  # one document of ten
    assert better.verdict == "holds, within chance"
    assert "-10.0 [" in better.ours
    assert not level("HOTT", "WMD", 1.0)(found).holds
    assert level("HOTT", "WMD", 50.0)(found).verdict == "holds"  # the whole interval is within
    assert less("HOTT", "nBOW")(found) is None


def test_samples_are_compared_on_the_documents_that_both_saw(tmp_path):
    """One method is wrong on half of all, but right on the four that the other saw."""
    keys = {"dataset": "r8", "protocol": "paper", "split": 0, "setting": "standard", "seed": 0}
    given = {"HOTT": np.tile([1, 0], 10), "RWMD": np.full(20, -1)}
    given["RWMD"][:8:2] = [1, 1, 0, 0]
    rows = []
    for method, answers in given.items():
        key = {**keys, "method": method}
        keep(tmp_path, "knn", key, np.array([answers, answers], np.int16), np.ones(20, np.int16))
        rows.append({**{k: str(v) for k, v in key.items()}, "error_k7": "0.5", "tested": "4", "test": "20"})
    write_rows(tmp_path / "knn.csv", rows)
    found = Results(tmp_path, "bundled").difference(Cells("HOTT"), Cells("RWMD"))
    assert found.value == pytest.approx(-50)


def test_only_rows_of_one_kind_are_shown(tmp_path):
    base = {"dataset": "r8", "protocol": "clean", "split": "0", "method": "nBOW", "setting": "standard",
            "seed": "0", "tested": "9", "test": "9"}  # fmt: skip
    old = {**base, "error_k7": "0.9", "version": "1", "settings": "a"}
    new = {**base, "dataset": "classic", "error_k7": "0.1", "version": "2", "settings": "a"}
    write_rows(tmp_path / "knn.csv", [old, new])
    found = Results(tmp_path, "bundled")
    assert list(found.scores("clean")["nBOW"]) == ["classic"]
    assert found.left_out("knn") == 1


def test_published_numbers_stand_beside_ours(results):
    text = (results / "REPORT.md").read_text(encoding="utf-8")
    _, table = table_after(text, "## k-NN, paper protocol")
    assert table["HOTT"]["classic"].endswith("(5.1)")
    assert table["nBOW"]["gutenberg"].endswith("(26)")
    assert "NeurIPS 2019" in text
    assert "ICML 2022" in text


def test_every_picture_of_the_report_is_there(results):
    text = (results / "REPORT.md").read_text(encoding="utf-8")
    pictures = re.findall(r"\]\(([^)]+\.png)\)", text)
    assert len(pictures) == 15
    assert "interpretability-glove.png" in pictures
    for picture in pictures:
        assert (results / picture).stat().st_size > 2000


def test_the_report_is_made_from_the_results_alone(results, tmp_path):
    shutil.copytree(results, tmp_path / "copy", ignore=shutil.ignore_patterns("cache", "REPORT.md"))
    assert render(tmp_path / "copy") == (results / "REPORT.md").read_text(encoding="utf-8")


def test_pages_include_tables(results, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("Links:\n<!-- include: links -->\nold\n<!-- /include -->\nEnd.\n")
    include(page, results)
    text = page.read_text()
    assert "| RWMD |" in text
    assert "old" not in text
    assert text.endswith("End.\n")
    with pytest.raises(ValueError, match="no table 'lnks'"):
        included("<!-- include: lnks -->\n<!-- /include -->", results)


@pytest.mark.skipif(not (RESULTS / "REPORT.md").exists(), reason="no results in this checkout")
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_rows_in_the_repository_are_whole(name):
    """Every value stands in its own column: names with commas, such as "HOTT, 0/1 cost", are quoted."""
    path = RESULTS / f"{name}.csv"
    if not path.exists():
        pytest.skip("not computed yet")
    with path.open(newline="", encoding="utf-8") as file:
        head, *lines = csv.reader(file)
    known = remembered(RESULTS)
    assert {len(line) for line in lines} == {len(head)}
    for row in (dict(zip(head, line)) for line in lines):
        assert row["vectors"] in ("glove", "bundled")
        assert {row["settings"], row["machine"]} <= known.keys()
        assert re.fullmatch(r"[0-9a-f]{10}\+?", row["commit"])
        assert row.get("method", "HOTT") in METHODS


@pytest.mark.skipif(not (RESULTS / "REPORT.md").exists(), reason="no results in this checkout")
def test_the_results_in_the_repository_and_their_report_agree():
    assert render(RESULTS) == (RESULTS / "REPORT.md").read_text(encoding="utf-8")
    assert check_knn(RESULTS) > 0


@pytest.mark.skipif(not (RESULTS / "REPORT.md").exists(), reason="no results in this checkout")
def test_tables_of_the_documentation_are_those_of_the_results():
    """If this fails: python -m reproduction report --page docs/reproduction.md"""
    page = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
    report = (RESULTS / "REPORT.md").read_text(encoding="utf-8")  # which is that of the results: see above
    tables = re.findall(r"<!-- include: ([\w-]+) -->\n(.*?)<!-- /include -->", page, re.DOTALL)
    assert len(tables) >= 8
    assert [name for name, table in tables if not table or table not in report] == []


def test_published_tables_are_complete():
    figures = published()
    for table in ("knn_error_w1_no_stemming", "pairs_per_second"):
        methods = figures[table]["methods"]
        assert all(len(row) == len(methods) for name, row in figures[table].items() if name != "methods")
    assert len(figures["knn_error_w1_no_stemming"]) == 9


def test_means_over_splits_and_data_sets():
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
