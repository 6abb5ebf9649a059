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


def _column(what: str) -> Any:
    return typer.Option(
        help=f"Column of the {what}, or none. Default: found by its name.", rich_help_panel="Reading"
    )


def _reading(*names: str, **settings: Any) -> Any:
    return typer.Option(*names, rich_help_panel="Reading", **settings)


_OPTIONS: dict[str, Any] = {
    "text": Annotated[str | None, _column("text")],
    "id": Annotated[str | None, _column("ids")],
    "title": Annotated[
        str | None, _reading(help="Column of the titles; for files: heading, first-line or file-name.")
    ],
    "label": Annotated[str | None, _column("labels")],
    "include": Annotated[
        list[str] | None, _reading(help="Read only these files, such as '*.md'. Repeatable.")
    ],
    "exclude": Annotated[
        list[str] | None, _reading(help="Leave these files out, such as 'drafts/*'. Repeatable.")
    ],
    "format": Annotated[str | None, _reading(help="What the files are: csv, html, lines, ...")],
    "delimiter": Annotated[str | None, _reading(help="The character between CSV fields. Default: a guess.")],
    "quote": Annotated[
        str | None,
        _reading(help="The character around CSV fields, or none. Default: a guess."),
    ],
    "header": Annotated[
        bool | None,
        _reading(
            "--header/--no-header",
            help="Whether the first row has the names of the columns. Default: a guess.",
        ),
    ],
    "encoding": Annotated[str | None, _reading(help="Encoding of the text. Default: detected.")],
    "passages": Annotated[
        int | None, _reading(min=1, help="Split documents longer than N words into passages.")
    ],
    "report": Annotated[Path | None, _reading(help="Write a .csv that says what happened to each file.")],
    "on_error": Annotated[
        Literal["raise", "skip", "skip-all"] | None,
        _reading(
            help="If a row or file is broken: stop, skip it (a tenth at most), or skip any number of them."
        ),
    ],
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
