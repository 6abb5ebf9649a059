"""What the paper leaves out: a topic's rare words, and a document's marginal topics."""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


def heaviest_words(topics: NDArray[np.floating], k: int) -> NDArray[np.intp]:
    """Return the ``k`` most probable words of each topic, heaviest first; of equals, the lower index first.

    Parameters
    ----------
    topics : array of shape (topics, words)
    k : int

    Examples
    --------
    >>> heaviest_words(np.array([[0.2, 0.5, 0.2, 0.1]]), 2)
    array([[1, 0]])
    """
    if k >= topics.shape[1]:
        return np.argsort(-topics, axis=1, kind="stable")
    # Sorting all the words of all topics to keep twenty would take longer than learning some of the topics.
    heavy = np.empty((len(topics), k), np.intp)
    for row, least, out in zip(topics, np.partition(topics, -k, axis=1)[:, -k], heavy):
        some = np.flatnonzero(row >= least)
        out[:] = some[np.argsort(-row[some], kind="stable")[:k]]
    return heavy


def truncate_topics(topics: NDArray[np.floating], n_words: int | None) -> sparse.csr_array:
    """Keep each topic's heaviest words and let them sum to 1 again.

    Parameters
    ----------
    topics : array of shape (topics, words)
    n_words : int or None
        How many to keep; None keeps all.

    Examples
    --------
    >>> truncate_topics(np.array([[0.2, 0.5, 0.2, 0.1]]), 2).toarray()
    array([[0.28571429, 0.71428571, 0.        , 0.        ]])
    """
    kept = np.asarray(topics, dtype=np.float64)
    if n_words is not None and n_words < kept.shape[1]:
        heavy = heaviest_words(kept, n_words)
        full, kept = kept, np.zeros_like(kept)
        np.put_along_axis(kept, heavy, np.take_along_axis(full, heavy, axis=1), axis=1)
    return sparse.csr_array(kept / kept.sum(axis=1, keepdims=True))


def truncate_proportions(proportions: NDArray[np.float64], threshold: float) -> sparse.csr_array:
    """Leave out topics whose proportion is below ``threshold``, and let the others sum to 1 again.

    Where all are below it, the largest stays (of equals the first): a document is never left without topic.

    Parameters
    ----------
    proportions : array of shape (documents, topics)
    threshold : float

    Examples
    --------
    >>> truncate_proportions(np.array([[0.6, 0.2, 0.2], [0.3, 0.45, 0.25]]), 0.25).toarray().round(2)
    array([[1.  , 0.  , 0.  ],
           [0.3 , 0.45, 0.25]])
    """
    return sparse.csr_array(keep_proportions(proportions, threshold))


def keep_proportions(proportions: NDArray[np.float64], threshold: float) -> NDArray[np.float64]:
    """Compute what :func:`truncate_proportions` gives, with zeros for the topics that are left out."""
    stays = proportions >= threshold
    stays[np.arange(len(proportions)), proportions.argmax(axis=1)] = True
    kept = np.where(stays, proportions, 0.0)
    return np.asarray(kept / kept.sum(axis=1, keepdims=True))
