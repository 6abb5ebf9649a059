"""The k-nearest-neighbour classifier, with any document distance."""

from typing import Any, Literal, Self, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from hott.checks import check_choice, check_count
from hott.distances.base import Distance, DocumentsLike
from hott.neighbors import Neighbors, search
from hott.run import Run, RunOptions

__all__ = ["KNNClassifier"]


class KNNClassifier(ClassifierMixin, BaseEstimator):
    """Classify documents by the labels of their nearest neighbours.

    A tie between classes is broken as in the paper: the farthest neighbour is dropped and the rest vote
    again, until one class leads.

    Documents without words, where the distance's ``on_empty`` is not ``"error"``, have no neighbours: those
    in training are left out, and new ones get the share of each class in training as their votes.

    Parameters
    ----------
    distance : Distance
        One that is fitted already is used as it is; one that is not is copied and fitted on the training
        documents.
    n_neighbors : int
        Neighbours that vote.
    weights : "uniform" or "distance"
        One vote each, or votes of 1/distance. Neighbours at distance 0 outvote all others.

    Examples
    --------
    >>> from hott import NBOW
    >>> model = KNNClassifier(NBOW(), n_neighbors=1).fit([[3, 0], [0, 2]], ["sea", "land"])
    >>> model.predict([[5, 1]])
    array(['sea'], dtype='<U4')
    """

    def __init__(
        self,
        distance: Distance,
        n_neighbors: int = 7,
        weights: Literal["uniform", "distance"] = "uniform",
    ) -> None:
        self.distance = distance
        self.n_neighbors = n_neighbors
        self.weights = weights

    def fit(self, X: ArrayLike, y: ArrayLike, **options: Unpack[RunOptions]) -> Self:
        """Take in documents and their classes.

        Parameters
        ----------
        X : documents x words
            Word counts.
        y : array-like of shape (documents,)
        **options : threads, device, progress
            See :class:`hott.run.RunOptions`.
        """
        check_count(self.n_neighbors, "n_neighbors")
        check_choice(self.weights, "weights", ("uniform", "distance"))
        if y is None:
            raise ValueError(
                "requires y to be passed, but the target y is None: one class for each row of X."
            )
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        self.neighbors_ = Neighbors(self.distance).fit(X, **options)
        check_consistent_length(X, y)
        self.n_features_in_ = self.neighbors_.distance_.n_features_in_
        self.classes_, self.labels_ = np.unique(y, return_inverse=True)
        n_documents = len(self.neighbors_.documents_)
        if self.n_neighbors > n_documents:
            raise ValueError(
                f"n_neighbors must not exceed the number of documents: it is {self.n_neighbors}, "
                f"n_samples = {n_documents}."
            )
        return self

    def predict(self, X: DocumentsLike, **options: Unpack[RunOptions]) -> NDArray[Any]:
        """The class of each document.

        Parameters
        ----------
        X : counts, documents x words; or what the distance's ``represent`` gave
        **options : threads, device, progress
        """
        votes = self._votes(X, Run.of(options))
        return self.classes_[votes.argmax(axis=1)]

    def predict_proba(self, X: DocumentsLike, **options: Unpack[RunOptions]) -> NDArray[np.float64]:
        """The share of each class in the votes that decided, in the order of ``classes_``.

        Parameters
        ----------
        X : counts, documents x words; or what the distance's ``represent`` gave
        **options : threads, device, progress
        """
        votes = self._votes(X, Run.of(options))
        return votes / votes.sum(axis=1, keepdims=True)

    def _votes(self, X: DocumentsLike, run: Run) -> NDArray[np.float64]:
        """Deciding votes for each class: documents x classes."""
        check_is_fitted(self)
        distance, documents = self.neighbors_.distance_, self.neighbors_.documents_
        R = distance.represent(X, **run.quiet().options)
        found = search(distance, R, documents, self.n_neighbors, run)
        weight = np.ones_like(found.distances) if self.weights == "uniform" else _nearness(found.distances)
        ballots = np.zeros((*found.indices.shape, len(self.classes_)))
        labels = self.labels_[documents.positions[found.indices]]
        np.put_along_axis(ballots, labels[:, :, None], weight[:, :, None], axis=2)
        votes = R.scatter(deciding_votes(ballots))
        return np.where(np.isnan(votes), np.bincount(self.labels_), votes)  # NaN: documents without words

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = self.distance.__sklearn_tags__().input_tags
        return tags


def deciding_votes(ballots: NDArray[np.float64]) -> NDArray[np.float64]:
    """Votes for each class without a tie for the lead, given documents x neighbours x classes.

    Neighbours come nearest first. While classes tie, the farthest is dropped; one alone always decides.

    Examples
    --------
    >>> first, second = [1, 0], [0, 1]
    >>> deciding_votes(np.array([[second, first, first, second]]))
    array([[2, 1]])
    """
    sums = ballots.cumsum(axis=1)
    votes = sums[:, 0]
    for so_far in np.moveaxis(sums, 1, 0)[1:]:
        # Sums of 1/distance that differ by rounding alone are a tie.
        leaders = so_far >= so_far.max(axis=1, keepdims=True) * (1 - 1e-12)
        votes = np.where(leaders.sum(axis=1, keepdims=True) == 1, so_far, votes)
    return votes


def _nearness(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """1/distance; where some neighbours are at distance 0, 1 for those and 0 for the others."""
    with np.errstate(divide="ignore"):
        near = 1 / distances
    at_zero = np.isinf(near)
    return np.where(at_zero.any(axis=1, keepdims=True), at_zero, near).astype(np.float64)
