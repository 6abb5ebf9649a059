"""All distances, tile by tile."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott.blocks.address import Address, filling
from hott.blocks.collection import Collection, Tile, tiles
from hott.blocks.matrices import InMemory, MatrixStore, NpyFile, ZarrArray
from hott.blocks.runner import run_blocks
from hott.utils.checks import check_count, check_output
from hott.utils.run import Run

BLOCK = 2048
"""Documents on each side of a tile: 32 MiB of distances."""

BLOCK_ON_DEVICE = 8192
"""The same for a GPU, which gains from larger tiles: 512 MiB."""


def fill(
    collection: Collection,
    out: Any,
    run: Run,
    *,
    block: int | None = None,
    storage_options: dict[str, Any] | None = None,
) -> Any:
    """All distances of a collection in ``out``: an array, an .npy file or a Zarr array.

    Parameters
    ----------
    collection : Collection
    out : array, path or address; None for a new array
    run : Run
    block : documents on each side of a tile
    storage_options : for fsspec, such as credentials
    """
    n = collection.n_documents
    if block is None:
        block = BLOCK if run.device == "cpu" else BLOCK_ON_DEVICE
    check_count(block, "block")
    if out is None or isinstance(out, np.ndarray):
        matrix = check_output(out, (n, n))
        _fill_store(collection, InMemory(matrix, block), run)
        return matrix
    address = Address.of(out, storage_options)
    if address.ending == ".zarr":
        array = ZarrArray.at(address, n, block, collection.fingerprint())
        _fill_store(collection, array, run)
        return array.array
    if address.ending == ".npy" and address.is_local:
        with NpyFile(Path(address.name), n, block, collection.fingerprint()) as file:
            _fill_store(collection, file, run)
        return np.load(address.name, mmap_mode="r")
    raise ValueError(
        f"out must be an array, the name of an .npy file, or that of a .zarr folder; got {str(out)!r}."
    )


def _fill_store(collection: Collection, store: MatrixStore, run: Run) -> None:
    all_tiles = list(tiles(collection.n_documents, store.block))
    total = collection.n_documents**2
    work = partial(_solve, store=store if store.filled_by_workers else None)
    with filling(store, len(all_tiles)) as finished, run.reporting("distances") as report:
        todo = [tile for tile in all_tiles if (tile.row, tile.column) not in finished]
        done = total - sum(tile.pairs for tile in todo)
        for tile, values in run_blocks(work, collection, todo, run):
            if values is not None:
                store.write(tile, values)
            done += tile.pairs
            if report is not None:
                report(done, total)


def _solve(
    collection: Collection, tile: Tile, run: Run, *, store: MatrixStore | None
) -> NDArray[np.float64] | None:
    """The distances of a tile, or nothing once they are in the store."""
    values = collection.between(tile, run)
    if store is None:
        return values
    store.write(tile, values)
    return None
