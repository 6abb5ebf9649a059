"""Exact nearest neighbours under any document distance, with most pairs ruled out by lower bounds.

For a block of queries the bounds to all documents come first, then the steps of :mod:`hott.cascade`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from hott import _core, backends, cascade, scan
from hott.cascade import Nearest, Solved
from hott.checks import check_count
from hott.cpu import row_blocks
from hott.distances.base import Distance, DocumentsLike, fitted
from hott.distances.blend import Blend
from hott.distances.representation import Representation
from hott.ground import Problems
from hott.run import Run, RunOptions

__all__ = ["NeighborResult", "Neighbors", "RadiusResult"]

_ROUNDING = 1e-9  # of the largest bound: what rounding may put a bound above the distance it bounds


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
    >>> found = Neighbors(NBOW()).fit([[2, 0], [1, 1], [0, 3]]).radius_neighbors([[4, 1]], radius=0.5)
    >>> found.indices
    [array([0, 1])]
    """

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

    Examples
    --------
    >>> from hott import NBOW
    >>> documents = [[2, 0, 0], [1, 1, 0], [0, 0, 1]]
    >>> found = Neighbors(NBOW()).fit(documents).kneighbors([[3, 1, 0]], k=2)
    >>> found.indices, found.distances.round(3)
    (array([[0, 1]]), array([[0.354, 0.354]]))
    """

    def __init__(self, distance: Distance) -> None:
        self.distance = distance

    def fit(self, X: DocumentsLike, y: Any = None, **options: Unpack[RunOptions]) -> Self:
        """Take in the documents among which neighbours are sought.

        Neighbours are reported as rows of ``X``. Documents without words are never anyone's neighbour.

        Parameters
        ----------
        X : counts, documents x words; or what the fitted distance's ``represent`` gave
        y : ignored
        **options : threads, device, progress
            See :class:`hott.run.RunOptions`.
        """
        run = Run.of(options)
        self.distance_ = self.distance if isinstance(X, Representation) else fitted(self.distance, X, run)
        self.documents_ = self.distance_.represent(X, **options)
        return self

    def kneighbors(
        self,
        queries: DocumentsLike | None = None,
        k: int = 10,
        *,
        n_neighbors: int | None = None,
        **options: Unpack[RunOptions],
    ) -> NeighborResult:
        """The ``k`` nearest documents of each query; of each document, itself left out, without ``queries``.

        Queries without words follow the distance's ``on_empty``: an error, a row with NaN for distances and
        the first documents for neighbours, or no row.

        Parameters
        ----------
        queries : counts, documents x words; or what the distance's ``represent`` gave
        k : int
        n_neighbors : int, optional
            The same, as scikit-learn spells it.
        **options : threads, device, progress
            See :class:`hott.run.RunOptions`. A GPU serves distances over topics.
        """
        run, k = Run.of(options), k if n_neighbors is None else n_neighbors
        R = self._queries(queries, run)
        own = np.arange(len(R)) if queries is None else None
        found = search(self.distance_, R, self.documents_, k, run, own=own)
        distances = R.scatter(found.distances)
        indices = np.tile(self.documents_.positions[: found.indices.shape[1]], (len(distances), 1))
        indices[slice(None) if R.is_complete else R.positions] = self.documents_.positions[found.indices]
        return NeighborResult(indices, distances, found.computed, found.pruned)

    def radius_neighbors(
        self, queries: DocumentsLike | None = None, radius: float = 1.0, **options: Unpack[RunOptions]
    ) -> RadiusResult:
        """All documents not farther than ``radius`` from each query; itself left out without ``queries``.

        Queries without words follow the distance's ``on_empty``: an error, no neighbours, or no entry.

        Parameters
        ----------
        queries : counts, documents x words; or what the distance's ``represent`` gave
        radius : float
        **options : threads, progress
        """
        run = Run.of(options)
        R = self._queries(queries, run)
        own = np.arange(len(R)) if queries is None else None
        found = within(self.distance_, R, self.documents_, radius, run, own=own)
        indices = [self.documents_.positions[i] for i in found.indices]
        if R.is_complete:
            return RadiusResult(indices, found.distances, found.computed, found.pruned)
        everyone = [np.empty(0, np.intp)] * R.n_documents, [np.empty(0)] * R.n_documents
        for position, near, far in zip(R.positions, indices, found.distances):
            everyone[0][position], everyone[1][position] = near, far
        return RadiusResult(*everyone, found.computed, found.pruned)

    def graph(self, k: int = 10, **options: Unpack[RunOptions]) -> sparse.csr_array:
        """The ``k`` nearest other documents of each as a sparse matrix of distances.

        As openTSNE, UMAP and scikit-learn's ``metric="precomputed"`` take it. A distance of 0 is stored.
        Documents without words have an empty row.

        Parameters
        ----------
        k : int
        **options : threads, device, progress
        """
        found = self.kneighbors(None, k, **options)
        n = self.documents_.n_documents
        rows = np.arange(n) if len(found.indices) == n else self.documents_.positions
        return as_graph(found.indices, found.distances, rows, n)

    def _queries(self, queries: DocumentsLike | None, run: Run) -> Representation:
        check_is_fitted(self)
        if queries is None:
            return self.documents_
        return self.distance_.represent(queries, **run.quiet().options)


def search(
    distance: Distance,
    R: Representation,
    S: Representation,
    k: int,
    run: Run = Run(),
    *,
    own: NDArray[np.intp] | None = None,
    offset: "Offset | None" = None,
) -> NeighborResult:
    """The ``k`` nearest of the documents with words of ``S`` for each query with words of ``R``.

    Parameters
    ----------
    distance : Distance, fitted
    R, S : Representation
        Queries and documents as ``distance`` sees them.
    k : int
    run : Run
    own : array of int, optional
        ``own[i]`` is a row of ``S`` that query i must not find: itself.
    offset : Offset, optional
        Search by something that a distance is a part of; the result then holds that in place of distances.
    """
    n, m = len(R), len(S)
    k = check_k(k, m, others=own is not None)
    distance._check_device(run)
    others = m - (own is not None)

    def here() -> NeighborResult:
        blocks = _blocks(distance, R, S, own, run, offset, scans=True)
        return _collected(blocks, (n, m, k), others, run)

    problems = distance._problems(R, None if S is R else S)
    if problems is None or offset is not None:
        return here()

    def on_device() -> NeighborResult:
        from hott import gpu

        return _collected(gpu.bounded_blocks(problems, k, own, run), (n, m, k), others, run)

    # Bounds are most of the work.
    return backends.computed(run, n * m // backends.BOUNDS_A_PAIR, on_device, here)


def _collected(
    blocks: "Iterator[tuple[slice, _HostBlock]] | Iterator[tuple[slice, cascade.Bounded]]",
    shape: tuple[int, int, int],
    others: int,
    run: Run,
) -> NeighborResult:
    """Run the cascade over blocks of queries."""
    n, m, k = shape
    indices, distances, computed = np.empty((n, k), np.intp), np.empty((n, k)), 0
    with run.reporting("neighbours") as report:
        for rows, block in blocks:
            found = cascade.nearest(block, k)
            indices[rows], distances[rows] = found.indices, found.distances
            computed += found.computed
            if report is not None:
                report(rows.stop * m, n * m)
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


@dataclass(frozen=True, slots=True, eq=False)
class Offset:
    """What is sought when a distance is only a part of it: ``weight`` times that, and a number a document."""

    weight: float
    values: NDArray[np.float64]  # one a document; infinite for those that are not to be found

    def add(self, distances: NDArray[np.floating], cols: Any) -> NDArray[np.float64]:
        """What is sought, from distances to the documents ``cols``."""
        return np.asarray(self.weight * distances + self.values[cols])


@dataclass(eq=False)
class _HostBlock:
    """A block of queries whose bounds are in memory."""

    distance: Distance
    queries: Representation
    documents: Representation
    offset: "Offset | None"
    bounds: NDArray[np.floating]  # infinite for pairs that are not asked for, and once they are solved
    slack: float  # what rounding may have added to the bounds
    exact: bool  # the bounds are the distances themselves
    others: int  # documents that a query may find
    run: Run

    def smallest(self, k: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        count = min(k if self.exact else 2 * k, self.bounds.shape[1])
        start = np.empty((len(self.bounds), count), np.int64)
        _core.smallest(self.bounds, self.run.n_threads, start)
        rows, cols = np.repeat(np.arange(len(self.bounds)), start.shape[1]), start.ravel()
        allowed = np.isfinite(self.bounds[rows, cols])
        return rows[allowed], cols[allowed]

    def solve(self, rows: NDArray[np.intp], cols: NDArray[np.intp]) -> Solved:
        distances = self.distance.pairs(self.queries, self.documents, rows, cols, self.run)
        return Solved(rows, cols, distances if self.offset is None else self.offset.add(distances, cols))

    def kth(self, solved: Solved, k: int) -> NDArray[np.float64]:
        return self._ordered(solved, k)[1][:, -1]

    def not_above(
        self, thresholds: NDArray[np.float64], solved: Solved
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        self.bounds[solved.rows, solved.cols] = np.inf
        return _not_above(self.bounds, thresholds + self.slack)

    def nearest(self, solved: Solved, more: Solved, k: int) -> Nearest:
        both = _both(solved, more)
        computed = len(self.bounds) * self.others if self.exact else len(both.values)
        return Nearest(*self._ordered(both, k), computed)

    def _ordered(self, solved: Solved, k: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The first ``k`` columns and values of each row, by value and then by column."""
        order = np.lexsort((solved.cols, solved.values, solved.rows))
        starts = np.searchsorted(solved.rows[order], np.arange(len(self.bounds)))
        nearest = order[starts[:, None] + np.arange(k)]
        return solved.cols[nearest], solved.values[nearest]


