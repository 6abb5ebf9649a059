"""Rows of masses, checked once and ready for many computations."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott._arrays import in_memory
from hott.checks import (
    MASS_TOLERANCE,
    check_csr,
    check_finite_mass,
    check_finite_non_negative,
    check_real,
    check_same_mass,
)


@dataclass(frozen=True, slots=True, eq=False)
class Distributions:
    """Distributions over common sites, in the form the compiled core reads.

    The functions of :mod:`hott.transport` take such an object wherever they take a matrix, and then check
    nothing again: worth it for a large collection that is searched many times.

    Examples
    --------
    >>> rows = Distributions.of([[2.0, 0.0, 2.0], [0.0, 4.0, 0.0]])
    >>> rows.shape, rows.mass
    ((2, 3), 4.0)
    >>> rows[1:].csr.toarray()
    array([[0., 1., 0.]])
    """

    starts: NDArray[np.int64]  # row i is at starts[i] : starts[i + 1]; the first start need not be 0
    sites: NDArray[np.int32]  # ascending in each row
    masses: NDArray[np.float64]  # positive, each row sums to 1
    n_sites: int
    mass: float = 1.0  # what each row carried before it was scaled to 1

    @classmethod
    def of(cls, X: Any, name: str = "X") -> Self:
        """Check the rows of a dense or sparse matrix: non-negative, finite, of equal sums, none empty."""
        if isinstance(X, cls):
            return X
        X = in_memory(X)
        rows = sparse.csr_array(X if sparse.issparse(X) else np.atleast_2d(check_real(X, name)))
        if rows.dtype.kind not in "biuf":
            raise ValueError(f"{name} must hold real numbers, not {rows.dtype}.")
        if rows.shape[0] == 0:
            raise ValueError(f"{name} has no rows.")
        check_csr(rows, name)
        check_finite_non_negative(rows.data, name)
        if not rows.has_canonical_format or (rows.nnz and rows.data.min() == 0):
            rows = rows.copy()  # the caller's matrix stays as it is
            rows.sum_duplicates()
            rows.eliminate_zeros()
        masses = rows.data.astype(np.float64, copy=False)
        with np.errstate(over="ignore"):
            totals = np.asarray(
                sparse.csr_array((masses, rows.indices, rows.indptr), shape=rows.shape).sum(axis=1)
            )
        check_finite_mass(float(totals.max()), f"row {int(totals.argmax())} of {name}")
        empty = np.flatnonzero(totals == 0)
        if empty.size:
            raise ValueError(
                f"{name} has {empty.size} empty rows (first: row {empty[0]}): a distribution needs mass. "
                "Remove them first."
            )
        # Rows that sum to 1 but for rounding carry exactly 1, so that a value does not depend on its company.
        mass = 1.0 if abs(totals[0] - 1) <= MASS_TOLERANCE else float(totals[0])
        worst = int(np.argmax(np.abs(totals - mass)))
        check_same_mass(mass, float(totals[worst]), (f"row 0 of {name}", f"row {worst} of {name}"))
        starts = rows.indptr.astype(np.int64, copy=False)
        masses = masses / np.repeat(totals, np.diff(starts))
        return cls(starts, rows.indices.astype(np.int32, copy=False), masses, rows.shape[1], mass)

    @classmethod
    def concat(cls, parts: "Sequence[Distributions]") -> Self:
        """The rows of all parts, one after the other."""
        spans = [slice(int(part.starts[0]), int(part.starts[-1])) for part in parts]
        ends = np.cumsum([0, *(span.stop - span.start for span in spans)])
        starts = [part.starts[:-1] - span.start + end for part, span, end in zip(parts, spans, ends)]
        return cls(
            np.concatenate([*starts, ends[-1:]]),
            np.concatenate([part.sites[span] for part, span in zip(parts, spans)]),
            np.concatenate([part.masses[span] for part, span in zip(parts, spans)]),
            parts[0].n_sites,
            parts[0].mass,
        )

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """The rows as the compiled core takes them."""
        return self.starts, self.sites, self.masses

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.n_sites

    @property
    def csr(self) -> sparse.csr_array:
        """The rows, each of sum 1, as a sparse matrix."""
        first, last = self.starts[0], self.starts[-1]
        starts = self.starts - first
        if last - first <= np.iinfo(np.int32).max:  # SciPy takes the larger of two types, also for the sites
            starts = starts.astype(np.int32)
        return sparse.csr_array((self.masses[first:last], self.sites[first:last], starts), shape=self.shape)

    def __getitem__(self, rows: Any) -> Self:
        """Some of the rows: a slice shares memory, a list of row numbers is copied."""
        if isinstance(rows, slice) and rows.step in (None, 1):
            start, stop, _ = rows.indices(len(self))
            starts, sites, masses = self.starts[start : max(stop, start) + 1], self.sites, self.masses
        else:
            numbers = np.asarray(rows)
            if numbers.dtype.kind not in "iu":  # a mask, or a slice with steps
                numbers = np.arange(len(self))[rows]
            first, last = self.starts[:-1][numbers], self.starts[1:][numbers]
            starts = np.concatenate([[0], np.cumsum(last - first)])
            places = np.repeat(first - starts[:-1], last - first) + np.arange(starts[-1])
            sites, masses = self.sites[places], self.masses[places]
        return type(self)(starts, sites.astype(np.int32, copy=False), masses, self.n_sites, self.mass)
