"""Word counts as the topic models need them: whole numbers, rows in one canonical order."""

from typing import Any

import numpy as np
from scipy import sparse


def check_counts(X: Any, name: str = "X") -> sparse.csr_array:
    """Counts as float64 CSR, words ascending within a row, no zeros stored; an error unless whole and >= 0.

    The canonical order is what makes a document's proportions the same in every batch.

    Examples
    --------
    >>> check_counts([[2, 0, 1]]).indices
    array([0, 2], dtype=int32)
    """
    counts = sparse.csr_array(X).astype(np.float64)  # a copy: the caller's matrix stays as it is
    counts.sum_duplicates()
    counts.eliminate_zeros()
    wrong = ~(np.isfinite(counts.data) & (counts.data > 0) & (counts.data == np.rint(counts.data)))
    problem = "Negative values in data" if (counts.data < 0).any() else "Values in data are not counts"
    if wrong.any():
        first = int(np.argmax(wrong))
        row = int(np.searchsorted(counts.indptr, first, side="right")) - 1
        raise ValueError(
            f"{problem}: {name} must hold whole numbers of zero or more, but row {row} has "
            f"{counts.data[first]:g} in column {counts.indices[first]} ({int(wrong.sum())} such entries). "
            "Pass the counts before any weighting or normalisation, or round them: numpy.rint(X)."
        )
    return counts
