"""How results are shown: lines and tables for people, JSON for programs, files that are written whole.

All that a command prints goes through here. Ids, titles, labels, passages and file names are foreign text:
none of it may reach the terminal as an escape sequence, as markup or as a line break.
"""

import csv
import json
import re
import shlex
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from hott.utils.atomic import atomic_write
from hott.utils.optional import import_optional
from hott.utils.wording import csv_cell, elide, escape, printable, visible

if TYPE_CHECKING:
    from hott.lexical import Snippet


class _Console(Console):
    """Rich's, which would end the process where a pipe is closed."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


console = _Console(highlight=False, markup=False, emoji=False)
errors = _Console(stderr=True, highlight=False, markup=False, emoji=False)

_NUMBER = re.compile(r"|[-+]?[0-9][0-9.,]*%?")  # or nothing
MIN_COLUMN = 9  # to which a column of texts may be shortened
MIN_WRAPPED = 24  # columns beside an indent

Part = str | tuple[str, str]
"""Some text, or text and its style."""


def say(*parts: Part, style: str = "", to: Console = console) -> None:
    """Print one line as it is, however long."""
    to.print(_line(parts, style), soft_wrap=True)


def say_beside(lead: Part, *parts: Part) -> None:
    """Print text to the right of ``lead``; on a terminal it wraps there. In a pipe it is one line."""
    first, rest = _line([lead]), _line(parts)
    lines: Iterable[Text] = [rest]
    if console.is_terminal:
        lines = rest.wrap(console, max(console.width - first.cell_len, MIN_WRAPPED))
    for number, line in enumerate(lines):
        before = first if number == 0 else Text(" " * first.cell_len)
        console.print(Text.assemble(before, line), soft_wrap=True)


def say_lines(text: str, to: Console = console) -> None:
    """Print a text of several lines that are laid out already."""
    for line in text.split("\n"):
        say(line, to=to)


def complain(message: str) -> None:
    """Print one line on standard error: what went wrong, or a warning."""
    say(f"hott: {printable(message)}", to=errors)


def mark(passage: "Snippet") -> list[Part]:
    """Split a passage into parts, with a style for the words that were searched for."""
    parts: list[Part] = []
    done = 0
    for start, end in passage.marks:
        parts += [passage.text[done:start], (passage.text[start:end], "bold yellow")]
        done = end
    return [*parts, passage.text[done:]]


def quote(name: str) -> str:
    """Write a file name as it is typed in a command."""
    return shlex.quote(visible(name))


def print_json(value: Any) -> None:
    """Print JSON for pipes: no colours, no wrapping, characters of all scripts that the output can take."""
    text = escape(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2, allow_nan=False)
    sys.stdout.write(text + "\n")


def print_table(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], title: str | None = None, to: Console = console
) -> None:
    """Print an aligned table, numbers to the right.

    On a terminal the widest columns of texts are shortened until it fits, and columns that still do not
    follow below, beside the first one again; in a pipe nothing is cut.
    """
    numeric = [
        bool(rows)
        and all(isinstance(row[place], int | float) or _NUMBER.fullmatch(str(row[place])) for row in rows)
        for place in range(len(columns))
    ]
    lines = [[_cell(value) for value in line] for line in [columns, *rows]]
    widths = [max(map(cell_len, column)) for column in zip(*lines)]
    parts: list[Sequence[int]] = [range(len(widths))]
    if to.is_terminal:
        texts = [place for place, number in enumerate(numeric) if not number]
        narrow = _shrink(widths, texts, to.width - 2 * (len(widths) - 1))
        widths = narrow or [min(width, to.width // 3) for width in widths]
        parts = [range(len(widths))] if narrow else _break(widths, to.width)
    if title:
        say((title, "bold"), to=to)
    for part in parts:
        for number, line in enumerate(lines):
            cells = [_fit(line[place], widths[place], numeric[place]) for place in part]
            if number or any(line):
                say(("  ".join(cells).rstrip(), "" if number else "bold"), to=to)
            if number == 0 and any(line):
                say(("─" * (sum(widths[place] for place in part) + 2 * (len(part) - 1)), "dim"), to=to)
        say(to=to)


def print_found(
    found: Iterable[Any],
    json: bool,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    title: str | None = None,
) -> None:
    """Print results as JSON, or as a table."""
    if json:
        print_json([asdict(one) for one in found])
    elif listed := [*rows]:
        print_table(columns, listed, title)


def write_figure(path: Path, figure: Any) -> None:
    """Write a plotly figure as a page that needs no network."""
    with atomic_write(path) as file:
        file.write(figure.to_html(include_plotlyjs=True).encode())


def write_table(path: Path, columns: dict[str, Any]) -> None:
    """Write columns to a .csv or .parquet file."""
    if path.suffix == ".parquet":
        table = import_optional("pyarrow", extra="parquet").table(columns)
        pq = import_optional("pyarrow.parquet", extra="parquet")
        with atomic_write(path) as file:
            pq.write_table(table, file)
        return
    with atomic_write(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="")
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(map(csv_cell, columns))
        rows.writerows(zip(*map(_fields, columns.values())))
        text.detach()  # writes what is left; the file is closed by who opened it


def _fields(values: Sequence[Any]) -> Iterator[str | None]:
    """Return a column as it is written to CSV, with nothing for a missing value."""
    import numpy as np  # here: help and messages do not need it

    from hott.table.columns import as_text

    plain = np.asarray(values, object).tolist()
    return (
        csv_cell(value) if isinstance(value, str) and value else None if value != value else as_text(value)
        for value in plain
    )


def _line(parts: Iterable[Part], style: str = "") -> Text:
    pairs = [(part, "") if isinstance(part, str) else part for part in parts]
    return Text.assemble(*((visible(text), own) for text, own in pairs), style=style)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else printable(str(value))


def _fit(text: str, width: int, is_number: bool) -> str:
    if is_number:
        return " " * (width - cell_len(text)) + text
    return set_cell_size(elide(text, width) if cell_len(text) > width else text, width)


def _shrink(widths: Sequence[int], texts: Sequence[int], room: int) -> list[int] | None:
    """Make the widest columns of texts narrower, a little at a time, until all fit; None if they cannot."""
    narrow = list(widths)
    while sum(narrow) > room:
        widest = max(texts, key=narrow.__getitem__, default=None)
        if widest is None or narrow[widest] <= MIN_COLUMN:
            return None
        narrow[widest] -= 1
    return narrow


def _break(widths: Sequence[int], room: int) -> list[Sequence[int]]:
    """Break columns into as many tables as fit below each other, the first column in each."""
    parts: list[list[int]] = [[0]]
    for place in range(1, len(widths)):
        if len(parts[-1]) > 1 and sum(widths[one] + 2 for one in parts[-1]) + widths[place] > room:
            parts.append([0])
        parts[-1].append(place)
    return [*parts]


_OPTIONS = {"random_state": "seed", "embeddings": "vectors"}
_NAMED = (
    "on_empty on_error language encoder stop_words min_df max_words stem format text title label id encoding "
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
    """Say options as they are typed: ``on_empty="drop"`` as ``--on-empty drop``."""

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
