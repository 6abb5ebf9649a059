"""Neighbors: the search as an estimator."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, Unpack, overload

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.distances.base import Distance, DocumentsLike, fit_if_needed
from hott.distances.representation import Representation
from hott.neighbors.bounded import Offset
from hott.neighbors.results import NeighborResult, RadiusResult, as_graph
from hott.neighbors.searching import search, within
from hott.utils.checks import check_choice
from hott.utils.estimator import Estimator, check_is_fitted
from hott.utils.run import Run, RunOptions

if TYPE_CHECKING:
    from sklearn.utils import Tags

GraphMode: TypeAlias = Literal["connectivity", "distance"]

N_LOCAL = 10
"""Nearest others by which it is seen how near a document is to everything."""


@dataclass(eq=False, repr=False)
class Neighbors(Estimator):
    """Exact nearest neighbours of documents under any distance.

    Its methods are those of :class:`sklearn.neighbors.NearestNeighbors`.

    Parameters
    ----------
    distance : Distance, optional
        One that is fitted already is used as it is; one that is not is copied and fitted on the documents. By
        default documents are texts, compared by :class:`hott.TextDistance`.
    correct_hubs : bool
        Some documents are near everything. Rank by twice the distance less the mean distance of a document
        to its ten nearest others (cross-domain similarity local scaling: Conneau, Lample, Ranzato, Denoyer
        and Jégou, 2018), so that these are found less often. Distances are given as they are.

    Attributes
    ----------
    distance_ : Distance
        Fitted.
    local_scales_ : ndarray or None
        Mean distance of each document with words to its ten nearest others, where hubs are corrected.
    n_samples_fit_ : int
        Documents that were taken in.
    n_features_in_ : int
        Words that are counted.
    feature_names_in_ : ndarray of str
        Names of their columns, where documents came as a data frame.

    Examples
    --------
    >>> from hott import NBOW
    >>> documents = [[2, 0, 0], [1, 1, 0], [0, 0, 1]]
    >>> distances, indices = Neighbors(NBOW()).fit(documents).kneighbors([[3, 1, 0]], k=2)
    >>> indices, distances.round(3)
    (array([[0, 1]]), array([[0.354, 0.354]]))
    """

    distance: Distance | None = None
    correct_hubs: bool = False

    n_neighbors = 10  # where a call does not say how many

    def fit(self, X: DocumentsLike, y: Any = None, **options: Unpack[RunOptions]) -> Self:
        """Take in the documents among which neighbours are sought.

        Neighbours are reported as rows of ``X``. Documents without words are never anyone's neighbour.

        Parameters
        ----------
        X : counts, documents x words; or what the fitted distance's ``represent`` gave
        y : array-like, optional
            Classes of the documents, for a distance that learns from them.
        **options : threads, device, progress
            See :class:`hott.run.RunOptions`.
        """
        run, distance = Run.of(options), self._given
        self.distance_ = distance if isinstance(X, Representation) else fit_if_needed(distance, X, run, y)
        self.documents_ = self.distance_.represent(X, **options)
        self.n_samples_fit_ = self.documents_.n_documents
        self.local_scales_ = None
        if self.correct_hubs:
            R, n = self.documents_, len(self.documents_)
            self.local_scales_ = np.zeros(n)
            if n > 1:
                near = search(self.distance_, R, R, min(N_LOCAL, n - 1), run, own=np.arange(n))
                self.local_scales_ = near.distances.mean(axis=1)
        return self

    @property
    def n_features_in_(self) -> int:
        """Words that are counted."""
        return self.distance_.n_features_in_

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """Names of the columns of counts, where these came as a data frame."""
        return self.distance_.feature_names_in_

    @overload
    def kneighbors(
        self,
        X: DocumentsLike | None = ...,
        k: int | None = ...,
        return_distance: Literal[True] = ...,
        *,
        n_neighbors: int | None = ...,
        **options: Unpack[RunOptions],
    ) -> NeighborResult: ...

    @overload
    def kneighbors(
        self,
        X: DocumentsLike | None = ...,
        k: int | None = ...,
        *,
        return_distance: Literal[False],
        n_neighbors: int | None = ...,
        **options: Unpack[RunOptions],
    ) -> NDArray[np.intp]: ...

    def kneighbors(
        self,
        X: DocumentsLike | None = None,
        k: int | None = None,
        return_distance: bool = True,
        *,
        n_neighbors: int | None = None,
        **options: Unpack[RunOptions],
    ) -> NeighborResult | NDArray[np.intp]:
        """Find the ``k`` nearest documents of each query; of each document, itself left out, without ``X``.

        Queries without words follow the distance's ``on_empty``: an error, a row with NaN for distances and
        the first documents for neighbours, or no row.

        Parameters
        ----------
        X : counts, documents x words; or what the distance's ``represent`` gave
            The queries.
        k : int, optional
            10 by default; of a classifier, as many as vote.
        return_distance : bool
            False: give the array of neighbours alone.
        n_neighbors : int, optional
            The same as ``k``, as scikit-learn spells it.
        **options : threads, device, progress
            See :class:`hott.run.RunOptions`. A GPU serves distances over topics.

        Returns
        -------
        NeighborResult
            It can be taken apart as ``distances, indices``.
        """
        run, k = Run.of(options), self.n_neighbors if k is None else k
        R, own = self._queries(X, run)
        found = self.find_nearest(R, k if n_neighbors is None else n_neighbors, run, own)
        distances = R.scatter(found.distances)
        indices = np.tile(self.documents_.positions[: found.indices.shape[1]], (len(distances), 1))
        indices[slice(None) if R.is_complete else R.positions] = self.documents_.positions[found.indices]
        return (
            NeighborResult(indices, distances, found.computed, found.pruned) if return_distance else indices
        )

    @overload
    def radius_neighbors(
        self,
        X: DocumentsLike | None = ...,
        radius: float = ...,
        return_distance: Literal[True] = ...,
        **options: Unpack[RunOptions],
    ) -> RadiusResult: ...

    @overload
    def radius_neighbors(
        self,
        X: DocumentsLike | None = ...,
        radius: float = ...,
        *,
        return_distance: Literal[False],
        **options: Unpack[RunOptions],
    ) -> list[NDArray[np.intp]]: ...

    def radius_neighbors(
        self,
        X: DocumentsLike | None = None,
        radius: float = 1.0,
        return_distance: bool = True,
        **options: Unpack[RunOptions],
    ) -> RadiusResult | list[NDArray[np.intp]]:
        """Find all documents not farther than ``radius`` from each query; itself left out without ``X``.

        Queries without words follow the distance's ``on_empty``: an error, no neighbours, or no entry.

        Parameters
        ----------
        X : counts, documents x words; or what the distance's ``represent`` gave
            The queries.
        radius : float
        return_distance : bool
            False: give the lists of neighbours alone.
        **options : threads, progress

        Returns
        -------
        RadiusResult
            It can be taken apart as ``distances, indices``.
        """
        run = Run.of(options)
        R, own = self._queries(X, run)
        found = within(self.distance_, R, self.documents_, radius, run, own=own)
        indices, distances = [self.documents_.positions[i] for i in found.indices], found.distances
        if not R.is_complete:
            near, far = indices, distances
            indices = [np.empty(0, np.intp) for _ in range(R.n_documents)]
            distances = [np.empty(0) for _ in range(R.n_documents)]
            for row, position in enumerate(R.positions):
                indices[position], distances[position] = near[row], far[row]
        return RadiusResult(indices, distances, found.computed, found.pruned) if return_distance else indices

    def kneighbors_graph(
        self,
        X: DocumentsLike | None = None,
        n_neighbors: int | None = None,
        mode: GraphMode = "connectivity",
        **options: Unpack[RunOptions],
    ) -> sparse.csr_array:
        """Compute the graph of the nearest documents as a sparse matrix, queries x documents.

        Queries without words have an empty row.

        Parameters
        ----------
        X : counts, documents x words; or what the distance's ``represent`` gave
            The queries; without them every document is one, and is left out of its own neighbours.
        n_neighbors : int, optional
            As in :meth:`kneighbors`.
        mode : "connectivity" or "distance"
            Store 1, or the distance; a distance of 0 is stored.
        **options : threads, device, progress
        """
        check_choice(mode, "mode", ("connectivity", "distance"))
        run = Run.of(options)
        R, own = self._queries(X, run)
        found = self.find_nearest(R, self.n_neighbors if n_neighbors is None else n_neighbors, run, own)
        values = found.distances if mode == "distance" else np.ones_like(found.distances)
        shape = R.n_documents, self.n_samples_fit_
        return as_graph(self.documents_.positions[found.indices], values, R.positions, shape)

    def graph(self, k: int = 10, **options: Unpack[RunOptions]) -> sparse.csr_array:
        """Compute the ``k`` nearest other documents of each as a sparse matrix of distances.

        As openTSNE, UMAP and scikit-learn's ``metric="precomputed"`` take it. A distance of 0 is stored.
        Documents without words have an empty row.

        Parameters
        ----------
        k : int
        **options : threads, device, progress
        """
        return self.kneighbors_graph(None, k, "distance", **options)

    def find_nearest(
        self, R: Representation, k: int, run: Run, own: NDArray[np.intp] | None = None
    ) -> NeighborResult:
        """Find neighbours of represented queries by their rows; ``own`` are those that they must not find."""
        scales = self.local_scales_
        if scales is None:
            return search(self.distance_, R, self.documents_, k, run, own=own)
        found = search(self.distance_, R, self.documents_, k, run, own=own, offset=Offset(2.0, -scales))
        distances = np.maximum((found.distances + scales[found.indices]) / 2, 0)
        return NeighborResult(found.indices, distances, found.computed, found.pruned)

    @property
    def _given(self) -> Distance:
        from hott.distances.text import TextDistance

        return TextDistance() if self.distance is None else self.distance

    def _queries(self, X: DocumentsLike | None, run: Run) -> tuple[Representation, NDArray[np.intp] | None]:
        """Represent the queries; without any, return all documents, and the rows that each must not find."""
        check_is_fitted(self)
        if X is None:
            return self.documents_, np.arange(len(self.documents_))
        return self.distance_.represent(X, **run.quiet().options), None

    def __sklearn_tags__(self) -> "Tags":
        tags = super().__sklearn_tags__()
        tags.input_tags = self._given.__sklearn_tags__().input_tags
        return tags
