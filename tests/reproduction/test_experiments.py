"""Every experiment, from data files to its table, on tiny data."""

import gzip
import hashlib
import json
import shutil
import sys
from dataclasses import replace
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.svm import LinearSVC

from hott import KNNClassifier
from hott.distances.vector import MeaningVectors
from hott.embeddings.encoder import Encoder
from hott.utils.run import Run
from reproduction import knn, maps
from reproduction.cli import run
from reproduction.evaluation import mcnemar
from reproduction.evaluation.knn import _predict
from reproduction.experiments import EXPERIMENTS, Only
from reproduction.knn import Grid, grids
from reproduction.knn_sections import differences
from reproduction.methods import METHODS, PUBLISHED
from reproduction.predictions import AT_7, CHOSEN, Predictions, links_file, read_links
from reproduction.provenance import remembered
from reproduction.results import Cells, Results
from reproduction.setting import Setting, departures
from reproduction.sources import GLOVE, NLTK_STOP_WORDS, SOURCES, STOP_WORDS
from reproduction.study import Study
from reproduction.tables import number, read_rows

from .conftest import TINY, write_lines

pytestmark = pytest.mark.filterwarnings("ignore:.*cannot tell .* topics apart")  # tiny data
AVAILABLE = [name for name, method in METHODS.items() if method.available]
CUT = ["WMD-T10", "WMD-T50", "WMD-T100"]
# In a table of their own; those of large encoders where their vectors are.
NEW = ["Vectors", "HOTT, contextual", "Blend + vectors", "Blend + WMD-TF-IDF", "Linear SVM"]
LARGE = ["MiniLM", "mpnet", "Blend + MiniLM", "Blend + mpnet", "wordllama"]
IN_BOTH = [name for name in AVAILABLE if name not in (*CUT, "HOTT, HDP", *NEW, *LARGE)]


def rows_of(name, study, datasets=None, only=None):
    experiment = EXPERIMENTS[name]
    if datasets:
        study = Study(study.data, study.out, datasets, study.sizes, run=Run(threads=1))
    assert experiment.run(study, only) == []
    return read_rows(study.out / f"{name}.csv")


def small(study, *datasets, **sizes):
    return Study(
        study.data, study.out, list(datasets), replace(TINY, **{"splits": 1, **sizes}), run=Run(threads=1)
    )


def test_knn_compares_every_method_under_both_protocols(study):
    rows = rows_of("knn", study, ["twitter", "r8"])
    found = {(row["dataset"], row["protocol"], row["split"], row["method"]) for row in rows}
    assert ("r8", "paper", "0", "WMD-T50") in found
    for method in IN_BOTH:
        assert ("r8", "clean", "0", method) in found
        assert ("twitter", "clean", "1", method) in found  # a second random split
        assert ("r8", "clean", "1", method) not in found  # the published split is the only one
        assert (("twitter", "paper", "1", method) in found) == (method in [*PUBLISHED, "WMD"])
        assert (("r8", "paper", "0", method) in found) == (method in [*PUBLISHED, "WMD"])
    assert {row["vectors"] for row in rows if row["protocol"] == "paper"} == {"glove"}
    assert {row["vectors"] for row in rows if row["protocol"] == "clean"} == {"bundled"}
    # As many runs where the split is given: other seeds of the methods that have one.
    runs = {(row["method"], row["seed"]) for row in rows if row["dataset"] == "r8"}
    assert {("HOTT", "0"), ("HOTT", "1"), ("HOFTT", "1"), ("LDA", "1")} <= runs
    assert not {("nBOW", "1"), ("RWMD", "1")} & runs
    # Subjects that share no word but the common ones: topics and weighted words tell them apart.
    errors = {row["method"]: number(row, "error") for row in rows if row["dataset"] == "r8"}
    assert errors["Blend"] <= 0.1
    assert errors["TF-IDF L1/L1"] <= 0.1
    assert {row["k"] for row in rows if row["protocol"] == "paper"} == {"7"}
    assert {row["chosen_on"] for row in rows if row["protocol"] == "clean"} == {"10"}  # slow methods too


