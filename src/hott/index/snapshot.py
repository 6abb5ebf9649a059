"""Snapshot: some documents at one moment, as people, words and distances see them.

A *part* is one view of all documents of a snapshot: their topics, what another distance sees of them, the
postings of their words. All parts are made when documents come in, selected and concatenated together when
documents come and go, saved with them, and read from a file when they are first used.

The statistics of terms are no part: they are sums over the documents. Neither are the distances of some
pairs, which say how close others are. Both are saved, too, and found anew where a file does not have them.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from hott.distances.representation import Representation
from hott.distances.vector import L1, DocumentVectors
from hott.index.documents import Documents
from hott.index.model import Model
from hott.index.subject_tree import SubjectTree
from hott.lexical import Postings
from hott.table.table import Schema
from hott.utils.arrays import fingerprint
from hott.utils.run import Run

if TYPE_CHECKING:
    from hott.terms import TermStatistics

MAX_SAMPLED = 72  # documents of which all pairs are measured, 2,556


Part: TypeAlias = Representation | Postings
"""One view of all documents of a snapshot."""


class PartSource(Protocol):
    """Where the parts of a snapshot come from: memory, or a file."""

    @property
    def names(self) -> tuple[str, ...]: ...
    def load(self, name: str) -> Any:
        """Load a part, or "terms", "subjects" or "distances": None where these are not known."""

    def checksum(self, name: str) -> str | None:
        """Identify a part without reading it; None where that takes its numbers."""


@dataclass(frozen=True, eq=False)
class MemoryParts:
    """Parts that are in memory."""

    parts: Mapping[str, Part]
    terms: "TermStatistics | None" = None
    subjects: SubjectTree | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.parts)

    def load(self, name: str) -> Any:
        return self.parts[name] if name in self.parts else getattr(self, name, None)

    def checksum(self, name: str) -> str | None:
        return None


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Some documents at one moment. It never changes: a change of an index makes another one."""

    documents: Documents
    added_after_fit: NDArray[np.bool_]  # documents that came after the topics were learned
    dropped: tuple[str, ...]  # ids that were left out because no word of them is known
    source: PartSource
    _cache: dict[str, Any] = field(default_factory=dict, repr=False)  # parts that were used

    def __len__(self) -> int:
        return len(self.documents)

    def __reduce__(self) -> Any:
        parts = {name: self.part(name) for name in self.source.names}
        source = MemoryParts(parts, self._counted_terms(), self.subjects)
        return Snapshot, (self.documents, self.added_after_fit, self.dropped, source)

    @property
    def n_documents(self) -> int:
        return len(self.documents)

    @property
    def schema(self) -> Schema:
        return self.documents.schema

    def part(self, name: str) -> Any:
        """Return a part; it is read and checked on first use."""
        found = self._cache.get(name)
        return self._cache.setdefault(name, self.source.load(name)) if found is None else found

    @property
    def topics(self) -> Representation:
        """The documents by their topics."""
        return cast(Representation, self.part("topics"))

    @property
    def postings(self) -> Postings:
        """Every word of every document and its title."""
        return cast(Postings, self.part("postings"))

    def terms(self, model: Model) -> "TermStatistics":
        """Return in how many documents each word and each phrase is; counted once, if no file has it."""
        found = self._counted_terms()
        if found is None:
            from hott.terms import TermStatistics

            found = TermStatistics.of((one.text for one in self.documents), model.parameters["language"])
        return cast("TermStatistics", self._cache.setdefault("terms", found))

    def distances(self, model: Model) -> NDArray[np.float32] | None:
        """Return the distances of all pairs of some documents, ascending; measured if no file has them.

        None where others are explained than used.
        """
        if "distances" not in self._cache:
            found = self.source.load("distances")
            if found is None:
                chosen = choose_evenly(len(self), MAX_SAMPLED)
                found = measure_pairs(model, self.combine(model).select(chosen))
            self._cache["distances"] = found
        return cast("NDArray[np.float32] | None", self._cache["distances"])

    @property
    def subjects(self) -> SubjectTree | None:
        """The subjects of the documents as far as they are known; :meth:`Index.subjects` looks for them."""
        found: SubjectTree | None = self._cache.get("subjects")
        return self.source.load("subjects") if found is None else found

    def keep_subjects(self, subjects: SubjectTree) -> None:
        """Keep subjects that were looked for, to be asked for again and saved."""
        self._cache["subjects"] = subjects

    def with_subjects(self, subjects: SubjectTree) -> "Snapshot":
        """Return the same documents with these subjects."""
        return replace(self, _cache=self._cache | {"subjects": subjects})

    def _counted_terms(self) -> "TermStatistics | None":
        found: TermStatistics | None = self._cache.get("terms")
        return self.source.load("terms") if found is None else found

    def _terms_without(self, positions: NDArray[np.intp]) -> "TermStatistics | None":
        """Take away what documents count that are not selected; None where counting anew is as quick."""
        terms, gone = self._counted_terms(), np.setdiff1d(np.arange(len(self)), positions)
        if terms is None or len(gone) + len(positions) != len(self) or len(gone) > len(positions):
            return None
        texts = self.documents[gone].texts if len(gone) else []
        return terms.subtract(type(terms).of(texts, terms.language))

    def combine(self, model: Model) -> Representation:
        """Return the documents as ``model.distance`` sees them; they are joined once."""
        found: Representation | None = self._cache.get("combined")
        if found is None:
            used = zip(model.distance_names, model.factors)
            # A distance that does not count is not read; topics tell how many documents there are.
            parts = [self.part(name) if factor else self.topics for name, factor in used]
            found = self._cache.setdefault("combined", model.combine(parts))
        return found

    def vector_deviation(self, model: Model) -> float:
        """Return the deviation of the distance of document vectors; old files do not say it."""
        if model.vector_deviation is not None:
            return model.vector_deviation
        if "deviation" not in self._cache:
            vectors = self.part(model.distance_names[-1])
            self._cache["deviation"] = model.distances[-1].deviation(vectors)
        return float(self._cache["deviation"])

    def take(self, positions: NDArray[np.intp]) -> "Snapshot":
        """Select documents, in the given order. Every part is read: what can fail, fails here."""
        parts = {name: self.part(name).select(positions) for name in self.source.names}
        documents, later = self.documents.take(positions), self.added_after_fit[positions]
        subjects = self.subjects and self.subjects.select(positions)
        source = MemoryParts(parts, self._terms_without(positions), subjects)
        return Snapshot(documents, later, self.dropped, source)

    @classmethod
    def concat(cls, snapshots: Sequence["Snapshot"]) -> "Snapshot":
        """Put documents one after the other, every part in one pass."""
        if len(snapshots) == 1:
            return snapshots[0]
        names = snapshots[0].source.names
        terms = [one._counted_terms() for one in snapshots]
        known = [one for one in terms if one is not None]
        merged = known[0].merge(*known[1:]) if len(known) == len(terms) else None
        subjects = SubjectTree.concat([one.subjects for one in snapshots], [len(one) for one in snapshots])
        together = {name: [one.part(name) for one in snapshots] for name in names}
        return cls(
            Documents.concat([one.documents for one in snapshots]),
            np.concatenate([one.added_after_fit for one in snapshots]),
            tuple(dict.fromkeys(id for one in snapshots for id in one.dropped)),
            MemoryParts(
                {name: type(parts[0]).concat(parts) for name, parts in together.items()}, merged, subjects
            ),
        )

    def fingerprint(self, model: Model) -> str:
        """Identify the documents and their distance; others have another one.

        Parts in a file are known by their checksums, and not read for it, so that they have another one in
        memory.
        """
        values: list[Any] = [repr(model.factors), *model.distance.fingerprint_arrays()]
        for name, factor in zip(model.distance_names, model.factors):
            if factor:
                checksum = self.source.checksum(name)
                part = self.part(name) if checksum is None else None
                values += [checksum] if part is None else [part.positions, *part.arrays()]
        return fingerprint(*values)

    def open(self, model: Model) -> "Snapshot":
        """Return itself: it is here already. A shard in a file is opened."""
        return self

    def naming_errors(self) -> AbstractContextManager[None]:
        """Leave errors as they are: they name the file. Those of a shard name the shard."""
        return nullcontext()


def choose_evenly(n: int, most: int) -> NDArray[np.intp]:
    """Choose positions of ``n`` documents, evenly spread, at most so many."""
    return np.unique(np.linspace(0, n - 1, min(most, n)).astype(np.intp))


def measure_pairs(model: Model, some: Representation) -> NDArray[np.float32] | None:
    """Sort the distances of all pairs of documents; None where others are explained than used."""
    used = [distance for distance, factor in zip(model.distances, model.factors) if factor]
    if used[0] is not model.hott or not all(isinstance(one, L1 | DocumentVectors) for one in used[1:]):
        return None
    found = model.distance.between(some, some, Run().quiet())
    return np.sort(found[np.triu_indices(len(found), 1)]).astype(np.float32)
