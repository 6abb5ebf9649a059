"""hott explore: the corpus as a web page, until Ctrl-C."""

import os
import secrets
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import typer

import hott
from hott.cli._arguments import open_index
from hott.cli._output import say
from hott.cli._reading import with_reading

INTERRUPTED = 130  # the exit code of a process that Ctrl-C ended
GRACE = 3.0  # seconds to leave in good order


@contextmanager
def ended_by_interrupt() -> Iterator[None]:
    """Within this, Ctrl-C ends the process in a few seconds, whatever it is doing; a second one at once.

    To Python Ctrl-C is an exception, which an import or a callback that happens to run can swallow: a server
    would then go on for ever. And before it ends, Python waits for all threads, also for one that computes
    for an hour. Files are replaced in one step each, so nothing is lost by not waiting.
    """
    if threading.current_thread() is not threading.main_thread():  # which alone may handle signals
        yield
        return
    came = threading.Event()

    def end_in_time() -> None:
        came.wait()
        time.sleep(GRACE)
        os._exit(INTERRUPTED)

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        came.set()
        raise KeyboardInterrupt

    # Made now: a thread cannot be started safely from a handler.
    threading.Thread(target=end_in_time, name="hott-end", daemon=True).start()
    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield
    except Exception as error:
        if came.is_set():  # pydantic, for one, makes an error of its own of it
            raise KeyboardInterrupt from error
        raise
    finally:
        if not came.is_set():
            signal.signal(signal.SIGINT, before)


@with_reading
@ended_by_interrupt()
def command(
    index: Annotated[str, typer.Argument(help="An index, or documents: a folder, table or archive.")],
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="The port: 8642 by default, or a free one if that is taken."),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            help="The address to listen on. By default only this machine can reach it; 0.0.0.0 needs a token."
        ),
    ] = "127.0.0.1",
    token: Annotated[
        str | None, typer.Option(envvar="HOTT_TOKEN", help="A secret that visitors need; auto makes one up.")
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
    *,
    reading: dict[str, Any],
) -> None:
    """Explore a corpus in the browser: ask, see the map, read, compare, contrast.

    Documents are indexed first; that index is kept until they change. What you rename or hide is saved.

    Examples:
    hott explore articles.hott
    hott explore reports.csv --text body
    hott explore articles.hott --host 0.0.0.0 --token auto
    """
    from hott import explorer

    path = Path(index.removeprefix("file://"))
    is_index = hott.storage.is_address(index) or path.suffix in (".hott", ".hotts")
    if not is_index and not path.exists():
        raise ValueError(f"There is no file or folder {path}.")
    file: Path | None = None if hott.storage.is_address(index) else path
    if not is_index and not (path.is_dir() and hott.Shards.are_at(path)):
        file, is_known = explorer.find_index(path, progress=True, **reading)
        if is_known:
            say(f"{path.name} was indexed before, and has not changed", style="dim")
    elif reading:
        raise ValueError(f"{index} is an index: options for reading are for documents without one.")
    explorer.serve(
        open_index(index if file is None else str(file)),
        name=path.stem,
        host=host,
        port=port,
        open_browser=browser,
        file=file,
        token=secrets.token_urlsafe(16) if token == "auto" else token,
        announce=lambda address: say(f"explore {path.name} at {address} (Ctrl-C ends)"),
    )
