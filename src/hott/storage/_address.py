"""Files at an address that fsspec knows, such as ``s3://bucket/a.hott``: fetched once, and read here."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from hott._atomic import replacing
from hott._optional import need
from hott.storage._format import PathLike


def is_address(path: PathLike) -> bool:
    """Whether a name is that of a file elsewhere.

    Examples
    --------
    >>> is_address("s3://bucket/articles.hott"), is_address("articles.hott")
    (True, False)
    """
    return "://" in os.fspath(path)


def fetched(address: str, options: dict[str, Any] | None = None) -> Path:
    """A copy of the file on this machine, which is fetched anew when the file has changed.

    Copies are in ``~/.cache/hott/files`` (or below ``XDG_CACHE_HOME``): the last one of each address.
    """
    files, place = _located(address, options)
    files.invalidate_cache()
    try:
        version = files.ukey(place)
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {address}.") from None
    folder = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "hott" / "files"
    folder.mkdir(parents=True, exist_ok=True)
    name, version = (hashlib.sha256(text.encode()).hexdigest()[:24] for text in (address, version))
    path = folder / f"{name}-{version}.hott"
    if not path.exists():
        with replacing(path) as copy, files.open(place, "rb") as original:
            shutil.copyfileobj(original, copy, 1 << 22)
        for other in folder.glob(f"{name}-*.hott"):
            if other != path:
                with suppress(OSError):  # Windows: someone reads it
                    other.unlink()
    return path


@contextmanager
def sent(address: str, options: dict[str, Any] | None = None) -> Iterator[Path]:
    """A file to write on this machine, which is sent to its address when the block ends well."""
    files, place = _located(address, options)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file.hott")
        yield path
        files.put_file(str(path), place)


def size(path: PathLike, storage_options: dict[str, Any] | None = None) -> int:
    """The bytes of a file, or of all files of a folder, here or at an address.

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
        files, place = _located(os.fspath(path), storage_options)
        return int(files.du(place))
    here = Path(path)
    files_here = [here] if here.is_file() else [file for file in here.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files_here)


def _located(address: str, options: dict[str, Any] | None) -> tuple[Any, str]:
    files, place = need("fsspec.core", extra="dask").url_to_fs(address, **(options or {}))
    return files, place
