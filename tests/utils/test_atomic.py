"""What is saved appears whole, once, and only where a file belongs."""

import errno
import os
import signal
import socket

import pytest

from hott.utils import atomic
from hott.utils.atomic import atomic_create, atomic_write, exclusive_open, file_lock, lock

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes and locks files")


def together(work, n: int) -> list[list[str]]:
    """Do ``work(number)`` in ``n`` processes that begin at the same moment; the words that each returned."""
    gate, begin = os.pipe()
    told = [os.pipe() for _ in range(n)]
    children = []
    for number in range(n):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                os.close(begin)
                os.read(gate, 1)  # ends when all are there, and the other end is closed
                os.write(told[number][1], " ".join(work(number) or []).encode())
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    os.close(begin)
    statuses = [os.waitpid(child, 0)[1] for child in children]
    words = []
    for end, start in told:
        os.close(start)
        with os.fdopen(end) as file:
            words.append(file.read().split())
    os.close(gate)
    assert statuses == [0] * n
    return words


# -- replacing -------------------------------------------------------------------------------------------


@needs_fork
@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
def test_a_device_pipe_or_socket_is_not_replaced(tmp_path, request, kind):
    path = tmp_path / kind
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))
    else:  # a terminal: nobody misses it, should it be replaced after all
        terminal, own = os.openpty()
        request.addfinalizer(lambda: [os.close(end) for end in (terminal, own)])
        path.symlink_to(os.ttyname(own))
    before = path.stat()
    with (
        pytest.raises(OSError, match=r"cannot save .*there is a device, pipe or socket of that name"),
        atomic_write(path),
    ):
        pass
    assert os.path.samestat(before, path.stat())
    assert [name.name for name in tmp_path.iterdir()] == [kind]


@needs_fork
def test_a_pipe_named_like_a_leftover_does_not_hold_up_a_save(tmp_path):
    os.mkfifo(tmp_path / ".x.txt.00000000.saving")
    with atomic_write(tmp_path / "x.txt") as file:
        file.write(b"new")
    assert (tmp_path / "x.txt").read_bytes() == b"new"


@needs_fork
def test_concurrent_writers_leave_one_of_their_files_whole(tmp_path):
    def work(number):
        for _ in range(50):
            with atomic_write(tmp_path / "x.bin") as file:
                for _ in range(3):
                    file.write(bytes([number]) * 10_000)
                    file.flush()
            content = (tmp_path / "x.bin").read_bytes()
            assert len(content) == 30_000
            assert len(set(content)) == 1

    together(work, 4)
    assert [path.name for path in tmp_path.iterdir()] == ["x.bin"]


# -- creating --------------------------------------------------------------------------------------------


@needs_fork
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_of_processes_that_come_together_one_makes_it(tmp_path, kind):
    def work(number):
        made = []
        for turn in range(40):
            with atomic_create(tmp_path / f"{turn}.store") as aside:
                if aside is not None:
                    made.append(str(turn))
                    if kind == "folder":
                        aside.mkdir()
                        for name in ("about", "first"):
                            (aside / name).write_text(str(number))
                    else:
                        aside.write_text("x" * 1000)
            assert (tmp_path / f"{turn}.store").exists()
        return made

    made = [int(turn) for words in together(work, 4) for turn in words]
    assert sorted(made) == list(range(40))
    assert len(list(tmp_path.iterdir())) == 40
    if kind == "folder":
        for store in tmp_path.iterdir():
            assert (store / "about").read_text() == (store / "first").read_text()


def test_what_is_there_already_stays(tmp_path):
    path = tmp_path / "store"
    path.write_text("old")
    with atomic_create(path) as aside:
        assert aside is None
    assert path.read_text() == "old"
    assert [name.name for name in tmp_path.iterdir()] == ["store"]


def test_what_someone_made_meanwhile_is_not_replaced(tmp_path):
    """Not everyone asks for the lock: an older version, another program."""
    for kind in ("file", "folder"):
        path = tmp_path / kind
        with atomic_create(path) as aside:
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
        with pytest.raises(RuntimeError, match="no more"), atomic_create(tmp_path / "store") as aside:
            fail(aside, folder)
        assert list(tmp_path.iterdir()) == []


@needs_fork
def test_a_killed_maker_is_cleaned_up_after(tmp_path):
    child = os.fork()
    if child == 0:
        with atomic_create(tmp_path / "store") as aside:
            aside.mkdir()
            (aside / "half").touch()
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert len(list(tmp_path.glob(".store.*.creating"))) == 1
    with atomic_create(tmp_path / "store") as aside:
        aside.mkdir()
    assert [name.name for name in tmp_path.iterdir()] == ["store"]


@needs_fork
def test_a_lock_on_a_file_that_was_removed_keeps_nobody_out(tmp_path, monkeypatch):
    """Whoever had the lock before removes its file when it is done, perhaps just before we get the lock."""
    guard = tmp_path / ".store.lock"
    calls = []

    def removed_first(file, **how):
        calls.append(how)
        if len(calls) == 1:
            guard.unlink()
        return lock(file, **how)

    monkeypatch.setattr("hott.utils.atomic.lock", removed_first)
    with file_lock(tmp_path / "store") as alone:
        assert alone
        assert guard.exists()
    assert len(calls) == 2
    assert list(tmp_path.iterdir()) == []


# -- holding ---------------------------------------------------------------------------------------------


@needs_fork
def test_a_file_that_another_process_writes_is_not_given_out(tmp_path):
    path = tmp_path / "matrix.npy"
    path.write_bytes(b"zeros")
    with exclusive_open(path) as file:
        with pytest.raises(OSError, match=r"another process is writing .*matrix.npy"), exclusive_open(path):
            pass
        file.write(b"ones!")
    with exclusive_open(path) as file:
        assert file.read() == b"ones!"


@needs_fork
def test_a_file_that_was_finished_meanwhile_is_not_given_out(tmp_path, monkeypatch):
    """Between opening and locking, its writer gives it its final name: nobody may write into that."""
    path = tmp_path / "matrix.npy.unfinished"
    path.touch()

    def finished_first(file):
        path.rename(tmp_path / "matrix.npy")
        return lock(file)

    monkeypatch.setattr("hott.utils.atomic.lock", finished_first)
    with (
        pytest.raises(FileNotFoundError, match="finished or removed by another process"),
        exclusive_open(path),
    ):
        pass


def test_windows_locks_a_byte_that_nobody_reads(tmp_path, monkeypatch):
    """Its locks as Windows has them: bytes of a file, refused to everyone else."""
    held, refusals = set(), []

    class Windows:
        LK_NBLCK = 2

        @staticmethod
        def locking(handle, mode, n_bytes):
            byte = (os.fstat(handle).st_ino, os.lseek(handle, 0, os.SEEK_CUR))
            if byte in held:
                refusals.append(byte)
                if len(refusals) == 3:
                    held.clear()  # the other one ends
                raise PermissionError(errno.EACCES, "taken")
            held.add(byte)

    monkeypatch.setattr(atomic, "fcntl", None)
    monkeypatch.setattr(atomic, "msvcrt", Windows)
    path = tmp_path / "a"
    path.write_bytes(b"content")
    with open(path, "rb+") as first, open(path, "rb+") as second:
        second.seek(3)
        assert atomic.lock(first) is True
        assert atomic.lock(second) is False
        assert second.read() == b"tent"  # where it was
        assert atomic.lock(second, wait=True) is True
    assert len(refusals) == 3
    assert all(place > 2**30 for _, place in refusals)
