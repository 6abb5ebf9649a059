"""Two documents in three columns: terms of A alone, of both and of B alone, with sentences side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hott.plots import style
from hott.plots._paint import NARROW, Bar, Diagram, Label, columns_in, draw_titles, write_lines
from hott.utils.wording import elide, per_cent, printable

if TYPE_CHECKING:
    from hott.explain.comparison import Comparison

_ROW = 30.0  # height of a term with its bar
_MAX_TERMS = 8  # in a column
_QUOTES = 2


def term_diagram(
    comparison: Comparison,
    *,
    width: int = 980,
    theme: style.Theme = "light",
    transparent: bool = False,
    story: bool = True,
) -> Diagram:
    """Draw what two documents have in common, and what each has alone.

    The bar of a term is as long as its part of the distance. Sentences that belong together stand below.

    Parameters
    ----------
    comparison : Comparison
    width : int
        In pixels, at least 320; below 600 the columns stand one below the other, for a phone.
    theme : {"light", "dark"}
    transparent : bool
        Leave the background out, to lay the picture on a page of the same theme.
    story : bool
        Write the titles above, and sentences side by side below.

    Returns
    -------
    Diagram
        ``to_svg()``, ``to_png()`` and ``save(path)`` give it; a notebook shows it.

    Examples
    --------
    >>> import numpy as np
    >>> from hott import HOTT
    >>> from hott.explain import compare
    >>> X = np.array([[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 4, 2], [0, 0, 2, 4]])
    >>> hott = HOTT(n_topics=2).fit(X)
    >>> R = hott.represent(X)
    >>> comparison = compare(hott, R[:1], R[2:3], (X[:1], X[2:3]), words=["cat", "dog", "stocks", "bonds"])
    >>> term_diagram(comparison, width=390).width
    390
    """
    look = style.look_of(theme)
    style.check_width(width)
    shapes: list[Bar | Label] = []
    y = 12.0
    if story:
        shapes += (titles := draw_titles((comparison.a.name, comparison.b.name), width, look))
        y = titles[-1].box[3] + 14
    columns, bottom = _columns(comparison, width, y, look)
    shapes += columns
    numbers = " ".join(comparison.numbers).replace(" %", "\xa0%")
    lines = write_lines(numbers, 12, bottom + 10, width - 24, 12, look.faint, 17)
    bottom = max((label.box[3] for label in lines), default=bottom)
    if story:
        lines += _quotes(comparison, width, bottom + 14, look)
        bottom = max((label.box[3] for label in lines), default=bottom)
    shapes += lines
    title = f"{comparison.a.name} and {comparison.b.name}: {comparison.why}"
    background = None if transparent else look.background
    return Diagram(width, round(bottom + 12), background, title, tuple(shapes))


def _columns(c: Comparison, width: int, top: float, look: style.Look) -> tuple[list[Bar | Label], float]:
    """Draw the three columns; return them, and where they end."""
    are_groups = max(c.a.n_documents, c.b.n_documents) > 1
    only = "More in" if are_groups else "Only"
    columns = [
        (f"{only} A", [one for one in c.told if one.where == "only_a"], style.color(0)),
        ("Both", [one for one in c.told if one.where in ("both", "near")], style.color(2)),
        (f"{only} B", [one for one in c.told if one.where == "only_b"], style.color(1)),
    ]
    most = max((one.part for one in c.told), default=0.0) or 1.0
    narrow = width < NARROW
    if narrow:  # what both have comes first
        columns = [columns[1], columns[0], columns[2]]
    room = width - 24.0 if narrow else (width - 24.0) / 3 - 16
    shapes: list[Bar | Label] = []
    bottom = top
    for number, (name, terms, color) in enumerate(columns):
        x = 12.0 if narrow else 12.0 + number * (width - 24.0) / 3
        y = bottom + 8 if narrow and number else top
        shapes.append(Label(name, x, y + 9, 13, look.faint, bold=True))
        y += 22
        for term in terms[:_MAX_TERMS]:
            part = per_cent(term.part)
            text = elide(printable(term.text), columns_in(room, 13) - len(part) - 2)
            shapes.append(Label(text, x, y + 9, 13, look.text))
            shapes.append(Label(part, x + room, y + 9, 11, look.faint, "end"))
            shapes.append(Bar(x, y + 19, max(room * term.part / most, 1.5), 4, color))
            y += _ROW
        if not terms:
            shapes.append(Label("nothing special", x, y + 9, 13, look.faint))
            y += 22
        bottom = y if narrow else max(bottom, y)
    return shapes, bottom


def _quotes(c: Comparison, width: int, y: float, look: style.Look) -> Iterator[Label]:
    narrow = width < NARROW
    size = 12.0 if narrow else 13.0
    room = width - 24.0 if narrow else (width - 24.0) / 2 - 16
    for pair in c.quotes[:_QUOTES]:
        ends = [y]
        for number, (letter, quote) in enumerate(zip("AB", pair)):
            x, at = (12.0, ends[-1]) if narrow else (12.0 + number * (width - 24.0) / 2, y)
            text = f"{letter}: “{' '.join(printable(quote.text).split())}”"
            lines = write_lines(text, x, at, room, size, look.text, 1.4 * size)
            ends.append(at + len(lines) * 1.4 * size)
            yield from lines
        y = max(ends) + 10
