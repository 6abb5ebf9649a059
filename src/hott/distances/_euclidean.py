"""Euclidean distances by matrix products, exact for points that are nearly or quite the same."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.extmath import row_norms

_PAIRS_AT_ONCE = 4096  # keeps the differences of listed pairs within some megabytes


def squared_distances(R: Any, S: Any, longest: float | None = None) -> NDArray[np.float64]:
    """Squared distances between all rows of ``R`` and all rows of ``S``, sparse or dense.

    ``longest`` is a squared length that no row exceeds, where that is known.
    """
    r, s = squared_lengths(R), squared_lengths(S)
    if sparse.issparse(R):
        squares = (R @ S.T).toarray()
        squares *= -2
        squares += r[:, None]
        squares += s
    else:
        # |r|^2 - 2 <r, s> + |s|^2 as one product: passes over a large result would cost as much again.
        left = np.column_stack([-2 * R, r, np.ones_like(r)])
        squares = left @ np.column_stack([S, np.ones_like(s), s]).T
    # The difference of two nearly equal numbers is mostly rounding error, and equal rows would not be at
    # distance 0: take those pairs directly.
    doubtful = np.flatnonzero(
        squares <= 1e-6 * (r + (s.max(initial=0.0) if longest is None else longest))[:, None]
    )
    near = np.divmod(doubtful, len(s)) if len(s) else (doubtful, doubtful)
    squares[near] = of_pairs(squared_lengths, R, S, *near)
    return squares


def squared_lengths(X: Any) -> NDArray[np.float64]:
    """Squared length of each row."""
    return row_norms(X, squared=True)


def of_pairs(
    value: Callable[[Any], NDArray[np.float64]],
    R: Any,
    S: Any,
    rows: NDArray[np.intp],
    cols: NDArray[np.intp],
) -> NDArray[np.float64]:
    """``value`` of the differences of listed pairs, ``R[rows[i]] - S[cols[i]]``, some at a time."""
    values = np.empty(len(rows))
    for start in range(0, len(rows), _PAIRS_AT_ONCE):
        chunk = slice(start, start + _PAIRS_AT_ONCE)
        values[chunk] = value(R[rows[chunk]] - S[cols[chunk]])
    return values
