"""Exact distances on the device: documents in classes of like size, a kernel for each pair of classes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import cycle, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott.compute.gpu.device import attribute, compile_together, cupy, kernel
from hott.compute.gpu.layout import (
    COLUMN_CLASSES,
    FEWER_CLASSES,
    MAX_SIDE,
    ROW_CLASSES,
    SMALL,
    DeviceDocuments,
    DeviceGround,
    Shape,
    address,
    first_gives_columns,
    segments,
)
from hott.compute.ground import Problem

STREAMS = 8
"""Kernels of either kind that run side by side: the last blocks of one do not leave the device idle."""

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


@dataclass(frozen=True, slots=True, eq=False)
class Launch:
    """One kernel to run, for so many queries of ``width`` documents each, where all have as many."""

    shape: Shape
    ground: DeviceGround
    queries: int
    width: int
    arguments: tuple[Any, ...]

    @property
    def work(self) -> int:
        """To sort by: entries of all cost tables."""
        return self.queries * self.width * self.shape.rows * self.shape.columns

    def run(self) -> None:
        """Start it on the current stream."""
        shape, shared = self.shape, self.shape.shared_bytes(self.ground.sites)
        run = _compile(shape, self.ground.metric)
        # Split the documents of a query over several blocks where there are few queries.
        wanted = 8 * shape.blocks * attribute("MultiProcessorCount")
        split = max(1, min(wanted // self.queries, self.width // (2 * shape.threads)))
        run((self.queries, split), (shape.threads,), self.arguments, shared_mem=shared)


@cache
def _compile(shape: Shape, metric: bool) -> Any:
    run = kernel("exact", "exact", METRIC=int(metric), **shape.macros)
    run.max_dynamic_shared_size_bytes = attribute("MaxSharedMemoryPerBlockOptin")
    return run


class Launcher:
    """Streams for kernels to run on side by side."""

    def __init__(self) -> None:
        self.streams = [cupy().cuda.Stream(non_blocking=True) for _ in range(2 * STREAMS)]

    def run(self, launches: list[Launch]) -> None:
        """Run these after what the current stream was given, and before what it is given next.

        The most work comes first: small kernels fill the gaps that large ones leave at their end. Those of
        large documents take long however few they are, and begin before the others, on their own streams.
        The arrays of a launch live until then, in the list: CuPy would give their memory to the next that
        asks for some.
        """
        current = cupy().cuda.get_current_stream()
        before = current.record()
        for stream in self.streams:
            stream.wait_event(before)
        turns = {True: cycle(self.streams[:STREAMS]), False: cycle(self.streams[STREAMS:])}
        for launch in sorted(launches, key=lambda launch: (not launch.shape.large, -launch.work)):
            with next(turns[launch.shape.large]):
                launch.run()
        for stream in self.streams:
            current.wait_event(stream.record())


FEW = 10_000
"""Documents below which fewer classes are faster."""

FEW_A_QUERY = 256
"""Documents of a class below which small blocks are faster."""

SolvesClasses = Callable[[int, int], bool]
Stride = tuple[int, int]  # the first number, and the step between two in the result


class Exact:
    """One problem, laid out on the device.

    The documents of P are the columns of the kernel's problems, those of Q the rows. Under a symmetric cost,
    large documents of Q change places with smaller ones of P.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        ground = DeviceGround.of(cupy(), problem.ground)
        self.P = DeviceDocuments.of(cupy(), problem.P, ground)
        self.Q = self.P if problem.Q is None else DeviceDocuments.of(cupy(), problem.Q, ground)
        self.turns = problem.ground.is_symmetric
        self.straight = _Direction(
            ground, self.P, self.Q, lambda r, c: not self.turns or first_gives_columns(c, r)
        )
        self.turned = _Direction(
            ground, self.Q, self.P, lambda r, c: self.turns and not first_gives_columns(r, c)
        )
        self.launcher = Launcher()
        cupy().cuda.get_current_stream().synchronize()  # the kernels run on other streams

    @staticmethod
    def memory(problem: Problem) -> int:
        """Bytes that the layout takes."""
        documents = len(problem.P) + (0 if problem.Q is None else len(problem.Q))
        return documents * (8 * problem.P.n_sites + 10 * MAX_SIDE + 64)

    def block(self, lines: range, skip: int, out: Any, failures: Failures) -> None:
        """All distances of the rows ``lines`` of P to the rows of Q from ``skip`` on, into ``out``.

        Entries of documents too large for the device are left as they are.
        """
        here = np.flatnonzero((self.P.number >= lines.start) & (self.P.number < lines.stop))
        there = np.flatnonzero(self.Q.number >= skip)
        down, across = (lines.start, out.shape[1]), (skip, 1)
        launches = [*self.straight.block(here, down, there, across, out, failures)]
        large = there[self.Q.sizes[there] > SMALL]
        if self.turns and large.size:
            launches += self.turned.block(large, across, here, down, out, failures)
        self.launcher.run(launches)

    def solve_pairs(self, rows: Any, cols: Any) -> Any:
        """Distances of listed pairs, arrays on the device; not a number where the device cannot tell."""
        xp = cupy()
        values = xp.full(len(rows), np.nan)
        if len(self.P) == 0 or len(self.Q) == 0:
            return values
        p, q = self.P_places[rows], self.Q_places[cols]
        both = (p >= 0) & (q >= 0)
        turned = (
            ~first_gives_columns(self.P.size[p], self.Q.size[q]) if self.turns else xp.zeros(len(rows), bool)
        )
        chosen = xp.flatnonzero(both & ~turned)
        values[chosen] = self.straight.solve_pairs(p[chosen], q[chosen], self.launcher)
        if len(chosen) < len(rows):
            chosen = xp.flatnonzero(both & turned)
            values[chosen] = self.turned.solve_pairs(q[chosen], p[chosen], self.launcher)
        return values

    @cached_property
    def P_places(self) -> Any:
        return _places(self.P, len(self.problem.P))

    @cached_property
    def Q_places(self) -> Any:
        return _places(self.Q, len(self.problem.others))


