"""hott neighbors: the nearest other documents of every document."""

from hott.cli import _arguments as args
from hott.cli._output import print_json, print_table, say, write_table


def command(
    index: args.IndexFile,
    k: args.Neighbors = 10,
    where: args.Conditions = None,
    output: args.TableFile = None,
    threads: args.Threads = None,
    scheduler: args.Scheduler = None,
    workers: args.Workers = None,
    verbose: args.Verbose = False,
    json: args.Json = False,
) -> None:
    """Find the nearest neighbours of every document, exactly.

    [bold]Example[/bold]

    hott neighbors articles.hott -k 5 -o neighbors.csv
    """
    opened = args.open_index(index)
    with args.dask_client(scheduler, workers) as client:
        found = opened.neighbors(
            k, where=args.conditions(opened, where), threads=threads, client=client, progress=True
        )
    ids = list(opened.documents.ids)
    columns = found.to_columns()
    wanted = (columns[name] for name in ("position", "rank", "neighbor", "distance"))
    places = [row for row in zip(*wanted) if row[3] == row[3]]  # not NaN
    rows = [(ids[place], rank, ids[near], distance) for place, rank, near, distance in places]
    order = ("id", "rank", "neighbor", "distance")
    if output is not None:
        write_table(output, {name: [row[column] for row in rows] for column, name in enumerate(order)})
    if json:
        effort = {"computed": found.computed, "pruned": found.pruned}
        print_json({"neighbors": [dict(zip(order, row)) for row in rows], **effort})
        return
    if output is None:
        names = opened.documents.names(range(len(ids)))
        shown = [(ids[a], names[a], rank, ids[b], names[b], distance) for a, rank, b, distance in places]
        print_table(["id", "document", "rank", "neighbor", "name", "distance"], shown)
    else:
        say(f"{len(rows):,} neighbours of {len(ids):,} documents written to {output}")
    if verbose:
        say(f"{found.computed:,} distances computed, {found.pruned:,} ruled out", style="dim")
