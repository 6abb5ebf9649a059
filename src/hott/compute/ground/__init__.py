"""What the backends are asked: transport between distributions, topics to learn, documents to read."""

from hott.compute.ground.distributions import UNITS, Arrays, Distributions, site_type
from hott.compute.ground.order import Order, Power
from hott.compute.ground.problem import Ground, Problem, Problems
from hott.compute.ground.topics import CountRows, FoldIn, Sampling

__all__ = [
    "UNITS",
    "Arrays",
    "CountRows",
    "Distributions",
    "FoldIn",
    "Ground",
    "Order",
    "Power",
    "Problem",
    "Problems",
    "Sampling",
    "site_type",
]
