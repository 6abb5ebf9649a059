"""Results block by block in one process: the same numbers, resumed after a stop."""

import json
import subprocess
import sys
import textwrap

import numpy as np
import pyarrow.parquet as pq
import pytest

from hott.corpus import Corpus
from hott.index import Index
from hott.scale._collection import Collection, tiles
from tests.scale.conftest import made_corpus

zarr = pytest.importorskip("zarr")


class Stop(Exception):
    """Stands for Ctrl-C, a crash, the end of a batch job."""


def stop_after(n):
    calls = []

    def progress(done, total):
        calls.append(done)
        if len(calls) == n:
            raise Stop

    return progress


def test_tiles_cover_the_matrix_once():
    seen = np.zeros((23, 23), int)
    for tile in tiles(23, 5):
        seen[tile.rows, tile.columns] += 1
        if tile.row != tile.column:
            seen[tile.columns, tile.rows] += 1
    assert (seen == 1).all()
    assert sum(tile.pairs for tile in tiles(23, 5)) == 23 * 23


@pytest.mark.parametrize("name", ["D.npy", "D.zarr"])
@pytest.mark.parametrize("block", [1, 13, 60, 1000])
def test_distances_in_blocks_are_the_same_to_the_bit(index, tmp_path, name, block):
    if block == 1:
        index = Index.build(made_corpus()[:12], n_topics=4, n_models=1, iterations=20, on_empty="nan")
    D = index.distances(tmp_path / name, block=block)
    np.testing.assert_array_equal(D[:], index.distances())
    assert np.isnan(D[7]).all()
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["D.npy", "D.zarr"])
def test_distances_go_on_where_they_were_stopped(index, tmp_path, name):
    with pytest.raises(Stop):
        index.distances(tmp_path / name, block=13, progress=stop_after(6))
    assert not (tmp_path / "D.npy").exists()
    done = []
    D = index.distances(tmp_path / name, progress=lambda now, total: done.append(now))  # with the same blocks
    assert len(done) == 15 - 6
    assert done[-1] == 60 * 60
    np.testing.assert_array_equal(D[:], index.distances())
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_finished_zarr_array_is_not_computed_again(index, tmp_path):
    index.distances(tmp_path / "D.zarr", block=13)
    done = []
    index.distances(tmp_path / "D.zarr", progress=lambda now, total: done.append(now))
    assert done == []


def test_distances_that_are_not_there_yet_are_no_distances(index, tmp_path):
    with pytest.raises(Stop):
        index.distances(tmp_path / "D.zarr", block=13, progress=stop_after(1))
    D = zarr.open_array(tmp_path / "D.zarr", mode="r")
    assert D[59, 59] == -1
    assert D[0, 0] == 0


@pytest.mark.parametrize("name", ["D.npy", "D.zarr"])
def test_distances_of_other_documents_are_not_mixed_in(index, tmp_path, name):
    with pytest.raises(Stop):
        index.distances(tmp_path / name, block=13, progress=stop_after(2))
    other = Index.build(made_corpus(), n_topics=6, n_models=2, iterations=20, on_empty="nan", random_state=1)
    with pytest.raises(ValueError, match=r"D\.(npy\.unfinished|zarr).*other"):
        other.distances(tmp_path / name, block=13)
    D = index.distances(tmp_path / name)  # what was there is still good
    np.testing.assert_array_equal(D[:], index.distances())


def test_what_is_no_result_of_ours_stays(index, tmp_path):
    (tmp_path / "D.zarr").mkdir()
    (tmp_path / "D.zarr" / "diary.txt").write_text("dear diary")
    with pytest.raises(ValueError, match="is there already and holds something else"):
        index.distances(tmp_path / "D.zarr")
    with pytest.raises(ValueError, match="something else"):
        index.graph(3, out=tmp_path / "D.zarr")
    assert (tmp_path / "D.zarr" / "diary.txt").read_text() == "dear diary"


def test_two_processes_do_not_write_one_file(index, tmp_path):
    pytest.importorskip("fcntl")
    path = tmp_path / "D.npy"
    messages = []

    def progress(done, total):
        with pytest.raises(OSError, match="another process is writing"):
            index.distances(path)
        messages.append(done)

    index.distances(path, block=60, progress=progress)
    assert messages == [3600]
    np.testing.assert_array_equal(np.load(path), index.distances())


@pytest.mark.skipif(sys.platform == "win32", reason="needs resource limits")
@pytest.mark.parametrize("name", ["D.zarr", "g.zarr", "g.parquet"])
def test_a_full_disk_keeps_what_is_finished(index, tmp_path, name):
    """A limit on the size of files stands in for the full disk: the third block does not fit."""
    index.save(tmp_path / "x.hott")
    code = textwrap.dedent("""
        import resource, sys
        import hott
        index, name = hott.open(sys.argv[1]), sys.argv[2]
        done = []
        def progress(now, total):
            done.append(now)
            if len(done) == 2:
                resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        try:
            if name.endswith("D.zarr"):
                index.distances(name, block=20, progress=progress)
            else:
                index.graph(5, out=name, block=20, progress=progress)
        except OSError as error:
            print(len(done), error)
    """)
    path = tmp_path / name
    run = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "x.hott", path], capture_output=True, text=True
    )
    assert run.stdout.startswith("2 "), run.stderr
    assert f"cannot save to {path}: File too large. Finished blocks are kept" in run.stdout
    done = []
    if name == "D.zarr":
        D = index.distances(path, progress=lambda now, total: done.append(now))
        np.testing.assert_array_equal(D[:], index.distances())
        assert len(done) == 6 - 2
    else:
        graph = index.graph(5, out=path, progress=lambda now, total: done.append(now))
        np.testing.assert_array_equal(graph.toarray(), index.graph(5).toarray())
        assert len(done) == 1


