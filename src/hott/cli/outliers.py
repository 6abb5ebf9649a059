"""hott outliers: documents that are far from all others."""

from typing import Annotated

import typer

from hott.cli._arguments import IndexFile, Json, Neighbors, Threads, open_index
from hott.cli._output import print_found


def command(
    index: IndexFile,
    n: Annotated[int, typer.Option("-n", min=1, help="How many documents to show.")] = 10,
    k: Neighbors = 5,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Find the documents that are least like any other.

    [bold]Example[/bold]

    hott outliers articles.hott -n 20
    """
    found = open_index(index).outliers(n, k, threads=threads, progress=True)
    rows = ([one.distance, one.id, one.name] for one in found)
    print_found(found, json, ["distance", "id", "name"], rows)
