"""The k-nearest-neighbour classifier, with any document distance."""

from collections.abc import Callable
from typing import Any, Literal, Self, TypeAlias, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d

from hott.distances.base import Distance, DocumentsLike
from hott.distances.representation import Representation
from hott.neighbors import Neighbors
from hott.utils.checks import check_choice, check_count
from hott.utils.run import Run, RunOptions

__all__ = ["KNNClassifier"]

VoteWeights: TypeAlias = (
    Literal["uniform", "distance"] | Callable[[NDArray[np.float64]], NDArray[np.floating]] | None
)


class KNNClassifier(ClassifierMixin, Neighbors):
    """Classify documents by the labels of their nearest neighbours.

    Its methods and attributes are those of :class:`sklearn.neighbors.KNeighborsClassifier`. A tie between
    classes is broken as in the paper: the farthest neighbour is dropped and the rest vote again, until one
    class leads.

    Documents without words, where the distance's ``on_empty`` is not ``"error"``, have no neighbours: those
    in training are left out, and new ones get the share of each class in training as their votes.

    Parameters
    ----------
    distance : Distance, optional
        One that is fitted already is used as it is; one that is not is copied and fitted on the training
        documents. By default documents are texts, compared by :class:`hott.TextDistance`.
    n_neighbors : int
        Neighbours that vote.
    weights : "uniform", "distance", callable or None
        One vote each (also None), or votes of 1/distance: neighbours at distance 0 then outvote all others. A
        callable is given the distances, documents x neighbours, and returns as many votes.
    correct_hubs : bool
        Make training documents that are near everything vote less often, as in :class:`hott.Neighbors`. It
        helps with 15 neighbours more than with 7.

    Attributes
    ----------
    classes_ : ndarray, or a list of those where ``y`` has several columns
    n_samples_fit_, n_features_in_ : int
        Documents that were taken in, and words that are counted.
    feature_names_in_ : ndarray of str
        Names of their columns, where documents came as a data frame.

    Examples
    --------
    >>> from hott import NBOW
    >>> model = KNNClassifier(NBOW(), n_neighbors=1).fit([[3, 0], [0, 2]], ["sea", "land"])
    >>> model.predict([[5, 1]])
    array(['sea'], dtype='<U4')
    """

    classes_: Any
    n_neighbors: int

    def __init__(
        self,
        distance: Distance | None = None,
        n_neighbors: int = 7,
        weights: VoteWeights = "uniform",
        correct_hubs: bool = False,
    ) -> None:
        self.distance = distance
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.correct_hubs = correct_hubs

    def fit(self, X: DocumentsLike, y: Any = None, **options: Unpack[RunOptions]) -> Self:
        """Take in documents and their classes.

        Parameters
        ----------
        X : counts, documents x words; or what the fitted distance's ``represent`` gave
        y : array-like of shape (documents,), or (documents, outputs)
        **options : threads, device, progress
            See :class:`hott.run.RunOptions`.
        """
        check_count(self.n_neighbors, "n_neighbors")
        if not callable(self.weights) and self.weights is not None:
            check_choice(self.weights, "weights", ("uniform", "distance"))
        if y is None:
            raise ValueError(
                "requires y to be passed, but the target y is None: one class for each row of X."
            )
        columns = np.asarray(y)
        if columns.ndim != 2 or columns.shape[1] == 1:
            columns = column_or_1d(columns, warn=True)
        check_classification_targets(columns)
        super().fit(X, columns, **options)
        check_consistent_length(
            np.empty(self.n_samples_fit_) if isinstance(X, Representation) else X, columns
        )
        self.outputs_2d_ = columns.ndim == 2
        found = [np.unique(column, return_inverse=True) for column in np.atleast_2d(columns.T)]
        self.labels_ = np.column_stack([labels for _, labels in found])
        classes = [classes for classes, _ in found]
        self.classes_ = classes if self.outputs_2d_ else classes[0]
        n_documents = len(self.documents_)
        if self.n_neighbors > n_documents:
            raise ValueError(
                f"n_neighbors must not exceed the number of documents: it is {self.n_neighbors}, "
                f"n_samples = {n_documents}."
            )
        return self

    def predict(self, X: DocumentsLike | None, **options: Unpack[RunOptions]) -> NDArray[Any]:
        """Predict the class of each document; with None, of each that was taken in, by the others.

        Parameters
        ----------
        X : counts, documents x words; or what the distance's ``represent`` gave
        **options : threads, device, progress
        """
        votes = self._votes(X, Run.of(options))
        found = [classes[own.argmax(axis=1)] for classes, own in zip(self._classes, votes)]
        return np.column_stack(found) if self.outputs_2d_ else found[0]

    def predict_proba(self, X: DocumentsLike | None, **options: Unpack[RunOptions]) -> Any:
        """Compute the share of each class in the votes that decided, in the order of ``classes_``.

        Parameters
        ----------
        X : counts, documents x words; or what the distance's ``represent`` gave
            None: the documents that were taken in, by the others.
        **options : threads, device, progress

        Returns
        -------
        ndarray of shape (documents, classes), or a list of those where ``y`` has several columns
        """
        votes = self._votes(X, Run.of(options))
        shares = [own / own.sum(axis=1, keepdims=True) for own in votes]
        return shares if self.outputs_2d_ else shares[0]

    @property
    def _classes(self) -> list[NDArray[Any]]:
        return self.classes_ if self.outputs_2d_ else [self.classes_]

    def _votes(self, X: DocumentsLike | None, run: Run) -> list[NDArray[np.float64]]:
        """Count the deciding votes for each class, documents x classes, one array an output."""
        R, own = self._queries(X, run)
        found = self.find_nearest(R, self.n_neighbors, run, own)
        weights = self._weights(found.distances)
        votes = []
        for labels, classes in zip(self.labels_.T, self._classes):
            ballots = np.zeros((*found.indices.shape, len(classes)))
            voted = labels[self.documents_.positions[found.indices]]
            np.put_along_axis(ballots, voted[:, :, None], weights[:, :, None], axis=2)
            # As many rows as documents, also where others leave those without words out of a result.
            everyone = np.tile(np.bincount(labels, minlength=len(classes)).astype(float), (R.n_documents, 1))
            everyone[R.positions] = deciding_votes(ballots)
            votes.append(everyone)
        return votes

    def _weights(self, distances: NDArray[np.float64]) -> NDArray[np.float64]:
        if not callable(self.weights):
            with np.errstate(divide="ignore"):
                near = 1 / distances if self.weights == "distance" else np.ones_like(distances)
            at_zero = np.isinf(near)  # where some are, they alone vote
            return np.where(at_zero.any(axis=1, keepdims=True), at_zero, near).astype(np.float64)
        weights = np.asarray(self.weights(distances), np.float64)
        if weights.shape != distances.shape or not (weights >= 0).all():
            raise ValueError(
                f"weights must return a number of at least 0 for each of {distances.shape} distances; it "
                f"returned an array of shape {weights.shape} with the least {weights.min(initial=0)}."
            )
        return weights

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        return tags


def deciding_votes(ballots: NDArray[np.float64]) -> NDArray[np.float64]:
    """Votes for each class without a tie for the lead, given documents x neighbours x classes.

    Neighbours come nearest first. While classes tie, the farthest is dropped; one alone always decides.
    """
    sums = ballots.cumsum(axis=1)
    votes = sums[:, 0]
    for so_far in np.moveaxis(sums, 1, 0)[1:]:
        # Sums of 1/distance that differ by rounding alone are a tie.
        leaders = so_far >= so_far.max(axis=1, keepdims=True) * (1 - 1e-12)
        votes = np.where(leaders.sum(axis=1, keepdims=True) == 1, so_far, votes)
    return votes
