"""The error of nearest-neighbour classification, for every number of neighbours from one search."""

from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import LinearSVC

from hott.distances.base import Distance
from hott.distances.representation import Representation
from hott.neighbors import Neighbors
from hott.utils.run import Run, RunOptions
from reproduction.evaluation.splits import Split

MAX_NEIGHBORS = 19


@dataclass(frozen=True, eq=False)
class KnnErrors:
    """Classes that neighbours vote for, and the share of wrong ones, for 1, 2, ... neighbours.

    Attributes
    ----------
    predicted : array of shape (test documents, neighbours)
        Positions in ``classes``.
    classes : array
    test, validation : array of shape (neighbours,)
        The share of wrong ones among the test documents, and among training documents, each left out of its
        own neighbours.
    computed, pruned : int
        Pairs whose exact distance was needed, and pairs that a lower bound ruled out.

    Examples
    --------
    See :func:`knn_errors`; ``errors.test[6]`` is the error of seven neighbours.

    >>> wrong = KnnErrors(np.zeros((1, 2), int), np.array(["a"]), np.zeros(2), np.array([0.2, 0.1]), 5, 0)
    >>> wrong.best_k
    2
    """

    predicted: NDArray[np.intp]
    classes: NDArray
    test: NDArray[np.float64]
    validation: NDArray[np.float64]
    computed: int
    pruned: int

    @property
    def best_k(self) -> int:
        """The number of neighbours with the smallest error on training documents; of equals the smallest."""
        return int(self.validation.argmin()) + 1


def knn_errors(
    distance: Distance,
    R: Representation,
    labels: NDArray,
    split: Split,
    *,
    validation: NDArray[np.intp] | None = None,
    drop: int = 1,
    correct_hubs: bool = False,
    **options: Unpack[RunOptions],
) -> KnnErrors:
    """Classify the test documents by their nearest training documents.

    Parameters
    ----------
    distance : Distance
        Fitted.
    R : Representation
        All documents as ``distance`` sees them, those of the split with words.
    labels : the class of each document
    split : the rows of training and test documents
    validation : rows of training documents, optional
        Each is classified by the other training documents, so that the number of neighbours can be chosen
        without a look at the test documents. None of them should have a copy among the training documents
        (see :func:`unrepeated`). Without them, ``validation`` of the result is all NaN.
    drop : int
        While classes tie, so many of the farthest neighbours are left out: 1 as in the library, 2 as in the
        authors' code.
    correct_hubs : bool
        Make training documents that are near everything count less, as :class:`hott.KNNClassifier` can.
    **options : threads, device, progress

    Examples
    --------
    >>> from hott import NBOW
    >>> counts = np.array([[3, 0], [2, 1], [0, 3], [1, 3]] * 6)
    >>> split = Split(np.arange(20), np.arange(20, 24))
    >>> distance = NBOW().fit(counts)
    >>> errors = knn_errors(distance, distance.represent(counts), np.array(["a", "a", "b", "b"] * 6), split)
    >>> float(errors.test[6])
    0.0
    """
    n_neighbors = min(MAX_NEIGHBORS, len(split.train) - 1)
    own = np.searchsorted(split.train, np.empty(0, np.intp) if validation is None else validation)
    queries = np.concatenate([split.test, split.train[own]])
    # One neighbour more than needed: a training document finds itself, and that one is left out again.
    among = Neighbors(distance, correct_hubs).fit(R.select(split.train), **options)
    found = among.find_nearest(R.select(queries), n_neighbors + 1, Run.of(options))
    itself = np.concatenate([np.full(len(split.test), -1), own])
    neighbors = _without(found.indices, itself)
    classes, of = np.unique(labels, return_inverse=True)
    predicted = _predict(of[split.train][neighbors], len(classes), drop)
    wrong = predicted != of[queries][:, None]
    n = len(split.test)
    of_training = wrong[n:].mean(axis=0) if len(own) else np.full(n_neighbors, np.nan)
    return KnnErrors(
        predicted[:n], classes, wrong[:n].mean(axis=0), of_training, found.computed, found.pruned
    )


def linear_errors(X: Any, labels: NDArray, split: Split) -> KnnErrors:
    """Classify the test documents by a linear support vector machine: one answer, of no neighbours."""
    classes, of = np.unique(labels, return_inverse=True)
    machine = LinearSVC(random_state=0).fit(X[split.train], of[split.train])
    predicted = machine.predict(X[split.test])[:, None]
    wrong = (predicted != of[split.test][:, None]).mean(axis=0)
    return KnnErrors(predicted, classes, wrong, np.full(1, np.nan), 0, 0)


def _without(indices: NDArray[np.intp], own: NDArray[np.intp]) -> NDArray[np.intp]:
    """Each row without its own document, or without the last neighbour where that is not among them."""
    out = indices == own[:, None]
    out[~out.any(axis=1), -1] = True
    return indices[~out].reshape(len(indices), -1)


def _predict(votes: NDArray[np.intp], n_classes: int, drop: int) -> NDArray[np.intp]:
    """Return the class that each document gets from its first 1, 2, ... neighbours: documents x neighbours.

    Where classes tie for the lead, it is the class that ``drop`` neighbours fewer give; one decides alone.
    """
    n, most = votes.shape
    predicted = np.empty((n, most), np.intp)
    for start in range(0, n, 1000):  # ballots of many documents and classes would take gigabytes
        rows = slice(start, start + 1000)
        ballots = np.eye(n_classes, dtype=np.int16)[votes[rows]].cumsum(axis=1)
        for k in range(1, most + 1):
            so_far = ballots[:, k - 1]
            tied = (so_far == so_far.max(axis=1, keepdims=True)).sum(axis=1) > 1
            fewer = predicted[rows, max(k - drop, 1) - 1]
            predicted[rows, k - 1] = np.where(tied, fewer, so_far.argmax(axis=1))
    return predicted
