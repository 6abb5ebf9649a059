"""Where a matrix of distances goes tile by tile, so that an interrupted run goes on where it was."""

import json
import os
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from hott.blocks.address import Address, Store, saving_to
from hott.blocks.collection import Tile
from hott.blocks.zarr_files import ABOUT, files_of
from hott.utils.atomic import atomic_create, exclusive_open, explain_errors
from hott.utils.optional import import_optional

NOT_YET = -1.0
"""What a Zarr array gives for distances that are not computed yet."""

_DESCRIPTION = 256  # bytes kept at the end of an unfinished .npy file


class MatrixStore(Store[tuple[int, int]], Protocol):
    """A matrix that is filled tile by tile."""

    @property
    def block(self) -> int: ...
    @property
    def filled_by_workers(self) -> bool:
        """Whether workers write their tiles themselves, rather than sending them to the one who asked."""
        ...

    def write(self, tile: Tile, values: NDArray[np.float64]) -> None: ...


@dataclass
class InMemory:
    """An array."""

    matrix: NDArray[np.float64]
    block: int
    filled_by_workers = False

    def finished_blocks(self) -> set[tuple[int, int]]:
        return set()

    def alone(self) -> AbstractContextManager[None]:
        return nullcontext()

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

    def __enter__(self) -> Self:
        """Have the file for this process alone; an ``OSError`` where another has it."""
        with ExitStack() as stack:
            self.file = self._open_file(stack)
            described = self._description()
            if described is None:
                described = self._begin(self.file)
            if described["fingerprint"] != self.fingerprint:
                raise ValueError(
                    f"{self.aside} holds unfinished distances of other documents or topics. Remove it, or "
                    "choose another name for the result."
                )
            self.block = described["block"]
            size = -(-self.n // self.block)
            place = self.aside.stat().st_size - _DESCRIPTION - size * size
            self.matrix = np.lib.format.open_memmap(self.aside, mode="r+")
            self.flags = np.memmap(self.aside, np.bool_, "r+", offset=place, shape=(size, size))
            self._held = stack.pop_all()
        return self

    def alone(self) -> AbstractContextManager[None]:
        return nullcontext()  # it is, from the beginning

    def finished_blocks(self) -> set[tuple[int, int]]:
        return {(int(i), int(j)) for i, j in zip(*np.nonzero(self.flags))}

    def write(self, tile: Tile, values: NDArray[np.float64]) -> None:
        InMemory(self.matrix, self.block).write(tile, values)
        self.matrix.flush()  # the distances are on the disk before the tile counts as finished
        self.flags[tile.row, tile.column] = True

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        """Cut off the list of tiles and give the file its name, unless something went wrong."""
        end = self.matrix.offset + self.matrix.nbytes
        del self.matrix, self.flags
        with self._held, explain_errors(self.path):
            if error is None:
                self.file.truncate(end)
                os.fsync(self.file.fileno())
                if os.name == "nt":
                    self.file.close()  # Windows does not rename an open file
                os.replace(self.aside, self.path)

    def _open_file(self, stack: ExitStack) -> BinaryIO:
        while True:
            with atomic_create(self.aside) as new:
                if new is not None:
                    with new.open("wb") as file:
                        self._begin(file)
            with suppress(FileNotFoundError):  # another process has just finished it: begin anew
                return stack.enter_context(exclusive_open(self.aside))

    def _begin(self, file: BinaryIO) -> dict[str, Any]:
        """Write an empty matrix, a list of no finished tiles, and last of all the description."""
        size = -(-self.n // self.block)
        described = {"fingerprint": self.fingerprint, "block": self.block}
        shape = {"descr": "<f8", "fortran_order": False, "shape": (self.n, self.n)}
        with explain_errors(self.path):
            file.seek(0)
            file.truncate()
            np.lib.format.write_array_header_1_0(file, shape)
            end = file.tell() + 8 * self.n * self.n
            file.flush()
            if hasattr(os, "posix_fallocate"):
                # Writing to a map on a full disk kills the process; asking for the room first only fails.
                os.posix_fallocate(file.fileno(), 0, end + size * size)
            file.seek(end + size * size)
            file.write(json.dumps(described).encode().ljust(_DESCRIPTION))
            file.flush()
        return described

    def _description(self) -> dict[str, Any] | None:
        """What the file says of itself; None where a process was killed that had cut it off at its end."""
        self.file.seek(max(0, os.fstat(self.file.fileno()).st_size - _DESCRIPTION))
        try:
            described: dict[str, Any] = json.loads(self.file.read())
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
        new = {"holds": "distances", "fingerprint": fingerprint, "block": min(block, n)}

        def create(store: Any) -> None:
            import_optional("zarr", extra="dask").create_array(
                store,
                shape=(n, n),
                chunks=(new["block"],) * 2,
                dtype=np.float64,
                compressors=None,  # nothing would be gained: the digits of distances look random
                fill_value=NOT_YET,
                attributes={"hott": new},
            )

        described = address.open_or_create(ABOUT, files_of(create), "distances", fingerprint, "attributes")
        return cls(address, n, described["block"])

    @cached_property
    def array(self) -> Any:
        zarr = import_optional("zarr", extra="dask")
        return zarr.open_array(self.address.name, mode="r+", storage_options=self.address.options or None)

    def finished_blocks(self) -> set[tuple[int, int]]:
        chunks = {name.removeprefix("c/") for name in self.address.files()}
        size = -(-self.n // self.block)
        return {
            (i, j)
            for i in range(size)
            for j in range(i, size)
            if f"{i}/{j}" in chunks and f"{j}/{i}" in chunks
        }

    def alone(self) -> AbstractContextManager[None]:
        return self.address.alone(ABOUT)

    def write(self, tile: Tile, values: NDArray[np.float64]) -> None:
        with saving_to(self.address):
            self.array[tile.rows, tile.columns] = values
            if tile.row != tile.column:
                self.array[tile.columns, tile.rows] = values.T