def test_predictions_of_every_document_are_kept(study):
    rows = rows_of("knn", study, ["r8"], Only(methods=["HOTT", "TF-IDF", "WMD-T20"]))
    kept = Predictions(study.out, "knn")
    for row in rows:
        for which, error in ((AT_7, "error_k7"), (CHOSEN, "error")):
            wrong = kept.of(row, which).wrong()
            assert np.isfinite(wrong).sum() == int(row["tested"])
            assert np.nanmean(wrong) == pytest.approx(number(row, error), abs=1e-5)
    clean = {row["method"]: kept.of(row).wrong() for row in rows if row["protocol"] == "clean"}
    assert set(np.flatnonzero(np.isfinite(clean["WMD-T20"]))) < set(
        np.flatnonzero(np.isfinite(clean["HOTT"]))
    )  # a sample of the same documents
    assert mcnemar(clean["HOTT"] == 1, clean["TF-IDF"] == 1).p_value <= 1


def test_a_smaller_sample_is_part_of_a_larger_one(study):
    task = study.task("classic", "paper")
    few, more = (knn.sampled_tests(task, METHODS["RWMD"], pairs).test for pairs in (100, 200))
    assert 0 < len(few) < len(more)
    assert set(few) < set(more)


def test_neighbours_are_chosen_on_documents_without_copies(study):
    documents = study.documents("twitter")
    contents = list(documents.contents)
    contents[1] = contents[0]
    doubled = replace(documents, contents=contents)
    study.documents = lambda name: doubled
    task = study.task("twitter", "clean")
    texts = [contents[row] for row in task.rows[task.split.train]]
    if texts.count(contents[0]) == 2:  # both in training
        assert contents[0] not in {contents[row] for row in task.rows[task.unrepeated]}
    assert set(task.unrepeated) <= set(task.split.train)
    assert len(task.unrepeated) <= len(set(texts))


def test_knn_of_books_looks_at_a_sample_of_them_where_transport_is_over_words(study):
    rows = rows_of("knn", study, ["gutenberg"], Only(protocol="paper"))
    tested = {row["method"]: (row["tested"], row["test"]) for row in rows}
    assert tested["HOFTT"] == ("4", "9")  # four of three authors' last three books each
    assert tested["RWMD"] == ("4", "9")
    assert "WMD" not in tested
    assert tested["HOTT"] == ("9", "9")


def test_a_stopped_run_continues(study, monkeypatch):
    chosen = small(study, "bbcsport")
    computed, real = [], knn.classify

    def stops(task, method, pairs):
        if len(computed) == 3:
            raise KeyboardInterrupt
        computed.append(method.name)
        return real(task, method, pairs)

    monkeypatch.setattr(knn, "classify", stops)
    with pytest.raises(KeyboardInterrupt):
        EXPERIMENTS["knn"].run(chosen)
    assert [row["method"] for row in read_rows(chosen.out / "knn.csv")] == computed

    again = []
    monkeypatch.setattr(
        knn, "classify", lambda t, m, pairs: again.append((t.protocol, m.name)) or real(t, m, pairs)
    )
    assert EXPERIMENTS["knn"].run(chosen) == []
    assert len(again) == len(IN_BOTH) + len([*PUBLISHED, *CUT, "WMD"]) - 3
    assert not {("clean", name) for name in computed} & set(again)


def test_a_failing_cell_does_not_stop_the_others(study, monkeypatch):
    chosen, real = small(study, "bbcsport"), knn.classify

    def fails(task, method, pairs):
        if method.name == "SIF":
            raise ValueError("no luck")
        return real(task, method, pairs)

    monkeypatch.setattr(knn, "classify", fails)
    only = Only(methods=["nBOW", "SIF", "Cosine"])
    assert EXPERIMENTS["knn"].run(chosen, only) == [
        "knn bbcsport clean 0 SIF standard 0 bundled: ValueError: no luck",
        "knn bbcsport paper 0 SIF standard 0 glove: ValueError: no luck",
    ]
    monkeypatch.setattr(knn, "classify", real)
    assert EXPERIMENTS["knn"].run(chosen, only) == []


