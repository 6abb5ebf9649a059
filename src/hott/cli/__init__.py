"""The command line: one file a command, each of which parses, calls the library and prints."""

from hott.cli.app import main

__all__ = ["main"]
