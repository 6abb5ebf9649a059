"""Exact distances on the device: documents in classes of like size, a kernel for each pair of classes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott.gpu.device import attribute, compile_together, cupy, kernel
from hott.gpu.layout import Documents, Ground, address
from hott.gpu.problem import Problem

# The most sites of a document in each class. A value does not depend, in any bit, on its class.
ROW_CLASSES = (4, 6, 8, 10, 12, 14, 16)
COLUMN_CLASSES = (2, 4, 6, 8, 10, 12, 14, 16)
# For listed pairs, which come in small groups, and for few documents, fewer launches count for more.
FEWER_CLASSES = (4, 8, 12, 16)
FEW = 10_000

STREAMS = 4
"""Kernels that run side by side, so that the last blocks of one do not leave the device idle."""

FAILURES = np.dtype([("count", "u8"), ("place", "u8"), ("room", "i4")], align=True)


@dataclass(frozen=True, slots=True)
class Shape:
    """How a kernel is compiled and launched for documents of at most so many sites."""

    rows: int
    columns: int
    copies: int
    threads: int
    blocks: int

    def shared(self, sites: int) -> int:
        """Bytes of shared memory of a block: ``Query::bytes`` and ``Scratch::bytes`` in the kernels."""
        nodes = self.rows + self.columns
        query = 4 * sites * self.columns * (self.copies + 1) + 8 * (self.columns + sites) + 4 * self.columns
        return query + self.threads * (8 * nodes + 2 * (self.rows + nodes))

    @classmethod
    def fit(cls, rows: int, columns: int, sites: int, shared: int, listed: bool) -> "Shape | None":
        """The fastest that was measured (benchmarks/gpu.py --shapes), or the nearest to it that fits."""
        nodes = rows + columns
        if listed:
            wanted = (128, 4)
        else:
            wanted = (384, 2) if nodes <= 16 else (640, 1)
        for threads, blocks in (wanted, (512, 1), (256, 1), (128, 1)):
            for copies in (4, 2) if listed else (8, 4, 2):
                shape = cls(rows, columns, copies, threads, blocks)
                if blocks * shape.shared(sites) <= shared:
                    return shape
        return None


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
    """One problem, laid out on the device."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.ground = Ground.of(cupy(), problem.cost, problem.metric)
        self.columns = Documents.of(cupy(), problem.P, self.ground)
        self.rows = self.columns if problem.Q is None else Documents.of(cupy(), problem.Q, self.ground)
        self.streams = [cupy().cuda.Stream(non_blocking=True) for _ in range(STREAMS)]
        self.turn = 0
        self.row_classes = FEWER_CLASSES if len(self.rows) < FEW else ROW_CLASSES

    @staticmethod
    def memory(problem: Problem) -> int:
        """Bytes that the layout takes."""
        documents = len(problem.P) + (0 if problem.Q is None else len(problem.Q))
        return documents * (8 * problem.P.n_sites + 16 * 10 + 64)

    def block(self, lines: range, skip: int, out: Any, failures: Failures) -> None:
        """All distances of the rows ``lines`` of P to the rows of Q from ``skip`` on, into ``out``.

        Entries of documents too large for the device are left as they are.
        """
        number = self.columns.number
        chosen = np.flatnonzero((number >= lines.start) & (number < lines.stop))
        queries, line = _on_device(chosen), _on_device(number[chosen] - lines.start)
        those = np.flatnonzero(self.rows.number >= skip) if skip else None
        listed = None if those is None else _on_device(those)
        sizes = self.rows.sizes if those is None else self.rows.sizes[those]
        column = self.row_numbers - skip
        with self._side_by_side([queries, line, listed, column]):
            for row_class, first, last in _segments(sizes, self.row_classes):
                for column_class, start, stop in _segments(self.columns.sizes[chosen], COLUMN_CLASSES):
                    shape = self.block_shapes[row_class, column_class]
                    where = line[start:stop], column, np.int64(out.shape[1]), out, failures.argument
                    self._launch(shape, queries[start:stop], last - first, None, listed, first, last, *where)

    def listed(self, rows: Any, cols: Any) -> Any:
        """Distances of listed pairs, arrays on the device; not a number where the device cannot tell."""
        xp = cupy()
        values = xp.full(len(rows), np.nan)
        query, document = self.column_places[rows], self.row_places[cols]
        ends = xp.asarray([np.searchsorted(self.rows.sizes, c, side="right") for c in FEWER_CLASSES])
        row_class = xp.searchsorted(ends, document, side="right")
        key = (row_class << 60) | (query << 30) | document
        key[(query < 0) | (document < 0)] = -1
        order = xp.argsort(key)
        order = order[int((key < 0).sum()) :]
        query, document, row_class = query[order], document[order].astype(np.int32), row_class[order]
        used: list[Any] = []
        solved, failures = xp.empty(len(order)), Failures()
        edges = [int(edge) for edge in xp.searchsorted(row_class, xp.arange(len(FEWER_CLASSES) + 1))]
        with self._side_by_side(used):
            for size, first, last in zip(FEWER_CLASSES, edges[:-1], edges[1:]):
                if first == last:
                    continue
                mine = query[first:last]
                begins = xp.flatnonzero(xp.concatenate([xp.ones(1, bool), mine[1:] != mine[:-1]]))
                queries = mine[begins].astype(np.int32)
                starts = xp.concatenate([begins + first, xp.asarray([last])]).astype(np.int32)
                used += [queries, starts]
                limits = [np.searchsorted(self.columns.sizes, c, side="right") for c in FEWER_CLASSES]
                stops = [0, *map(int, xp.searchsorted(queries, xp.asarray(limits), side="left"))]
                for column_class, (start, stop) in zip(FEWER_CLASSES, pairwise(stops)):
                    if start < stop:
                        shape = self.list_shapes[size, column_class]
                        where = None, None, np.int64(0), solved, failures.argument
                        self._launch(
                            shape, queries[start:stop], 1, starts[start : stop + 1], document, 0, 0, *where
                        )
        values[order] = solved
        return values

    def _launch(self, shape: Shape, queries: Any, width: int, *arguments: Any) -> None:
        """One kernel, on the next of the streams; ``width`` documents a query, where all have as many."""
        starts, listed, first, last, *where = arguments
        run = kernel("exact", "exact", METRIC=int(self.ground.metric), **_macros(shape))
        shared = shape.shared(self.ground.sites)
        run.max_dynamic_shared_size_bytes = shared
        # Split the documents of a query over several blocks where there are few queries.
        wanted = 8 * shape.blocks * attribute("MultiProcessorCount")
        split = max(1, min(wanted // len(queries), width // (2 * shape.threads)))
        structures = self.columns.argument, self.rows.argument, self.ground.argument
        self.turn = (self.turn + 1) % STREAMS
        self.streams[self.turn].wait_event(cupy().cuda.get_current_stream().record())
        with self.streams[self.turn]:
            run(
                (len(queries), split),
                (shape.threads,),
                (*structures, queries, starts, listed, np.int32(first), np.int32(last), *where),
                shared_mem=shared,
            )

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
        return self._shapes(FEWER_CLASSES, FEWER_CLASSES, listed=True)

    def _shapes(
        self, row_classes: tuple[int, ...], column_classes: tuple[int, ...], listed: bool
    ) -> dict[tuple[int, int], Shape]:
        """A shape for each class of rows and of columns that occurs, all compiled."""
        shared, found = attribute("MaxSharedMemoryPerBlockOptin"), {}
        for row_class, _, _ in _segments(self.rows.sizes, row_classes):
            for column_class, _, _ in _segments(self.columns.sizes, column_classes):
                shape = Shape.fit(row_class, column_class, self.ground.sites, shared, listed)
                if shape is None:
                    raise MemoryError(
                        f"{self.ground.sites} sites are too many for the device's shared memory."
                    )
                found[row_class, column_class] = shape
        metric = {"METRIC": int(self.ground.metric)}
        compile_together("exact", "exact", [metric | _macros(shape) for shape in found.values()])
        return found

    @cached_property
    def row_numbers(self) -> Any:
        return _on_device(self.rows.number)

    @cached_property
    def row_places(self) -> Any:
        return _places(self.rows, len(self.problem.others))

    @cached_property
    def column_places(self) -> Any:
        return _places(self.columns, len(self.problem.P))


def _segments(sizes: NDArray[np.int64], classes: tuple[int, ...]) -> Iterator[tuple[int, int, int]]:
    """The classes of sorted sizes: their limit, and where each begins and ends."""
    ends = [0, *np.searchsorted(sizes, classes, side="right")]
    for limit, (start, stop) in zip(classes, pairwise(ends)):
        if start < stop:
            yield limit, int(start), int(stop)


def _macros(shape: Shape) -> dict[str, int]:
    return {name.upper(): value for name, value in asdict(shape).items()}


def _on_device(numbers: NDArray[np.integer]) -> Any:
    return cupy().asarray(numbers.astype(np.int32))


def _places(documents: Documents, count: int) -> Any:
    """Where each row is among the documents laid out; -1 for those that are too large."""
    places = np.full(count, -1)
    places[documents.number] = np.arange(len(documents))
    return cupy().asarray(places)
