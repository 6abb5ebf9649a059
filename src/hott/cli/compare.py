"""hott compare: why two documents are near or far."""

from pathlib import Path
from typing import Annotated

import typer

from hott.cli._arguments import IndexFile, Json, check_output, open_searchable
from hott.cli._output import print_json, say, say_lines
from hott.utils.atomic import atomic_write


def command(
    index: IndexFile,
    a: Annotated[str, typer.Argument(help="The id of a document; with --labels a label.")],
    b: Annotated[str, typer.Argument(help="The id or label of another.")],
    labels: Annotated[
        bool, typer.Option("--labels", help="Compare all documents of one label with those of another.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="Write the whole comparison to this .html file, or its picture to .svg or .png.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Explain the distance of two documents in their own words: what both share, what only one of them has.

    [bold]Examples[/bold]

    hott compare articles.hott doc-17 doc-42

    hott compare articles.hott doc-17 doc-42 -o why.html

    hott compare articles.hott --labels tennis football
    """
    from hott.index import Label

    if output is not None:
        check_output(output, (".html", ".svg", ".png"))
    opened = open_searchable(index)
    comparison = opened.compare(Label(a), Label(b)) if labels else opened.compare(a, b)
    if output is not None and output.suffix == ".html":
        with atomic_write(output) as file:
            file.write(comparison.to_html().encode())
    elif output is not None:
        comparison.plot().save(output)
    if json:
        print_json(comparison.to_dict())
    else:
        say_lines(str(comparison))
        if output is not None:
            say(f"written to {output}", style="dim")
