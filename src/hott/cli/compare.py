"""hott compare: why two documents are near or far."""

from pathlib import Path
from typing import Annotated

import typer

from hott.cli._arguments import IndexFile, Json, check_output, open_index
from hott.cli._output import console, print_json, write_figure


def command(
    index: IndexFile,
    a: Annotated[str, typer.Argument(help="The id of a document.")],
    b: Annotated[str, typer.Argument(help="The id of another.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="Write the transport diagram to this .html file.", show_default=False
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Explain the distance of two documents: what they share, what moves where, and at what cost.

    [bold]Examples[/bold]

    hott compare articles.hott doc-17 doc-42

    hott compare articles.hott doc-17 doc-42 -o why.html
    """
    if output is not None:
        check_output(output, (".html",))
    comparison = open_index(index).compare(a, b)
    if output is not None:
        write_figure(output, comparison.plot())
    if json:
        print_json(comparison.to_dict())
    else:
        console.print(str(comparison), markup=False, soft_wrap=True)
        if output is not None:
            console.print(f"diagram written to {output}", style="dim", soft_wrap=True)
