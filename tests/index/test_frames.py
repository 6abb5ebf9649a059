"""Topics and searches for frames: the numbers of the index, in the shapes of pandas, Arrow, Spark and Ray."""

import shutil
import sys

import numpy as np
import pytest

import hott
from hott import Shards
from hott.index import frames
from tests.themes import made_corpus, made_index

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def index():
    return made_index()


@pytest.fixture(scope="module")
def path(index, tmp_path_factory):
    path = tmp_path_factory.mktemp("frames") / "x.hott"
    index.save(path)
    return str(path)


FRAME = pd.DataFrame({
    "id": ["a", "b", "c"],
    "text": ["planet and moon", "...", "a cake for the referee"],
    "more": [1, 2, 3],
})  # fmt: skip


def expected_proportions(index):
    return index.infer(FRAME["text"].tolist()).toarray()


def as_matrix(found):
    matrix = np.zeros((3, 12))
    rows = np.array(["abc".index(id) for id in found["id"]])
    matrix[rows, found["model"] * 6 + found["topic"]] = found["proportion"]
    return matrix


def test_topics_of_a_frame(index, path):
    infer = frames.Infer(path)
    np.testing.assert_array_equal(as_matrix(infer(FRAME)), expected_proportions(index))
    assert "b" not in set(infer(FRAME)["id"])
    [one, two] = infer.each(iter([FRAME[:2], FRAME[2:]]))
    pd.testing.assert_frame_equal(pd.concat([one, two], ignore_index=True), infer(FRAME))


def test_searches_of_a_frame(index, path, tmp_path):
    shards = Shards.of(index, tmp_path / "x.hotts", shards=3)
    for source in (path, index, shards, tmp_path / "x.hotts"):
        found = frames.Search(source, k=4)(FRAME)
        for id, text in (("a", "planet and moon"), ("c", "a cake for the referee")):
            hits = index.search(text=text, k=4)
            mine = found[found["id"] == id]
            assert mine["found"].tolist() == [hit.id for hit in hits]
            assert mine["score"].tolist() == [hit.score for hit in hits]
            assert mine["rank"].tolist() == [1, 2, 3, 4]
        assert "b" not in set(found["id"])


@pytest.mark.parametrize("kind", [frames.Infer, frames.Search])
def test_arrow_for_arrow(path, kind):
    function = kind(path)
    table = pa.Table.from_pandas(FRAME)
    as_pandas = function(FRAME)
    assert function(table).to_pydict() == as_pandas.to_dict("list")
    [batch] = table.to_batches()
    assert isinstance(function(batch), pa.RecordBatch)
    assert function(batch).to_pydict() == as_pandas.to_dict("list")
    nothing = function(table[:0])
    assert nothing.num_rows == 0
    assert nothing.schema == function(table).schema


def test_what_is_asked_must_make_sense(path):
    with pytest.raises(ValueError, match=r"no column 'body'. It has 'id', 'text', 'more'"):
        frames.Infer(path, text="body")(FRAME)
    with pytest.raises(ValueError, match="k must be"):
        frames.Search(path, k=0)
    with pytest.raises(ValueError, match="by must be"):
        frames.Search(path, by="meaning")


@pytest.fixture
def dataset(tmp_path):
    """A Parquet data set of three files, one of them without a row."""
    corpus = made_corpus()
    folder = tmp_path / "set"
    folder.mkdir()
    for number, rows in enumerate((slice(0, 25), slice(0, 0), slice(25, 60))):
        some = {"id": corpus.ids[rows], "body": corpus.texts[rows]}
        kinds = pa.schema([("id", pa.string()), ("body", pa.string())])
        table = pa.table({name: list(values) for name, values in some.items()}, schema=kinds)
        pq.write_table(table, folder / f"{number}.parquet")
    return folder


def test_an_index_from_a_data_set(dataset):
    how = {"n_topics": 4, "n_models": 1, "iterations": 10, "on_empty": "nan"}
    index = hott.Index.build(frames.corpora(dataset, text="body"), **how)
    expected = hott.Index.build(made_corpus(), **how)
    assert list(index.documents) == list(expected.documents)
    np.testing.assert_array_equal(index.proportions.toarray(), expected.proportions.toarray())


@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java")
def test_spark(index, path, monkeypatch):
    sql = pytest.importorskip("pyspark.sql")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)  # not that of the system
    spark = (
        sql.SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    try:
        table = spark.createDataFrame(FRAME)
        infer, search = frames.Infer(path), frames.Search(path, k=3)
        found = table.mapInPandas(infer.each, infer.schema).toPandas()
        np.testing.assert_array_equal(as_matrix(found), expected_proportions(index))
        found = table.mapInArrow(search.each, search.schema).toPandas()
        assert found.to_dict("list") == search(FRAME).to_dict("list")
    finally:
        spark.stop()


def test_ray(index, path):
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install ray")
    data = pytest.importorskip("ray.data")
    ray.init(num_cpus=1, include_dashboard=False)
    try:
        table = data.from_pandas(FRAME)
        infer, search = frames.Infer(path), frames.Search(path, k=3)
        found = table.map_batches(infer, batch_format="pandas").to_pandas()
        np.testing.assert_array_equal(as_matrix(found), expected_proportions(index))
        found = table.map_batches(search, batch_format="pyarrow").to_pandas()
        assert found.to_dict("list") == search(FRAME).to_dict("list")
    finally:
        ray.shutdown()
