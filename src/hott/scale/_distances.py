"""All distances, tile by tile."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hott._progress import Progress, reporting
from hott.distances._checks import check_count
from hott.scale._address import Address
from hott.scale._collection import Collection, Tile, tiles
from hott.scale._matrices import InMemory, MatrixStore, NpyFile, ZarrArray
from hott.scale._runners import Runner
from hott.transport._checks import check_output

if TYPE_CHECKING:
    from hott.gpu import Device

BLOCK = 2048
"""Documents on each side of a tile: 32 MiB of distances."""

BLOCK_ON_DEVICE = 8192
"""The same for a GPU, which gains from larger tiles: 512 MiB."""


def fill(
    collection: Collection,
    out: Any,
    runner: Runner,
    *,
    block: int | None = None,
    storage_options: dict[str, Any] | None = None,
    progress: Progress = None,
    device: "Device" = "cpu",
) -> Any:
    """All distances of a collection in ``out``: an array, an .npy file or a Zarr array."""
    n = collection.n_documents
    if block is None:
        block = BLOCK if device == "cpu" else BLOCK_ON_DEVICE
    check_count(block, "block")
    run = partial(_run, collection, runner, progress, device)
    if out is None or isinstance(out, np.ndarray):
        matrix = check_output(out, (n, n))
        run(InMemory(matrix, block))
        return matrix
    address = Address.of(out, storage_options)
    if address.ending == ".zarr":
        array = ZarrArray.at(address, n, block, collection.fingerprint())
        run(array)
        return array.array
    if address.ending == ".npy" and address.is_local:
        with NpyFile(Path(address.name), n, block, collection.fingerprint()) as file:
            run(file)
        return np.load(address.name, mmap_mode="r")
    raise ValueError(
        f"out must be an array, the name of an .npy file, or that of a .zarr folder; got {str(out)!r}."
    )


def _run(
    collection: Collection, runner: Runner, progress: Progress, device: "Device", store: MatrixStore
) -> None:
    finished = store.finished()
    todo = [t for t in tiles(collection.n_documents, store.block) if (t.row, t.column) not in finished]
    total = collection.n_documents**2
    done = total - sum(tile.pairs for tile in todo)
    there = store if store.filled_by_workers else None
    work = partial(_solve, store=there, threads=runner.threads, device=device)
    with reporting(progress, "distances") as report:
        for tile, values in runner.run(work, collection, todo):
            if values is not None:
                store.write(tile, values)
            done += tile.pairs
            if report is not None:
                report(done, total)


def _solve(
    collection: Collection, tile: Tile, *, store: MatrixStore | None, threads: int | None, device: "Device"
) -> NDArray[np.float64] | None:
    """The distances of a tile, or nothing once they are in the store."""
    values = collection.between(tile, threads=threads, device=device)
    if store is None:
        return values
    store.write(tile, values)
    return None
