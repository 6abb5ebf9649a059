"""Which format a file has, which files are documents, and what the user said about reading them."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any, Literal, TypedDict, Unpack

from hott.corpus.readers.lines import check_encoding
from hott.corpus.readers.rows import Columns
from hott.utils.checks import check_choice, check_count
from hott.utils.wording import suggest

_ENDINGS = {
    "text": "txt text rst asc",
    "markdown": "md markdown mdown",
    "html": "html htm xhtml",
    "pdf": "pdf",
    "docx": "docx",
    "odt": "odt",
    "epub": "epub",
    "eml": "eml",
    "csv": "csv",
    "tsv": "tsv tab",
    "jsonl": "jsonl ndjson",
    "json": "json",
    "parquet": "parquet pq",
    "xlsx": "xlsx xlsm",
    "mbox": "mbox mbx",
    "zip": "zip",
    "tar": "tar tgz tbz2 txz",
}
SUFFIXES = {f".{ending}": format for format, endings in _ENDINGS.items() for ending in endings.split()}
FORMATS = ("folder", "lines", *_ENDINGS)
ARCHIVES = ("zip", "tar")
MANY = ("csv", "tsv", "jsonl", "json", "lines", "parquet", "xlsx", "mbox")
"""Formats with many documents in a file."""

_CODE = frozenset(f".{ending}" for ending in (
    "py", "pyi", "pyx", "ipynb", "js", "mjs", "ts", "jsx", "tsx", "css", "scss", "less", "c", "h", "cpp",
    "hpp", "cc", "hh", "cu", "cuh", "java", "kt", "go", "rs", "rb", "php", "pl", "pm", "sh", "bash", "zsh",
    "fish", "bat", "cmd", "ps1", "sql", "r", "m", "mm", "swift", "scala", "lua", "jl", "cs", "vb", "f", "f90",
    "asm", "s", "cmake", "mk", "gradle", "toml", "yaml", "yml", "ini", "cfg", "conf", "lock", "xml", "xsd",
    "xsl", "svg", "dtd", "proto", "tex", "cls", "sty", "bib", "map", "tf", "vue",
))  # fmt: skip
_OF_PROJECTS = (
    "readme*", "license*", "licence*", "copying*", "notice*", "authors*", "codeowners", "makefile*",
    "dockerfile*", "cmakelists.txt", "requirements*.txt", "package.json", "package-lock.json",
    "tsconfig*.json", "composer.json", "manifest.in", "robots.txt", "thumbs.db", "desktop.ini",
)  # fmt: skip
_FOLDERS_OF_CODE = frozenset(["node_modules", "__pycache__", "site-packages"])


def format_of(name: str) -> str | None:
    """Return the format of a file by its name, compressed or not; None where the name does not tell."""
    lowered = name.lower()
    if lowered.endswith((".tar.gz", ".tar.bz2", ".tar.xz")):
        return "tar"
    return SUFFIXES.get(PurePosixPath(lowered.removesuffix(".gz")).suffix)


def why_left_out(name: str, include: tuple[str, ...], exclude: tuple[str, ...]) -> str | None:
    """Say why a file of a folder or archive is not read, in the plural; None if it is."""
    if any(_matches(name, pattern) for pattern in exclude):
        return "files that were excluded"
    *folders, last = name.split("/")
    hidden = any(part.startswith(".") for part in (*folders, last))
    if include:
        asked = [pattern for pattern in include if _matches(name, pattern)]
        if not asked:
            return "files that were not included"
        hidden = hidden and not any(part.startswith(".") for pattern in asked for part in pattern.split("/"))
        return "hidden files" if hidden else None
    if hidden:
        return "hidden files"
    lowered = last.lower().removesuffix(".gz")
    if any(fnmatchcase(lowered, pattern) for pattern in _OF_PROJECTS):
        return "licences, readme files and other files of projects"
    if PurePosixPath(lowered).suffix in _CODE or not _FOLDERS_OF_CODE.isdisjoint(folders):
        return "files of code or settings"
    return None


def _matches(name: str, pattern: str) -> bool:
    """Tell whether a pattern matches a file by its name, its path, or a folder above it."""
    name, pattern = name.lower(), pattern.lower().rstrip("/")
    return (
        fnmatchcase(name, pattern)
        or fnmatchcase(name.rpartition("/")[2], pattern)
        or name.startswith(f"{pattern}/")
    )


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
class Options(Columns):
    """The same, checked."""

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
            hint = suggest(unknown[0], ReadOptions.__annotations__)
            known = ", ".join(ReadOptions.__annotations__)
            raise TypeError(f"There is no option {unknown[0]!r}; reading takes {known}.{hint}")
        values: dict[str, Any] = {**given}
        if values.get("title") == "first-line":
            values["title"] = False  # which is what a document without a title is called by
        check_encoding(values.get("encoding"))
        check_choice(values.get("on_error", "raise"), "on_error", ("raise", "skip", "skip-all"))
        if values.get("format") not in (None, *FORMATS):
            raise ValueError(f"format must be one of {', '.join(FORMATS)}, got {values['format']!r}.")
        for name, example, other in (
            ("delimiter", "such as ';'", None),
            ("quote", "such as \"'\", or 'none'", "none"),
        ):
            value = values.get(name)
            if value not in (None, other) and not (isinstance(value, str) and len(value) == 1):
                raise ValueError(f"{name} must be one character, {example}, got {value!r}.")
        if values.get("passages") is not None:
            check_count(values["passages"], "passages")
        for name in ("include", "exclude"):
            patterns = values.get(name) or ()
            values[name] = (patterns,) if isinstance(patterns, str) else tuple(patterns)
        return cls(**values)
