"""Exact search, block by block: bounds to all documents, then the steps of :mod:`hott.compute.cascade`."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hott import _core
from hott.compute import backends, cascade
from hott.compute.cpu import row_blocks
from hott.distances.base import Distance
from hott.distances.representation import Representation
from hott.neighbors.bounded import BoundedBlock, Offset, bound_block
from hott.neighbors.results import NeighborResult, RadiusResult, check_k
from hott.neighbors.scanned import OverTopics, scan_block
from hott.utils.run import Run


def search(
    distance: Distance,
    R: Representation,
    S: Representation,
    k: int,
    run: Run = Run(),
    *,
    own: NDArray[np.intp] | None = None,
    offset: Offset | None = None,
) -> NeighborResult:
    """Find the ``k`` documents of ``S`` nearest to each query of ``R``, where all of them have words.

    ``own[i]`` is a row of ``S`` that query i must not find: itself. With an ``offset`` the search goes by
    something that the distance is a part of, and the result holds that in place of distances.
    """
    n, m = len(R), len(S)
    others = m - (own is not None)
    if type(k) is not int or not 0 < k <= others:
        k = check_k(k, m, others=own is not None)
    if run.device == "cuda":
        distance._check_device(run)
    if n == 1 and (offset is not None or run.device == "cpu"):
        alone = replace(run, progress=False, device="cpu")
        nearest = cascade.nearest(block_of(distance, R, S, slice(0, 1), own, alone, offset, scans=True), k)
        return NeighborResult(nearest.indices, nearest.distances, nearest.computed, others - nearest.computed)

    def here() -> NeighborResult:
        def find(rows: slice, run: Run) -> cascade.Nearest:
            return cascade.nearest(block_of(distance, R, S, rows, own, run, offset, scans=True), k)

        there, blocks = replace(run, progress=False, device="cpu"), [*row_blocks(n, m)]
        are_many = m > 0 and len(blocks) >= 2 * run.n_threads
        # Blocks of other distances may take long, and a thread of ours would not notice Ctrl-C.
        if are_many and OverTopics.of(distance, R.take(slice(0, 1)), S) is not None:
            return _collect(there.map_threads(find, blocks), (n, m, k), others, run)
        return _collect(((rows, find(rows, there)) for rows in blocks), (n, m, k), others, run)

    if offset is not None or run.device == "cpu":
        return here()
    problems = distance._problems(R, None if S is R else S)
    if problems is None:
        return here()

    def on_device() -> NeighborResult:
        from hott.compute import gpu

        blocks = gpu.bounded_blocks(problems, k, own, run)
        found = ((rows, cascade.nearest(block, k)) for rows, block in blocks)
        return _collect(found, (n, m, k), others, run)

    # Bounds are most of the work.
    return backends.dispatch(run, n * m // backends.BOUNDS_A_PAIR, on_device, here)


def _collect(
    blocks: Iterator[tuple[slice, cascade.Nearest]], shape: tuple[int, int, int], others: int, run: Run
) -> NeighborResult:
    """Put together what was found for blocks of queries."""
    n, m, k = shape
    indices, distances, computed = np.empty((n, k), np.intp), np.empty((n, k)), 0
    with run.reporting("neighbours") as report:
        for rows, found in blocks:
            indices[rows], distances[rows] = found.indices, found.distances
            computed += found.computed
            if report is not None:
                report(rows.stop * m, n * m)
    return NeighborResult(indices, distances, computed, n * others - computed)


def within(
    distance: Distance,
    R: Representation,
    S: Representation,
    radius: float,
    run: Run = Run(),
    *,
    own: NDArray[np.intp] | None = None,
) -> RadiusResult:
    """Find the documents of ``S`` within ``radius`` of each query of ``R``, where all of them have words."""
    if not radius >= 0:
        raise ValueError(f"radius must be zero or more, not {radius!r}.")
    indices: list[NDArray[np.intp]] = []
    distances: list[NDArray[np.float64]] = []
    others, computed, n = len(S) - (own is not None), 0, len(R)
    with run.reporting("neighbours") as report:
        for queries in row_blocks(n, len(S)):
            block = block_of(distance, R, S, queries, own, run.quiet().on_cpu())
            limits = np.full(len(block.bounds), radius + block.slack)
            rows, cols = _core.not_above(block.bounds, limits, run.n_threads)
            values = block.solve(rows, cols).values
            computed += len(block.bounds) * others if block.exact else len(values)
            near = np.flatnonzero(values <= radius)
            order = near[np.lexsort((cols[near], values[near], rows[near]))]
            ends = np.searchsorted(rows[order], np.arange(1, len(block.bounds)))
            indices += np.split(cols[order], ends)
            distances += np.split(values[order], ends)
            if report is not None:
                report(queries.stop, n)
    return RadiusResult(indices, distances, computed, n * others - computed)


def block_of(
    distance: Distance,
    R: Representation,
    S: Representation,
    rows: slice,
    own: NDArray[np.intp] | None,
    run: Run,
    offset: Offset | None = None,
    *,
    scans: bool = False,
) -> BoundedBlock:
    """Make a block of some queries with their bounds to all documents, infinite to ``own``.

    ``scans``: coarse bounds will do, where the documents have compact proportions.
    """
    whole = rows.start == 0 and rows.stop == len(R)
    queries, others = R if whole else R.take(rows), len(S) - (own is not None)
    topics = OverTopics.of(distance, queries, S) if scans and len(queries) and len(S) else None
    if topics is None:
        block = bound_block(distance, queries, S, offset, others, run)
    else:
        block = scan_block(distance, queries, S, offset, others, run, topics)
    if own is not None:
        block.bounds[np.arange(len(queries)), own[rows]] = np.inf
    return block
