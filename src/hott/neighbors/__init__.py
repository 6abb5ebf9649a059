"""Exact nearest neighbours under any document distance, with most pairs ruled out by lower bounds.

For a block of queries the bounds to all documents come first, then the steps of :mod:`hott.compute.cascade`.
"""

from hott.neighbors.bounded import Offset as Offset
from hott.neighbors.communities import find_communities as find_communities
from hott.neighbors.estimator import GraphMode as GraphMode
from hott.neighbors.estimator import Neighbors
from hott.neighbors.gathered import nearby as nearby
from hott.neighbors.results import NeighborResult, RadiusResult
from hott.neighbors.results import as_graph as as_graph
from hott.neighbors.results import check_k as check_k
from hott.neighbors.searching import search as search
from hott.neighbors.searching import within as within

__all__ = ["NeighborResult", "Neighbors", "RadiusResult"]