@pytest.mark.parametrize("name", ["g.zarr", "g.parquet"])
def test_the_graph_in_blocks_is_the_same_and_goes_on_where_it_was(index, tmp_path, name):
    whole = index.graph(5)
    with pytest.raises(Stop):
        index.graph(5, out=tmp_path / name, block=13, progress=stop_after(2))
    done = []
    graph = index.graph(5, out=tmp_path / name, progress=lambda now, total: done.append(now))
    assert len(done) == 5 - 2
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(graph, part), getattr(whole, part))
    with pytest.raises(ValueError, match="something else than the 6 nearest"):
        index.graph(6, out=tmp_path / name)


def test_the_graph_as_a_table_goes_by_names(index, tmp_path):
    index.graph(3, out=tmp_path / "g.parquet", block=13)
    table = pq.read_table(tmp_path / "g.parquet").to_pylist()
    assert len(table) == 60 * 3
    found = index.neighbors(3)
    assert [row["neighbor_id"] for row in table[:3]] == [f"d{i}" for i in found.indices[0]]
    assert [row["distance"] for row in table[:3]] == found.distances[0].tolist()
    assert [(row["id"], row["rank"]) for row in table[-2:]] == [("d59", 2), ("d59", 3)]


def test_names_of_results_say_what_to_write(index, tmp_path):
    with pytest.raises(ValueError, match=r"\.npy file, or that of a \.zarr folder"):
        index.distances(tmp_path / "D.txt")
    with pytest.raises(ValueError, match=r"must end in \.zarr or \.parquet"):
        index.graph(3, out=tmp_path / "g.npy")
    with pytest.raises(ValueError, match="k must not exceed the number of other documents: k is 58"):
        index.graph(58, out=tmp_path / "g.zarr")
    with pytest.raises(ValueError, match="block must be"):
        index.distances(tmp_path / "D.zarr", block=0)
    assert list(tmp_path.iterdir()) == []


def test_the_fingerprint_tells_indexes_apart_and_opened_ones_are_the_same(index, tmp_path):
    index.save(tmp_path / "x.hott")
    one = Collection.of(index).fingerprint()
    assert Collection.of(Index.open(tmp_path / "x.hott")).fingerprint() == one
    fewer = Index.build(made_corpus()[:59], n_topics=6, n_models=2, iterations=20, on_empty="nan")
    assert Collection.of(fewer).fingerprint() != one


# -- a corpus larger than memory -------------------------------------------------------------------------


@pytest.mark.parametrize("fit_sample", [None, 25])
@pytest.mark.parametrize("on_empty", ["nan", "drop"])
def test_an_index_of_batches_is_that_of_the_whole(tmp_path, fit_sample, on_empty):
    corpus, how = made_corpus(), {"n_topics": 6, "n_models": 2, "iterations": 20}
    how |= {"fit_sample": fit_sample, "on_empty": on_empty}
    streamed = Index.build((corpus[start : start + 7] for start in range(0, 60, 7)), **how)
    whole = Index.build(corpus, **how)
    streamed.save(tmp_path / "a.hott")
    whole.save(tmp_path / "b.hott")
    assert (tmp_path / "a.hott").read_bytes() == (tmp_path / "b.hott").read_bytes()


def test_batches_are_checked(tmp_path):
    corpus = made_corpus()
    with pytest.raises(ValueError, match="ids must be unique"):
        Index.build(iter([corpus[:20], corpus[10:30]]))
    with pytest.raises(ValueError, match="batches must be Corpora, got 'a text'"):
        Index.build(iter([corpus[:20], "a text"]))
    with pytest.raises(ValueError, match="corpus is empty"):
        Index.build(iter([]))
    assert len(Index.build(iter(["a star and a planet", "the moon"]), n_topics=2, n_models=1)) == 2


def test_batches_can_be_added(index):
    base = Index.build(made_corpus(), n_topics=6, n_models=2, iterations=20, on_empty="nan")
    more = Corpus(["star and moon", "cake and bread"], ids=["x", "y"])
    base.add(iter([more[:1], more[1:]]))
    assert len(base) == 62
    assert base.search(id="x", k=2)[0].id == "x"


def test_a_streamed_corpus_takes_little_memory(tmp_path):
    """Forty megabytes of text, of which the process may hold a few at a time."""
    code = textwrap.dedent("""
        import sys
        import pyarrow as pa
        from hott._spool import spooled
        from hott.corpus import stream

        corpus = spooled(stream(sys.argv[1], 500))
        print(pa.total_allocated_bytes(), len(corpus), sum(map(len, corpus.texts)))
    """)
    path = tmp_path / "large.jsonl"
    line = json.dumps({"text": "word " * 2000})
    path.write_text("\n".join([line] * 4000))
    run = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True)
    allocated, documents, characters = map(int, run.stdout.split())
    assert (documents, characters) == (4000, 40_000_000)
    assert allocated < 1_000_000


def test_a_file_killed_between_its_end_and_its_name_is_made_anew(index, tmp_path):
    index.distances(tmp_path / "D.npy", block=13)
    (tmp_path / "D.npy").rename(tmp_path / "D.npy.unfinished")
    D = index.distances(tmp_path / "D.npy", block=13)
    np.testing.assert_array_equal(D, index.distances())
