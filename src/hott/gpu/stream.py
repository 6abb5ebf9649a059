"""Matrices computed on the device a block of rows at a time, each copied out while the next is computed."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott._optional import need
from hott._progress import Report
from hott.gpu.device import cupy

ENTRIES = 1 << 25
"""Entries of a block: 256 MB of float64, some 20 milliseconds of work."""

COPIES_AT_ONCE = 1 << 18  # entries that one thread copies at a time: 2 MB


@dataclass(frozen=True, slots=True)
class Block:
    """Rows of the result, from the column ``skip`` on: what is before mirrors earlier rows."""

    rows: range
    skip: int


def blocks(n: int, m: int, mirror: bool) -> Iterator[Block]:
    """The blocks of an n x m matrix, of its upper half where the lower one mirrors it."""
    start = 0
    while start < n:
        skip = start if mirror else 0
        stop = min(n, start + max(1, ENTRIES // (m - skip)))
        yield Block(range(start, stop), skip)
        start = stop


def stream(
    shape: tuple[int, int],
    mirror: bool,
    compute: Callable[[Block], Any],
    out: Any,
    threads: int,
    report: Report | None = None,
) -> None:
    """Fill ``out``, an array or anything with rows and columns to assign to, with ``compute(block)``.

    What ``compute`` returns lies on the device. Two blocks are under way at a time: while one is computed,
    the one before is copied to pinned memory and from there, by ``threads`` threads, to ``out``.
    """
    n, m = shape
    computing, copying = cupy().cuda.Stream(non_blocking=True), cupy().cuda.Stream(non_blocking=True)
    lanes = [_Lane(out), _Lane(out)]
    done = 0
    with ThreadPoolExecutor(threads) as pool:
        for turn, block in enumerate(blocks(n, m, mirror)):
            with computing:
                values = compute(block)
                height = len(block.rows)
                beside = cupy().ascontiguousarray(values[:, height:].T) if mirror else None
                if mirror:
                    _mirror_square(values[:, :height])
            lane = lanes[turn % 2]
            lane.finish()
            lane.send(block, values, beside, computing, copying, pool)
            done += height * (m - block.skip)
            if report is not None:
                report(min(done, n * m), n * m)
        for lane in lanes:
            lane.finish()
    if report is not None:
        report(n * m, n * m)


class _Lane:
    """One of two ways out: its pinned memory, and the copies that are under way."""

    def __init__(self, out: Any) -> None:
        self.out = out
        self.pinned: list[NDArray] = []
        self.copies: list[Future[None]] = []
        self.held: Any = None

    def send(
        self, block: Block, values: Any, beside: Any, computing: Any, copying: Any, pool: ThreadPoolExecutor
    ) -> None:
        """Start copying a block and its mirror image, once computed, to where they belong."""
        rows, stop = block.rows, block.rows.stop
        copying.wait_event(computing.record())
        parts = [(values, slice(rows.start, stop), slice(block.skip, block.skip + values.shape[1]))]
        if beside is not None and beside.size:
            parts.append((beside, slice(stop, stop + len(beside)), slice(rows.start, stop)))
        self.held = values, beside  # on the device until they are copied
        for k, (part, down, across) in enumerate(parts):
            pinned = self._pinned(k, part)
            part.get(out=pinned, stream=copying, blocking=False)
            arrived = copying.record()
            if not isinstance(self.out, np.ndarray):
                self.copies.append(pool.submit(_copy, arrived, pinned, self.out, down, across))
                continue
            step = max(1, COPIES_AT_ONCE // max(part.shape[1], 1))
            edges = [*range(0, len(pinned), step), len(pinned)]
            for first, last in pairwise(edges):
                there = slice(down.start + first, down.start + last)
                self.copies.append(pool.submit(_copy, arrived, pinned[first:last], self.out, there, across))

    def finish(self) -> None:
        """Wait for the copies; raise what went wrong in one."""
        wait(self.copies)
        for copy in self.copies:
            copy.result()
        self.copies.clear()
        self.held = None

    def _pinned(self, k: int, part: Any) -> NDArray:
        if k == len(self.pinned):
            self.pinned.append(_empty_pinned(part.size, part.dtype))
        if self.pinned[k].size < part.size:
            self.pinned[k] = _empty_pinned(part.size, part.dtype)
        return self.pinned[k][: part.size].reshape(part.shape)


def _empty_pinned(size: int, dtype: Any) -> NDArray:
    return need("cupyx", extra="gpu").empty_pinned(size, dtype)


def _copy(arrived: Any, values: NDArray, out: Any, down: slice, across: slice) -> None:
    arrived.synchronize()
    out[down, across] = values


def _mirror_square(square: Any) -> None:
    """Make a block on the diagonal symmetric: its upper half counts."""
    xp = cupy()
    upper = xp.triu(square)
    square[...] = upper + xp.triu(upper, 1).T
