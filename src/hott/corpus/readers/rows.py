"""What a reader gives: rows of four fields and other columns, out of frames and dicts too, or in passages."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

from hott.utils.wording import elide, name_some, printable

# Names a column may go by, the likeliest first, English ones before others.
_NAMES = {
    "id": ("id", "_id", "doc_id", "docid", "document_id", "identifier", "uid"),
    "title": ("title", "name", "headline", "heading", "subject", "titel", "titre", "título", "titulo",
              "titolo", "tytuł", "überschrift", "betreff", "asunto", "oggetto"),
    "text": ("text", "body", "content", "contents", "full_text", "fulltext", "document", "article",
             "abstract", "description", "review", "message", "tweet", "comment", "summary", "sentence",
             "texte", "texto", "testo", "tekst", "inhalt", "contenu", "contenido", "conteúdo", "contenuto",
             "innehåll", "inhoud", "treść", "beschreibung", "descripción", "descrizione"),
    "label": ("label", "category", "class", "target", "genre", "section", "topic", "kategorie", "categorie",
              "catégorie", "categoría", "categoria", "rubrik", "rubrique", "klasse"),
}  # fmt: skip
_USUAL = frozenset(name for names in _NAMES.values() for name in names)
_VALUE = re.compile(r"[-+]?[0-9][0-9.,:/ -]*")  # a number, a date or a time
TITLES = ("heading", "file-name")
"""What files may be called by, besides a column of a table."""

MAX_NAME = 60  # characters of the name of a column, beyond which it is a text


class Record(NamedTuple):
    """A document as read: an id of None is given a number later."""

    id: str | None = None
    title: str = ""
    text: str = ""
    label: str | None = None
    columns: Mapping[str, Any] = MappingProxyType({})  # the others, as they were read
    spare: str = ""  # the title to take if many documents have the same
    written: bool = False  # from a file that has text only: numbers among the columns are written out


class BrokenRow(NamedTuple):
    """A row that could not be read, and why."""

    file: str
    line: int | None
    reason: str
    lost: bool = False  # all that comes after it in the file is lost too

    @property
    def place(self) -> str:
        return self.file + ("" if self.line is None else f", line {self.line:,}")

    def __str__(self) -> str:
        return printable(f"{self.place}: {self.reason}")


class ColumnError(ValueError):
    """A table lacks a column that is needed, or has something else than text in it."""


Rows: TypeAlias = Iterator[Record | BrokenRow]


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns the user named; None is found by name, False is left out."""

    id: str | Literal[False] | None = None
    title: str | Literal[False] | None = None
    text: str | None = None
    label: str | Literal[False] | None = None

    def are_in(self, row: Sequence[str]) -> bool:
        """Tell whether the first row of a table is a header: it has a name that is known, or no value."""
        named = {self.id, self.title, self.text, self.label}
        if any(cell in named or cell.strip().lower() in _USUAL for cell in row):
            return True
        return not any(len(cell) > MAX_NAME or _VALUE.fullmatch(cell.strip()) for cell in row)

    def find(self, present: Iterable[str], file: str, likely: str = "") -> dict[str, str]:
        """Map each field to its column; the error suggests the one that is ``likely`` to hold the text."""
        present = list(present)
        lowered = {name.strip().lower(): name for name in reversed(present)}
        found: dict[str, str] = {}
        for field, usual in _NAMES.items():
            wanted = getattr(self, field)
            if field == "title" and wanted in TITLES and wanted not in present:
                continue
            if isinstance(wanted, str):
                if wanted not in present:
                    raise ColumnError(
                        f"{field}: {file} has no column {wanted!r}. It has {_list_names(present)}."
                    )
                found[field] = wanted
            elif wanted is None:
                name = next((lowered[name] for name in usual if name in lowered), None)
                if name is not None:
                    found[field] = name
        if "text" not in found:
            example = elide(likely or (present[-1] if present else "body"), MAX_NAME)
            more = ", or header=False if the first row is no header" * bool(likely)
            more += ", or delimiter= if these are several columns" * (bool(likely) and len(present) == 1)
            raise ColumnError(
                f"{file} has no column with a usual name for the text ('text', 'body', 'content', ...). "
                f"It has {_list_names(present)}: say which holds the text, such as text={example!r}{more}."
            )
        return found