def test_rows_of_other_settings_or_versions_are_computed_again(study, monkeypatch):
    only = Only(methods=["nBOW"], protocol="clean")
    table = study.out / "knn.csv"

    def run(force=False, **sizes):
        assert EXPERIMENTS["knn"].run(small(study, "r8", **sizes), only, force) == []
        [row] = read_rows(table)
        return row

    first = run()
    assert run() == first
    assert run(force=True)["finished"] >= first["finished"]
    other = run(topics=5)
    assert other["settings"] != first["settings"]
    assert remembered(study.out)[other["settings"]]["topics"] == 5
    monkeypatch.setattr("reproduction.provenance.REVISION", 99)
    assert run(topics=5)["version"].endswith("-99")
    machine = remembered(study.out)[first["machine"]]
    assert {"numpy", "scipy", "scikit-learn"} <= machine["libraries"].keys()
    assert machine["processor"]
    assert "commit" in first
    assert number(first, "processor_seconds") > 0


def test_another_seed_adds_rows_of_the_methods_that_depend_on_it(study):
    only = Only(methods=["HOTT", "nBOW"], protocol="clean")
    for seed in (0, 1):
        chosen = replace(small(study, "r8"), seed=seed)
        assert EXPERIMENTS["knn"].run(chosen, only) == []
    rows = read_rows(study.out / "knn.csv")
    assert [(row["method"], row["seed"]) for row in rows] == [("nBOW", "0"), ("HOTT", "0"), ("HOTT", "1")]


def test_what_a_device_cannot_compute_is_computed_here(study):
    def errors(run):
        asked = Study(study.data, study.out, ["r8"], TINY, run=run).task("r8", "paper")
        return [knn.classify(asked, METHODS[name], 250).values["error"] for name in ("nBOW", "RWMD")]

    assert errors(Run(device="cuda", threads=1)) == errors(Run(threads=1))


def test_the_stop_words_are_those_that_the_results_were_computed_with():
    digest = hashlib.sha256(" ".join(sorted(STOP_WORDS)).encode()).hexdigest()
    assert (len(STOP_WORDS), digest[:16]) == (311, "94085795c5e8328e")


def test_books_are_counted_without_the_stop_words_of_the_setting(study):
    words = [
        set(study.task("gutenberg", "paper", setting=Setting(stop_words=name, vectors="bundled")).words)
        for name in ("given", "kept", "removed", "nltk")
    ]
    assert [("the" in found, "year" in found) for found in words] == [
        (False, True), (True, True), (False, True), (False, True)
    ]  # fmt: skip
    assert len(NLTK_STOP_WORDS) == 153
    assert {"would", "could", "may", "shall", "upon"}.isdisjoint(NLTK_STOP_WORDS)


def test_topics_are_learned_once(study, monkeypatch):
    task = study.task("classic", "paper")
    first = task.topics(2)

    def learn_again(*_):
        raise AssertionError("learned again")

    monkeypatch.setattr("reproduction.study.train", learn_again)
    again = Study(study.data, study.out, sizes=TINY).task("classic", "paper").topics(2)
    assert all((a.components == b.components).all() for a, b in zip(first, again))
    with pytest.raises(AssertionError, match="learned again"):
        task.topics(2, informed=True)


def test_informed_topics_are_other_topics(study):
    task = study.task("classic", "paper")
    [plain], [informed] = task.topics(1), task.topics(1, informed=True)
    assert plain.components.shape == informed.components.shape
    assert (plain.components != informed.components).any()


def test_settings_change_what_they_say(study):
    def task(**changes):
        return study.task("classic", "paper", setting=Setting(**changes))

    assert task(topics=3).topics(1)[0].n_topics == 3
    assert task(rare="dropped").counts.sum(axis=0).min() > 2
    assert all(len(word) > 2 for word in task(rare="dropped").words)
    assert task(shortest=13).counts.shape[0] == 0  # every document has twelve words
    assert task(shortest=12).counts.shape[0] == 42
    full, cut = (METHODS["HOTT"].fitted(task(threshold=t)) for t in (None, 2.0))
    counts = task().counts
    assert full.transform(counts).nnz > cut.transform(counts).nnz
    whole, few = (task(topic_words=n).spaces(1)[0].distances for n in ("all", 2))
    assert (whole != few).any()
    bundled = task(vectors="bundled")
    assert (task().vectors.shape[1], bundled.vectors.shape[1]) == (20, 256)
    twitter = study.task("twitter", "paper", setting=Setting(train_share=0.5))
    assert (len(twitter.split.train), len(twitter.split.test)) == (21, 21)
    none = task(vectors="none").spaces(1)[0].distances
    assert none.max() <= 1  # the mass that two topics do not have in common


