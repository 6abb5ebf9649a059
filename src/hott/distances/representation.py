"""Documents as a distance sees them: one type, from counts to neighbours, files and explanations."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.compute.ground import Distributions
from hott.utils.arrays import normalize

if TYPE_CHECKING:
    from hott.embeddings.encoder import DocumentVectors

Part: TypeAlias = "Distributions | sparse.csr_array | NDArray[np.float64] | DocumentVectors | Representation"
Positions: TypeAlias = NDArray[np.integer]
Rows: TypeAlias = slice | NDArray[np.integer] | Sequence[int]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Representation:
    """Documents as a distance sees them, whatever that is: topic proportions, word weights, vectors.

    Documents without words are not in the parts; ``positions`` says which documents are. Distances know
    nothing of the others: :meth:`scatter` gives them their rows back.
    """

    parts: tuple[Part, ...]  # one a topic model or a blended distance; rows in the order of `positions`
    positions: NDArray[np.intp]  # ascending: the documents that have words
    n_documents: int  # of all
    drops_empty: bool  # whether results leave out documents without words, instead of giving NaN

    @classmethod
    def of(
        cls, *parts: Part, positions: Any = None, n_documents: int | None = None, drops_empty: bool = False
    ) -> "Representation":
        """Put parts together; without ``positions`` every document has words."""
        n_rows = len(parts[0]) if isinstance(parts[0], Representation) else parts[0].shape[0]
        where = np.arange(n_rows) if positions is None else np.asarray(positions, np.intp)
        return cls(parts, where, len(where) if n_documents is None else n_documents, drops_empty)

    def __repr__(self) -> str:
        return f"Representation({self.n_documents} documents, {len(self)} of them with words)"

    def __len__(self) -> int:
        """Count the documents with words, which are the rows of the parts."""
        return len(self.positions)

    @property
    def is_complete(self) -> bool:
        """Whether every document of the result has words."""
        return self.drops_empty or len(self) == self.n_documents

    @property
    def distributions(self) -> tuple[Distributions, ...]:
        """The parts of a distance over topics, one a model."""
        if not all(isinstance(part, Distributions) for part in self.parts):
            raise ValueError("These documents are not represented by topic proportions.")
        return self.parts  # type: ignore[return-value]

    def arrays(self) -> Iterator[NDArray]:
        """Yield all numbers of the parts, in a form that does not depend on how they came together."""
        for part in self.parts:
            if isinstance(part, Representation):
                yield from part.arrays()
            elif isinstance(part, np.ndarray):
                yield part
            elif hasattr(part, "codes"):
                yield part.codes
            else:
                matrix = _matrix(part)
                yield from (matrix.indptr.astype(np.int64), matrix.indices, matrix.data)

    def take(self, rows: Rows) -> "Representation":
        """Take some of the documents with words, by their rows in the parts, as a new representation."""
        n, parts = len(self), self.parts
        if isinstance(rows, slice):
            is_all = rows.indices(n) == (0, n, 1)
        else:
            is_all = np.array_equal(rows, np.arange(n))
        if not is_all:
            parts = tuple(p.take(rows) if isinstance(p, Representation) else p[rows] for p in parts)
        return Representation.of(*parts)

    def __getitem__(self, documents: slice) -> "Representation":
        """Return a run of documents, including those without words."""
        start, stop, step = documents.indices(self.n_documents)
        if step != 1:
            raise ValueError(f"documents are taken by runs, without steps; got {documents}.")
        first, last = np.searchsorted(self.positions, (start, max(start, stop)))
        taken = self.take(slice(int(first), int(last)))
        where = self.positions[first:last] - start
        return replace(taken, positions=where, n_documents=max(0, stop - start), drops_empty=self.drops_empty)

    def select(self, documents: NDArray[np.integer]) -> "Representation":
        """Take the documents at some positions, including those without words, as a new representation."""
        known = np.isin(documents, self.positions)
        taken = self.take(np.searchsorted(self.positions, documents[known]))
        return replace(taken, positions=np.flatnonzero(known), n_documents=len(documents))

    @classmethod
    def concat(cls, blocks: "Sequence[Representation]") -> "Representation":
        """Put the documents of all blocks one after the other."""
        first = blocks[0]
        ends = np.cumsum([0, *(block.n_documents for block in blocks)])
        parts = tuple(_join(parts) for parts in zip(*(block.parts for block in blocks)))
        where = np.concatenate([block.positions + end for block, end in zip(blocks, ends)])
        return cls(parts, where, int(ends[-1]), first.drops_empty)

    def scatter(
        self, values: NDArray[np.float64], others: "Representation | None" = None
    ) -> NDArray[np.float64]:
        """Spread values over all documents, one row each, with NaN for those without words.

        With ``others``, values a pair: NaN in the columns of those of the others that have no words, too.
        """
        if others is not None and not others.is_complete:
            across = np.full((len(values), others.n_documents), np.nan)
            across[:, others.positions] = values
            values = across
        if self.is_complete:
            return values
        full = np.full((self.n_documents, *values.shape[1:]), np.nan)
        full[self.positions] = values
        return full

    def matrix(self) -> Any:
        """Return one row per document, the parts side by side, NaN without words; sparse if a part is."""
        parts = [_matrix(part) for part in self.parts]
        if not any(sparse.issparse(part) for part in parts):
            return self.scatter(parts[0] if len(parts) == 1 else np.hstack(parts))
        joined = sparse.csr_array(sparse.hstack(parts, format="csr")) if len(parts) > 1 else parts[0]
        if self.is_complete:
            return joined
        missing = np.setdiff1d(np.arange(self.n_documents), self.positions)
        counts = np.ones(self.n_documents + 1, joined.indptr.dtype)
        counts[0] = 0
        counts[self.positions + 1] = np.diff(joined.indptr)
        starts = np.cumsum(counts)
        indices = np.zeros(starts[-1], joined.indices.dtype)
        data = np.full(starts[-1], np.nan)
        places = np.delete(np.arange(starts[-1]), starts[missing])
        indices[places], data[places] = joined.indices, joined.data
        return sparse.csr_array((data, indices, starts), shape=(self.n_documents, joined.shape[1]))


def _join(parts: Sequence[Any]) -> Part:
    if hasattr(parts[0], "concat"):
        return type(parts[0]).concat(parts)  # type: ignore[no-any-return]
    if sparse.issparse(parts[0]):
        return sparse.csr_array(sparse.vstack(parts, format="csr"))
    return np.concatenate(parts)


def _matrix(part: Part) -> Any:
    if isinstance(part, Distributions):
        return part.csr
    if isinstance(part, Representation):
        return part.matrix()
    return normalize(part.codes.astype(np.float64)) if hasattr(part, "codes") else part


def csr_parts(X: sparse.csr_array) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Return the arrays of a CSR matrix in the types that the compiled core takes."""
    return X.indptr.astype(np.int64, copy=False), X.indices.astype(np.int32, copy=False), X.data
