"""hott export: the explorer as files that open without a server."""

from pathlib import Path
from typing import Annotated

import typer

from hott.cli._arguments import IndexFile, open_index
from hott.cli._output import say


def command(
    index: IndexFile,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="A new folder; INDEX-site by default.")
    ] = None,
    meaning: Annotated[
        bool, typer.Option(help="Search by meaning, too: the page holds the encoder, 14 MB.")
    ] = True,
) -> None:
    """Write the explorer as a folder of files, for any web server or none.

    The page searches any text and compares any two documents in the browser. Exporting again replaces the
    files of the export, and no others.

    [bold]Example[/bold]

    hott export articles.hott -o site
    """
    from hott import explorer

    name = Path(index).stem
    output = output or Path(f"{name}-site")
    page = explorer.export_site(open_index(index), output, name=name, meaning=meaning, progress=True)
    say(f"open {page} in a browser")
