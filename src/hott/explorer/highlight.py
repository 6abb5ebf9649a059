"""Where in a text the told terms are, as JavaScript counts characters."""

from collections.abc import Iterable
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hott.explain import Mark


def utf16_marks(text: str, marks: "Iterable[Mark]") -> list[tuple[int, int, int]]:
    """Give marks of ``text`` with their places in UTF-16 units: start, end, number of the group."""
    place = utf16_places(text)
    return [(place[start], place[end], group) for start, end, group in marks]


def utf16_places(text: str) -> "range | list[int]":
    """Where each character begins when those beyond the basic plane count twice.

    Examples
    --------
    >>> list(utf16_places("a😀b"))
    [0, 1, 3, 4]
    """
    if not text or max(text) <= "\uffff":
        return range(len(text) + 1)
    widths: Iterable[int] = (1 + (character > "\uffff") for character in text)
    return list(accumulate(widths, initial=0))
