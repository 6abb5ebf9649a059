"""hott compare: why two documents are near or far."""

from pathlib import Path
from typing import Annotated

import typer

from hott.cli._arguments import IndexFile, Json, complete_id, complete_label, open_searchable, output_option
from hott.cli._output import print_json, say, say_lines
from hott.utils.atomic import atomic_write

_ENDINGS = (".html", ".svg", ".png")


def _complete(ctx: typer.Context, incomplete: str) -> list[str]:
    return (complete_label if ctx.params.get("labels") else complete_id)(ctx, incomplete)


def command(
    index: IndexFile,
    a: Annotated[
        str, typer.Argument(help="The id of a document; with --labels a label.", autocompletion=_complete)
    ],
    b: Annotated[str, typer.Argument(help="The id or label of another.", autocompletion=_complete)],
    labels: Annotated[
        bool, typer.Option("--labels", help="Compare all documents of one label with those of another.")
    ] = False,
    output: Annotated[
        Path | None,
        output_option("Write the comparison to this .html file, or its picture to .svg or .png.", *_ENDINGS),
    ] = None,
    topics: Annotated[
        int | None,
        typer.Option(
            min=1, help="Draw the plan between topics in the picture, of this topic model: 1 is the first."
        ),
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(help="Say what the distance would be without this term.")
    ] = None,
    json: Json = False,
) -> None:
    """Show what two documents have in common and what only one of them has, in their own words.

    [bold]Examples[/bold]

    hott compare articles.hott doc-17 doc-42

    hott compare articles.hott doc-17 doc-42 -o why.html

    hott compare articles.hott doc-17 doc-42 --topics 1 -o plan.svg

    hott compare articles.hott doc-17 doc-42 --without grass

    hott compare articles.hott --labels tennis football
    """
    from hott.index import Label

    opened = open_searchable(index)
    comparison = opened.compare(Label(a), Label(b)) if labels else opened.compare(a, b)
    if output is not None and output.suffix == ".html":
        with atomic_write(output) as file:
            file.write(comparison.to_html().encode())
    elif output is not None:
        (comparison.plot() if topics is None else comparison.plot_topics(topics - 1)).save(output)
    left = {term: comparison.without(term) for term in without or ()}
    if json:
        print_json(comparison.to_dict() | ({"without": left} if left else {}))
    else:
        say_lines(str(comparison))
        for term, distance in left.items():
            say(f"without “{term}” the distance is {distance:.4g} instead of {comparison.distance:.4g}")
        if output is not None:
            say(f"written to {output}", style="dim")
