"""Exact distances on the device: documents in classes of like size, a kernel for each pair of classes."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott.gpu.device import attribute, compile_together, cupy, kernel
from hott.gpu.layout import LARGEST, Documents, Ground, address
from hott.gpu.problem import Problem
from hott.gpu.shapes import (
    COLUMN_CLASSES,
    FEWER_COLUMN_CLASSES,
    FEWER_ROW_CLASSES,
    LARGEST_COLUMNS,
    ROW_CLASSES,
    Shape,
    fits,
    segments,
)

FEW = 10_000
"""Documents below which fewer classes are faster."""

STREAMS = 4
"""Kernels that run side by side, so that the last blocks of one do not leave the device idle."""

FAILURES = np.dtype([("count", "u8"), ("place", "u8"), ("room", "i4")], align=True)


class Failures:
    """Places of the values that a kernel could not certify, collected on the device."""

    ROOM = 1 << 18

    def __init__(self) -> None:
        self.count = cupy().zeros(1, np.int32)
        self.place = cupy().empty(self.ROOM, np.int64)

    @property
    def argument(self) -> NDArray[np.void]:
        return np.array((address(self.count), address(self.place), self.ROOM), FAILURES)


class Exact:
    """One problem, laid out on the device.

    The documents of P are the columns of the kernel's problems, those of Q the rows. The kernel takes more
    rows than columns: under a symmetric cost, large documents of P change places with those of Q.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        ground = Ground.of(cupy(), problem.cost, problem.metric)
        self.P = Documents.of(cupy(), problem.P, ground)
        self.Q = self.P if problem.Q is None else Documents.of(cupy(), problem.Q, ground)
        self.straight = _Direction(ground, self.P, self.Q)
        self.turned = _Direction(ground, self.Q, self.P) if problem.symmetric_cost else None
        cupy().cuda.get_current_stream().synchronize()  # the kernels run on other streams

    @staticmethod
    def memory(problem: Problem) -> int:
        """Bytes that the layout takes."""
        documents = len(problem.P) + (0 if problem.Q is None else len(problem.Q))
        return documents * (8 * problem.P.n_sites + 10 * LARGEST + 64)

    def block(self, lines: range, skip: int, out: Any, failures: Failures) -> None:
        """All distances of the rows ``lines`` of P to the rows of Q from ``skip`` on, into ``out``.

        Entries of documents too large for the device are left as they are.
        """
        here = np.flatnonzero((self.P.number >= lines.start) & (self.P.number < lines.stop))
        there = np.flatnonzero(self.Q.number >= skip)
        down, across = (lines.start, out.shape[1]), (skip, 1)
        self.straight.block(here, down, there, across, out, failures)
        large = here[self.P.sizes[here] > LARGEST_COLUMNS]
        if self.turned is not None and large.size:
            self.turned.block(there, across, large, down, out, failures)

    def listed(self, rows: Any, cols: Any) -> Any:
        """Distances of listed pairs, arrays on the device; not a number where the device cannot tell."""
        xp = cupy()
        values = xp.full(len(rows), np.nan)
        p, q = self.P_places[rows], self.Q_places[cols]
        both = (p >= 0) & (q >= 0)
        p_size, q_size = self.P.size[p], self.Q.size[q]
        straight = both & fits(q_size, p_size)
        chosen = xp.flatnonzero(straight)
        values[chosen] = self.straight.listed(p[chosen], q[chosen])
        if self.turned is not None and len(chosen) < len(rows):
            chosen = xp.flatnonzero(both & ~straight & fits(p_size, q_size))
            values[chosen] = self.turned.listed(q[chosen], p[chosen])
        return values

    @cached_property
    def P_places(self) -> Any:
        return _places(self.P, len(self.problem.P))

    @cached_property
    def Q_places(self) -> Any:
        return _places(self.Q, len(self.problem.others))


