"""Words as points in a space."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hott.embeddings.packed import PackedVectors
from hott.utils.wording import name_some

Float = TypeVar("Float", np.float32, np.float64)


class WordVectors(Mapping[str, NDArray[np.float32]]):
    """A vector for each word; reads like a dictionary and does not change.

    Parameters
    ----------
    words : iterable of str
        The words, each once.
    vectors : array-like of shape (number of words, dimensions)
        The vector of each word, finite numbers.

    Attributes
    ----------
    words : tuple of str
        The words, in order.
    vectors : ndarray of float32, shape (number of words, dimensions)
        Their vectors, read-only. Those of the bundled words are decoded, all of them, when this is first
        asked for; :meth:`matrix` decodes those of the words it is given.

    Examples
    --------
    >>> vectors = WordVectors(["cat", "dog"], [[1.0, 0.0], [0.5, 0.5]])
    >>> "cat" in vectors, "cow" in vectors
    (True, False)
    >>> vectors["dog"]
    array([0.5, 0.5], dtype=float32)
    >>> vectors.matrix(["dog", "cat", "dog"]).shape
    (3, 2)
    """

    def __init__(self, words: Iterable[str], vectors: ArrayLike | PackedVectors) -> None:
        self.words = tuple(words)
        self._table = _check_vectors(vectors, len(self.words))
        if self.packed is None and len(self._rows) != len(self.words):  # those that come packed were checked
            seen: set[str] = set()
            repeated = [word for word in self.words if word in seen or seen.add(word)]  # type: ignore[func-returns-value]
            raise ValueError(f"words must be unique: {len(repeated):,} occur again, such as {repeated[0]!r}.")

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        return np.asarray(self._table)

    @property
    def packed(self) -> PackedVectors | None:
        """The codes behind the vectors, where they are kept so."""
        return self._table if isinstance(self._table, PackedVectors) else None

    @cached_property
    def by_stem(self) -> dict[str, str]:
        """The first word of each stem; of the bundled words it takes a second to find them."""
        import Stemmer

        found: dict[str, str] = {}
        for algorithm in ("english", "porter"):  # of which others use the second, and we the first
            stems = Stemmer.Stemmer(algorithm).stemWords(self.words)
            found = dict(zip(reversed(stems), reversed(self.words))) | found
        return found

    def rows(self, words: Iterable[str]) -> NDArray[np.intp]:
        """Give the place of each word in ``words``; -1 where it has no vector."""
        return np.fromiter((self._rows.get(word, -1) for word in words), np.intp)

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""
        return self._table.shape[1]

    def known(self, words: Iterable[str]) -> NDArray[np.bool_]:
        """Say for each word whether it has a vector.

        Examples
        --------
        >>> WordVectors(["cat"], [[1.0]]).known(["cat", "cow"])
        array([ True, False])
        """
        return np.fromiter((word in self._rows for word in words), dtype=bool)

    def matrix(self, words: Iterable[str]) -> NDArray[np.float32]:
        """Give the vectors of these words, one a row; every word must be known."""
        words = list(words)
        unknown = [word for word in words if word not in self._rows]
        if unknown:
            raise ValueError(
                f"words: {len(unknown):,} of {len(words):,} have no vector ({name_some(unknown)}). "
                "Leave them out first; known(words) says which have one."
            )
        return self._table[np.fromiter((self._rows[word] for word in words), np.intp, len(words))]

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        return self._table[self._rows[word]]

    def __contains__(self, word: object) -> bool:
        return word in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __len__(self) -> int:
        return len(self.words)

    # The vectors are compared by identity, and never copied: they are large and do not change. Without this
    # scikit-learn's clone would copy them for every candidate of a grid search.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __deepcopy__(self, memo: dict[int, Any]) -> "WordVectors":
        return self

    def __repr__(self) -> str:
        return f"WordVectors({len(self):,} words, {self.dimensions} dimensions)"


def as_word_vectors(value: Any) -> WordVectors | None:
    """Return word vectors (ours, a mapping or gensim's ``KeyedVectors``) as ours; None for anything else."""
    if isinstance(value, WordVectors):
        return value
    if hasattr(value, "index_to_key") and hasattr(value, "vectors"):
        return WordVectors(value.index_to_key, value.vectors)
    if isinstance(value, Mapping):
        return WordVectors(value, np.array(list(value.values())))
    return None


def _check_vectors(vectors: ArrayLike | PackedVectors, n_words: int) -> NDArray[np.float32] | PackedVectors:
    if not isinstance(vectors, PackedVectors):
        vectors = np.asarray(vectors, dtype=np.float32)
    if len(vectors.shape) != 2 or vectors.shape[0] != n_words or vectors.shape[1] == 0:
        raise ValueError(
            f"vectors must have one row a word and at least one column: {n_words:,} words, "
            f"vectors of shape {vectors.shape}."
        )
    if isinstance(vectors, PackedVectors):
        return vectors
    if not np.isfinite(vectors).all():
        row = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
        raise ValueError(f"vectors must be finite numbers: row {row} holds {vectors[row]}.")
    view = vectors.view()
    view.flags.writeable = False
    return view


def unit_rows(vectors: NDArray[Float], *, nothing: float = 0.0) -> NDArray[Float]:
    """Scale rows to length 1; rows that are not longer than ``nothing``, or not numbers, become zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > nothing)