def _both(some: Solved, more: Solved) -> Solved:
    return Solved(*(np.concatenate(pair) for pair in zip(some, more)))


@dataclass(frozen=True, slots=True, eq=False)
class _OverTopics:
    """A distance over topics, times a factor, and what else a sum of distances consists of."""

    problems: Problems
    factor: float
    rest: list[tuple[Distance, float, Representation, Representation]]  # each its own bound

    @classmethod
    def of(cls, distance: Distance, R: Representation, S: Representation) -> "_OverTopics | None":
        """None where the first part is no distance over compact proportions, or others are not cheap."""
        parts = [(distance, 1.0, R, S)]
        if isinstance(distance, Blend):
            parts = distance._parts(R, S)
        (first, factor, r, s), *rest = parts
        problems = first._problems(r, s)
        if problems is None or not scan.can_scan(problems) or not factor > 0:
            return None
        return cls(problems, factor, rest) if all(part.bound_is_exact for part, *_ in rest) else None

    def values(self, offset: Offset | None, run: Run) -> NDArray[np.float64]:
        """What is added to the distance over topics, of each query and document, or of all queries alike."""
        if not self.rest:
            return np.zeros((1, self.problems.shape[1])) if offset is None else offset.values[None, :]
        total = np.zeros(self.problems.shape)
        for part, factor, r, s in self.rest:
            values = part.between(r, s, part.where(run))
            values *= factor
            total += values
        return total if offset is None else offset.add(total, slice(None))


