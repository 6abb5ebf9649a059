"""Groups of near documents: HDBSCAN over all distances, or over those of near ones where they are many."""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from hott.distances.base import Distance
from hott.distances.representation import Representation
from hott.neighbors import NeighborResult, search
from hott.run import Run

ALL_PAIRS, MOST = 10_000, 150_000
"""Documents up to which all distances are looked at, and up to which those of the nearest are."""

NEIGHBORS = 15
"""Of each document, beyond that: groups that none of them joins are far from each other."""

SAMPLE = 100
"""Documents of a group from which it is seen how typical each is."""


def labels(distance: Distance, documents: Representation, min_size: int, run: Run) -> NDArray[np.intp]:
    """The group of each document, -1 for none."""
    n = len(documents)
    if n > MOST:
        raise ValueError(
            f"the index has {n:,} documents, and {MOST:,} can be clustered at most. Cluster a part of them: "
            "index.with_documents(some).clusters()."
        )
    if n <= ALL_PAIRS:
        return _labels(distance.between(documents, None, run), min_size)
    return _labels(linked(search(distance, documents, documents, NEIGHBORS, run, own=np.arange(n))), min_size)


def _labels(distances: NDArray[np.float64] | sparse.csr_array, min_size: int) -> NDArray[np.intp]:
    from sklearn.cluster import HDBSCAN

    # Distances as they are: smoothed by those to more neighbours, as is usual, groups run into one another.
    return HDBSCAN(min_size, min_samples=1, metric="precomputed", copy=True).fit(distances).labels_


def linked(found: NeighborResult) -> sparse.csr_array:
    """Distances of near documents, both ways; parts that nothing joins are farther apart than all else."""
    n, k = found.indices.shape
    largest = float(found.distances.max(initial=0.0)) or 1.0
    near = np.maximum(found.distances, 1e-12 * largest)  # a distance of 0 would be none
    graph = sparse.csr_array((near.ravel(), found.indices.ravel(), np.arange(n + 1) * k), shape=(n, n))
    graph = graph.maximum(graph.T).tocsr()
    n_parts, part = connected_components(graph, directed=False)
    first = np.unique(part, return_index=True)[1]
    far = sparse.csr_array((np.full(n_parts - 1, 2 * largest), (first[:-1], first[1:])), shape=(n, n))
    return (graph + far + far.T).tocsr()


def by_typicality(
    distance: Distance, documents: Representation, members: NDArray[np.intp], run: Run
) -> NDArray[np.intp]:
    """The documents of a group, those first that are nearest to the others, or to a sample of them."""
    some = np.random.default_rng(0).permutation(members)[:SAMPLE] if len(members) > SAMPLE else members
    far = distance.between(documents.take(members), documents.take(np.sort(some)), run).mean(axis=1)
    return members[np.argsort(far, kind="stable")]