def first_places(names: list[str]) -> dict[str, int]:
    """Map each name to its place in a header: to the first, if it is there twice."""
    places: dict[str, int] = {}
    for place, name in enumerate(names):
        places.setdefault(name, place)
    return places


def make_row(
    row: dict[str, Any], found: dict[str, str], file: str, line: int | None, *, written: bool = False
) -> Record | BrokenRow:
    """Make a document of a row, or say which of its four fields is not text. What else it has stays."""
    values: dict[str, str] = {}
    for field, name in found.items():
        value = row.get(name)
        if isinstance(value, str):
            values[field] = value
        elif field == "text" and name not in row:
            return BrokenRow(file, line, f"has no {name!r}")
        elif field != "text" and isinstance(value, int | float):
            values[field] = str(value)
        elif value is not None:
            return BrokenRow(file, line, f"{name!r} must be text, got {type(value).__name__}")
    get = values.get
    # A label stays under the name that the user gave its column: conditions and tables know it by that, too.
    taken = {name for field, name in found.items() if field != "label" or name.strip() in _NAMES}
    others: dict[str, Any] = {}
    for name, value in row.items():
        if name not in taken:
            shown = printable(name.strip()) or "column"
            others[f"{shown}_" if shown in _NAMES else shown] = value
    id, title, text, label = (get(field) or "" for field in _NAMES)
    return Record(id or None, title, text, label or None, others, written=written)


def _list_names(names: list[str]) -> str:
    return name_some(names, 20, lambda name: repr(elide(name, MAX_NAME))) or "no columns"


def is_frame(value: Any) -> bool:
    """Return whether this is a table of columns: a pandas or polars frame, or an Arrow table."""
    return hasattr(value, "columns") and hasattr(value, "__getitem__") and hasattr(value, "shape")


def is_series(value: Any) -> bool:
    """Return whether this is a pandas or polars series."""
    return hasattr(value, "to_list") and hasattr(value, "name") and hasattr(value, "dtype")


Objects: TypeAlias = Iterator[tuple[int | None, dict[str, Any]] | BrokenRow]
"""Rows by the names of their columns, each with its line, where it has one."""


def read_objects(objects: Objects, columns: Columns, name: str, ids: Sequence[str] | None = None) -> Rows:
    """Read documents out of rows of any columns, which are found by the keys of the first hundred.

    ``ids`` are those of documents that no column gives one to.
    """
    head = list(islice(objects, 100))
    keys = dict.fromkeys(key for row in head if not isinstance(row, BrokenRow) for key in row[1])
    found = columns.find(keys, name) if keys else {}
    for number, row in enumerate(chain(head, objects)):
        record = row if isinstance(row, BrokenRow) else make_row(row[1], found, name, row[0])
        if ids and columns.id is None and isinstance(record, Record) and record.id is None:
            record = record._replace(id=ids[number])
        yield record


def list_objects(rows: Iterable[Mapping[str, Any]], name: str) -> Objects:
    """Give dicts in memory with their numbers, and None where a value is missing."""
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise ValueError(
                f"{name} must hold dicts: number {number} is {row!r:.60} ({type(row).__name__}). Texts "
                "make a hott.Corpus(texts); of several files, read their folder, with include=."
            )
        yield number + 1, {str(key): _present(value) for key, value in row.items()}


def read_frame(frame: Any, columns: Columns) -> Rows:
    """Read documents out of a frame. A pandas index that was set gives the ids where no column does."""
    names = [str(name) for name in (frame.column_names if hasattr(frame, "column_names") else frame.columns)]
    places = first_places(names)
    values = [list_values(_column(frame, place), name) for name, place in places.items()]
    rows = (dict(zip(places, row)) for row in zip(*values))
    return read_objects(list_objects(rows, "the frame"), columns, "the frame", _index(frame))


