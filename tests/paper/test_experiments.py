"""Every experiment, from data files to its table, on tiny data."""

from dataclasses import replace

import numpy as np
import pytest

from hott.paper import knn
from hott.paper.experiments import EXPERIMENTS, experiments_named
from hott.paper.methods import METHODS, PUBLISHED
from hott.paper.sources import SOURCES
from hott.paper.study import Study
from hott.paper.tables import number

from .conftest import TINY


def rows_of(name, study, datasets=None):
    experiment = EXPERIMENTS[name]
    if datasets:
        study = Study(study.data, study.out, datasets, study.sizes, threads=1)
    assert experiment.run(study) == []
    return experiment.table(study.out).rows


def test_knn_compares_every_method_under_both_protocols(study):
    rows = rows_of("knn", study, ["twitter", "r8"])
    found = {(row["dataset"], row["protocol"], row["split"], row["method"]) for row in rows}
    for protocol in ("clean", "paper"):
        for method in METHODS:
            assert ("r8", protocol, "0", method) in found
            # A second random split, where nothing of the tests was looked at.
            assert (("twitter", protocol, "1", method) in found) == (protocol == "clean")
            assert ("r8", protocol, "1", method) not in found  # the published split is the only one
    # Subjects that share no word but the common ones: topics and weighted words tell them apart.
    errors = {row["method"]: number(row, "error") for row in rows if row["dataset"] == "r8"}
    assert errors["Blend"] <= 0.1
    assert errors["TF-IDF L1/L1"] <= 0.1
    assert {row["k"] for row in rows if row["protocol"] == "paper"} == {"7"}


def test_knn_of_books_leaves_out_what_takes_too_long(study):
    rows = rows_of("knn", study, ["gutenberg"])
    methods = {row["method"] for row in rows}
    assert not {"WMD", "WMD-TF-IDF", "RWMD"} & methods
    assert {"HOTT", "HOFTT", "Blend"} <= methods
    hoftt = next(row for row in rows if row["method"] == "HOFTT")
    assert (hoftt["tested"], hoftt["test"]) == ("4", "9")  # four of three authors' last three books each


def test_a_stopped_run_continues(study, monkeypatch):
    small = Study(study.data, study.out, ["bbcsport"], replace(TINY, splits=1), threads=1)
    computed = []
    real = knn.classify

    def stops(task, method, p=1):
        if len(computed) == 3:
            raise KeyboardInterrupt
        computed.append(method.name)
        return real(task, method, p)

    monkeypatch.setattr(knn, "classify", stops)
    with pytest.raises(KeyboardInterrupt):
        EXPERIMENTS["knn"].run(small)
    assert [row["method"] for row in EXPERIMENTS["knn"].table(small.out).rows] == computed

    again = []
    monkeypatch.setattr(
        knn, "classify", lambda t, m, p=1: again.append((t.protocol, m.name)) or real(t, m, p)
    )
    assert EXPERIMENTS["knn"].run(small) == []
    assert len(again) == 2 * len(METHODS) - 3
    assert not {("clean", name) for name in computed} & set(again)


def test_a_failing_cell_does_not_stop_the_others(study, monkeypatch):
    small = Study(study.data, study.out, ["bbcsport"], replace(TINY, splits=1), threads=1)
    real = knn.classify

    def fails(task, method, p=1):
        if method.name == "SIF":
            raise ValueError("no luck")
        return real(task, method, p)

    monkeypatch.setattr(knn, "classify", fails)
    failures = EXPERIMENTS["knn"].run(small)
    assert failures == [
        "knn bbcsport clean 0 SIF: ValueError: no luck",
        "knn bbcsport paper 0 SIF: ValueError: no luck",
    ]
    monkeypatch.setattr(knn, "classify", real)
    assert EXPERIMENTS["knn"].run(small) == []


def test_topics_are_learned_once(study, monkeypatch):
    task = study.task("classic", "paper")
    first = task.topics(2)

    def learn_again(*_):
        raise AssertionError("learned again")

    monkeypatch.setattr("hott.paper.study.train", learn_again)
    again = Study(study.data, study.out, sizes=TINY).task("classic", "paper").topics(2)
    assert all((a.components == b.components).all() for a, b in zip(first, again))
    assert all((a.alpha == b.alpha).all() for a, b in zip(first, again))


