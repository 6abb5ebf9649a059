"""An index of many files: what one index of all documents answers, whatever the division."""

import itertools
import json
import shutil
import threading

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hott
from hott import Corpus, Index, Shards
from hott.index import EmptyQuery
from hott.storage import StorageError
from tests.themes import made_corpus, made_index

QUERIES = ["planet orbit", "a football team in the oven", "galaxy", "recipe for a referree", "telescop"]


@pytest.fixture(scope="module")
def whole():
    """Documents with ties: some are there twice under other ids."""
    corpus = made_corpus()
    twice = [corpus.texts[i] for i in (3, 4, 20, 40)]
    texts = [*corpus.texts, *twice]
    ids = [*corpus.ids, *(f"again{i}" for i in range(len(twice)))]
    columns = {"year": [2000 + i % 5 for i in range(len(texts))]}
    return Index.build(
        Corpus(texts, ids=ids, columns=columns), n_topics=6, n_models=2, iterations=20, on_empty="nan"
    )


def divided(index, path, cuts):
    """The documents of an index in shards that end at ``cuts``."""
    ends = [0, *sorted(cuts), len(index)]
    first, *others = [index.documents[a:b] for a, b in itertools.pairwise(ends)]
    shards = Shards.of(index.with_documents(first), path)
    for corpus in others:
        shards.add(corpus)
    return shards


def told(hits):
    """Ids, numbers and passages, in every bit."""
    return [hit.to_dict() for hit in hits], hits.notes


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.sets(st.integers(1, 63), max_size=6), k=st.integers(1, 70), data=st.data())
def test_any_division_answers_as_one_index(whole, tmp_path_factory, cuts, k, data):
    shards = divided(whole, tmp_path_factory.mktemp("any") / "a.hotts", cuts)
    assert len(shards) == len(whole)
    assert len(shards.names) == len(cuts) + 1
    query = data.draw(st.sampled_from(QUERIES))
    where = data.draw(st.sampled_from([None, {"year": 2003}, {"year": (2001, 2002)}]))
    for by in ("both", "words", "topics"):
        found, expected = (one.search(text=query, k=k, by=by, where=where) for one in (shards, whole))
        assert told(found) == told(expected)
    for id in ("d3", "again0", data.draw(st.sampled_from(["d0", "d41", "again2"]))):
        assert told(shards.search(id, k=k, where=where)) == told(whole.search(id, k=k, where=where))
    k = min(k, 60)
    found, expected = shards.neighbors(k, block=7), whole.neighbors(k)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.distances, expected.distances)
    assert found.computed + found.pruned == expected.computed + expected.pruned
    assert found.computed > 0


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.sets(st.integers(1, 63), min_size=1, max_size=6), data=st.data())
def test_any_division_explains_as_one_index(whole, tmp_path_factory, cuts, data):
    shards = divided(whole, tmp_path_factory.mktemp("any") / "a.hotts", cuts)
    has_words = whole.proportions.sum(axis=1) > 0
    ids = st.sampled_from([id for id, has in zip(whole.documents.ids, has_words) if has])
    sides = st.one_of(
        ids, st.lists(ids, min_size=1, max_size=3), st.just(hott.index.Text("An oven and a star."))
    )
    a, b = data.draw(sides), data.draw(sides)
    assert shards.compare(a, b).to_dict() == whole.compare(a, b).to_dict()
    for query in (data.draw(ids), *QUERIES):
        found, expected = shards.search(query, k=9), whole.search(query, k=9)
        assert shards.reasons(found) == whole.reasons(expected)
    with pytest.raises(ValueError, match="'again3' has no word that the index knows"):
        shards.compare(a, "again3")
    assert shards.colors("topic") == whole.colors("topic")
    assert shards.colors() == whole.colors()
    assert list(shards.documents) == list(whole.documents)


