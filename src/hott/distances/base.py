"""What every document distance shares: the scikit-learn contract and the policy for empty documents."""

import sys
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hott.compute import backends
from hott.compute.cpu import row_blocks
from hott.compute.ground import Problems
from hott.distances.representation import Part, Positions, Representation
from hott.utils.checks import check_choice, check_counts, check_output
from hott.utils.estimator import Transformer, check_is_fitted, is_fitted
from hott.utils.run import Run, RunOptions
from hott.utils.wording import name_some

if TYPE_CHECKING:
    from sklearn.utils import Tags

__all__ = ["Distance"]

OnEmpty: TypeAlias = Literal["error", "nan", "drop"]
DocumentsLike: TypeAlias = ArrayLike | Representation
"""What distances are computed between: word counts, or documents that were represented before."""


class Distance(Transformer):
    """A distance between documents, given as rows of word counts.

    A subclass says how documents are represented (``_fit``, ``_represent``) and how far apart they are: by
    ``_problems``, where that is optimal transport, or by ``_fill`` (all pairs of a block; ``_between``, where
    that is not enough) and ``_pairs`` (listed). It may give a cheap ``_lower_bound``, by which the neighbour
    search leaves out most pairs.

    Documents without a single word have no place in any of these distances. ``on_empty`` says what happens
    to them: ``"error"`` names them and stops, ``"nan"`` gives them not-a-number, ``"drop"`` leaves them out
    of the result.

    Examples
    --------
    All distances have the same verbs:

    >>> from hott import NBOW
    >>> counts = [[2, 0, 0], [1, 1, 0], [0, 0, 1]]
    >>> distance = NBOW().fit(counts)
    >>> distance.pairwise(counts).round(2)
    array([[0.  , 0.71, 1.41],
           [0.71, 0.  , 1.22],
           [1.41, 1.22, 0.  ]])
    >>> distance.paired(counts[:2], counts[1:]).round(2)
    array([0.71, 1.22])
    """

    on_empty: OnEmpty
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]  # where counts came as a data frame
    _sklearn_auto_wrap_output_keys: ClassVar = {"transform"}
    whole_counts = False
    """Whether counts must be whole numbers."""
    uses_device = False
    """Whether a GPU can help."""
    bound_is_exact = False
    """True when the lower bound already is the distance, so that nothing is left to compute."""

    def fit(self, X: ArrayLike, y: Any = None, **options: Unpack[RunOptions]) -> Self:
        """Learn what the distance needs from the documents.

        Parameters
        ----------
        X : counts, sparse or dense, documents x words
        y : ignored
        **options : threads, device, progress
            See :class:`hott.run.RunOptions`.
        """
        run = Run.of(options)
        counts = self._check(X, reset=True)
        words = np.asarray(counts.sum(axis=1)).ravel() > 0
        if self.on_empty == "error":
            self._name_empty(words)
        if not words.any():
            raise ValueError("X has no document with a word in it, so there is nothing to learn from.")
        return self.fit_counts(counts if words.all() else counts[np.flatnonzero(words)], run)

    def fit_counts(self, counts: sparse.csr_array, run: Run = Run()) -> Self:
        """Learn from counts of documents with words, checked before or counted by ourselves."""
        self.n_features_in_ = counts.shape[1]
        self._fit(counts, run)
        return self

    def represent(self, X: DocumentsLike, **options: Unpack[RunOptions]) -> Representation:
        """Represent documents as this distance sees them, for ``pairwise`` and searches in place of counts.

        Parameters
        ----------
        X : counts, sparse or dense, documents x words
            What was represented before comes back as it is.
        **options : threads, device, progress
        """
        return self._check_and_represent(X, Run.of(options))

    def transform(self, X: DocumentsLike, **options: Unpack[RunOptions]) -> Any:
        """Return the documents as this distance sees them, as a matrix with one row per document.

        Parameters
        ----------
        X : counts, sparse or dense, documents x words
        **options : threads, device, progress

        Returns
        -------
        CSR or ndarray
            For HOTT topic proportions that sum to 1, a block of columns for each topic model.
        """
        matrix = self.represent(X, **options).matrix()
        wanted = getattr(self, "_sklearn_output_config", {}).get("transform")
        if wanted is None and "sklearn" in sys.modules:  # else nobody has set it
            wanted = sys.modules["sklearn"].get_config()["transform_output"]
        if wanted in (None, "default"):
            return matrix
        from sklearn.utils._set_output import _wrap_data_with_container

        dense = matrix.toarray() if sparse.issparse(matrix) else matrix  # a frame does not hold sparse rows
        return _wrap_data_with_container("transform", dense, X, self)

    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = None) -> Self:
        """Choose what :meth:`transform` gives: matrices, or frames of pandas or polars."""
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}
        return self

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Name the columns that ``transform`` gives: ``hott0``, ``hott1``, ... for HOTT."""
        check_is_fitted(self)
        empty = sparse.csr_array(np.ones((1, self.n_features_in_)))
        n_columns = Representation.of(*self._represent(empty, Run(threads=1))).matrix().shape[1]
        name = type(self).__name__.lower()
        return np.array([f"{name}{column}" for column in range(n_columns)], dtype=object)

    def pairwise(
        self,
        X: DocumentsLike,
        Y: DocumentsLike | None = None,
        *,
        out: NDArray[np.float64] | None = None,
        **options: Unpack[RunOptions],
    ) -> NDArray[np.float64]:
        """Compute distances between all documents of ``X`` and all of ``Y`` (of ``X`` where ``Y`` is None).

        Parameters
        ----------
        X, Y : counts, sparse or dense, documents x words; or what :meth:`represent` gave
        out : array to fill, for example a memory map
        **options : threads, device, progress
            See :class:`hott.run.RunOptions`. A GPU serves distances over topics.
        """
        run = Run.of(options)
        R = self._check_and_represent(X, run.quiet())
        S = None if Y is None else self._check_and_represent(Y, run.quiet())
        if R.is_complete and (S is None or S.is_complete):
            return self.between(R, S, run, out)
        full = R.scatter(self.between(R, S, run), R if S is None else S)
        if out is None:
            return full
        out[...] = full
        return out

    def paired(
        self, X: DocumentsLike, Y: DocumentsLike, **options: Unpack[RunOptions]
    ) -> NDArray[np.float64]:
        """Compute the distance of each document of ``X`` to the document in the same row of ``Y``.

        Parameters
        ----------
        X, Y : counts, sparse or dense, documents x words; or what :meth:`represent` gave
        **options : threads, device, progress
        """
        run = Run.of(options)
        R, S = self._check_and_represent(X, run.quiet()), self._check_and_represent(Y, run.quiet())
        if R.n_documents != S.n_documents:
            raise ValueError(
                f"X and Y must have as many rows as each other: X has {R.n_documents}, Y has {S.n_documents}."
            )
        both = np.intersect1d(R.positions, S.positions)
        rows, cols = np.searchsorted(R.positions, both), np.searchsorted(S.positions, both)
        values = self.pairs(R, S, rows, cols, run)
        whole = Representation((), both, R.n_documents, self.on_empty == "drop")
        return whole.scatter(values)

    # -- on represented documents, without a look at those that have no words ----------------------------

    def between(
        self,
        R: Representation,
        S: Representation | None = None,
        run: Run = Run(),
        out: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Compute distances between all documents with words of ``R`` and of ``S`` (of ``R`` if None)."""
        problems = self._problems(R, S)
        if problems is not None:
            return backends.pairwise(problems, run, out)
        return self._between(R, S, self._check_device(run), out)

    def pairs(
        self, R: Representation, S: Representation, rows: Positions, cols: Positions, run: Run = Run()
    ) -> NDArray[np.float64]:
        """Compute the distances of listed pairs: row ``rows[i]`` of ``R`` to row ``cols[i]`` of ``S``."""
        problems = self._problems(R, S)
        if problems is not None:
            return backends.pairs(problems, rows, cols, run)
        return self._pairs(R, S, rows, cols, self._check_device(run))

    def lower_bound(
        self, R: Representation, S: Representation, run: Run = Run()
    ) -> NDArray[np.floating] | None:
        """Compute cheap values never above the distances; return None where there is no such bound."""
        problems = self._problems(R, S)
        if problems is not None:
            return backends.lower_bound(problems, run)
        return self._lower_bound(R, S, self._check_device(run))

    def deviation(
        self, R: Representation, random_state: int = 0, run: Run = Run(), n_pairs: int = 10_000
    ) -> float:
        """Compute the standard deviation of the distance over random pairs; 1 if it is constant."""
        if not len(R):
            return 1.0
        random = np.random.default_rng(random_state)
        rows = random.integers(len(R), size=n_pairs)
        # Pairs of different documents, drawn with repetition. One document makes pairs with itself.
        cols = (rows + (random.integers(1, len(R), size=n_pairs) if len(R) > 1 else 0)) % len(R)
        pairs, places = np.unique(rows * len(R) + cols, return_inverse=True)  # of few documents, few pairs
        distances = self.pairs(R, R, *np.divmod(pairs, len(R)), run)[places]
        deviation = float(distances.std())
        return deviation if deviation > 1e-9 * float(distances.max()) else 1.0  # not what rounding leaves

    def fingerprint_arrays(self) -> tuple[NDArray, ...]:
        """Return the arrays on which the distances depend, besides the documents."""
        return tuple(value for value in vars(self).values() if isinstance(value, np.ndarray))

    def where(self, run: Run) -> Run:
        """Return the options to compute this distance within another: on a GPU only if it can use one."""
        return run if self.uses_device else run.on_cpu()

    # -- for subclasses ----------------------------------------------------------------------------------

    def _fit(self, counts: sparse.csr_array, run: Run) -> None:
        """Learn from non-empty documents. Distances with nothing to learn leave this as it is."""

    def _represent(self, counts: sparse.csr_array, run: Run) -> tuple[Part, ...]:
        """Represent non-empty documents."""
        raise NotImplementedError(f"{type(self).__name__} does not define `_represent`.")

    def _problems(self, R: Representation, S: Representation | None) -> Problems | None:
        """Return the distance as a mean of transport problems, or None where it is not one."""
        return None

    def _between(
        self, R: Representation, S: Representation | None, run: Run, out: NDArray[np.float64] | None
    ) -> NDArray[np.float64]:
        """Fill ``out``, or a new array, some rows at a time, and report the pairs done."""
        others = R if S is None else S
        n, m = len(R), len(others)
        out = check_output(out, (n, m))
        with run.reporting("distances") as report:
            for rows in row_blocks(n, m):
                self._fill(R.parts[0][rows], others.parts[0], run, out[rows])  # type: ignore[index]
                if report is not None:
                    report(rows.stop * m, n * m)
        return out

    def _fill(self, rows: Any, others: Any, run: Run, out: NDArray[np.float64]) -> None:
        """Fill ``out`` with the distances between all documents of two sets, given as parts."""
        raise NotImplementedError(f"{type(self).__name__} does not define `_between` or `_fill`.")

    def _pairs(
        self, R: Representation, S: Representation, rows: Positions, cols: Positions, run: Run
    ) -> NDArray[np.float64]:
        raise NotImplementedError(f"{type(self).__name__} does not define `_pairs`.")

    def _lower_bound(self, R: Representation, S: Representation, run: Run) -> NDArray[np.floating] | None:
        return self._between(R, S, run.quiet(), None) if self.bound_is_exact else None

    def _has_words(self, counts: sparse.csr_array) -> NDArray[np.bool_]:
        """Tell which documents have a word that this distance knows."""
        return np.asarray(counts.sum(axis=1)).ravel() > 0

    # -- checks ------------------------------------------------------------------------------------------

    def _check_and_represent(self, X: DocumentsLike, run: Run) -> Representation:
        check_is_fitted(self)
        if isinstance(X, Representation):
            return X
        return self.represent_counts(self._check(X, reset=False), run)

    def represent_counts(self, counts: sparse.csr_array, run: Run = Run()) -> Representation:
        """Represent word counts that were checked before, or that we counted ourselves."""
        counts = counts.astype(np.float64, copy=False)
        words = self._has_words(counts)
        if self.on_empty == "error":
            self._name_empty(words)
        if words.any():
            parts = self._represent(counts if words.all() else counts[np.flatnonzero(words)], run)
        else:  # parts of the same form without a row: what is left of some document that is taken out again
            anything = sparse.csr_array(np.ones((1, counts.shape[1])))
            parts = Representation.of(*self._represent(anything, run)).take(slice(0)).parts
        return Representation(parts, np.flatnonzero(words), len(words), self.on_empty == "drop")

    def _check(self, X: ArrayLike, *, reset: bool) -> sparse.csr_array:
        check_choice(self.on_empty, "on_empty", ("error", "nan", "drop"))
        if isinstance(X, list | tuple) and X and isinstance(X[0], str):
            name = type(self).__name__
            raise ValueError(
                f"X must be counts, documents x words, got texts. For texts: hott.TextDistance({name}()) in "
                f"the place of {name}(), or hott.Vocabulary().fit_transform(texts) first."
            )
        from sklearn.utils.validation import validate_data

        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=reset)
        return check_counts(X, whole=self.whole_counts)

    def _check_device(self, run: Run) -> Run:
        if run.device == "cuda" and not self.uses_device:
            raise ValueError(
                f'{type(self).__name__} is computed on the CPU only: choose device="cpu" or "auto".'
            )
        return run

    def _name_empty(self, words: NDArray[np.bool_]) -> None:
        """Raise a ValueError that names the documents without words, if there are any."""
        if not words.all():
            empty = np.flatnonzero(~words)
            raise ValueError(
                f"{len(empty)} of {len(words)} documents have no word in the vocabulary: rows "
                f"{name_some(empty.tolist(), 10, str)}. "
                'Remove them, or choose on_empty="nan" (their distances become NaN) or on_empty="drop" '
                "(they are left out)."
            )

    def __sklearn_tags__(self) -> "Tags":
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


def check_distance(distance: Any) -> Distance:
    """Check that something is a distance, and return it."""
    if not isinstance(distance, Distance):
        raise ValueError(f"distance must be one of the library, such as hott.TFIDF(); got {distance!r:.60}.")
    return distance


def fit_if_needed(distance: Distance, X: ArrayLike, run: Run, y: Any = None) -> Distance:
    """Return ``distance`` itself when it is fitted, else a copy fitted on ``X``."""
    if is_fitted(check_distance(distance)):
        return distance
    from sklearn.base import clone

    return clone(distance).fit(X, y, **run.options)
