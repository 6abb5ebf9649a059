"""Long documents cut down while topics are learned."""

import numpy as np
from scipy import sparse


def thin(counts: sparse.csr_array, max_words: int | None, seed: int) -> sparse.csr_array:
    """Scale the counts of documents longer than ``max_words`` down to it, fractions rounded at random.

    Examples
    --------
    >>> thin(sparse.csr_array([[600.0, 300.0], [2.0, 1.0]]), 3, seed=0).toarray()
    array([[2., 1.],
           [2., 1.]])
    """
    if max_words is None:
        return counts
    shares = np.minimum(1, max_words / np.maximum(1, counts.sum(axis=1)))
    wanted = counts.data * np.repeat(shares, np.diff(counts.indptr))
    kept = np.floor(wanted + np.random.default_rng(seed).random(len(wanted)))
    whole = sparse.csr_array((kept, counts.indices, counts.indptr), shape=counts.shape, copy=True)
    whole.eliminate_zeros()
    return whole
