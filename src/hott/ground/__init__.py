"""What transport is computed on: distributions over sites, the cost between sites, problems made of both."""

from hott.ground.distributions import Distributions
from hott.ground.order import Order, Power
from hott.ground.problem import Ground, Problem, Problems

__all__ = ["Distributions", "Ground", "Order", "Power", "Problem", "Problems"]
