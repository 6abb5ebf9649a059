"""Columns stay with the documents, and documents are found by them."""

import json
import warnings
from datetime import date, datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hott
from hott import Corpus, Index
from hott.cli.app import run
from hott.corpus import stream
from hott.index import parse_filter

SKY = "planets orbit stars telescope moon comet galaxy light"
FOOD = "bread yeast oven flour dough butter sugar bake"
BALL = "goal football match team penalty player league score"


def corpus_of(n=30, seed=0):
    rng = np.random.default_rng(seed)
    themes = [SKY.split(), FOOD.split(), BALL.split()]
    texts = [" ".join(rng.choice(themes[i % 3], 12)) for i in range(n)]
    columns = {
        "year": [2000 + i % 5 if i % 7 else None for i in range(n)],
        "day": [date(2004, 1 + i % 12, 1 + i % 28) for i in range(n)],
        "price": [i / 2 for i in range(n)],
        "by": [["ann", "bob", "cy"][i % 3] if i % 4 else None for i in range(n)],
        "open": [i % 2 == 0 for i in range(n)],
        "seen": [datetime(2004, 1, 1 + i % 28, i % 24) for i in range(n)],
    }
    labels = [["sky", "food", "ball"][i % 3] for i in range(n)]
    return Corpus(texts, ids=[f"d{i}" for i in range(n)], labels=labels, columns=columns)


@pytest.fixture(scope="module")
def index():
    return Index.build(corpus_of(), n_topics=3, n_models=2, iterations=20)


@pytest.fixture(scope="module")
def saved(index, tmp_path_factory):
    path = tmp_path_factory.mktemp("filters") / "a.hott"
    index.save(path)
    return path


CONDITIONS = {
    "label": ("sky", lambda d: d.label == "sky"),
    "year": ((2001, 2003), lambda d: d.columns["year"] is not None and 2001 <= d.columns["year"] <= 2003),
    "day": (("2004-03", 2004), lambda d: d.columns["day"] >= date(2004, 3, 1)),
    "price": ((None, 9.75), lambda d: d.columns["price"] <= 9.75),
    "by": (["ann", None], lambda d: d.columns["by"] in ("ann", None)),
    "open": (True, lambda d: d.columns["open"]),
    "seen": (["2004-01-02", ("2004-01-20", None)],
             lambda d: d.columns["seen"].day == 2 or d.columns["seen"].day >= 20),
    "id": ([f"d{i}" for i in range(0, 30, 2)], lambda d: int(d.id[1:]) % 2 == 0),
}  # fmt: skip


@given(st.sets(st.sampled_from(sorted(CONDITIONS)), min_size=1, max_size=3), st.integers(1, 12))
@settings(max_examples=40, deadline=None)
def test_a_filtered_search_is_the_search_of_all_without_the_others(index, names, k):
    where = {name: CONDITIONS[name][0] for name in names}
    left = {d.id for d in index.documents if all(CONDITIONS[name][1](d) for name in names)}
    for by in ("both", "words", "topics"):
        for query in ("telescope bread light", "d4"):
            if not left:
                with pytest.raises(ValueError, match="No document is left by the filter"):
                    index.search(query, k, by=by, where=where)
                continue
            found = index.search(query, k, by=by, where=where)
            everything = [hit for hit in index.search(query, len(index), by=by) if hit.id in left][:k]
            assert [(hit.id, hit.score) for hit in found] == [(hit.id, hit.score) for hit in everything]
            np.testing.assert_array_equal([h.distance for h in found], [h.distance for h in everything])
            assert found.computed + found.pruned == len(left)


def test_documents_can_be_marked_instead(index):
    marked = np.arange(len(index)) % 3 == 0
    ids = {id for id, is_marked in zip(index.documents.ids, marked) if is_marked}
    text, all_of_them = index.documents[0].text, len(index)
    expected = [hit.id for hit in index.search(text=text, k=all_of_them) if hit.id in ids]
    assert [hit.id for hit in index.search(text=text, k=all_of_them, where=marked)] == expected
    with pytest.raises(ValueError, match="must mark each of the"):
        index.search(text=text, where=marked[1:])
    with pytest.raises(ValueError, match="must mark each of the"):
        index.search(text=text, where=marked.astype(int))
    with pytest.raises(ValueError, match="No document is left"):
        index.search(text=text, where=np.zeros(len(index), bool))


