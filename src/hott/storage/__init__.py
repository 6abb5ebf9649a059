"""The on-disk format of an index: one file of named arrays and tables, checked as they are read.

One file, not a folder, because a file can be replaced in one step and a folder cannot. Arrays are read whole,
and stay as they are whatever happens to the file; documents are read a thousand at a time. Nothing in it can
execute code. The format is described byte by byte in ``docs/file-format.md``.

>>> import numpy as np
>>> write("small.hott", {"what": "squares"}, {"squares": np.arange(4) ** 2})
>>> read("small.hott").arrays["squares"]
array([0, 1, 4, 9])
"""

from hott.storage._address import is_address, size
from hott.storage._format import Part, StorageError
from hott.storage._reader import Stored, read
from hott.storage._table import StoredTable
from hott.storage._writer import Writer, write
from hott.table.table import Table

__all__ = [
    "Part", "StorageError", "Stored", "StoredTable", "Table", "Writer", "is_address", "read", "size",
    "write",
]  # fmt: skip
