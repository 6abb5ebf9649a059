"""Subjects: what the documents of an index are about, coarse to fine, each named by its terms."""

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import chain, count
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from hott.index.documents import Documents
from hott.index.model import Model
from hott.index.snapshot import Snapshot
from hott.index.subject_tree import LEVELS, NO_SUBJECT, UNPLACED, Node, SubjectTree
from hott.neighbors import find_communities, nearby, search
from hott.terms import Contrast, DocumentSet, TermStatistics, contrast, name_sets
from hott.terms.sets import TermTable, quote_sentences
from hott.utils.run import Run
from hott.utils.tabular import INTERNAL, Tabular

MAX_EXACT = 150_000  # documents up to which the nearest of each are found exactly; of more, most of them are
N_NEIGHBORS = 15  # in the graph, at most
N_TERMS = 6  # that describe a subject
MAX_READ = 4_000  # documents that terms are found in: some evenly chosen, and of each subject
MIN_READ = 30  # its most typical ones
N_EXAMPLES = 3
N_QUOTABLE = 10  # of its most typical documents, the best sentences of which are quoted
_MAX_EXAMPLE, _MAX_QUOTED = 240, 20_000  # characters of an example, and of a text that it is looked for in
_SURE = 2.0  # standard deviations by which the share of a subject rose or fell
MAX_MONTHS = 50  # dates of more months are shown by the year
_LENGTHS = {"year": 4, "month": 7, "day": 10, None: 7}  # of a date as it is written


@dataclass(frozen=True, slots=True)
class Subject:
    """What some documents are about: a group of near documents, and the terms that tell it from the others.

    Attributes
    ----------
    number : int
        It stays the same while documents come and go.
    name : str
        Its first terms, or what people called it. No two subjects have the same.
    terms : tuple of str
        Words and phrases that more of its documents have than of the others, the most special first.
    ids : tuple of str
        Its documents, the most typical first: those that are among the nearest of most others of it.
    examples : tuple of str
        The titles of its most typical documents, or sentences of those that have none.
    level : int
        From 1, the coarsest, to 4.
    parent : int or None
        The number of the subject that it lies in.
    is_chaff : bool
        Whether it is about nothing: its terms are common words, greetings and words of mail. Such come last.

    Examples
    --------
    >>> subject = Subject(0, "comet, ice, dust", ("comet", "ice", "dust", "tail"), ("a", "b"))
    >>> subject.name, subject.size
    ('comet, ice, dust', 2)
    """

    number: int
    name: str
    terms: tuple[str, ...]
    ids: tuple[str, ...] = field(repr=False)
    examples: tuple[str, ...] = field(default=(), repr=False)
    level: int = field(default=1, metadata=INTERNAL)
    parent: int | None = field(default=None, metadata=INTERNAL)
    is_chaff: bool = field(default=False, metadata=INTERNAL)

    @property
    def size(self) -> int:
        return len(self.ids)

    @property
    def words(self) -> tuple[str, ...]:
        """The terms."""
        return self.terms


