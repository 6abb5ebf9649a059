"""The nearest documents of every document, a block of documents at a time."""

from contextlib import nullcontext
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from hott.blocks.address import Address, filling
from hott.blocks.collection import Collection, spans_of
from hott.blocks.parts import ParquetNeighbors, ZarrNeighbors
from hott.blocks.runner import run_blocks
from hott.neighbors import NeighborResult, check_k
from hott.utils.checks import check_count
from hott.utils.run import Run

Store: TypeAlias = ZarrNeighbors | ParquetNeighbors

BLOCK = 2048
"""Documents whose neighbours are sought together."""


def nearest(
    collection: Collection,
    k: int,
    run: Run,
    *,
    out: Any = None,
    block: int | None = None,
    storage_options: dict[str, Any] | None = None,
) -> NeighborResult:
    """The ``k`` nearest others of each document; kept in ``out``, a Zarr group or a folder of Parquet files.

    ``computed`` and ``pruned`` count the pairs of the blocks that were not finished before.

    Parameters
    ----------
    collection : Collection
    k : int
    run : Run
    out : path or address, optional
    block : documents whose neighbours are sought together
    storage_options : for fsspec, such as credentials
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
