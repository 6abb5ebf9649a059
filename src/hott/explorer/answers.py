"""From an index to what the API answers. The server and the static export both ask here."""

import threading
from collections.abc import Callable, Hashable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import hott
from hott.explorer import schemas, selection
from hott.explorer.columns import columns, counted, values_of, written
from hott.explorer.highlight import utf16_marks
from hott.explorer.layout import Layout
from hott.explorer.regions import regions
from hott.explorer.topic_views import RELEVANCE, Topics
from hott.index import changing, parsed
from hott.run import Run

if TYPE_CHECKING:
    from hott.index import By, Index

T = TypeVar("T")

_STEPS = 200  # of the flow between words
_COMPARED = 100  # documents that stand for a larger group


class UnknownDocument(LookupError):
    """No document has the id that was asked for."""


class Answers:
    """Answers about one index, whose documents must not change meanwhile. Any number of threads may ask.

    With a ``file``, what people change about the topics is kept there.
    """

    def __init__(self, index: "Index", layout: Layout, name: str = "", file: Path | None = None) -> None:
        self.index, self.layout, self.name, self.file = index, layout, name, file
        # What is costly and asked again is remembered: a few entries each, so that memory stays bounded.
        self._curated = _once(self._curated_now, 16)
        self._listed = _once(self._listed_now, 16)
        self.clusters = _once(self._clusters, 4)
        self.copies = _once(self._copies, 4)
        self.column = _once(self._column, 8)
        self._editing = threading.Lock()

    # -- the whole corpus --------------------------------------------------------------------------------

    @cached_property
    def corpus(self) -> schemas.CorpusInfo:
        index = self.index
        return schemas.CorpusInfo(
            name=self.name,
            version=hott.__version__,
            documents=len(index),
            words=len(index.vocabulary.words_),
            models=len(index.hott.models_),
            topics=index.hott.models_[0].topics.n_topics,
            labels=counted(self._labels),
            columns=columns(index),
            editable=self.file is not None,
            unplaced=len(index) - len(index.represented),
        )

    def topics(self, model: int, weight: float = RELEVANCE) -> schemas.TopicList:
        """The topics of one model, how far apart they are, and which are alike."""
        if model not in range(len(self.index.hott.models_)):
            raise ValueError(
                f"model must be from 0 to {len(self.index.hott.models_) - 1}, got {model}: "
                "the index has no more topic models."
            )
        return self._listed(self.index.edits, model, round(weight, 2))

    def edit_topics(self, edit: schemas.TopicEdit) -> schemas.TopicList:
        """Rename, merge, hide or show topics, or undo the last change; kept in the file of the index."""
        if self.file is None:
            raise ValueError("Topics can be changed only where the page may write to the file of the index.")
        with self._editing:
            with changing(self.file) as stored:
                if edit.kind == "undo":
                    stored.undo_edit()
                else:
                    stored.edit_topics(edit.kind, edit.topics, edit.name, model=edit.model)
            self.index.edits = stored.edits
        return self.topics(edit.model)

    def topics_over(self, column: str, by: str | None) -> schemas.TopicsOver:
        """The share of each topic in the documents of each year, month, or value of a column."""
        found = self.index.topics_over(column, by=by)
        return schemas.TopicsOver(
            column=column,
            groups=list(found.groups),
            documents=list(found.documents),
            topics=[topic.number for topic in self.index.topics],
            names=list(found.topics),
            shares=found.shares.round(5).tolist(),
        )

    def map(self) -> schemas.MapView:
        """Every document with its place, its label and its heaviest topic."""
        final = self.layout.final  # asked first: points that become final meanwhile do no harm
        x, y = (_without_nan(column) for column in self._points().round(4).T)
        labels = [entry.label for entry in self.corpus.labels]
        codes = {label: code for code, label in enumerate(labels)}
        return schemas.MapView(
            state="final" if final else "preliminary",
            ids=list(self.index.documents.ids),
            titles=self._names,
            x=x,
            y=y,
            labels=labels,
            label=[-1 if label is None else codes[label] for label in self._labels],
            topics=self._topic_names,
            topic=self._heaviest.tolist(),
        )

    @cached_property
    def regions(self) -> schemas.RegionView:
        """Names of regions of the final map, at several levels."""
        levels = regions(self.index, self._points(), self.first.proportions)
        return schemas.RegionView(
            levels=[
                [schemas.Region(x=x, y=y, words=list(words), documents=n) for x, y, words, n in level]
                for level in levels
            ]
        )

    def _column(self, name: str) -> schemas.ColumnView:
        """A column as colours need it."""
        for info in self.corpus.columns:
            if info.name == name:
                return values_of(self.index, info)
        raise ValueError(f"The documents have no column {name!r:.60}.")

    def distances(self, id: str) -> schemas.DistanceView:
        """How far every document is from one."""
        known, position = self.index.likeness.documents, self.position(id)
        if position not in known.positions:
            raise ValueError(f"The document {id!r} has no known word, so it cannot be compared with others.")
        own = known.select(np.array([position]))
        found = self.index.distance.between(own, known, Run(threads=1))[0]
        return schemas.DistanceView(distances=_without_nan(known.scatter(found[:, None])[:, 0].round(5)))

    # -- documents ---------------------------------------------------------------------------------------

    def documents(
        self, offset: int, limit: int, label: str | None, topic: int | None, words: str | None
    ) -> schemas.DocumentPage:
        """Some of the documents that have a label, a topic (the most of it first) and all given words."""
        chosen, proportions = self._of_topic(topic, 0.0)
        kept = np.ones(len(self.index), bool)
        if label is not None:
            kept &= np.array([own == label for own in self._labels], bool)
        if words is not None and words.split():
            kept &= selection.with_words(self.index, words)
        found = kept[chosen]
        shown = chosen[found][offset : offset + limit].tolist()
        table = self.index.documents.rows(shown, ["id", "label"]).records()
        parts: list[float | None] = [None] * len(shown)
        if proportions is not None:
            parts = proportions[found][offset : offset + limit].tolist()
        lines = [
            schemas.DocumentLine(position=position, title=self._names[position], proportion=part, **row)
            for position, row, part in zip(shown, table, parts)
        ]
        return schemas.DocumentPage(total=int(found.sum()), offset=offset, documents=lines)

    def select(self, wanted: schemas.Selection) -> schemas.SelectionView:
        """The documents that a selection means, and what is special about them."""
        positions, proportions = self._selected(wanted)
        everywhere = {entry.label: entry.documents for entry in self.corpus.labels}
        return schemas.SelectionView(
            total=len(positions),
            positions=positions.tolist(),
            proportions=None if proportions is None else proportions.tolist(),
            labels=[
                schemas.LabelShare(label=label, documents=n, of=everywhere[label])
                for label, n in selection.label_counts(self._labels, positions)
            ],
            words=selection.special_words(self.index, positions),
            topics=self._more_of(positions),
        )

    def _selected(self, wanted: schemas.Selection) -> tuple[NDArray[np.intp], NDArray[np.float64] | None]:
        chosen, proportions = self._of_topic(wanted.topic, selection.LEAST_PROPORTION)
        kept = np.ones(len(self.index), bool)
        if wanted.where:
            kept &= selection.where_holds(self.index, wanted.where)
        if wanted.words.split():
            kept &= selection.with_words(self.index, wanted.words)
        if wanted.lasso:
            kept &= selection.inside(self._points(), wanted.lasso)
        if wanted.cluster is not None:
            found = [c for c in self.clusters(wanted.min_size).clusters if c.number == wanted.cluster]
            if not found:
                raise ValueError(f"There is no cluster {wanted.cluster}.")
            kept &= np.isin(np.arange(len(self.index)), found[0].positions)
        left = kept[chosen]
        return chosen[left], None if proportions is None else proportions[left]

    def _of_topic(
        self, topic: int | None, least: float
    ) -> tuple[NDArray[np.intp], NDArray[np.float64] | None]:
        """Documents that have so much of a topic, the most first; all documents without one."""
        if topic is None:
            return np.arange(len(self.index)), None
        if topic not in self.first.names:
            raise ValueError(f"There is no topic {topic} in the first model, or it was merged with another.")
        column = self.first.proportions[:, [topic]].toarray().ravel()
        order = np.argsort(-column, kind="stable")
        order = order[(column[order] >= least) & (column[order] > 0)]
        return order, column[order]

    def _more_of(self, positions: NDArray[np.intp]) -> list[schemas.TopicShare]:
        """Topics that some documents have more of than the corpus, and how much more."""
        if not len(positions) or len(positions) == len(self.index):
            return []
        rows = self.first.proportions
        more = np.asarray(rows[positions].mean(axis=0) - rows.mean(axis=0)).ravel()
        names = self.first.names
        return [
            schemas.TopicShare(number=int(k), name=names[int(k)], proportion=float(more[k]))
            for k in np.argsort(-more, kind="stable")[:4]
            if more[k] > 0.005
        ]

    def document(self, id: str) -> schemas.DocumentView:
        """One document with its text and its topics."""
        position = self.position(id)
        document = self.index.documents[position]
        columns = {name: written(value) for name, value in document.columns.items() if value is not None}
        return schemas.DocumentView(
            position=position,
            id=document.id,
            title=self._names[position],
            label=document.label,
            text=document.text,
            columns=columns,
            topics=self.first.shares(self.first.proportions[[position]]),
        )

    def position(self, id: str) -> int:
        try:
            return self.index.documents.position(id)
        except ValueError as error:
            raise UnknownDocument(str(error)) from None

    def _clusters(self, min_size: int) -> schemas.ClusterList:
        """Groups of near documents, the largest first."""
        found = self.index.clusters(min_size, threads=1)
        places = [self.index.documents.positions(cluster.ids).tolist() for cluster in found]
        return schemas.ClusterList(
            clusters=[
                schemas.ClusterView(
                    number=cluster.number, name=cluster.name, words=list(cluster.words), positions=own
                )
                for cluster, own in zip(found, places)
            ],
            unclustered=len(self.index) - sum(map(len, places)),
        )

    def _copies(self, likeness: float) -> schemas.CopyList:
        """Groups of documents that are copies of one another."""
        return schemas.CopyList(
            copies=[
                schemas.CopyView(
                    positions=self.index.documents.positions(group.ids).tolist(),
                    likeness=group.likeness,
                    are_exact=group.are_exact,
                )
                for group in self.index.duplicates(likeness)
            ]
        )

    # -- answers that take transport ---------------------------------------------------------------------

    def search(
        self,
        k: int,
        *,
        id: str | None = None,
        text: str | None = None,
        by: "By" = "both",
        where: list[str] | None = None,
        reasons: bool = True,
    ) -> schemas.SearchResult:
        """The nearest documents of a text or of a document, each with the reason in one line."""
        if id is not None:
            self.position(id)
        only = parsed(self.index.documents, where) if where else None
        # A thread for each request: under load the cores are busy with other requests.
        hits = self.index.search(k=k, id=id, text=text, by=by, where=only, threads=1)
        told = self.index.reasons(hits) if reasons else [""] * len(hits)
        lines = [
            schemas.HitLine(
                position=position,
                id=hit.id,
                title=self._names[position],
                label=hit.label,
                distance=None if np.isnan(hit.distance) else hit.distance,
                score=hit.score,
                words=hit.words,
                topics=hit.topics,
                snippet=hit.snippet.text,
                marks=list(hit.snippet.marks),
                why=why,
            )
            for hit, why, position in zip(hits, told, map(self.position, (hit.id for hit in hits)))
        ]
        return schemas.SearchResult(
            hits=lines,
            computed=hits.computed,
            pruned=hits.pruned,
            notes=list(hits.notes),
            topics=self._about(hits.query.document if hits.query else None),
        )

    def _about(self, query: Any) -> list[schemas.TopicShare]:
        """What a query is about."""
        if query is None or not len(query):
            return []
        row, leader = query.distributions[0].csr, self.index.curation().leader
        shares = np.bincount(leader[row.indices], row.data, minlength=len(leader))
        names = self.first.names
        return [
            schemas.TopicShare(number=int(k), name=names[int(k)], proportion=float(shares[k]))
            for k in np.argsort(-shares, kind="stable")[:5]
            if shares[k] > 0.01
        ]

    def compare(self, a: schemas.ComparisonSide, b: schemas.ComparisonSide) -> schemas.ComparisonView:
        """Why two documents or groups are near or far: as data, with labels and marks in the texts."""
        (first, n_first), (second, n_second) = self._side(a), self._side(b)
        comparison = self.index.compare(
            first if a.selection else first[0], second if b.selection else second[0]
        )
        said = comparison.to_dict(steps=_STEPS)
        for side, asked, ids, n, marks in zip(
            ("a", "b"), (a, b), (first, second), (n_first, n_second), comparison.marks
        ):
            said[side] |= {"label": None, "marks": [], "of": n}
            if asked.selection:
                said[side]["title"] = asked.name
                continue
            document = self.index.documents[self.position(ids[0])]
            said[side]["title"] = self._names[self.position(ids[0])]
            said[side] |= {"label": document.label, "marks": utf16_marks(document.text, marks)}
        return schemas.ComparisonView(**said)

    def _side(self, side: schemas.ComparisonSide) -> tuple[list[str], int]:
        """Ids of the documents of a side, and how many they stand for."""
        if (side.id is None) == (side.selection is None):
            raise ValueError("A side of a comparison is either an id or a selection.")
        if side.selection is None:
            self.position(str(side.id))
            return [str(side.id)], 1
        positions, _ = self._selected(side.selection)
        known = positions[np.isin(positions, self.index.represented.positions)]
        if not len(known):
            raise ValueError(f"No document with a known word is in {side.name or 'the selection'}.")
        some = known[np.linspace(0, len(known) - 1, min(_COMPARED, len(known))).astype(int)]
        return [self.index.documents.ids[int(i)] for i in some], len(known)

    # -- what is looked up again and again ---------------------------------------------------------------

    @property
    def first(self) -> Topics:
        """The topics of the first model."""
        return self._curated(self.index.edits, 0)

    def _curated_now(self, edits: Any, model: int) -> Topics:
        return Topics.of(self.index, model)

    def _listed_now(self, edits: Any, model: int, weight: float) -> schemas.TopicList:
        return self._curated(edits, model).listed(self.index, weight)

    @cached_property
    def _labels(self) -> list[str | None]:
        return list(self.index.documents.labels)

    @cached_property
    def _names(self) -> list[str]:
        """What to call each document: its title, or else its first line, or else its id."""
        titles = list(self.index.documents.titles)
        return titles if all(titles) else [document.name for document in self.index.documents]

    @property
    def _topic_names(self) -> list[str]:
        """By number; topics that were merged into others have no name."""
        return [self.first.names.get(k, "") for k in range(self.first.proportions.shape[1])]

    @property
    def _heaviest(self) -> NDArray[np.intp]:
        """The heaviest topic of each document; -1 for one without a known word."""
        rows = self.first.proportions
        return np.where(np.diff(rows.indptr) > 0, np.asarray(rows.argmax(axis=1)).ravel(), -1)

    def _points(self) -> NDArray[np.float64]:
        """The places on the map, from -1 to 1."""
        points = self.layout.points()
        size = np.nanmax(np.abs(points)) if np.isfinite(points).any() else 1.0
        scaled: NDArray[np.float64] = points / (size or 1.0)
        return scaled


def _without_nan(values: NDArray[np.float64]) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]


def _once(compute: Callable[..., T], most: int) -> Callable[..., T]:
    """Remember the last answers; who asks for one that is being computed waits for it."""
    remembered, lock = lru_cache(maxsize=most)(compute), threading.RLock()

    def ask(*key: Hashable) -> T:
        with lock:
            return remembered(*key)

    return ask
