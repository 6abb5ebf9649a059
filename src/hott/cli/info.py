"""hott info: what an index holds, and whether the file is sound."""

from typing import Annotated

import typer

from hott.cli._arguments import IndexFile, Json, open_searchable
from hott.cli._output import print_json, print_table, say


def command(
    index: IndexFile,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read the whole file and check every part.")
    ] = False,
    json: Json = False,
) -> None:
    """Show what is in an index and how it was built.

    [bold]Example[/bold]

    hott info articles.hott --verify
    """
    import hott
    from hott import storage
    from hott.index.sizes import measure_parts

    opened = open_searchable(index)
    if verify and isinstance(opened, hott.Index):
        opened = hott.open(index, verify=True)
    elif verify and isinstance(opened, hott.Shards):
        opened.verify()
    parts = {} if storage.is_address(index) else measure_parts(index)
    info = {"file": index, "bytes": storage.size(index), **opened.info(), "parts": parts}
    if json:
        print_json(info)
        return
    parameters, columns, shards = info.pop("parameters"), info.pop("columns"), info.pop("shards", {})
    del info["parts"]
    print_table(["", ""], [[key, _plain(value)] for key, value in info.items()])
    if shards:
        print_table(["shard", "documents"], [[name, f"{n:,}"] for name, n in shards.items()])
    if columns:
        print_table(
            ["column", "type", ""],
            [[name, told.pop("type"), _describe_column(told)] for name, told in columns.items()],
        )
    if parts:
        print_table(["what takes the space", "bytes"], [[name, f"{n:,}"] for name, n in parts.items()])
    print_table(["parameter", "value"], [[key, _plain(value)] for key, value in parameters.items()])
    if verify:
        say("The file is sound.")


def _plain(value: object) -> str:
    return f"{value:,}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _describe_column(column: dict[str, object]) -> str:
    """Describe what a column holds, for example: 12 different, 2001 to 2005, 3 missing."""
    told = []
    if "values" in column:
        told.append(f"{column['values']} different")
    if "from" in column:
        told.append(f"{column['from']} to {column['to']}")
    if "missing" in column:
        told.append(f"{column['missing']} missing")
    return ", ".join(told)
