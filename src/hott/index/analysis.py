"""What is in an index: copies, groups, odd ones out, topics over time."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.index.documents import Documents
from hott.index.filters import check_filter, describe_columns
from hott.index.hits import Hit
from hott.index.model import Model
from hott.index.snapshot import Snapshot
from hott.index.subjects import Subject
from hott.lexical import Postings
from hott.topics import agreement
from hott.utils.tabular import Tabular

_BLOCK = 512  # documents that are compared with all others together


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """Documents that are copies of one another.

    Attributes
    ----------
    ids : tuple of str
    likeness : float
        How alike the least alike of them are; 1: the same words, as often.
    are_exact : bool
        Whether they have the same text, but for white space.

    Examples
    --------
    >>> DuplicateGroup(("a", "b"), likeness=1.0, are_exact=True).ids
    ('a', 'b')
    """

    ids: tuple[str, ...]
    likeness: float
    are_exact: bool


DocumentSelection: TypeAlias = Subject | Mapping[str, Any] | Iterable[str | Hit]
"""Documents by their ids, by a filter, of a subject, or the hits of a search."""


@dataclass(frozen=True, slots=True)
class Outlier:
    """A document that is far from its nearest neighbours.

    Attributes
    ----------
    id : str
    name : str
        The title, or the first line.
    distance : float
        Mean, to its nearest.

    Examples
    --------
    >>> Outlier("music/fugue", "The fugue", 0.62).distance
    0.62
    """

    id: str
    name: str
    distance: float


@dataclass(frozen=True, slots=True, eq=False)
class TopicTrends(Tabular):
    """How much of each group of documents is about each topic.

    Attributes
    ----------
    groups : tuple of str
        Years, months, or values of a column.
    documents : tuple of int
        How many are in each group.
    topics : tuple of str
        Their names.
    shares : array of shape (topics, groups)
        Each column sums to 1, but for topics that are hidden.

    Examples
    --------
    >>> over = TopicTrends(("2004", "2005"), (7, 9), ("comet, ice", "goal, match"), np.eye(2))
    >>> over.topics[over.shares[:, 1].argmax()]
    'goal, match'
    """

    groups: tuple[str, ...]
    documents: tuple[int, ...]
    topics: tuple[str, ...]
    shares: NDArray[np.float64]

    def to_columns(self) -> dict[str, Sequence[Any]]:
        """Return a row for each topic and a column for each group."""
        return {"topic": self.topics} | dict(zip(self.groups, self.shares.T.tolist()))


def find_duplicates(documents: Documents, postings: Postings, likeness: float) -> list[DuplicateGroup]:
    """Find groups of exact and near copies, the most alike first.

    Near copies have ``likeness`` of their words in common, counted as often as they occur.
    """
    if not 0 < likeness <= 1:
        raise ValueError(f"likeness must be above 0 and at most 1, got {likeness!r}.")
    texts: dict[str, list[int]] = {}
    for position, document in enumerate(documents):
        texts.setdefault(" ".join(document.text.split()), []).append(position)
    first = [places[0] for places in texts.values()]
    pairs = _find_alike(postings.counts_by_document()[first], likeness)
    rows = np.array([row for row, _, _ in pairs], np.intp)
    cols = np.array([col for _, col, _ in pairs], np.intp)
    from scipy.sparse.csgraph import connected_components  # takes long to import

    graph = sparse.coo_array((np.ones(len(rows)), (rows, cols)), shape=(len(first), len(first)))
    n_groups, group_of = connected_components(graph, directed=False)
    least = np.ones(n_groups)
    np.minimum.at(least, group_of[rows], np.array([value for _, _, value in pairs]))
    n_texts = np.bincount(group_of, minlength=n_groups)
    members: list[list[int]] = [[] for _ in range(n_groups)]
    for group, places in zip(group_of, texts.values()):
        members[group] += places
    ids = documents.ids
    found = [
        DuplicateGroup(tuple(ids[place] for place in sorted(places)), float(value), bool(different == 1))
        for places, value, different in zip(members, least, n_texts)
        if len(places) > 1
    ]
    return sorted(found, key=lambda copies: (not copies.are_exact, -copies.likeness, -len(copies.ids)))


def _find_alike(counts: sparse.csr_array, likeness: float) -> list[tuple[int, int, float]]:
    """Find pairs of rows that are alike enough: the words in common over those of both together."""
    # The second occurrence of a word is a word of its own: then what is in common is a product.
    repeats = np.repeat(np.arange(counts.nnz), counts.data)
    nth = np.arange(len(repeats)) - np.repeat(np.cumsum(counts.data) - counts.data, counts.data)
    columns = counts.indices[repeats].astype(np.int64) * (int(counts.data.max(initial=1)) + 1) + nth
    kinds, columns = np.unique(columns, return_inverse=True)
    sizes = np.asarray(counts.sum(axis=1)).ravel()
    starts = np.concatenate([[0], np.cumsum(sizes)])
    ones = np.ones(len(columns), np.float32)
    words = sparse.csr_array((ones, columns, starts), shape=(counts.shape[0], len(kinds)))
    found: list[tuple[int, int, float]] = []
    for start in range(0, counts.shape[0], _BLOCK):
        common = sparse.coo_array(words[start : start + _BLOCK] @ words[start:].T)
        rows, cols = common.row + start, common.col + start
        values = common.data / (sizes[rows] + sizes[cols] - common.data)
        near = (rows < cols) & (values >= likeness)
        found += zip(rows[near].tolist(), cols[near].tolist(), values[near].tolist())
    return found


def find_positions(snapshot: Snapshot, which: DocumentSelection) -> NDArray[np.intp]:
    """Find the documents of a selection: ids, a filter, a subject or the hits of a search."""
    documents = snapshot.documents
    if isinstance(which, Mapping):
        found = np.flatnonzero(check_filter(documents, which))
    elif isinstance(which, str) or not isinstance(which, Subject | Iterable):
        raise ValueError(
            "a selection is a list of ids, a filter such as {'label': 'sport'}, a subject or the hits of a "
            f"search; got {which!r:.60} ({type(which).__name__})."
        )
    else:
        ids = which.ids if isinstance(which, Subject) else which
        names = [one.id if isinstance(one, Hit) else one for one in ids]
        found = np.unique(np.array([documents.position(name) for name in names], np.intp))
    if not len(found):
        raise ValueError("a selection has no document.")
    return found


def summarize(model: Model, snapshot: Snapshot) -> dict[str, Any]:
    """Say what an index holds and how it was built, in plain values."""
    n_models, known = model.parameters["n_models"], snapshot.topics
    topics = sum(rows.starts[-1] - rows.starts[0] for rows in known.distributions)
    return {
        "documents": len(snapshot.documents),
        "language": model.parameters["language"],
        "documents without a known word": len(snapshot.documents) - len(known),
        "documents dropped": len(snapshot.dropped),
        "columns": describe_columns(snapshot.documents),
        "words": len(model.vocabulary.words_),
        "meaning": model.meaning,
        "models": n_models,
        "topics": model.parameters["n_topics"],
        "topics a document": _round(topics / max(len(known), 1) / n_models),
        "coherence of the topics": _round(float(np.nanmean(np.concatenate(model.coherence)))),
        "agreement of the models": _round(
            agreement([space.topics.components for space in model.hott.models_])
        ),
        "parameters": dict(model.parameters),
    }


def _round(value: float) -> float | None:
    """Round to two digits; return None for what is not known, since JSON has no NaN."""
    return None if np.isnan(value) else round(float(value), 2)
