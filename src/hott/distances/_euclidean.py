"""Euclidean distances by matrix products, the same to the bit on every machine and in blocks of any shape.

Linear algebra libraries sum in an order that depends on the processor, on threads and on the shape of a
product. Here no order matters: points are cut into parts whose products are summed without rounding.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.distances.representation import Positions

_ENTRIES_AT_ONCE = 1 << 20  # numbers of points that are cut into parts, or of pairs that are copied, together
_HIGH_BITS = 26  # of a coordinate: two of 26 bits have a product of 52
_NEAR = 1e-6  # squared distances up to this share of the squared lengths are computed from differences


def squared_distances(R: Any, S: Any) -> NDArray[np.float64]:
    """Compute squared distances between all rows of ``R`` and all rows of ``S``, sparse or dense."""
    r, s = squared_lengths(R), squared_lengths(S)
    if sparse.issparse(R):
        products = (R @ S.T).toarray()
    else:
        products, points = np.empty((len(R), len(S))), Points(R)
        step = max(1, _ENTRIES_AT_ONCE // max(1, S.shape[1]))
        for start in range(0, len(S), step):
            products[:, start : start + step] = points.products(Points(S[start : start + step]))
    return _expand(products, R, S, r[:, None] + s)


def squared_distances_of_pairs(R: Any, S: Any, rows: Positions, cols: Positions) -> NDArray[np.float64]:
    """Compute squared distances of listed pairs, the same as :func:`squared_distances` has for them."""

    def squares(P: Any, Q: Any) -> NDArray[np.float64]:
        lengths = squared_lengths(P) + squared_lengths(Q)
        if sparse.issparse(P):
            products = P.multiply(Q).tocsr() @ np.ones(P.shape[1])  # one word after the other, as in R @ S.T
        else:
            products = Points(P).paired_products(Points(Q))
        found = lengths - 2 * products
        near = np.flatnonzero(found <= _NEAR * lengths)
        found[near] = squared_lengths(P[near] - Q[near])
        return found

    return of_pairs(squares, R, S, rows, cols)


class Points:
    """Dense points, laid out for products that no order of summation rounds.

    A point, scaled by a power of two to a length of at most 1, is the sum of a high part, a multiple of
    2^-26, and a low one, a multiple of 2^-48 or so. Products of two high parts are then multiples of 2^-52,
    and their sums are at most 1 (Cauchy and Schwarz): they fit in 53 bits. So do those of high with low
    parts, which are as much smaller as they are finer. Products of two low parts, below 1e-14 in all, are
    left out.
    """

    def __init__(self, rows: NDArray[np.float64]) -> None:
        self.rows, self.lengths = rows, squared_lengths(rows)

    @cached_property
    def _parts(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """High and low parts, each in the scale of its row."""
        low_bits = 52 - int(np.ceil(np.log2(max(self.rows.shape[1], 1)) / 2))
        exponents = np.frexp(np.sqrt(self.lengths))[1][:, None]  # the length is below 2^exponent
        scaled = np.ldexp(self.rows, _HIGH_BITS - exponents)
        high = np.rint(scaled)
        low = np.rint(np.ldexp(scaled - high, low_bits - _HIGH_BITS))
        return np.ldexp(high, exponents - _HIGH_BITS), np.ldexp(low, exponents - low_bits)

    @cached_property
    def _left(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self._parts[0], np.hstack(self._parts)

    @cached_property
    def _right(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self._parts[0], np.hstack(self._parts[::-1])

    def products(self, others: "Points") -> NDArray[np.float64]:
        """Compute the inner products of all points with all ``others``."""
        (high, both), (other_high, other_both) = self._left, others._right
        products = high @ other_high.T
        products += both @ other_both.T
        return products

    def paired_products(self, others: "Points") -> NDArray[np.float64]:
        """Compute the inner product of each point with that in the same row of ``others``."""
        (high, both), (other_high, other_both) = self._left, others._right
        return np.einsum("ij,ij->i", high, other_high) + np.einsum("ij,ij->i", both, other_both)

    def squared_distances(self, others: "Points") -> NDArray[np.float64]:
        """Compute squared distances to all ``others``."""
        lengths = self.lengths[:, None] + others.lengths
        return _expand(self.products(others), self.rows, others.rows, lengths)


def _expand(
    products: NDArray[np.float64], R: Any, S: Any, lengths: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Turn products into squared distances, in place; ``lengths`` are the sums of two squared lengths.

    Those far below the lengths are computed anew from the differences: as what is left of two nearly equal
    numbers they are mostly rounding error, and equal rows would not be at distance 0.
    """
    products *= -2
    products += lengths
    lengths *= _NEAR
    near = np.nonzero(products <= lengths)
    products[near] = of_pairs(lambda P, Q: squared_lengths(P - Q), R, S, *near)
    return products


def squared_lengths(X: Any) -> NDArray[np.float64]:
    """Compute the squared length of each row."""
    if sparse.issparse(X):
        rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        return np.bincount(rows, X.data * X.data, X.shape[0]).astype(np.float64, copy=False)
    return np.einsum("ij,ij->i", X, X)


def of_pairs(
    value: Callable[[Any, Any], NDArray[np.float64]], R: Any, S: Any, rows: Positions, cols: Positions
) -> NDArray[np.float64]:
    """Compute ``value`` of the listed pairs of rows of ``R`` and ``S``, some megabytes of them at a time."""
    p, q = (
        np.diff(X.indptr)[at] if sparse.issparse(X) else np.full(len(at), X.shape[1])
        for X, at in ((R, rows), (S, cols))
    )
    n_entries = np.cumsum(p + q, dtype=np.int64)
    starts = np.flatnonzero(np.diff(n_entries // _ENTRIES_AT_ONCE, prepend=-1)).tolist()
    values = np.empty(len(rows))
    for chunk in map(slice, starts, [*starts[1:], len(rows)]):  # a pair of very long documents is one alone
        values[chunk] = value(R[rows[chunk]], S[cols[chunk]])
    return values
