"""What is in an index: copies, groups, odd ones out, topics over time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from hott.index import _clusters
from hott.index.filters import described
from hott.run import Run
from hott.topics import agreement

if TYPE_CHECKING:
    from hott.index.index import Index

_BLOCK = 512  # documents that are compared with all others together
MOST_MONTHS = 50
"""Dates of more months are shown by the year."""


@dataclass(frozen=True, slots=True)
class Copies:
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
    >>> Copies(("a", "b"), likeness=1.0, are_exact=True).ids
    ('a', 'b')
    """

    ids: tuple[str, ...]
    likeness: float
    are_exact: bool


@dataclass(frozen=True, slots=True)
class Cluster:
    """A group of documents, and the words that tell it from the others.

    Attributes
    ----------
    number : int
    words : tuple of str
        Words that the group has more of than the others.
    ids : tuple of str
        Its documents, the most typical first: those that are nearest to the others of it, on average.

    Examples
    --------
    >>> Cluster(0, ("comet", "ice", "dust", "tail"), ("a", "b")).name
    'comet, ice, dust'
    """

    number: int
    words: tuple[str, ...]
    ids: tuple[str, ...]

    @property
    def name(self) -> str:
        return ", ".join(self.words[:3])


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
class TopicsOver:
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
    >>> over = TopicsOver(("2004", "2005"), (7, 9), ("comet, ice", "goal, match"), np.eye(2))
    >>> over.topics[over.shares[:, 1].argmax()]
    'goal, match'
    """

    groups: tuple[str, ...]
    documents: tuple[int, ...]
    topics: tuple[str, ...]
    shares: NDArray[np.float64]


def duplicates(index: "Index", likeness: float) -> list[Copies]:
    """Groups of exact and near copies, the most alike first.

    Near copies have ``likeness`` of their words in common, counted as often as they occur.
    """
    if not 0 < likeness <= 1:
        raise ValueError(f"likeness must be above 0 and at most 1, got {likeness!r}.")
    texts: dict[str, list[int]] = {}
    for position, document in enumerate(index.documents):
        texts.setdefault(" ".join(document.text.split()), []).append(position)
    first = [places[0] for places in texts.values()]
    pairs = _alike(index.postings.counts_by_document()[first], likeness)
    rows = np.array([row for row, _, _ in pairs], np.intp)
    cols = np.array([col for _, col, _ in pairs], np.intp)
    graph = sparse.coo_array((np.ones(len(rows)), (rows, cols)), shape=(len(first), len(first)))
    n_groups, group_of = connected_components(graph, directed=False)
    least = np.ones(n_groups)
    np.minimum.at(least, group_of[rows], np.array([value for _, _, value in pairs]))
    n_texts = np.bincount(group_of, minlength=n_groups)
    members: list[list[int]] = [[] for _ in range(n_groups)]
    for group, places in zip(group_of, texts.values()):
        members[group] += places
    ids = index.documents.ids
    found = [
        Copies(tuple(ids[place] for place in sorted(places)), float(value), bool(different == 1))
        for places, value, different in zip(members, least, n_texts)
        if len(places) > 1
    ]
    return sorted(found, key=lambda copies: (not copies.are_exact, -copies.likeness, -len(copies.ids)))


def _alike(counts: sparse.csr_array, likeness: float) -> list[tuple[int, int, float]]:
    """Pairs of rows that share as much: the words in common over those of both together."""
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


def clusters(index: "Index", min_size: int | None, granularity: int, run: Run) -> list[Cluster]:
    """Find groups of near documents, the largest first."""
    known, quiet = index.likeness.documents, run.quiet()
    if min_size is None:
        min_size = min(_clusters.default_min_size(len(known)), len(known))
    if not 2 <= min_size <= len(known):
        raise ValueError(
            f"min_size must be from 2 to the number of documents, {len(known):,}; got {min_size!r}."
        )
    if granularity not in _clusters.GRANULARITIES:
        raise ValueError(f"granularity must be 1 (coarsest), 2, 3 or 4 (finest), got {granularity!r}.")
    found = _clusters.group_documents(index.distance, known, granularity, min_size, run)
    by_size = np.unique(found[found >= 0])  # numbered from the largest
    ids = list(index.documents.ids)
    there = index.vocabulary.transform([document.text for document in index.documents]) > 0
    everywhere = np.asarray(there.sum(axis=0), float).ravel()
    clusters = []
    for number, largest in enumerate(by_size):
        own = np.flatnonzero(found == largest)
        typical = _clusters.by_typicality(index.distance, known, own, quiet)
        inside = np.asarray(there[known.positions[own]].sum(axis=0), float).ravel()
        words = special_words(index.vocabulary.words_, inside, len(own), everywhere, len(index))
        clusters.append(Cluster(number, words, tuple(ids[i] for i in known.positions[typical])))
    return clusters


def special_words(
    words: NDArray[np.object_],
    inside: NDArray[np.floating],
    n_inside: int,
    everywhere: NDArray[np.floating],
    n_documents: int,
    n: int = 6,
) -> tuple[str, ...]:
    """Return the words that more documents of a group have than of the others, by the ratio of the odds.

    Parameters
    ----------
    words : array of str
    inside, everywhere : array of float
        Documents of the group, and of all, that have each word.
    n_inside, n_documents : int
        Documents of the group, and all.
    n : int
        Words at most.
    """
    outside, others = np.maximum(everywhere - inside, 0), n_documents - n_inside
    odds = np.log((inside + 0.5) / (n_inside - inside + 0.5))
    odds -= np.log((outside + 0.5) / (np.maximum(others - outside, 0) + 0.5))
    weight = odds * np.sqrt(inside)  # that one document has a word says little
    best = np.argsort(-weight, kind="stable")[:n]
    return tuple(str(words[i]) for i in best if weight[i] > 0)


def outliers(index: "Index", n: int, k: int, run: Run) -> list[Outlier]:
    """The documents that are farthest, on average, from their ``k`` nearest others."""
    k = min(k, len(index.likeness.documents) - 1)
    if k < 1:
        raise ValueError("there must be two documents with known words for one to be far from the others.")
    found = index.neighbors(k, threads=run.threads, device=run.device, progress=run.progress)
    mean = found.distances.mean(axis=1)
    order = [i for i in np.argsort(-mean, kind="stable") if not np.isnan(mean[i])][:n]
    found_documents = index.documents.rows_of(np.array(order, np.intp))
    return [Outlier(one.id, one.name, float(mean[i])) for one, i in zip(found_documents, order)]


def topics_over(index: "Index", column: str, model: int, by: str | None) -> TopicsOver:
    """The share of each topic in the documents of each year, month, day or value of a column."""
    values = list(index.documents.column(column))
    groups = [_group(value, by) for value in values]
    are_dates = any(isinstance(value, date) for value in values)
    if by is None and are_dates and len(set(groups)) > MOST_MONTHS:
        groups = [_group(value, "year") for value in values]
    names = sorted({group for group in groups if group is not None}, key=_in_order)
    if not names:
        raise ValueError(f"the column {column!r} is empty.")
    place = {name: number for number, name in enumerate(names)}
    rows = index.represented.distributions[model].csr
    known = index.represented.positions
    group_of = np.array([place.get(groups[position], -1) for position in known], np.intp)  # type: ignore[arg-type]
    there = np.flatnonzero(group_of >= 0)
    member = sparse.csr_array((np.ones(len(there)), (group_of[there], there)), shape=(len(names), len(known)))
    totals = np.asarray((member @ rows).todense()).T
    documents = np.bincount(group_of[there], minlength=len(names))
    topics, curation = index.topics_of(model), index.curation(model)
    joined = [totals[curation.members(topic.number)].sum(axis=0) for topic in topics]
    shares = np.reshape(joined, (len(topics), len(names))) / np.maximum(documents, 1)
    return TopicsOver(
        tuple(map(str, names)), tuple(documents.tolist()), tuple(t.name for t in topics), shares
    )


def _group(value: Any, by: str | None) -> Any:
    if value is None or not isinstance(value, date):
        return value
    length = {"year": 4, "month": 7, "day": 10, None: 7}
    if by not in length:
        raise ValueError(f"by must be 'year', 'month' or 'day', got {by!r}.")
    return value.isoformat()[: length[by]]


def _in_order(value: Any) -> tuple[bool, Any]:
    return (isinstance(value, str), value)


def table(index: "Index", model: int) -> dict[str, Sequence[Any]]:
    """Documents by topics: id, title, label, the other columns, and a column for each topic of a model."""
    documents = index.documents
    columns: dict[str, Sequence[Any]] = {
        "id": list(documents.ids),
        "title": list(documents.titles),
        "label": list(documents.labels),
    }
    columns |= {name: list(values) for name, values in documents.columns.items()}
    dense = index.represented.distributions[model].csr.toarray()
    shares = index.represented.scatter(dense)
    given = index.curation(model).names
    for topic in index.topics_by_number(model):
        name = f"topic {topic.number}: {given.get(topic.number, topic.name)}"
        columns[name if name not in columns else f"{name}_"] = shares[:, topic.number].tolist()
    return columns


def info(index: "Index") -> dict[str, Any]:
    """What the index holds and how it was built."""
    n_models, known = index.parameters["n_models"], index.represented
    topics = sum(rows.starts[-1] - rows.starts[0] for rows in known.distributions)
    return {
        "documents": len(index.documents),
        "documents without a known word": len(index.documents) - len(known),
        "documents dropped": len(index.dropped),
        "columns": described(index.documents),
        "words": len(index.vocabulary.words_),
        "models": n_models,
        "topics": index.parameters["n_topics"],
        "topics a document": _rounded(topics / max(len(known), 1) / n_models),
        "coherence of the topics": _rounded(float(np.nanmean(np.concatenate(index.coherence)))),
        "agreement of the models": _rounded(
            agreement([space.topics.components for space in index.hott.models_])
        ),
        "parameters": index.parameters,
    }


def _rounded(value: float) -> float | None:
    """Two digits, None for what is not known: JSON has no NaN."""
    return None if np.isnan(value) else round(float(value), 2)
