"""Documents: what a document is, and a corpus of them held compactly."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from hott.corpus.naming import name_of
from hott.table.columns import (
    TEXT,
    Column,
    Texts,
    as_kind,
    check_unique,
    infer_column,
    row_number,
    row_numbers,
    strings,
)
from hott.table.table import Table, concat_tables, from_arrow, to_arrow
from hott.utils.tabular import MAX_ROWS, Tabular, make_table
from hott.utils.wording import name_some, pluralize, suggest

if TYPE_CHECKING:
    import pyarrow as pa

FIELDS = ("id", "title", "text", "label")
"""What every document has; other columns are kept beside them."""

_TOGETHER = 1024  # documents that are made at a time
_MAX_COMPARED = 2_000  # ids, letter by letter, with one that is not there: a million would take seconds
_MAX_LETTERS = 100  # of a wrong id, for ids like it to be looked for: the time grows with their square


@dataclass(frozen=True, slots=True)
class Document:
    """One document.

    Attributes
    ----------
    id, title, text : str
        The title is empty where there is none.
    label : str or None
    columns : mapping
        The values of all other columns by their names.

    Examples
    --------
    >>> document = Document("moon", "", "The moon turns the tides.", columns={"year": 2004})
    >>> document.name, document.columns["year"]
    ('The moon turns the tides.', 2004)
    """

    id: str
    title: str
    text: str
    label: str | None = None
    columns: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)

    @property
    def name(self) -> str:
        """The title; without one the first sentence or heading that says something; or else the id.

        Examples
        --------
        >>> Document("x1", "", "\\nMars\\nThe fourth planet.").name
        'Mars'
        """
        return name_of(self.id, self.title, self.text)

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "Document":
        """Make a document of the row of a table."""
        others = {name: value for name, value in row.items() if name not in FIELDS}
        return cls(row["id"], row["title"], row["text"], row["label"], others)


class Corpus(Tabular, Sequence[Document]):
    """Documents in a fixed order, each with an id of its own.

    Held as columns, so that a million documents take little more memory than their text.

    Parameters
    ----------
    texts : iterable of str
        The documents. An empty text is allowed.
    ids : iterable of str or int, optional
        One unique id a document; the positions "0", "1", ... by default.
    titles : iterable of str, optional
        What to call each document; empty by default.
    labels : iterable of str, int or None, optional
        The class of each document, None where it is not known.
    columns : mapping of str to iterables, optional
        Whatever else is known of the documents, by name: numbers, dates, truth values or texts, one a
        document and None where it is missing. They are kept with their types.

    Examples
    --------
    >>> corpus = Corpus(["A cat sat.", "Stocks fell."], ids=["pets", "money"], labels=["animals", "news"])
    >>> corpus
    Corpus of 2 documents, 2 labels: 'pets', 'money'
    >>> corpus[1].text
    'Stocks fell.'
    >>> corpus[[1]].ids == ["money"]
    True
    >>> Corpus(["A cat sat."], columns={"year": [2004]}).columns["year"][0]
    2004
    """

    def __init__(
        self,
        texts: Iterable[str],
        ids: Iterable[str | int] | None = None,
        titles: Iterable[str] | None = None,
        labels: Iterable[str | int | None] | None = None,
        columns: Mapping[str, Iterable[Any]] | None = None,
    ) -> None:
        from hott.corpus.readers import is_frame

        if is_frame(texts):
            raise ValueError(
                f"texts must be strings, got a table ({type(texts).__name__}). hott.read(table) reads it."
            )
        if isinstance(texts, Mapping):
            raise ValueError("texts must be strings, got a dict. For its values: Corpus(d.values(), ids=d).")
        text = strings("texts", texts)
        n = len(text)
        fields: dict[str, Column[Any]] = {
            "id": strings("ids", ids if ids is not None else map(str, range(n)), numbers=True),
            "title": Texts.alike("", n) if titles is None else strings("titles", titles),
            "text": text,
            "label": Texts.alike(None, n)
            if labels is None
            else strings("labels", labels, numbers=True, missing=True),
        }
        for name, column in fields.items():
            if len(column) != n:
                raise ValueError(
                    f"texts and {name}s must have the same length: {n:,} texts, {len(column):,} {name}s."
                )
        for name, values in (columns or {}).items():
            if not isinstance(name, str) or name in FIELDS:
                raise ValueError(
                    f"columns must have names other than {', '.join(FIELDS)}, which are taken; got {name!r}."
                )
            fields[name] = infer_column(list(values))
            if len(fields[name]) != n:
                raise ValueError(
                    f"columns must have a value a document: {n:,} texts, {len(fields[name]):,} in {name!r}."
                )
        self.table = Table(fields)
        check_unique(self.ids)

    @classmethod
    def from_table(cls, table: Any) -> "Corpus":
        """Make a corpus of an Arrow table with the columns ``id``, ``title``, ``text`` and ``label``.

        ``text`` is needed; these others are filled in as in :class:`Corpus` where they are missing. More
        columns are kept.
        """
        rows = table if isinstance(table, Table) else from_arrow(table)
        if "text" not in rows.columns:
            raise ValueError(f"table must have a column 'text', got the columns {list(rows.columns)}.")
        fields = {name: as_kind(rows[name], TEXT) for name in FIELDS if name in rows.columns}
        if len(fields) < len(FIELDS):
            text = fields.pop("text")
            others: dict[str, Any] = {f"{name}s": column for name, column in fields.items()}
            fields = cls(text, **others).table.columns
        for name in ("id", "title", "text"):
            if fields[name].missing.any():
                raise ValueError(f"table: the column {name!r} must not hold nulls.")
        kept = {name: column for name, column in rows.columns.items() if name not in FIELDS}
        check_unique(fields["id"])
        return cls._of(Table({name: fields[name] for name in FIELDS} | kept))

    def to_table(self) -> "pa.Table":
        """Give the documents as an Arrow table: id, title, text, label, other columns (``hott[parquet]``)."""
        return to_arrow(self.table)

    def to_columns(self) -> dict[str, Sequence[Any]]:
        """Return everything known of the documents, by the names of the columns."""
        return {name: list(column) for name, column in self.table.columns.items()}

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>{make_table(self[:MAX_ROWS].to_columns())}"

    @property
    def ids(self) -> Column[str]:
        """The id of each document."""
        return self.table["id"]

    @property
    def titles(self) -> Column[str]:
        """The title of each document, "" where it has none."""
        return self.table["title"]

    @property
    def texts(self) -> Column[str]:
        """The text of each document."""
        return self.table["text"]

    @property
    def labels(self) -> "Column[str | None]":
        """The label of each document, None where it has none."""
        return self.table["label"]

    @property
    def columns(self) -> "dict[str, Column[Any]]":
        """All other columns by their names, with their types; None where a value is missing."""
        return {name: column for name, column in self.table.columns.items() if name not in FIELDS}

    def position(self, id: str) -> int:
        """Find the position of the document with this id.

        Examples
        --------
        >>> Corpus(["a", "b"], ids=["first", "second"]).position("second")
        1
        """
        try:
            return self._positions[id]
        except KeyError:
            raise ValueError(explain_missing(str(id), self.ids)) from None

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {id: position for position, id in enumerate(self.ids)}

    def __len__(self) -> int:
        return len(self.table)

    @overload
    def __getitem__(self, item: int) -> Document: ...
    @overload
    def __getitem__(self, item: slice | ArrayLike) -> "Corpus": ...
    def __getitem__(self, item: int | slice | ArrayLike) -> "Document | Corpus":
        """Get one document by its position, or several by a slice, a list of positions or a boolean mask."""
        if isinstance(item, slice):
            start, stop, step = item.indices(len(self))
            if step == 1:
                return self._of(self.table.part(start, max(start, stop)))
            item = np.arange(start, stop, step)
        if np.ndim(item) == 0:
            row = row_number(item, len(self))
            return Document.of(self.table.part(row, row + 1).records()[0])
        rows = row_numbers(item, len(self))
        if len(np.unique(rows)) < len(rows):  # a list of positions may name one twice
            check_unique(self.table["id"].take(rows))
        return self._of(self.table.take(rows))

    def __iter__(self) -> Iterator[Document]:
        for part in self.table.parts(_TOGETHER):
            yield from map(Document.of, part.records())

    def __add__(self, other: "Corpus") -> "Corpus":
        """Put two corpora one after the other; an id may occur in only one of them.

        A column that one of them lacks is empty there; one that has two types becomes text.
        """
        if not isinstance(other, Corpus):
            return NotImplemented
        return Corpus.from_table(concat_tables([self.table, other.table]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Corpus) and self.table == other.table

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        kinds = len({label for label in self.labels if label is not None})
        labels = f", {pluralize(kinds, 'label')}" if kinds else ""
        names = f": {name_some(self.ids, 3)}" if len(self) else ""
        return f"Corpus of {pluralize(len(self), 'document')}{labels}{names}"

    @classmethod
    def _of(cls, table: Table) -> "Corpus":
        corpus = cls.__new__(cls)
        corpus.table = table
        return corpus


def explain_missing(id: str, ids: Sequence[str]) -> str:
    """Say that no document has an id, and which ones are like it."""
    like: Iterable[str] = ()
    if len(id) <= _MAX_LETTERS:  # ids that are about as long and begin alike are compared with it
        start = "" if len(ids) <= _MAX_COMPARED else id[:3].casefold()
        like = (one for one in ids if len(one) <= 2 * len(id) and one[:3].casefold().startswith(start))
    return f"No document has the id {id!r}.{suggest(id, islice(like, _MAX_COMPARED), n=3)}"


def texts_of(texts: Iterable[str] | Corpus, name: str) -> Iterator[str]:
    """Give the texts of a corpus, or of any iterable once each is found to be a string."""
    if isinstance(texts, Corpus):
        yield from texts.texts
        return
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise ValueError(
            f"{name} must be a sequence of texts, got {type(texts).__name__}. Put a single text in a list."
        )
    for position, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(
                f"{name} must hold strings: {name}[{position}] is {text!r:.60} ({type(text).__name__})."
            )
        yield text
