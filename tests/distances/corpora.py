"""Small corpora made on the spot."""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


def random_counts(n: int, words: int, seed: int, mean: float = 0.4) -> sparse.csr_array:
    """Counts with no empty document. The last fifth repeats earlier documents, so that distances tie."""
    random = np.random.default_rng(seed)
    counts = random.poisson(mean, size=(n, words))
    counts[np.arange(n), random.integers(words, size=n)] += 1
    repeated = n // 5
    counts[n - repeated :] = counts[:repeated]
    return sparse.csr_array(counts)


def random_vectors(words: int, seed: int, dimensions: int = 5) -> NDArray[np.float64]:
    return np.random.default_rng(seed).normal(size=(words, dimensions))
