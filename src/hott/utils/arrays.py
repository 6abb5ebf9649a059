"""Arrays of other libraries brought into memory; lengths of rows, and what tells arrays apart."""

import hashlib
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.utils.optional import import_optional

_CPU = 1  # DLPack's number


def in_memory(X: Any) -> Any:
    """Convert a CuPy array or sparse matrix, a PyTorch tensor or anything with DLPack to NumPy or SciPy.

    Everything else is returned as it is.
    """
    if isinstance(X, np.ndarray) or sparse.issparse(X):
        return X
    if type(X).__module__.startswith("cupyx.") and hasattr(X, "get"):
        return X.get()
    if not hasattr(X, "__dlpack__"):
        return X
    if hasattr(X, "detach"):
        X = X.detach()  # a tensor with a gradient has no DLPack form
    if X.__dlpack_device__()[0] == _CPU:
        return np.from_dlpack(X)
    return import_optional("cupy", extra="gpu").from_dlpack(X).get()


def normalize(rows: Any, norm: Literal["l1", "l2"] = "l2") -> Any:
    """Scale the rows of a matrix, sparse or not, to length 1 or to a sum of 1; rows of zeros stay.

    To the bit what scikit-learn's function of this name gives for numbers that are not negative.
    """
    if not sparse.issparse(rows):
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows)) if norm == "l2" else np.abs(rows).sum(axis=1)
        return rows / np.where(lengths == 0, 1, lengths)[:, None]
    counts = np.diff(rows.indptr)
    summed = rows.data if norm == "l1" else rows.data * rows.data
    sums = np.bincount(np.repeat(np.arange(len(counts)), counts), summed, len(counts))
    lengths = np.repeat(sums if norm == "l1" else np.sqrt(sums), counts)
    return type(rows)((rows.data / np.where(lengths == 0, 1, lengths), rows.indices, rows.indptr), rows.shape)


def fingerprint(*values: str | NDArray) -> str:
    """Return a short text that differs for different texts or arrays."""
    digest = hashlib.blake2b(digest_size=16)
    for value in values:
        digest.update(value.encode() if isinstance(value, str) else np.ascontiguousarray(value).data)
    return digest.hexdigest()