@pytest.fixture
def files(tmp_path):
    """The made-up documents in six files of rows without ids."""
    texts = made_corpus().texts
    for number in range(6):
        rows = [json.dumps({"body": text, "place": number}) for text in texts[10 * number : 10 * number + 10]]
        (tmp_path / f"part-{number}.jsonl").write_text("\n".join(rows))
    return sorted(tmp_path.glob("*.jsonl"))


PATHS = {"reading": {"text": "body"}, "n_topics": 6, "n_models": 2, "iterations": 20, "on_empty": "nan"}


def test_shards_of_paths_answer_as_one_index_of_their_documents(files, tmp_path):
    shards = Shards.build(files, tmp_path / "a.hotts", shards=4, **PATHS)
    assert shards.names == ("00001", "00002", "00003")  # two files each
    ids = [f"part-{number}.jsonl:{row}" for number in range(6) for row in range(10)]
    assert shards.documents.ids == ids
    how = {name: value for name, value in PATHS.items() if name != "reading"}
    columns = {"place": np.repeat(range(6), 10).tolist()}
    whole = Index.build(Corpus(list(made_corpus().texts), ids=ids, columns=columns), **how)
    for query in QUERIES:
        assert told(shards.search(query, k=60)) == told(whole.search(query, k=60))


def test_topics_of_shards_of_paths_are_learned_from_a_sample_of_files(files, tmp_path):
    shards = Shards.build(files, tmp_path / "a.hotts", shards=6, fit_sample=15, **PATHS)
    assert len(shards) == 60
    assert shards.model.word_counts.sum() < 0.5 * sum(len(text.split()) for text in made_corpus().texts)


def test_what_cannot_be_of_paths_is_an_error(files, tmp_path):
    (tmp_path / "twice").mkdir()
    shutil.copy(files[0], tmp_path / "twice")
    with pytest.raises(ValueError, match="ids must be unique: 10"):
        Shards.build([*files, tmp_path / "twice" / files[0].name], tmp_path / "a.hotts", shards=7, **PATHS)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        Shards.build([*files, tmp_path / "nowhere.jsonl"], tmp_path / "a.hotts", shards=2, **PATHS)
    with pytest.raises(ValueError, match="reading is for paths"):
        Shards.build(made_corpus(), tmp_path / "a.hotts", shards=2, **PATHS)
    assert not Shards.are_at(tmp_path / "a.hotts")


def test_labels_of_all_shards_are_compared(tmp_path):
    corpus = hott.demo.corpus()[::12]
    index = Index.build(corpus, n_topics=6, n_models=2, iterations=20)
    shards = Shards.of(index, tmp_path / "a.hotts", shards=4)
    a, b = (hott.index.Label(label) for label in sorted(set(corpus.labels))[:2])
    assert shards.compare(a, b).to_dict() == index.compare(a, b).to_dict()
    assert shards.colors() == list(corpus.labels)
    with pytest.raises(ValueError, match="No document has the id 'nobody'"):
        shards.compare("nobody", corpus.ids[0])
    with pytest.raises(ValueError, match="compare wants ids"):
        shards.compare(3, corpus.ids[0])


def test_a_map_of_shards_is_that_of_one_index(whole, tmp_path):
    shards = divided(whole, tmp_path / "a.hotts", {10, 30})
    np.testing.assert_array_equal(shards.map(perplexity=5), whole.map(perplexity=5))


def test_they_are_one_index_again(whole, tmp_path):
    shards = divided(whole, tmp_path / "a.hotts", {10, 30})
    again = Shards.open(tmp_path / "a.hotts").index()
    assert list(again.documents.ids) == list(whole.documents.ids)
    np.testing.assert_array_equal(again.proportions.toarray(), whole.proportions.toarray())
    assert [told(h) for h in shards.search_many(QUERIES, k=5)] == [
        told(h) for h in again.search_many(QUERIES, k=5)
    ]


