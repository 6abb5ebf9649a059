"""Files at an address that fsspec knows, such as ``s3://bucket/a.hott``: copied once, and read here."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from hott.storage._format import PathLike
from hott.utils.atomic import atomic_write
from hott.utils.cache import cache_folder, shrink, touch
from hott.utils.optional import import_optional

_VALIDATORS = ("ETag", "Last-Modified", "size")


def is_address(path: PathLike) -> bool:
    """Tell whether a name is that of a file elsewhere.

    Examples
    --------
    >>> is_address("s3://bucket/articles.hott"), is_address("articles.hott"), is_address("file:///a.hott")
    (True, False, False)
    """
    return "://" in os.fspath(local(path))


def local(path: PathLike) -> PathLike:
    """Return the path of a file on this machine, which may also be given as an address."""
    name = os.fspath(path)
    return name.removeprefix("file://") if name.startswith("file://") else path


def fetch(address: str, options: dict[str, Any] | None, check: Callable[[Path], object]) -> Path:
    """Copy a file to this machine, and return the copy, which is made anew when the file has changed.

    Copies are in the folder ``files`` of the cache: the last one of each address.
    """
    with _explain_errors(address):
        files, place = _locate(address, options)
        files.invalidate_cache()
        version = _version(files, place)
    folder = cache_folder() / "files"
    folder.mkdir(parents=True, exist_ok=True)
    name = hashlib.sha256(address.encode()).hexdigest()[:24]
    path = folder / f"{name}-{hashlib.sha256(version.encode()).hexdigest()[:24]}.hott"
    if not version or not path.exists():
        with atomic_write(path) as copy:
            with _explain_errors(address), files.open(place, "rb") as original:
                shutil.copyfileobj(original, copy, 1 << 22)
            copy.flush()
            check(Path(copy.name))
        for other in folder.glob(f"{name}-*.hott"):
            if other != path:
                with suppress(OSError):  # Windows: someone reads it
                    other.unlink()
    touch(path)
    shrink(folder, "*.hott")
    return path


def _version(files: Any, place: str) -> str:
    """Return a text that changes when a file does; it is empty where a web server does not tell.

    fsspec has a key for that, but takes files of web servers to be constant.
    """
    if not place.startswith(("http://", "https://")):
        return str(files.ukey(place))
    info = files.info(place)
    known = {name: info[name] for name in _VALIDATORS if info.get(name) is not None}
    return repr(known) if known else ""


@contextmanager
def _explain_errors(address: str) -> Iterator[None]:
    """Say in one line why a file cannot be had, whatever the file system raises."""
    try:
        yield
    except (ImportError, MemoryError):
        raise
    except Exception as error:
        cause = error.__cause__ or error  # fsspec takes every answer but 200 for a file that is not there
        status = getattr(cause, "status", None)
        if status not in (None, 404):
            reason = f"the server answered with {status} {getattr(cause, 'message', '')}".rstrip()
        elif isinstance(error, FileNotFoundError) and (status == 404 or not error.__cause__):
            raise FileNotFoundError(f"There is no file {address}.") from None
        else:
            reason = " ".join(str(cause).split()) or type(cause).__name__
        raise OSError(f"Cannot fetch {address}: {reason}.") from error


@contextmanager
def send(address: str, options: dict[str, Any] | None = None) -> Iterator[Path]:
    """Give a file to write on this machine, and send it to its address when the block ends well."""
    files, place = _locate(address, options)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file.hott")
        yield path
        files.put_file(str(path), place)


def size(path: PathLike, storage_options: dict[str, Any] | None = None) -> int:
    """Return the size in bytes of a file, or of all files in a folder, here or at an address.

    Parameters
    ----------
    path : str, path or address
    storage_options : dict, optional
        For fsspec, such as credentials.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "small.txt"
    >>> path.write_text("Stars shine.")
    12
    >>> size(path), size(path.parent)
    (12, 12)
    """
    if is_address(path):
        files, place = _locate(os.fspath(path), storage_options)
        return int(files.du(place))
    here = Path(local(path))
    files_here = [here] if here.is_file() else [file for file in here.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files_here)


def _locate(address: str, options: dict[str, Any] | None) -> tuple[Any, str]:
    files, place = import_optional("fsspec.core", extra="dask").url_to_fs(address, **(options or {}))
    return files, place
