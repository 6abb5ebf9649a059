"""What the backends are asked: transport between distributions, topics to learn, documents to read."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott import _core
from hott.utils.arrays import in_memory
from hott.utils.checks import (
    MASS_TOLERANCE,
    check_choice,
    check_csr,
    check_finite_mass,
    check_finite_non_negative,
    check_real,
    check_same_mass,
)

Arrays: TypeAlias = tuple[NDArray[np.int64], NDArray[Any], NDArray[Any]]
"""Starts, sites (int32) and masses (float64) of rows, as the compiled core takes them."""

UNITS = 1 << 16
"""What a row of the compact form sums to: masses are whole numbers of these."""


@dataclass(frozen=True, eq=False)
class Distributions:
    """Distributions over common sites, in the form the compiled core reads.

    The functions of :mod:`hott.transport` take such an object wherever they take a matrix, and then check
    nothing again: worth it for a large collection that is searched many times. :meth:`of` makes one.

    Attributes
    ----------
    starts : array
        Row i is at ``starts[i] : starts[i + 1]``; the first start need not be 0.
    sites : array
        Ascending in each row; int32, or as few bytes as will do where compact.
    masses : array
        Positive, each row sums to 1; where compact, whole numbers of 2^-16, less one.
    n_sites : int
    mass : float
        What each row carried before it was scaled to 1.

    Examples
    --------
    >>> rows = Distributions.of([[2.0, 0.0, 2.0], [0.0, 4.0, 0.0]])
    >>> rows.shape, rows.mass
    ((2, 3), 4.0)
    >>> rows[1:].csr.toarray()
    array([[0., 1., 0.]])
    """

    starts: NDArray[np.int64]
    sites: NDArray[Any]
    masses: NDArray[Any]
    n_sites: int
    mass: float = 1.0

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
    def from_proportions(cls, proportions: NDArray[np.float64]) -> Self:
        """Take the positive entries of rows that we computed ourselves: of sum 1 but for rounding."""
        rows, sites = np.nonzero(proportions)
        masses = proportions[rows, sites]
        starts = np.searchsorted(rows, np.arange(len(proportions) + 1))
        if len(masses):
            masses /= np.add.reduceat(masses, starts[:-1])[rows]
        return cls(starts, sites.astype(np.int32), masses, proportions.shape[1])

    @classmethod
    def concat(cls, parts: "Sequence[Distributions]") -> Self:
        """Join the rows of all parts, one after the other, in the form of the first."""
        as_first = cls.compact if parts[0].is_compact else cls.unpack
        parts = [as_first(part) for part in parts]
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
    def is_compact(self) -> bool:
        """Whether masses are whole numbers of :data:`UNITS`, three bytes an entry for up to 256 sites."""
        return self.masses.dtype == np.uint16

    def compact(self) -> Self:
        """Return the same rows in a quarter of the memory, their masses rounded to 16 bits.

        Rows still sum to exactly 1. Of a row of k sites at most k / 4 units move, so that a distance changes
        by at most k / 2 ** 18 of the largest cost for either row. A mass that rounds to nothing is left out.
        Rows that were rounded stay as they are.
        """
        if self.is_compact:
            return self
        first, last = self.starts[0], self.starts[-1]
        starts, sites, masses = self.starts - first, self.sites[first:last], self.masses[first:last]
        whole = np.floor(masses * UNITS)
        rest, row = masses * UNITS - whole, np.repeat(np.arange(len(self)), np.diff(starts))
        missing = UNITS - np.bincount(row, whole, len(self))
        # What is missing goes, unit by unit, to the masses that lost most; of equals to the first.
        order = np.lexsort((-rest, row))
        whole[order] += np.arange(len(row)) - starts[row] < missing[row]
        kept = whole > 0
        ends = np.concatenate([[0], np.cumsum(kept)])[starts]
        units = (whole[kept] - 1).astype(np.uint16)
        smallest = sites[kept].astype(site_type(self.n_sites))
        return type(self)(ends, smallest, units, self.n_sites, self.mass)

    @cached_property
    def sketch(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """The heaviest sites of compact rows and their masses, a byte each, as a coarse bound reads them."""
        blocks = -(-len(self) // _core.SKETCH_BLOCK)
        sites, masses = np.empty((2, blocks, _core.SKETCH_BLOCK * _core.SKETCH_SLOTS), np.uint8)
        _core.sketch((self.starts, self.sites, self.masses), 1, sites, masses)
        return sites, masses

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "sketch"}  # soon made again

    def unpack(self) -> Self:
        """Return the rows with their masses in double precision."""
        return type(self)(*self.arrays, self.n_sites, self.mass) if self.is_compact else self

    @property
    def arrays(self) -> Arrays:
        """The rows as the compiled core takes them."""
        if not self.is_compact:
            return self.starts, self.sites, self.masses
        first, last = self.starts[0], self.starts[-1]
        masses = (self.masses[first:last] + 1.0) / UNITS
        return self.starts - first, self.sites[first:last].astype(np.int32), masses

    def only(
        self, rows: NDArray[np.integer], used: NDArray[np.integer], places: NDArray[np.integer]
    ) -> tuple[Arrays, NDArray[np.int64]]:
        """Return arrays that have at least some of the rows, ``used[places]``, and their places in them.

        What is compact is unpacked only as far as it is needed.
        """
        if not self.is_compact or 4 * len(used) > len(self):
            return self.arrays, rows.astype(np.int64, copy=False)
        return self[used].arrays, places.astype(np.int64, copy=False)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.n_sites

    @property
    def csr(self) -> sparse.csr_array:
        """The rows, each of sum 1, as a sparse matrix."""
        starts, sites, masses = self.arrays
        first, last = starts[0], starts[-1]
        starts = starts - first
        if last - first <= np.iinfo(np.int32).max:  # SciPy takes the larger of two types, also for the sites
            starts = starts.astype(np.int32)
        return sparse.csr_array((masses[first:last], sites[first:last], starts), shape=self.shape)

    def __getitem__(self, rows: Any) -> Self:
        """Return some of the rows; a slice shares their memory, a list of row numbers copies them."""
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
        return type(self)(starts, sites, masses, self.n_sites, self.mass)


def site_type(n_sites: int) -> type[np.integer]:
    """Return the smallest integer type that can number this many sites."""
    kinds: tuple[type[np.integer], ...] = np.uint8, np.uint16, np.int32
    return next(kind for kind in kinds if n_sites <= np.iinfo(kind).max + 1)


Power: TypeAlias = Literal[1, 2]


@dataclass(frozen=True, slots=True)
class Order:
    """W_p: distances between sites are raised to the power ``p``, and the root is taken of the least cost."""

    p: Power = 1

    def __post_init__(self) -> None:
        check_choice(self.p, "p", (1, 2))

    @property
    def is_metric(self) -> bool:
        """Whether costs made of distances obey the triangle inequality, as squares do not."""
        return self.p == 1

    def costs(self, distances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the cost of moving one unit over each of these distances."""
        return distances if self.p == 1 else distances**2

    def root(self, costs: NDArray) -> NDArray:
        """Distances from least costs, in place: arrays of NumPy or CuPy."""
        if self.p == 2:
            costs **= 0.5
        return costs


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """The sites that mass moves between: how far apart they are, the order p, and if that is a metric."""

    distances: NDArray[np.float64]  # sites x sites
    order: Order = Order(1)
    is_metric: bool = True  # the distances obey the triangle inequality and are zero on the diagonal
    cost: NDArray[np.float64] = field(init=False)  # of moving one unit from one site to another
    keeps_common: bool = field(init=False)  # mass that two distributions have in common may stay where it is

    def __post_init__(self) -> None:
        object.__setattr__(self, "cost", self.order.costs(self.distances))
        object.__setattr__(self, "keeps_common", self.is_metric and self.order.is_metric)

    @property
    def is_symmetric(self) -> bool:
        return np.array_equal(self.distances, self.distances.T)


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Distances between the rows of ``P`` and those of ``Q`` (of ``P``, without it) over one ground."""

    P: Distributions
    Q: Distributions | None
    ground: Ground

    @property
    def others(self) -> Distributions:
        return self.P if self.Q is None else self.Q

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.P), len(self.others)

    @property
    def is_symmetric(self) -> bool:
        """Whether the distances of one half are those of the other."""
        return self.Q is None and self.ground.is_symmetric


@dataclass(frozen=True, slots=True, eq=False)
class Problems:
    """One problem, or several over the same documents (one a topic model) of which the mean is sought."""

    each: tuple[Problem, ...]
    scale: float = 1.0  # of the mean: the mass that rows carried before they were scaled to 1

    @property
    def shape(self) -> tuple[int, int]:
        return self.each[0].shape

    @property
    def share(self) -> float:
        """The part of each problem in the result."""
        return self.scale / len(self.each)

    def contribution(self, problem: Problem, costs: Any) -> Any:
        """Compute a problem's part of the result from its least costs, a NumPy or CuPy array, in place."""
        values = problem.ground.order.root(costs)
        if self.share != 1:
            values *= self.share
        return values


