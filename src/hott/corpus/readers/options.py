"""What the user said about the files to be read."""

import difflib
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict, Unpack

from hott.corpus.readers.formats import FORMATS
from hott.corpus.readers.lines import check_encoding
from hott.corpus.readers.rows import Columns
from hott.utils.checks import check_choice, check_count


class ReadOptions(TypedDict, total=False):
    """How files are read: what :func:`hott.read`, :func:`hott.corpus.stream` and ``Index.sync`` take.

    id, title, text, label : str or False
        The columns of tables to take. Found by name where not given: ``text`` may also be called body,
        content, abstract, and so on. ``False`` takes none: without ids the documents are numbered from "0".
        All other columns are kept with their types, in ``corpus.columns``. Files are called by their heading
        or headline, else by their name; ``title="heading"``, ``"first-line"`` or ``"file-name"`` chooses.
    encoding : str
        The encoding of the text. By default UTF-8, UTF-16 and UTF-32 are recognised, and a line that is
        none of these is read as Windows-1252, with a warning.
    on_error : {"raise", "skip", "skip-all"}
        Whether a broken row or file stops the read, or is left out and counted in a warning. "skip" stops
        where more than a tenth of all is broken (and more than ten), which is a wrong guess more often than
        a broken file; "skip-all" does not.
    format : str
        What the file is, or the files of a folder are, where names do not say: one of
        :data:`hott.corpus.readers.FORMATS`. "lines": one document a line.
    delimiter : str
        What stands between the fields of a CSV file; read off its first line by default.
    quote : str
        What stands around fields of a CSV file that have a delimiter in them: ``'"'``, or ``"'"`` if its
        first line says so. ``"none"``: nothing does.
    header : bool
        Whether the first row of a table names its columns; guessed by default. Without a header the columns
        are called "1", "2", ..., and the one with the longest values is the text.
    include, exclude : str or sequence of str
        Patterns of the files of a folder or archive to read, or to leave out, such as ``"*.md"`` or
        ``"drafts/*"``. By default code, licences, and hidden or binary files are left out; ``include``
        reads what it names, and nothing else.
    passages : int
        Split documents that are longer than so many words into passages of about that length.
    report : path
        Write a table of what was read, left out, and why there: .csv, a row a file.
    """

    id: str | Literal[False] | None
    title: str | Literal[False] | None
    text: str | None
    label: str | Literal[False] | None
    encoding: str | None
    on_error: Literal["raise", "skip", "skip-all"]
    format: str | None
    delimiter: str | None
    quote: str | None
    header: bool | None
    include: str | Iterable[str] | None
    exclude: str | Iterable[str] | None
    passages: int | None
    report: str | os.PathLike[str] | None


@dataclass(frozen=True, slots=True)
class Options:
    """The same, checked."""

    columns: Columns = field(default_factory=Columns)
    encoding: str | None = None
    on_error: Literal["raise", "skip", "skip-all"] = "raise"
    format: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    header: bool | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    passages: int | None = None
    report: str | os.PathLike[str] | None = None

    @classmethod
    def of(cls, **given: Unpack[ReadOptions]) -> "Options":
        """Check what was given."""
        unknown = sorted(set(given) - set(ReadOptions.__annotations__))
        if unknown:
            near = difflib.get_close_matches(unknown[0], ReadOptions.__annotations__, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            known = ", ".join(ReadOptions.__annotations__)
            raise TypeError(f"There is no option {unknown[0]!r}; reading takes {known}.{hint}")
        values: dict[str, Any] = {**given}
        if values.get("title") == "first-line":
            values["title"] = False  # which is what a document without a title is called by
        columns = Columns(**{name: values.pop(name, None) for name in ("id", "title", "text", "label")})
        check_encoding(values.get("encoding"))
        check_choice(values.get("on_error", "raise"), "on_error", ("raise", "skip", "skip-all"))
        if values.get("format") is not None and values["format"] not in FORMATS:
            raise ValueError(f"format must be one of {', '.join(FORMATS)}, got {values['format']!r}.")
        delimiter = values.get("delimiter")
        if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1):
            raise ValueError(f"delimiter must be one character, such as ';', got {delimiter!r}.")
        quote = values.get("quote")
        if quote is not None and quote != "none" and (not isinstance(quote, str) or len(quote) != 1):
            raise ValueError(f"quote must be one character, such as \"'\", or 'none', got {quote!r}.")
        if values.get("passages") is not None:
            check_count(values["passages"], "passages")
        for name in ("include", "exclude"):
            patterns = values.get(name) or ()
            values[name] = (patterns,) if isinstance(patterns, str) else tuple(patterns)
        return cls(columns=columns, **values)
