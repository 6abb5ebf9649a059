"""hott distances: all distances of an index, to a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hott.cli._arguments import IndexFile, Threads, Where, check_output, open_index
from hott.cli._output import console, write_table

if TYPE_CHECKING:
    from hott.gpu import Device
    from hott.index import Index


def command(
    index: IndexFile,
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", help="A .npy file (any size), or .csv or .parquet with the ids as names."
        ),
    ],
    threads: Threads = None,
    device: Where = "cpu",
) -> None:
    """Compute the distances of all pairs of documents. Exact.

    [bold]Example[/bold]

    hott distances articles.hott -o distances.npy
    """
    check_output(output, (".npy", ".csv", ".parquet"))
    opened = open_index(index)
    if output.suffix == ".npy":
        opened.distances(output, threads=threads, progress=True, device=device)
    else:
        _write_named(opened, output, threads, device)
    console.print(f"{len(opened):,} x {len(opened):,} distances written to {output}", soft_wrap=True)


def _write_named(index: "Index", path: Path, threads: int | None, device: "Device") -> None:
    matrix = index.distances(threads=threads, progress=True, device=device)
    ids = list(index.documents.ids)
    write_table(path, {"id": ids, **dict(zip(ids, matrix.T))})
