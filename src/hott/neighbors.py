"""Exact nearest neighbours under any document distance, with most pairs ruled out by lower bounds.

For a block of queries the bounds to all documents come first. The documents with the smallest bounds are
solved exactly; the k-th best of them is a threshold, and only documents whose bound is not above it can still
be among the nearest. Those are solved too, and no other: the result is that of solving every pair.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from hott import _core
from hott._progress import Progress, reporting
from hott.distances._blocks import row_blocks
from hott.distances._checks import check_count
from hott.distances.base import Distance, Representation, fitted, n_rows, take
from hott.transport._checks import check_threads

if TYPE_CHECKING:
    from hott.gpu import Device

_ROUNDING = 1e-9  # of the largest bound: what rounding may put a bound above the distance it bounds


@dataclass(frozen=True, slots=True)
class NeighborResult:
    """The nearest documents of each query, nearest first, ties in the order of the documents."""

    indices: NDArray[np.intp]
    distances: NDArray[np.float64]
    computed: int  # pairs whose exact distance was needed
    pruned: int  # pairs that a lower bound ruled out


@dataclass(frozen=True, slots=True)
class RadiusResult:
    """The documents within a radius of each query, one array a query, nearest first."""

    indices: list[NDArray[np.intp]]
    distances: list[NDArray[np.float64]]
    computed: int
    pruned: int


class Neighbors(BaseEstimator):
    """Exact nearest neighbours of documents under any distance.

    Parameters
    ----------
    distance : Distance
        One that is fitted already is used as it is; one that is not is copied and fitted on the documents.
    device : "cpu", "cuda" or "auto"
        Where :meth:`kneighbors` and :meth:`graph` search: on a GPU, for distances over topics (docs/gpu.md).

    Examples
    --------
    >>> from hott import NBOW
    >>> documents = [[2, 0, 0], [1, 1, 0], [0, 0, 1]]
    >>> found = Neighbors(NBOW()).fit(documents).kneighbors([[3, 1, 0]], k=2)
    >>> found.indices, found.distances.round(3)
    (array([[0, 1]]), array([[0.354, 0.354]]))
    """

    def __init__(self, distance: Distance, device: "Device" = "cpu") -> None:
        self.distance = distance
        self.device = device

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Take in the documents ``X``, rows of word counts, among which neighbours are sought.

        Neighbours are reported as rows of ``X``. Documents without words are never anyone's neighbour.
        """
        self.distance_ = fitted(self.distance, X)
        representation, self.kept_, self.n_documents_ = self.distance_._represent_kept(X)
        self.representation_ = self.distance_.prepare(representation)
        return self

    def kneighbors(
        self,
        queries: ArrayLike | None = None,
        k: int = 10,
        *,
        threads: int | None = None,
        progress: Progress = None,
    ) -> NeighborResult:
        """The ``k`` nearest documents of each query; of each document, itself left out, without ``queries``.

        Queries without words follow the distance's ``on_empty``: an error, a row with NaN for distances and
        the first documents for neighbours, or no row.
        """
        R, rows, n = self._queries(queries)
        own = np.arange(len(rows)) if queries is None else None
        S, device = self.representation_, self.device
        found = search(self.distance_, R, S, k, own=own, threads=threads, progress=progress, device=device)
        indices = self.kept_[found.indices]
        if len(rows) == n or self.distance_.on_empty == "drop":
            return NeighborResult(indices, found.distances, found.computed, found.pruned)
        all_indices = np.tile(self.kept_[: indices.shape[1]], (n, 1))
        all_distances = np.full(all_indices.shape, np.nan)
        all_indices[rows], all_distances[rows] = indices, found.distances
        return NeighborResult(all_indices, all_distances, found.computed, found.pruned)

    def radius_neighbors(
        self,
        queries: ArrayLike | None = None,
        radius: float = 1.0,
        *,
        threads: int | None = None,
        progress: Progress = None,
    ) -> RadiusResult:
        """All documents not farther than ``radius`` from each query; itself left out without ``queries``.

        Queries without words follow the distance's ``on_empty``: an error, no neighbours, or no entry.
        """
        R, rows, n = self._queries(queries)
        own = np.arange(len(rows)) if queries is None else None
        found = within(
            self.distance_, R, self.representation_, radius, own=own, threads=threads, progress=progress
        )
        indices, distances = [self.kept_[i] for i in found.indices], found.distances
        if len(rows) < n and self.distance_.on_empty != "drop":
            place = {int(row): i for i, row in enumerate(rows)}
            nothing = np.empty(0, np.intp), np.empty(0)
            indices = [indices[place[row]] if row in place else nothing[0] for row in range(n)]
            distances = [distances[place[row]] if row in place else nothing[1] for row in range(n)]
        return RadiusResult(indices, distances, found.computed, found.pruned)

    def graph(
        self, k: int = 10, *, threads: int | None = None, progress: Progress = None
    ) -> sparse.csr_array:
        """The ``k`` nearest other documents of each as a sparse matrix of distances.

        As openTSNE, UMAP and scikit-learn's ``metric="precomputed"`` take it. A distance of 0 is stored.
        Documents without words have an empty row.
        """
        found = self.kneighbors(None, k, threads=threads, progress=progress)
        rows = np.arange(self.n_documents_) if len(found.indices) == self.n_documents_ else self.kept_
        return as_graph(found.indices, found.distances, rows, self.n_documents_)

    def _queries(self, queries: ArrayLike | None) -> tuple[Representation, NDArray[np.intp], int]:
        check_is_fitted(self)
        if queries is None:
            return self.representation_, self.kept_, self.n_documents_
        return self.distance_._represent_kept(queries)