@pytest.mark.parametrize("fit_sample", [None, 30])
def test_building_is_building_one_index_and_dividing_it(tmp_path, fit_sample):
    how = {"n_topics": 4, "n_models": 2, "iterations": 10, "on_empty": "nan"}
    shards = Shards.build(made_corpus(), tmp_path / "a.hotts", shards=3, fit_sample=fit_sample, **how)
    assert shards.names == ("00001", "00002", "00003")
    assert shards.info()["shards"] == {"00001": 20, "00002": 20, "00003": 20}
    one = shards.index()
    if fit_sample is None:
        one = Index.build(made_corpus(), **how)
    assert not one.snapshot.added_after_fit.any()
    assert told(shards.search("planet goal", k=20)) == told(one.search("planet goal", k=20))
    with pytest.raises(ValueError, match=r"There is an index of shards at .*a.hotts already"):
        Shards.build(made_corpus(), tmp_path / "a.hotts", shards=3, **how)


def test_documents_that_are_left_out_are_named(tmp_path):
    corpus = made_corpus() + Corpus(["123"], ids=["blank"])
    how = {"n_topics": 4, "n_models": 1, "iterations": 5, "fit_sample": 30}
    with pytest.warns(UserWarning, match=r"3 of 61 documents .* left out: 'blank', 'd40', 'd7'"):
        shards = Shards.build(corpus, tmp_path / "a.hotts", shards=2, **how)
    with pytest.warns(UserWarning, match=r"1 of 2 documents .* left out: 'empty'"):
        shards.add(Corpus(["stars", ""], ids=["full", "empty"]))
    assert "full" in shards.documents.ids


def test_a_shard_is_added_replaced_and_removed(whole, tmp_path):
    shards = divided(whole, tmp_path / "a.hotts", {20, 40})
    other = Corpus(["The comet and the moon.", "A cake of flour and sugar."], ids=["x", "y"])
    assert shards.add(other, name="news") == "news"
    shards.remove("00001")
    shards.replace("00002", whole.documents[:20])
    kept = np.r_[0:20, 40:64]
    expected = whole.with_documents(whole.documents[kept])
    expected.add(other)
    found = Shards.open(tmp_path / "a.hotts")
    assert found.names == ("00002", "00003", "news")
    for query in QUERIES:
        assert told(found.search(query)) == told(expected.search(query))
    assert found.search("x")[0].id == "x"
    with pytest.raises(ValueError, match=r"ids must be new: 1 of the 2 documents .*'x'"):
        shards.add(Corpus(["stars", "moons"], ids=["x", "z"]))
    with pytest.raises(ValueError, match=r"ids must be new: 1 of the 1 documents .*'x'"):
        shards.replace("00003", Corpus(["stars"], ids=["x"]))
    with pytest.raises(ValueError, match="There is a shard 'news' already"):
        shards.add(Corpus(["stars"], ids=["z"]), name="news")
    with pytest.raises(ValueError, match=r"There is no shard 'old'. There are '00002', '00003', 'news'"):
        shards.remove("old")
    with pytest.raises(ValueError, match="name must be of letters"):
        shards.add(Corpus(["stars"], ids=["z"]), name="../news")
    assert Shards.open(tmp_path / "a.hotts").names == found.names


def test_columns_that_only_some_have(whole, tmp_path):
    shards = divided(whole, tmp_path / "a.hotts", {30})
    more = Corpus(
        ["A comet.", "The moon."], ids=["x", "y"], columns={"year": [1.5, 2003.0], "by": ["ann", None]}
    )
    shards.add(more)
    expected = whole.with_documents(whole.documents[:])
    expected.add(more)
    for where in ({"by": "ann"}, {"by": None}, {"year": 2003}):
        assert told(shards.search("the moon", where=where)) == told(expected.search("the moon", where=where))
    with pytest.raises(ValueError, match="No document is left by the filter by=eve"):
        shards.search("the moon", where={"by": "eve"})
    with pytest.raises(ValueError, match="No document is left by the filter by=eve"):
        shards.search("d3", where={"by": "eve"})
    with pytest.raises(ValueError, match="have no column 'color'"):
        shards.search("the moon", where={"color": "red"})


