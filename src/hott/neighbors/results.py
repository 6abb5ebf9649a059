"""What a search for neighbours gives."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.utils.checks import check_count
from hott.utils.tabular import Tabular


@dataclass(frozen=True, slots=True)
class NeighborResult(Tabular):
    """The nearest documents of each query, nearest first, ties in the order of the documents.

    Can be taken apart as ``distances, indices``, like what scikit-learn's ``kneighbors`` returns.

    Attributes
    ----------
    indices, distances : array of shape (queries, k)
    computed, pruned : int
        Pairs whose exact distance was needed, and pairs that a lower bound ruled out.
    names : sequence of str, or None
        What the documents of an index are called.

    Examples
    --------
    >>> from hott import NBOW
    >>> from hott.neighbors import Neighbors
    >>> found = Neighbors(NBOW()).fit([[2, 0], [1, 1], [0, 3]]).kneighbors(k=1)
    >>> found.indices.ravel()
    array([1, 0, 1])
    """

    indices: NDArray[np.intp]
    distances: NDArray[np.float64]
    computed: int
    pruned: int
    names: Sequence[str] | None = field(default=None, repr=False, compare=False)

    def __iter__(self) -> Iterator[NDArray]:
        return iter((self.distances, self.indices))

    def to_columns(self) -> dict[str, Sequence[Any]]:
        """Return a row for each neighbour: the positions and names of both, its rank and its distance."""
        n, k = self.indices.shape
        columns: dict[str, Sequence[Any]] = {}
        if (names := self.names) is not None:
            columns["document"] = [name for name in names for _ in range(k)]
            columns["near document"] = [names[place] for place in self.indices.ravel().tolist()]
        return columns | {
            "position": np.repeat(np.arange(n), k).tolist(),
            "rank": np.tile(np.arange(1, k + 1), n).tolist(),
            "neighbor": self.indices.ravel().tolist(),
            "distance": self.distances.ravel().tolist(),
        }


@dataclass(frozen=True, slots=True)
class RadiusResult:
    """The documents within a radius of each query, nearest first.

    Can be taken apart as ``distances, indices``.

    Attributes
    ----------
    indices, distances : list of arrays
        One a query.
    computed, pruned : int
        As in :class:`NeighborResult`.

    Examples
    --------
    >>> from hott import NBOW
    >>> from hott.neighbors import Neighbors
    >>> found = Neighbors(NBOW()).fit([[2, 0], [1, 1], [0, 3]]).radius_neighbors([[4, 1]], radius=0.5)
    >>> found.indices
    [array([0, 1])]
    """

    indices: list[NDArray[np.intp]]
    distances: list[NDArray[np.float64]]
    computed: int
    pruned: int

    def __iter__(self) -> Iterator[list[NDArray]]:
        return iter((self.distances, self.indices))


def check_k(k: int, n_documents: int, *, others: bool) -> int:
    """Check that there are ``k`` neighbours to find; with ``others``, besides the document itself."""
    k = check_count(k, "k")
    if k > n_documents - others:
        what = "other documents" if others else "documents"
        raise ValueError(f"k must not exceed the number of {what}: k is {k}, n_samples = {n_documents}.")
    return k


def as_graph(
    indices: NDArray[np.intp], values: NDArray[np.float64], rows: NDArray[np.intp], shape: tuple[int, int]
) -> sparse.csr_array:
    """Put the neighbours of the queries ``rows`` into a matrix, queries x documents, without the NaN."""
    real = ~np.isnan(values)
    counts = np.zeros(shape[0], np.intp)
    counts[rows] = real.sum(axis=1)
    starts = np.concatenate([[0], np.cumsum(counts)])
    return sparse.csr_array((values[real], indices[real], starts), shape=shape)