class _Direction:
    """Problems with the sites of some documents for columns and those of others for rows."""

    def __init__(self, ground: Ground, columns: Documents, rows: Documents) -> None:
        self.ground, self.columns, self.rows = ground, columns, rows
        self.row_classes = FEWER_ROW_CLASSES if len(rows) < FEW else ROW_CLASSES
        self.streams = [cupy().cuda.Stream(non_blocking=True) for _ in range(STREAMS)]
        self.turn = 0

    def block(
        self,
        columns: NDArray[np.intp],
        column_place: tuple[int, int],
        rows: NDArray[np.intp],
        row_place: tuple[int, int],
        out: Any,
        failures: Failures,
    ) -> None:
        """All pairs of these documents, by their places in the layout.

        The value of a column's document c and a row's document r goes to entry (number of c - first) * step +
        (number of r - first) * step of ``out``, where the places are each one's first and step.
        """
        queries, line = _on_device(columns), _on_device(self.columns.number[columns] - column_place[0])
        listed = None if len(rows) == len(self.rows) else _on_device(rows)
        column = self.row_numbers - row_place[0]
        steps = np.int64(column_place[1]), np.int64(row_place[1])
        with self._side_by_side([queries, line, listed, column]):
            for row_class, first, last in segments(self.rows.sizes[rows], self.row_classes):
                for column_class, start, stop in segments(self.columns.sizes[columns], COLUMN_CLASSES):
                    if fits(row_class, column_class):
                        shape = self.block_shapes[row_class, column_class]
                        where = line[start:stop], column, *steps, out, failures.argument
                        those = None, listed, np.int32(first), np.int32(last)
                        self._launch(shape, queries[start:stop], last - first, *those, *where)

    def listed(self, query: Any, document: Any) -> Any:
        """The values of listed pairs, by their places in the layout. All must fit."""
        xp = cupy()
        if len(query) == 0:
            return xp.empty(0)
        ends = [np.searchsorted(self.rows.sizes, limit, side="right") for limit in FEWER_ROW_CLASSES]
        row_class = xp.searchsorted(xp.asarray(ends), document, side="right")
        order = xp.argsort((row_class << 60) | (query << 30) | document)
        query, document, row_class = query[order], document[order].astype(np.int32), row_class[order]
        solved, failures = xp.empty(len(order)), Failures()
        edges = [int(edge) for edge in xp.searchsorted(row_class, xp.arange(len(ends) + 1))]
        used: list[Any] = []
        with self._side_by_side(used):
            for size, (first, last) in zip(FEWER_ROW_CLASSES, pairwise(edges)):
                if first == last:
                    continue
                mine = query[first:last]
                begins = xp.flatnonzero(xp.concatenate([xp.ones(1, bool), mine[1:] != mine[:-1]]))
                queries = mine[begins].astype(np.int32)
                starts = xp.concatenate([begins + first, xp.asarray([last])]).astype(np.int32)
                used += [queries, starts]
                limits = [np.searchsorted(self.columns.sizes, c, side="right") for c in FEWER_COLUMN_CLASSES]
                stops = [0, *map(int, xp.searchsorted(queries, xp.asarray(limits), side="left"))]
                for column_class, (start, stop) in zip(FEWER_COLUMN_CLASSES, pairwise(stops)):
                    if start < stop:
                        shape = self.list_shapes[size, column_class]
                        those = starts[start : stop + 1], document, np.int32(0), np.int32(0)
                        where = None, None, np.int64(0), np.int64(0), solved, failures.argument
                        self._launch(shape, queries[start:stop], 1, *those, *where)
        values = xp.empty(len(order))
        values[order] = solved
        return values

    def _launch(self, shape: Shape, queries: Any, width: int, *arguments: Any) -> None:
        """One kernel, on the next of the streams; ``width`` documents a query, where all have as many."""
        run = kernel("exact", "exact", METRIC=int(self.ground.metric), **shape.macros)
        shared = shape.shared(self.ground.sites)
        run.max_dynamic_shared_size_bytes = shared
        # Split the documents of a query over several blocks where there are few queries.
        wanted = 8 * shape.blocks * attribute("MultiProcessorCount")
        split = max(1, min(wanted // len(queries), width // (2 * shape.threads)))
        structures = self.columns.argument, self.rows.argument, self.ground.argument
        self.turn = (self.turn + 1) % STREAMS
        self.streams[self.turn].wait_event(cupy().cuda.get_current_stream().record())
        with self.streams[self.turn]:
            grid, block = (len(queries), split), (shape.threads,)
            run(grid, block, (*structures, queries, *arguments), shared_mem=shared)

    @contextmanager
    def _side_by_side(self, used: list[Any]) -> Iterator[None]:
        """Kernels on several streams, before what the current stream is given next.

        Arrays in ``used`` are held until then: CuPy would give their memory to the next that asks for some.
        """
        yield
        current = cupy().cuda.get_current_stream()
        for stream in self.streams:
            current.wait_event(stream.record())
        used.clear()

    @cached_property
    def block_shapes(self) -> dict[tuple[int, int], Shape]:
        return self._shapes(self.row_classes, COLUMN_CLASSES, listed=False)

    @cached_property
    def list_shapes(self) -> dict[tuple[int, int], Shape]:
        return self._shapes(FEWER_ROW_CLASSES, FEWER_COLUMN_CLASSES, listed=True)

    def _shapes(
        self, row_classes: tuple[int, ...], column_classes: tuple[int, ...], listed: bool
    ) -> dict[tuple[int, int], Shape]:
        """A shape for each class of rows and of columns that occurs, all compiled."""
        shared, found = attribute("MaxSharedMemoryPerBlockOptin"), {}
        for rows, _, _ in segments(self.rows.sizes, row_classes):
            for columns, _, _ in segments(self.columns.sizes, column_classes):
                if fits(rows, columns):
                    found[rows, columns] = Shape.fit(rows, columns, self.ground.sites, shared, listed)
        metric = {"METRIC": int(self.ground.metric)}
        compile_together("exact", "exact", [metric | shape.macros for shape in found.values()])
        return found

    @cached_property
    def row_numbers(self) -> Any:
        return _on_device(self.rows.number)


def _on_device(numbers: NDArray[np.integer]) -> Any:
    return cupy().asarray(numbers.astype(np.int32))


def _places(documents: Documents, count: int) -> Any:
    """Where each row is among the documents laid out; -1 for those that are too large."""
    places = np.full(count, -1)
    places[documents.number] = np.arange(len(documents))
    return cupy().asarray(places)