class _Direction:
    """Problems with the sites of some documents for columns and those of others for rows.

    ``takes`` says for which classes of rows and columns.
    """

    def __init__(
        self, ground: DeviceGround, columns: DeviceDocuments, rows: DeviceDocuments, takes: SolvesClasses
    ) -> None:
        self.ground, self.columns, self.rows, self.takes = ground, columns, rows, takes
        self.row_classes = FEWER_CLASSES if len(rows) < FEW else ROW_CLASSES

    def block(
        self,
        columns: NDArray[np.intp],
        column_stride: Stride,
        rows: NDArray[np.intp],
        row_stride: Stride,
        out: Any,
        failures: Failures,
    ) -> Iterator[Launch]:
        """All pairs of these documents, by their places in the layout.

        The value of a column's document c and a row's document r goes to entry (number of c - first) * step +
        (number of r - first) * step of ``out``, by the strides of each.
        """
        queries, line = _on_device(columns), _on_device(self.columns.number[columns] - column_stride[0])
        listed = None if len(rows) == len(self.rows) else _on_device(rows)
        column = self.row_numbers - row_stride[0]
        steps = np.int64(column_stride[1]), np.int64(row_stride[1])
        for row_class, first, last in segments(self.rows.sizes[rows], self.row_classes):
            for column_class, start, stop in segments(self.columns.sizes[columns], COLUMN_CLASSES):
                if self.takes(row_class, column_class):
                    shape = self.block_shapes[row_class, column_class]
                    those = None, listed, np.int32(first), np.int32(last)
                    where = line[start:stop], column, *steps, out, failures.argument
                    yield self._launch(shape, queries[start:stop], last - first, *those, *where)

    def solve_pairs(self, query: Any, document: Any, launcher: Launcher) -> Any:
        """Solve listed pairs, by their places in the layout; all must be of classes that ``takes`` allows."""
        xp = cupy()
        if len(query) == 0:
            return xp.empty(0)
        ends = [np.searchsorted(self.rows.sizes, limit, side="right") for limit in FEWER_CLASSES]
        row_class = xp.searchsorted(xp.asarray(ends), document, side="right")
        order = xp.argsort((row_class << 60) | (query << 30) | document)
        query, document, row_class = query[order], document[order].astype(np.int32), row_class[order]
        solved, failures = xp.empty(len(order)), Failures()
        edges = [int(edge) for edge in xp.searchsorted(row_class, xp.arange(len(ends) + 1))]
        launches = []
        for size, (first, last) in zip(FEWER_CLASSES, pairwise(edges)):
            if first == last:
                continue
            mine = query[first:last]
            begins = xp.flatnonzero(xp.concatenate([xp.ones(1, bool), mine[1:] != mine[:-1]]))
            queries = mine[begins].astype(np.int32)
            starts = xp.concatenate([begins + first, xp.asarray([last])]).astype(np.int32)
            limits = [np.searchsorted(self.columns.sizes, c, side="right") for c in FEWER_CLASSES]
            stops = [0, *map(int, xp.searchsorted(queries, xp.asarray(limits), side="left"))]
            for column_class, (start, stop) in zip(FEWER_CLASSES, pairwise(stops)):
                if start < stop:
                    shape = self.list_shapes[size, column_class]
                    those = starts[start : stop + 1], document, np.int32(0), np.int32(0)
                    where = None, None, np.int64(0), np.int64(0), solved, failures.argument
                    launches.append(self._launch(shape, queries[start:stop], 1, *those, *where))
        launcher.run(launches)
        values = xp.empty(len(order))
        values[order] = solved
        return values

    def _launch(self, shape: Shape, queries: Any, width: int, *arguments: Any) -> Launch:
        structures = self.columns.argument, self.rows.argument, self.ground.argument
        return Launch(shape, self.ground, len(queries), width, (*structures, queries, *arguments))

    @cached_property
    def block_shapes(self) -> dict[tuple[int, int], Shape]:
        return self._shapes(self.row_classes, COLUMN_CLASSES, FEW_A_QUERY)

    @cached_property
    def list_shapes(self) -> dict[tuple[int, int], Shape]:
        return self._shapes(FEWER_CLASSES, FEWER_CLASSES, len(self.rows))

    def _shapes(
        self, row_classes: tuple[int, ...], column_classes: tuple[int, ...], few: int
    ) -> dict[tuple[int, int], Shape]:
        """Choose and compile a shape for each pair of classes, of rows and of columns, that occurs.

        Classes of no more than ``few`` rows are taken to have few for each query.
        """
        shared, found = attribute("MaxSharedMemoryPerBlockOptin"), {}
        for rows, first, last in segments(self.rows.sizes, row_classes):
            for columns, _, _ in segments(self.columns.sizes, column_classes):
                if self.takes(rows, columns):
                    found[rows, columns] = Shape.fit(
                        rows, columns, self.ground.sites, shared, few=last - first <= few
                    )
        metric = {"METRIC": int(self.ground.metric)}
        different = set(found.values())
        compile_together("exact", "exact", [metric | shape.macros for shape in different])
        return found

    @cached_property
    def row_numbers(self) -> Any:
        return _on_device(self.rows.number)


def _on_device(numbers: NDArray[np.integer]) -> Any:
    return cupy().asarray(numbers.astype(np.int32))


def _places(documents: DeviceDocuments, count: int) -> Any:
    """Return the place of each row among the documents laid out, -1 for those that are too large."""
    places = np.full(count, -1)
    places[documents.number] = np.arange(len(documents))
    return cupy().asarray(places)
