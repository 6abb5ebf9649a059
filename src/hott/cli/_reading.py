"""Options of the commands that read documents, and the table of what was read."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console

from hott.cli._output import print_table

if TYPE_CHECKING:
    from hott.readers import Log

Documents = Annotated[
    Path,
    typer.Argument(
        help="A folder, file or archive: text, Markdown, HTML, PDF, docx, odt, epub, e-mail, CSV, JSON, "
        "xlsx, Parquet, zip, tar.",
        show_default=False,
    ),
]


def _column(what: str) -> Any:
    return typer.Option(
        help=f"Column of the {what}; found by its name.", show_default=False, rich_help_panel="Reading"
    )


def _reading(*names: str, **settings: Any) -> Any:
    return typer.Option(*names, show_default=False, rich_help_panel="Reading", **settings)


Text = Annotated[str | None, _column("text")]
Id = Annotated[str | None, _column("ids")]
Title = Annotated[str | None, _column("titles")]
Label = Annotated[str | None, _column("labels")]
Include = Annotated[list[str] | None, _reading(help="Read these files only: '*.md'. May be repeated.")]
Exclude = Annotated[list[str] | None, _reading(help="Leave these files out: 'drafts/*'. May be repeated.")]
Format = Annotated[
    str | None, _reading(help="What the files are, where names do not say: csv, html, lines, ...")
]
Delimiter = Annotated[str | None, _reading(help="Between the fields of CSV; read off the first line.")]
NoHeader = Annotated[bool, _reading("--no-header", help="The first row is a document; columns are 1, 2, ...")]
Encoding = Annotated[str | None, _reading(help="Encoding of the text; detected by default.")]
Passages = Annotated[int | None, _reading(min=1, help="Split documents longer than so many words.")]
Report = Annotated[Path | None, _reading(help="Write what became of each file to this .csv.")]
OnError = Annotated[
    Literal["raise", "skip"],
    typer.Option(help="A broken row or file: raise an error, or skip it.", rich_help_panel="Reading"),
]


def read_options(**given: Any) -> dict[str, Any]:
    """Options as :func:`hott.read` takes them."""
    given["header"] = not given.pop("no_header", False)
    if given.get("delimiter") in ("\\t", "tab"):
        given["delimiter"] = "\t"
    return {name: value for name, value in given.items() if value is not None}


def print_log(log: "Log") -> None:
    """What was read, left out and why, on standard error: where it is more than one plain file."""
    summary = log.summary()
    if len(summary) > 1:
        rows = [[outcome, what, files, documents or ""] for outcome, what, files, documents in summary]
        print_table(["", "", "files", "documents"], rows, to=Console(stderr=True, highlight=False))
