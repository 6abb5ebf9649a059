"""Euclidean distances by matrix products, exact for points that are nearly or quite the same."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.extmath import row_norms

_PAIRS_AT_ONCE = 4096  # keeps the differences of listed pairs within some megabytes


def squared_distances(R: Any, S: Any) -> NDArray[np.float64]:
    """Squared distances between all rows of ``R`` and all rows of ``S``, sparse or dense."""
    r, s = squared_lengths(R), squared_lengths(S)
    if sparse.issparse(R):
        squares = (R @ S.T).toarray()
        squares *= -2
        squares += r[:, None]
        squares += s
    else:
        squares = Points(R).left @ Points(S).right.T
    return _mend(squares, R, S, 1e-6 * (r + s.max(initial=0.0)))


class Points:
    """Dense points, laid out for many products: |r|^2 - 2 <r, s> + |s|^2 is then one product of two matrices.

    Passes over a large result would cost as much again.
    """

    def __init__(self, rows: NDArray[np.float64]) -> None:
        self.rows, self.lengths = rows, squared_lengths(rows)

    @cached_property
    def left(self) -> NDArray[np.float64]:
        return np.column_stack([-2 * self.rows, self.lengths, np.ones_like(self.lengths)])

    @cached_property
    def right(self) -> NDArray[np.float64]:
        return np.column_stack([self.rows, np.ones_like(self.lengths), self.lengths])

    def squared_distances(self, others: "Points", longest: float) -> NDArray[np.float64]:
        """Squared distances to ``others``, all of which have a squared length of at most ``longest``."""
        limits = 1e-6 * (self.lengths + longest)
        return _mend(self.left @ others.right.T, self.rows, others.rows, limits)


def _mend(squares: NDArray[np.float64], R: Any, S: Any, limits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute anew, from the differences, the squared distances not above their row's limit.

    As the difference of two nearly equal numbers they are mostly rounding error, and equal rows would not be
    at distance 0.
    """
    doubtful = np.flatnonzero(squares <= limits[:, None])
    near = np.divmod(doubtful, max(squares.shape[1], 1))
    squares[near] = of_pairs(squared_lengths, R, S, *near)
    return squares


def squared_lengths(X: Any) -> NDArray[np.float64]:
    """Squared length of each row."""
    return row_norms(X, squared=True)


def of_pairs(
    value: Callable[[Any], NDArray[np.float64]],
    R: Any,
    S: Any,
    rows: NDArray[np.integer],
    cols: NDArray[np.integer],
) -> NDArray[np.float64]:
    """``value`` of the differences of listed pairs, ``R[rows[i]] - S[cols[i]]``, some at a time."""
    values = np.empty(len(rows))
    for start in range(0, len(rows), _PAIRS_AT_ONCE):
        chunk = slice(start, start + _PAIRS_AT_ONCE)
        values[chunk] = value(R[rows[chunk]] - S[cols[chunk]])
    return values
