"""From texts to topic proportions, block by block."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott._progress import Progress, reporting
from hott.distances.topic import HOTT, Prepared
from hott.transport import Distributions
from hott.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Inferred:
    """Topic proportions, ready to search, of those documents of a block that have a known word."""

    n_documents: int
    rows: NDArray[np.intp]  # which of the documents these are
    proportions: Prepared | None  # None when there is none


@dataclass(frozen=True, slots=True)
class Reader:
    """What turns documents into topic proportions."""

    vocabulary: Vocabulary
    distance: HOTT

    def read(self, texts: Sequence[str]) -> Inferred:
        return self.infer(sparse.csr_array(self.vocabulary.transform(texts)))

    def infer(self, counts: sparse.csr_array) -> Inferred:
        """Topic proportions of documents given as word counts."""
        rows = np.flatnonzero(np.diff(counts.indptr))
        some = self.distance.prepare(self.distance.transform(counts[rows])) if len(rows) else None
        return Inferred(counts.shape[0], rows, some)

    def read_one(self, text: str, what: str) -> Prepared:
        """Topic proportions of one text, which must have a known word; ``what`` names it in the error."""
        found = self.read([text]).proportions
        if found is None:
            shown = repr(text[:60]) + ("..." if len(text) > 60 else "")
            raise ValueError(
                f"{what} has no known word: {shown} shares none with the {len(self.vocabulary.words_):,} "
                "words of the index. Use words that occur in its documents."
            )
        return found


def represented(
    distance: HOTT, inferred: Iterable[Inferred], n_documents: int, progress: Progress
) -> tuple[Prepared, NDArray[np.intp]]:
    """All proportions that were inferred block by block, and the documents that have some."""
    blocks: list[Prepared] = []
    known = []
    done = 0
    with reporting(progress, "topic proportions") as report:
        for block in inferred:
            if block.proportions is not None:
                blocks.append(block.proportions)
            known.append(done + block.rows)
            done += block.n_documents
            if report is not None:
                report(done, n_documents)
    if not blocks:
        blocks = [tuple(_no_rows(space.topics.n_topics) for space in distance.models_)]
    return tuple(map(joined, zip(*blocks))), np.concatenate(known)


def joined(parts: Sequence[Distributions]) -> Distributions:
    """The rows of all parts, one after the other."""
    spans = [slice(int(part.starts[0]), int(part.starts[-1])) for part in parts]
    ends = np.cumsum([0, *(span.stop - span.start for span in spans)])
    starts = [part.starts[:-1] - span.start + end for part, span, end in zip(parts, spans, ends)]
    return Distributions(
        np.concatenate([*starts, ends[-1:]]),
        np.concatenate([part.sites[span] for part, span in zip(parts, spans)]),
        np.concatenate([part.masses[span] for part, span in zip(parts, spans)]),
        parts[0].n_sites,
    )


def as_matrix(rows: Prepared) -> sparse.csr_array:
    """Proportions as a matrix, a block of columns a model."""
    return sparse.csr_array(sparse.hstack([part.csr for part in rows], format="csr"))


def spread(rows: Prepared, known: NDArray[np.intp], n_documents: int) -> sparse.csr_array:
    """The same for all documents; rows of those that have no proportions are empty."""
    matrix = as_matrix(rows)
    if len(known) == n_documents:
        return matrix
    counts = np.zeros(n_documents + 1, matrix.indptr.dtype)
    counts[known + 1] = np.diff(matrix.indptr)
    shape = n_documents, matrix.shape[1]
    return sparse.csr_array((matrix.data, matrix.indices, np.cumsum(counts)), shape=shape)


def _no_rows(n_sites: int) -> Distributions:
    return Distributions(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0), n_sites)
