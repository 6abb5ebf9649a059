"""hott merge: two indexes with the same topics as one."""

from pathlib import Path
from typing import Annotated

from hott.cli._arguments import IndexFile, open_index, output_option
from hott.cli._output import say


def command(
    first: IndexFile,
    second: IndexFile,
    output: Annotated[Path, output_option("The index to write.")],
) -> None:
    """Merge two indexes that share their topics. Make such indexes with [bold]hott index --like[/bold].

    [bold]Examples[/bold]

    hott index may/ --like april.hott -o may.hott

    hott merge april.hott may.hott -o spring.hott
    """
    index = open_index(first)
    index.merge(open_index(second))
    index.save(output)
    say((str(output), "bold"), f": {index!r}")
