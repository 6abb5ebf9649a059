"""Files and folders that appear, or are replaced, whole or not at all."""

import errno
import glob
import os
import secrets
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]
try:
    import msvcrt
except ImportError:
    msvcrt = None  # type: ignore[assignment]

_LOCKED_BYTE = 0x7FFFFFFE  # the last that Windows can lock: one that is not read meanwhile


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Write a file aside; it takes the place of ``path`` in one step when the block ends well.

    Whatever happens inside the block, a kill or a power cut included, ``path`` holds its old content or all
    of the new one. What a killed writer left behind is removed by the next one.
    """
    target = Path(os.path.realpath(path))  # write through a symbolic link, do not replace the link
    with explain_errors(target):
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, "there is a folder of that name")
        if target.exists() and not target.is_file():  # renaming would replace the device or pipe itself
            raise OSError(errno.EINVAL, "there is a device, pipe or socket of that name")
        if not target.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, f"there is no folder {target.parent}")
        _remove_leftovers(_asides(target, "saving"))
        file = _open_aside(target)
    try:
        yield file
        with explain_errors(target):
            file.flush()
            if target.exists():
                shutil.copymode(target, file.name)
            os.fsync(file.fileno())  # the content is on the disk before the name points to it
            if fcntl is None:
                file.close()  # Windows does not rename an open file
            os.replace(file.name, target)
            _sync_folder(target.parent)
    except BaseException:
        with suppress(OSError):
            file.close()  # tries to write what was left in its buffer, and may fail again
        Path(file.name).unlink(missing_ok=True)
        raise
    file.close()


@contextmanager
def explain_errors(path: Path) -> Iterator[None]:
    """Let an ``OSError`` say what was being saved, and that nothing was lost."""
    try:
        yield
    except OSError as error:
        code = error.errno or errno.EIO
        kept = " The file that was there is unchanged." if path.is_file() else ""
        raise OSError(code, f"cannot save {path}: {error.strerror or error}.{kept}") from error


@contextmanager
def atomic_create(path: str | os.PathLike[str]) -> Iterator[Path | None]:
    """Make a file or a folder aside, which appears under ``path`` in one step when the block ends well.

    The block gets a name to make it under, or None where ``path`` is there already: then it has nothing to
    do. Of several processes that come at the same time one makes it, and the others wait and get None. So
    after the block there is something complete under ``path``, which has been made once; what a killed
    process left behind is removed by the next one. :func:`exclusive_open` then writes into it alone.
    """
    target = Path(os.path.realpath(path))
    with file_lock(target) as alone:
        if alone:
            for leftover in _asides(target, "creating"):
                with suppress(OSError):
                    _remove(Path(leftover))
        if os.path.lexists(target):
            yield None
            return
        aside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.creating")
        try:
            yield aside
            with explain_errors(target):
                _sync_tree(aside)
                _publish(aside, target)
                _sync_folder(target.parent)
        except BaseException:
            _remove(aside)
            raise


@contextmanager
def exclusive_open(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to write into it in place, for this process alone; an ``OSError`` where another has it.

    ``FileNotFoundError`` where it is not there, also when the one who had it has just given it another name.
    """
    with open(path, "rb+") as file:
        if lock(file) is False:
            raise OSError(errno.EBUSY, f"another process is writing {path} at the moment")
        if not _is_at(file, Path(path)):
            raise FileNotFoundError(errno.ENOENT, f"{path} was finished or removed by another process")
        yield file


@contextmanager
def file_lock(target: Path) -> Iterator[bool]:
    """Let others who would make ``target`` wait until the block ends; yield False where locks do not work."""
    path = target.with_name(f".{target.name}.lock")
    with ExitStack() as stack:
        with explain_errors(target):
            while True:
                file = stack.enter_context(open(path, "ab"))
                alone = lock(file, wait=True) is True
                # The one before may have removed the file between the two lines: its lock keeps nobody out.
                if not alone or _is_at(file, path):
                    break
                file.close()
        try:
            yield alone
        finally:
            with suppress(OSError):  # Windows: another one has it open, and removes it in its turn
                path.unlink(missing_ok=True)  # while it is locked, so that nobody can take it between


def _is_at(file: IO[bytes], path: Path) -> bool:
    """Tell whether an open file is still the one of that name."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except FileNotFoundError:
        return False


def _publish(aside: Path, target: Path) -> None:
    """Give what was made its name, unless something has that name by now; then it stays as it is."""
    try:
        if aside.is_dir() or sys.platform == "win32":
            os.rename(aside, target)  # refuses to replace anything but an empty folder
            return
        try:
            os.link(aside, target)
        except FileExistsError:
            raise
        except OSError:  # a file system without links: here only the lock keeps two from doing it at once
            os.rename(aside, target)
            return
    except OSError as error:
        if error.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR, errno.EISDIR):
            raise
    _remove(aside)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _open_aside(target: Path) -> BinaryIO:
    while True:
        aside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.saving")
        file = open(aside, "xb")  # noqa: SIM115  (the caller closes it)
        # The lock tells other writers that this one is alive. One of them may have come between the two
        # lines, taken the file for a leftover and removed it; then try again.
        if lock(file) is not False and _is_at(file, aside):
            return file
        file.close()


def _asides(target: Path, ending: str) -> list[str]:
    """List what writers of ``target`` keep beside it, or have left there."""
    return glob.glob(glob.escape(str(target.with_name(f".{target.name}."))) + f"*.{ending}")


def remove_abandoned(folder: Path) -> None:
    """Remove what killed writers left behind of files in a folder that nobody writes again."""
    _remove_leftovers(glob.glob(glob.escape(str(folder)) + "/.*.saving"))


def _remove_leftovers(names: list[str]) -> None:
    for name in names:
        with suppress(OSError):
            if fcntl is None:
                os.unlink(name)
            elif os.path.isfile(name):  # opening a pipe would wait for someone at its other end
                with open(name, "rb") as leftover:
                    if lock(leftover):
                        os.unlink(name)


def lock(file: IO[bytes], *, wait: bool = False) -> bool | None:
    """Lock a file; return True if the lock is ours, False if another process has it, None if locks fail."""
    if fcntl is None:
        return _lock_byte(file, wait)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _lock_byte(file: IO[bytes], wait: bool) -> bool | None:
    """Do what :func:`lock` does on Windows, where bytes are locked, even beyond the end of a file."""
    windows: Any = msvcrt
    if windows is None:
        return None
    place = os.lseek(file.fileno(), 0, os.SEEK_CUR)
    try:
        while True:
            os.lseek(file.fileno(), _LOCKED_BYTE, os.SEEK_SET)
            try:
                windows.locking(file.fileno(), windows.LK_NBLCK, 1)
                return True
            except OSError as error:
                if error.errno not in (errno.EACCES, errno.EDEADLK):
                    return None
                if not wait:
                    return False
            time.sleep(0.05)
    finally:
        os.lseek(file.fileno(), place, os.SEEK_SET)


def _sync_tree(path: Path) -> None:
    """Bring a file, or a folder with all that is in it, to the disk."""
    if path.is_dir():
        for inner in path.iterdir():
            _sync_tree(inner)
        _sync_folder(path)
    else:
        with open(path, "rb+") as file:
            os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Bring the new name itself to the disk, where the system lets one open a folder."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
