"""hott explore: the corpus as a web page."""

import secrets
from pathlib import Path
from typing import Annotated, Any

import typer

from hott.cli._arguments import open_index
from hott.cli._interrupts import ended_by_interrupt
from hott.cli._output import say
from hott.cli._reading import with_reading


@with_reading
def command(
    index: Annotated[
        str,
        typer.Argument(help="An index, or documents: a table, folder or archive.", show_default=False),
    ],
    port: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=65535,
            help="The port: 8642 by default, or a free one if that is taken.",
            show_default=False,
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            help="The address to listen on. By default only this machine can reach it; 0.0.0.0 needs a token."
        ),
    ] = "127.0.0.1",
    token: Annotated[
        str | None,
        typer.Option(
            envvar="HOTT_TOKEN", help="What requests must show; auto makes one up.", show_default=False
        ),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
    *,
    reading: dict[str, Any],
) -> None:
    """Explore a corpus in the browser: ask, see the map, read, compare, contrast.

    Documents without an index are indexed first; the index is kept until they change.
    Changes you make to the topics, such as new names, are saved in the index.

    [bold]Examples[/bold]

    hott explore articles.hott

    hott explore reports.csv --text body

    hott explore articles.hott --host 0.0.0.0 --token auto
    """
    with ended_by_interrupt():
        _serve(index, port, host, secrets.token_urlsafe(16) if token == "auto" else token, browser, reading)


def _serve(
    index: str, port: int | None, host: str, token: str | None, browser: bool, reading: dict[str, Any]
) -> None:
    from hott import explorer, storage
    from hott.index import Shards

    path = Path(index.removeprefix("file://"))
    is_index = storage.is_address(index) or path.suffix in (".hott", ".hotts") or not path.exists()
    file: Path | None = None if storage.is_address(index) else path
    if not is_index and not (path.is_dir() and Shards.are_at(path)):
        file, is_known = explorer.find_index(path, progress=True, **reading)
        if is_known:
            say(f"{path.name} was indexed before, and has not changed", style="dim")
    elif reading:
        raise ValueError(f"{index} is an index: options of reading are for documents that have none.")
    opened = open_index(index if file is None else str(file))

    def announce(address: str) -> None:
        say(f"explore {path.name} at {address} (Ctrl-C ends)")

    explorer.serve(
        opened,
        name=path.stem,
        host=host,
        port=port,
        open_browser=browser,
        file=file,
        token=token,
        announce=announce,
    )
