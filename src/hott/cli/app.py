"""The application: its commands, and what happens when one of them fails."""

import io
import os
import re
import sys
import traceback
from importlib import import_module
from typing import Annotated, Any

import typer
import typer.main

import hott
from hott.cli._help import Command, Group
from hott.cli._output import complain, errors, in_words_of_the_command_line, plain_warnings, say, say_lines
from hott.cli.explore import INTERRUPTED

# Typer brings its own copy of click from 0.20 on; this is the right class in either case.
UsageError: Any = typer.BadParameter.__base__

_NAMES = {
    "Begin": "demo index",
    "Look": "info subjects look.topics look.map clusters look.duplicates look.outliers",
    "Find": "search find.compare find.contrast find.neighbors find.distances classify",
    "Change": "changes.add changes.update changes.remove changes.sync changes.merge",
    "Publish": "explore look.export look.table",
}


def _find(name: str) -> Any:
    """Return the function of a command: that of its module, or of one that several share."""
    module, _, own = name.partition(".")
    return getattr(import_module(f"hott.cli.{module}"), own or "command")


COMMANDS = {
    panel: {name.rpartition(".")[2]: _find(name) for name in names.split()} for panel, names in _NAMES.items()
}
"""Every command, by what it is for."""

EXPECTED = (ValueError, OSError, ImportError, MemoryError)
"""Errors that say what is wrong with a call; all others are ours."""

app = typer.Typer(
    name="hott",
    cls=Group,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Compare documents by hierarchical optimal transport: find similar ones, draw a map, and see why.",
    epilog="Start with hott demo, or with your own folder: hott index articles/ -o articles.hott.",
)
for _panel, _commands in COMMANDS.items():
    for _name, _command in _commands.items():
        app.command(_name, cls=Command, rich_help_panel=_panel)(_command)


def _version(wanted: bool) -> None:
    if wanted:
        say(f"hott {hott.__version__}")
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
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a letter that the encoding of the output lacks
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str], program: typer.Typer = app, name: str = "hott") -> int:
    """Run one command and return its exit code. An error is one line on standard error."""
    os.environ.pop("HOTT_DEBUG", None)
    try:
        with plain_warnings():
            code = _call(program, name, arguments or ["--help"])
        sys.stdout.flush()  # so that a reader who has gone is noticed here
        return code
    except UsageError as error:
        message = error.format_message().removeprefix("Invalid value: ")
        complain(re.sub(r"(?<=^Missing argument ')\w+", lambda found: found[0].upper(), message))
        if error.ctx is not None:
            say(f"Try: {error.ctx.command_path} --help", to=errors)
        return 2
    except (KeyboardInterrupt, typer.Abort):
        complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if isinstance(error, EXPECTED) and not os.environ.get("HOTT_DEBUG"):
            complain(in_words_of_the_command_line(_message(error)))
        else:
            say_lines(traceback.format_exc().rstrip(), to=errors)
        return 1


def _call(program: typer.Typer, name: str, arguments: list[str]) -> int:
    """Run a command without click's own handling of errors, which ends the process where a pipe is closed."""
    command = typer.main.get_command(program)
    if f"_{name.upper()}_COMPLETE" in os.environ:
        command.main(arguments, prog_name=name)
    try:
        with command.make_context(name, list(arguments)) as context:
            command.invoke(context)
    except typer.Exit as left:
        return left.exit_code
    return 0


def _message(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror and not isinstance(error, ImportError):
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return str(error) or type(error).__name__
