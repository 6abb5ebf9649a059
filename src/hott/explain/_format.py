"""Numbers and names as people read them."""

from rich.cells import cell_len, set_cell_size

from hott._printable import printable


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


def elide(text: str, width: int) -> str:
    """Shorten a text to ``width`` columns (wide letters take two), with an ellipsis where it was cut.

    Examples
    --------
    >>> elide("planet, orbit, moon", 14)
    'planet, orbit…'
    """
    text = printable(text)
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip(" ,;") + "…"


def fit(text: str, width: int) -> str:
    """Shorten or fill up a text to exactly ``width`` columns."""
    return set_cell_size(elide(text, width), width)
