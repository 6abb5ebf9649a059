"""Where results go block by block, so that an interrupted run goes on: .npy, Zarr and Parquet."""

import io
import json
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hott.blocks.address import Address, saving_to
from hott.blocks.collection import Tile
from hott.table.columns import Column
from hott.utils.atomic import atomic_create, exclusive_open, explain_errors
from hott.utils.optional import import_optional

NOT_YET = -1.0
"""What a Zarr array gives for distances that are not computed yet."""

_DESCRIPTION = 256  # bytes kept at the end of an unfinished .npy file
_ZARR = "zarr.json"  # in which a Zarr array or group says what it is
_PARQUET = "_hott.json"  # readers of Parquet folders ignore names that begin so

Found: TypeAlias = tuple[NDArray[np.int64], NDArray[np.float64]]  # indices and distances, documents x k


@dataclass
class InMemory:
    """An array."""

    matrix: NDArray[np.float64]
    block: int
    filled_by_workers = False  # workers send their tiles to the one who asked

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
        """Write an empty matrix, an empty list of finished tiles, and last of all the description."""
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
        """Read the description at the file's end; return None if a killed process had already cut it off."""
        self.file.seek(max(0, os.fstat(self.file.fileno()).st_size - _DESCRIPTION))
        try:
            described: dict[str, Any] = json.loads(self.file.read())
        except ValueError:
            return None
        return described


@dataclass(frozen=True)
class _Zarr:
    """A Zarr array or group of ``n`` rows, ``block`` of them a chunk."""

    address: Address
    n: int
    block: int

    @classmethod
    def _begin(
        cls, address: Address, n: int, block: int, holds: str, fingerprint: str, create: Callable[..., Any]
    ) -> Self:
        """Open what is there, or save in one step the files that ``create(store, described)`` writes."""
        new = {"holds": holds, "fingerprint": fingerprint, "block": min(block, n)}
        contents: dict[str, Any] = {}
        create(import_optional("zarr.storage", extra="dask").MemoryStore(contents), new)
        files = {name: content.to_bytes() for name, content in contents.items()}
        described = address.open_or_create(_ZARR, files, holds, fingerprint, "attributes")
        return cls(address, n, described["block"])

    @cached_property
    def array(self) -> Any:
        """The array, or the group of arrays."""
        zarr = import_optional("zarr", extra="dask")
        return zarr.open(self.address.name, mode="r+", storage_options=self.address.options or None)

    def alone(self) -> AbstractContextManager[None]:
        return self.address.alone(_ZARR)


class ZarrArray(_Zarr):
    """A Zarr array, a chunk for each tile and for its mirror image."""

    filled_by_workers = True

    @classmethod
    def at(cls, address: Address, n: int, block: int, fingerprint: str) -> "ZarrArray":
        """Open the array at an address, or create one where there is none."""

        def create(store: Any, new: dict[str, Any]) -> None:
            import_optional("zarr", extra="dask").create_array(
                store,
                shape=(n, n),
                chunks=(new["block"],) * 2,
                dtype=np.float64,
                compressors=None,  # nothing would be gained: the digits of distances look random
                fill_value=NOT_YET,
                attributes={"hott": new},
            )

        return cls._begin(address, n, block, "distances", fingerprint, create)

    def finished_blocks(self) -> set[tuple[int, int]]:
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
            InMemory(self.array, self.block).write(tile, values)


class ZarrNeighbors(_Zarr):
    """A Zarr group of two arrays, documents x k: ``indices`` and ``distances``, a chunk of each a block."""

    @classmethod
    def at(cls, address: Address, n: int, k: int, block: int, fingerprint: str) -> "ZarrNeighbors":
        """Open the group at an address, or create one where there is none."""

        def create(store: Any, new: dict[str, Any]) -> None:
            group = import_optional("zarr", extra="dask").create_group(store, attributes={"hott": new})
            for name, dtype in (("indices", np.int64), ("distances", np.float64)):
                # A block that is not there yet reads as -1.
                shapes = {"shape": (n, k), "chunks": (new["block"], k)}
                group.create_array(name, **shapes, dtype=dtype, fill_value=-1, compressors=None)

        return cls._begin(address, n, block, f"{k} nearest documents", fingerprint, create)

    def finished_blocks(self) -> set[int]:
        files = self.address.files()
        numbers = range(-(-self.n // self.block))
        return {i for i in numbers if {f"indices/c/{i}/0", f"distances/c/{i}/0"} <= files}

    def write(self, number: int, found: Found, ids: Column[str]) -> None:
        rows = slice(number * self.block, number * self.block + len(found[0]))
        with saving_to(self.address):
            for name, values in zip(("indices", "distances"), found):
                self.array[name][rows] = values

    def read(self, number: int) -> Found:
        rows = slice(number * self.block, (number + 1) * self.block)
        return self.array["indices"][rows], self.array["distances"][rows]


@dataclass(frozen=True)
class ParquetParts:
    """A folder of Parquet files, one a block, which every reader of Parquet takes as one table."""

    address: Address
    block: int

    @classmethod
    def begin(cls, address: Address, block: int, holds: str, fingerprint: str, **more: Any) -> Self:
        """Open the folder at an address, or create one where there is none."""
        new = {"holds": holds, "fingerprint": fingerprint, "block": block}
        files = {_PARQUET: json.dumps({"hott": new}).encode()}
        described = address.open_or_create(_PARQUET, files, holds, fingerprint)
        return cls(address, described["block"], **more)

    def finished_blocks(self) -> set[int]:
        names = (name for name in self.address.files() if name.endswith(".parquet"))
        return {int(name.removeprefix("part-").removesuffix(".parquet")) for name in names}

    def alone(self) -> AbstractContextManager[None]:
        return self.address.alone(_PARQUET)

    def write_table(self, number: int, columns: Mapping[str, Any]) -> None:
        pa, pq = (import_optional(name, extra="parquet") for name in ("pyarrow", "pyarrow.parquet"))
        content = io.BytesIO()
        pq.write_table(pa.table(dict(columns)), content, compression="zstd")
        with saving_to(self.address):
            self.address.write(_part(number), content.getvalue())


@dataclass(frozen=True)
class ParquetNeighbors(ParquetParts):
    """The neighbours as a table: a row for each document and each of them, by position and by id."""

    k: int

    @classmethod
    def at(cls, address: Address, n: int, k: int, block: int, fingerprint: str) -> "ParquetNeighbors":
        return cls.begin(address, block, f"{k} nearest documents", fingerprint, k=k)

    def write(self, number: int, found: Found, ids: Column[str]) -> None:
        indices, distances = found
        start = number * self.block
        documents = np.repeat(np.arange(start, start + len(indices)), self.k)
        columns = {
            "position": documents,
            "id": ids.take(documents).tolist(),
            "rank": np.tile(np.arange(1, self.k + 1, dtype=np.int32), len(indices)),
            "neighbor": ids.take(indices.ravel()).tolist(),
            "neighbor_position": indices.ravel(),
            "distance": distances.ravel(),
        }
        self.write_table(number, columns)

    def read(self, number: int) -> Found:
        pq = import_optional("pyarrow.parquet", extra="parquet")
        # Without Arrow's threads: they could let go of our bytes while Python comes down, which aborts it.
        file = pq.ParquetFile(io.BytesIO(self.address.read(_part(number))), pre_buffer=False)
        table = file.read(use_threads=False)
        indices, distances = (table[name].to_numpy() for name in ("neighbor_position", "distance"))
        return indices.reshape(-1, self.k), distances.reshape(-1, self.k)


def _part(number: int) -> str:
    return f"part-{number:06}.parquet"
