"""Groups of near documents: communities of the graph of nearest neighbours."""

import math

import numpy as np
from numpy.typing import NDArray

from hott.distances.base import Distance
from hott.distances.representation import Representation
from hott.neighbors import find_communities, nearby, search
from hott.utils.run import Run

MAX_EXACT = 150_000
"""Documents up to which the nearest of each are found exactly; of more, most of them are."""

N_NEIGHBORS = 15
"""Of each document, in the graph; the root of their number where they are few, or all would be linked."""

SAMPLE = 100
"""Documents of a group from which it is seen how typical each is."""

GRANULARITIES = (1, 2, 3, 4)
"""Levels of the hierarchy of groups, coarsest first."""


def group_documents(
    distance: Distance, documents: Representation, granularity: int, min_size: int, run: Run
) -> NDArray[np.intp]:
    """Return the group of each document at one level, -1 for those in a group smaller than ``min_size``."""
    n = len(documents)
    k = min(N_NEIGHBORS, max(3, math.isqrt(n)), n - 1)
    if n > MAX_EXACT:
        graph = nearby(distance, documents, k, run)
    else:
        graph = search(distance, documents, documents, k, run, own=np.arange(n))
    groups = find_communities(graph)[granularity - 1]
    sizes = np.bincount(groups[groups >= 0], minlength=1)
    return np.where((groups >= 0) & (sizes[groups] >= min_size), groups, -1)


def default_min_size(n: int) -> int:
    """Return how many documents a group must have to be shown, which grows with the collection.

    Examples
    --------
    >>> [default_min_size(n) for n in (20, 200, 20_000, 1_000_000)]
    [3, 4, 35, 250]
    """
    return max(3, round(n**0.5 / 4))


def sort_by_typicality(
    distance: Distance, documents: Representation, members: NDArray[np.intp], run: Run
) -> NDArray[np.intp]:
    """Sort the documents of a group, those first that are nearest to the others, or to a sample of them."""
    some = np.random.default_rng(0).permutation(members)[:SAMPLE] if len(members) > SAMPLE else members
    far = distance.between(documents.take(members), documents.take(np.sort(some)), run).mean(axis=1)
    return members[np.argsort(far, kind="stable")]
