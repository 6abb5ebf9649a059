"""The life of an index: documents come, change and go; the topics stay, and nothing is lost."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import hott
from hott import Corpus, Index
from hott.index import Documents, changing
from hott.storage import read as read_stored
from tests.index.test_filters import corpus_of
from tests.themes import made_index

WORDS = [
    *("planet", "star", "moon", "comet", "light", "bread", "yeast", "oven", "flour", "butter"),
    *("goal", "match", "team", "penalty", "league"),
]


def text_of(rng):
    return " ".join(rng.choice(WORDS, int(rng.integers(4, 12))))


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("life") / "a.hott"
    Index.build(corpus_of(60), n_topics=4, n_models=2, iterations=20).save(path)
    return path


def same(one: Index, other: Index) -> None:
    """Bit for bit, whatever their documents went through."""
    assert list(one.documents) == list(other.documents)
    assert one.documents.schema == other.documents.schema
    np.testing.assert_array_equal(one.snapshot.topics.positions, other.snapshot.topics.positions)
    for a, b in zip(one.snapshot.topics.arrays(), other.snapshot.topics.arrays(), strict=True):
        np.testing.assert_array_equal(a, b)
    for name in ("words", "starts", "documents", "counts", "lengths"):
        np.testing.assert_array_equal(
            getattr(one.snapshot.postings, name), getattr(other.snapshot.postings, name)
        )
    np.testing.assert_array_equal(one.distances(), other.distances())
    ours, theirs = (index.search("bread light goal", len(index)) for index in (one, other))
    assert [(hit.id, hit.score) for hit in ours] == [(hit.id, hit.score) for hit in theirs]


def test_a_corpus_synced_fifty_times_at_random_is_as_if_made_at_once(saved, tmp_path):
    rng = np.random.default_rng(0)
    index, path = hott.open(saved), tmp_path / "b.hott"
    state = {f"d{i}": (text_of(rng), i) for i in range(20)}
    for step in range(50):
        for id in rng.permutation(sorted(state))[: int(rng.integers(0, 4))]:
            if len(state) > 3:
                del state[id]
        for id in rng.permutation(sorted(state))[: int(rng.integers(0, 4))]:
            state[id] = (text_of(rng) if rng.random() < 0.7 else state[id][0], int(rng.integers(9)))
        for _ in range(int(rng.integers(0, 4))):
            state[f"n{step}-{rng.integers(99)}"] = (text_of(rng), int(rng.integers(9)))
        order = list(rng.permutation(sorted(state))) if rng.random() < 0.3 else sorted(state)
        mixed = step == 25  # a column that is text for once leaves no trace
        corpus = Corpus(
            [state[id][0] for id in order],
            ids=order,
            columns={"n": ["x" if mixed and i == 0 else state[id][1] for i, id in enumerate(order)]},
        )
        before = {d.id: d for d in index.documents}
        changes = index.sync(corpus)
        assert set(changes.added) == set(order) - set(before)
        assert set(changes.removed) == set(before) - set(order)
        assert len(changes.added) + len(changes.changed) + changes.unchanged == len(order)
        if rng.random() < 0.3:
            index.save(path)
            index = hott.open(path)
    same(index, hott.open(saved).with_documents(corpus))


def test_a_folder_is_synced_by_content(saved, tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.txt").write_text(f"{name} bread yeast")
    index = hott.open(saved).with_documents(hott.read(folder))
    (folder / "a.txt").touch()
    (folder / "b.txt").write_text("planet moon")
    (folder / "c.txt").unlink()
    (folder / "d.txt").write_text("goal team")
    changes = index.sync(hott.read(folder))
    assert (changes.added, changes.changed, changes.removed, changes.unchanged) == (
        ("d.txt",),
        ("b.txt",),
        ("c.txt",),
        1,
    )
    assert str(changes) == "1 added, 1 changed, 1 removed, 1 unchanged"
    same(index, hott.open(saved).with_documents(hott.read(folder)))
    assert not index.sync(hott.read(folder))


def test_update_replaces_in_place_and_adds_behind(saved):
    index, rng = hott.open(saved), np.random.default_rng(1)
    ids = list(index.documents.ids)
    changes = index.update(Corpus([text_of(rng), text_of(rng)], ids=["d7", "new"]))
    assert (changes.added, changes.changed) == (("new",), ("d7",))
    assert list(index.documents.ids) == [*ids, "new"]
    again = hott.open(saved).with_documents(Corpus.from_table(index.documents.rows(range(len(index)))))
    same(index, again)
    assert not index.update(Corpus([index.documents[7].text], ids=["d7"]))
    assert index.snapshot.added_after_fit.tolist() == [i in (7, 60) for i in range(61)]


def test_what_has_not_changed_is_left_as_it_is(saved):
    index = hott.open(saved)
    before, everyone = index.snapshot, index.documents[:]
    for change in (index.sync, index.update):
        assert change(everyone).unchanged == len(index)
        assert index.snapshot is before


def test_remove(saved):
    index = hott.open(saved)
    D = index.distances()
    with pytest.raises(ValueError, match="No document has the id 'nobody'"):
        index.remove(["d3", "nobody"])
    assert len(index) == 60
    assert index.remove(["d3", "d5"]).removed == ("d3", "d5")
    assert "d3" not in list(index.documents.ids)
    np.testing.assert_array_equal(index.distances(), np.delete(np.delete(D, [3, 5], 0), [3, 5], 1))
    with pytest.raises(ValueError, match="must keep a document"):
        index.remove(list(index.documents.ids))


def test_documents_without_words_follow_the_policy(tmp_path):
    texts = ["bread yeast", "bread flour yeast", "moon star", "star moon light"]
    settings = {"n_topics": 2, "n_models": 1, "iterations": 5, "embeddings": False, "min_df": 2}
    strict = Index.build(texts, on_empty="error", **settings)
    with pytest.raises(ValueError, match="no word in the vocabulary"):
        strict.update(Corpus(["qqq"], ids=["0"]))
    assert strict.documents[0].text == "bread yeast"
    dropping = Index.build(texts, on_empty="drop", **settings)
    changes = dropping.update(Corpus(["qqq", "star moon"], ids=["0", "9"]))
    assert (changes.removed, changes.added, dropping.dropped) == (("0",), ("9",), ("0",))
    dropping.sync(Corpus(["qqq", "bread yeast", "moon star"], ids=["x", "0", "2"]))
    assert (list(dropping.documents.ids), dropping.dropped) == (["0", "2"], ("x",))
    keeping = Index.build([*texts, "7"], on_empty="nan", **settings)
    keeping.sync(Corpus(["qqq", "moon star", "7"], ids=["a", "2", "4"]))
    assert keeping.snapshot.topics.positions.tolist() == [1]
    with pytest.raises(ValueError, match="nothing would be left"):
        dropping.sync(Corpus(["qqq"]))


def test_merge_takes_indexes_with_the_same_topics_only(saved):
    index = hott.open(saved)
    one, other = index.with_documents(Corpus(["bread"], ids=["x"])), hott.open(saved)
    other.merge(one)
    same(other, index.with_documents(Corpus.from_table(other.documents.rows(range(61)))))
    with pytest.raises(ValueError, match="ids must be new"):
        other.merge(one)
    with pytest.raises(ValueError, match=r"other topics.*--like"):
        other.merge(Index.build(["moon star", "bread oven"], n_topics=2, n_models=2, iterations=5))


def test_an_index_says_when_its_topics_are_stale(saved):
    index = hott.open(saved)
    assert not index.staleness().is_stale
    index.add(Corpus([f"bread yeast oven {i}" for i in range(12)], ids=[f"old{i}" for i in range(12)]))
    assert not index.staleness().is_stale
    strange = " ".join(f"xyzzy{letter}" for letter in "abcdefgh")
    index.add(Corpus([f"bread {strange}" for i in range(20)], ids=[f"odd{i}" for i in range(20)]))
    judged = index.staleness()
    assert judged.is_stale
    assert judged.new == 32
    assert judged.unknown[1] > 0.4 > judged.unknown[0]
    assert "32 of 92 documents came after the topics were learned" in str(judged)
    fresh = index.refit()
    assert not fresh.staleness().new
    assert "xyzzya" in fresh.vocabulary.vocabulary_
    assert list(fresh.documents.ids) == list(index.documents.ids)


def test_what_came_later_and_how_it_was_read_is_saved(saved, tmp_path):
    index = hott.open(saved)
    index.reading = {"include": ["*.md"]}
    index.add(Corpus(["moon"], ids=["x"]))
    index.save(tmp_path / "b.hott")
    again = hott.open(tmp_path / "b.hott")
    assert again.snapshot.added_after_fit.sum() == 1
    assert again.reading == {"include": ["*.md"]}


def test_a_change_that_fails_leaves_the_file_as_it_was(saved, tmp_path):
    path = tmp_path / "a.hott"
    path.write_bytes(saved.read_bytes())
    with pytest.raises(RuntimeError, match="stop"), changing(path) as index:  # noqa: PT012
        index.remove("d1")
        raise RuntimeError("stop")
    assert path.read_bytes() == saved.read_bytes()
    with changing(path) as index:
        pass
    assert path.read_bytes() == saved.read_bytes()
    assert [child.name for child in tmp_path.iterdir()] == ["a.hott"]


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signals")
def test_kills_at_any_time_lose_nothing(saved, tmp_path, python):
    path = tmp_path / "a.hott"
    path.write_bytes(saved.read_bytes())
    code = (
        "import os, sys, hott\nfrom hott.index import changing\nprint(os.getpid(), flush=True)\n"
        "while True:\n"
        "    with changing(sys.argv[1]) as index:\n"
        "        index.remove('d9') if index.documents.find('d9') is not None else"
        " index.add(hott.Corpus(['moon bread'], ids=['d9']))\n"
    )
    rng = np.random.default_rng(2)
    for _ in range(5):
        with subprocess.Popen([python, "-c", code, str(path)], stdout=subprocess.PIPE) as process:
            worker = int(process.stdout.readline())
            time.sleep(float(rng.uniform(0, 0.6)))
            os.kill(worker, signal.SIGKILL)
        read_stored(path, verify=True)
        found = hott.open(path)
        assert set(found.documents.ids) | {"d9"} == {f"d{i}" for i in range(60)}
    with changing(path) as index:
        index.remove("d8")
    assert [child.name for child in Path(tmp_path).iterdir()] == ["a.hott"]


def test_the_distance_of_a_hit_does_not_depend_on_the_other_documents():
    """Scores do, by how frequent words are; the distance is that of two documents, in every bit."""
    index, rng = made_index(), np.random.default_rng(0)
    for query in ({"text": "planet and bread"}, {"id": "d3"}):
        alone = {hit.id: hit.distance for hit in index.search(k=60, **query)}
        for _ in range(5):
            kept = [i for i in range(60) if i in (3, 7) or rng.random() < 0.5]
            hits = index.with_documents(index.documents[kept]).search(k=60, **query)
            assert len(hits) > 20
            np.testing.assert_array_equal([hit.distance for hit in hits], [alone[hit.id] for hit in hits])


def test_hundreds_of_changes_of_an_open_index(tmp_path):
    """Each change once wrapped the documents once more, until Python's recursion ended it."""
    path = tmp_path / "sky.hott"
    corpus = Corpus([f"A planet orbits star number {i}." for i in range(6)], ids=[*"abcdef"])
    Index.build(corpus, n_topics=2, n_models=1, iterations=5).save(path)
    index = hott.open(path)
    for change in range(1, 301):
        id = "abcdef"[change % 6]
        if change % 3:
            index.update([{"id": id, "text": f"The moon of planet {id} in round {change}."}])
        else:
            kept = index.documents[[index.documents.position(id)]]
            index.remove(id)
            index.add(kept)
        if change % 100 == 0:
            assert {hit.id for hit in index.search(text="planet", k=6)} == {*"abcdef"}
            index.save(path)
            assert hott.open(path).documents[:].texts == index.documents[:].texts
    assert index.documents[index.documents.position("b")].text == "The moon of planet b in round 295."


def test_thousands_of_changes_leave_few_tables():
    documents = Documents.of(Corpus(["first"] * 50, ids=[f"d{i}" for i in range(50)]))
    texts, rng = dict.fromkeys(documents.ids, "first"), np.random.default_rng(0)
    for change in range(5_000):
        gone = int(rng.integers(len(documents)))
        del texts[documents.ids[gone]]
        documents = documents.take(np.delete(np.arange(len(documents)), gone))
        more = Corpus([f"text {change}"], ids=[f"n{change}"], columns={f"c{change % 3}": [change]})
        documents = Documents.concat([documents, Documents.of(more)])
        texts[f"n{change}"] = f"text {change}"
        assert len(documents._sources) <= 8
    assert dict(zip(documents.ids, documents.column("text"))) == texts
    assert sum(source.n_rows for source in documents._sources) < 200
    assert [*documents.schema] == ["id", "title", "text", "label", "c0", "c1", "c2"]
    assert documents[-1].columns == {"c0": None, "c1": 4_999, "c2": None}
