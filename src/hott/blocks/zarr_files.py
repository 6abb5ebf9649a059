"""What an empty Zarr array or group consists of, so that it can be put down in one step."""

from collections.abc import Callable
from typing import Any

from hott.utils.optional import import_optional

ABOUT = "zarr.json"
"""The file in which an array or group says what it is."""


def files_of(create: Callable[[Any], Any]) -> dict[str, bytes]:
    """The names and contents of the files that ``create(store)`` writes.

    Examples
    --------
    >>> import zarr
    >>> sorted(files_of(lambda store: zarr.create_group(store).create_array("a", shape=3, dtype=float)))
    ['a/zarr.json', 'zarr.json']
    """
    contents: dict[str, Any] = {}
    create(import_optional("zarr.storage", extra="dask").MemoryStore(contents))
    return {name: content.to_bytes() for name, content in contents.items()}
