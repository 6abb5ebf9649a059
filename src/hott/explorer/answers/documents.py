"""Documents as answers: on the map, as a list, one by one, as a file, and those that are alike."""

import io
from itertools import chain
from typing import Annotated, Any

import numpy as np
from fastapi import Query, Response
from numpy.typing import NDArray
from scipy import sparse

from hott.explorer import schemas, selection
from hott.explorer.answers.base import Id, Name, cache_last, without_nan
from hott.explorer.answers.topics import TopicLists
from hott.explorer.schemas import Answer
from hott.explorer.selection import format_value, values_of
from hott.index.subject_tree import LEVELS
from hott.table.table import Table, to_arrow
from hott.utils.optional import import_optional
from hott.utils.run import Run

LIKENESS = 0.8  # of copies, where no other is asked for


class Documents(TopicLists):
    """What the corpus has, document by document."""

    def map(self) -> Answer:
        """Give every document with its place, its label and its heaviest topic."""
        final = self.layout.final  # asked first: points that become final meanwhile do no harm
        x, y = (without_nan(column) for column in self.points().round(4).T)
        labels = [entry["label"] for entry in self.corpus()["labels"]]
        codes = {label: code for code, label in enumerate(labels)}
        return {
            "state": "final" if final else "preliminary",
            "x": x,
            "y": y,
            "labels": labels,
            "label": [-1 if label is None else codes[label] for label in self.labels],
            "topics": [self.first.names.get(k, "") for k in range(self.first.proportions.shape[1])],
            "topic": heaviest(self.first.proportions).tolist(),
        }

    def progress(self) -> Answer:
        """Tell how much of laying out the map is done, and of what else is computed."""
        done, total = self.layout.done or (0, 1)
        final = self.layout.final
        work = {path: patience.done for path, patience in list(self.work.items())}
        return {"final": final, "done": 1.0 if final else done / max(total, 1), "work": work}

    def stop(self) -> Answer:
        """Give up laying out the map: its principal axes stay. A server that is started anew begins again."""
        self.layout.stop(wait=False)
        return self.progress()

    def names(self) -> Answer:
        """Give the id of every document, and what to call it."""
        documents = self.index.documents
        return {"ids": list(documents.ids), "titles": documents.names()}

    @cache_last(8)
    def column(self, name: Name) -> Answer:
        """Give one column of all documents, as colours need it."""
        for info in self.corpus()["columns"]:
            if info["name"] == name:
                return values_of(self.index, info)
        raise ValueError(f"The documents have no column {name!r:.60}.")

    def distances(self, id: Id) -> Answer:
        """Tell how far every document is from one."""
        index = self.index
        known, position = index.snapshot.combine(index.model), self.position(id)
        if position not in known.positions:
            raise ValueError(f"The document {id!r} has no known word, so it cannot be compared with others.")
        own = known.select(np.array([position]))
        found = self.index.distance.between(own, known, Run.of({"threads": 1}))[0]
        return {"distances": without_nan(known.scatter(found[:, None])[:, 0].round(5))}

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
    ) -> Answer:
        """Give a page of the documents, or of those with values, a topic (the most first) or words."""
        wanted = schemas.Selection.model_validate({"where": list(where), "words": words, "topic": topic})
        chosen, proportions = self.find_selected(wanted, least=0.0)
        found = np.array([label is None or self.labels[i] == label for i in chosen.tolist()], bool)
        page = slice(offset, offset + limit)
        shown = chosen[found][page].tolist()
        parts = [None] * len(shown) if proportions is None else proportions[found][page].tolist()
        ids, labels = self.index.documents.ids, self.labels
        lines = [
            {"position": i, "id": ids[i], "title": name, "label": labels[i], "proportion": part}
            for i, name, part in zip(shown, self.index.documents.names(shown), parts)
        ]
        return {"total": int(found.sum()), "offset": offset, "documents": lines}

    def document(self, id: Id) -> Answer:
        """Give one document with its text and its topics, whatever its id."""
        position = self.position(id)
        document = self.index.documents[position]
        columns = {name: format_value(value) for name, value in document.columns.items() if value is not None}
        own = {"id": document.id, "title": document.name, "label": document.label, "text": document.text}
        topics = self.first.name(self.first.proportions[[position]].toarray()[0])
        return {"position": position, **own, "columns": columns, "topics": topics}

    def select(self, wanted: schemas.Selection) -> Answer:
        """Give the documents that a selection means, and what is special about them."""
        positions, proportions = self.find_selected(wanted)
        everywhere = {entry["label"]: entry["documents"] for entry in self.corpus()["labels"]}
        counts = selection.count_values(self.labels[i] for i in positions.tolist())
        return {
            "total": len(positions),
            "positions": positions.tolist(),
            "proportions": None if proportions is None else proportions.tolist(),
            "labels": [one | {"of": everywhere[one["label"]]} for one in counts],
            "words": selection.special_words(self.index, positions),
            "topics": self._more_of(positions),
        }

    def rows(self, request: schemas.RowsRequest) -> Answer:
        """List the documents that a selection means, with all their columns, subject and place on the map."""
        positions, table, more = self._make_table(request)
        columns = {
            name: [None if value is None else format_value(value) for value in column]
            for name, column in table.columns.items()
        }
        return {"positions": positions, "columns": columns | more}

    def table(self, request: schemas.RowsRequest) -> Response:
        """Give the same as a Parquet file, whose columns have their types."""
        parquet = import_optional("pyarrow.parquet", extra="parquet")
        _, table, more = self._make_table(request)
        found, content = to_arrow(table), io.BytesIO()
        for name, values in more.items():
            found = found.append_column(name, [values])
        parquet.write_table(found, content)
        return Response(content.getvalue(), media_type="application/vnd.apache.parquet")

    def _make_table(self, request: schemas.RowsRequest) -> tuple[list[int], Table, dict[str, list[Any]]]:
        """Return the documents that are asked for, their columns, and what else is known of them."""
        found, proportions = self.find_selected(request)
        rows = found.tolist()
        if request.positions is not None:
            left = set(rows)
            rows = [i for i in request.positions if i in left]  # as they are shown
        if request.extra and {len(values) for values in request.extra.values()} != {len(rows)}:
            raise ValueError(f"extra columns must have a value for each of the {len(rows)} documents.")
        table = self.index.documents.rows(rows, self._table_columns(request.text))
        more: dict[str, list[Any]] = {}
        known = {} if proportions is None else {"proportion": proportions.tolist()}
        for name, values in chain(*(one.items() for one in (self._places(rows), known, request.extra))):
            while name in table.columns:
                name += "_"
            more[name] = values
        return rows, table, more

    def _table_columns(self, text: bool) -> list[str]:
        """List the columns of a table: labels by the name that they came with, texts where asked for."""
        hidden = {"text"} if self.corpus()["label"] == "label" else {"text", "label"}
        columns = [name for name in self.index.documents.schema if name not in hidden]
        return [*columns, "text"] if text else columns

    def _places(self, rows: list[int]) -> dict[str, list[Any]]:
        """Give the subject of each document, at the level that is shown first, and its place on the map."""
        subjects = self.subjects()
        shown = subjects["levels"][subjects["level"] - 1] if subjects["levels"] else []
        known = [one for one in subjects["subjects"] if one["number"] in shown]
        subject_of = {i: one["name"] for one in known for i in one["positions"]}
        x, y = (without_nan(column) for column in self.points()[rows].round(4).T)
        return {"subject": [subject_of.get(i) for i in rows], "x": x, "y": y}

    # -- what a selection means -------------------------------------------------------------------------

    def find_selected(
        self, wanted: schemas.Selection, least: float = selection.MIN_PROPORTION
    ) -> tuple[NDArray[np.intp], NDArray[np.float64] | None]:
        """Find the documents that a selection means; of a topic those with a share of at least ``least``."""
        chosen, proportions = np.arange(len(self.index)), None
        if wanted.topic is not None:
            chosen, proportions = self._find_topic(wanted.topic, least)
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
            found = [one for one in self.subjects()["subjects"] if one["number"] == wanted.subject]
            if not found:
                raise ValueError(f"There is no subject {wanted.subject}.")
            kept &= np.isin(np.arange(len(self.index)), found[0]["positions"])
        left = kept[chosen]
        return chosen[left], None if proportions is None else proportions[left]

    def _find_topic(self, topic: int, least: float) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Find documents with at least this share of a topic, the most first."""
        if topic not in self.first.names:
            raise ValueError(f"There is no topic {topic} in the first model, or it was merged with another.")
        column = self.first.proportions[:, [topic]].toarray().ravel()
        order = np.argsort(-column, kind="stable")
        order = order[(column[order] >= least) & (column[order] > 0)]
        return order, column[order]

    def _more_of(self, positions: NDArray[np.intp]) -> list[Answer]:
        """List topics that some documents have more of than the corpus, and how much more."""
        if not len(positions) or len(positions) == len(self.index):
            return []
        rows = self.first.proportions
        more = np.asarray(rows[positions].mean(axis=0) - rows.mean(axis=0)).ravel()
        return self.first.name(more, 4, 0.005)

    @cache_last(1)
    def subjects(self) -> Answer:
        """List the subjects of all levels, those of a level the largest first."""
        found = self.index.subjects(threads=1)
        place = self.index.documents.positions
        levels = [[subject.number for subject in found.at(level)] for level in LEVELS]
        fields = ("number", "name", "terms", "parent", "is_chaff")
        subjects = [
            {field: getattr(subject, field) for field in fields} | {"positions": place(subject.ids).tolist()}
            for subject in found.all
        ]
        return {"level": found.level, "levels": levels, "subjects": subjects}

    @cache_last(4)
    def duplicates(self, likeness: Annotated[float, Query(gt=0.3, le=1)] = LIKENESS) -> Answer:
        """Find documents that are copies of one another, exact or near."""
        place = self.index.documents.positions
        copies = [
            {"positions": place(one.ids).tolist(), "likeness": one.likeness, "are_exact": one.are_exact}
            for one in self.index.duplicates(round(likeness, 2))
        ]
        return {"copies": copies}


def heaviest(rows: sparse.csr_array) -> NDArray[np.intp]:
    """Return the column of the largest value in each row, the first of equal ones; -1 for an empty row."""
    found, sizes = np.full(rows.shape[0], -1, np.intp), np.diff(rows.indptr)
    filled = sizes > 0
    starts = rows.indptr[:-1][filled]
    if len(starts):
        most = np.repeat(np.maximum.reduceat(rows.data, starts), sizes[filled])
        column = np.where(rows.data == most, rows.indices, rows.shape[1])
        found[filled] = np.minimum.reduceat(column, starts)
    return found
