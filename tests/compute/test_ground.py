"""What the backends are asked, by examples that can be worked by hand."""

import numpy as np

from hott.compute.ground import Distributions, Ground, Order, site_type


def test_masses_are_rounded_to_units_that_sum_to_one():
    rounded = Distributions.of([[0.2, 0.3, 0.5]]).compact()
    assert (65536 * rounded.csr.toarray()).tolist() == [[13107.0, 19661.0, 32768.0]]
    assert rounded.sites.dtype == np.uint8


def test_sites_are_numbered_in_as_few_bytes_as_will_do():
    kinds = [site_type(n).__name__ for n in (256, 257, 65_536, 65_537)]
    assert kinds == ["uint8", "uint16", "uint16", "int32"]


def test_the_order_squares_costs_and_takes_the_root():
    assert Order(2).costs(np.array([3.0])) == Order(2).root(np.array([81.0])) == 9
    assert Order(1).is_metric
    assert not Order(2).is_metric
    ground = Ground(np.array([[0.0, 3.0], [3.0, 0.0]]), Order(2))
    assert ground.cost[0].tolist() == [0, 9]
    assert not ground.keeps_common
