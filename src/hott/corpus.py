"""Documents: what a document is, a corpus of them held compactly, and reading them from files."""

import difflib
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from os import PathLike
from typing import Any, Literal, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, NDArray

from hott._columns import STRING, Column, check_unique, row_number, row_numbers, strings, to_arrow
from hott._progress import Progress, reporting
from hott.readers import BrokenRow, Columns, Record, open_rows

_SCHEMA = pa.schema([("id", STRING), ("title", STRING), ("text", STRING), ("label", STRING)])

# A streamed batch ends here even when it holds few documents, so that whole books fit in memory too.
_BATCH_CHARACTERS = 64_000_000


@dataclass(frozen=True, slots=True)
class Document:
    """One document. ``title`` is empty and ``label`` is None where they are not known."""

    id: str
    title: str
    text: str
    label: str | None = None


class Corpus(Sequence[Document]):
    """Documents in a fixed order, each with an id of its own.

    Held as an Arrow table, so that a million documents take little more memory than their text.

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

    Examples
    --------
    >>> corpus = Corpus(["A cat sat.", "Stocks fell."], ids=["pets", "money"], labels=["animals", "news"])
    >>> corpus
    Corpus of 2 documents, 2 labels: 'pets', 'money'
    >>> corpus[1].text
    'Stocks fell.'
    >>> corpus[[1]].ids == ["money"]
    True
    """

    def __init__(
        self,
        texts: Iterable[str],
        ids: Iterable[str | int] | None = None,
        titles: Iterable[str] | None = None,
        labels: Iterable[str | int | None] | None = None,
    ) -> None:
        text = strings("texts", texts)
        n = len(text)
        columns = {
            "id": strings("ids", ids if ids is not None else map(str, range(n)), numbers=True),
            "title": pa.nulls(n, STRING).fill_null("") if titles is None else strings("titles", titles),
            "text": text,
            "label": pa.nulls(n, STRING)
            if labels is None
            else strings("labels", labels, numbers=True, missing=True),
        }
        for name, column in columns.items():
            if len(column) != n:
                raise ValueError(
                    f"texts and {name}s must have the same length: {n:,} texts, {len(column):,} {name}s."
                )
        self._table = pa.table(columns, schema=_SCHEMA)
        check_unique(self._table["id"])

    @classmethod
    def from_table(cls, table: pa.Table) -> "Corpus":
        """Make a corpus of an Arrow table with the columns ``id``, ``title``, ``text`` and ``label``.

        ``text`` is needed; the others are filled in as in :class:`Corpus` where they are missing.
        """
        if "text" not in table.column_names:
            raise ValueError(f"table must have a column 'text', got the columns {table.column_names}.")
        if set(_SCHEMA.names) - set(table.column_names):
            given = {name: table[name] for name in _SCHEMA.names if name in table.column_names}
            return cls(given.pop("text"), **{f"{name}s": column for name, column in given.items()})
        corpus = cls.__new__(cls)
        corpus._table = table.select(_SCHEMA.names).cast(_SCHEMA)
        for name in ("id", "title", "text"):
            if corpus._table[name].null_count:
                raise ValueError(f"table: the column {name!r} must not hold nulls.")
        check_unique(corpus._table["id"])
        return corpus

    def to_table(self) -> pa.Table:
        """Give the documents as an Arrow table with the columns id, title, text, label, without copying."""
        return self._table

    @property
    def ids(self) -> Column[str]:
        """The id of each document."""
        return Column(self._table["id"])

    @property
    def titles(self) -> Column[str]:
        """The title of each document, "" where it has none."""
        return Column(self._table["title"])

    @property
    def texts(self) -> Column[str]:
        """The text of each document."""
        return Column(self._table["text"])

    @property
    def labels(self) -> "Column[str | None]":
        """The label of each document, None where it has none."""
        return Column(self._table["label"])

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
            near = difflib.get_close_matches(str(id), list(self._positions), n=3)
            hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise ValueError(f"no document has the id {id!r}.{hint}") from None

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {id: position for position, id in enumerate(self.ids)}

    def __len__(self) -> int:
        return self._table.num_rows

    @overload
    def __getitem__(self, item: int) -> Document: ...
    @overload
    def __getitem__(self, item: slice | ArrayLike) -> "Corpus": ...
    def __getitem__(self, item: int | slice | ArrayLike) -> "Document | Corpus":
        """One document by its position; several by a slice, a list of positions or a boolean mask."""
        if isinstance(item, slice):
            start, stop, step = item.indices(len(self))
            if step == 1:
                return self._subset(self._table.slice(start, max(0, stop - start)))
            item = np.arange(start, stop, step)
        if np.ndim(item) == 0:
            row = row_number(item, len(self))
            return Document(*(self._table[name][row].as_py() for name in _SCHEMA.names))
        return self._subset(_taken(self._table, row_numbers(item, len(self))))

    def __iter__(self) -> Iterator[Document]:
        for id, title, text, label in zip(self.ids, self.titles, self.texts, self.labels):
            yield Document(id, title, text, label)

    def __add__(self, other: "Corpus") -> "Corpus":
        """Both corpora, one after the other; an id may occur in one of them only."""
        if not isinstance(other, Corpus):
            return NotImplemented
        return Corpus.from_table(pa.concat_tables([self._table, other._table]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Corpus) and self._table.equals(other._table)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        kinds = pc.count_distinct(self._table["label"]).as_py()
        labels = f", {kinds:,} label{'s' * (kinds != 1)}" if kinds else ""
        names = ", ".join(map(repr, self.ids[:3])) + (", ..." if len(self) > 3 else "")
        return (
            f"Corpus of {len(self):,} document{'s' * (len(self) != 1)}{labels}{': ' + names if names else ''}"
        )

    def _subset(self, table: pa.Table) -> "Corpus":
        corpus = Corpus.__new__(Corpus)
        corpus._table = table
        if table.num_rows > 1:
            check_unique(table["id"])  # a list of positions may name one twice
        return corpus


def read(
    path: str | PathLike[str],
    *,
    id: str | Literal[False] | None = None,
    title: str | Literal[False] | None = None,
    text: str | None = None,
    label: str | Literal[False] | None = None,
    encoding: str | None = None,
    on_error: Literal["raise", "skip"] = "raise",
    format: str | None = None,
    progress: Progress = None,
) -> Corpus:
    """Read documents from a folder or a file.

    Parameters
    ----------
    path : path
        A folder of text files (sub-folders too: their path is the label), a CSV or TSV file, JSON lines,
        Parquet, or one text file (one document). CSV, TSV, JSON lines and text may be gzipped.
    id, title, text, label : str, optional
        The columns to take. Found by name where not given: ``text`` may also be called body, content,
        abstract, and so on. ``False`` leaves a column out: without ids the documents are numbered from "0".
    encoding : str, optional
        The encoding of the text. By default UTF-8, UTF-16 and UTF-32 are recognised, and a line that is
        none of these is read as Windows-1252, with a warning.
    on_error : {"raise", "skip"}
        Whether a broken row stops the read, or is left out and counted in a warning.
    format : {"folder", "csv", "tsv", "jsonl", "parquet", "text"}, optional
        What the file is, where its name does not say.
    progress : bool or callable, optional
        True for a progress bar in a terminal, or a function called with (bytes done, bytes in all).

    Returns
    -------
    Corpus
        The documents in the order of the file, or of the file names (with ``2.txt`` before ``10.txt``).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "articles.csv")
    >>> _ = path.write_text("name,body,class\\nCats,Cats purr.,pets\\nDogs,Dogs bark.,pets\\n")
    >>> read(path)[1]
    Document(id='1', title='Dogs', text='Dogs bark.', label='pets')
    """
    columns = Columns(id=id, title=title, text=text, label=label)
    with reporting(progress, "Reading") as report:
        batches = list(_batches(path, 10_000, columns, encoding, on_error, format, report))
    return Corpus.from_table(pa.concat_tables(batches))


def stream(
    path: str | PathLike[str],
    batch: int = 10_000,
    *,
    id: str | Literal[False] | None = None,
    title: str | Literal[False] | None = None,
    text: str | None = None,
    label: str | Literal[False] | None = None,
    encoding: str | None = None,
    on_error: Literal["raise", "skip"] = "raise",
    format: str | None = None,
    progress: Progress = None,
) -> Iterator[Corpus]:
    """Read documents a batch at a time, for a corpus that is larger than memory.

    Takes the parameters of :func:`read`. A batch holds at most ``batch`` documents and ends early after
    64 million characters. Ids are checked to be unique within a batch only.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "lines.jsonl")
    >>> _ = path.write_text('{"text": "one"}\\n{"text": "two"}\\n{"text": "three"}\\n')
    >>> [len(part) for part in stream(path, batch=2)]
    [2, 1]
    """
    if batch < 1:
        raise ValueError(f"batch must be at least 1 document, got {batch}.")
    columns = Columns(id=id, title=title, text=text, label=label)
    with reporting(progress, "Reading") as report:
        for table in _batches(path, batch, columns, encoding, on_error, format, report):
            yield Corpus.from_table(table)


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


def _batches(
    path: str | PathLike[str],
    batch: int,
    columns: Columns,
    encoding: str | None,
    on_error: str,
    format: str | None,
    report: Any,
) -> Iterator[pa.Table]:
    if on_error not in ("raise", "skip"):
        raise ValueError(f"on_error must be 'raise' or 'skip', got {on_error!r}.")
    number = count()
    broken: list[str] = []  # the first few; all are counted
    n_broken = 0
    notes: list[str] = []
    rows: list[Record] = []
    characters = total = 0
    for row in open_rows(path, columns, notes=notes, encoding=encoding, format=format, report=report):
        if isinstance(row, BrokenRow):
            if on_error == "raise":
                what = "keep what was read" if row.lost else "leave broken rows out"
                raise ValueError(f"{row}. Mend it, or {what} with on_error='skip'.")
            if row.lost:
                notes.append(str(row))
                continue
            n_broken += 1
            broken += [str(row)] * (n_broken <= 3)
            continue
        rows.append(row if row.id is not None else row._replace(id=str(next(number))))
        total += 1
        characters += len(row.text)
        if len(rows) == batch or characters > _BATCH_CHARACTERS:
            yield _table(rows)
            rows, characters = [], 0
    if rows:
        yield _table(rows)
    if broken:
        shown = "; ".join(broken) + ("; ..." if n_broken > 3 else "")
        notes.append(f"left out {n_broken:,} broken row{'s' * (n_broken != 1)}: {shown}")
    for note in notes:
        warnings.warn(note, stacklevel=3)  # the caller of read or stream
    if not total:
        raise ValueError(f"no document was found in {path}.")


def _taken(table: pa.Table, rows: NDArray[np.intp]) -> pa.Table:
    """Some rows of a table; long runs of neighbours share memory with it, which may be that of a file."""
    starts = np.flatnonzero(np.diff(rows, prepend=-2) != 1)
    if len(starts) * 64 >= len(rows):
        return table.take(rows)
    ends = np.append(starts[1:], len(rows))
    return pa.concat_tables([table.slice(rows[a], b - a) for a, b in zip(starts.tolist(), ends.tolist())])


def _table(rows: list[Record]) -> pa.Table:
    ids, titles, texts, labels = zip(*rows)
    columns = {"id": ids, "title": titles, "text": texts, "label": labels}
    return pa.table({name: to_arrow(list(values)) for name, values in columns.items()}, schema=_SCHEMA)
