"""hott clusters: groups of near documents, named by what is special to them."""

from typing import Annotated

import typer

from hott.cli import _arguments as args
from hott.cli._output import print_found, say


def command(
    index: args.IndexFile,
    min_size: Annotated[
        int | None,
        typer.Option(min=2, help="The smallest group to report.", show_default="grows with the collection"),
    ] = None,
    granularity: Annotated[
        int, typer.Option(min=1, max=4, help="From a few large groups (1) to many small ones (4).")
    ] = 2,
    output: args.TableFile = None,
    threads: args.Threads = None,
    json: args.Json = False,
) -> None:
    """Find groups of similar documents. A document that fits no group is left out.

    Example:
    hott clusters articles.hott --min-size 10 -o groups.csv
    """
    opened = args.open_index(index)
    clusters = opened.clusters(min_size, granularity=granularity, threads=threads)
    if output is not None:
        args.write_groups(output, "cluster", clusters)
    rows = (
        [c.number, len(c.ids), ", ".join(c.words), args.name_documents(opened, c.ids[:3])] for c in clusters
    )
    print_found(clusters, json, ["cluster", "documents", "special words", "such as"], rows)
    outside = len(opened) - sum(len(cluster.ids) for cluster in clusters)
    if outside and not json:
        say(f"{outside:,} of {len(opened):,} documents fit no group", style="dim")
