"""hott map: the corpus on a plane."""

from pathlib import Path
from typing import Annotated

import typer

from hott.cli._arguments import IndexFile, Threads, check_output, open_searchable
from hott.cli._output import say, write_figure, write_table


def command(
    index: IndexFile,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="A .html page, or .csv or .parquet; INDEX-map.html by default."),
    ] = None,
    color: Annotated[
        str, typer.Option(help="Colour by label or topic. Default: label if there are any.")
    ] = "auto",
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same map.")] = 0,
    threads: Threads = None,
) -> None:
    """Draw a map of the documents, similar ones close together.

    [bold]Example[/bold]

    hott map articles.hott -o map.html --color topic

    hott map articles.hotts
    """
    output = check_output(output or Path(f"{Path(index).stem}-map.html"), (".html", ".csv", ".parquet"))
    opened = open_searchable(index)
    points = opened.map(random_state=seed, threads=threads, progress=True)
    documents, colors = opened.documents, opened.colors(color)
    if output.suffix == ".html":
        from hott.plots import corpus_map

        titles = [title or id for title, id in zip(documents.titles, documents.ids)]
        write_figure(output, corpus_map(points, labels=colors, titles=titles))
    else:
        columns = {"id": list(documents.ids), "x": points[:, 0], "y": points[:, 1], "color": colors}
        write_table(output, columns)
    say(f"map of {len(opened):,} documents written to {output}")
