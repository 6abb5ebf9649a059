"""Arrays of other libraries, on the device or not, brought into memory; and what tells arrays apart."""

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.utils.optional import need

_CPU = 1  # DLPack's number


def in_memory(X: Any) -> Any:
    """A CuPy array or sparse matrix, a PyTorch tensor, or what else speaks DLPack, as NumPy or SciPy has it.

    Everything else is returned as it is.

    Examples
    --------
    >>> in_memory([[1.0, 2.0]])
    [[1.0, 2.0]]
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
    return need("cupy", extra="gpu").from_dlpack(X).get()


def fingerprint(*values: str | NDArray) -> str:
    """Return a short text that is another one for other texts or arrays.

    Examples
    --------
    >>> fingerprint("topics", np.arange(3)) == fingerprint("topics", np.arange(4))
    False
    """
    digest = hashlib.blake2b(digest_size=16)
    for value in values:
        digest.update(value.encode() if isinstance(value, str) else np.ascontiguousarray(value).data)
    return digest.hexdigest()
