"""What the backends are asked: transport between distributions, topics to learn, documents to read."""

from hott.ground.distributions import Distributions
from hott.ground.order import Order, Power
from hott.ground.problem import Ground, Problem, Problems
from hott.ground.topics import CountRows, FoldIn, Sampling

__all__ = [
    "CountRows",
    "Distributions",
    "FoldIn",
    "Ground",
    "Order",
    "Power",
    "Problem",
    "Problems",
    "Sampling",
]
