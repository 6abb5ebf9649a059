"""Fitted distances, and documents as they see them, as arrays of an index file, and back."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott import _core
from hott.distances.base import Distance
from hott.distances.representation import Part, Representation
from hott.distances.topic import HOFTT, HOTT
from hott.distances.vector import L1, LSI, NBOW, SIF, TFIDF, Cosine, DocumentVectors, LDADistance
from hott.distances.word import RWMD, WCD, WMD
from hott.ground import Distributions, site_type
from hott.index.model import hoftt_of
from hott.storage import StorageError, Stored

_KINDS: dict[str, type[Distance]] = {
    kind.__name__: kind
    for kind in (Cosine, DocumentVectors, HOFTT, L1, LDADistance, LSI, NBOW, RWMD, SIF, TFIDF, WCD, WMD)
}
_OF_THE_INDEX = ("word_vectors", "topic_model")  # parameters that are not kept: the index has them


def described(other: Distance) -> dict[str, Any]:
    """What the header says of a distance beside that over topics."""
    kind = type(other).__name__
    if _KINDS.get(kind) is not type(other):
        raise ValueError(
            f"An index with a distance of your own, {kind}, cannot be saved: only those of hott can be."
        )
    parameters = {
        name: value for name, value in other.get_params(deep=False).items() if name not in _OF_THE_INDEX
    }
    return {"kind": kind, "parameters": parameters, "parts": _n_parts(other)}


def learned_arrays(other: Distance) -> dict[str, Any]:
    """What a distance learned, as parts of a file."""
    return {f"learned.{name}": value for name, value in _learned(other).items()}


def document_arrays(seen: Representation) -> dict[str, Any]:
    """Documents as a distance sees them, as parts of a file."""
    arrays: dict[str, Any] = {"positions": seen.positions.astype(np.int64)}
    for number, part in enumerate(seen.parts):
        if isinstance(part, Distributions):
            arrays |= arrays_of(part, f"documents.{number}")
        else:
            arrays[f"documents.{number}"] = part
    return arrays


def distance(stored: Stored, described: dict[str, Any], name: str, hott: HOTT) -> Distance:
    """A distance beside that over topics, from an open file, which may be forged."""
    kind = _KINDS[described["kind"]]
    n_words = hott.n_features_in_
    other: Distance
    if kind is HOFTT:
        other = hoftt_of(hott)
    elif kind is DocumentVectors:
        other = DocumentVectors()
    else:
        own: dict[str, Any] = {"word_vectors": hott.word_vectors, "topic_model": hott.models_[0].topics}
        names = kind().get_params(deep=False)
        other = kind(**described["parameters"], **{key: own[key] for key in own if key in names})
        # Fitted on documents of a word each; then what was learned takes the place of that.
        other.fit(sparse.csr_array(np.eye(2, n_words) + np.eye(2, n_words, 1)))
        for learned, value in _learned(other).items():
            shape: tuple[int | None, ...] = value.shape
            if learned == "components_":  # as many as were asked for
                shape = (None, n_words)
            setattr(other, learned, _finite(stored, stored.array(f"{name}.learned.{learned}", shape)))
    if described["parts"] != _n_parts(other):
        raise StorageError(f"{stored.path}: the part {name!r} has {described['parts']!r:.40} parts.")
    return other


def reader(stored: Stored, other: Distance, name: str, n_documents: int) -> Callable[[], Representation]:
    """What reads the documents of an open file as a distance sees them."""

    def read() -> Representation:
        with stored.expected():
            where = positions(stored, f"{name}.positions", n_documents)
            numbers = range(_n_parts(other))
            parts = [_part(stored, f"{name}.documents.{i}", other, len(where)) for i in numbers]
            return Representation.of(*parts, positions=where, n_documents=n_documents)

    return read


def _n_parts(other: Distance) -> int:
    return len(other.models_) if isinstance(other, HOFTT) else 1


def _learned(other: Distance) -> dict[str, NDArray[np.float64]]:
    """The arrays that a distance learned, but for the vectors of words, which the index has."""
    return {
        name: value
        for name, value in vars(other).items()
        if isinstance(value, np.ndarray) and name != "word_vectors_" and name.endswith("_")
    }


def _part(stored: Stored, name: str, other: Distance, n_rows: int) -> Part:
    """Documents as a distance sees them: of the form that it gives, and safe for compiled code."""
    if isinstance(other, DocumentVectors):
        return _finite(stored, stored.array(name, (n_rows, None)))
    if isinstance(other, HOFTT):
        n_topics = other.models_[int(name.rsplit(".", 1)[1])].topics.n_topics
        return distributions(stored, name, (n_rows, n_topics))
    form = other.represent(sparse.csr_array(np.ones((1, other.n_features_in_)))).parts[0]
    if isinstance(form, np.ndarray):
        return _finite(stored, stored.array(name, (n_rows, form.shape[1])))
    matrix = stored.matrix(name, (n_rows, form.shape[1]))  # type: ignore[union-attr]
    if not matrix.has_canonical_format or not (np.isfinite(matrix.data).all() and (matrix.data >= 0).all()):
        raise StorageError(f"{stored.path}: the part {name!r} does not hold weights of words.")
    return matrix


def _finite(stored: Stored, values: NDArray[np.float64]) -> NDArray[np.float64]:
    if not np.isfinite(values).all():
        raise StorageError(f"{stored.path}: some numbers in it are NaN or infinite.")
    return values


def positions(stored: Stored, name: str, n_documents: int) -> NDArray[np.int64]:
    """Which of the documents are meant, ascending."""
    where = stored.array(name, (None,), "i")
    if len(where) and not (where[0] >= 0 and (np.diff(where) > 0).all() and where[-1] < n_documents):
        raise StorageError(f"{stored.path}: the part {name!r} does not name documents.")
    return where


def arrays_of(rows: Distributions, name: str) -> dict[str, Any]:
    """Topic proportions as parts of a file: how many each document has, which, and their masses."""
    if not rows.is_compact:
        return {name: rows.csr}
    first, last = rows.starts[0], rows.starts[-1]
    sizes = np.diff(rows.starts)
    return {
        f"{name}.sizes": sizes.astype(site_type(int(sizes.max(initial=0)) + 1)),
        f"{name}.sites": rows.sites[first:last],
        f"{name}.masses": rows.masses[first:last],
    }


def _compact_distributions(stored: Stored, name: str, shape: tuple[int, int]) -> Distributions:
    sizes = stored.array(f"{name}.sizes", (shape[0],), "iu")
    starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    sites, masses = (stored.array(f"{name}.{what}", (int(starts[-1]),), "iu") for what in ("sites", "masses"))
    good = sites.dtype == site_type(shape[1]) and masses.dtype == np.uint16 and sizes.min(initial=1) > 0
    if not good or not _core.is_sound((starts, sites, masses), shape[1]):
        raise StorageError(f"{stored.path}: the part {name!r} does not hold topic proportions.")
    return Distributions(starts, sites, masses, shape[1])


def distributions(stored: Stored, name: str, shape: tuple[int, int]) -> Distributions:
    """Topic proportions, as they are.

    They were checked and scaled before they were saved. ``Distributions.of`` would scale them once more, and
    their last bits would change; what is checked here is what compiled code relies on.
    """
    if f"{name}.sizes" in stored.arrays:
        return _compact_distributions(stored, name, shape)
    matrix = stored.matrix(name, shape)
    masses = matrix.data
    sums = np.add.reduceat(masses, matrix.indptr[:-1]) if len(masses) else np.ones(0)
    good = (np.diff(matrix.indptr) > 0).all() and len(sums) == shape[0] and (abs(sums - 1) < 1e-6).all()
    if not good or not matrix.has_canonical_format or not masses.min(initial=1) > 0:
        raise StorageError(f"{stored.path}: the part {name!r} does not hold topic proportions.")
    starts, sites = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32, copy=False)
    return Distributions(starts, sites, masses, matrix.shape[1])
