"""Checks of what users pass to the transport functions: every error names the argument and the way out."""

import os
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

Metric: TypeAlias = bool | Literal["auto"]

MASS_TOLERANCE = 1e-9
"""Relative difference up to which two sums of masses count as equal."""

METRIC_TOLERANCE = 1e-12
"""Violation of the triangle inequality, relative to the largest cost, that rounding may cause."""

LARGEST_CHECKED = 1000
"""Sites up to which ``metric="auto"`` checks the triangle inequality, a cubic effort (about 1 s at 1,000)."""


def check_masses(masses: ArrayLike, name: str) -> NDArray[np.float64]:
    """A vector of finite, non-negative masses, not all zero."""
    array = _real(masses, name)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} must be a non-empty vector of masses; it has shape {array.shape}.")
    _check_finite_non_negative(array, name)
    if not array.any():
        raise ValueError(f"{name} carries no mass: all its {array.size} entries are zero.")
    return array


def check_cost(cost: ArrayLike, shape: tuple[int, int]) -> NDArray[np.float64]:
    """A matrix of finite, non-negative costs of the given shape."""
    array = _real(cost, "cost")
    if array.shape != shape:
        raise ValueError(f"cost must have shape {shape}, sites x sites, but it has shape {array.shape}.")
    _check_finite_non_negative(array, "cost")
    return np.ascontiguousarray(array)


def check_same_mass(a: float, b: float, names: tuple[str, str] = ("a", "b")) -> None:
    """Two totals that agree within ``MASS_TOLERANCE``."""
    if abs(a - b) > MASS_TOLERANCE * max(a, b):
        raise ValueError(
            f"{names[0]} and {names[1]} must carry the same mass: {names[0]} sums to {a:.12g}, {names[1]} to "
            f"{b:.12g} (they may differ by {MASS_TOLERANCE:g} of it). Normalise the rows first, for example "
            'with sklearn.preprocessing.normalize(X, norm="l1").'
        )


def check_distributions(X: Any, name: str, sites: int | None = None) -> tuple[sparse.csr_array, float]:
    """Rows of masses as a clean CSR matrix with rows that sum to 1, and the mass that each row carried."""
    rows = sparse.csr_array(X) if sparse.issparse(X) else sparse.csr_array(np.atleast_2d(_real(X, name)))
    if np.iscomplexobj(rows.data) or rows.dtype == object:
        raise ValueError(f"{name} must hold real numbers, not {rows.dtype}.")
    if rows.shape[0] == 0:
        raise ValueError(f"{name} has no rows.")
    if sites is not None and rows.shape[1] != sites:
        raise ValueError(f"{name} must have {sites} columns, one a site of cost; it has {rows.shape[1]}.")
    copied = rows is not X
    rows = rows.astype(np.float64, copy=not copied or not rows.has_canonical_format)
    _check_finite_non_negative(rows.data, name)
    rows.sum_duplicates()
    if rows.nnz and rows.data.min() == 0:
        rows = rows.copy()
        rows.eliminate_zeros()
    totals = np.asarray(rows.sum(axis=1)).ravel()
    empty = np.flatnonzero(totals == 0)
    if empty.size:
        raise ValueError(
            f"{name} has {empty.size} empty rows (first: row {empty[0]}): a distribution needs some mass. "
            "Remove them first."
        )
    # Rows that sum to 1 but for rounding carry exactly 1, so that a value does not depend on its company.
    mass = 1.0 if abs(totals[0] - 1) <= MASS_TOLERANCE else float(totals[0])
    worst = int(np.argmax(np.abs(totals - mass)))
    check_same_mass(mass, float(totals[worst]), (f"row 0 of {name}", f"row {worst} of {name}"))
    scaled = sparse.csr_array(
        (rows.data / np.repeat(totals, np.diff(rows.indptr)), rows.indices, rows.indptr), shape=rows.shape
    )
    return scaled, mass


def obeys_triangle_inequality(cost: NDArray[np.float64], metric: Metric) -> bool:
    """Whether mass common to two distributions may stay where it is: what the caller says, or a check.

    That is so when staying is free and no detour is shorter than the direct way.
    """
    if metric != "auto":
        return bool(metric)
    n = len(cost)
    if n > LARGEST_CHECKED or np.diagonal(cost).any():
        return False
    slack = METRIC_TOLERANCE * cost.max(initial=0.0)
    return all(bool((cost[i] <= (cost[i][:, None] + cost).min(axis=0) + slack).all()) for i in range(n))


def check_output(out: NDArray[np.float64] | None, shape: tuple[int, int]) -> NDArray[np.float64]:
    """The array to fill: the caller's, or a new one where memory allows."""
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


def check_threads(threads: int | None) -> int:
    """Number of threads: the cores this process may use, unless told."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if threads != int(threads) or threads < 1:
        raise ValueError(f"threads must be a positive whole number or None, not {threads!r}.")
    return int(threads)


def check_numbers(indices: ArrayLike, name: str, limit: int) -> NDArray[np.int64]:
    """Row numbers between 0 and ``limit``."""
    array = np.asarray(indices)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(f"{name} must be a vector of row numbers; it has shape {array.shape} {array.dtype}.")
    if array.size and (array.min() < 0 or array.max() >= limit):
        raise ValueError(
            f"{name} must lie between 0 and {limit - 1}; it spans {array.min()} to {array.max()}."
        )
    return array.astype(np.int64)


def available_memory() -> int | None:
    """Bytes of memory free for use, where the system tells (Linux)."""
    try:
        with open("/proc/meminfo") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return None


def _real(values: ArrayLike, name: str) -> NDArray[np.float64]:
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold real numbers, not {array.dtype}.")
    return array.astype(np.float64, copy=False)


def _check_finite_non_negative(values: NDArray[np.float64], name: str) -> None:
    if not np.isfinite(values).all():
        raise ValueError(f"{name} holds {values[~np.isfinite(values)].flat[0]}: every entry must be finite.")
    if values.size and values.min() < 0:
        raise ValueError(f"{name} holds {values.min():g}: no entry may be negative.")