@pytest.mark.parametrize("name", ["r8", "gutenberg"])
def test_a_given_split_can_be_replaced_by_a_random_one_of_the_same_size(study, name):
    given, random = (
        study.task(name, "paper", setting=Setting(split=way)).split for way in ("given", "random")
    )
    assert len(random.train) == len(given.train)
    assert random.test.tolist() != given.test.tolist()
    assert sorted([*random.train, *random.test]) == sorted([*given.train, *given.test])


def test_settings_have_names_that_can_be_read_back():
    for setting in (Setting(), Setting(p=2, stem=True), Setting(threshold=None), Setting(topic_words="all")):
        read = departures(setting.label)
        assert read.keys() == {
            name for name, value in vars(setting).items() if value != vars(Setting())[name]
        }


def test_grids_leave_out_what_changes_nothing(study):
    grid = Grid(("nBOW", "HOTT"), datasets=("r8",), settings=(Setting(p=2), Setting(p=2, stem=True)))
    found = {(cell.key["method"], cell.key["setting"]) for cell in grids("x", grid)(study)}
    assert found == {("HOTT", "p=2"), ("HOTT", "p=2 stem=yes")}  # the order is nothing to nBOW


@pytest.mark.parametrize("name", ["appendix", "sensitivity", "preparation"])
def test_studies_of_settings(study, name):
    # The settings of a full run, over fewer methods: each of them must at least run.
    rows = rows_of(name, study, ["r8", "classic"], Only(methods=["nBOW", "LDA", "HOTT", "HOFTT", "Blend"]))
    settings = {row["setting"] for row in rows}
    wanted = {
        "appendix": {"p=2", "stem=yes", "p=2 stem=yes"},
        "sensitivity": {"vectors=word2vec", "topics=10", "topic_words=all", "threshold=none"},
        "preparation": {"rare=dropped", "sweeps=1500"},
    }[name]
    assert wanted <= settings
    assert all(0 <= number(row, "error") <= 1 for row in rows)


def test_large_encoders_are_rivals_once_their_vectors_lie_there(study, monkeypatch):
    """A command of its own loads them, from a folder if one is given; what computes reads their vectors."""
    loaded, calls = [], []

    class SentenceTransformer:
        def __init__(self, where):
            loaded.append(where)

        def encode(self, texts, **options):
            calls.append(len(texts))
            return (
                np.array([[text.count(word) for word in ("ship", "doctor", "bank")] for text in texts]) + 0.1
            )

    package = ModuleType("sentence_transformers")
    package.SentenceTransformer = SentenceTransformer
    package.__spec__ = ModuleSpec("sentence_transformers", None)
    monkeypatch.setitem(sys.modules, "sentence_transformers", package)
    wanted = ["MiniLM", "Blend + MiniLM", "mpnet"]
    assert rows_of("now", study, ["r8"], Only(methods=wanted)) == []  # there are none yet
    command = ["encode", "minilm=models/one", "--data", str(study.data), "-o", str(study.out)]
    assert run([*command, "--datasets", "r8,gutenberg"]) == 0
    assert run([*command, "--datasets", "r8"]) == 0  # nothing is left to do
    assert loaded[0] == str(Path("models/one").absolute())
    assert calls == [42]
    monkeypatch.delitem(sys.modules, "sentence_transformers")
    rows = rows_of("now", study, ["r8", "gutenberg"], Only(methods=wanted))
    assert {row["method"] for row in rows} == {"MiniLM", "Blend + MiniLM"}
    assert {row["setting"] for row in rows} == {"standard", "hubs=yes", "train=200"}
    errors = {row["method"]: number(row, "error_k7") for row in rows if row["setting"] == "standard"}
    assert errors["Blend + MiniLM"] <= errors["MiniLM"]
    task = study.task("r8", "clean")
    other = replace(study.documents("r8"), contents=["other"] * 42)
    study.documents = lambda name: other
    with pytest.raises(ValueError, match="encoded from other texts"):
        METHODS["MiniLM"].fitted(task)


