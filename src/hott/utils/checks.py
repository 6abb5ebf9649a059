"""Checks of what users pass, shared by all rooms: every error names the argument and the way out."""

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

Metric: TypeAlias = bool | Literal["auto"]

MASS_TOLERANCE = 1e-9
"""Relative difference up to which two sums of masses count as equal."""

METRIC_TOLERANCE = 1e-12
"""Violation of the triangle inequality, relative to the way it is about, that rounding may cause."""

MAX_CHECKED = 1000
"""Sites up to which ``metric="auto"`` checks the triangle inequality, a cubic effort (about 1 s at 1,000)."""


def check_masses(masses: ArrayLike, name: str) -> NDArray[np.float64]:
    """Check that masses are a vector of finite, non-negative numbers, not all zero, and return it."""
    array = check_real(masses, name)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} must be a non-empty vector of masses; it has shape {array.shape}.")
    check_finite_non_negative(array, name)
    if not array.any():
        raise ValueError(f"{name} carries no mass: all its {array.size} entries are zero.")
    return array


def check_cost(cost: ArrayLike, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Check that costs are a matrix of finite, non-negative numbers of the given shape, and return it."""
    array = check_real(cost, "cost")
    if array.shape != shape:
        raise ValueError(f"cost must have shape {shape}, sites x sites, but it has shape {array.shape}.")
    check_finite_non_negative(array, "cost")
    return np.ascontiguousarray(array)


def check_same_mass(a: float, b: float, names: tuple[str, str] = ("a", "b")) -> None:
    """Check that two totals agree within ``MASS_TOLERANCE``."""
    check_finite_mass(a, names[0])
    check_finite_mass(b, names[1])
    if abs(a - b) > MASS_TOLERANCE * max(a, b):
        raise ValueError(
            f"{names[0]} and {names[1]} must carry the same mass: {names[0]} sums to {a:.12g}, {names[1]} to "
            f"{b:.12g} (they may differ by {MASS_TOLERANCE:g} of it). Normalise the rows first, in double "
            'precision: sklearn.preprocessing.normalize(X.astype(float), norm="l1").'
        )


def check_finite_mass(mass: float, name: str) -> None:
    """Check that a total did not overflow."""
    if not np.isfinite(mass):
        raise ValueError(f"{name} sums to more than any float64. Divide all masses by the same number first.")


def obeys_triangle_inequality(cost: NDArray[np.float64], metric: Metric) -> bool:
    """Tell whether common mass may stay in place: staying is free, and no detour is shorter."""
    check_choice(metric, "metric", (True, False, "auto"))
    if metric != "auto":
        return bool(metric)
    n = len(cost)
    if n > MAX_CHECKED or np.diagonal(cost).any():
        return False
    direct = cost * (1 - METRIC_TOLERANCE)
    with np.errstate(over="ignore"):
        return all(bool((direct[i] <= (cost[i][:, None] + cost).min(axis=0)).all()) for i in range(n))


def check_output(out: NDArray[np.float64] | None, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Return the array to fill, which is the caller's, or a new one where memory allows."""
    if out is None:
        needed, free = 8 * shape[0] * shape[1], available_memory()
        if free is not None and needed > free:
            raise ValueError(
                f"The {shape[0]} x {shape[1]} distances need {needed / 2**30:.1f} GiB of memory and "
                f"{free / 2**30:.1f} GiB are free. Pass out=numpy.memmap(...), or compute in blocks of rows."
            )
        return np.empty(shape)
    if out.shape != shape or out.dtype != np.float64:
        raise ValueError(f"out must be a float64 array of shape {shape}; it is {out.dtype} {out.shape}.")
    if not out.flags.writeable or not out.flags.c_contiguous:
        raise ValueError("out must be writable and C-contiguous.")
    return out


def check_numbers(indices: ArrayLike, name: str, limit: int) -> NDArray[np.int64]:
    """Check that row numbers are at least 0 and below ``limit``, and return them."""
    array = np.asarray(indices)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(f"{name} must be a vector of row numbers; it has shape {array.shape} {array.dtype}.")
    if array.size and (array.min() < 0 or array.max() >= limit):
        raise ValueError(
            f"{name} must lie between 0 and {limit - 1}; it spans {array.min()} to {array.max()}."
        )
    return array.astype(np.int64)


def available_memory() -> int | None:
    """Return the bytes of memory free for use, or None where the system does not tell (Linux does)."""
    try:
        with open("/proc/meminfo") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return None


def check_real(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Check that values are real numbers, and return them in double precision."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has masked entries. Say what they are first: numpy.ma.filled({name}, 0).")
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold real numbers, not {array.dtype}.")
    return array.astype(np.float64, copy=False)


def check_finite_non_negative(values: NDArray[np.float64], name: str) -> None:
    """Check that values hold no NaN, no infinity and nothing below zero."""
    if not np.isfinite(values).all():
        raise ValueError(f"{name} holds {values[~np.isfinite(values)].flat[0]}: every entry must be finite.")
    if values.size and values.min() < 0:
        raise ValueError(f"{name} holds {values.min():g}: no entry may be negative.")


def check_choice(value: Any, name: str, choices: tuple[Any, ...]) -> None:
    """Check that ``value`` is one of ``choices``."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, not {value!r}.")


def check_count(value: Any, name: str) -> int:
    """Check that a value is a positive whole number, and return it."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be a positive whole number, not {value!r}.")
    return int(value)


