"""Checks of what users pass to the distances: every error names the argument and the way out."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

LARGEST_WITHOUT_VECTORS = 4096
"""Words up to which a distance does without word vectors: it then makes vectors as long as the vocabulary."""


def check_choice(value: Any, name: str, choices: tuple[Any, ...]) -> None:
    """``value`` is one of ``choices``."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, not {value!r}.")


def check_count(value: Any, name: str) -> int:
    """A positive whole number."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be a positive whole number, not {value!r}.")
    return int(value)


def check_word_vectors(word_vectors: ArrayLike | None, n_words: int) -> NDArray[np.float64]:
    """One finite vector a word. Without any, vectors that put every two words at distance 1."""
    if word_vectors is None:
        if n_words > LARGEST_WITHOUT_VECTORS:
            raise ValueError(
                f"word_vectors must be given for {n_words} words: without them this distance works up to "
                f"{LARGEST_WITHOUT_VECTORS}. To compare documents by shared words alone, use L1."
            )
        return np.eye(n_words) * np.sqrt(0.5)
    vectors = np.asarray(word_vectors, dtype=np.float64)
    if vectors.ndim != 2 or vectors.shape[0] != n_words:
        raise ValueError(
            f"word_vectors must have one row for each of the {n_words} words (columns of X), "
            f"shape ({n_words}, dimensions); they have shape {vectors.shape}."
        )
    if not np.isfinite(vectors).all():
        word = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
        raise ValueError(f"word_vectors must be finite; the vector of word {word} is not.")
    return np.ascontiguousarray(vectors)
