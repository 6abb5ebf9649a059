"""The vectors of a collection's texts, in 260 bytes each."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hott import _core
from hott.utils.run import Run, RunOptions

_MAX_CODE = 127
_MAX_QUERY = 32_767  # 256 x 127 x 32,767 is still below 2^31


class DocumentVectors:
    """Vectors of texts around a centre, in bytes, searched exactly.

    A text is compared by what sets it apart: its vector less the centre, as a direction. That is kept as one
    byte a number and one scale, and scores are the cosines of these directions, as rounded. The centre
    belongs to the model of a collection: parts of it that share the centre give the same scores together as
    apart.

    Parameters
    ----------
    codes : int8 array of shape (texts, dimensions)
        Directions; zeros for a text without a known word.
    centre : float32 array of shape (dimensions,)

    Examples
    --------
    >>> from hott.embeddings.encoder import Encoder
    >>> encoder = Encoder.load()
    >>> rows = encoder.encode(["Stars and planets", "Bread and butter", "The moon at night"])
    >>> vectors = DocumentVectors.from_rows(rows)
    >>> vectors.scores(encoder.encode(["a loaf of rye"])[0]).argmax()
    np.int64(1)
    """

    def __init__(self, codes: NDArray[np.int8], centre: NDArray[np.float32]) -> None:
        self.codes = codes
        self.centre = centre

    @cached_property
    def squares(self) -> NDArray[np.float64]:
        """The squared length of the codes of each text, a whole number."""
        return np.einsum("ij,ij->i", self.codes, self.codes, dtype=np.int32).astype(np.float64)

    @cached_property
    def scales(self) -> NDArray[np.float32]:
        """What makes the codes of each text a direction of unit length; 0 without a known word."""
        lengths = np.sqrt(self.squares)
        return np.divide(1, lengths, out=np.zeros(len(self)), where=lengths > 0).astype(np.float32)

    @classmethod
    def from_rows(cls, rows: ArrayLike, centre: ArrayLike | None = None) -> "DocumentVectors":
        """Round the vectors that :meth:`Encoder.encode` gives.

        Parameters
        ----------
        rows : array-like of shape (texts, dimensions)
            A row of zeros, a text without a known word, scores 0 with everything.
        centre : array-like of shape (dimensions,), optional
            By default the mean of the rows that are not zero.
        """
        rows = np.asarray(rows, np.float32)
        if rows.ndim != 2 or not np.isfinite(rows).all():
            raise ValueError("rows must be finite numbers, one row a text, as Encoder.encode gives them.")
        known = np.asarray(rows.any(axis=1))
        if centre is None:
            centre = rows[known].mean(axis=0, dtype=np.float64) if known.any() else np.zeros(rows.shape[1])
        centre = np.asarray(centre, np.float32)
        if centre.shape != rows.shape[1:] or not np.isfinite(centre).all():
            raise ValueError(f"centre must be {rows.shape[1]} finite numbers, its shape is {centre.shape}.")
        apart = np.where(known[:, None], rows - centre, np.float32(0))
        peaks = np.abs(apart).max(axis=1, initial=0)
        codes = np.rint(apart * (_MAX_CODE / np.where(peaks > 0, peaks, 1))[:, None]).astype(np.int8)
        return cls(codes, centre)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def shape(self) -> tuple[int, int]:
        """How many texts and dimensions there are."""
        return len(self.codes), self.codes.shape[1]

    @property
    def rows(self) -> NDArray[np.float32]:
        """The directions as rounded, of unit length."""
        return self.codes * self.scales[:, None]

    def __getitem__(self, chosen: Any) -> "DocumentVectors":
        """Take some texts, by their positions, a mask or a slice."""
        return DocumentVectors(self.codes[chosen], self.centre)

    @classmethod
    def concat(cls, parts: Sequence["DocumentVectors"]) -> "DocumentVectors":
        """Put parts around the same centre one after the other."""
        if not parts:
            raise ValueError("There are no vectors to put together: parts is empty.")
        if any(not np.array_equal(part.centre, parts[0].centre) for part in parts):
            raise ValueError("These vectors have different centres. Make all of them with the same centre=.")
        return cls(np.concatenate([part.codes for part in parts]), parts[0].centre)

    def scores(self, query: ArrayLike, **options: Unpack[RunOptions]) -> NDArray[np.float32]:
        """Compute the cosine of every text with a query, both less the centre.

        The query is rounded to sixteen bits, so scores are within 0.0001 of those of :attr:`rows` and the
        same to the bit everywhere. A query without a known word scores 0 with every text.

        Parameters
        ----------
        query : array-like of shape (dimensions,)
            A vector as :meth:`Encoder.encode` gives it.
        **options : threads
        """
        query = np.asarray(query, np.float32)
        if query.shape != self.centre.shape or not np.isfinite(query).all():
            raise ValueError(f"query must be {len(self.centre)} finite numbers, its shape is {query.shape}.")
        apart = (query - self.centre).astype(np.float64) if query.any() else np.zeros(len(query))
        peak = np.abs(apart).max(initial=0)
        if peak == 0:
            return np.zeros(len(self.codes), np.float32)
        whole = np.rint(apart * (_MAX_QUERY / peak)).astype(np.int16)
        products = np.empty(len(self.codes), np.int32)
        _core.dot_bytes(np.ascontiguousarray(self.codes), whole, Run.of(options).n_threads, products)
        length = np.sqrt((whole.astype(np.float64) ** 2).sum())
        return products * (self.scales / np.float32(length))

    def __repr__(self) -> str:
        return f"DocumentVectors({len(self):,} texts, {self.codes.shape[1]} dimensions)"
