"""Filling a matrix of distances a block of rows at a time, so that memory beyond the result stays small."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.compute.cpu import row_blocks
from hott.utils.checks import check_output
from hott.utils.run import Run


def fill_in_blocks(
    fill: Callable[[slice, NDArray[np.float64]], None],
    shape: tuple[int, int],
    run: Run,
    out: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """Have ``fill(rows, out[rows])`` fill all rows of ``out`` (or a new array), and report the pairs done."""
    n, m = shape
    out = check_output(out, shape)
    with run.reporting("distances") as report:
        for rows in row_blocks(n, m):
            fill(rows, out[rows])
            if report is not None:
                report(rows.stop * m, n * m)
    return out


def csr_parts(X: sparse.csr_array) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """A CSR matrix as the compiled core takes it."""
    return X.indptr.astype(np.int64, copy=False), X.indices.astype(np.int32, copy=False), X.data
