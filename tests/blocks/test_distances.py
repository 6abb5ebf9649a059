"""Distances block by block in one process: the same numbers, resumed after a stop."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

from hott.index import Index
from tests.blocks.stops import Stop, stop_after
from tests.themes import made_corpus, made_index

zarr = pytest.importorskip("zarr")


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
    other = made_index(random_state=1)
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


@pytest.mark.skipif(sys.platform == "win32", reason="needs resource limits")
@pytest.mark.parametrize("name", ["D.zarr", "g.zarr", "g.parquet"])
def test_a_full_disk_keeps_what_is_finished(index, tmp_path, name, python):
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
    run = subprocess.run([python, "-c", code, tmp_path / "x.hott", path], capture_output=True, text=True)
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
