"""What every document distance shares: the scikit-learn contract and the policy for empty documents."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

if TYPE_CHECKING:
    from hott.gpu import Device, Problem

OnEmpty: TypeAlias = Literal["error", "nan", "drop"]
Progress: TypeAlias = bool | Callable[[int, int], None] | None
Representation: TypeAlias = Any  # a CSR or dense matrix, one row a document, or a tuple of those


class Distance(TransformerMixin, BaseEstimator):
    """A distance between documents, given as rows of word counts.

    A subclass says how documents are represented (``_fit``, ``_represent``) and how far apart two
    representations are (``between`` for all pairs, ``pairs`` for listed ones). It may give a cheap
    ``lower_bound``, by which the neighbour search leaves out most pairs.

    Documents without a single word have no place in any of these distances. ``on_empty`` says what happens
    to them: ``"error"`` names them and stops, ``"nan"`` gives them not-a-number, ``"drop"`` leaves them out
    of the result.
    """

    on_empty: OnEmpty
    bound_is_exact = False
    """True when ``lower_bound`` already is the distance, so that nothing is left to compute."""

    # -- on counts ---------------------------------------------------------------------------------------

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Learn what the distance needs from the documents ``X``, rows of word counts."""
        counts = self._check_counts(X, reset=True)
        kept = self._kept(counts)
        if kept.size == 0:
            raise ValueError("X has no document with a word in it, so there is nothing to learn from.")
        self._fit(take(counts, kept))
        return self

    def transform(self, X: ArrayLike) -> Representation:
        """Represent the documents ``X`` as this distance sees them, one row a document."""
        representation, kept, n = self._represent_kept(X)
        if len(kept) == n or self.on_empty == "drop":
            return representation
        return _spread(representation, kept, n)

    def pairwise(
        self,
        X: ArrayLike,
        Y: ArrayLike | None = None,
        *,
        threads: int | None = None,
        out: NDArray[np.float64] | None = None,
        progress: Progress = None,
        device: "Device" = "cpu",
    ) -> NDArray[np.float64]:
        """Distances between all documents of ``X`` and all of ``Y`` (of ``X`` itself when there is no ``Y``).

        Parameters
        ----------
        X, Y : counts, sparse or dense, documents x words
        threads : number of threads; all cores by default. The numbers are the same for any.
        out : array to fill, for example a memory map
        progress : ``True`` for a bar in a terminal, or a function called with (done, total)
        device : ``"cpu"``, ``"cuda"`` or ``"auto"``: a GPU, for distances over topics (docs/gpu.md)
        """
        R, rows, n = self._represent_kept(X)
        S, columns, m = (None, rows, n) if Y is None else self._represent_kept(Y)
        if self.on_empty == "drop" or (len(rows) == n and len(columns) == m):
            return self.between_on(device, R, S, threads=threads, out=out, progress=progress)
        full = np.empty((n, m)) if out is None else out
        full[...] = np.nan
        full[np.ix_(rows, columns)] = self.between_on(device, R, S, threads=threads, progress=progress)
        return full

    def paired(self, X: ArrayLike, Y: ArrayLike, *, threads: int | None = None) -> NDArray[np.float64]:
        """Distance of each document of ``X`` to the document in the same row of ``Y``."""
        R, rows, n = self._represent_kept(X)
        S, columns, m = self._represent_kept(Y)
        if n != m:
            raise ValueError(f"X and Y must have as many rows as each other: X has {n}, Y has {m}.")
        both = np.intersect1d(rows, columns)
        values = self.pairs(
            R, S, np.searchsorted(rows, both), np.searchsorted(columns, both), threads=threads
        )
        if len(both) == n or self.on_empty == "drop":
            return values
        full = np.full(n, np.nan)
        full[both] = values
        return full

    # -- on representations: what the neighbour search, Blend and Index build on -------------------------

    def between(
        self,
        R: Representation,
        S: Representation | None = None,
        *,
        threads: int | None = None,
        out: NDArray[np.float64] | None = None,
        progress: Progress = None,
    ) -> NDArray[np.float64]:
        """Distances between all represented documents of ``R`` and all of ``S`` (of ``R`` without ``S``)."""
        raise NotImplementedError(f"{type(self).__name__} does not define `between`.")

    def between_on(
        self,
        device: "Device",
        R: Representation,
        S: Representation | None = None,
        *,
        threads: int | None = None,
        out: NDArray[np.float64] | None = None,
        progress: Progress = None,
    ) -> NDArray[np.float64]:
        """:meth:`between`, on the CPU or on a GPU."""
        if device != "cpu":
            from hott import gpu

            n_pairs = n_rows(R) * n_rows(R if S is None else S)
            problems = gpu.problems_on(device, self, R, S, n_pairs)
            if problems is not None:
                with gpu.memory_permitting(device):
                    return gpu.pairwise(problems, threads=threads, out=out, progress=progress)
        return self.between(R, S, threads=threads, out=out, progress=progress)

    def pairs(
        self,
        R: Representation,
        S: Representation,
        rows: NDArray[np.intp],
        cols: NDArray[np.intp],
        *,
        threads: int | None = None,
    ) -> NDArray[np.float64]:
        """Distances of the listed pairs: ``R[rows[i]]`` to ``S[cols[i]]``."""
        raise NotImplementedError(f"{type(self).__name__} does not define `pairs`.")

    def lower_bound(
        self, R: Representation, S: Representation, *, threads: int | None = None
    ) -> NDArray[np.floating] | None:
        """Cheap values never above ``between(R, S)``; None where the distance has no such bound."""
        return None

    def prepare(self, R: Representation) -> Representation:
        """``R`` as ``between``, ``pairs`` and ``lower_bound`` read it fastest, for many searches."""
        return R

    # -- for subclasses ----------------------------------------------------------------------------------

    def _fit(self, counts: sparse.csr_array) -> None:
        """Learn from non-empty documents. Distances with nothing to learn leave this as it is."""

    def _represent(self, counts: sparse.csr_array) -> Representation:
        """Represent non-empty documents."""
        raise NotImplementedError(f"{type(self).__name__} does not define `_represent`.")

    def _transport_problems(self, R: Representation, S: Representation | None) -> "list[Problem] | None":
        """The distance as a sum of transport problems, which a GPU can solve; None where it is none."""
        return None

    def _check_counts(self, X: ArrayLike, *, reset: bool) -> sparse.csr_array:
        if self.on_empty not in ("error", "nan", "drop"):
            raise ValueError(f'on_empty must be "error", "nan" or "drop", not {self.on_empty!r}.')
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=reset)
        counts = sparse.csr_array(X)
        if counts.nnz and counts.data.min() < 0:
            row = int(np.searchsorted(counts.indptr, np.argmin(counts.data), side="right")) - 1
            raise ValueError(
                f"Negative values in data passed to {type(self).__name__}: X holds word counts, which "
                f"cannot be below zero, but row {row} has {counts.data.min():g}."
            )
        if not counts.has_canonical_format or not counts.data.all():
            counts = counts.copy()  # the caller's matrix stays as it is
            counts.sum_duplicates()
            counts.eliminate_zeros()
        return counts

    def _kept(self, counts: sparse.csr_array) -> NDArray[np.intp]:
        """Rows with at least one word; an error that names the others when the policy says so."""
        mass = np.asarray(counts.sum(axis=1)).ravel()
        if self.on_empty == "error" and not mass.all():
            empty = np.flatnonzero(mass == 0)
            named = ", ".join(map(str, empty[:10])) + (", ..." if len(empty) > 10 else "")
            raise ValueError(
                f"{len(empty)} of {len(mass)} documents have no word in the vocabulary: rows {named}. "
                'Remove them, or choose on_empty="nan" (their distances become NaN) or on_empty="drop" '
                "(they are left out)."
            )
        return np.flatnonzero(mass)

    def _represent_kept(self, X: ArrayLike) -> tuple[Representation, NDArray[np.intp], int]:
        check_is_fitted(self)
        counts = self._check_counts(X, reset=False)
        kept = self._kept(counts)
        return self._represent(take(counts, kept)), kept, counts.shape[0]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


