"""hott clusters: groups of near documents, named by what is special to them."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from hott.cli._arguments import IndexFile, Json, Threads, check_output, name_documents, open_index
from hott.cli._output import print_json, print_table, say, write_table


def command(
    index: IndexFile,
    min_size: Annotated[
        int | None,
        typer.Option(
            min=2,
            help="The smallest group to report.",
            show_default="grows with the collection",
        ),
    ] = None,
    granularity: Annotated[
        int, typer.Option(min=1, max=4, help="From a few large groups (1) to many small ones (4).")
    ] = 2,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="Write each document's group to this .csv or .parquet.", show_default=False
        ),
    ] = None,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Find groups of similar documents. A document that fits no group is left out.

    [bold]Example[/bold]

    hott clusters articles.hott --min-size 10 -o groups.csv
    """
    if output is not None:
        check_output(output, (".csv", ".parquet"))
    opened = open_index(index)
    found = opened.clusters(min_size, granularity=granularity, threads=threads)
    if output is not None:
        members = [(id, cluster) for cluster in found for id in cluster.ids]
        columns = {
            "id": [id for id, _ in members],
            "cluster": [cluster.number for _, cluster in members],
            "name": [cluster.name for _, cluster in members],
        }
        write_table(output, columns)
    if json:
        print_json([asdict(cluster) for cluster in found])
        return
    rows = [
        [one.number, len(one.ids), ", ".join(one.words), name_documents(opened, one.ids[:3])] for one in found
    ]
    print_table(["cluster", "documents", "special words", "such as"], rows)
    inside = sum(len(cluster.ids) for cluster in found)
    say(f"{len(opened) - inside:,} of {len(opened):,} documents are in no group", style="dim")
