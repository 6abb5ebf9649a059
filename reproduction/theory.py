"""What the paper proves about these distances, as functions: relaxations, and bounds between the distances.

For word distributions d1 and d2, their topic proportions and the topics, all untruncated::

    WMD(d1, d2) <= HOFTT(d1, d2) + topic_loss(d1) + topic_loss(d2)
    max(relaxed(d1, d2)) = RWMD(d1, d2) <= WMD(d1, d2)
    RWMD(d1, d2) <= hausdorff(words of d1, words of d2)
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import rel_entr

from hott.utils.checks import check_cost, check_masses


def relaxed(a: ArrayLike, b: ArrayLike, cost: ArrayLike) -> tuple[float, float]:
    """Least cost of moving ``a`` to the sites of ``b`` whatever they can hold, and ``b`` to those of ``a``.

    Each leaves out one of the two constraints of :func:`hott.transport.solve`, so neither is above its value;
    the larger is the relaxed word mover's distance.

    Examples
    --------
    >>> relaxed([0.9, 0.1], [0.5, 0.5], [[1.0, 3.0], [0.0, 2.0]])
    (0.9, 1.0)
    """
    a, b = check_masses(a, "a"), check_masses(b, "b")
    cost = check_cost(cost, (len(a), len(b)))[np.ix_(a > 0, b > 0)]
    return float(cost.min(axis=1) @ a[a > 0]), float(cost.min(axis=0) @ b[b > 0])


def hausdorff(cost: ArrayLike) -> float:
    """Hausdorff distance of two sets, given the distances from each point of one to each point of the other.

    The farthest that any point of either set is from the other set. Never below the relaxed word mover's
    distance of two documents with these words; equal to it for documents of one word each, and for documents
    whose words are shifted all alike, at right angles to the space they span.

    Examples
    --------
    >>> hausdorff([[1.0, 3.0], [0.0, 2.0]])
    2.0
    """
    cost = np.asarray(cost, dtype=np.float64)
    if cost.ndim != 2 or cost.size == 0:
        raise ValueError(
            f"cost must be a matrix of distances between two non-empty sets; it has shape {cost.shape}."
        )
    return float(max(cost.min(axis=1).max(), cost.min(axis=0).max()))


def topic_loss(
    documents: ArrayLike, proportions: ArrayLike, topics: ArrayLike, *, diameter: float
) -> NDArray[np.float64]:
    """How far a document can be from the mixture of topics that stands for it: ``diameter * sqrt(KL / 2)``.

    An upper bound of the word mover's distance between the two. It is infinite where a document has a word
    that no topic in its mixture has.

    Parameters
    ----------
    documents : array-like of shape (documents, words)
        Word distributions; rows sum to 1.
    proportions : array-like of shape (documents, topics)
        Topic proportions; rows sum to 1.
    topics : array-like of shape (topics, words)
        Topics; rows sum to 1.
    diameter : float
        Largest distance between two words.

    Examples
    --------
    >>> topic_loss([[0.5, 0.5]], [[1.0]], [[0.5, 0.5]], diameter=3.0)
    array([0.])
    """
    documents, proportions, topics = (
        np.asarray(x, dtype=np.float64) for x in (documents, proportions, topics)
    )
    shapes = documents.shape, proportions.shape, topics.shape
    fit = (
        proportions.shape[1:] == topics.shape[:1]
        and documents.shape == proportions.shape[:1] + topics.shape[1:]
    )
    if not fit or documents.ndim != 2:
        raise ValueError(
            "documents, proportions and topics must have shapes (documents, words), (documents, topics) and "
            f"(topics, words); they have {shapes[0]}, {shapes[1]} and {shapes[2]}."
        )
    divergence = rel_entr(documents, proportions @ topics).sum(axis=1)
    return diameter * np.sqrt(np.maximum(divergence, 0) / 2)
