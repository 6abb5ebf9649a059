"""From an index to what the API answers: each method is an operation. The static export asks here, too."""

import threading
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache, partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, Literal, ParamSpec, TypeVar

import numpy as np
from fastapi import Query, Response
from numpy.typing import NDArray
from scipy import sparse

import hott
from hott.explorer import schemas, selection
from hott.explorer.highlight import find_asked, find_shared, tell_words, utf16_marks, utf16_places
from hott.explorer.layout import Layout
from hott.explorer.selection import columns, count_values, format_value, values_of
from hott.explorer.topic_views import RELEVANCE, Topics
from hott.index import changing
from hott.index.subject_tree import LEVELS
from hott.lexical import Snippet, snippet
from hott.lexical.snippets import best_start
from hott.terms import find_terms
from hott.utils.run import Run

if TYPE_CHECKING:
    from hott.index import Hit, Index
    from hott.index.meaning import Meeting

LIKENESS = 0.8  # of copies, where no other is asked for
MAX_TERMS = 20  # of a document, by which the passages of those like it are chosen
_STEPS = 200  # of the flow between words
PASSAGE = 400  # characters in which the most of what was searched for begins a reading
MAX_COMPARED = 100  # documents that stand for a larger group

Id = Annotated[str, Query(max_length=schemas.MAX_ID_LENGTH)]
Name = Annotated[str, Query(max_length=1000)]
Count = Annotated[int, Query(ge=1, le=schemas.MAX_HITS)]
T = TypeVar("T")
P = ParamSpec("P")
Self = TypeVar("Self", bound="Answers")


class UnknownDocument(LookupError):
    """No document has the id that was asked for."""


class IndexChanged(Exception):
    """The file of the index holds other topics than those that are shown."""


def cache_last(
    most: int,
) -> Callable[[Callable[Concatenate[Self, P], T]], Callable[Concatenate[Self, P], T]]:
    """Remember the last answers of a method: a few, so that memory stays bounded.

    Who asks for one that is being computed waits for it.
    """

    def decorate(compute: Callable[Concatenate[Self, P], T]) -> Callable[Concatenate[Self, P], T]:
        @wraps(compute)
        def ask(self: Self, /, *key: P.args, **options: P.kwargs) -> T:
            with self._remembering:
                own = lru_cache(maxsize=most)(partial(compute, self)), threading.RLock()
                cached, lock = self._memories.setdefault(compute.__name__, own)
            with lock:
                answer: T = cached(*key, **options)
            return answer

        return ask

    return decorate


