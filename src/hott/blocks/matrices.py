"""Where a matrix of distances goes tile by tile, so that an interrupted run goes on where it was."""

import errno
import json
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hott._atomic import explained, lock, replacing
from hott._optional import need
from hott.blocks.address import Address, saving_to
from hott.blocks.collection import Tile

NOT_YET = -1.0
"""What a Zarr array gives for distances that are not computed yet."""

_DESCRIPTION = 256  # bytes kept at the end of an unfinished .npy file


class MatrixStore(Protocol):
    """A matrix that is filled tile by tile."""

    @property
    def block(self) -> int: ...
    @property
    def filled_by_workers(self) -> bool:
        """Whether workers write their tiles themselves, rather than sending them to the one who asked."""
        ...

    def finished(self) -> set[tuple[int, int]]: ...
    def write(self, tile: Tile, values: NDArray[np.float64]) -> None: ...


@dataclass
class InMemory:
    """An array."""

    matrix: NDArray[np.float64]
    block: int
    filled_by_workers = False

    def finished(self) -> set[tuple[int, int]]:
        return set()

    def write(self, tile: Tile, values: NDArray[np.float64]) -> None:
        self.matrix[tile.rows, tile.columns] = values
        if tile.row != tile.column:
            self.matrix[tile.columns, tile.rows] = values.T


class NpyFile:
    """An ``.npy`` file. Until it is finished it has another name, and at its end a list of finished tiles."""

    filled_by_workers = False

    def __init__(self, path: Path, n: int, block: int, fingerprint: str) -> None:
        if os.path.lexists(path) and not path.is_file():
            raise ValueError(f"{path} is there already and no file; choose another name.")
        self.path, self.aside = path, path.with_name(path.name + ".unfinished")
        self.fingerprint, self.block, self.n = fingerprint, block, n
        described = self._description()
        if described is None:
            self._create()
        elif described["fingerprint"] != fingerprint:
            raise ValueError(
                f"{self.aside} holds unfinished distances of other documents or topics. Remove it, or choose "
                "another name for the result."
            )
        else:
            self.block = described["block"]
        self.file = self.aside.open("rb+")
        if lock(self.file) is False:
            raise OSError(errno.EBUSY, f"another process is writing {path} at the moment")
        size = -(-n // self.block)
        place = self.aside.stat().st_size - _DESCRIPTION - size * size
        self.matrix = np.lib.format.open_memmap(self.aside, mode="r+")
        self.flags = np.memmap(self.aside, np.bool_, "r+", offset=place, shape=(size, size))

    def finished(self) -> set[tuple[int, int]]:
        return {(int(i), int(j)) for i, j in zip(*np.nonzero(self.flags))}

    def write(self, tile: Tile, values: NDArray[np.float64]) -> None:
        InMemory(self.matrix, self.block).write(tile, values)
        self.matrix.flush()  # the distances are on the disk before the tile counts as finished
        self.flags[tile.row, tile.column] = True

    def __enter__(self) -> "NpyFile":
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        """Cut off the list of tiles and give the file its name, unless something went wrong."""
        end = self.matrix.offset + self.matrix.nbytes
        del self.matrix, self.flags
        with self.file as file, explained(self.path):
            if error is None:
                file.truncate(end)
                os.fsync(file.fileno())
                os.replace(self.aside, self.path)

    def _create(self) -> None:
        size = -(-self.n // self.block)
        described = {"fingerprint": self.fingerprint, "block": self.block}
        with replacing(self.aside) as file:
            shape = {"descr": "<f8", "fortran_order": False, "shape": (self.n, self.n)}
            np.lib.format.write_array_header_1_0(file, shape)
            end = file.tell() + 8 * self.n * self.n
            with explained(self.path):
                if hasattr(os, "posix_fallocate"):
                    # Writing to a map on a full disk kills the process; asking for the room first only fails.
                    os.posix_fallocate(file.fileno(), 0, end)
                file.seek(end)
                file.write(bytes(size * size) + json.dumps(described).encode().ljust(_DESCRIPTION))

    def _description(self) -> dict[str, Any] | None:
        """What an unfinished file says of itself; None where there is none, or one killed at the very end."""
        if not self.aside.exists():
            return None
        with self.aside.open("rb") as file:
            file.seek(-_DESCRIPTION, os.SEEK_END)
            try:
                described: dict[str, Any] = json.loads(file.read())
            except ValueError:
                return None
        return described


@dataclass(frozen=True)
class ZarrArray:
    """A Zarr array, a chunk for each tile and for its mirror image."""

    address: Address
    n: int
    block: int
    filled_by_workers = True

    @classmethod
    def at(cls, address: Address, n: int, block: int, fingerprint: str) -> "ZarrArray":
        """The array at an address: the one that is there, or a new one."""
        zarr = need("zarr", extra="dask")
        described = address.described_by("zarr.json", "distances", fingerprint, "attributes")
        if described is None:
            described = {"holds": "distances", "fingerprint": fingerprint, "block": min(block, n)}
            with saving_to(address):
                zarr.create_array(
                    address.name,
                    storage_options=address.options or None,
                    shape=(n, n),
                    chunks=(described["block"],) * 2,
                    dtype=np.float64,
                    compressors=None,  # nothing would be gained: the digits of distances look random
                    fill_value=NOT_YET,
                    attributes={"hott": described},
                )
        return cls(address, n, described["block"])

    @cached_property
    def array(self) -> Any:
        zarr = need("zarr", extra="dask")
        return zarr.open_array(self.address.name, mode="r+", storage_options=self.address.options or None)

    def finished(self) -> set[tuple[int, int]]:
        chunks = {name.removeprefix("c/") for name in self.address.files()}
        size = -(-self.n // self.block)
        return {
            (i, j)
            for i in range(size)
            for j in range(i, size)
            if f"{i}/{j}" in chunks and f"{j}/{i}" in chunks
        }

    def write(self, tile: Tile, values: NDArray[np.float64]) -> None:
        with saving_to(self.address):
            self.array[tile.rows, tile.columns] = values
            if tile.row != tile.column:
                self.array[tile.columns, tile.rows] = values.T
