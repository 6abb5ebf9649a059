"""Numbers and names as people read them."""

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from json import dumps
from typing import Any

from rich.cells import cell_len, set_cell_size

# Control and direction characters let a text redraw the screen, type commands into it, or read backwards.
_SPACES = "\t\n\x0b\x0c\r\x1c-\x1f\x85\u2028\u2029"
_CONTROLS = "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
_HIDDEN = "\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
_SPACE = re.compile(" {2,}")
_BREAK = re.compile(f"[{_SPACES}]")
_UNPRINTABLE = re.compile(f"[{_CONTROLS}{_HIDDEN}]")
_HALF_PAIR = re.compile("[\ud800-\udfff]")  # half of a surrogate pair, which no terminal can be sent
_FORMULA = re.compile("[\\s\\x00]*[=+@\\-\uff0b\uff0d\uff1d\uff20]|[\t\r\n]")
_NUMBER = re.compile(r"[+-]?[0-9.]+(e[+-]?[0-9]+)?", re.IGNORECASE)
# JSON escapes what is below a space by itself; its own line breaks stay.
_NOT_IN_JSON = re.compile(f"[\x7f-\x9f\u2028\u2029{_HIDDEN}\ud800-\udfff]")


def printable(text: str) -> str:
    """Put a text on one line, without characters that move the cursor or hide.

    Whatever is printed for people goes through here: titles, ids, labels, file names, messages with them.
    """
    text = visible(text)
    return (_SPACE.sub(" ", text) if "  " in text else text).strip()


def visible(text: str) -> str:
    """Leave out characters that move the cursor or hide; a line break or tab becomes a space.

    All other spaces stay, so that a text can be cleaned in pieces.
    """
    if text.isprintable():  # most are, and hundreds of thousands of names are asked for together
        return text
    return _BREAK.sub(" ", _HALF_PAIR.sub("\ufffd", _UNPRINTABLE.sub("", text)))


def escape(json: str) -> str:
    """Write what is not printable as JSON does: the same for programs, nothing hostile for terminals."""
    return _NOT_IN_JSON.sub(lambda found: dumps(found.group())[1:-1], json)


def csv_cell(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would take for a formula and run."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def pluralize(n: int, noun: str) -> str:
    """Count things: "1 file", "2,000 files"."""
    return f"{n:,} {noun}{'s' * (n != 1)}"


def name_some(things: Sequence[Any], limit: int = 5, write: Callable[[Any], str] = repr) -> str:
    """Name the first few things, with an ellipsis if there are more."""
    return ", ".join(map(write, things[:limit])) + ", ..." * (len(things) > limit)


def suggest(wrong: str, known: Iterable[str], n: int = 1) -> str:
    """Ask whether one of the names that are known was meant; say nothing where none is like it."""
    near = difflib.get_close_matches(wrong, [*known], n)
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""


def per_cent(part: float) -> str:
    """Write a part of 1 as a percentage; what is little but not nothing stays visible."""
    if 1e-9 < part <= 0.005:  # half a per cent would be rounded to none
        return "<1 %"
    if 0.995 <= part < 1 - 1e-9:
        return ">99 %"
    return f"{100 * part:.0f} %"


def elide(text: str, width: int) -> str:
    """Shorten a text to ``width`` columns (wide letters take two), with an ellipsis where it was cut."""
    text = printable(text)
    is_ascii = text.isascii()
    if (len(text) if is_ascii else cell_len(text)) <= width:
        return text
    cut = text[: max(width - 1, 0)] if is_ascii else set_cell_size(text, width - 1)
    return cut.rstrip(" ,;") + "…"


def fit(text: str, width: int) -> str:
    """Shorten or fill up a text to exactly ``width`` columns."""
    return set_cell_size(elide(text, width), width)
