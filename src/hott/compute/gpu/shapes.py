"""Classes of document sizes, and how the exact kernel is compiled and launched for each pair of them."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott import _core

SMALL, MAX_SIDE = 16, _core.GPU_MAX_SIDE
"""Sites of a document up to which the kernel is fastest, and up to which it can take it at all."""

# The most sites of a document in each class. A value does not depend, in any bit, on its class.
ROW_CLASSES = (4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32)
COLUMN_CLASSES = (2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32)
# For listed pairs, which come in small groups, and for few documents, fewer launches count for more.
FEWER_CLASSES = (4, 8, 12, 16, 20, 24, 28, 32)
# Kernels for large documents take longest to compile, and such are few: these do for either side.
LARGE_CLASSES = (8, 12, 16, 20, 24, 32)


def first_gives_columns(p: Any, q: Any) -> Any:
    """Whether a document of p sites is best the columns, and one of q sites the rows.

    Small documents may be either. A large one is the columns, those of a block: such documents are few, and
    the others, a thread each, are many.
    """
    return (q <= SMALL) | (-(-p // 4) >= -(-q // 4))


@dataclass(frozen=True, slots=True)
class Shape:
    """A kernel for documents of at most so many sites, with so many copies of the table of costs."""

    rows: int
    columns: int
    copies: int
    threads: int  # of a block
    blocks: int  # that a multiprocessor should hold

    @property
    def large(self) -> bool:
        return max(self.rows, self.columns) > SMALL

    def shared_bytes(self, sites: int) -> int:
        """Bytes of shared memory of a block."""
        return _core.gpu_shared_bytes(self.rows, self.columns, self.copies, self.threads, sites)

    @property
    def macros(self) -> dict[str, int]:
        """What the kernel's source is compiled with."""
        return {name.upper(): value for name, value in asdict(self).items()}

    @property
    def speed(self) -> float:
        """How fast it is among those of one class, roughly, as measured (benchmarks/gpu.py shapes)."""
        return (self.threads * self.blocks) ** (1 / 3) * {8: 1.0, 4: 0.9, 2: 0.84}[self.copies]

    @classmethod
    def fit(cls, rows: int, columns: int, sites: int, shared: int, few: bool) -> "Shape":
        """The fastest that fits the memory.

        ``few``: a query has too few documents to keep a large block busy, or to make up for many copies.
        """
        if max(rows, columns) > SMALL:
            rows, columns = (next(size for size in LARGE_CLASSES if size >= n) for n in (rows, columns))
            # More threads would have too few registers.
            most = [(128, 2)] if few else [(512, 1), (384, 1)] if rows + columns <= 32 else [(320, 1)]
            launches = [*most, (256, 1), (192, 1), (128, 1), (64, 1), (32, 1)]
        else:
            most = [(128, 4)] if few else [(384, 2) if rows + columns <= 16 else (640, 1)]
            launches = [*most, (512, 1), (256, 1), (128, 1)]
        if few:
            launches = [(threads, blocks) for threads, blocks in launches if threads <= 128]
        copies = (4, 2) if few else (8, 4, 2)
        shapes = [cls(rows, columns, count, *launch) for launch in launches for count in copies]
        fitting = [shape for shape in shapes if shape.blocks * shape.shared_bytes(sites) <= shared]
        if not fitting:
            raise MemoryError(
                f"{sites} sites are too many for the device's shared memory, {shared >> 10} KB."
            )
        return max(fitting, key=lambda shape: shape.speed)


def segments(sizes: NDArray[np.int64], classes: tuple[int, ...]) -> Iterator[tuple[int, int, int]]:
    """The classes that sorted sizes fall in: their limit, and where each begins and ends."""
    ends = [0, *np.searchsorted(sizes, classes, side="right")]
    for limit, (start, stop) in zip(classes, pairwise(ends)):
        if start < stop:
            yield limit, int(start), int(stop)
