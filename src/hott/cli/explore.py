"""hott explore: the corpus as a web page."""

from pathlib import Path
from typing import Annotated

import typer

from hott.cli._arguments import IndexFile, open_index
from hott.cli._interrupts import ended_by_interrupt
from hott.cli._output import say


def command(
    index: IndexFile,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="8642, or a free one where that is taken.", show_default=False),
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on; by default only this machine reaches it.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
) -> None:
    """Explore a corpus in the browser: its map, search, comparisons, topics.

    What you change about the topics on the page, such as their names, is kept in the index.

    [bold]Example[/bold]

    hott explore articles.hott
    """
    with ended_by_interrupt():
        _serve(index, port, host, browser)


def _serve(index: str, port: int | None, host: str, browser: bool) -> None:
    from hott import explorer, storage

    opened, path = open_index(index), Path(index)
    file = None if storage.is_address(index) else path

    def announce(address: str) -> None:
        say(f"explore {path.name} at {address} (Ctrl-C ends)")

    explorer.serve(
        opened, name=path.stem, host=host, port=port, open_browser=browser, file=file, announce=announce
    )
