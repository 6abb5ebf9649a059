"""The words of the command line, for messages that were written for those who call the library."""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hott.cli._output import complain

_OPTIONS = {"random_state": "seed", "embeddings": "vectors"}
_NAMED = (
    "on_empty on_error language stop_words min_df max_words stem format text title label id encoding "
    "delimiter quote header include exclude passages fit_sample n_topics n_models"
)
_NAMES = "|".join([*_NAMED.split(), *_OPTIONS])
_GIVEN = re.compile(rf"""\b({_NAMES})=(?:(["'])(.*?)\2|(False|None|True|\d+)|(?=[\s.,;)]|$))""")
_CALLS = {
    "index.update(corpus)": "hott update",
    "index.with_documents(corpus), or hott index": "hott index",
    "Read it first: hott.read(path).": "",
}


def in_words_of_the_command_line(message: str) -> str:
    """Say options as they are typed.

    Examples
    --------
    >>> in_words_of_the_command_line('Remove them, or choose on_empty="drop" (they are left out).')
    'Remove them, or choose --on-empty drop (they are left out).'
    >>> in_words_of_the_command_line("State encoding= if that is wrong, or id=False.")
    'State --encoding if that is wrong, or --id none.'
    """

    def option(found: re.Match[str]) -> str:
        name = _OPTIONS.get(found[1], found[1].removeprefix("n_")).replace("_", "-")
        value = (
            found[3] if found[3] is not None else {"False": "none", "None": "none"}.get(found[4], found[4])
        )
        if name == "header":
            return "--no-header" if found[4] == "False" else "--header"
        return f"--{name} {value}" if value else f"--{name}"

    for call, command in _CALLS.items():
        message = message.replace(call, command)
    return _GIVEN.sub(option, message)


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Print warnings as lines for people: no file names, no lines of Python."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        complain(in_words_of_the_command_line(str(message)))

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield
