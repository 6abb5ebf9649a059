"""The exact nearest neighbours of a block of queries: bounds first, distances where bounds do not decide.

The documents with the smallest bounds are solved exactly; the k-th best of them is a threshold, and only
documents whose bound is not above it can still be among the nearest. Those are solved too, and no other: the
result is that of solving every pair. The processor and the GPU follow the same steps on arrays of their own.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class Solved(NamedTuple):
    """Pairs with their exact distances: arrays in memory or on a device."""

    rows: Any  # queries, from 0 in their block
    cols: Any  # documents
    values: Any


class Nearest(NamedTuple):
    """The nearest documents of each query of a block, and how many pairs it took to know them."""

    indices: NDArray[np.intp]
    distances: NDArray[np.float64]
    computed: int


class Bounded(Protocol):
    """A block of queries whose bounds to all documents are known."""

    def smallest(self, k: int) -> tuple[Any, Any]:
        """Rows and columns of the pairs with the smallest bounds of each query, at least ``k`` of each."""

    def solve(self, rows: Any, cols: Any) -> Solved:
        """Exact distances of listed pairs."""

    def kth(self, solved: Solved, k: int) -> Any:
        """Return the k-th smallest distance of each query among those solved."""

    def not_above(self, thresholds: Any, solved: Solved) -> tuple[Any, Any]:
        """Rows and columns, not solved yet, whose bound is not above the query's threshold."""

    def nearest(self, solved: Solved, more: Solved, k: int) -> Nearest:
        """Return the k documents nearest to each query among all that were solved, ties by document."""


def nearest(block: Bounded, k: int) -> Nearest:
    """Find the ``k`` documents nearest to each query of a block."""
    solved = block.solve(*block.smallest(k))
    more = block.solve(*block.not_above(block.kth(solved, k), solved))
    return block.nearest(solved, more, k)