class Answers:
    """An index whose documents must not change meanwhile, with the map of it. Any number of threads may ask.

    With a ``file``, what people change about the topics is kept there.
    """

    def __init__(self, index: "Index", layout: Layout, name: str = "", file: Path | None = None) -> None:
        self.index, self.layout, self.name, self.file = index, layout, name, file
        self._memories: dict[str, tuple[Callable[..., Any], threading.RLock]] = {}
        self._remembering, self._editing = threading.Lock(), threading.Lock()

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
            label=index.documents.label_name,
            labels=count_values(self.labels),
            columns=columns(index),
            meaning=index.model.searches_by_meaning,
            editable=self.file is not None,
            unplaced=len(index) - len(index.snapshot.topics),
        )

    def position(self, id: str) -> int:
        try:
            return self.index.documents.position(id)
        except ValueError as error:
            raise UnknownDocument(str(error)) from None

    @property
    def first(self) -> Topics:
        """The topics of the first model."""
        return self._curate(self.index.edits, 0)

    @cache_last(16)
    def _curate(self, edits: Any, model: int) -> Topics:
        return Topics.of(self.index, model)

    @cached_property
    def labels(self) -> list[str | None]:
        return list(self.index.documents.labels)

    def points(self) -> NDArray[np.float64]:
        """Return the places on the map, scaled to lie between -1 and 1."""
        points = self.layout.points()
        size = np.nanmax(np.abs(points)) if np.isfinite(points).any() else 1.0
        scaled: NDArray[np.float64] = points / (size or 1.0)
        return scaled

    # -- all documents together --------------------------------------------------------------------------

    def map(self) -> schemas.MapView:
        """Give every document with its place, its label and its heaviest topic."""
        final = self.layout.final  # asked first: points that become final meanwhile do no harm
        x, y = (_without_nan(column) for column in self.points().round(4).T)
        labels = [entry.label for entry in self.corpus.labels]
        codes = {label: code for code, label in enumerate(labels)}
        return schemas.MapView(
            state="final" if final else "preliminary",
            x=x,
            y=y,
            labels=labels,
            label=[-1 if label is None else codes[label] for label in self.labels],
            topics=[self.first.names.get(k, "") for k in range(self.first.proportions.shape[1])],
            topic=heaviest(self.first.proportions).tolist(),
        )

    def progress(self) -> schemas.ProgressView:
        """Tell how much of laying out the map is done."""
        done, total = self.layout.done or (0, 1)
        final = self.layout.final
        return schemas.ProgressView(final=final, done=1.0 if final else done / max(total, 1))

    def names(self) -> schemas.NameView:
        """Give the id of every document, and what to call it."""
        documents = self.index.documents
        return schemas.NameView(ids=list(documents.ids), titles=documents.names())

    @cache_last(8)
    def column(self, name: Name) -> schemas.ColumnView:
        """Give one column of all documents, as colours need it."""
        for info in self.corpus.columns:
            if info.name == name:
                return values_of(self.index, info)
        raise ValueError(f"The documents have no column {name!r:.60}.")

    def distances(self, id: Id) -> schemas.DistanceView:
        """Tell how far every document is from one."""
        index = self.index
        known, position = index.snapshot.combine(index.model), self.position(id)
        if position not in known.positions:
            raise ValueError(f"The document {id!r} has no known word, so it cannot be compared with others.")
        own = known.select(np.array([position]))
        found = self.index.distance.between(own, known, Run.of({"threads": 1}))[0]
        return schemas.DistanceView(distances=_without_nan(known.scatter(found[:, None])[:, 0].round(5)))

    # -- topics, and changes to them ---------------------------------------------------------------------

    def topics(
        self,
        model: Annotated[int, Query(ge=0)] = 0,
        relevance: Annotated[
            float, Query(ge=0, le=1, description="1: frequent words first, 0: special words first.")
        ] = RELEVANCE,
    ) -> schemas.TopicList:
        """List the topics of one model, how far apart they are, and which are alike."""
        if model not in range(len(self.index.hott.models_)):
            raise ValueError(
                f"model must be from 0 to {len(self.index.hott.models_) - 1}, got {model}: "
                "the index has no more topic models."
            )
        return self._list_topics(self.index.edits, model, round(relevance, 2))

    def edit_topics(self, edit: schemas.TopicEdit) -> schemas.TopicList:
        """Rename, merge, hide or show topics, or undo the last change; kept in the file of the index."""
        if self.file is None:
            raise ValueError("Topics can be changed only where the page may write to the file of the index.")
        with self._editing:
            with changing(self.file) as stored:
                if not _have_same_topics(stored, self.index):
                    raise IndexChanged(
                        f"{self.file.name} was built anew meanwhile, and its topics are others than those "
                        "that are shown here. End the server and start it again."
                    )
                if edit.kind == "undo":
                    stored.undo_edit()
                else:
                    stored.edit_topics(edit.kind, edit.topics, edit.name, model=edit.model)
            self.index.edits = stored.edits
        return self.topics(edit.model)

    def topics_over(
        self, column: Name, by: Literal["year", "month", "day"] | None = None
    ) -> schemas.TopicsOver:
        """Give the share of each topic in the documents of each year, month, or value of a column."""
        found = self.index.topics_over(column, by=by)
        return schemas.TopicsOver(
            column=column,
            groups=list(found.groups),
            documents=list(found.documents),
            topics=[topic.number for topic in self.index.topics],
            names=list(found.topics),
            shares=found.shares.round(5).tolist(),
        )

    @cache_last(16)
    def _list_topics(self, edits: Any, model: int, weight: float) -> schemas.TopicList:
        return self._curate(edits, model).list_topics(self.index, weight)

    # -- documents, and what is special about some of them -----------------------------------------------

    def documents(
        self,
        offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
        label: Annotated[str | None, Query(max_length=1000)] = None,
        topic: Annotated[int | None, Query(ge=0, description="Of the first model.")] = None,
        words: Annotated[
            str, Query(max_length=200, description="All of them, in the title or the text.")
        ] = "",
        where: Annotated[
            list[schemas.Condition],
            Query(max_length=50, description="Conditions on any column: year=2004..2005."),
        ] = (),  # type: ignore[assignment]
    ) -> schemas.DocumentPage:
        """Give a page of the documents, or of those with values, a topic (the most first) or words."""
        wanted = schemas.Selection.model_validate({"where": list(where), "words": words, "topic": topic})
        chosen, proportions = self.find_selected(wanted, least=0.0)
        labels = self.labels
        found = np.array([label is None or labels[i] == label for i in chosen.tolist()], bool)
        shown = chosen[found][offset : offset + limit].tolist()
        table = self.index.documents.rows(shown, ["id", "label"]).records()
        parts: list[float | None] = [None] * len(shown)
        if proportions is not None:
            parts = proportions[found][offset : offset + limit].tolist()
        lines = [
            schemas.DocumentLine(position=position, title=name, proportion=part, **row)
            for position, name, row, part in zip(shown, self.index.documents.names(shown), table, parts)
        ]
        return schemas.DocumentPage(total=int(found.sum()), offset=offset, documents=lines)

    def document(self, id: Id) -> schemas.DocumentView:
        """Give one document with its text and its topics, whatever its id."""
        position = self.position(id)
        document = self.index.documents[position]
        columns = {name: format_value(value) for name, value in document.columns.items() if value is not None}
        return schemas.DocumentView(
            position=position,
            id=document.id,
            title=document.name,
            label=document.label,
            text=document.text,
            columns=columns,
            topics=self.first.shares(self.first.proportions[[position]]),
        )

    def select(self, wanted: schemas.Selection) -> schemas.SelectionView:
        """Give the documents that a selection means, and what is special about them."""
        positions, proportions = self.find_selected(wanted)
        everywhere = {entry.label: entry.documents for entry in self.corpus.labels}
        return schemas.SelectionView(
            total=len(positions),
            positions=positions.tolist(),
            proportions=None if proportions is None else proportions.tolist(),
            labels=[
                schemas.LabelShare(label=label, documents=n, of=everywhere[label])
                for label, n in selection.label_counts(self.labels, positions)
            ],
            words=selection.special_words(self.index, positions),
            topics=self._more_of(positions),
        )

    def rows(self, wanted: schemas.Selection) -> schemas.RowsView:
        """List the documents that a selection means, with all their columns."""
        positions, _ = self.find_selected(wanted)
        table = self.index.documents.rows(positions.tolist())
        columns = {
            name: [None if value is None else format_value(value) for value in table[name]]
            for name in table.schema
            if name != "text" and (name != "label" or self.corpus.label == "label")
        }
        return schemas.RowsView(positions=positions.tolist(), columns=columns)

    def find_selected(
        self, wanted: schemas.Selection, least: float = selection.MIN_PROPORTION
    ) -> tuple[NDArray[np.intp], NDArray[np.float64] | None]:
        """Find the documents that a selection means; of a topic those with a share of at least ``least``."""
        chosen, proportions = self._of_topic(wanted.topic, least)
        kept = np.ones(len(self.index), bool)
        if wanted.where:
            kept &= selection.where_holds(self.index, wanted.where)
        if wanted.words.split():
            kept &= selection.with_words(self.index, wanted.words)
        if wanted.lasso:
            kept &= selection.inside(self.points(), wanted.lasso)
        if wanted.positions is not None:
            kept &= np.isin(np.arange(len(self.index)), wanted.positions)
        if wanted.subject is not None:
            found = [one for one in self.subjects().subjects if one.number == wanted.subject]
            if not found:
                raise ValueError(f"There is no subject {wanted.subject}.")
            kept &= np.isin(np.arange(len(self.index)), found[0].positions)
        left = kept[chosen]
        return chosen[left], None if proportions is None else proportions[left]

    def _of_topic(
        self, topic: int | None, least: float
    ) -> tuple[NDArray[np.intp], NDArray[np.float64] | None]:
        """Find documents with at least this share of a topic, the most first; without a topic, find all."""
        if topic is None:
            return np.arange(len(self.index)), None
        if topic not in self.first.names:
            raise ValueError(f"There is no topic {topic} in the first model, or it was merged with another.")
        column = self.first.proportions[:, [topic]].toarray().ravel()
        order = np.argsort(-column, kind="stable")
        order = order[(column[order] >= least) & (column[order] > 0)]
        return order, column[order]

    def _more_of(self, positions: NDArray[np.intp]) -> list[schemas.TopicShare]:
        """List topics that some documents have more of than the corpus, and how much more."""
        if not len(positions) or len(positions) == len(self.index):
            return []
        rows = self.first.proportions
        more = np.asarray(rows[positions].mean(axis=0) - rows.mean(axis=0)).ravel()
        return self._heaviest(more, 4, 0.005)

    def _heaviest(self, shares: NDArray[np.float64], most: int, least: float) -> list[schemas.TopicShare]:
        """Name the topics that have the largest shares."""
        names = self.first.names
        return [
            schemas.TopicShare(number=int(k), name=names[int(k)], proportion=float(shares[k]))
            for k in np.argsort(-shares, kind="stable")[:most]
            if shares[k] > least
        ]

    @cache_last(1)
    def subjects(self) -> schemas.SubjectList:
        """List the subjects of all levels, those of a level the largest first."""
        found = self.index.subjects(threads=1)
        return schemas.SubjectList(
            level=found.level,
            levels=[[subject.number for subject in found.at(level)] for level in LEVELS],
            subjects=[
                schemas.SubjectView(
                    number=subject.number,
                    name=subject.name,
                    terms=list(subject.terms),
                    parent=subject.parent,
                    is_chaff=subject.is_chaff,
                    positions=self.index.documents.positions(subject.ids).tolist(),
                )
                for subject in found.all
            ],
        )

    @cache_last(4)
    def duplicates(self, likeness: Annotated[float, Query(gt=0.3, le=1)] = LIKENESS) -> schemas.CopyList:
        """Find documents that are copies of one another, exact or near."""
        return schemas.CopyList(
            copies=[
                schemas.CopyView(
                    positions=self.index.documents.positions(group.ids).tolist(),
                    likeness=group.likeness,
                    are_exact=group.are_exact,
                )
                for group in self.index.duplicates(round(likeness, 2))
            ]
        )

    # -- searches and comparisons ------------------------------------------------------------------------

    def search_by_id(self, id: Id, k: Count = 10) -> schemas.SearchResult:
        """Find the documents nearest to a document; it is the first itself."""
        return self.search(schemas.SearchRequest(id=id, k=k, by="both", within=None, reasons=True))

    def search(self, request: schemas.SearchRequest) -> schemas.SearchResult:
        """Find the documents nearest to any text, or to a document, each with the reason in one line."""
        id, text, within = request.id, request.text, request.within
        if (text is None) == (id is None):
            raise ValueError("Give either a text or an id.")
        if id is not None:
            self.position(id)
        only = None if within is None else np.isin(np.arange(len(self.index)), self.find_selected(within)[0])
        # A thread for each request: under load the cores are busy with other requests.
        hits = self.index.search(k=request.k, id=id, text=text, by=request.by, where=only, threads=1)
        told = self.index.reasons(hits) if request.reasons else [""] * len(hits)
        met = self.index.meetings(hits) if request.reasons else [()] * len(hits)
        terms = {} if id is None else self._terms_of(id)
        lines = [
            schemas.HitLine(
                position=position,
                id=hit.id,
                title=hit.name,
                label=hit.label,
                distance=None if np.isnan(hit.distance) else hit.distance,
                score=hit.score,
                words=hit.words,
                topics=hit.topics,
                meaning=hit.meaning,
                snippet=passage.text,
                marks=list(passage.marks),
                why=why,
            )
            for hit, why, meetings in zip(hits, told, met)
            for position in [self.position(hit.id)]
            for passage in [self._passage(hit, position, terms, meetings)]
        ]
        return schemas.SearchResult(
            hits=lines,
            computed=hits.computed,
            pruned=hits.pruned,
            notes=list(hits.notes),
            words=tell_words(hits.query.matches if hits.query else (), met),
            topics=self._about(hits.query.document if hits.query else None),
        )

    def _terms_of(self, id: str) -> dict[str, float]:
        """Return the words of the terms of a document, and how special each is to it."""
        document, analyzer = self.index.documents[self.position(id)], self.index.model.analyzer
        found = find_terms(document.text, self.index.term_statistics, document.title).terms
        special = [term for term in found if not term.is_minor][:MAX_TERMS]
        return {analyzer.form(word): term.weight for term in special for word in analyzer.tokens(term.text)}

    def _passage(
        self, hit: "Hit", position: int, terms: dict[str, float], meetings: "Sequence[Meeting]"
    ) -> Snippet:
        """Choose the passage of a hit; where no word of a text is in it, by words near them in meaning."""
        near = {word for meeting in meetings for word in meeting.met}
        if hit.snippet.marks or not (terms or near):
            return hit.snippet
        form = self.index.model.analyzer.form
        text = self.index.documents[position].text
        return snippet(text, lambda word: terms.get(form(word), 0.0) if terms else float(word in near))

    def marks(self, request: schemas.MarkRequest) -> schemas.MarkView:
        """Find where in a document what was searched for is, and the passage that has the most of it."""
        if (request.text is None) == (request.like is None):
            raise ValueError("Give either a text or the id of a document that is like it.")
        document = self.index.documents[self.position(request.id)]
        if request.like is not None:
            other = self.index.documents[self.position(request.like)]
            words, marks = find_shared(document, other, self.index.term_statistics)
        else:
            words, marks = find_asked(self.index, document, str(request.text))
        spans = [(start, end, weight) for start, end, _, weight in marks]
        place = utf16_places(document.text)
        return schemas.MarkView(
            words=words,
            marks=[(place[start], place[end], group) for start, end, group, _ in marks],
            passage=place[best_start(spans, PASSAGE)] if spans else 0,
        )

    def _about(self, query: Any) -> list[schemas.TopicShare]:
        """List the topics that a query is about, the heaviest first."""
        if query is None or not len(query):
            return []
        row, leader = query.distributions[0].csr, self.index.curation().leader
        shares = np.bincount(leader[row.indices], row.data, minlength=len(leader)).astype(float)
        return self._heaviest(shares, 5, 0.01)

    def compare_documents(self, a: Id, b: Id) -> schemas.ComparisonView:
        """Compare two documents."""
        sides = schemas.ComparisonSide(id=a), schemas.ComparisonSide(id=b)
        return self.compare(schemas.ComparisonRequest(a=sides[0], b=sides[1]))

    def compare(self, request: schemas.ComparisonRequest) -> schemas.ComparisonView:
        """Compare two documents or groups: as data, with labels and marks in the texts."""
        a, b = request.a, request.b
        (first, n_first), (second, n_second) = self._side(a), self._side(b)
        comparison = self.index.compare(
            first if a.selection else first[0], second if b.selection else second[0]
        )
        said = comparison.to_dict(steps=_STEPS)
        for pair, quotes in zip(said["quotes"], comparison.quotes):
            for shown, quote in zip(pair, quotes):
                shown["marks"] = utf16_marks(quote.text, quote.marks)
        found = (comparison.terms.a.text, comparison.terms.b.text)
        for side, asked, ids, n, text, marks in zip(
            ("a", "b"), (a, b), (first, second), (n_first, n_second), found, comparison.marks
        ):
            said[side] |= {"label": None, "text": text, "marks": utf16_marks(text, marks), "of": n}
            if asked.selection:
                said[side]["title"] = asked.name
                continue
            document = self.index.documents[self.position(ids[0])]
            said[side] |= {"title": document.name, "label": document.label, "text": None}
        return schemas.ComparisonView(**said)

    def contrast(self, request: schemas.ContrastRequest) -> schemas.ContrastView:
        """Say how some documents differ from others, or from all others."""
        first = self._members(request.a)
        second = None if request.b is None else self._members(request.b)
        found = self.index.contrast(first, second)
        n_second = len(self.index) - len(first) if second is None else len(second)
        sides = zip((len(first), n_second), (found.a, found.b), (found.sentences_a, found.sentences_b))
        first_view, second_view = (
            schemas.ContrastSide(
                documents=n,
                terms=[
                    schemas.ContrastTerm(text=term.text, inside=term.inside, outside=term.outside)
                    for term in terms
                ],
                sentences=list(sentences),
            )
            for n, terms, sentences in sides
        )
        return schemas.ContrastView(a=first_view, b=second_view)

    def _members(self, side: schemas.ComparisonSide) -> list[str]:
        """Return the ids of all documents of a side."""
        if side.selection is None:
            return self._side(side)[0]
        return [self.index.documents.ids[int(i)] for i in self.find_selected(side.selection)[0]]

    def diagram(self, a: Id, b: Id, theme: Literal["light", "dark"] = "light", model: int = 0) -> Response:
        """Draw how the topics of one document become those of another, in one topic model."""
        for id in (a, b):
            if not len(self.index.snapshot.topics.select(np.array([self.position(id)]))):
                raise ValueError(f"The document {id!r} has no known word, so it has no topics.")
        figure = self.index.compare(a, b).plot_topics(model, theme=theme, transparent=True)
        return Response(figure.to_svg(), media_type="image/svg+xml")

    def _side(self, side: schemas.ComparisonSide) -> tuple[list[str], int]:
        """Return the ids of the documents of a side, and how many documents they stand for."""
        if (side.id is None) == (side.selection is None):
            raise ValueError("A side of a comparison is either an id or a selection.")
        if side.selection is None:
            self.position(str(side.id))
            return [str(side.id)], 1
        positions, _ = self.find_selected(side.selection)
        known = positions[np.isin(positions, self.index.snapshot.topics.positions)]
        if not len(known):
            raise ValueError(f"No document with a known word is in {side.name or 'the selection'}.")
        some = known[np.linspace(0, len(known) - 1, min(MAX_COMPARED, len(known))).astype(int)]
        return [self.index.documents.ids[int(i)] for i in some], len(known)


def _have_same_topics(a: "Index", b: "Index") -> bool:
    """Say whether a number means the same topic in both indexes."""
    pairs = zip(a.hott.models_, b.hott.models_)
    return (
        len(a.hott.models_) == len(b.hott.models_)
        and np.array_equal(a.vocabulary.words_, b.vocabulary.words_)
        and all(np.array_equal(one.topics.components, other.topics.components) for one, other in pairs)
    )


def heaviest(rows: sparse.csr_array) -> NDArray[np.intp]:
    """Return the column of the largest value in each row, the first of equal ones; -1 for an empty row.

    Examples
    --------
    >>> heaviest(sparse.csr_array([[0.2, 0.8], [0.0, 0.0], [0.5, 0.5]]))
    array([ 1, -1,  0])
    """
    found, sizes = np.full(rows.shape[0], -1, np.intp), np.diff(rows.indptr)
    filled = sizes > 0
    starts = rows.indptr[:-1][filled]
    if len(starts):
        most = np.repeat(np.maximum.reduceat(rows.data, starts), sizes[filled])
        column = np.where(rows.data == most, rows.indices, rows.shape[1])
        found[filled] = np.minimum.reduceat(column, starts)
    return found


def _without_nan(values: NDArray[np.float64]) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]
