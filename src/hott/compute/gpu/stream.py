"""Matrices computed on the device a block of rows at a time, each copied out while the next is computed."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott.compute.cpu import row_blocks
from hott.compute.gpu.device import cupy, free_memory
from hott.utils.optional import import_optional
from hott.utils.run import Report

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
    """Yield the blocks of an n x m matrix, or of its upper half where the lower one mirrors it.

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
    with _HostCopy(out, threads) as exit:
        for block in parts:
            with computing:
                values = compute(block)
                height = len(block.rows)
                beside = cupy().ascontiguousarray(values[:, height:].T) if mirror else None
                if mirror:  # of a square on the diagonal the upper half counts
                    upper = cupy().triu(values[:, :height])
                    values[:, :height] = upper + cupy().triu(upper, 1).T
            if under_way is not None:
                exit.send(*under_way)
            under_way = block, values, beside, computing.record()
            done += height * m if not mirror else height * (2 * (m - block.skip) - height)
            if report is not None:
                report(done, n * m)
        if under_way is not None:
            exit.send(*under_way)


class _HostCopy:
    """The way out: pinned memory, filled from the device in turns, and threads that empty it.

    Only the calling thread talks to the device: it starts to fill one piece of pinned memory, waits until the
    one before is full, and lets the others empty that.
    """

    def __init__(self, out: Any, threads: int) -> None:
        self.out = out
        self.whole = not isinstance(out, np.ndarray)
        # Two threads must not write to one chunk of a Zarr array.
        self.pool = ThreadPoolExecutor(1 if self.whole else threads)
        self.copying = cupy().cuda.Stream(non_blocking=True)
        self.turns = cycle([_Pinned(), _Pinned(), _Pinned()])
        self.filling: _Pinned | None = None

    def __enter__(self) -> "_HostCopy":
        return self

    def __exit__(self, *error: object) -> None:
        for _ in range(3):
            next(self.turns).flush()
        self.pool.shutdown()

    def send(self, block: Block, values: Any, beside: Any, computed: Any) -> None:
        """Copy a block and its mirror image, once computed, to where they belong."""
        rows, height = block.rows, len(block.rows)
        self.copying.wait_event(computed)
        self._send(values, rows.start, block.skip)
        if beside is not None and beside.size:
            self._send(beside, rows.start + height, rows.start)
        self._empty()  # the device's memory is free for others then

    def _send(self, values: Any, top: int, left: int) -> None:
        for rows in row_blocks(len(values), values.shape[1], PIECE):
            pinned = next(self.turns)
            pinned.flush()
            pinned.fill(values[rows], top + rows.start, left, self.copying)
            self._empty()
            self.filling = pinned

    def _empty(self) -> None:
        if self.filling is not None:
            self.filling.empty(self.out, self.pool, self.whole)
            self.filling = None


class _Pinned:
    """Memory that the device copies to, and the copies from there that are under way."""

    def __init__(self) -> None:
        self.memory: NDArray[np.uint8] | None = None
        self.copies: list[Future[None]] = []

    def fill(self, values: Any, top: int, left: int, stream: Any) -> None:
        """Start to copy values here, which belong at this place of the result."""
        if self.memory is None or self.memory.size < values.nbytes:
            self.memory = import_optional("cupyx", extra="gpu").empty_pinned(values.nbytes, np.uint8)
        self.values = self.memory[: values.nbytes].view(values.dtype).reshape(values.shape)
        self.top, self.left = top, left
        values.get(out=self.values, stream=stream, blocking=False)
        self.full = stream.record()

    def empty(self, out: Any, pool: ThreadPoolExecutor, whole: bool) -> None:
        """Wait until all is here, then start to copy it on."""
        self.full.synchronize()
        height, width = self.values.shape
        across = slice(self.left, self.left + width)
        for part in row_blocks(height, width, height * width if whole else SLICE):
            down = slice(self.top + part.start, self.top + part.stop)
            self.copies.append(pool.submit(out.__setitem__, (down, across), self.values[part]))

    def flush(self) -> None:
        """Wait until all is copied on; raise what went wrong there."""
        wait(self.copies)
        for copy in self.copies:
            copy.result()
        self.copies.clear()
