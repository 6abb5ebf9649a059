"""Blocks of work in this process; tests/blocks/scale runs them on a cluster."""

import pytest

from hott.blocks import run_blocks
from hott.utils.run import Run


def add(common, item, run):
    assert run.progress is False
    return common + item, run.threads


def test_items_are_taken_one_at_a_time_and_come_back_with_their_results():
    taken = []

    def items():
        for item in range(3):
            taken.append(item)
            yield item

    results = run_blocks(add, 10, items(), Run(threads=2, progress=True))
    assert next(results) == (0, (10, 2))
    assert taken == [0]
    assert list(results) == [(1, (11, 2)), (2, (12, 2))]


def test_errors_come_through():
    def fail(common, item, run):
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        list(run_blocks(fail, None, [1], Run()))
