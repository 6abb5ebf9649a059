"""hott info: what an index holds, and whether the file is sound."""

from typing import Annotated

import typer

from hott.cli._arguments import IndexFile, Json, open_index
from hott.cli._output import console, print_json, print_table


def command(
    index: IndexFile,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read the whole file and check every part.")
    ] = False,
    json: Json = False,
) -> None:
    """Show what an index holds and how it was built.

    [bold]Example[/bold]

    hott info articles.hott --verify
    """
    import hott

    opened = hott.open(index, verify=True) if verify and index.exists() else open_index(index)
    info = {"file": str(index), "bytes": index.stat().st_size, **opened.info()}
    if json:
        print_json(info)
        return
    parameters = info.pop("parameters")
    print_table(["", ""], [[key, _plain(value)] for key, value in info.items()])
    print_table(["parameter", "value"], [[key, _plain(value)] for key, value in parameters.items()])
    if verify:
        console.print("Every part of the file is sound.")


def _plain(value: object) -> str:
    return f"{value:,}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