class Subjects(Tabular, Sequence[Subject]):
    """The subjects of an index, a dozen or two: the largest first, chaff last.

    They are one level of a hierarchy, whose subjects of all levels are in :attr:`all`.

    Attributes
    ----------
    all : tuple of Subject
        All that are not hidden, the coarsest level first, then the largest first and chaff last.
    level : int
        Of those in the list.

    Examples
    --------
    >>> import hott
    >>> index = hott.Index.build(hott.demo.corpus()[:80], n_topics=8, n_models=1)
    >>> subjects = index.subjects()
    >>> len(subjects) > 3, sum(subject.size for subject in subjects) <= 80
    (True, True)
    >>> finest = subjects.of("astronomy/venus")[-1]
    >>> "astronomy/venus" in finest.ids, finest.examples[0] in index.names
    (True, True)
    """

    def __init__(
        self,
        every: Sequence[Subject],
        level: int,
        snapshot: Snapshot,
        tree: SubjectTree,
        statistics: TermStatistics,
    ) -> None:
        self.all = tuple(every)
        self.level = level
        self._snapshot, self.tree, self._statistics = snapshot, tree, statistics
        self._by_number = {subject.number: subject for subject in every}
        self._listed = self.at(level)

    @overload
    def __getitem__(self, place: int) -> Subject: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Subject]: ...
    def __getitem__(self, place: int | slice) -> Subject | Sequence[Subject]:
        return self._listed[place]

    def __len__(self) -> int:
        return len(self._listed)

    def __repr__(self) -> str:
        return f"Subjects({', '.join(repr(subject.name) for subject in self)})"

    def at(self, level: int) -> tuple[Subject, ...]:
        """List the subjects of a level, from 1 (a few large ones) to 4 (many small ones).

        A subject without finer ones is one of the finer levels, too.
        """
        if level not in LEVELS:
            raise ValueError(f"level must be 1 (coarsest), 2, 3 or 4 (finest), got {level!r}.")
        there = set(np.unique(self.tree.at(level)).tolist())
        found = [subject for subject in self.all if subject.number in there]
        return tuple(sorted(found, key=lambda subject: (subject.is_chaff, -subject.size, subject.number)))

    def find(self, which: int | str) -> Subject:
        """Find a subject by its number or its name."""
        for subject in self.all:
            if which in (subject.number, subject.name):
                return subject
        raise ValueError(f"there is no subject {which!r:.60}.")

    def children(self, subject: Subject) -> tuple[Subject, ...]:
        """List the finer subjects that lie directly in one."""
        return tuple(one for one in self.all if one.parent == subject.number)

    def of(self, id: str) -> tuple[Subject, ...]:
        """List the subjects that a document is in, the coarsest first; none if it is near no others."""
        leaf = int(self.tree.leaf[self._snapshot.documents.position(id)])
        path = self.tree.path(leaf) if leaf >= 0 else []
        return tuple(self._by_number[number] for number in reversed(path) if number in self._by_number)

    def over(self, column: str, *, by: str | None = None) -> "SubjectTrends":
        """Measure the share of each subject in the documents of each year, month or value of a column.

        Parameters
        ----------
        column : str
        by : "year", "month" or "day", optional
            How dates are grouped: by month, or by year where there are more than fifty months.
        """
        documents = self._snapshot.documents
        groups, group_of = group_by_column(documents, column, by)
        sizes = np.bincount(group_of[group_of >= 0], minlength=len(groups))
        numbers = self.groups()
        inside = [group_of[(numbers == subject.number) & (group_of >= 0)] for subject in self]
        counts = np.array([np.bincount(own, minlength=len(groups)) for own in inside])
        counts = counts.reshape(len(self), len(groups))
        moved: list[tuple[Subject, float, float]] = []
        is_ordered = any(isinstance(value, date | int | float) for value in documents.column(column))
        if is_ordered and len(groups) > 1:
            half = len(groups) // 2
            n = sizes[:half].sum(), sizes[half:].sum()
            for subject, row in zip(self, counts):
                before, after = row[:half].sum() / n[0], row[half:].sum() / n[1]
                share = row.sum() / sum(n)
                error = math.sqrt(share * (1 - share) * (1 / n[0] + 1 / n[1]))
                if abs(after - before) > _SURE * error:
                    moved.append((subject, float(before), float(after)))
        moved.sort(key=lambda change: -abs(change[2] - change[1]))
        rose = tuple(change for change in moved if change[2] > change[1])
        fell = tuple(change for change in moved if change[2] < change[1])
        found = (groups, tuple(sizes.tolist()), tuple(self), counts / np.maximum(sizes, 1))
        source = (self._snapshot, group_of, self._statistics)
        return SubjectTrends(*found, rose, fell, *source)

    def positions(self, subject: Subject) -> NDArray[np.intp]:
        """Return the positions of the documents of a subject, the most typical first."""
        return self.tree.members()[subject.number]

    def groups(self, level: int | None = None) -> NDArray[np.int32]:
        """Return the number of the subject of each document at a level; -1 where it has none.

        A document whose subject is too small to be listed counts for the next coarser one that is.
        """
        there = self.tree.at(self.level if level is None else level)
        numbers, places = np.unique(there, return_inverse=True)
        return np.array([self._listed_above(number) for number in numbers.tolist()], np.int32)[places]

    def _listed_above(self, number: int) -> int:
        for one in self.tree.path(number) if number >= 0 else ():
            if one in self._by_number:
                return one
            if self.tree.nodes[one].is_hidden:
                break
        return NO_SUBJECT


