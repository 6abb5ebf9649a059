"""Classes of document sizes, and how the exact kernel is compiled and launched for each pair of them."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST_COLUMNS, LARGEST_NODES = 16, 32
"""Sites of the document that is the columns, and of both together, that the kernel can take."""

# The most sites of a document in each class. A value does not depend, in any bit, on its class.
ROW_CLASSES = (4, 6, 8, 10, 12, 14, 16, 20, 24, 28)
COLUMN_CLASSES = (2, 4, 6, 8, 10, 12, 14, 16)
# For listed pairs, which come in small groups, and for few documents, fewer launches count for more.
FEWER_ROW_CLASSES = (4, 8, 12, 16, 20, 24, 28)
FEWER_COLUMN_CLASSES = (4, 8, 12, 16)


def fits(rows: Any, columns: Any) -> Any:
    """Whether the kernel solves pairs of documents of so many sites: numbers, or arrays of them."""
    return (columns <= LARGEST_COLUMNS) & (-(-rows // 4) - (-columns // 4) <= LARGEST_NODES // 4)


@dataclass(frozen=True, slots=True)
class Shape:
    """A kernel for documents of at most so many sites, with so many copies of the table of costs."""

    rows: int
    columns: int
    copies: int
    threads: int  # of a block
    blocks: int  # that a multiprocessor should hold

    def shared(self, sites: int) -> int:
        """Bytes of shared memory of a block: ``Query::bytes`` and ``Scratch::bytes`` in the kernels."""
        nodes = self.rows + self.columns
        query = 4 * sites * self.columns * (self.copies + 1) + 8 * (self.columns + sites) + 4 * self.columns
        return query + self.threads * (8 * nodes + 2 * (self.rows + nodes))

    @property
    def macros(self) -> dict[str, int]:
        """What the kernel's source is compiled with."""
        return {name.upper(): value for name, value in asdict(self).items()}

    @classmethod
    def fit(cls, rows: int, columns: int, sites: int, shared: int, listed: bool) -> "Shape":
        """The fastest that was measured (benchmarks/gpu.py shapes), or the nearest to it that fits."""
        wanted = (128, 4) if listed else (384, 2) if rows + columns <= 16 else (640, 1)
        for threads, blocks in (wanted, (512, 1), (256, 1), (128, 1)):
            for copies in (4, 2) if listed else (8, 4, 2):
                shape = cls(rows, columns, copies, threads, blocks)
                if blocks * shape.shared(sites) <= shared:
                    return shape
        raise MemoryError(f"{sites} sites are too many for the device's shared memory, {shared >> 10} KB.")


def segments(sizes: NDArray[np.int64], classes: tuple[int, ...]) -> Iterator[tuple[int, int, int]]:
    """The classes that sorted sizes fall in: their limit, and where each begins and ends."""
    ends = [0, *np.searchsorted(sizes, classes, side="right")]
    for limit, (start, stop) in zip(classes, pairwise(ends)):
        if start < stop:
            yield limit, int(start), int(stop)
