"""hott table: documents by topics, for a spreadsheet or a data frame."""

from pathlib import Path
from typing import Annotated

import typer

from hott.cli._arguments import IndexFile, open_index, output_option
from hott.cli._output import say, write_table


def command(
    index: IndexFile,
    output: Annotated[Path, output_option("The .csv or .parquet file to write.", ".csv", ".parquet")],
    model: Annotated[int, typer.Option(min=0, help="The topic model to show, counted from 0.")] = 0,
) -> None:
    """Write a table of the documents: their columns and their share of each topic.

    [bold]Example[/bold]

    hott table articles.hott -o topics.csv
    """
    columns = open_index(index).table(model)
    write_table(output, columns)
    say(f"{len(columns['id']):,} documents written to {output}")