def test_what_a_killed_build_left_is_removed_and_nothing_else(whole, tmp_path):
    folder = tmp_path / "a.hotts"
    folder.mkdir()
    for name in ("topics-0123456789abcdef.hott", ".00001-0123456789abcdef.hott.01234567.saving"):
        (folder / name).write_bytes(b"half a file")
    for name in ("mine.hott", "notes.txt"):
        (folder / name).write_text("of someone else")
    shards = Shards.of(whole, folder, shards=2)
    shards.remove("00001")
    left = {path.name.split("-")[0] for path in folder.iterdir()}
    assert left == {"shards.hott", "topics", "00001", "00002", "mine.hott", "notes.txt"}
    assert (folder / "mine.hott").read_text() == "of someone else"


def test_readers_see_the_state_that_they_opened(whole, tmp_path, monkeypatch):
    shards = divided(whole, tmp_path / "a.hotts", {20, 40})
    reader = Shards.open(tmp_path / "a.hotts")
    before = told(whole.search("planet", k=64))
    shards.remove("00002")  # nothing of it was read yet
    assert told(reader.search("planet", k=64)) == before
    shards.add(Corpus(["A planet."], ids=["x"]))
    assert told(reader.search("planet", k=64)) == before
    assert reader.refresh()
    assert not reader.refresh()
    assert told(reader.search("planet", k=64)) == told(shards.search("planet", k=64))
    assert "x" in [hit.id for hit in reader.search("planet", k=64)]
    # After a while, files of the state before the last are gone; at once, those of someone who was killed.
    monkeypatch.setattr("hott.index.manifest.GRACE", 0)
    late = Shards.open(tmp_path / "a.hotts")
    (tmp_path / "a.hotts" / "00009-0123456789abcdef.hott").write_bytes(b"half a shard")
    shards.remove("00001")
    shards.remove("00003")
    left = {path.name.split("-")[0] for path in (tmp_path / "a.hotts").glob("*.hott")}
    assert left == {"shards.hott", "topics", "00003", "00004"}
    with pytest.raises(StorageError, match=r"The shard '00001' of .*a.hotts is lost.*open it again"):
        late.search("planet")


def test_a_search_sees_one_state_while_another_thread_changes_it(whole, tmp_path):
    shards = divided(whole, tmp_path / "a.hotts", {20, 40})
    first, second = (Corpus([f"The {word} and the planet."], ids=["x"]) for word in ("moon", "dough"))
    states = []
    for corpus in (first, second):
        shards.replace("00002", corpus)
        states.append(told(shards.search("planet and moon", k=64)))
    assert states[0] != states[1]

    def change():
        for round in range(4):
            shards.replace("00002", second if round % 2 else first)

    changing = threading.Thread(target=change)
    changing.start()
    seen = [told(shards.search("planet and moon", k=64))]
    while changing.is_alive():
        seen.append(told(shards.search("planet and moon", k=64)))
    changing.join()
    assert all(one in states for one in seen)


@pytest.mark.parametrize("how", ["lost", "broken", "damaged", "another"])
def test_a_shard_that_is_gone_is_named_and_can_be_mended(whole, tmp_path, how):
    divided(whole, tmp_path / "a.hotts", {20, 40})
    [path] = (tmp_path / "a.hotts").glob("00002-*.hott")
    if how == "lost":
        path.unlink()
    elif how == "broken":
        path.write_bytes(path.read_bytes()[:-1000])
    elif how == "damaged":
        [part] = [part for part in hott.storage.read(path).parts if part.name == "proportions.1.sites"]
        content = bytearray(path.read_bytes())
        content[part.offset] ^= 1
        path.write_bytes(content)
    else:
        whole.save(path)
    for ask in (lambda s: s.search("planet"), lambda s: s.search("d3"), lambda s: s.neighbors(3)):
        with pytest.raises(StorageError, match=r"The shard '00002' of .*a.hotts") as raised:
            ask(Shards.open(tmp_path / "a.hotts"))
        assert str(raised.value).count("The shard") == 1
    shards = Shards.open(tmp_path / "a.hotts")
    shards.remove("00002")
    expected = whole.with_documents(whole.documents[np.r_[0:20, 40:64]])
    assert told(shards.search("planet")) == told(expected.search("planet"))


