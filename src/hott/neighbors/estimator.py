"""Neighbors: the search as an estimator."""

from typing import Any, Self, Unpack

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from hott.distances.base import Distance, DocumentsLike, fitted
from hott.distances.representation import Representation
from hott.neighbors.results import NeighborResult, RadiusResult, as_graph
from hott.neighbors.searching import search, within
from hott.run import Run, RunOptions


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
