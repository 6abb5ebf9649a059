"""hott neighbors: the nearest other documents of every document."""

from hott.cli._arguments import (
    Conditions,
    IndexFile,
    Json,
    Neighbors,
    Scheduler,
    TableFile,
    Threads,
    Verbose,
    Workers,
    conditions,
    dask_client,
    open_index,
)
from hott.cli._output import print_json, print_table, say, write_table


def command(
    index: IndexFile,
    k: Neighbors = 10,
    where: Conditions = None,
    output: TableFile = None,
    threads: Threads = None,
    scheduler: Scheduler = None,
    workers: Workers = None,
    verbose: Verbose = False,
    json: Json = False,
) -> None:
    """Find the nearest neighbours of every document, exactly.

    [bold]Example[/bold]

    hott neighbors articles.hott -k 5 -o neighbors.csv
    """
    import numpy as np

    opened = open_index(index)
    with dask_client(scheduler, workers) as client:
        found = opened.neighbors(
            k, where=conditions(opened, where), threads=threads, client=client, progress=True
        )
    ids = opened.documents.ids
    n, found_k = found.indices.shape
    columns = {
        "id": np.repeat(np.asarray(ids, dtype=object), found_k),
        "rank": np.tile(np.arange(1, found_k + 1), n),
        "neighbor": np.asarray(ids, dtype=object)[found.indices.ravel()],
        "distance": found.distances.ravel(),
    }
    real = ~np.isnan(columns["distance"])
    columns = {name: values[real] for name, values in columns.items()}
    if output is not None:
        write_table(output, columns)
    if json:
        rows = list(zip(*(values.tolist() for values in columns.values())))
        effort = {"computed": found.computed, "pruned": found.pruned}
        print_json({"neighbors": [dict(zip(columns, row)) for row in rows], **effort})
        return
    if output is None:
        names = np.array(opened.documents.names(range(n)), object)
        shown = {"document": np.repeat(names, found_k), "name": names[found.indices.ravel()]}
        shown = columns | {name: values[real] for name, values in shown.items()}
        order = ["id", "document", "rank", "neighbor", "name", "distance"]
        print_table(order, list(zip(*(shown[name].tolist() for name in order))))
    else:
        say(f"{real.sum():,} neighbours of {n:,} documents written to {output}")
    if verbose:
        say(f"{found.computed:,} distances computed, {found.pruned:,} ruled out", style="dim")
