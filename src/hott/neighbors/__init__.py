"""Exact nearest neighbours under any document distance, with most pairs ruled out by lower bounds.

For a block of queries the bounds to all documents come first, then the steps of :mod:`hott.cascade`.
"""

from hott.neighbors.bounded import Offset
from hott.neighbors.estimator import Neighbors
from hott.neighbors.results import NeighborResult, RadiusResult, as_graph, check_k
from hott.neighbors.searching import search, within

__all__ = ["NeighborResult", "Neighbors", "Offset", "RadiusResult", "as_graph", "check_k", "search", "within"]
