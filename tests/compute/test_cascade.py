"""The cascade finds what solving every pair finds, and solves no pair that a bound rules out."""

from dataclasses import dataclass, field

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hott.compute import cascade
from hott.compute.cascade import Nearest, Solved


@dataclass
class Plain:
    """The steps as one writes them for one query after the other."""

    values: np.ndarray
    bounds: np.ndarray
    solved: set = field(default_factory=set)

    def smallest(self, k):
        pairs = [(i, j) for i, row in enumerate(self.bounds) for j in np.argsort(row, kind="stable")[: 2 * k]]
        return tuple(map(np.array, zip(*pairs)))

    def solve(self, rows, cols):
        new = set(zip(rows.tolist(), cols.tolist()))
        assert not new & self.solved
        self.solved |= new
        return Solved(rows, cols, self.values[rows, cols])

    def kth(self, solved, k):
        return np.array([np.sort(solved.values[solved.rows == i])[k - 1] for i in range(len(self.bounds))])

    def not_above(self, thresholds, solved):
        left = self.bounds <= thresholds[:, None]
        left[solved.rows, solved.cols] = False
        return np.nonzero(left)

    def nearest(self, solved, more, k):
        rows, cols, values = (np.concatenate(pair) for pair in zip(solved, more))
        indices = []
        for i in range(len(self.bounds)):
            mine = rows == i
            indices.append(cols[mine][np.lexsort((cols[mine], values[mine]))][:k])
        indices = np.array(indices)
        return Nearest(indices, np.take_along_axis(self.values, indices, 1), len(values))


@st.composite
def problems(draw):
    """Values with many ties, and bounds somewhere below them."""
    shape = draw(st.integers(1, 4)), draw(st.integers(1, 12))
    small = arrays(np.float64, shape, elements=st.integers(0, 5))
    values = draw(small)
    return values, np.maximum(values - draw(small), 0), draw(st.integers(1, shape[1]))


@given(problems())
def test_finds_what_solving_every_pair_finds(problem):
    values, bounds, k = problem
    block = Plain(values, bounds)
    found = cascade.nearest(block, k)
    order = np.argsort(values, axis=1, kind="stable")[:, :k]
    assert found.indices.tolist() == order.tolist()
    assert found.distances.tolist() == np.take_along_axis(values, order, 1).tolist()
    first = {(i, j) for i, row in enumerate(bounds) for j in np.argsort(row, kind="stable")[: 2 * k].tolist()}
    worst = [max(sorted(values[i, j] for a, j in first if a == i)[:k]) for i in range(len(values))]
    assert found.computed == len(block.solved)
    assert block.solved == first | {
        tuple(map(int, p)) for p in np.argwhere(bounds <= np.array(worst)[:, None])
    }
