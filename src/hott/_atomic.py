"""Files that are replaced whole or not at all."""

import errno
import glob
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO

try:
    import fcntl
except ImportError:  # Windows: a file that someone holds open cannot be removed there, which serves as a lock
    fcntl = None  # type: ignore[assignment]


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Write a file aside; it takes the place of ``path`` in one step when the block ends well.

    Whatever happens inside the block, a kill or a power cut included, ``path`` holds its old content or all
    of the new one. What a killed writer left behind is removed by the next one.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "words.txt"
    >>> with replacing(path) as file:
    ...     _ = file.write(b"transport")
    >>> path.read_text()
    'transport'
    """
    target = Path(os.path.realpath(path))  # write through a symbolic link, do not replace the link
    with explained(target):
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, "there is a folder of that name")
        if not target.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, f"there is no folder {target.parent}")
        _remove_leftovers(target)
        file = _open_aside(target)
    try:
        yield file
        with explained(target):
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
def explained(path: Path) -> Iterator[None]:
    """Let an ``OSError`` say what was being saved, and that nothing was lost."""
    try:
        yield
    except OSError as error:
        code = error.errno or errno.EIO
        kept = " The file that was there is unchanged." if path.is_file() else ""
        raise OSError(code, f"cannot save {path}: {error.strerror or error}.{kept}") from error


def _open_aside(target: Path) -> BinaryIO:
    while True:
        aside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.saving")
        file = open(aside, "xb")  # noqa: SIM115  (the caller closes it)
        # The lock tells other writers that this one is alive. One of them may have come between the two
        # lines, taken the file for a leftover and removed it; then try again.
        if lock(file) is not False and aside.exists():
            return file
        file.close()


def _remove_leftovers(target: Path) -> None:
    for name in glob.glob(glob.escape(str(target.with_name(f".{target.name}."))) + "*.saving"):
        with suppress(OSError):
            if fcntl is None:
                os.unlink(name)
            else:
                with open(name, "rb") as leftover:
                    if lock(leftover):
                        os.unlink(name)


def lock(file: IO[bytes]) -> bool | None:
    """True: the lock is ours. False: another process holds it. None: locks do not work here."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _sync_folder(folder: Path) -> None:
    """Bring the new name itself to the disk, where the system lets one open a folder."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
