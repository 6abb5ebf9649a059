"""Filling a matrix of distances a block of rows at a time, so that memory beyond the result stays small."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott._progress import Progress, reporting
from hott.transport._checks import check_output

ENTRIES_AT_ONCE = 1 << 22  # 32 MiB of float64


def row_blocks(n: int, m: int, entries: int = ENTRIES_AT_ONCE) -> Iterator[slice]:
    """Consecutive runs of ``n`` rows of ``m`` columns, each of at most ``entries`` entries (or one row)."""
    step = max(1, entries // max(m, 1))
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def fill_in_blocks(
    block: Callable[[slice], NDArray[np.float64]],
    shape: tuple[int, int],
    out: NDArray[np.float64] | None,
    progress: Progress,
) -> NDArray[np.float64]:
    """Fill ``out`` (or a new array) with ``block(rows)`` for all rows, and report the pairs done."""
    n, m = shape
    out = check_output(out, shape)
    with reporting(progress, "distances") as report:
        for rows in row_blocks(n, m):
            out[rows] = block(rows)
            if report is not None:
                report(rows.stop * m, n * m)
    return out


def csr_parts(X: sparse.csr_array) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """A CSR matrix as the compiled core takes it."""
    return X.indptr.astype(np.int64, copy=False), X.indices.astype(np.int32, copy=False), X.data
