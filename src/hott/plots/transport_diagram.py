"""Two documents side by side: their themes, what both have of them, and what moves to another."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len

from hott.plots import style
from hott.plots._bands import Band, Node, Places, place
from hott.plots._paint import Anchor, Bar, Diagram, Label, Ribbon, columns_in
from hott.utils.wording import elide, per_cent, printable

if TYPE_CHECKING:
    from hott.explain.comparison import Comparison, Move, Theme, Word

_NARROW = 600  # pixels below which labels are short
_BAR = 14.0
_SLOT = 38.0  # height of the two lines beside a bar
_UNLABELLED = 0.01  # mass below which a bar has no label


def transport_diagram(
    comparison: Comparison,
    *,
    width: int = 980,
    theme: style.Theme = "light",
    transparent: bool = False,
    story: bool = True,
) -> Diagram:
    """Draw how the themes of one document become those of another.

    Each theme is a bar in its colour on both sides, as high as its part of the document, with the words that
    stand for it there. A coloured band is what both documents have of a theme, the stronger the more alike
    they are in it; a grey band is what moves to another theme.

    Parameters
    ----------
    comparison : Comparison
    width : int
        In pixels, at least 320; below 600 the labels are short, for a phone.
    theme : {"light", "dark"}
    transparent : bool
        Leave the background out, to lay the picture on a page of the same theme.
    story : bool
        Write the titles and the plain sentences above.

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
    >>> transport_diagram(comparison, width=390).width
    390
    """
    look = style.look_of(theme)
    if width < 320:
        raise ValueError(f"width must be at least 320 pixels, got {width}.")
    heading = list(_heading(comparison, width, look)) if story else []
    top = max((label.box[3] for label in heading), default=0.0) + 16
    body, bottom = _body(comparison, width, top, look)
    caption = list(_caption(width, bottom + 12, look))
    height = max(label.box[3] for label in caption) + 10
    title = f"{comparison.a.name} and {comparison.b.name}: distance {comparison.distance:.3f}"
    background = None if transparent else look.background
    return Diagram(width, round(height), background, title, (*body, *heading, *caption))


def theme_colors(comparison: Comparison) -> dict[int, str]:
    """The colour of each theme by its number; grey for other words."""
    themes = _ordered(comparison)
    return {t.number: style.SLATE if t.is_other else style.color(k) for k, t in enumerate(themes)}


def _ordered(comparison: Comparison) -> list[Theme]:
    """What brings the documents together on top, then what says the most, other words last."""
    shared = [theme.number for theme in comparison.shared]

    def place(theme: Theme) -> tuple[bool, float, float]:
        rank = shared.index(theme.number) if theme.number in shared else len(shared)
        return theme.is_other, rank, -round(theme.weight * (theme.mass_a + theme.mass_b), 12)

    return sorted(comparison.themes, key=place)


def _body(
    c: Comparison, width: int, top: float, look: style.Look
) -> tuple[list[Bar | Ribbon | Label], float]:
    """Bars, bands and their labels, and where they end."""
    narrow = width < _NARROW
    room = width * (0.3 if narrow else 0.29)
    themes = _ordered(c)
    left = [theme for theme in themes if theme.mass_a > 0]
    right = [theme for theme in themes if theme.mass_b > 0]
    colors = theme_colors(c)
    rows = {theme.number: row for row, theme in enumerate(left)}
    columns = {theme.number: row for row, theme in enumerate(right)}
    moves = sorted(c.moves, key=lambda move: (rows[move.source.number], columns[move.target.number]))
    bands = [Band(rows[m.source.number], columns[m.target.number], m.mass, m.stays) for m in moves]
    places = place(
        [_node(theme.mass_a) for theme in left],
        [_node(theme.mass_b) for theme in right],
        bands,
        unit=260.0 if narrow else 340.0,
    )
    x1, x2 = room, width - room
    shapes: list[Bar | Ribbon | Label] = []
    order = sorted(range(len(moves)), key=lambda k: (moves[k].stays, moves[k].mass))
    for k in order:  # what stays is drawn over what moves
        shapes.append(_ribbon(c, moves[k], places, k, (x1 + _BAR, x2 - _BAR), top, colors))
    shapes += _band_labels(moves, places, (x1 + x2) / 2, top, look)
    shapes += _column(left, places.left, x1, top, colors, room, look, "a", narrow)
    shapes += _column(right, places.right, x2 - _BAR, top, colors, room, look, "b", narrow)
    return shapes, top + places.height


def _node(mass: float) -> Node:
    return Node(mass, _SLOT if mass >= _UNLABELLED else 2.0)


def _ribbon(
    c: Comparison,
    move: Move,
    places: Places,
    k: int,
    ends: tuple[float, float],
    top: float,
    colors: dict[int, str],
) -> Ribbon:
    curve = places.curves[k]
    color, opacity = style.GREY, 0.16
    if move.stays and not move.source.is_other:
        color = colors[move.source.number]
        opacity = 0.3 + 0.45 * c.nearness(move.source) / max(move.mass, 1e-12)
    title = f"{per_cent(move.mass)} " + (
        f"stays in {move.source.name}"
        if move.stays
        else f"moves from {move.source.name} to {move.target.name}"
    )
    title += f"; {move.cost:.3f} of the distance"
    y1, y2 = top + curve.start, top + curve.end
    return Ribbon(ends[0], y1, ends[1], y2, max(curve.thickness, 0.4), color, opacity, title)


def _band_labels(
    moves: Sequence[Move], places: Places, x: float, top: float, look: style.Look
) -> Iterator[Label]:
    """How much stays, written on bands that are thick enough and do not share the place with another."""
    free = -1e9
    stays = [(places.curves[k], moves[k]) for k in range(len(moves)) if moves[k].stays]
    for curve, move in sorted(stays, key=lambda entry: entry[0].start + entry[0].end):
        y = (curve.start + curve.end) / 2
        if curve.thickness >= 13 and y - free >= 16 and not move.source.is_other:
            yield Label(f"both {per_cent(move.mass)}", x, top + y, 12, look.text, "middle", bold=True)
            free = y


def _column(
    themes: Sequence[Theme],
    spots: Sequence[tuple[float, float]],
    x: float,
    top: float,
    colors: dict[int, str],
    room: float,
    look: style.Look,
    side: str,
    narrow: bool,
) -> Iterator[Bar | Label]:
    """The bars of one side, each with two lines of text beside it."""
    size = 11.0 if narrow else 13.0
    anchor: Anchor = "end" if side == "a" else "start"
    text_x = x - 8 if side == "a" else x + _BAR + 8
    for theme, (offset, height) in zip(themes, spots):
        yield Bar(x, top + offset, _BAR, height, colors[theme.number])
        mass, words = (theme.mass_a, theme.words_a) if side == "a" else (theme.mass_b, theme.words_b)
        if mass < _UNLABELLED:
            continue
        y = top + offset + height / 2
        words = () if theme.is_other else words
        first, rest = _fitting(words, columns_in(room - 12, size, bold=True), "other words")
        yield Label(first, text_x, y - 9, size, look.text, anchor, bold=True)
        part = per_cent(mass)
        more, _ = _fitting(rest, columns_in(room - 12, size - 1) - len(part) - 3, "")
        yield Label(f"{part} · {more}" if more else part, text_x, y + 9, size - 1, look.faint, anchor)


def _fitting(words: Sequence[Word], columns: int, otherwise: str) -> tuple[str, Sequence[Word]]:
    """As many words as fit, the first of them shortened where it must be, and the words that are left."""
    line = ""
    for n, word in enumerate(words):
        longer = f"{line}, {printable(word.text)}" if line else printable(word.text)
        if cell_len(longer) > columns:
            return (line, words[n:]) if line else (elide(longer, columns) if otherwise else "", words[1:])
        line = longer
    return line or otherwise, ()


def _heading(c: Comparison, width: int, look: style.Look) -> Iterator[Label]:
    """Titles of both sides, and the story in plain sentences."""
    narrow = width < _NARROW
    size, pad = (14.0, 12.0) if narrow else (17.0, 16.0)
    y = pad + size / 2
    for letter, side in (("A", c.a), ("B", c.b)):
        title = elide(f"{letter} {side.name}", columns_in(width - 2 * pad, size, bold=True))
        yield Label(title, pad, y, size, look.text, bold=True)
        y += size * 1.5
    y += 4
    size = 12.0 if narrow else 14.0
    for sentence in c.sentences:
        whole = printable(sentence).replace(" %", "\xa0%")  # a number and its sign stay on one line
        for line in textwrap.wrap(whole, columns_in(width - 2 * pad, size)):
            yield Label(line, pad, y, size, look.text)
            y += size * 1.4
        y += 3


def _caption(width: int, y: float, look: style.Look) -> Iterator[Label]:
    text = (
        "A is on the left, B on the right; heights are parts of a document. Coloured: what both have of a "
        "theme, the stronger the more alike. Grey: what moves to another theme."
    )
    size, pad = 11.0, 12.0
    for line in textwrap.wrap(text, columns_in(width - 2 * pad, size)):
        yield Label(line, width / 2, y + size / 2, size, look.faint, "middle")
        y += size * 1.35
