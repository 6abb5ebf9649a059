"""Words that no document had when the topics were learned, read by the words near them in meaning."""

import numpy as np
from numpy.typing import NDArray

from hott.embeddings.vectors import unit_rows

NEIGHBORS = 20
TEMPERATURE = 0.15
"""As topics are learned: see :class:`hott.topics.GibbsLDA`."""

SMALL = 1e-6
"""Probability of such a word. What matters to a document's proportions is only how topics compare."""


def nearest_weights(
    vectors: NDArray[np.floating], new: NDArray[np.floating]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """For each new vector the nearest of the known ones by cosine, and what each lends.

    Parameters
    ----------
    vectors : array of shape (words, dimensions)
        Rows of zeros lend nothing.
    new : array of shape (new words, dimensions)

    Returns
    -------
    columns and weights, new words x neighbours
    """
    near = unit_rows(new.astype(np.float64)) @ unit_rows(vectors.astype(np.float64)).T
    count = min(NEIGHBORS, near.shape[1])
    columns = np.argsort(-near, axis=1, kind="stable")[:, :count]
    cosines = np.take_along_axis(near, columns, axis=1)
    return columns, np.where(cosines > 0, np.exp((cosines - 1) / TEMPERATURE), 0.0)


def borrowed(
    components: NDArray[np.float32], columns: NDArray[np.intp], weights: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Probabilities of new words under each topic, up to scale: the weighted sum of their neighbours'.

    A word of topic k by its neighbours v: sum of a(v) n(k, v) / n(k) = sum of a(v) p(v | k), where a is the
    weight of a neighbour.

    Parameters
    ----------
    components : array of shape (topics, words)
    columns, weights : arrays of shape (new words, neighbours)
        As :func:`nearest_weights` gives them.

    Returns
    -------
    array of shape (topics, new words)

    Examples
    --------
    >>> components = np.array([[0.8, 0.2], [0.1, 0.9]], np.float32)
    >>> borrowed(components, np.array([[0]]), np.array([[1.0]])).ravel() * 1e6
    array([1.   , 0.125], dtype=float32)
    """
    found = np.einsum("nm,knm->kn", weights, components[:, columns].astype(np.float64))
    most = found.max(axis=0, keepdims=True)
    return (SMALL * np.divide(found, most, out=np.zeros_like(found), where=most > 0)).astype(np.float32)
