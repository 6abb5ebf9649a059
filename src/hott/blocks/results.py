"""All distances, tile by tile, and the nearest documents of every document, a block of them at a time."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from hott.blocks.address import Address, filling
from hott.blocks.collection import Collection, Tile, spans_of, tiles
from hott.blocks.stores import InMemory, NpyFile, ParquetNeighbors, ZarrArray, ZarrNeighbors
from hott.neighbors import NeighborResult, check_k
from hott.utils.checks import check_count, check_output
from hott.utils.run import Run

MatrixStore: TypeAlias = InMemory | NpyFile | ZarrArray
Store: TypeAlias = ZarrNeighbors | ParquetNeighbors

BLOCK = 2048
"""Documents on each side of a tile, 32 MiB of distances, or whose neighbours are sought together."""

BLOCK_ON_DEVICE = 8192
"""The side of a tile for a GPU, which gains from larger ones: 512 MiB."""

Common = TypeVar("Common")
Item = TypeVar("Item")
Result = TypeVar("Result")


def run_blocks(
    work: Callable[[Common, Item, Run], Result],
    common: Common,
    items: Iterable[Item],
    run: Run,
    *,
    home: Callable[[Item], int] | None = None,
    heavy: bool = False,
) -> Iterator[tuple[Item, Result]]:
    """Do ``work(common, item, run)`` for many items, and give each with its result as it comes.

    Items that are ``heavy``, such as texts, go to a worker of a cluster directly, not through its scheduler.
    """
    if run.client is None:
        own = run.quiet()
        for item in items:
            yield item, work(common, item, own)
        return
    from hott.blocks import scale  # needs Dask

    there = replace(run, client=None, progress=None, threads=1)
    with scale.connect(run.client) as client:
        cluster = scale.OnCluster(client)
        yield from cluster.run(lambda common, item: work(common, item, there), common, items, home, heavy)


def fill(
    collection: Collection,
    out: Any,
    run: Run,
    *,
    block: int | None = None,
    storage_options: dict[str, Any] | None = None,
) -> Any:
    """All distances of a collection in ``out``: an array, an .npy file or a Zarr array."""
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
    """Compute the distances of a tile; write them to the store if there is one, or else return them."""
    values = collection.between(tile, run)
    if store is None:
        return values
    store.write(tile, values)
    return None


def nearest(
    collection: Collection,
    k: int,
    run: Run,
    *,
    out: Any = None,
    block: int | None = None,
    storage_options: dict[str, Any] | None = None,
) -> NeighborResult:
    """Find the ``k`` nearest others of each document; keep them in ``out``, a Zarr group or Parquet folder.

    ``computed`` and ``pruned`` count the pairs of the blocks that were not finished before.
    """
    n = collection.n_documents
    check_k(k, len(collection.documents), others=True)
    block = check_count(BLOCK if block is None else block, "block")
    store = None if out is None else _store(collection, k, Address.of(out, storage_options), block)
    spans = list(spans_of(n, block if store is None else store.block))
    indices, distances = np.empty((n, k), np.intp), np.empty((n, k))
    computed, pruned = 0, 0
    unfinished = nullcontext(set[int]()) if store is None else filling(store, len(spans))
    with unfinished as finished, run.reporting("neighbours") as report:
        if store is not None:
            for number in finished:
                indices[spans[number]], distances[spans[number]] = store.read(number)
        todo = [(number, span) for number, span in enumerate(spans) if number not in finished]
        done = n - sum(span.stop - span.start for _, span in todo)
        for (_, span), found in run_blocks(partial(_find, k=k, store=store), collection, todo, run):
            indices[span], distances[span] = found.indices, found.distances
            computed, pruned = computed + found.computed, pruned + found.pruned
            done += span.stop - span.start
            if report is not None:
                report(done, n)
    return NeighborResult(indices, distances, computed, pruned)


def _find(
    collection: Collection, block: tuple[int, slice], run: Run, *, k: int, store: Store | None
) -> NeighborResult:
    number, span = block
    found = collection.nearest(span, k, run)
    if store is not None:
        store.write(number, (found.indices, found.distances), collection.ids)
    return found


def _store(collection: Collection, k: int, address: Address, block: int) -> Store:
    kinds: dict[str, type[Store]] = {".zarr": ZarrNeighbors, ".parquet": ParquetNeighbors}
    if address.ending not in kinds:
        raise ValueError(f"out must end in .zarr or .parquet, which says what to write: {address.name!r}.")
    return kinds[address.ending].at(address, collection.n_documents, k, block, collection.fingerprint())
