"""How far two distances agree on the same documents, or with people."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class Mantel:
    """The result of :func:`mantel`.

    Attributes
    ----------
    correlation : float
        Of two distance matrices.
    p_value : float
        How often documents in random order reach it.

    Examples
    --------
    >>> Mantel(correlation=0.61, p_value=0.001).correlation
    0.61
    """

    correlation: float
    p_value: float


def mantel(D: ArrayLike, E: ArrayLike, permutations: int = 999, seed: int = 0) -> Mantel:
    """Mantel's test: Pearson correlation over all pairs, against permutations of the documents.

    Parameters
    ----------
    D, E : array-like of shape (documents, documents)
    permutations : int
    seed : int

    Examples
    --------
    >>> D = np.abs(np.subtract.outer([0, 1, 3, 7, 9], [0, 1, 3, 7, 9]))
    >>> mantel(D, 2 * D + 5).correlation
    1.0
    """
    first, second = _check_square(D, "D"), _check_square(E, "E")
    if first.shape != second.shape:
        raise ValueError(f"D and E must compare the same documents: {first.shape} and {second.shape}.")
    upper = np.triu_indices(len(first), k=1)
    x = _standard(first[upper])
    y = _standard(second[upper])
    observed = float(x @ y)
    random = np.random.default_rng(seed)
    reached = 0
    for _ in range(permutations):
        order = random.permutation(len(second))
        reached += bool(x @ _standard(second[np.ix_(order, order)][upper]) >= observed)
    return Mantel(round(observed, 12), (reached + 1) / (permutations + 1))


def difference(D: ArrayLike, E: ArrayLike) -> float:
    """Frobenius norm of the difference of two distance matrices.

    Parameters
    ----------
    D, E : array-like of the same shape

    Examples
    --------
    >>> difference([[0, 3], [4, 0]], [[0, 0], [0, 0]])
    5.0
    """
    return float(np.linalg.norm(np.asarray(D, float) - np.asarray(E, float)))


def agreement(distances: ArrayLike, similarities: ArrayLike) -> tuple[float, float]:
    """Pearson and Spearman correlation of nearness with similarity ratings, over all pairs of documents.

    Parameters
    ----------
    distances, similarities : array-like of shape (documents, documents)

    Examples
    --------
    >>> agreement([[0, 1, 2], [1, 0, 3], [2, 3, 0]], [[5, 3, 2], [3, 5, 1], [2, 1, 5]])
    (1.0, 1.0)
    """
    from scipy.stats import pearsonr, spearmanr

    near, rated = -_check_square(distances, "distances"), _check_square(similarities, "similarities")
    upper = np.triu_indices(len(near), k=1)
    pearson, spearman = (test(near[upper], rated[upper]).statistic for test in (pearsonr, spearmanr))
    return round(float(pearson), 12), round(float(spearman), 12)


def _standard(values: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = values - values.mean()
    return centred / np.linalg.norm(centred)


def _check_square(matrix: ArrayLike, name: str) -> NDArray[np.float64]:
    matrix = np.asarray(matrix, np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 3:
        raise ValueError(
            f"{name} must be a square matrix of the distances of at least 3 documents; its shape is "
            f"{matrix.shape}."
        )
    return matrix
