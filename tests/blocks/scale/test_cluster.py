"""On a real Dask cluster of separate processes: the same numbers, whatever happens to the workers."""

import socket
import subprocess
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest

from hott.blocks import scale
from hott.corpus import Corpus
from hott.index import Index
from hott.utils.run import config_context
from tests.themes import made_corpus

resource = pytest.importorskip("resource")
pytest.importorskip("distributed")
pytest.importorskip("zarr")
pytestmark = pytest.mark.cluster


@pytest.mark.parametrize("out", [None, "D.npy", "D.zarr", "file://{}/D.zarr"])
def test_distances_are_those_of_one_process_to_the_bit(index, client, tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    D = index.distances(out and out.format(tmp_path), block=13, client=client)
    np.testing.assert_array_equal(D[:], index.distances())
    assert [file.name for file in tmp_path.iterdir()] == ([] if out is None else [out.split("/")[-1]])


@pytest.mark.parametrize("out", [None, "g.zarr", "g.parquet"])
def test_the_graph_is_that_of_one_process_to_the_bit(index, client, tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    graph, whole = index.graph(5, out=out, block=13, client=client), index.graph(5)
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(graph, part), getattr(whole, part))
    found, here = index.neighbors(5, block=13, client=client), index.neighbors(5)
    np.testing.assert_array_equal(found.indices, here.indices)
    assert found.computed + found.pruned == 58 * 57


def test_topics_of_new_documents(index, client, tmp_path):
    corpus = made_corpus()
    found = index.infer(corpus, block=7, client=client)
    np.testing.assert_array_equal(found.toarray(), index.proportions.toarray())
    streamed = index.infer((corpus[start : start + 11] for start in range(0, 60, 11)), client=client)
    np.testing.assert_array_equal(streamed.toarray(), index.proportions.toarray())

    index.infer(corpus, tmp_path / "topics.parquet", block=7, client=client)
    (tmp_path / "topics.parquet" / "part-000003.parquet").unlink()
    done = []
    index.infer(
        corpus, tmp_path / "topics.parquet", client=client, progress=lambda now, total: done.append(now)
    )
    assert done == [60]
    table = pq.read_table(tmp_path / "topics.parquet")
    columns = table["model"].to_numpy() * 6 + table["topic"].to_numpy()
    rows = np.array([int(id[1:]) for id in table["id"].to_pylist()])
    matrix = np.zeros((60, 12))
    matrix[rows, columns] = table["proportion"].to_numpy()
    np.testing.assert_array_equal(matrix, index.proportions.toarray())
    with pytest.raises(ValueError, match="something else than the topic proportions of these documents"):
        index.infer(corpus[:50], tmp_path / "topics.parquet", client=client)


def test_searches(index, client):
    texts = [*made_corpus()[[0, 5, 9]].texts, "a rocket to the moon", "sugar"] * 30
    assert index.search_many(texts, k=4, client=client) == [index.search(text=text, k=4) for text in texts]
    with pytest.raises(ValueError, match="The query 'xqzzyk' has nothing to search by"):
        index.search_many(["moon", "xqzzyk"], client=client)
    with pytest.raises(ValueError, match="Put a single text in a list"):
        index.search_many("moon", client=client)


def test_an_index_built_on_a_cluster_is_the_same_file(client, tmp_path):
    how = {"n_topics": 6, "n_models": 2, "iterations": 20, "on_empty": "drop"}
    more = Corpus(["star and moon", "cake and bread"], ids=["x", "y"])
    for name, where in (("a", client), ("b", None)):
        index = Index.build(made_corpus(), **how, client=where)
        index.add(more, client=where)
        index.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_client_is_given_by_its_address_or_is_the_current_one(index, client):
    with client.as_current(), scale.connect() as current:
        assert current is client
    for where in (client, client.scheduler.address):
        np.testing.assert_array_equal(index.distances(client=where), index.distances())
        with config_context(client=where), pytest.raises(ValueError, match="k must not exceed"):
            index.graph(58)


def test_a_full_disk_of_the_workers(index, client, tmp_path):
    """A limit on the size of files stands in for it: no tile fits, later all do."""
    limit, free = (100, resource.RLIM_INFINITY), (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    whole = index.distances()
    path, done = tmp_path / "D.zarr", []

    def fill_the_disk(now, total):
        done.append(now)
        if len(done) == 3:
            client.run(resource.setrlimit, resource.RLIMIT_FSIZE, limit)

    try:
        with pytest.raises(OSError, match=r"File too large\. Finished blocks are kept"):
            index.distances(path, block=10, client=client, progress=fill_the_disk)
    finally:
        client.run(resource.setrlimit, resource.RLIMIT_FSIZE, free)
    again = []
    D = index.distances(path, client=client, progress=lambda now, total: again.append(now))
    np.testing.assert_array_equal(D[:], whole)
    assert 0 < len(again) <= 21 - 3


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_a_cluster_is_not_gone_when_a_worker_dies_while_it_is_asked(index, client):
    def leave(comes_back):
        from hott import scale as cluster

        def dead():
            raise ConnectionResetError("this worker died")

        if not comes_back:
            cluster.kept, cluster._version = cluster._version, dead
        else:
            cluster._version = cluster.kept

    dying, _ = client.scheduler_info()["workers"]
    client.run(leave, False, workers=[dying])
    try:
        np.testing.assert_array_equal(index.distances(block=30, client=client)[:], index.distances())
    finally:
        client.run(leave, True, workers=[dying])


def test_no_cluster_there(index, monkeypatch):
    address = f"tcp://127.0.0.1:{free_port()}"
    monkeypatch.setattr("hott.blocks.scale.CONNECT", "1s")
    with pytest.raises(ConnectionError, match=f"There is no Dask scheduler at {address}"):
        index.distances(client=address)
    monkeypatch.setattr("distributed.client._get_global_client", lambda: None)
    with pytest.raises(ValueError, match="There is no Dask client"), scale.connect():
        pass
    with (
        pytest.raises(ValueError, match="a scheduler or a number of workers, not both"),
        scale.connect(scheduler=address, workers=2),
    ):
        pass


def test_nothing_of_dask_is_imported_unless_used(tmp_path):
    code = (
        "import sys, hott, hott.blocks.scale, hott.index, hott.cli\n"
        "print([name for name in ('dask', 'distributed', 'zarr', 'fsspec') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_without_the_extra(index, tmp_path, monkeypatch):
    for module in ("distributed", "zarr"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=r'zarr is needed .* pip install "hott\[dask\]"'):
        index.distances(tmp_path / "D.zarr")
    with pytest.raises(ImportError, match=r'distributed is needed .* pip install "hott\[dask\]"'):
        index.distances(client="tcp://127.0.0.1:1")
