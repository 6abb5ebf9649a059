"""Tables in Markdown."""

import math
from collections.abc import Sequence

from reproduction.sources import SOURCES
from reproduction.tables import Row


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]], *, words: bool = False) -> str:
    """A table; the first column to the left, numbers to the right, or all to the left (``words``).

    Examples
    --------
    >>> print(markdown(["method", "r8"], [["HOTT", "4.8"]]), end="")
    | method | r8 |
    |---|---:|
    | HOTT | 4.8 |
    """
    ruler = "|---" + ("|---" if words else "|---:") * (len(head) - 1) + "|"
    return "\n".join([f"| {' | '.join(head)} |", ruler, *(f"| {' | '.join(row)} |" for row in rows), ""])


def plain(value: float | None, form: str) -> str:
    """A number, or nothing where there is none."""
    return "" if value is None or math.isnan(value) else format(value, form)


def percent(share: float | None) -> str:
    """A share in per cent."""
    return plain(None if share is None else 100 * share, ".1f")


def data_sets_of(rows: Sequence[Row]) -> list[str]:
    """The data sets in the rows, smallest first."""
    present = {row["dataset"] for row in rows}
    return [name for name in SOURCES if name in present]
