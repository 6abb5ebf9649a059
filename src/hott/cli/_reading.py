"""Options of the commands that read documents, and the table of what was read."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from hott.cli._output import errors, print_table

if TYPE_CHECKING:
    from hott.corpus.readers import Log

DocumentsPath = Annotated[
    Path,
    typer.Argument(
        metavar="DOCUMENTS",
        help="A folder, file or archive: text, Markdown, HTML, PDF, docx, odt, epub, e-mail, CSV, JSON, "
        "xlsx, Parquet, zip, tar.",
    ),
]


_HELP = {
    "text": "Column of the text, or none. Default: found by its name.",
    "id": "Column of the ids, or none. Default: found by its name.",
    "title": "Column of the titles; for files: heading, first-line or file-name.",
    "label": "Column of the labels, or none. Default: found by its name.",
    "include": "Read only these files, such as '*.md'. Repeatable.",
    "exclude": "Leave these files out, such as 'drafts/*'. Repeatable.",
    "format": "What the files are: csv, html, lines, ...",
    "delimiter": "The character between CSV fields. Default: a guess.",
    "quote": "The character around CSV fields, or none. Default: a guess.",
    "header": "Whether the first row has the names of the columns. Default: a guess.",
    "encoding": "Encoding of the text. Default: detected.",
    "passages": "Split documents longer than N words into passages.",
    "report": "Write a .csv that says what happened to each file.",
    "on_error": "If a row or file is broken: stop, skip it (a tenth at most), or skip any number of them.",
}
_KINDS: dict[str, Any] = {
    "include": list[str], "exclude": list[str], "header": bool, "passages": int, "report": Path,
    "on_error": Literal["raise", "skip", "skip-all"],
}  # fmt: skip
_OPTIONS: dict[str, Any] = {
    name: Annotated[_KINDS.get(name, str) | None, typer.Option(help=help, min=1, rich_help_panel="Reading")]
    for name, help in _HELP.items()
}


def with_reading(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of reading; it gets them as one argument, ``reading``."""

    def tell(**given: Any) -> None:
        reading = _check_options({name: given.pop(name) for name in _OPTIONS})
        command(**given, reading=reading)

    own = [p for p in inspect.signature(command).parameters.values() if p.name != "reading"]
    keyword = inspect.Parameter.KEYWORD_ONLY
    mine = [
        inspect.Parameter(name, keyword, default=None, annotation=kind) for name, kind in _OPTIONS.items()
    ]
    hints = get_type_hints(command, include_extras=True)
    tell.__signature__ = inspect.Signature([*own, *mine])  # type: ignore[attr-defined]
    tell.__annotations__ = {name: hint for name, hint in hints.items() if name != "reading"} | _OPTIONS
    tell.__doc__, tell.__name__ = command.__doc__, command.__name__
    return tell


def _check_options(given: dict[str, Any]) -> dict[str, Any]:
    """Options as :func:`hott.read` takes them: those that were given."""
    for name in ("id", "title", "label"):
        if given[name] == "none":
            given[name] = False
    if given["delimiter"] in ("\\t", "tab"):
        given["delimiter"] = "\t"
    return {name: value for name, value in given.items() if value is not None}


def print_log(log: "Log", n_indexed: int) -> None:
    """Print what was read and left out, and why, on standard error: if it is more than one plain file."""
    rows = [[outcome, what, files, documents or ""] for outcome, what, files, documents in log.summary()]
    if log.documents > n_indexed:
        rows.append(["left out", "documents without known words", "", log.documents - n_indexed])
    if len(rows) > 1:
        print_table(["", "", "files", "documents"], rows, to=errors)
