"""The application: its commands, and what happens when one of them fails."""

import os
import sys
from typing import Annotated, Any

import typer

import hott
from hott.cli import (
    add,
    classify,
    clusters,
    compare,
    demo,
    distances,
    duplicates,
    explore,
    export,
    index,
    info,
    map_,
    merge,
    neighbors,
    outliers,
    remove,
    search,
    sync,
    table,
    topics,
    update,
)
from hott.cli._interrupts import INTERRUPTED
from hott.cli._language import in_words_of_the_command_line, plain_warnings
from hott.wording import printable

# Typer brings its own copy of click from 0.20 on; this is the right class in either case.
UsageError: Any = typer.BadParameter.__base__

app = typer.Typer(
    name="hott",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Compare documents by hierarchical optimal transport: find similar ones, draw a map, and see why.",
    epilog="Start with [bold]hott demo[/bold], or with your own folder: "
    "[bold]hott index articles/ -o articles.hott[/bold].",
)
app.command("index")(index.command)
app.command("add")(add.command)
app.command("update")(update.command)
app.command("remove")(remove.command)
app.command("sync")(sync.command)
app.command("merge")(merge.command)
app.command("search")(search.command)
app.command("compare")(compare.command)
app.command("topics")(topics.command)
app.command("neighbors")(neighbors.command)
app.command("distances")(distances.command)
app.command("duplicates")(duplicates.command)
app.command("clusters")(clusters.command)
app.command("outliers")(outliers.command)
app.command("table")(table.command)
app.command("map")(map_.command)
app.command("explore")(explore.command)
app.command("export")(export.command)
app.command("classify")(classify.command)
app.command("info")(info.command)
app.command("demo")(demo.command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hott {hott.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    if debug:
        os.environ["HOTT_DEBUG"] = "1"


def main() -> None:
    """Run the command line: exit with 0 when done, 1 on an error of the user's, 2 on a wrong call."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str], program: typer.Typer = app, name: str = "hott") -> int:
    """Run one command and return its exit code. An error is one line on standard error."""
    os.environ.pop("HOTT_DEBUG", None)
    try:
        with plain_warnings():
            code: int = program(arguments, prog_name=name, standalone_mode=False) or 0
        if code == INTERRUPTED:  # recent versions of Typer catch it themselves
            raise KeyboardInterrupt
        return code
    except UsageError as error:
        error.show()
        return 2
    except (KeyboardInterrupt, typer.Abort):
        print("hott: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError, ImportError, MemoryError) as error:
        if os.environ.get("HOTT_DEBUG"):
            raise
        print(f"hott: {in_words_of_the_command_line(_one_line(error))}", file=sys.stderr)
        return 1


def _one_line(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror and not isinstance(error, ImportError):
        return printable(f"{error.strerror}: {error.filename}" if error.filename else error.strerror)
    return printable(str(error)) or type(error).__name__
