"""The bytes of a file that stays open: any thread may read them, and a change is noticed."""

import os
import threading
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hott.storage._format import ALIGNMENT, PathLike, StorageError


class Source:
    """An open file.

    Its bytes are read, not mapped. A map shows what others write into the file: numbers that were checked
    change under compiled code that follows them, and where the file was cut short the process is killed
    (SIGBUS). What has been read stays as it is, and a read that comes too late fails with an error.
    """

    def __init__(self, path: PathLike) -> None:
        self.path = Path(path)
        if self.path.is_dir():
            raise StorageError(f"Cannot open {self.path}: it is a folder, and an index is one file.")
        if self.path.exists() and not self.path.is_file():  # opening a pipe would wait for a writer
            raise StorageError(f"Cannot open {self.path}: it is a device, pipe or socket, not a file.")
        self._file = open(self.path, "rb", buffering=0)  # noqa: SIM115  (open as long as this object lives)
        self._lock = threading.Lock()
        self._first_seen = self._status()
        self.size = self._first_seen[0]

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()

    def check_unchanged(self) -> None:
        """A StorageError when someone has written into the file since it was opened.

        A file that was replaced, as ``save`` does it, is not changed: the old one stays readable here.
        """
        if self._status() != self._first_seen:
            raise StorageError(
                f"{self.path} was written to while it was open. Open it again; to put another index in its "
                "place, save it there, or copy it beside it and rename the copy."
            )

    def read(self, start: int, stop: int) -> NDArray[np.uint8]:
        """The bytes from ``start`` to ``stop``, in memory of their own."""
        out = allocate_aligned(stop - start)
        self.fill(start, out.data)
        return out

    def fill(self, place: int, out: memoryview) -> None:
        """Read as many bytes as ``out`` takes; a StorageError where the file ends before."""
        try:
            while len(out):
                n = self._read_some(place, out)
                if not n:
                    self.check_unchanged()
                    raise StorageError(f"{self.path} ends after {place} bytes, not after {self.size}.")
                place, out = place + n, out[n:]
        except OSError as error:
            raise StorageError(f"{self.path} cannot be read: {error.strerror or error}.") from error

    def _read_some(self, place: int, out: memoryview) -> int:
        if hasattr(os, "preadv"):
            return os.preadv(self._file.fileno(), [out], place)
        with self._lock:  # Windows has one place to read from, for all threads
            self._file.seek(place)
            return self._file.readinto(out) or 0

    def _status(self) -> tuple[int, int]:
        status = os.fstat(self._file.fileno())
        return status.st_size, status.st_mtime_ns


def allocate_aligned(length: int) -> NDArray[np.uint8]:
    """Memory that begins at an address that is a multiple of 64, as parts do in a file."""
    memory = np.empty(length + ALIGNMENT, np.uint8)
    skipped = -memory.ctypes.data % ALIGNMENT
    return memory[skipped : skipped + length]
