"""Several processes at one result, and processes that are killed while they begin one."""

import os
import signal

import numpy as np
import pytest

from hott.blocks.address import Address
from hott.blocks.stores import NpyFile
from tests.utils.test_atomic import needs_fork, together

pytest.importorskip("zarr")


def write(index, path, **options):
    """The result as an array that can be compared."""
    if path.name.startswith("D"):
        return index.distances(path, block=13, threads=1, **options)[:]
    return index.graph(5, out=path, block=13, threads=1, **options).toarray()


def whole(index, path):
    return index.distances() if path.name.startswith("D") else index.graph(5).toarray()


@needs_fork
@pytest.mark.parametrize("name", ["D.npy", "D.zarr", "g.zarr", "g.parquet"])
def test_processes_that_begin_together_get_the_right_result_or_are_refused(index, tmp_path, name):
    right = whole(index, tmp_path / name)

    def work(number):
        said = []
        for turn in range(8):
            (tmp_path / str(turn)).mkdir(exist_ok=True)
            try:
                np.testing.assert_array_equal(write(index, tmp_path / str(turn) / name), right)
                said.append("right")
            except OSError as error:
                said.append("refused" if "another process is writing" in str(error) else repr(error))
        return said

    said = together(work, 3)
    assert {word for words in said for word in words} <= {"right", "refused"}
    for turn in range(8):
        np.testing.assert_array_equal(write(index, tmp_path / str(turn) / name), right)
        assert [path.name for path in (tmp_path / str(turn)).iterdir()] == [name]


@needs_fork
@pytest.mark.parametrize("name", ["D.npy", "D.zarr", "g.zarr", "g.parquet"])
def test_two_processes_do_not_fill_one_result(index, tmp_path, name):
    path, refused = tmp_path / name, []

    def progress(done, total):
        if done < total:  # a complete one is for all to read
            with pytest.raises(OSError, match=f"another process is writing .*{name}"):
                write(index, path)
            refused.append(done)

    np.testing.assert_array_equal(write(index, path, progress=progress), whole(index, path))
    assert len(refused) == (14 if name.startswith("D") else 4)


@needs_fork
def test_all_may_read_a_complete_result_at_once(index, tmp_path):
    from hott.utils.atomic import exclusive_open

    for name, about in {"g.zarr": "zarr.json", "g.parquet": "_hott.json"}.items():
        right = write(index, tmp_path / name)
        with exclusive_open(tmp_path / name / about):
            np.testing.assert_array_equal(write(index, tmp_path / name), right)


@needs_fork
@pytest.mark.parametrize("name", ["D.zarr", "g.zarr"])
def test_half_a_chunk_of_a_killed_process_is_removed(index, tmp_path, name, monkeypatch):
    """Zarr writes a chunk aside and renames it; a kill between leaves it there."""
    path = tmp_path / name
    child = os.fork()
    if child == 0:
        from zarr.storage import _local

        def killed(*_, **__):
            os.kill(os.getpid(), signal.SIGKILL)

        monkeypatch.setattr(_local.Path, "replace", killed)
        write(index, path)
    os.waitpid(child, 0)
    assert len(list(path.rglob("*.partial"))) == 1
    np.testing.assert_array_equal(write(index, path), whole(index, path))
    assert not list(path.rglob("*.partial"))


def test_an_empty_folder_is_used_and_folders_above_are_made(index, tmp_path):
    (tmp_path / "g.parquet").mkdir()
    np.testing.assert_array_equal(write(index, tmp_path / "g.parquet"), index.graph(5).toarray())
    write(index, tmp_path / "new" / "folder" / "g.zarr")
    assert (tmp_path / "new" / "folder" / "g.zarr" / "zarr.json").exists()


def test_a_result_elsewhere_that_was_hardly_begun_is_begun_anew(index):
    """No rename there: of the files that a result begins with, the one that says what it is comes last."""
    fsspec = pytest.importorskip("fsspec")
    address = Address.of("memory://hardly-begun/g.zarr")
    address.write("indices/zarr.json", b"{}")
    np.testing.assert_array_equal(index.graph(5, out=address.name).toarray(), index.graph(5).toarray())
    address.write("diary.txt", b"dear diary")
    fsspec.filesystem("memory").rm_file("/hardly-begun/g.zarr/zarr.json")
    with pytest.raises(ValueError, match="holds something else"):
        index.graph(5, out=address.name)


@needs_fork
def test_a_file_that_was_finished_by_another_process_meanwhile_is_made_anew(tmp_path, monkeypatch):
    from hott.blocks import stores

    path, calls = tmp_path / "D.npy", []

    def finished_first(aside):
        calls.append(aside)
        if len(calls) == 1:
            aside.rename(path)
        return holding(aside)

    holding = stores.exclusive_open
    monkeypatch.setattr(stores, "exclusive_open", finished_first)
    with NpyFile(path, 4, 2, "these") as file:
        file.matrix[:] = 1.0
    assert len(calls) == 2
    np.testing.assert_array_equal(np.load(path), np.ones((4, 4)))
    assert [file.name for file in tmp_path.iterdir()] == ["D.npy"]


@pytest.mark.parametrize("n", [1, 3, 100])
def test_a_file_cut_off_at_its_end_is_begun_anew_however_small(tmp_path, n):
    """A process was killed between cutting off the list of tiles and giving the file its name."""
    path = tmp_path / "D.npy"
    for value in (1.0, 2.0):
        with NpyFile(path, n, 2, "these") as file:
            assert not file.finished_blocks()
            assert (file.matrix == 0).all()
            file.matrix[:] = value
        if value == 1.0:
            path.rename(tmp_path / "D.npy.unfinished")
    np.testing.assert_array_equal(np.load(path), np.full((n, n), 2.0))