def check_counts(X: Any, name: str = "X", *, whole: bool = False) -> sparse.csr_array:
    """Return word counts as float64 CSR in canonical order: words ascending in each row, no zeros stored.

    Counts are checked here, once, where they enter; nothing behind this looks again. The canonical order is
    what makes a document's proportions the same in every batch.
    """
    counts = sparse.csr_array(X).astype(np.float64, copy=False)
    check_csr(counts, name)
    if not counts.has_canonical_format or not counts.data.all():
        counts = counts.copy()  # the caller's matrix stays as it is
        counts.sum_duplicates()
        counts.eliminate_zeros()
    wrong = ~(np.isfinite(counts.data) & (counts.data > 0))
    if whole:
        wrong |= counts.data != np.rint(counts.data)
    if wrong.any():
        first = int(np.argmax(wrong))
        row = int(np.searchsorted(counts.indptr, first, side="right")) - 1
        problem = "Negative values in data" if (counts.data < 0).any() else "Values in data are not counts"
        wanted = "whole numbers" if whole else "finite numbers"
        raise ValueError(
            f"{problem}: {name} must hold {wanted} of zero or more, but row {row} has "
            f"{counts.data[first]:g} in column {counts.indices[first]} ({int(wrong.sum())} such entries)."
            + (" Pass the counts before any weighting, or round them: numpy.rint(X)." if whole else "")
        )
    return counts


def check_csr(rows: sparse.csr_array, name: str) -> None:
    """Check the structure of a CSR matrix, on which compiled code relies, and which SciPy does not check."""
    try:
        rows.check_format(full_check=True)
    except ValueError as error:
        raise ValueError(f"{name} is a broken CSR matrix: {error}.") from None


MAX_WITHOUT_VECTORS = 4096
"""Words up to which a distance does without word vectors: it then makes vectors as long as the vocabulary."""


def check_word_vectors(word_vectors: ArrayLike | None, n_words: int) -> NDArray[np.float64]:
    """Check that there is one finite vector per word; without any, put every two words at distance 1.

    Rows of a masked array that are masked whole are words without a vector: zeros here.
    """
    if isinstance(word_vectors, np.ma.MaskedArray):
        word_vectors = word_vectors.filled(0)
    if word_vectors is None:
        if n_words > MAX_WITHOUT_VECTORS:
            raise ValueError(
                f"word_vectors must be given for {n_words} words: without them this distance works up to "
                f"{MAX_WITHOUT_VECTORS}. To compare documents by shared words alone, use L1."
            )
        return np.eye(n_words) * np.sqrt(0.5)
    vectors = np.asarray(word_vectors, dtype=np.float64)
    if vectors.ndim != 2 or vectors.shape[0] != n_words:
        raise ValueError(
            f"word_vectors must have one row for each of the {n_words} words (columns of X), "
            f"shape ({n_words}, dimensions); they have shape {vectors.shape}."
        )
    if not np.isfinite(vectors).all():
        word = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
        raise ValueError(f"word_vectors must be finite; the vector of word {word} is not.")
    return np.ascontiguousarray(vectors)