@dataclass(eq=False)
class _ScannedBlock(_HostBlock):
    """A block of queries whose bounds are coarse, or nothing but what is added to a distance over topics.

    Where those do not rule out a pair, a finer bound is looked at before the distance.
    """

    topics: _OverTopics
    factor: float  # of the distance over topics
    values: NDArray[np.float64]  # added to it: a row for all queries, or one each
    is_coarse: bool
    early: Solved | None = None  # pairs that were solved for a better threshold
    k: int = 0  # neighbours that are sought

    def solve(self, rows: NDArray[np.intp], cols: NDArray[np.intp]) -> Solved:
        distances = backends.pairs(self.topics.problems, rows, cols, self.run)
        return Solved(rows, cols, self.factor * distances + self._added(rows, cols))

    def _added(self, rows: NDArray[np.intp], cols: NDArray[np.intp]) -> NDArray[np.float64]:
        return self.values[rows if len(self.values) > 1 else 0, cols]

    def smallest(self, k: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        self.k, n = k, self.bounds.shape[1]
        start = np.empty((len(self.bounds), min(max(2 * k, n // 500), n)), np.int64)
        _core.smallest(self.bounds, self.run.n_threads, start)
        rows, cols = np.repeat(np.arange(len(start)), start.shape[1]), start.ravel()
        allowed = np.isfinite(self.bounds[rows, cols])
        rows, cols = rows[allowed], cols[allowed]
        _, bounds = scan.relaxed_bound(self.topics.problems, rows, cols, np.full(len(rows), np.inf), self.run)
        chosen = self._first(rows, self.factor * bounds + self._added(rows, cols), k)
        return rows[chosen], cols[chosen]

    def _first(self, rows: NDArray[np.intp], values: NDArray[np.float64], k: int) -> NDArray[np.intp]:
        """Twice ``k`` pairs of each row, those with the smallest values. Pairs of a row follow each other."""
        ends = np.searchsorted(rows, np.arange(len(self.bounds) + 1))
        chosen = []
        for start, end in zip(ends[:-1].tolist(), ends[1:].tolist()):
            count = min(2 * k, end - start)
            chosen.append(start + np.argpartition(values[start:end], count - 1)[:count] if count else [])
        return np.sort(np.concatenate(chosen).astype(np.intp))

    def not_above(
        self, thresholds: NDArray[np.float64], solved: Solved
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        rows, cols = super().not_above(thresholds, solved)
        if not self.is_coarse and len(rows) > self.bounds.size // 16:
            coarse = self.factor * scan.coarse_bound(self.topics.problems, self.run)
            coarse += self.values
            coarse[np.isinf(self.bounds)] = np.inf
            rows, cols = _not_above(coarse, thresholds + self.slack)
        limits = (thresholds[rows] + self.slack - self._added(rows, cols)) / self.factor
        left, bounds = scan.relaxed_bound(self.topics.problems, rows, cols, limits, self.run)
        rows, cols = rows[left], cols[left]
        if len(rows) <= len(solved.rows):
            return rows, cols
        # Many are left: those with the smallest of the finer bounds give a better threshold.
        bounds = self.factor * bounds + self._added(rows, cols)
        first = self._first(rows, bounds, self.k)
        self.early = self.solve(rows[first], cols[first])
        thresholds = np.minimum(thresholds, self.kth(_both(solved, self.early), self.k))
        bounds[first] = np.inf
        left = np.flatnonzero(bounds <= (thresholds + self.slack)[rows])
        return rows[left], cols[left]

    def nearest(self, solved: Solved, more: Solved, k: int) -> Nearest:
        return super().nearest(solved if self.early is None else _both(solved, self.early), more, k)


def within(
    distance: Distance,
    R: Representation,
    S: Representation,
    radius: float,
    run: Run = Run(),
    *,
    own: NDArray[np.intp] | None = None,
) -> RadiusResult:
    """The documents with words of ``S`` not farther than ``radius`` from each query with words of ``R``.

    Parameters
    ----------
    distance, R, S, run, own
        As in :func:`search`.
    radius : float
    """
    if not radius >= 0:
        raise ValueError(f"radius must be zero or more, not {radius!r}.")
    indices: list[NDArray[np.intp]] = []
    distances: list[NDArray[np.float64]] = []
    others, computed, n = len(S) - (own is not None), 0, len(R)
    with run.reporting("neighbours") as report:
        for queries, block in _blocks(distance, R, S, own, run):
            rows, cols = _not_above(block.bounds, np.full(len(block.bounds), radius + block.slack))
            values = block.solve(rows, cols).values
            computed += len(block.bounds) * others if block.exact else len(values)
            near = np.flatnonzero(values <= radius)
            order = near[np.lexsort((cols[near], values[near], rows[near]))]
            ends = np.searchsorted(rows[order], np.arange(1, len(block.bounds)))
            indices += np.split(cols[order], ends)
            distances += np.split(values[order], ends)
            if report is not None:
                report(queries.stop, n)
    return RadiusResult(indices, distances, computed, n * others - computed)


def _blocks(
    distance: Distance,
    R: Representation,
    S: Representation,
    own: NDArray[np.intp] | None,
    run: Run,
    offset: Offset | None = None,
    *,
    scans: bool = False,
) -> Iterator[tuple[slice, _HostBlock]]:
    """Blocks of queries with their bounds to all documents, infinite to ``own``.

    ``scans``: coarse bounds will do, where the documents have compact proportions.
    """
    run, others = run.quiet().on_cpu(), len(S) - (own is not None)
    for rows in row_blocks(len(R), len(S)):
        queries = R.take(rows)
        topics = _OverTopics.of(distance, queries, S) if scans and len(queries) and len(S) else None
        if topics is None:
            block = _bounded(distance, queries, S, offset, others, run)
        else:
            block = _scanned(distance, queries, S, offset, others, run, topics)
        if own is not None:
            block.bounds[np.arange(len(queries)), own[rows]] = np.inf
        yield rows, block


def _bounded(
    distance: Distance,
    queries: Representation,
    documents: Representation,
    offset: Offset | None,
    others: int,
    run: Run,
) -> _HostBlock:
    bounds = distance.lower_bound(queries, documents, run)
    exact = bounds is None or distance.bound_is_exact
    if bounds is None:
        bounds = distance.between(queries, documents, run)
    if offset is not None:
        bounds = offset.add(bounds, slice(None))
    slack = _ROUNDING * _largest_of(bounds)
    bounds = np.ascontiguousarray(bounds)
    return _HostBlock(distance, queries, documents, offset, bounds, slack, exact, others, run)


def _scanned(
    distance: Distance,
    queries: Representation,
    documents: Representation,
    offset: Offset | None,
    others: int,
    run: Run,
    topics: _OverTopics,
) -> _ScannedBlock:
    factor = topics.factor * (1.0 if offset is None else offset.weight)
    values = topics.values(offset, run)
    # Where what is added differs much it may say enough: then nothing is scanned.
    is_coarse = offset is None or _are_same(offset.values)
    bounds: NDArray[np.floating]
    if not is_coarse:
        bounds = np.repeat(values, len(queries) // len(values), axis=0)
    else:
        bounds = scan.coarse_bound(topics.problems, run)
        if factor != 1:
            bounds *= np.float32(factor)
        if topics.rest or offset is not None:
            bounds = bounds + values
    slack = (1e-6 if bounds.dtype == np.float32 else _ROUNDING) * _largest_of(bounds)
    block = (distance, queries, documents, offset, bounds, slack, False, others, run)
    return _ScannedBlock(*block, topics, factor, values, is_coarse)


def _are_same(values: NDArray[np.float64]) -> bool:
    """Whether all that are finite are the same."""
    least, most = values.min(initial=np.inf), values.max(initial=-np.inf)
    if np.isinf(most):
        most = values.max(initial=-np.inf, where=np.isfinite(values))
    return bool(most <= least)


def _largest_of(bounds: NDArray[np.floating]) -> float:
    least, most = bounds.min(initial=0.0), bounds.max(initial=0.0)
    if np.isinf(most):
        most = bounds.max(initial=0.0, where=np.isfinite(bounds))
    return float(max(-least, most))


def _not_above(
    bounds: NDArray[np.floating], thresholds: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns where a bound is not above its row's threshold."""
    rows, cols = np.divmod(np.flatnonzero(bounds <= thresholds[:, None]), bounds.shape[1])
    return rows, cols
