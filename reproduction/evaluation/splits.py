"""Which documents a method may learn from, and which it is tested on."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to learn from and rows to test on; no row is in both.

    Attributes
    ----------
    train, test : array of int

    Examples
    --------
    >>> Split(np.array([0, 1, 2]), np.array([3, 4])).only([1, 4]).test
    array([4])
    """

    train: NDArray[np.intp]
    test: NDArray[np.intp]

    def only(self, rows: ArrayLike) -> "Split":
        """The same split of fewer documents."""
        return Split(np.intersect1d(self.train, rows), np.intersect1d(self.test, rows))

    def draw(self, train: int, test: int, seed: int) -> "Split":
        """As many of the documents at random, or all where there are no more."""
        random = np.random.default_rng(seed)
        return Split(
            *(np.sort(random.permutation(r)[:n]) for r, n in ((self.train, train), (self.test, test)))
        )


def random_split(n: int, share: float, seed: int) -> Split:
    """A random ``share`` of ``n`` documents to learn from, the rest to test on.

    Parameters
    ----------
    n : int
    share : float
    seed : int

    Examples
    --------
    >>> split = random_split(10, 0.7, seed=0)
    >>> len(split.train), len(split.test)
    (7, 3)
    """
    order = np.random.default_rng(seed).permutation(n)
    cut = round(share * n)
    return Split(np.sort(order[:cut]), np.sort(order[cut:]))


def split_in_order(labels: ArrayLike, share: float) -> Split:
    """The first ``share`` of each class to learn from, in the order of appearance, the rest to test on.

    A class always has a document to learn from, so that one with a single document is never tested.

    Parameters
    ----------
    labels : array-like
        The class of each document.
    share : float

    Examples
    --------
    >>> split = split_in_order(["a", "a", "b", "a", "a", "a"], 0.8)
    >>> split.train, split.test
    (array([0, 1, 2, 3, 4]), array([5]))
    """
    labels = np.asarray(labels)
    learns = np.zeros(len(labels), bool)
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        learns[rows[: max(1, round(share * len(rows)))]] = True
    return Split(np.flatnonzero(learns), np.flatnonzero(~learns))


def without_copies(split: Split, documents: Sequence[Any]) -> Split:
    """The split without test documents that are equal to a training document.

    Parameters
    ----------
    split : Split
    documents : sequence
        All documents, such as their texts.

    Examples
    --------
    >>> split = Split(np.array([0, 1]), np.array([2, 3]))
    >>> without_copies(split, ["one", "two", "two", "three"]).test
    array([3])
    """
    known = {documents[row] for row in split.train}
    return Split(split.train, np.array([row for row in split.test if documents[row] not in known], np.intp))


def unrepeated(rows: NDArray[np.intp], documents: Sequence[Any]) -> NDArray[np.intp]:
    """Those of the rows whose document no other of the rows equals.

    A document that is classified by the others must not find a copy of itself among them.

    Parameters
    ----------
    rows : array of int
    documents : sequence
        All documents, such as their texts.

    Examples
    --------
    >>> unrepeated(np.array([0, 1, 2, 3]), ["one", "two", "one", "three"])
    array([1, 3])
    """
    often = Counter(documents[row] for row in rows)
    return np.array([row for row in rows if often[documents[row]] == 1], np.intp)