def test_hubs_are_corrected_as_the_classifier_does(study):
    setting = Setting(hubs=True)
    task, method = study.task("twitter", "clean", setting=setting), METHODS["Blend"]
    distance = method.fitted(task)
    R, (train, test) = method.represent(task, distance), (task.split.train, task.split.test)
    model = KNNClassifier(distance, knn.HUBS_K, correct_hubs=True).fit(R.select(train), task.labels[train])
    wrong = model.predict(R.select(test)) != task.labels[test]
    found = knn.classify(task, method, 10**6)
    assert (found.values["k"], found.values["error"]) == (knn.HUBS_K, wrong.mean())
    [row] = rows_of("now", small(study, "twitter"), only=Only(["Blend"], settings=[setting.label]))
    assert number(row, "error") == pytest.approx(wrong.mean(), abs=1e-5)
    stored = Results(study.out, "bundled")._wrong(Cells("Blend", "clean", setting.label), "twitter")
    assert np.nanmean(stored["0", "0"]) == pytest.approx(wrong.mean(), abs=1e-5)


def test_a_linear_classifier_stands_beside_the_neighbours(study):
    task = study.task("r8", "clean")
    weights = TfidfTransformer().fit(task.training_counts)
    train, test = task.split.train, task.split.test
    machine = LinearSVC(random_state=0).fit(weights.transform(task.counts[train]), task.labels[train])
    wrong = (machine.predict(weights.transform(task.counts[test])) != task.labels[test]).mean()
    assert knn.classify(task, METHODS["Linear SVM"], 1).values["error_k7"] == wrong


def test_few_documents_are_drawn_anew_for_each_run(study, monkeypatch):
    monkeypatch.setattr("reproduction.task.MOST_TESTS", 5)
    for name in ("r8", "20news"):  # whose split is published
        tasks = [study.task(name, "clean", split, Setting(train=9)) for split in (0, 1)]
        assert [(len(task.split.train), len(task.split.test)) for task in tasks] == [(9, 5)] * 2
        drawn = [set(task.rows[task.split.train]) for task in tasks]
        assert drawn[0] != drawn[1]
        whole = study.task(name, "clean")
        assert drawn[0] | drawn[1] <= set(whole.rows[whole.split.train])
        seen = tasks[0].training_counts.sum(axis=0)
        assert len(seen) == tasks[0].counts.shape[1]
        assert seen.min() == 1  # words of any frequency
    grid = Grid(("HOTT", "MiniLM", "nBOW"), ("clean",), (Setting(train=200),), ("r8",), runs=True)
    runs = {(c.key["method"], c.key["split"], c.key["seed"]) for c in grids("x", grid)(study)}
    assert runs == {(method, split, 0) for method in ("HOTT", "nBOW") for split in (0, 1)}


def test_what_a_text_is_compared_by_today_stands_beside_the_distances_over_words(study, monkeypatch):
    """Each text is read once, and the vectors are those that the library gives for the texts of the split."""
    encode, read = Encoder.encode, []

    def count(encoder, texts, *more, **options):
        read.append(len(texts))
        return encode(encoder, texts, *more, **options)

    monkeypatch.setattr(Encoder, "encode", count)
    rows = rows_of("now", study, ["bbcsport", "gutenberg"], Only(settings=["standard"]))
    assert {row["dataset"] for row in rows} == {"bbcsport"}  # an encoder needs texts
    assert read == [42]
    errors = {row["method"]: number(row, "error_k7") for row in rows if row["split"] == "0"}
    assert errors.keys() == set(NEW)
    assert errors["Blend + vectors"] < 0.3  # three subjects
    task = study.task("bbcsport", "clean")
    distance, known = METHODS["Vectors"].fitted(task), MeaningVectors()
    known.fit_encode([task.texts[row] for row in task.split.train])
    ours, theirs = METHODS["Vectors"].represent(task, distance), known.encode(task.texts)
    assert np.array_equal(ours.parts[0].parts[0].codes, theirs.parts[0].codes)
    rows_of("knn", study, ["bbcsport"], Only(["Blend"], "clean"))
    assert "| Blend + vectors − Blend |" in differences(Results(study.out, "bundled"))