@dataclass(frozen=True, slots=True, eq=False)
class CountRows:
    """Documents as rows of a CSR matrix: how often which words occur in them."""

    starts: NDArray[np.int64]
    words: NDArray[np.int32]  # ascending in every row
    counts: NDArray[np.float64]  # whole numbers

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """What the core takes."""
        return self.starts, self.words, self.counts

    def occurrences(self, n_words: int) -> NDArray[np.float64]:
        """How often each word occurs in all."""
        return np.bincount(self.words, self.counts, n_words).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Sampling:
    """Topics to be learned by Gibbs sampling, once for each seed."""

    rows: CountRows
    n_seen: int  # words of the documents, numbered from 0; the others borrow all that they have
    neighbors: NDArray[np.int32]  # words x neighbours: from which each word borrows, all of them seen
    weights: NDArray[np.float32]  # of the neighbours, the first not below the others; 0: none
    n_topics: int
    sweeps: int
    alpha: float
    eta: float
    strength: float
    seeds: NDArray[np.uint64]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of what is learned, how often topics were drawn: models x words that were seen x topics."""
        return len(self.seeds), self.n_seen, self.n_topics

    @property
    def draws(self) -> int:
        """How many topics are drawn."""
        return int(self.rows.counts.sum()) * self.sweeps * len(self.seeds)


@dataclass(frozen=True, slots=True, eq=False)
class FoldIn:
    """Documents to be read in terms of topics."""

    rows: CountRows
    table: NDArray[np.float32]  # words x topics, these padded with zeros to a multiple of eight
    alpha: NDArray[np.float32]  # padded likewise
    n_topics: int
    steps: int  # updates of the fixed point, or Gibbs sweeps
    burn_in: int  # sweeps left out of the average
    seed: int
    is_sampled: bool  # by Gibbs sweeps

    @property
    def shape(self) -> tuple[int, int]:
        """Of the proportions: documents x topics."""
        return len(self.rows), self.n_topics
