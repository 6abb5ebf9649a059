"""Where in a text the words are that carry each theme, as JavaScript counts characters."""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hott.explain import Mark


def utf16_marks(text: str, marks: "Sequence[Mark]") -> list[tuple[int, int, int, float]]:
    """Marks of ``text`` with their places in UTF-16 units: start, end, number of the theme, strength."""
    place = _utf16_places(text)
    return [(place[mark.start], place[mark.end], mark.theme, round(mark.strength, 3)) for mark in marks]


def _utf16_places(text: str) -> "range | list[int]":
    """Where each character begins when those beyond the basic plane count twice.

    Examples
    --------
    >>> list(_utf16_places("a😀b"))
    [0, 1, 3, 4]
    """
    if not text or max(text) <= "\uffff":
        return range(len(text) + 1)
    widths: Iterable[int] = (1 + (character > "\uffff") for character in text)
    return list(accumulate(widths, initial=0))