def test_many_searches_and_neighbours_keep_to_the_filter(index):
    where = {"label": ["sky", "food"]}
    [one, two] = index.search_many(["comet", "dough"], 3, where=where)
    assert one == index.search("comet", 3, where=where)
    assert two == index.search("dough", 3, where=where)
    found = index.neighbors(4, where=where)
    D = index.distances()
    allowed = np.isin(index.documents.labels, ["sky", "food"])
    assert allowed[found.indices].all()
    for i in range(len(index)):
        others = [D[i, j] for j in np.flatnonzero(allowed) if j != i]
        np.testing.assert_allclose(found.distances[i], np.sort(others)[:4], atol=1e-9)
        assert i not in found.indices[i]
    graph = index.graph(4, where=where)
    assert {*graph.indices.tolist()} <= {*np.flatnonzero(allowed).tolist()}
    np.testing.assert_array_equal(np.sort(graph.data), np.sort(found.distances.ravel()))
    with pytest.raises(ValueError, match="out or client"):
        index.neighbors(4, where=where, out="graph.zarr")


def test_documents_without_known_words_are_filtered_too():
    index = Index.build(Corpus([SKY, SKY + FOOD], labels=["a", "a"]), n_topics=2, n_models=1, iterations=10,
                        embeddings=False, min_df=2, on_empty="nan", stop_words=None)  # fmt: skip
    index.add(Corpus(["zzzz qqqq", SKY + " moon"], ids=["2", "3"], labels=["b", "b"]))
    assert {hit.id for hit in index.search("zzzz moon", where={"label": "b"})} == {"2", "3"}
    assert [hit.id for hit in index.search("zzzz", where={"id": "2"})] == ["2"]
    with pytest.raises(ValueError, match="known word"):
        index.search("0", where={"id": "2"})
    found = index.neighbors(1, where={"label": "a"})
    assert found.indices[:, 0].tolist()[:2] == [1, 0]
    assert np.isnan(found.distances[2, 0])


def test_scores_stay_when_only_documents_without_topics_are_left():
    index = Index.build(corpus_of(), n_topics=3, n_models=2, iterations=20, on_empty="nan")
    index.add(Corpus(["qqww vvkk", "vvkk the"], ids=["x", "y"], labels=["new", "new"]))
    for query in ("planets vvkk", "qqww vvkk", "football qqww vvkk"):
        for by in ("both", "words"):
            every = {hit.id: hit.score for hit in index.search(query, k=32, by=by)}
            left = {hit.id: hit.score for hit in index.search(query, k=32, by=by, where={"label": "new"})}
            assert left == {id: every[id] for id in ("x", "y")}


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"colour": 1}, "no column 'colour'. They have 'id', 'title', 'text', 'label', 'year'"),
        ({"year": "soon"}, "'year' holds numbers, got 'soon'; it is from 2000 to 2004"),
        ({"day": "May"}, "'day' holds dates, got 'May'; it is from 2004-01-01 to"),
        ({"label": "sea"}, "filter label=sea: label is 'sky', 'food', 'ball'"),
        ({"year": (2009, None)}, r"filter year=2009\.\.: year is from 2000 to 2004"),
        ({"year": (1, 2, 3)}, "range"),
        ({"year": []}, "empty list"),
        ("label=sky", "where must be columns and their values"),
    ],
)
def test_a_wrong_filter_says_what_there_is(index, where, said):
    with pytest.raises(ValueError, match=said):
        index.search("comet", where=where)


def test_columns_are_saved_with_their_types_and_shown(index, saved):
    opened = hott.open(saved)
    assert {name: list(values) for name, values in opened.documents.columns.items()} == {
        name: list(values) for name, values in corpus_of().columns.items()
    }
    assert opened.info()["columns"] == index.info()["columns"]
    assert opened.info()["columns"]["year"] == {"type": "number", "from": 2000, "to": 2004, "missing": 5}
    assert opened.info()["columns"]["by"]["type"] == "category"
    assert opened.info()["columns"]["day"] == {"type": "date", "from": "2004-01-01", "to": "2004-12-24"}
    frame = opened.search("comet", where={"label": "sky"}).to_frame()
    assert list(frame.columns[-6:]) == ["year", "day", "price", "by", "open", "seen"]
    assert frame["price"].dtype == float
    assert frame["open"].dtype == bool
    json.dumps(opened.search("comet").to_dict())


