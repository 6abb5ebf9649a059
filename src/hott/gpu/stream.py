"""Matrices computed on the device a block of rows at a time, each copied out while the next is computed."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import cycle, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott._optional import need
from hott._progress import Report
from hott.gpu.device import cupy, free_memory

ENTRIES = 1 << 27
"""Entries of a block, at most: 1 GB of float64, and a tenth of a second of work."""

PIECE = 1 << 24
"""Entries copied to pinned memory at a time: 128 MB."""

SLICE = 1 << 18
"""Entries that one thread copies from there at a time: 2 MB."""


@dataclass(frozen=True, slots=True)
class Block:
    """Rows of the result, from the column ``skip`` on: what is before mirrors earlier rows."""

    rows: range
    skip: int


def blocks(n: int, m: int, mirror: bool, entries: int, step: int = 1) -> Iterator[Block]:
    """The blocks of an n x m matrix, of its upper half where the lower one mirrors it.

    A block has about so many entries, and begins at a multiple of ``step``.
    """
    start = 0
    while start < n:
        skip = start if mirror else 0
        stop = min(n, start + max(1, entries // (m - skip) // step) * step)
        yield Block(range(start, stop), skip)
        start = stop


def block_entries() -> int:
    """How large blocks may be: four are on the device at a time, two with their mirror images."""
    return min(ENTRIES, free_memory() // 64)


def stream(
    shape: tuple[int, int],
    parts: Iterator[Block],
    mirror: bool,
    compute: Callable[[Block], Any],
    out: Any,
    threads: int,
    report: Report | None = None,
) -> None:
    """Fill ``out``, an array or anything with rows and columns to assign to, with ``compute(block)``.

    What ``compute`` returns lies on the device. While one block is computed, the one before is copied to
    pinned memory and from there, by ``threads`` threads, to ``out``.
    """
    n, m = shape
    computing = cupy().cuda.Stream(non_blocking=True)
    done, under_way = 0, None
    with _Exit(out, threads) as exit:
        for block in parts:
            with computing:
                values = compute(block)
                height = len(block.rows)
                beside = cupy().ascontiguousarray(values[:, height:].T) if mirror else None
                if mirror:
                    _mirror_square(values[:, :height])
            if under_way is not None:
                exit.send(*under_way)
            under_way = block, values, beside, computing.record()
            done += height * m if not mirror else height * (2 * (m - block.skip) - height)
            if report is not None:
                report(done, n * m)
        if under_way is not None:
            exit.send(*under_way)


class _Exit:
    """The way out: pinned memory, filled from the device in turns, and threads that empty it."""

    def __init__(self, out: Any, threads: int) -> None:
        self.out = out
        self.whole = not isinstance(out, np.ndarray)
        # Two threads must not write to one chunk of a Zarr array.
        self.pool = ThreadPoolExecutor(1 if self.whole else threads)
        self.copying = cupy().cuda.Stream(non_blocking=True)
        self.turns = cycle([_Pinned(), _Pinned(), _Pinned()])

    def __enter__(self) -> "_Exit":
        return self

    def __exit__(self, *error: object) -> None:
        for _ in range(3):
            next(self.turns).finish()
        self.pool.shutdown()

    def send(self, block: Block, values: Any, beside: Any, computed: Any) -> None:
        """Copy a block and its mirror image, once computed, to where they belong."""
        rows, height = block.rows, len(block.rows)
        self.copying.wait_event(computed)
        self._send(values, rows.start, block.skip)
        if beside is not None and beside.size:
            self._send(beside, rows.start + height, rows.start)
        self.copying.synchronize()  # the device's memory is free for others then

    def _send(self, values: Any, top: int, left: int) -> None:
        for rows in _runs(len(values), PIECE // values.shape[1]):
            pinned = next(self.turns)
            there = pinned.take(values[rows], self.copying)
            arrived = self.copying.record(cupy().cuda.Event(block=True, disable_timing=True))
            across = slice(left, left + values.shape[1])
            for part in _runs(len(there), len(there) if self.whole else SLICE // values.shape[1]):
                down = slice(top + rows.start + part.start, top + rows.start + part.stop)
                pinned.copies.append(self.pool.submit(_copy, arrived, there[part], self.out, down, across))


class _Pinned:
    """Memory that the device copies to, and the copies from there that are under way."""

    def __init__(self) -> None:
        self.memory: NDArray[np.uint8] | None = None
        self.copies: list[Future[None]] = []

    def take(self, values: Any, stream: Any) -> NDArray:
        """Start copying values here."""
        self.finish()
        if self.memory is None or self.memory.size < values.nbytes:
            self.memory = need("cupyx", extra="gpu").empty_pinned(values.nbytes, np.uint8)
        there = self.memory[: values.nbytes].view(values.dtype).reshape(values.shape)
        values.get(out=there, stream=stream, blocking=False)
        return there

    def finish(self) -> None:
        """Wait for the copies from here; raise what went wrong in one."""
        wait(self.copies)
        for copy in self.copies:
            copy.result()
        self.copies.clear()


def _runs(count: int, step: int) -> Iterator[slice]:
    step = max(1, step)
    return (slice(start, stop) for start, stop in pairwise([*range(0, count, step), count]))


def _copy(arrived: Any, values: NDArray, out: Any, down: slice, across: slice) -> None:
    arrived.synchronize()
    out[down, across] = values


def _mirror_square(square: Any) -> None:
    """Make a block on the diagonal symmetric: its upper half counts."""
    xp = cupy()
    upper = xp.triu(square)
    square[...] = upper + xp.triu(upper, 1).T
