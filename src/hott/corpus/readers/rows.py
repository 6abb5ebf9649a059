"""What a reader gives: rows of four fields and other columns, broken rows with a reason, columns by name."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

from hott.utils.wording import elide, printable

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
    """A row as read: an id of None is given a number later."""

    id: str | None
    title: str
    text: str
    label: str | None
    columns: Mapping[str, Any] = MappingProxyType({})  # the others, as they were read
    spare: str = ""  # the title to take if many documents have the same
    written: bool = False  # from a file that has text only: numbers among the columns are written out


class BrokenRow(NamedTuple):
    """A row that could not be read, and why."""

    file: str
    line: int | None
    reason: str
    lost: bool = False  # all that comes after it in the file is lost too

    def __str__(self) -> str:
        where = "" if self.line is None else f", line {self.line:,}"
        return printable(f"{self.file}{where}: {self.reason}")


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
        """Tell whether the first row of a table is a header: it has a name that is known, or no value.

        Examples
        --------
        >>> Columns().are_in(["year", "1999", "text"]), Columns().are_in(["7", "Rates rise"])
        (True, False)
        """
        named = {self.id, self.title, self.text, self.label}
        if any(cell in named or cell.strip().lower() in _USUAL for cell in row):
            return True
        return not any(len(cell) > MAX_NAME or _VALUE.fullmatch(cell.strip()) for cell in row)

    def find(self, present: Iterable[str], file: str, likely: str = "") -> dict[str, str]:
        """Map each field to the column that holds it, out of the columns present.

        The error suggests the column that is ``likely`` to hold the text.

        Examples
        --------
        >>> Columns(label=False).find(["Headline", "Body", "Class"], "news.csv")
        {'title': 'Headline', 'text': 'Body'}
        """
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
            raise ColumnError(
                f"{file} has no column with a usual name for the text ('text', 'body', 'content', ...). "
                f"It has {_list_names(present)}: say which one holds the text, such as text={example!r}, or "
                "header=False if the first row is no header."
            )
        return found


def first_places(names: list[str]) -> dict[str, int]:
    """Map each name to its place in a header: to the first, if it is there twice.

    Examples
    --------
    >>> first_places(["text", "year", "text"])
    {'text': 0, 'year': 1}
    """
    places: dict[str, int] = {}
    for place, name in enumerate(names):
        places.setdefault(name, place)
    return places


def make_row(
    row: dict[str, Any], found: dict[str, str], file: str, line: int | None, *, written: bool = False
) -> Record | BrokenRow:
    """Take the four fields out of a row, or say which of them is not text. What else it has stays."""
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
    others = {_other_name(name): value for name, value in row.items() if name not in found.values()}
    return Record(
        get("id") or None,
        get("title") or "",
        get("text") or "",
        get("label") or None,
        others,
        written=written,
    )


def _other_name(name: str) -> str:
    """What a column is called beside the four fields, whose names are taken."""
    name = printable(name.strip()) or "column"
    return f"{name}_" if name in _NAMES else name


def _list_names(names: list[str]) -> str:
    listed = ", ".join(repr(elide(name, MAX_NAME)) for name in names[:20])
    return listed + ", ..." * (len(names) > 20) or "no columns"
