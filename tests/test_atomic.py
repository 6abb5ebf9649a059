"""What is saved appears whole, once, and only where a file belongs."""

import os
import signal
import socket
import subprocess
import sys
import textwrap
import time

import pytest

from hott._atomic import creating, holding, replacing

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes and locks files")


def together(code: str, n: int, folder, *arguments: str) -> list[str]:
    """Run the same code in ``n`` processes, which begin at the same moment; give what each printed."""
    waiting = f"""
import os, pathlib, sys, time
folder, number = pathlib.Path(sys.argv[1]), int(sys.argv[2])
import hott._atomic
from hott._atomic import creating, holding, replacing
(folder.parent / f"ready-{{number}}").touch()
while not (folder.parent / "go").exists():
    time.sleep(0.0005)
{textwrap.dedent(code)}
"""
    folder.mkdir()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", waiting, str(folder), str(number), *arguments],
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(n)
    ]
    while len(list(folder.parent.glob("ready-*"))) < n:
        time.sleep(0.01)
    (folder.parent / "go").touch()
    printed = [process.communicate(timeout=120)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * n
    return printed


# -- replacing -------------------------------------------------------------------------------------------


@needs_fork
@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
def test_a_device_pipe_or_socket_is_not_replaced(tmp_path, kind):
    path = tmp_path / kind
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))
    else:
        path.symlink_to("/dev/null")
    before = path.stat()
    with (
        pytest.raises(OSError, match=r"cannot save .*there is a device, pipe or socket of that name"),
        replacing(path),
    ):
        pass
    assert os.path.samestat(before, path.stat())
    assert [name.name for name in tmp_path.iterdir()] == [kind]


@needs_fork
def test_a_pipe_named_like_a_leftover_does_not_hold_up_a_save(tmp_path):
    os.mkfifo(tmp_path / ".x.txt.00000000.saving")
    with replacing(tmp_path / "x.txt") as file:
        file.write(b"new")
    assert (tmp_path / "x.txt").read_bytes() == b"new"


@needs_fork
def test_concurrent_writers_leave_one_of_their_files_whole(tmp_path):
    code = """
        for turn in range(50):
            with replacing(folder / "x.bin") as file:
                for _ in range(3):
                    file.write(bytes([number]) * 10_000)
                    file.flush()
            content = (folder / "x.bin").read_bytes()
            assert len(content) == 30_000 and len(set(content)) == 1
    """
    together(code, 4, tmp_path / "work")
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["x.bin"]


# -- creating --------------------------------------------------------------------------------------------


@needs_fork
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_of_processes_that_come_together_one_makes_it(tmp_path, kind):
    code = """
        for turn in range(40):
            with creating(folder / f"{turn}.store") as aside:
                if aside is not None:
                    print("made", turn)
                    if sys.argv[3] == "folder":
                        aside.mkdir()
                        for name in ("about", "first"):
                            (aside / name).write_text(str(number))
                    else:
                        aside.write_text("x" * 1000)
            assert (folder / f"{turn}.store").exists()
    """
    printed = "".join(together(code, 4, tmp_path / "work", kind)).splitlines()
    assert sorted(printed) == sorted(f"made {turn}" for turn in range(40))
    assert len(list((tmp_path / "work").iterdir())) == 40
    if kind == "folder":
        for store in (tmp_path / "work").iterdir():
            assert (store / "about").read_text() == (store / "first").read_text()


def test_what_is_there_already_stays(tmp_path):
    path = tmp_path / "store"
    path.write_text("old")
    with creating(path) as aside:
        assert aside is None
    assert path.read_text() == "old"
    assert [name.name for name in tmp_path.iterdir()] == ["store"]


def test_what_someone_made_meanwhile_is_not_replaced(tmp_path):
    """Not everyone asks for the lock: an older version, another program."""
    for kind in ("file", "folder"):
        path = tmp_path / kind
        with creating(path) as aside:
            aside.mkdir() if kind == "folder" else aside.write_text("ours")
            if kind == "folder":
                (aside / "ours").touch()
                path.mkdir()
                (path / "theirs").touch()
            else:
                path.write_text("theirs")
    assert (tmp_path / "file").read_text() == "theirs"
    assert [name.name for name in (tmp_path / "folder").iterdir()] == ["theirs"]
    assert sorted(name.name for name in tmp_path.iterdir()) == ["file", "folder"]


def test_a_failure_leaves_nothing(tmp_path):
    def fail(aside, folder):
        aside.mkdir() if folder else aside.write_text("half")
        raise RuntimeError("no more")

    for folder in (False, True):
        with pytest.raises(RuntimeError, match="no more"), creating(tmp_path / "store") as aside:
            fail(aside, folder)
        assert list(tmp_path.iterdir()) == []


@needs_fork
def test_a_killed_maker_is_cleaned_up_after(tmp_path):
    child = os.fork()
    if child == 0:
        with creating(tmp_path / "store") as aside:
            aside.mkdir()
            (aside / "half").touch()
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert len(list(tmp_path.glob(".store.*.creating"))) == 1
    with creating(tmp_path / "store") as aside:
        aside.mkdir()
    assert [name.name for name in tmp_path.iterdir()] == ["store"]


# -- holding ---------------------------------------------------------------------------------------------


@needs_fork
def test_a_file_that_another_process_writes_is_not_given_out(tmp_path):
    path = tmp_path / "matrix.npy"
    path.write_bytes(b"zeros")
    with holding(path) as file:
        with pytest.raises(OSError, match=r"another process is writing .*matrix.npy"), holding(path):
            pass
        file.write(b"ones!")
    with holding(path) as file:
        assert file.read() == b"ones!"


@needs_fork
def test_a_file_that_was_finished_meanwhile_is_not_given_out(tmp_path, monkeypatch):
    """Between opening and locking, its writer gives it its final name: nobody may write into that."""
    path = tmp_path / "matrix.npy.unfinished"
    path.touch()
    lock = __import__("hott._atomic", fromlist=["lock"]).lock

    def finished_first(file):
        path.rename(tmp_path / "matrix.npy")
        return lock(file)

    monkeypatch.setattr("hott._atomic.lock", finished_first)
    with pytest.raises(FileNotFoundError, match="finished or removed by another process"), holding(path):
        pass
