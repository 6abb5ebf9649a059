"""hott merge: two indexes with the same topics as one."""

from pathlib import Path
from typing import Annotated

import typer

from hott.cli._arguments import IndexFile, check_output, open_index
from hott.cli._output import say


def command(
    first: IndexFile,
    second: IndexFile,
    output: Annotated[Path, typer.Option("-o", "--output", help="The index to write.", show_default=False)],
) -> None:
    """Merge two indexes that share their topics. Make such indexes with [bold]hott index --like[/bold].

    [bold]Example[/bold]

    hott index may/ --like april.hott -o may.hott

    hott merge april.hott may.hott -o spring.hott
    """
    check_output(output)
    index = open_index(first)
    index.merge(open_index(second))
    index.save(output)
    say((str(output), "bold"), f": {index!r}")