def test_statistics(study):
    rows = {row["dataset"]: row for row in rows_of("statistics", study)}
    assert set(rows) == set(SOURCES)
    assert rows["r8"]["documents"] == "42"
    assert rows["r8"]["classes"] == "3"
    assert 0 < number(rows["r8"], "iou") < 1
    assert 1 <= number(rows["gutenberg"], "topics_kept") <= TINY.topics


def test_timing_measures_ours_and_pot(study):
    rows = rows_of("timing", study, ["bbcsport", "gutenberg"])
    assert len(rows) == 2 * (5 + 4)
    assert all(number(row, "pairs_per_second") > 0 for row in rows)


def test_relation_to_wmd(study):
    for row in rows_of("relation", study, ["bbcsport", "twitter"]):
        assert row["dataset"] == "bbcsport"  # twitter is not in the published table
        assert number(row, "mantel_rwmd") > 0.5
        assert 0 <= number(row, "relative_l2_rwmd") < 1


def test_agreement_with_people(study):
    rows = rows_of("judgement", study)
    assert [row["method"] for row in rows] == list(METHODS)
    assert {row["documents"] for row in rows} == {"50"}
    assert number(next(row for row in rows if row["method"] == "TF-IDF"), "pearson") > 0.3


def test_sensitivity(study, monkeypatch):
    monkeypatch.setattr("hott.paper.sensitivity.TOPICS", (2, 3))
    monkeypatch.setattr("hott.paper.sensitivity.TOPIC_WORDS", (2, 5))
    rows = rows_of("sensitivity", study)
    kinds = {(row["study"], row["setting"]) for row in rows}
    assert {("embedding", "word2vec"), ("topics", "2"), ("topic words", "5")} <= kinds
    assert all(0 <= number(row, "error") <= 1 for row in rows)


def test_link_prediction(study):
    rows = {row["distance"]: row for row in rows_of("links", study)}
    assert set(rows) == {"None", "HOTT", "WMD-T20", "RWMD", "HOFTT"}
    assert rows["None"]["phi0"] == ""
    assert rows["None"]["test_pairs"] == "60"
    # Linked papers are about the same subject, which the abstracts tell and the years do not.
    assert number(rows["HOTT"], "phi4") > 0.7


def test_maps_keep_their_points(study):
    rows = rows_of("maps", study, ["classic"])
    assert [row["method"] for row in rows] == ["HOTT", "RWMD"]
    points = (study.out / "maps" / "classic-hott.csv").read_text().splitlines()
    assert points[0] == "x,y,label"
    assert len(points) == 41


def test_two_books(study):
    [row] = rows_of("interpretability", study)
    assert (row["first"], row["second"]) == ("Book 0", "Book 41")  # the paper's books are not in this data
    assert number(row, "distance") > 0


def test_appendix_repeats_what_the_change_touches(study):
    rows = rows_of("appendix", study, ["bbcsport", "gutenberg"])
    with_w2 = {row["method"] for row in rows if (row["p"], row["stem"]) == ("2", "no")}
    stemmed = {row["method"] for row in rows if (row["p"], row["stem"]) == ("1", "yes")}
    assert with_w2 == {"RWMD", "WMD-T20", "HOTT", "HOFTT"}
    assert stemmed == {method.name for method in PUBLISHED}
    task = study.task("gutenberg", "paper", 0, True)
    assert "captain" in task.words
    assert "medicin" in task.words  # a stem
    assert np.isfinite(task.vectors).all()


def test_clean_learns_nothing_from_test_documents(data, study):
    task = study.task("r8", "clean")
    documents = study.documents("r8")
    train = {word for row in documents.split(0).train for word in documents.contents[row].split()}
    assert set(task.words) <= train
    assert task.training_counts.shape[0] == len(task.split.train)
    assert study.task("r8", "paper").training_counts.shape[0] == len(documents)


def test_unknown_names_are_told():
    with pytest.raises(ValueError, match="no experiment 'tsne'"):
        experiments_named(["tsne"])
    with pytest.raises(ValueError, match="no data set 'reuters'"):
        Study("data", "out", ["reuters"])