def read_series(series: Any) -> Rows:
    """Read documents out of a series of texts. A pandas index that was set gives the ids."""
    rows = ({"text": text} for text in series.to_list())
    return read_objects(list_objects(rows, "the series"), Columns(), "the series", _index(series))


def _column(frame: Any, place: int) -> Any:
    """Return a column by its place: names may occur twice."""
    if hasattr(frame, "iloc"):
        return frame.iloc[:, place]
    return frame.column(place) if hasattr(frame, "column_names") else frame[frame.columns[place]]


def list_values(column: Any, name: str) -> list[Any]:
    """List the values of a column of pandas, polars or Arrow as Python's own.

    Dates beyond those of Python become text. A text that Arrow keeps once, for many rows, stays one.
    """
    if hasattr(column, "dictionary") and hasattr(column, "indices"):
        texts, places = list_values(column.dictionary, name), column.indices.to_pylist()
        if not all(place is None or 0 <= place < len(texts) for place in places):  # Arrow does not look
            raise ValueError(f"the column {name!r:.60} is damaged: it names values that it does not have")
        return [None if place is None else texts[place] for place in places]
    try:
        return column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
    except (OverflowError, ValueError) as error:
        try:
            return column.cast("string").to_pylist()
        except (AttributeError, TypeError, ValueError, NotImplementedError):
            raise ValueError(f"the column {name!r:.60} cannot be read: {error}") from error


def _index(frame: Any) -> list[str] | None:
    """Return the index of a pandas frame as ids, if it is more than a count and has none twice."""
    index = getattr(frame, "index", None)
    if index is None or callable(index) or type(index).__name__ == "RangeIndex" or not index.is_unique:
        return None
    return [str(value) for value in index]


def _present(value: Any) -> Any:
    """Return a value, or None for what pandas writes in the place of a missing value."""
    missing = isinstance(value, float) and value != value
    return None if missing or type(value).__name__ in ("NAType", "NaTType") else value


_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_SENTENCE = re.compile(r"(?<=[.!?…。！？])[\"'”’)\]]*\s+|(?<=[。！？])")


def passages_of(text: str, words: int) -> list[str]:
    """Cut a text into passages of about ``words`` words; one that is not longer stays whole."""
    if _length(text) <= words:
        return [text]
    passages: list[str] = []
    pieces: list[str] = []
    size = 0
    for piece, gap in _pieces(text, words):
        length = _length(piece)
        if pieces and size + length > words:
            passages.append("".join(pieces).strip())
            pieces, size = [], 0
        pieces += [piece, gap]
        size += length
    passages.append("".join(pieces).strip())
    return [passage for passage in passages if passage] or [text]


def _pieces(text: str, words: int) -> Iterator[tuple[str, str]]:
    """Yield paragraphs, or pieces of at most ``words`` words, each with what joins it to the next."""
    for paragraph in _PARAGRAPH.split(text):
        if _length(paragraph) <= words:
            yield paragraph, "\n\n"
            continue
        for sentence in _SENTENCE.split(paragraph):
            parts = sentence.split()
            for start in range(0, len(parts), words):
                yield " ".join(parts[start : start + words]), " "


def _length(text: str) -> int:
    """Count the words, or pairs of characters where a script has no spaces."""
    return max(len(text.split()), len(text) // 24)


def split_record(record: Record, words: int) -> list[Record]:
    """Split a document into its passages, which know their document and their number."""
    parts = passages_of(record.text, words)
    if len(parts) == 1:
        return [record._replace(columns={**record.columns, "document": record.id, "passage": 1})]
    name = record.title or record.id
    return [
        record._replace(
            id=f"{record.id}#{number}",
            title=f"{name} ({number}/{len(parts)})",
            text=part,
            columns={**record.columns, "document": record.id, "passage": number},
        )
        for number, part in enumerate(parts, 1)
    ]
