"""Where rows go a block at a time: arrays of neighbours in Zarr, tables of any columns in Parquet."""

import io
import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hott.blocks.address import Address, saving_to
from hott.blocks.zarr_files import ABOUT as ZARR
from hott.blocks.zarr_files import files_of
from hott.table.columns import Column
from hott.utils.optional import import_optional

_ABOUT = "_hott.json"  # readers of Parquet folders ignore names that begin so

Found: TypeAlias = tuple[NDArray[np.int64], NDArray[np.float64]]  # indices and distances, documents x k


@dataclass(frozen=True)
class ZarrNeighbors:
    """A Zarr group of two arrays, documents x k: ``indices`` and ``distances``, a chunk of each a block."""

    address: Address
    n: int
    block: int

    @classmethod
    def at(cls, address: Address, n: int, k: int, block: int, fingerprint: str) -> "ZarrNeighbors":
        """The group at an address: the one that is there, or a new one."""
        holds = f"{k} nearest documents"
        new = {"holds": holds, "fingerprint": fingerprint, "block": min(block, n)}

        def create(store: Any) -> None:
            group = import_optional("zarr", extra="dask").create_group(store, attributes={"hott": new})
            for name, dtype in (("indices", np.int64), ("distances", np.float64)):
                # A block that is not there yet reads as -1.
                shapes = {"shape": (n, k), "chunks": (new["block"], k)}
                group.create_array(name, **shapes, dtype=dtype, fill_value=-1, compressors=None)

        described = address.open_or_create(ZARR, files_of(create), holds, fingerprint, "attributes")
        return cls(address, n, described["block"])

    @cached_property
    def _arrays(self) -> Any:
        options = self.address.options or None
        group = import_optional("zarr", extra="dask").open_group(
            self.address.name, mode="r+", storage_options=options
        )
        return group["indices"], group["distances"]

    def finished_blocks(self) -> set[int]:
        files = self.address.files()
        numbers = range(-(-self.n // self.block))
        return {i for i in numbers if {f"indices/c/{i}/0", f"distances/c/{i}/0"} <= files}

    def alone(self) -> AbstractContextManager[None]:
        return self.address.alone(ZARR)

    def write(self, number: int, found: Found, ids: Column[str]) -> None:
        rows = slice(number * self.block, number * self.block + len(found[0]))
        with saving_to(self.address):
            for array, values in zip(self._arrays, found):
                array[rows] = values

    def read(self, number: int) -> Found:
        indices, distances = self._arrays
        rows = slice(number * self.block, (number + 1) * self.block)
        return indices[rows], distances[rows]


@dataclass(frozen=True)
class ParquetParts:
    """A folder of Parquet files, one a block, which every reader of Parquet takes as one table."""

    address: Address
    block: int

    @classmethod
    def at(cls, address: Address, block: int, holds: str, fingerprint: str) -> "ParquetParts":
        """The folder at an address: the one that is there, or a new one."""
        new = {"holds": holds, "fingerprint": fingerprint, "block": block}
        files = {_ABOUT: json.dumps({"hott": new}).encode()}
        described = address.open_or_create(_ABOUT, files, holds, fingerprint)
        return cls(address, described["block"])

    def finished_blocks(self) -> set[int]:
        names = (name for name in self.address.files() if name.endswith(".parquet"))
        return {int(name.removeprefix("part-").removesuffix(".parquet")) for name in names}

    def alone(self) -> AbstractContextManager[None]:
        return self.address.alone(_ABOUT)

    def write(self, number: int, columns: Mapping[str, Any]) -> None:
        pa, pq = (
            import_optional("pyarrow", extra="parquet"),
            import_optional("pyarrow.parquet", extra="parquet"),
        )
        content = io.BytesIO()
        pq.write_table(pa.table(dict(columns)), content, compression="zstd")
        with saving_to(self.address):
            self.address.write(_part(number), content.getvalue())

    def read(self, number: int) -> Any:
        """A block, as an Arrow table."""
        pq = import_optional("pyarrow.parquet", extra="parquet")
        # Without Arrow's threads: they could let go of our bytes while Python comes down, which aborts it.
        file = pq.ParquetFile(io.BytesIO(self.address.read(_part(number))), pre_buffer=False)
        return file.read(use_threads=False)


@dataclass(frozen=True)
class ParquetNeighbors:
    """The same as a table: a row for each document and each of its neighbours, by position and by id."""

    parts: ParquetParts
    n: int
    k: int

    @classmethod
    def at(cls, address: Address, n: int, k: int, block: int, fingerprint: str) -> "ParquetNeighbors":
        return cls(ParquetParts.at(address, block, f"{k} nearest documents", fingerprint), n, k)

    @property
    def block(self) -> int:
        return self.parts.block

    def finished_blocks(self) -> set[int]:
        return self.parts.finished_blocks()

    def alone(self) -> AbstractContextManager[None]:
        return self.parts.alone()

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
        self.parts.write(number, columns)

    def read(self, number: int) -> Found:
        table = self.parts.read(number)
        indices, distances = (table[name].to_numpy() for name in ("neighbor_position", "distance"))
        return indices.reshape(-1, self.k), distances.reshape(-1, self.k)


def _part(number: int) -> str:
    return f"part-{number:06}.parquet"
