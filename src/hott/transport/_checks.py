"""Checks of what users pass to the transport functions: every error names the argument and the way out."""

import os
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Metric: TypeAlias = bool | Literal["auto"]

MASS_TOLERANCE = 1e-9
"""Relative difference up to which two sums of masses count as equal."""

METRIC_TOLERANCE = 1e-12
"""Violation of the triangle inequality, relative to the largest cost, that rounding may cause."""

LARGEST_CHECKED = 1000
"""Sites up to which ``metric="auto"`` checks the triangle inequality, a cubic effort (about 1 s at 1,000)."""


def check_masses(masses: ArrayLike, name: str) -> NDArray[np.float64]:
    """A vector of finite, non-negative masses, not all zero."""
    array = check_real(masses, name)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} must be a non-empty vector of masses; it has shape {array.shape}.")
    check_finite_non_negative(array, name)
    if not array.any():
        raise ValueError(f"{name} carries no mass: all its {array.size} entries are zero.")
    return array


def check_cost(cost: ArrayLike, shape: tuple[int, int]) -> NDArray[np.float64]:
    """A matrix of finite, non-negative costs of the given shape."""
    array = check_real(cost, "cost")
    if array.shape != shape:
        raise ValueError(f"cost must have shape {shape}, sites x sites, but it has shape {array.shape}.")
    check_finite_non_negative(array, "cost")
    return np.ascontiguousarray(array)


def check_same_mass(a: float, b: float, names: tuple[str, str] = ("a", "b")) -> None:
    """Two totals that agree within ``MASS_TOLERANCE``."""
    if abs(a - b) > MASS_TOLERANCE * max(a, b):
        raise ValueError(
            f"{names[0]} and {names[1]} must carry the same mass: {names[0]} sums to {a:.12g}, {names[1]} to "
            f"{b:.12g} (they may differ by {MASS_TOLERANCE:g} of it). Normalise the rows first, for example "
            'with sklearn.preprocessing.normalize(X, norm="l1").'
        )


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


def check_real(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Real numbers, in double precision."""
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold real numbers, not {array.dtype}.")
    return array.astype(np.float64, copy=False)


def check_finite_non_negative(values: NDArray[np.float64], name: str) -> None:
    """No NaN, no infinity, nothing below zero."""
    if not np.isfinite(values).all():
        raise ValueError(f"{name} holds {values[~np.isfinite(values)].flat[0]}: every entry must be finite.")
    if values.size and values.min() < 0:
        raise ValueError(f"{name} holds {values.min():g}: no entry may be negative.")