def test_texts_of_no_word_that_a_method_knows_are_left_out_of_its_test(study, tmp_path):
    """The vectors of words know "caramba", the encoder does not."""
    folder, name = tmp_path / "data", SOURCES["twitter"].files[0]
    shutil.copytree(study.data, folder)
    with gzip.open(folder / name, "rt") as file:
        rows = [json.loads(line) for line in file]
    extra = [{**row, "id": f"more {i}", "text": "caramba" + "!" * i} for i, row in enumerate(rows[:12])]
    write_lines(folder / name, rows + extra)
    study = Study(folder, study.out, ["twitter"], study.sizes, run=Run(threads=1))
    task = study.task("twitter", "clean")
    known = ["caramba" not in text for text in task.texts]
    expected = task.split.only(np.flatnonzero(known)).test
    assert 0 < len(expected) < len(task.split.test)
    rows = rows_of("now", study, only=Only(["HOTT, contextual", "Vectors"], settings=["standard"]))
    tested = {row["method"]: int(row["tested"]) for row in rows if row["split"] == "0"}
    assert tested["HOTT, contextual"] == len(expected)


def test_statistics(study):
    rows = {row["dataset"]: row for row in rows_of("statistics", study)}
    assert set(rows) == set(SOURCES)
    assert rows["r8"]["documents"] == "42"
    assert rows["r8"]["classes"] == "3"
    assert number(rows["r8"], "majority") == pytest.approx(1 / 3)
    assert 0 < number(rows["r8"], "iou") < 1
    assert 1 <= number(rows["gutenberg"], "topics_kept") <= TINY.topics


