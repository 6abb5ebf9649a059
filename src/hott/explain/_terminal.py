"""A comparison as plain text for a terminal."""

import shutil
import textwrap
from collections.abc import Iterator

from hott.explain.comparison import Comparison
from hott.utils.wording import elide, printable

_QUOTES = 3  # pairs of sentences


def render(c: Comparison, width: int | None) -> str:
    """Lay out a comparison ``width`` columns wide (the terminal's width by default)."""
    width = min(max(width or shutil.get_terminal_size((80, 24)).columns, 60), 110)
    n_numbers = len(c.numbers)
    said, numbers = c.lines[: len(c.lines) - n_numbers], c.numbers
    parts = (_wrap(said, width), _names(c, width), *_quotes(c, width), _wrap(numbers, width))
    return "\n\n".join(text for text in map("\n".join, parts) if text)


def _wrap(lines: tuple[str, ...], width: int) -> Iterator[str]:
    for line in lines:
        yield from textwrap.wrap(printable(line), width, subsequent_indent="  ")


def _names(c: Comparison, width: int) -> Iterator[str]:
    for letter, side in (("A", c.a), ("B", c.b)):
        title = side.name if side.title in ("", side.id) else f"{side.title} ({side.id})"
        yield f"  {letter}  {elide(title, width - 5)}"


def _quotes(c: Comparison, width: int) -> Iterator[Iterator[str]]:
    for pair in c.terms.sentences[:_QUOTES]:
        yield (
            line
            for letter, sentence in zip("AB", pair)
            for line in textwrap.wrap(
                f"{letter}: “{printable(sentence)}”",
                width,
                initial_indent="  ",
                subsequent_indent="     ",
            )
        )