def test_a_lost_file_of_topics_is_named_and_no_shard(whole, tmp_path):
    divided(whole, tmp_path / "a.hotts", {20, 40})
    [path] = (tmp_path / "a.hotts").glob("topics-*.hott")
    path.unlink()
    for ask in (lambda s: s.search("planet"), lambda s: s.search("d3"), lambda s: s.neighbors(3)):
        with pytest.raises(StorageError, match=r"^The file with the topics of .*a.hotts is lost"):
            ask(Shards.open(tmp_path / "a.hotts"))


def test_what_is_no_folder_of_shards(whole, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no index of shards at .*nowhere"):
        Shards.open(tmp_path / "nowhere")
    whole.save(tmp_path / "shards.hott")
    with pytest.raises(StorageError, match="is not the list of the shards of an index"):
        Shards.open(tmp_path)
    divided(whole, tmp_path / "a.hotts", {20})
    with pytest.raises(StorageError, match=r"folder of shards.*hott.Shards.open"):
        hott.open(tmp_path / "a.hotts")


def test_forged_lists_reach_no_other_file(whole, tmp_path):
    divided(whole, tmp_path / "a.hotts", {20})
    stored = hott.storage.read(tmp_path / "a.hotts" / "shards.hott")
    header = stored.header | {"topics": "../a.hott"}
    tables = {"words": stored.tables["words"].read()}
    hott.storage.write(tmp_path / "a.hotts" / "shards.hott", header, dict(stored.arrays), tables)
    with pytest.raises(StorageError, match="no file beside it"):
        Shards.open(tmp_path / "a.hotts")


def test_vectors_of_an_encoder(tmp_path):
    def encoder(texts):
        return [[len(text), text.count("a") + 1.0] for text in texts]

    whole = made_index(encoder=encoder)
    shards = divided(whole, tmp_path / "a.hotts", {20, 30})
    assert told(shards.search("planet goal", k=60)) == told(whole.search("planet goal", k=60))
    again = Shards.open(tmp_path / "a.hotts", encoder=encoder)
    assert told(again.search("planet goal", k=60)) == told(whole.search("planet goal", k=60))
    assert told(again.search("d3", k=60)) == told(whole.search("d3", k=60))


@pytest.mark.parametrize("root", ["memory://bucket/a.hotts", "file://{}/a.hotts"])
def test_at_an_address(whole, tmp_path, monkeypatch, root):
    pytest.importorskip("fsspec")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("hott.index.manifest.GRACE", 0)
    root = root.format(tmp_path)
    divided(whole, root, {20, 40})
    shards = Shards.open(root)
    assert told(shards.search("planet", k=30)) == told(whole.search("planet", k=30))
    shards.remove("00001")
    shards.remove("00002")
    assert told(Shards.open(root).search("planet")) == told(
        whole.with_documents(whole.documents[40:]).search("planet")
    )
    if root.startswith("memory"):
        import fsspec

        files = fsspec.filesystem("memory")
        assert len(files.find("/bucket/a.hotts")) == 4  # the last shard, the one before, topics, the list
        files.rm("/bucket", recursive=True)
    else:
        shutil.rmtree(tmp_path / "a.hotts")


def test_of_many_queries_the_one_without_words_is_named(whole, tmp_path):
    shards = divided(whole, tmp_path / "a.hotts", {10, 30})
    many = [*QUERIES * 30, "?!", *QUERIES]
    with pytest.raises(EmptyQuery, match=rf"texts\[{30 * len(QUERIES)}\]: The query '\?!' has nothing"):
        shards.search_many(many)
