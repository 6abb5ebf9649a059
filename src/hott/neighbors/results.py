"""What a search for neighbours gives."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.checks import check_count


@dataclass(frozen=True, slots=True)
class NeighborResult:
    """The nearest documents of each query, nearest first, ties in the order of the documents.

    Attributes
    ----------
    indices, distances : array of shape (queries, k)
    computed, pruned : int
        Pairs whose exact distance was needed, and pairs that a lower bound ruled out.

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


@dataclass(frozen=True, slots=True)
class RadiusResult:
    """The documents within a radius of each query, nearest first.

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


def check_k(k: int, n_documents: int, *, others: bool) -> int:
    """As many neighbours as asked for must be there; ``others``: besides the document itself."""
    k = check_count(k, "k")
    if k > n_documents - others:
        what = "other documents" if others else "documents"
        raise ValueError(f"k must not exceed the number of {what}: k is {k}, n_samples = {n_documents}.")
    return k


def as_graph(
    indices: NDArray[np.intp], distances: NDArray[np.float64], rows: NDArray[np.intp], n: int
) -> sparse.csr_array:
    """Neighbours of the documents ``rows`` among ``n`` as a sparse matrix of distances, without the NaN."""
    real = ~np.isnan(distances)
    counts = np.zeros(n, np.intp)
    counts[rows] = real.sum(axis=1)
    starts = np.concatenate([[0], np.cumsum(counts)])
    return sparse.csr_array((distances[real], indices[real], starts), shape=(n, n))
