"""The life of an index: documents that come, change and go while its topics stay."""

from dataclasses import dataclass, replace

import numpy as np

from hott.corpus import Corpus, Document
from hott.index.documents import Documents
from hott.index.model import Model
from hott.index.reading import index_corpus
from hott.index.snapshot import Snapshot
from hott.text.languages import stop_words_of
from hott.text.tokens import tokenize
from hott.topics import coherence
from hott.utils.run import Run

_LOOKED_AT = 2_000  # documents of each kind that staleness is judged by
_NEW_SHARE, _NEW_DOCUMENTS = 0.05, 10  # fewer new documents say nothing yet
_MORE_UNKNOWN, _LESS_COHERENT = 0.1, 0.1


@dataclass(frozen=True, slots=True)
class Changes:
    """What a change did to an index.

    Attributes
    ----------
    added, changed, removed : tuple of str
        The ids of the documents that came, changed or went.
    unchanged : int
        How many stayed as they were.

    Examples
    --------
    >>> print(Changes(added=("note-1",), unchanged=200))
    1 added, 0 changed, 0 removed, 200 unchanged
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)

    def __str__(self) -> str:
        return (
            f"{len(self.added):,} added, {len(self.changed):,} changed, {len(self.removed):,} removed, "
            f"{self.unchanged:,} unchanged"
        )


@dataclass(frozen=True, slots=True)
class Staleness:
    """How well the topics of an index fit the documents that came after they were learned.

    Attributes
    ----------
    documents, new : int
        How many there are, and how many of them came later.
    unknown : (float, float)
        The share of the words, stop words apart, that the vocabulary does not have: in the documents that the
        topics were learned from, and in the new ones; NaN where there are too few.
    coherence : (float, float)
        How much the words of the topics occur together, in the same two groups.

    Examples
    --------
    >>> staleness = Staleness(200, 10, unknown=(0.01, 0.2), coherence=(0.1, 0.05))
    >>> staleness.is_stale
    True
    """

    documents: int
    new: int
    unknown: tuple[float, float]
    coherence: tuple[float, float]

    @property
    def is_stale(self) -> bool:
        """Whether topics should be learned again, since many documents are new and unlike the first."""
        if self.new < max(_NEW_DOCUMENTS, _NEW_SHARE * self.documents):
            return False
        more_unknown = self.unknown[1] > self.unknown[0] + _MORE_UNKNOWN
        less_coherent = self.coherence[1] < self.coherence[0] - _LESS_COHERENT
        return more_unknown or less_coherent or self.new > self.documents / 2

    def __str__(self) -> str:
        told = f"{self.new:,} of {self.documents:,} documents came after the topics were learned"
        if not self.new:
            return told
        return (
            f"{told}; {self.unknown[1]:.0%} of their words are unknown ({self.unknown[0]:.0%} of the "
            f"others'), coherence {self.coherence[1]:.2f} ({self.coherence[0]:.2f})"
        )


def take_in(
    model: Model, old: Snapshot, corpus: Corpus, run: Run, *, alone: bool
) -> tuple[Snapshot, Changes]:
    """Put documents of the corpus in the place of those with their ids, new ones behind all.

    ``alone`` leaves out all others, in the order of the corpus. What has not changed is not read again.
    """
    places, ids = old.documents.positions(corpus.ids), list(corpus.ids)
    known = np.flatnonzero(places >= 0)
    same_words, same = np.zeros(len(corpus), bool), np.zeros(len(corpus), bool)
    for row, was, now in zip(known, old.documents.rows_of(places[known]), corpus[known]):
        same_words[row] = was.text == now.text and was.title == now.title
        same[row] = same_words[row] and _is_same(was, now)
    position = np.where(same_words if alone else same, places, -1)  # in both snapshots, one after the other
    snapshots, left_out = [old], tuple[str, ...]()
    if len(coming := np.flatnonzero(position < 0)):
        fresh = index_corpus(model, corpus[coming], run)
        snapshots, left_out = [old, fresh], fresh.dropped
        came = coming[np.isin([ids[row] for row in coming], left_out, invert=True)]
        position[came] = len(old) + np.arange(len(came))
    kept = np.flatnonzero(position >= 0)
    # A document that changed stays where it was; new ones come last, in their order.
    others = np.setdiff1d(np.arange(0 if alone else len(old)), places)
    keys = kept if alone else np.where(places[kept] >= 0, places[kept], len(old) + kept)
    order = np.argsort(np.concatenate([others, keys]), kind="stable")
    order = np.concatenate([others, position[kept]])[order]
    if not len(order):
        raise ValueError("nothing would be left in the index: no document has a known word.")
    there = {ids[row] for row in kept.tolist()}
    before = old.documents.ids if alone else [ids[row] for row in known.tolist()]
    changes = Changes(
        added=tuple(ids[row] for row in kept.tolist() if places[row] < 0),
        changed=tuple(ids[row] for row in kept.tolist() if places[row] >= 0 and not same[row]),
        removed=tuple(id for id in before if id not in there),
        unchanged=int(same.sum()),
    )
    dropped = left_out if alone else tuple(dict.fromkeys([*old.dropped, *left_out]))
    dropped = tuple(id for id in dropped if id not in there)
    if not changes and np.array_equal(order, np.arange(len(old))):
        return old if dropped == old.dropped else replace(old, dropped=dropped), changes
    new = Snapshot.concat(snapshots).take(order)
    if alone:  # the documents are those of the corpus, so that nothing of what they were shows in them
        new = replace(new, documents=Documents.of(corpus if len(kept) == len(corpus) else corpus[kept]))
    return replace(new, dropped=dropped), changes


def _is_same(was: Document, now: Document) -> bool:
    """Return whether two documents say the same of themselves."""
    ours, theirs = ({name: v for name, v in one.columns.items() if v is not None} for one in (was, now))
    return (was.text, was.title, was.label, ours) == (now.text, now.title, now.label, theirs)


def measure_staleness(model: Model, snapshot: Snapshot) -> Staleness:
    """Measure how well the topics fit the documents that came after they were learned."""
    later = snapshot.added_after_fit
    unknown, coherent = [np.nan, np.nan], [np.nan, np.nan]
    for number, rows in enumerate((np.flatnonzero(~later), np.flatnonzero(later))):
        if not len(rows):
            continue
        some = rows[np.linspace(0, len(rows) - 1, min(len(rows), _LOOKED_AT)).astype(np.intp)]
        texts = [document.text for document in snapshot.documents.rows_of(some)]
        counts = model.vocabulary.transform(texts)
        stopped = stop_words_of(model.parameters["stop_words"], model.parameters["language"])
        total = sum(word not in stopped for text in texts for word in tokenize(text))
        unknown[number] = 1 - min(1.0, float(counts.sum()) / max(total, 1))
        found = np.concatenate([coherence(space.topics.components, counts) for space in model.hott.models_])
        if len(rows) >= _NEW_DOCUMENTS and np.isfinite(found).any():
            coherent[number] = float(np.nanmean(found))
    return Staleness(len(snapshot), int(later.sum()), (unknown[0], unknown[1]), (coherent[0], coherent[1]))
