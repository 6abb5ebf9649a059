"""The documents of an index: in memory while it is built, on the disk once it was saved and opened."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hott.corpus import FIELDS, Corpus, Document, explain_missing
from hott.corpus.naming import HEAD, name_of
from hott.storage import StoredTable
from hott.table.columns import Column, Kind, Texts, row_number, row_numbers
from hott.table.table import Schema, Table, align, concat_tables, unify_schemas
from hott.utils.wording import name_some

_NAMED_BY = ("id", "title", "text")

_MAX_KEPT, _MAX_KEPT_LENGTH = 256, 1 << 16  # documents that stay in memory, and letters of one of them
_TOGETHER, _BATCH = 1_000, 10_000  # documents that are read together


Source: TypeAlias = Table | StoredTable
"""Documents in memory, or in a file."""


class Documents(Sequence[Document]):
    """The documents of an index, in order. Texts are read from the disk when they are asked for.

    ``documents[3]`` is one document, ``documents[[3, 5]]`` or a slice a ``Corpus``; ``documents.ids``,
    ``.titles`` and ``.labels`` are columns, ``documents.columns`` has all others by their names;
    ``documents.position(id)`` finds one.

    Parameters
    ----------
    *sources : tables, in memory or in files, one after the other
    order : which of their rows, and in which order; all as they are by default
    schema : the columns, where the tables do not say

    Examples
    --------
    >>> documents = Documents.of(Corpus(["A comet is ice.", "A goal was scored."], ids=["sky", "sport"]))
    >>> documents[0].text, documents.position("sport"), len(documents[:1])
    ('A comet is ice.', 1, 1)
    """

    # However often documents come and go, they are rows of a few tables: `_order` says which rows of these
    # tables, one after the other, and in which order. None: all rows as they are.

    def __init__(
        self, *sources: Source, order: NDArray[np.int64] | None = None, schema: Schema | None = None
    ) -> None:
        self._sources = sources
        self._starts = np.cumsum([0, *(source.n_rows for source in sources)])
        self._order = order
        self._schema = schema
        # Those read last: what is found is explained and compared next.
        self._recent: dict[int, Document] = {}

    @classmethod
    def of(cls, corpus: Corpus) -> "Documents":
        """Keep the documents of a corpus, in memory."""
        return cls(corpus.table)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_recent": {}}

    def __len__(self) -> int:
        return int(self._starts[-1]) if self._order is None else len(self._order)

    @overload
    def __getitem__(self, item: int) -> Document: ...
    @overload
    def __getitem__(self, item: slice | ArrayLike) -> Corpus: ...
    def __getitem__(self, item: int | slice | ArrayLike) -> Document | Corpus:
        if isinstance(item, slice):
            return Corpus.from_table(self.rows(range(*item.indices(len(self)))))
        if np.ndim(item) == 0:
            return self.read([row_number(item, len(self))])[0]
        return Corpus.from_table(self.rows(row_numbers(item, len(self)).tolist()))

    def __iter__(self) -> Iterator[Document]:
        for batch in self.batches():
            yield from map(Document.of, batch.records())

    def __repr__(self) -> str:
        return f"Documents({len(self):,})"

    @cached_property
    def schema(self) -> dict[str, Kind]:
        """All columns and what they hold. Documents that were added later may have others than the first."""
        return dict(self._schema or unify_schemas([source.schema for source in self._sources]))

    def rows(self, rows: Sequence[int], columns: Sequence[str] | None = None) -> Table:
        """Read some columns of the documents at the given positions, in that order; all by default."""
        schema = self._schema_of(columns)
        wanted = np.asarray(rows, dtype=np.int64)
        if self._order is not None:
            wanted = self._order[wanted]
        if len(self._sources) == 1:
            return _read(self._sources[0], schema, wanted.tolist())
        which = np.searchsorted(self._starts, wanted, side="right") - 1
        tables = [
            _read(self._sources[n], schema, (wanted[which == n] - self._starts[n]).tolist())
            for n in np.unique(which)
        ]
        if not tables:
            return Table.empty(schema)
        return concat_tables(tables).take(np.argsort(np.argsort(which, kind="stable")))

    def read(self, positions: Sequence[int]) -> list[Document]:
        """Read a few documents; those that were read last are still there."""
        recent = self._recent
        found = {place: recent[place] for place in positions if place in recent}
        missing = [place for place in dict.fromkeys(positions) if place not in found]
        if missing:
            new = dict(zip(missing, map(Document.of, self.rows(missing).records())))
            found |= new
            short = {place: one for place, one in new.items() if len(one.text) <= _MAX_KEPT_LENGTH}
            self._recent = short if len(recent) + len(short) > _MAX_KEPT else {**recent, **short}
        return [found[place] for place in positions]

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Table]:
        """Read all documents, in tables of about ten thousand."""
        schema = self._schema_of(columns)
        source = self._sources[0] if len(self._sources) == 1 and self._order is None else None
        if isinstance(source, StoredTable):
            for batch in source.batches([name for name in schema if name in source.schema]):
                yield align(batch, schema)
            return
        for start in range(0, max(len(self), 1), _BATCH):
            yield self.rows(range(start, min(start + _BATCH, len(self))), columns)

    @property
    def columns(self) -> dict[str, Column[Any]]:
        """The columns besides id, title, text and label, by their names."""
        return {name: self._column(name) for name in self.schema if name not in FIELDS}

    @cached_property
    def ids(self) -> Texts:
        found = self._column("id")
        return found if isinstance(found, Texts) else Texts.of(found)

    @cached_property
    def titles(self) -> Column[str]:
        return self._column("title")

    @cached_property
    def labels(self) -> "Column[str | None]":
        return self._column("label")

    @cached_property
    def label_name(self) -> str:
        """What the user calls the column of the labels; "label" where it has no other name."""

        def has_labels(column: Iterable[Any], labels: Iterable[str | None]) -> bool:
            return all(a == (None if b is None else str(b)) for a, b in zip(labels, column))

        others = [name for name in self.schema if name not in FIELDS]
        head = self.rows(range(min(len(self), _TOGETHER)), ["label", *others])  # few columns are read whole
        likely = [name for name in others if has_labels(head[name], head["label"])]
        is_labelled = bool(likely) and any(label is not None for label in self.labels)
        found = (name for name in likely if has_labels(self._column(name), self.labels))
        return next(found, "label") if is_labelled else "label"

    def column(self, name: str) -> Column[Any]:
        """Return one column by its name: id, title, text, label or any other."""
        check_column(self.schema, name)
        return self._column(name)

    def _column(self, name: str) -> Column[Any]:
        if self._order is not None:
            return self.rows(range(len(self)), [name])[name]
        schema = self._schema_of([name])
        tables = [_read(source, schema) for source in self._sources]
        return concat_tables(tables or [Table.empty(schema)])[name]

    def with_schema(self, schema: Schema) -> "Documents":
        """Return the same documents with these columns, empty where they have none of the name."""
        if schema == self.schema:
            return self
        return Documents(*self._sources, order=self._order, schema=schema)

    def _schema_of(self, columns: Sequence[str] | None) -> Schema:
        return self.schema if columns is None else {name: self.schema[name] for name in columns}

    def find(self, id: str) -> int | None:
        """Return the position of the document with this id, None when there is none."""
        found = self.ids.rows_of(id)
        return int(found[0]) if len(found) else None

    def position(self, id: str) -> int:
        """Return the position of the document with this id, or raise an error that names ids like it."""
        if not isinstance(id, str):
            raise ValueError(f"ids must be strings, got {id!r:.60} ({type(id).__name__}).")
        position = self.find(id)
        if position is not None:
            return position
        raise ValueError(explain_missing(id, self.ids))

    def check_new(self, others: "Corpus | Documents") -> None:
        """Raise ValueError if any of the ids of ``others`` is there already."""
        there = set(self.ids)
        known = [id for id in others.ids if id in there]
        if known:
            raise ValueError(
                f"ids must be new: {len(known):,} of the {len(others):,} documents have one that is in the "
                f"index already ({name_some(known)}). Give them other ids, leave them out, or "
                "replace what is there: index.update(corpus)."
                + " Documents without ids are numbered from 0."
                * all(map(str.isdecimal, known))
            )

    def positions(self, ids: Iterable[str]) -> NDArray[np.intp]:
        """Return the position of each id, -1 where no document has it."""
        places = {id: place for place, id in enumerate(self.ids)}
        return np.array([places.get(id, -1) for id in ids], np.intp)

    def names(self, positions: Iterable[int] | None = None) -> list[str]:
        """Name the documents at some positions, or all of them (:attr:`hott.corpus.Document.name`)."""
        if positions is None:
            return [name for batch in self.batches(_NAMED_BY) for name in _names(batch)]
        chosen = np.fromiter(positions, np.intp)
        parts = range(0, len(chosen), _TOGETHER)
        tables = (self.rows(chosen[start : start + _TOGETHER].tolist(), _NAMED_BY) for start in parts)
        return [name for table in tables for name in _names(table)]

    def rows_of(self, positions: NDArray[np.intp]) -> Iterator[Document]:
        """Yield the documents at some positions, a thousand in memory at a time."""
        for start in range(0, len(positions), _TOGETHER):
            yield from map(Document.of, self.rows(positions[start : start + _TOGETHER].tolist()).records())

    def take(self, positions: NDArray[np.intp]) -> "Documents":
        """Select the documents at some positions, in that order. They stay where they are."""
        if np.array_equal(positions, np.arange(len(self))):
            return self
        order = np.asarray(positions, np.int64) if self._order is None else self._order[positions]
        sources: list[Source] = []
        kept: list[NDArray[np.int64]] = []
        for source, start in zip(self._sources, self._starts):
            used = np.unique(order[(order >= start) & (order < start + source.n_rows)])
            # What lies in memory goes with its last documents; a file stays as it is.
            if isinstance(source, Table) and 2 * len(used) <= source.n_rows:
                source = source.take((used - start).tolist())
            else:
                used = np.arange(start, start + source.n_rows)
            if len(used):
                sources.append(source)
                kept.append(used)
        if kept:
            order = np.searchsorted(np.concatenate(kept), order)
        taken = Documents(*sources, order=order, schema=self.schema)
        if "ids" in vars(self):  # which are asked for again and again
            vars(taken)["ids"] = self.ids.take(positions)
        return taken

    @classmethod
    def concat(cls, parts: "Sequence[Documents]") -> "Documents":
        """Put documents one after the other, with the columns of all."""
        if len(parts) == 1:
            return parts[0]
        schema = unify_schemas([part.schema for part in parts])
        starts = np.cumsum([0, *(part._starts[-1] for part in parts)])
        order = None
        if any(part._order is not None for part in parts):
            all_rows = (np.arange(len(part)) if part._order is None else part._order for part in parts)
            order = np.concatenate([rows + start for rows, start in zip(all_rows, starts)])
        sources = [source for part in parts for source in part._sources if source.n_rows]
        return cls(*_merge_small(sources), order=order, schema=schema)


def _merge_small(sources: Sequence[Source]) -> list[Source]:
    """Join neighbouring tables in memory that are not larger than those behind them: few are left."""
    merged: list[Source] = []
    for source in sources:
        while (
            merged
            and isinstance(before := merged[-1], Table)
            and isinstance(source, Table)
            and before.n_rows <= source.n_rows
        ):
            source = concat_tables([before, source])
            merged.pop()
        merged.append(source)
    return merged


def _names(documents: Table) -> list[str]:
    texts = documents["text"]
    heads = texts.heads(HEAD) if isinstance(texts, Texts) else list(texts)
    return [*map(name_of, documents["id"], documents["title"], heads)]


def check_column(schema: Schema, name: str) -> Kind:
    """Return what a column holds; an error lists the columns there are."""
    if name not in schema:
        raise ValueError(f"The documents have no column {name!r}. They have {', '.join(map(repr, schema))}.")
    return schema[name]


def _read(source: Source, schema: Schema, rows: list[int] | None = None) -> Table:
    """Read rows of one source, or all; columns that it does not have are empty."""
    is_same = list(schema.items()) == list(source.schema.items())
    there = None if is_same else [name for name in schema if name in source.schema]
    if there == []:
        return Table.empty(schema, source.n_rows if rows is None else len(rows))
    if isinstance(source, StoredTable):
        found = source.read(there) if rows is None else source.rows(rows, there)
    else:
        found = source.select(there) if rows is None else source.select(there).take(rows)
    return found if is_same else align(found, schema)
