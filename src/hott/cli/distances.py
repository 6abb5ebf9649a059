"""hott distances: all distances of an index, to a file."""

from pathlib import Path
from typing import Annotated

import typer

from hott.cli import _arguments as args
from hott.cli._output import say, write_table


def command(
    index: args.IndexFile,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            help="A .npy file or .zarr folder (any size; a stopped run continues; .zarr on s3:// and the "
            "like), or .csv or .parquet with the ids as names.",
        ),
    ],
    block: Annotated[
        int | None, typer.Option(min=1, help="Documents on each side of a block.", show_default="2048")
    ] = None,
    threads: args.Threads = None,
    device: args.Where = "cpu",
    scheduler: args.Scheduler = None,
    workers: args.Workers = None,
) -> None:
    """Compute the distance of every pair of documents, exactly.

    [bold]Examples[/bold]

    hott distances articles.hott -o distances.npy

    hott distances articles.hott -o s3://bucket/distances.zarr --scheduler tcp://host:8786
    """
    path, remote = Path(output), "://" in output
    if not (remote and path.suffix == ".zarr"):
        args.check_output(path, (".npy", ".zarr", ".csv", ".parquet"))
    opened = args.open_index(index)
    with args.dask_client(scheduler, workers) as client:
        where = output if path.suffix in (".npy", ".zarr") else None
        matrix = opened.distances(
            where, block=block, threads=threads, device=device, client=client, progress=True
        )
        if where is None:
            ids = list(opened.documents.ids)
            write_table(path, {"id": ids, **dict(zip(ids, matrix.T))})
    say(f"{len(opened):,} x {len(opened):,} distances written to {output}")
