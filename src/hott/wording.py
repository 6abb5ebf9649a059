"""Numbers and names as people read them."""

import re

from rich.cells import cell_len, set_cell_size

# Control and direction characters let a text redraw the screen or read backwards.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def per_cent(part: float) -> str:
    """Write a part of 1 as a percentage; what is little but not nothing stays visible.

    Examples
    --------
    >>> per_cent(0.256), per_cent(0.002), per_cent(1.0)
    ('26 %', '<1 %', '100 %')
    """
    if 1e-9 < part < 0.005:
        return "<1 %"
    if 0.995 <= part < 1 - 1e-9:
        return ">99 %"
    return f"{100 * part:.0f} %"


def one_line(text: str) -> str:
    """Put a text on one line, without characters that move the cursor or hide.

    Examples
    --------
    >>> one_line("two\\nlines \\x1b[31mred")
    'two lines [31mred'
    """
    return " ".join(
        _UNPRINTABLE.sub(lambda c: " " if c.group() in "\t\n\r\x0b\x0c\x85\u2028\u2029" else "", text).split()
    )


def elide(text: str, width: int) -> str:
    """Shorten a text to ``width`` columns (wide letters take two), with an ellipsis where it was cut.

    Examples
    --------
    >>> elide("planet, orbit, moon", 14)
    'planet, orbit…'
    """
    text = one_line(text)
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip(" ,;") + "…"


def fit(text: str, width: int) -> str:
    """Shorten or fill up a text to exactly ``width`` columns."""
    return set_cell_size(elide(text, width), width)