@dataclass(frozen=True, slots=True)
class SubjectChanges:
    """What looking for subjects anew changed.

    Attributes
    ----------
    added, removed : tuple of str
        The names of subjects that are new, and of those that are no more.
    moved : int
        Documents that are in another subject than before.

    Examples
    --------
    >>> print(SubjectChanges(("comet, ice, dust",), (), 12))
    1 new subject (comet, ice, dust), 0 gone, 12 documents moved
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    moved: int

    @classmethod
    def of(cls, before: Subjects, after: Subjects) -> "SubjectChanges":
        """Compare the subjects of the same documents. A subject is the same if most of its documents are."""
        old, new = before.groups(), after.groups(before.level)
        pairs, counts = np.unique(np.stack([old, new]), axis=1, return_counts=True)
        follows: dict[int, int] = {}
        moved = len(old) - int(counts[(pairs == NO_SUBJECT).all(axis=0)].sum())
        taken: set[int] = set()
        for place in np.argsort(-counts, kind="stable").tolist():
            one, other = pairs[:, place].tolist()
            if min(one, other) >= 0 and one not in follows and other not in taken:
                follows[one] = other
                taken.add(other)
                moved -= int(counts[place])
        added = [subject.name for subject in after.at(before.level) if subject.number not in taken]
        removed = [subject.name for subject in before if subject.number not in follows]
        return cls(tuple(added), tuple(removed), moved)

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.moved)

    def __str__(self) -> str:
        added, removed = (f" ({'; '.join(names)})" if names else "" for names in (self.added, self.removed))
        return (
            f"{len(self.added)} new subject{'s' * (len(self.added) != 1)}{added}, "
            f"{len(self.removed)} gone{removed}, {self.moved:,} documents moved"
        )


def default_min_size(n: int) -> int:
    """Return how many documents a subject must have to be shown: 4 of 200, 35 of 20,000, 250 of a million."""
    return max(3, round(n**0.5 / 4))


@dataclass(frozen=True, slots=True, eq=False)
class SubjectTrends(Tabular):
    """How much of the documents of each year, month or value of a column is about each subject.

    Attributes
    ----------
    groups : tuple of str
        Years, months, or values of the column.
    documents : tuple of int
        How many are in each group.
    subjects : tuple of Subject
    shares : array of shape (subjects, groups)
        Of the documents of each group. What is missing to 1 is in no subject.
    rose, fell : tuple of (Subject, before, after)
        Subjects with a larger or smaller share in the second half of the groups than in the first, more than
        by chance; the largest difference first. Empty for groups that have no order, such as labels.

    Examples
    --------
    >>> import hott
    >>> corpus = hott.demo.corpus()[:80]
    >>> index = hott.Index.build(corpus, n_topics=8, n_models=1)
    >>> over = index.subjects().over("label")
    >>> over.groups
    ('astronomy', 'biology', 'cooking', 'economics')
    >>> [term.text for term in over.describe("astronomy").a][:2]
    ['stars', 'planet']
    >>> over.typical("cooking", n=1)[0].startswith("cooking/")
    True
    """

    groups: tuple[str, ...]
    documents: tuple[int, ...]
    subjects: tuple[Subject, ...]
    shares: NDArray[np.float64]
    rose: tuple[tuple[Subject, float, float], ...]
    fell: tuple[tuple[Subject, float, float], ...]
    _snapshot: Snapshot = field(repr=False)
    _group_of: NDArray[np.intp] = field(repr=False)
    _statistics: TermStatistics = field(repr=False)

    def to_columns(self) -> dict[str, Sequence[Any]]:
        """Return a row for each subject and a column for each group."""
        names = [subject.name for subject in self.subjects]
        return {"subject": names} | dict(zip(self.groups, self.shares.T.tolist()))

    def _find(self, group: str) -> NDArray[np.bool_]:
        """Find the documents of a group."""
        if group not in self.groups:
            raise ValueError(f"there is no group {group!r:.60}; there are {', '.join(self.groups)[:200]}.")
        return self._group_of == self.groups.index(group)

    def typical(self, group: str, n: int = 3) -> tuple[str, ...]:
        """List documents that are typical of a group: the first of each subject that it has more of."""
        return tuple(self._typical(group, n))

    def quotes(self, group: str, n: int = 3) -> tuple[tuple[str, str], ...]:
        """Quote documents that are typical of a group: the id of each, and a sentence on its subject."""
        documents, found = self._snapshot.documents, []
        for id, subject in self._typical(group, n).items():
            texts = documents[[documents.position(id)]].texts
            (quote,) = quote_sentences(texts, subject.terms, self._statistics)
            found.append((id, textwrap.shorten(quote, _MAX_EXAMPLE, placeholder=" …")))
        return tuple(found)

    def _typical(self, group: str, n: int) -> dict[str, Subject]:
        inside, ids = self._find(group), self._snapshot.documents.ids
        own = {ids[position] for position in np.flatnonzero(inside).tolist()}
        mean = self.shares @ np.array(self.documents) / max(sum(self.documents), 1)
        more = self.shares[:, self.groups.index(group)] - mean
        ranked = [self.subjects[k] for k in np.argsort(-more.round(9), kind="stable") if more[k] > 0]
        found = ((next((id for id in one.ids if id in own), None), one) for one in ranked)
        return dict([(id, one) for id, one in found if id is not None][:n])

    def describe(self, group: str, n: int = 6, sentences: int = 2) -> Contrast:
        """Say what is special to the documents of a group against all others: terms and typical sentences."""
        inside = self._find(group)
        texts = [self._snapshot.documents[np.flatnonzero(rows)].texts for rows in (inside, ~inside)]
        sides = [DocumentSet.of(part, self._statistics) for part in texts]
        return contrast(sides[0], sides[1], n, sentences)


def group_by_column(
    documents: Documents, column: str, by: str | None
) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """Group documents by the values of a column, dates by year, month or day; -1 for a missing value."""
    if by not in _LENGTHS:
        raise ValueError(f"by must be 'year', 'month' or 'day', got {by!r}.")
    values = list(documents.column(column))
    groups = [_group(value, by) for value in values]
    if by is None and any(isinstance(value, date) for value in values) and len(set(groups)) > MAX_MONTHS:
        groups = [_group(value, "year") for value in values]
    order = sorted(
        {group for group in groups if group is not None}, key=lambda one: (isinstance(one, str), one)
    )
    if not order:
        raise ValueError(f"the column {column!r} is empty.")
    place = {group: number for number, group in enumerate(order)}
    return tuple(map(str, order)), np.array([place.get(group, -1) for group in groups], np.intp)


def _group(value: Any, by: str | None) -> Any:
    if value is None or not isinstance(value, date):
        return value
    return value.isoformat()[: _LENGTHS[by]]


def count_links(n: int) -> int:
    """Return how many of its nearest a document is linked to: few enough that not all are linked."""
    return min(N_NEIGHBORS, max(3, math.isqrt(n)), n - 1)


def find_subjects(model: Model, snapshot: Snapshot, run: Run) -> SubjectTree:
    """Find the subjects of all documents anew: communities of the graph of nearest neighbours."""
    known = snapshot.combine(model)
    n = len(known)
    if n < 2:
        none = np.full(len(snapshot), NO_SUBJECT, np.int32)
        return SubjectTree(none, np.zeros((len(LEVELS), len(snapshot)), np.uint16), {})
    k = count_links(n)
    if n > MAX_EXACT:
        graph = nearby(model.distance, known, k, run)
    else:
        graph = search(model.distance, known, known, k, run, own=np.arange(n))
    return SubjectTree.of(find_communities(graph), graph.indices, known.positions, len(snapshot))


def place_documents(model: Model, snapshot: Snapshot, tree: SubjectTree, run: Run) -> SubjectTree:
    """Put documents that came later into the subjects that exist, by the vote of their nearest documents."""
    if not (tree.leaf == UNPLACED).any():
        return tree
    known = snapshot.combine(model)
    own = tree.leaf[known.positions]
    new, old = np.flatnonzero(own == UNPLACED), np.flatnonzero(own >= 0)
    if not len(old):
        return find_subjects(model, snapshot, run).keep_edits(tree)
    nearest = np.empty((0, 1), np.intp)
    if len(new):
        k = min(N_NEIGHBORS, len(old))
        found = search(model.distance, known.take(new), known.take(old), k, run).indices
        nearest = known.positions[old][found]
    return tree.place(nearest, known.positions[new])


def name_subjects(
    documents: Documents, statistics: TermStatistics, tree: SubjectTree, min_size: int
) -> SubjectTree:
    """Find the terms of all subjects of at least ``min_size`` documents that have none yet."""
    members = tree.members()
    new = [
        node
        for number, node in tree.nodes.items()
        if node.terms is None and number in members and len(members[number]) >= min_size
    ]
    if not new:
        return tree
    sample = np.linspace(0, len(tree.leaf) - 1, min(len(tree.leaf), MAX_READ)).astype(np.intp)
    few = [members[node.number][:MIN_READ] for node in new]
    rows = np.unique(np.concatenate([sample, *few]))
    table = TermTable.of(documents[rows].texts, statistics)
    nodes, in_sample = dict(tree.nodes), np.isin(rows, sample)
    listed = set(np.unique(tree.at(choose_level(tree, min_size))).tolist())
    for is_listed in (True, False):  # those that are shown first choose first
        now = [node for node in new if (node.number in listed) == is_listed]
        sets = []
        for own in (members[node.number] for node in now):
            inside = np.flatnonzero(np.isin(rows, own[:MIN_READ]) | (np.isin(rows, own) & in_sample))
            sets.append(table.select(inside, len(own)))
        taken = {node.terms[0].casefold() for node in nodes.values() if node.terms}
        named = list(zip(now, name_sets(sets, N_TERMS, taken)))
        named.sort(key=lambda pair: -max([term.z for term in pair[1].terms[:1]], default=0.0))
        for node, name in named:
            terms = tuple(term.text for term in name.terms)
            if terms and terms[0].casefold() in taken:
                terms = ()  # it has no term of its own, and is not shown
            taken.update(map(str.casefold, terms[:1]))
            nodes[node.number] = replace(node, terms=terms, is_chaff=name.is_chaff)
    return replace(tree, nodes=nodes)


def choose_level(tree: SubjectTree, min_size: int) -> int:
    """Choose the level that is shown first: of ten subjects or so, of twenty in a million documents."""
    wanted, counts = max(10.0, 1.15 * math.log2(len(tree.leaf) or 1)), []
    for level in LEVELS:
        groups = tree.at(level)
        counts.append(int((np.bincount(groups[groups >= 0]) >= min_size).sum()) if len(groups) else 0)
    return min(LEVELS, key=lambda level: abs(math.log(max(counts[level - 1], 1) / wanted)))


def list_subjects(
    snapshot: Snapshot, statistics: TermStatistics, tree: SubjectTree, min_size: int, level: int | None
) -> Subjects:
    """List the subjects that people named or that are large enough, each with its documents and examples."""
    documents, members = snapshot.documents, tree.members()
    shown = [
        node
        for number, node in tree.nodes.items()
        if number in members
        and (node.name or (node.terms and len(members[number]) >= min_size))
        and not any(tree.nodes[above].is_hidden for above in tree.path(number))
    ]
    ids, names = list(documents.ids), _unique_names(shown)
    every = [
        Subject(
            node.number,
            names[node.number],
            node.terms or (),
            tuple(ids[position] for position in members[node.number]),
            _choose_examples(documents, members[node.number][:N_QUOTABLE], node, statistics),
            node.level,
            node.parent,
            node.is_chaff and not node.name,
        )
        for node in shown
    ]
    every.sort(key=lambda one: (one.level, one.is_chaff, -one.size, one.number))
    level = choose_level(tree, min_size) if level is None else level
    return Subjects(every, level, snapshot, tree, statistics)


def _unique_names(nodes: Sequence[Node]) -> dict[int, str]:
    """Name subjects as people did, or by their first terms; a number tells apart what is left alike."""
    names = {node.number: node.name for node in nodes if node.name}
    taken = set(names.values())
    for node in nodes:
        if not node.name:
            wanted = ", ".join((node.terms or ())[:3]) or "other documents"
            numbered = (f"{wanted} ({k})" for k in count(2))
            names[node.number] = next(name for name in chain([wanted], numbered) if name not in taken)
            taken.add(names[node.number])
    return names


def _choose_examples(
    documents: Documents, positions: NDArray[np.intp], node: Node, statistics: TermStatistics
) -> tuple[str, ...]:
    """Choose titles of typical documents, or the sentences of some that have most of the subject's terms."""
    found = [document.title for document in documents.rows_of(positions[:N_EXAMPLES])]
    if not all(found):
        typical = list(documents.rows_of(positions))
        texts = [document.text[:_MAX_QUOTED] for document in typical]
        quotes = quote_sentences(texts, node.terms or (), statistics, N_EXAMPLES)
        told = [quote for quote in quotes if quote] + [document.name for document in typical]
        found = [title or told.pop(0) for title in found]
    return tuple(textwrap.shorten(one, _MAX_EXAMPLE, placeholder=" …") for one in found)
