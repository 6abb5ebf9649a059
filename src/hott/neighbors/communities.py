"""Communities of a neighbour graph: documents that are linked more often than by chance, coarse to fine."""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.neighbors.results import NeighborResult

RESOLUTIONS = (4.0, 2.0, 1.0, 0.5)
"""Resolution of modularity at each level, finest first: more is more and smaller groups."""

N_ORDERS = 8  # of the nodes, in which groups are looked for
_MANY_LINKS = 5_000_000  # of more than some 250,000 documents, groups are looked for once


def find_communities(neighbors: NeighborResult) -> tuple[NDArray[np.intp], ...]:
    """Divide the documents of a neighbour graph into nested groups, the coarsest division first.

    Louvain's method (Blondel et al., "Fast unfolding of communities in large networks", 2008) on the graph of
    who is among whose nearest; a link counts twice if both are. It is tried with the documents in several
    orders, and the division of the highest modularity is kept. Each coarser level joins groups of the finer
    one, so that every group lies in exactly one group of the level above it.

    Groups are numbered from the largest; -1 stands for a document without neighbours, and for no neighbour.
    The same graph gives the same groups.

    >>> indices = np.array([[1, 2], [0, 2], [0, 1], [4, 5], [3, 5], [3, 4]])
    >>> graph = NeighborResult(indices, np.ones((6, 2)), computed=0, pruned=0)
    >>> find_communities(graph)[0].tolist()
    [0, 0, 0, 1, 1, 1]
    """
    graph = _link(neighbors.indices)
    isolated = np.diff(graph.indptr) == 0
    groups = np.arange(graph.shape[0])
    levels = []
    for resolution in RESOLUTIONS:
        groups = _divide(_join(graph, groups), resolution)[groups]
        levels.append(_number_by_size(groups, isolated))
    return tuple(reversed(levels))


def _link(indices: NDArray[np.intp]) -> sparse.csr_matrix:
    """Count in how many directions each two documents are neighbours."""
    n, k = indices.shape
    rows, columns = np.repeat(np.arange(n), k), indices.ravel()
    real = (columns >= 0) & (columns != rows)
    directed = sparse.csr_array((np.ones(real.sum()), (rows[real], columns[real])), shape=(n, n))
    return sparse.csr_matrix(directed + directed.T)


def _join(graph: sparse.csr_matrix, groups: NDArray[np.intp]) -> sparse.csr_matrix:
    """Return the graph whose nodes are groups and whose weights are the links between their members."""
    member = sparse.csr_array((np.ones(len(groups)), (np.arange(len(groups)), groups)))
    return sparse.csr_matrix(member.T @ graph @ member)


def _divide(graph: sparse.csr_matrix, resolution: float) -> NDArray[np.intp]:
    """Divide a graph by Louvain's method; what it finds depends on the order of the nodes."""
    from sknetwork.clustering import Louvain, get_modularity

    if not graph.nnz:
        return np.arange(graph.shape[0])
    best, found = -np.inf, np.empty(0, np.intp)
    for seed in range(N_ORDERS if graph.nnz < _MANY_LINKS else 1):
        groups = Louvain(resolution, shuffle_nodes=seed > 0, random_state=seed).fit_predict(graph)
        modularity = round(get_modularity(graph, groups, resolution=resolution), 9)
        if modularity > best:
            best, found = modularity, np.asarray(groups, np.intp)
    return found


def _number_by_size(groups: NDArray[np.intp], isolated: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Give groups numbers, the largest first, equal ones by first document; isolated documents get -1."""
    numbered = np.full(len(groups), -1, np.intp)
    linked = np.flatnonzero(~isolated)
    if len(linked):
        _, first, own, sizes = np.unique(
            groups[linked], return_index=True, return_inverse=True, return_counts=True
        )
        order = np.lexsort((first, -sizes))
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        numbered[linked] = rank[own]
    return numbered