def test_timing_measures_ours_and_pot(study):
    rows = rows_of("timing", study, ["bbcsport", "gutenberg"])
    assert len(rows) == 2 * (7 + 6)  # POT has no relaxed distance
    assert all(number(row, "pairs_per_second") > 0 for row in rows)
    [row] = rows_of("costs", study, ["bbcsport"])
    assert number(row, "learn_seconds") > 0
    assert row["pairs"] == str(42 * 41 // 2)


def test_relation_to_wmd(study):
    for row in rows_of("relation", study, ["bbcsport", "twitter"]):
        assert row["dataset"] == "bbcsport"  # twitter is not in the published table
        assert number(row, "mantel_rwmd") > 0.5
        assert number(row, "mantel_rwmd_low") <= number(row, "mantel_rwmd") <= number(row, "mantel_rwmd_high")
        assert 0 <= number(row, "relative_l2_rwmd") < 1


def test_hott_is_set_beside_wmd_for_each_number_of_topics(study):
    rows = rows_of("granularity", study, ["twitter"])
    assert [row["n_topics"] for row in rows] == ["10", "20", "70", "200", "500"]
    assert all(-1 <= float(row["mantel_hott"]) <= 1 for row in rows)


def test_bounds_hold_on_real_words(study):
    rows = {row["dataset"]: row for row in rows_of("bounds", study, ["bbcsport", "twitter", "gutenberg"])}
    for row in rows.values():
        assert row["rwmd_below_wmd"] == row["rwmd_below_hausdorff"] == "1"
        assert row["triangles_broken"] == "0"
        assert 0 < number(row, "rwmd_over_wmd") <= 1
    assert rows["twitter"]["wmd_below_bound"] == "1"
    assert 0 < number(rows["twitter"], "wmd_over_bound") < 1
    assert rows["gutenberg"].get("wmd_below_bound", "") == ""


def test_agreement_with_people(study):
    rows = rows_of("judgement", study)
    assert [row["method"] for row in rows] == IN_BOTH
    assert {row["documents"] for row in rows} == {"50"}
    tfidf = next(row for row in rows if row["method"] == "TF-IDF")
    assert number(tfidf, "pearson") > 0.3
    assert number(tfidf, "pearson_low") < number(tfidf, "pearson") < number(tfidf, "pearson_high")


def test_link_prediction(study):
    rows = {row["distance"]: row for row in rows_of("links", study)}
    assert set(rows) == {"None", "HOTT", "WMD-T20", "RWMD", "HOFTT"}
    assert rows["None"]["phi0"] == ""
    assert rows["None"]["test_pairs"] == "60"
    # Linked papers are about the same subject, which the abstracts tell and the years do not.
    assert number(rows["HOTT"], "phi4") > 0.7
    assert (
        number(rows["HOTT"], "phi4_low") <= number(rows["HOTT"], "phi4") <= number(rows["HOTT"], "phi4_high")
    )
    kept = read_links(links_file(study.out, "glove"))
    assert kept["HOTT|phi0"].shape == kept["true"].shape == (60,)


def test_distances_of_links_do_not_see_titles(study):
    from reproduction.links import Citations

    task = Citations(study).task
    assert task.counts.sum(axis=1).max() == 12  # the words of an abstract; a title would be six more


def test_maps_keep_their_points(study):
    rows = rows_of("maps", study, ["classic"])
    assert [row["method"] for row in rows] == ["HOTT", "RWMD"]
    points = read_rows(study.out / "maps" / "classic-hott-glove.csv")
    assert len(points) == 40
    right = np.mean([int(point["correct"]) for point in points])
    assert number(rows[0], "accuracy") == pytest.approx(right)
    assert number(rows[0], "majority") == pytest.approx(14 / 40)


def test_the_order_of_the_points_does_not_matter_to_their_accuracy():
    """Files are sorted by class and, within a class, by source: parts in order would be unlike each other."""
    random = np.random.default_rng(0)
    labels = np.repeat(["a", "b"], 100)
    # Each class lies in five clusters, one after the other in the file.
    centres = np.repeat(np.arange(10) * 10.0, 20)
    points = np.column_stack([centres, np.zeros(200)]) + random.normal(0, 0.1, (200, 2))
    points[labels == "b", 0] -= 95  # between those of the other class
    assert maps.right_in_the_plane(points, labels, 7).mean() == 1.0


def test_two_books(study):
    [row] = rows_of("interpretability", study)
    assert (row["first"], row["second"]) == ("Book 0", "Book 41")  # the paper's books are not in this data
    assert number(row, "distance") > 0


def test_every_data_set_is_needed_for_its_own_experiments_alone(study, data, tmp_path):
    """A missing file concerns the data sets of the run, and no other."""
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "r8.jsonl.gz").write_bytes((data / "r8.jsonl.gz").read_bytes())
    alone = Study(tmp_path / "some", tmp_path / "out", ["r8"], TINY, run=Run(threads=1))
    [failure] = EXPERIMENTS["statistics"].run(alone)
    assert f"{GLOVE} is missing" in failure
    assert EXPERIMENTS["statistics"].run(replace(alone, vectors="bundled")) == []
    assert EXPERIMENTS["statistics"].run(replace(alone, glove=data / GLOVE)) == []


def test_word_vectors_are_a_choice_with_rows_of_its_own(study):
    """The vocabulary is that of the vectors, so that every method depends on them."""
    only = Only(methods=["nBOW", "HOTT"], protocol="paper")
    for vectors in (None, "bundled"):
        assert EXPERIMENTS["knn"].run(replace(small(study, "r8"), vectors=vectors), only) == []
    rows = read_rows(study.out / "knn.csv")
    assert [row["vectors"] for row in rows] == ["glove", "glove", "bundled", "bundled"]
    glove, bundled = (
        replace(study, vectors=name).task("r8", "paper").vectors for name in ("glove", "bundled")
    )
    assert (glove.shape[1], bundled.shape[1]) == (20, 256)
    kept = Predictions(study.out, "knn")
    assert all(kept.of(row) is not None for row in rows)


def test_ties_leave_out_two_neighbours_as_the_authors_do():
    """Votes 0 1 1 0 2 2 1: seven give 1; of six, two classes tie, and the library asks five."""
    votes = np.array([[0, 1, 1, 0, 2, 2]])
    one, two = (_predict(votes, 3, drop)[0].tolist() for drop in (1, 2))
    assert one == [0, 0, 1, 1, 1, 1]
    assert two == [0, 0, 1, 0, 1, 0]  # of four, 0 and 1 tie: two are left, which tie: the nearest decides
