"""hott duplicates: copies and near copies."""

from typing import Annotated

import typer

from hott.cli._arguments import IndexFile, Json, name_documents, open_index
from hott.cli._output import print_found, say


def command(
    index: IndexFile,
    likeness: Annotated[
        float, typer.Option(min=0.01, max=1, help="Share of words that two copies must have in common.")
    ] = 0.8,
    json: Json = False,
) -> None:
    """Find copies and near copies, exact ones first.

    [bold]Example[/bold]

    hott duplicates articles.hott --likeness 0.9
    """
    opened = open_index(index)
    found = opened.duplicates(likeness)
    if found or json:
        rows = ([f"{one.likeness:.0%}", name_documents(opened, one.ids)] for one in found)
        print_found(found, json, ["alike", "documents"], rows)
    else:
        say(f"no two documents have {likeness:.0%} of their words in common", style="dim")