def test_documents_added_later_may_have_other_columns(index, saved, tmp_path):
    opened = hott.open(saved)
    opened.add(Corpus([SKY], ids=["new"], columns={"year": ["late"], "stars": [5]}))
    opened.save(tmp_path / "b.hott")
    again = hott.open(tmp_path / "b.hott")
    assert again.documents[-1].columns["stars"] == 5
    assert again.documents[1].columns == opened.documents[1].columns
    assert again.documents[1].columns["year"] == "2001"  # text, as not all years are numbers now
    assert again.documents[0].columns["stars"] is None
    assert [hit.id for hit in again.search("comet", where={"stars": 5})] == ["new"]


class TestReading:
    def test_every_column_of_a_csv_file_stays(self, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text("headline,body,title,year,zip,when,class\nH,comets,T,2004,01234,2004-05-06,sky\n")
        [document] = hott.read(path, title="headline")
        own = {"title_": "T", "year": 2004, "zip": "01234", "when": date(2004, 5, 6), "class": "sky"}
        assert document.columns == own  # the label is a role: its column keeps the name it came with

    def test_types_may_differ_between_batches(self, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text("text,year\n" + "stars,2004\n" * 5 + "moon,soon\n" + "sun,2005\n" * 3)
        parts = list(stream(path, batch=3))
        assert [type(part[0].columns["year"]) for part in parts] == [int, str, int]
        index = Index.build(iter(parts), n_topics=2, n_models=1, iterations=5, embeddings=False)
        assert list(index.documents.columns["year"]) == ["2004"] * 5 + ["soon"] + ["2005"] * 3
        assert hott.read(path).columns["year"] == index.documents.columns["year"]

    def test_a_file_with_endless_columns_keeps_some_and_says_so(self, tmp_path):
        path = tmp_path / "a.jsonl"
        path.write_text("\n".join(json.dumps({"text": "a", f"key{i}": i}) for i in range(300)))
        with pytest.warns(UserWarning, match="kept 200 other columns"):
            assert len(hott.read(path).columns) == 200

    def test_parquet_keeps_types(self, tmp_path):
        frame = pd.DataFrame({"text": ["a", "b"], "n": [1.5, None], "kind": pd.Categorical(["x", "y"])})
        frame.to_parquet(tmp_path / "a.parquet")
        assert {name: list(v) for name, v in hott.read(tmp_path / "a.parquet").columns.items()} == {
            "n": [1.5, None],
            "kind": ["x", "y"],
        }


class TestCommandLine:
    def test_where(self, saved, capsys, tmp_path):
        assert run(["search", str(saved), "comet", "--where", "label=sky", "--where", "year=2001..2002",
                    "--json"]) == 0  # fmt: skip
        hits = json.loads(capsys.readouterr().out)["hits"]
        assert hits
        assert all(hit["label"] == "sky" and hit["columns"]["year"] in (2001, 2002) for hit in hits)
        assert run(["search", str(saved), "comet", "-o", str(tmp_path / "hits.csv")]) == 0
        assert "seen" in pd.read_csv(tmp_path / "hits.csv").columns
        assert run(["search", str(saved), "comet", "--where", "label=sea"]) == 1
        assert "No document is left by the filter label=sea" in capsys.readouterr().err
        assert run(["neighbors", str(saved), "-k", "1", "--where", "label=sky", "--json"]) == 0

    def test_info(self, saved, capsys):
        assert run(["info", str(saved)]) == 0
        assert "2000 to 2004, 5 missing" in capsys.readouterr().out

    def test_conditions_are_read_by_the_type_of_the_column(self, index):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            conditions = ["year=2001..", "label=a..b", "by=", "by=ann", "day=..2004-05"]
            found = parse_filter(index.documents, conditions)
        assert found == {
            "year": ("2001", None), "label": "a..b", "by": [None, "ann"], "day": (None, "2004-05"),
        }  # fmt: skip
        with pytest.raises(ValueError, match="label=sport"):
            parse_filter(index.documents, ["year>2001"])
