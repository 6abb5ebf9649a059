"""Snapshot: some documents at one moment, as people, words and distances see them.

A *part* is one view of all documents of a snapshot: their topics, what another distance sees of them, the
postings of their words. All parts are made when documents come in, selected and concatenated together when
documents come and go, saved with them, and read from a file when they are first used.

The statistics of terms are no part: they are sums over the documents. Neither are the distances of some
pairs, which say how close others are. Both are saved, too, and found anew where a file does not have them.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, cast

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


class Parts(dict[str, Any]):
    """The parts of a snapshot by their names, in memory, and what is known of the documents beside them.

    A part in a file is read and checked on first use. Beside the parts are "terms", "subjects" and
    "distances", None where they are not known, and what was computed of the parts.
    """

    def __init__(self, parts: Mapping[str, Part] = MappingProxyType({}), **others: Any) -> None:
        super().__init__(parts, **others)
        self.names = tuple(parts)

    def __missing__(self, name: str) -> Any:
        return self.setdefault(name, self.load(name))

    def load(self, name: str) -> Any:
        """Load what is not here yet; of documents in memory nothing else is known."""

    def checksum(self, name: str) -> str | None:
        """Identify a part without reading it; None where that takes its numbers."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Some documents at one moment. It never changes: a change of an index makes another one."""

    documents: Documents
    added_after_fit: NDArray[np.bool_]  # documents that came after the topics were learned
    dropped: tuple[str, ...]  # ids that were left out because no word of them is known
    parts: Parts

    def __len__(self) -> int:
        return len(self.documents)

    def __reduce__(self) -> Any:
        parts = Parts(self.select_parts(self.parts.names), terms=self.parts["terms"], subjects=self.subjects)
        return Snapshot, (self.documents, self.added_after_fit, self.dropped, parts)

    @property
    def n_documents(self) -> int:
        return len(self.documents)

    @property
    def schema(self) -> Schema:
        return self.documents.schema

    def select_parts(
        self, names: Iterable[str], positions: NDArray[np.intp] | None = None
    ) -> dict[str, Part]:
        """Return some of the parts, of all documents or of those at some positions."""
        parts = {name: self.parts[name] for name in names}
        return parts if positions is None else {name: one.select(positions) for name, one in parts.items()}

    @property
    def topics(self) -> Representation:
        """The documents by their topics."""
        return cast(Representation, self.parts["topics"])

    @property
    def postings(self) -> Postings:
        """Every word of every document and its title."""
        return cast(Postings, self.parts["postings"])

    def terms(self, model: Model) -> "TermStatistics":
        """Return in how many documents each word and each phrase is; counted once, if no file has it."""
        if self.parts["terms"] is None:
            from hott.terms import TermStatistics

            texts = (one.text for one in self.documents)
            self.parts["terms"] = TermStatistics.of(texts, model.parameters["language"])
        return cast("TermStatistics", self.parts["terms"])

    def distances(self, model: Model) -> NDArray[np.float32] | None:
        """Return the distances of all pairs of some documents, ascending; measured if no file has them.

        None where others are explained than used.
        """
        if self.parts["distances"] is None:
            some = self.combine(model).select(choose_evenly(len(self), MAX_SAMPLED))
            self.parts["distances"] = measure_pairs(model, some)
        return cast("NDArray[np.float32] | None", self.parts["distances"])

    @property
    def subjects(self) -> SubjectTree | None:
        """The subjects of the documents as far as they are known; :meth:`Index.subjects` looks for them."""
        return cast("SubjectTree | None", self.parts["subjects"])

    def keep_subjects(self, subjects: SubjectTree) -> None:
        """Keep subjects that were looked for, to be asked for again and saved."""
        self.parts["subjects"] = subjects

    def with_subjects(self, subjects: SubjectTree) -> "Snapshot":
        """Return the same documents with these subjects."""
        parts = copy(self.parts)
        parts["subjects"] = subjects
        return replace(self, parts=parts)

    def _terms_without(self, positions: NDArray[np.intp]) -> "TermStatistics | None":
        """Take away what documents count that are not selected; None where counting anew is as quick."""
        terms, gone = self.parts["terms"], np.setdiff1d(np.arange(len(self)), positions)
        if terms is None or len(gone) + len(positions) != len(self) or len(gone) > len(positions):
            return None
        texts = self.documents[gone].texts if len(gone) else []
        return cast("TermStatistics", terms.subtract(type(terms).of(texts, terms.language)))

    def combine(self, model: Model) -> Representation:
        """Return the documents as ``model.distance`` sees them; they are joined once."""
        if "combined" not in self.parts:
            used = zip(model.distance_names, model.factors)
            # A distance that does not count is not read; topics tell how many documents there are.
            parts = [self.parts[name] if factor else self.topics for name, factor in used]
            self.parts["combined"] = model.combine(parts)
        return cast(Representation, self.parts["combined"])

    def vector_deviation(self, model: Model) -> float:
        """Return the deviation of the distance of document vectors; old files do not say it."""
        if model.vector_deviation is not None:
            return model.vector_deviation
        if "deviation" not in self.parts:
            vectors = self.parts[model.distance_names[-1]]
            self.parts["deviation"] = float(model.distances[-1].deviation(vectors))
        return cast(float, self.parts["deviation"])

    def take(self, positions: NDArray[np.intp]) -> "Snapshot":
        """Select documents, in the given order. Every part is read: what can fail, fails here."""
        parts = self.select_parts(self.parts.names, positions)
        documents, later = self.documents.take(positions), self.added_after_fit[positions]
        subjects = self.subjects and self.subjects.select(positions)
        known = Parts(parts, terms=self._terms_without(positions), subjects=subjects)
        return Snapshot(documents, later, self.dropped, known)

    @classmethod
    def concat(cls, snapshots: Sequence["Snapshot"]) -> "Snapshot":
        """Put documents one after the other, every part in one pass."""
        if len(snapshots) == 1:
            return snapshots[0]
        terms = [one.parts["terms"] for one in snapshots]
        merged = None if None in terms else terms[0].merge(*terms[1:])
        subjects = SubjectTree.concat([one.subjects for one in snapshots], [len(one) for one in snapshots])
        parts: dict[str, Any] = {}
        for name in snapshots[0].parts.names:
            first, *others = (one.parts[name] for one in snapshots)
            parts[name] = type(first).concat([first, *others])
        return cls(
            Documents.concat([one.documents for one in snapshots]),
            np.concatenate([one.added_after_fit for one in snapshots]),
            tuple(dict.fromkeys(id for one in snapshots for id in one.dropped)),
            Parts(parts, terms=merged, subjects=subjects),
        )

    def fingerprint(self, model: Model) -> str:
        """Identify the documents and their distance; others have another one.

        Parts in a file are known by their checksums, and not read for it, so that they have another one in
        memory.
        """
        values: list[Any] = [repr(model.factors), *model.distance.fingerprint_arrays()]
        for name, factor in zip(model.distance_names, model.factors):
            if factor:
                checksum = self.parts.checksum(name)
                part = self.parts[name] if checksum is None else None
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