def fitted(distance: Distance, X: ArrayLike) -> Distance:
    """``distance`` itself when it is fitted, else a copy fitted on ``X``."""
    try:
        check_is_fitted(distance)
    except NotFittedError:
        return clone(distance).fit(X)
    return distance


def n_rows(R: Representation) -> int:
    """Number of documents in a representation."""
    return n_rows(R[0]) if isinstance(R, tuple) else R.shape[0]


def take(R: Representation, rows: Any) -> Representation:
    """The given rows of a representation; the same object when that is all of them in order."""
    if isinstance(R, tuple):
        return tuple(take(part, rows) for part in R)
    if (
        isinstance(rows, np.ndarray)
        and len(rows) == R.shape[0]
        and np.array_equal(rows, np.arange(len(rows)))
    ):
        return R
    return R[rows]


def _spread(R: Representation, kept: NDArray[np.intp], n: int) -> Representation:
    """Put the rows of ``R`` at the places ``kept`` of ``n`` rows, not-a-number elsewhere."""
    if isinstance(R, tuple):
        return tuple(_spread(part, kept, n) for part in R)
    if not sparse.issparse(R):
        full = np.full((n, R.shape[1]), np.nan)
        full[kept] = R
        return full
    missing = np.setdiff1d(np.arange(n), kept)
    place = sparse.csr_array((np.ones(len(kept)), (kept, np.arange(len(kept)))), shape=(n, len(kept)))
    marks = sparse.csr_array(
        (np.full(len(missing), np.nan), (missing, np.zeros(len(missing), int))), shape=(n, R.shape[1])
    )
    return sparse.csr_array(place @ R + marks)
