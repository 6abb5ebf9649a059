"""Exact optimal transport: one problem with its plan and proof, or millions of distances a second."""

from hott.compute.ground import Distributions
from hott.transport.batch import landmark_bound, lower_bound, pairs, pairwise
from hott.transport.single import NotOptimalError, Transport, solve

__all__ = [
    "Distributions",
    "NotOptimalError",
    "Transport",
    "landmark_bound",
    "lower_bound",
    "pairs",
    "pairwise",
    "solve",
]
