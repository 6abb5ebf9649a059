"""A matrix in an .npy file, larger than memory if need be, that is there whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hott._atomic import explained, replacing


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
