"""Matrices of distances: in a file that is there whole or not at all, and with gaps."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hott._atomic import explained, replacing
from hott._progress import Progress, reporting
from hott.distances._blocks import row_blocks
from hott.distances.base import Representation, take


@contextmanager
def matrix_file(path: str | os.PathLike[str], shape: tuple[int, int]) -> Iterator[NDArray[np.float64]]:
    """A float64 matrix to fill, mapped from a file that takes its name when the block ends well.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "ones.npy"
    >>> with matrix_file(path, (2, 2)) as matrix:
    ...     matrix[:] = 1
    >>> np.load(path).sum()
    np.float64(4.0)
    """
    path = Path(path)
    if path.suffix != ".npy":
        raise ValueError(f"out must be an array or the name of an .npy file, got {str(path)!r}.")
    with replacing(path) as file:
        with explained(path):
            matrix = np.lib.format.open_memmap(file.name, mode="w+", dtype=np.float64, shape=shape)
            if hasattr(os, "posix_fallocate"):
                # Writing to a map on a full disk kills the process; asking for the room first only fails.
                os.posix_fallocate(file.fileno(), 0, matrix.offset + matrix.nbytes)
        yield matrix
        matrix.flush()


def fill_symmetric(
    out: NDArray[np.float64],
    places: NDArray[np.intp],
    between: Callable[..., NDArray[np.float64]],
    rows: Representation,
    progress: Progress,
) -> None:
    """Put the distances between all documents ``rows`` at ``places`` of a larger matrix, block by block.

    No second matrix is made, which might not fit into memory, and each pair is computed once.
    """
    n = len(places)
    with reporting(progress, "distances") as report:
        for block in row_blocks(n, n):
            some, later = take(rows, block), slice(block.stop, n)
            out[np.ix_(places[block], places[block])] = between(some)
            if later.start < n:
                values = between(some, take(rows, later))
                out[np.ix_(places[block], places[later])] = values
                out[np.ix_(places[later], places[block])] = values.T
            if report is not None:
                report(n * n - (n - block.stop) ** 2, n * n)