def search(
    distance: Distance,
    R: Representation,
    S: Representation,
    k: int,
    *,
    own: NDArray[np.intp] | None = None,
    threads: int | None = None,
    progress: Progress = None,
    device: "Device" = "cpu",
) -> NeighborResult:
    """The ``k`` nearest of the documents ``S`` for each query in ``R``, both as ``distance`` represents them.

    ``own[i]``, where given, is a row of ``S`` that query i must not find: itself.
    """
    n, m = n_rows(R), n_rows(S)
    k = check_k(k, m, others=own is not None)
    others = m - (own is not None)
    if device != "cpu":
        from hott import gpu

        # Bounds, most of the work, are a hundred times as cheap as distances.
        problems = gpu.problems_on(device, distance, R, None if S is R else S, n * m // 100)
        if problems is not None:
            with gpu.memory_permitting(device), reporting(progress, "neighbours") as report:
                indices, distances, computed = gpu.nearest(problems, k, own, threads, report)
                return NeighborResult(indices, distances, computed, n * others - computed)
    indices, distances = np.empty((n, k), np.intp), np.empty((n, k))
    computed = 0
    for block, bounds, slack, exact in _bounded_blocks(distance, R, S, own, threads, progress):
        solve = partial(distance.pairs, take(R, block), S, threads=threads)
        indices[block], distances[block], solved = _nearest(
            bounds, slack, k, k if exact else 2 * k, solve, threads
        )
        computed += len(bounds) * others if exact else solved
    return NeighborResult(indices, distances, computed, n * others - computed)


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


def _nearest(
    bounds: NDArray[np.floating],
    slack: float,
    k: int,
    first: int,
    solve: Callable[[NDArray[np.intp], NDArray[np.intp]], NDArray[np.float64]],
    threads: int | None,
) -> tuple[NDArray[np.intp], NDArray[np.float64], int]:
    """The ``k`` nearest documents of each query of a block, and how many pairs it took to know them.

    ``solve(rows, cols)`` gives exact distances. The ``first`` documents by bound are solved to begin with.
    Pairs with an infinite bound are left out.
    """
    queries = np.arange(len(bounds))
    start = np.empty((len(bounds), min(first, bounds.shape[1])), np.int64)
    _core.smallest(bounds, check_threads(threads), start)
    rows, cols = np.repeat(queries, start.shape[1]), start.ravel()
    allowed = np.isfinite(bounds[rows, cols])
    rows, cols = rows[allowed], cols[allowed]
    values = solve(rows, cols)
    threshold = _ordered(rows, cols, values, queries, k)[1][:, -1]
    bounds[rows, cols] = np.inf
    more = _not_above(bounds, threshold + slack)
    rows, cols = np.concatenate([rows, more[0]]), np.concatenate([cols, more[1]])
    values = np.concatenate([values, solve(*more)])
    return *_ordered(rows, cols, values, queries, k), len(values)


def _ordered(
    rows: NDArray[np.intp],
    cols: NDArray[np.intp],
    values: NDArray[np.float64],
    queries: NDArray[np.intp],
    k: int,
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The first ``k`` columns and values of each row, by value and then by column."""
    order = np.lexsort((cols, values, rows))
    nearest = order[np.searchsorted(rows[order], queries)[:, None] + np.arange(k)]
    return cols[nearest], values[nearest]


def within(
    distance: Distance,
    R: Representation,
    S: Representation,
    radius: float,
    *,
    own: NDArray[np.intp] | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> RadiusResult:
    """The documents ``S`` not farther than ``radius`` from each query in ``R``, both as represented."""
    if not radius >= 0:
        raise ValueError(f"radius must be zero or more, not {radius!r}.")
    indices: list[NDArray[np.intp]] = []
    distances: list[NDArray[np.float64]] = []
    others, computed = n_rows(S) - (own is not None), 0
    for block, bounds, slack, exact in _bounded_blocks(distance, R, S, own, threads, progress):
        rows, cols = _not_above(bounds, np.full(len(bounds), radius + slack))
        values = distance.pairs(take(R, block), S, rows, cols, threads=threads)
        computed += len(bounds) * others if exact else len(values)
        near = np.flatnonzero(values <= radius)
        order = near[np.lexsort((cols[near], values[near], rows[near]))]
        ends = np.searchsorted(rows[order], np.arange(1, len(bounds)))
        indices += np.split(cols[order], ends)
        distances += np.split(values[order], ends)
    return RadiusResult(indices, distances, computed, n_rows(R) * others - computed)


def _bounded_blocks(
    distance: Distance,
    R: Representation,
    S: Representation,
    own: NDArray[np.intp] | None,
    threads: int | None,
    progress: Progress,
) -> Iterator[tuple[slice, NDArray[np.floating], float, bool]]:
    """Blocks of queries, their bounds to all documents (infinite to ``own``), what rounding may have added to
    those, and whether they are the distances themselves.
    """
    n, m = n_rows(R), n_rows(S)
    with reporting(progress, "neighbours") as report:
        for block in row_blocks(n, m):
            queries = take(R, block)
            bounds = distance.lower_bound(queries, S, threads=threads)
            exact = bounds is None or distance.bound_is_exact
            if bounds is None:
                bounds = distance.between(queries, S, threads=threads)
            slack = _ROUNDING * float(bounds.max(initial=0.0))
            if own is not None:
                bounds[np.arange(len(bounds)), own[block]] = np.inf
            yield block, np.ascontiguousarray(bounds), slack, exact
            if report is not None:
                report(block.stop * m, n * m)


def _not_above(
    bounds: NDArray[np.floating], thresholds: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns where a bound is not above its row's threshold."""
    rows, cols = np.divmod(np.flatnonzero(bounds <= thresholds[:, None]), bounds.shape[1])
    return rows, cols
