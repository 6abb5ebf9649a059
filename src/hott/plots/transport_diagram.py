"""The paper's own diagram: the topics of two documents, and the exact plan between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from rich.cells import cell_len

from hott.plots import style
from hott.plots._paint import (
    NARROW,
    Anchor,
    Bar,
    Diagram,
    Label,
    Ribbon,
    columns_in,
    draw_titles,
    write_lines,
)
from hott.topics import Topic
from hott.utils.wording import elide, per_cent, printable

if TYPE_CHECKING:
    from hott.explain.plan import TopicMove

_BAR = 14.0
_SLOT = 38.0  # height of the two lines beside a bar
_GAP = 10.0
_UNLABELLED = 0.01  # mass below which a bar has no label
_CAPTION = (
    "A is on the left, B on the right; heights are parts of a document. Coloured: what both have of a "
    "topic. Grey: what moves to another topic."
)
_Side: TypeAlias = (
    "dict[int, tuple[Topic, float]]"  # the topics of a document by their numbers, with its mass
)


def transport_diagram(
    moves: Sequence[TopicMove],
    titles: tuple[str, str] = ("A", "B"),
    *,
    width: int = 980,
    theme: style.Theme = "light",
    transparent: bool = False,
) -> Diagram:
    """Draw how the topics of one document become those of another.

    Each topic is a bar, as high as its part of the document. A coloured band is what both documents have of a
    topic; a grey band is what moves to another.

    Parameters
    ----------
    moves : sequence of TopicMove
        As :func:`hott.explain.topic_moves` gives them.
    titles : pair of str
        Of the two documents.
    width : int
        In pixels, at least 320; below 600 the labels are short, for a phone.
    theme : {"light", "dark"}
    transparent : bool
        Leave the background out, to lay the picture on a page of the same theme.

    Returns
    -------
    Diagram
        ``to_svg()``, ``to_png()`` and ``save(path)`` give it; a notebook shows it.

    Examples
    --------
    >>> from hott.explain import TopicMove
    >>> from hott.topics import Topic
    >>> sky = Topic(0, "planet, orbit", ("planet", "orbit"))
    >>> transport_diagram([TopicMove(sky, sky, mass=1.0, cost=0.0)], width=390).width
    390
    """
    look = style.look_of(theme)
    style.check_width(width)
    heading = draw_titles(titles, width, look)
    top = heading[-1].box[3] + 16
    body, bottom = _body(moves, width, top, look)
    caption = write_lines(_CAPTION, width / 2, bottom + 12, width - 24, 11, look.faint, 1.35 * 11, "middle")
    height = max(label.box[3] for label in caption) + 10
    distance = sum(move.cost for move in moves)
    title = f"{titles[0]} and {titles[1]}: distance {distance:.3f}"
    background = None if transparent else look.background
    return Diagram(width, round(height), background, title, (*body, *heading, *caption))


def _masses(moves: Sequence[TopicMove]) -> tuple[_Side, _Side]:
    """Add up how much each document has of each topic, in one order: what both have on top."""
    left: dict[Topic, float] = {}
    right: dict[Topic, float] = {}
    for move in moves:
        left[move.source] = left.get(move.source, 0.0) + move.mass
        right[move.target] = right.get(move.target, 0.0) + move.mass
    stays = {move.source: move.mass for move in moves if move.stays}
    mass = {topic: left.get(topic, 0.0) + right.get(topic, 0.0) for topic in {**left, **right}}
    order = sorted(mass, key=lambda t: (-round(stays.get(t, 0.0), 12), -round(mass[t], 12), t.number))
    a, b = (
        {topic.number: (topic, side[topic]) for topic in order if topic in side} for side in (left, right)
    )
    return a, b


def _body(
    moves: Sequence[TopicMove], width: int, top: float, look: style.Look
) -> tuple[list[Bar | Ribbon | Label], float]:
    """Draw the bars, bands and their labels; return them, and where they end."""
    narrow = width < NARROW
    room, unit = width * (0.3 if narrow else 0.29), 260.0 if narrow else 340.0
    left, right = _masses(moves)
    colors = {number: style.color(place) for place, number in enumerate({**left, **right})}
    rows, columns = ({number: place for place, number in enumerate(side)} for side in (left, right))
    moves = sorted(moves, key=lambda move: (rows[move.source.number], columns[move.target.number]))
    tops, curves = _place(moves, left, right, unit)
    x1, x2, bottom = room, width - room, top
    shapes: list[Bar | Ribbon | Label] = []
    for move, (start, end) in sorted(zip(moves, curves), key=lambda one: (one[0].stays, one[0].mass)):
        # What stays is drawn over what moves.
        color, opacity = (colors[move.source.number], 0.6) if move.stays else (style.GREY, 0.16)
        away = f"moves from {move.source.name} to {move.target.name}"
        title = f"{per_cent(move.mass)} {f'stays in {move.source.name}' if move.stays else away}"
        title += f"; {move.cost:.3f} of the distance"
        ends = x1 + _BAR, top + start, x2 - _BAR, top + end
        shapes.append(Ribbon(*ends, max(unit * move.mass, 0.4), color, opacity, title))
    free = -1e9
    for move, (start, end) in sorted(zip(moves, curves), key=lambda one: sum(one[1])):
        y = (start + end) / 2
        if move.stays and unit * move.mass >= 13 and y - free >= 16:  # or it would cover another label
            text = f"both {per_cent(move.mass)}"
            shapes.append(Label(text, (x1 + x2) / 2, top + y, 12, look.text, "middle", bold=True))
            free = y
    size = 11.0 if narrow else 13.0
    sides: tuple[tuple[float, float, Anchor], ...] = ((x1, x1 - 8, "end"), (x2 - _BAR, x2 + 8, "start"))
    for own, offsets, (x, text_x, anchor) in zip((left, right), tops, sides):
        for number, (topic, mass) in own.items():
            height, begin = unit * mass, top + offsets[number]
            y = begin + height / 2
            bottom = max(bottom, y + max(height, _slot(mass)) / 2)
            shapes.append(Bar(x, begin, _BAR, height, colors[number]))
            if mass < _UNLABELLED:
                continue
            name = elide(printable(topic.name), columns_in(room - 12, size, bold=True))
            shapes.append(Label(name, text_x, y - 9, size, look.text, anchor, bold=True))
            part, told = per_cent(mass), topic.name.split(", ")
            words = [word for word in topic.words if word not in told]
            more = _fitting(words, columns_in(room - 12, size - 1) - len(part) - 3)
            text = f"{part} · {more}" if more else part
            shapes.append(Label(text, text_x, y + 9, size - 1, look.faint, anchor))
    return shapes, bottom


def _slot(mass: float) -> float:
    """Return the height that the label of a bar needs."""
    return _SLOT if mass >= _UNLABELLED else 2.0


def _place(
    moves: Sequence[TopicMove], left: _Side, right: _Side, unit: float
) -> tuple[list[dict[int, float]], list[tuple[float, float]]]:
    """Stack the bars of both sides, with room for labels, so that bands which stay run straight.

    Return the tops of the bars by the numbers of their topics, and the heights of the middle of each band at
    both ends. Bands leave and reach a bar in the order of the bars at their other ends.
    """
    gone, come = defaultdict[int, float](float), defaultdict[int, float](float)
    above = []  # how much of the bars at its ends lies above each band
    for move in moves:
        above.append((gone[move.source.number], come[move.target.number]))
        gone[move.source.number] += move.mass
        come[move.target.number] += move.mass
    tops: list[dict[int, float]] = [{}, {}]
    free = [0.0, 0.0]  # where the next slot may begin

    def margin(side: int, number: int) -> float:
        mass = (left, right)[side][number][1]
        return max(0.0, _slot(mass) - unit * mass) / 2

    def put(side: int, number: int, top: float) -> None:
        tops[side][number] = top
        free[side] = top + unit * (left, right)[side][number][1] + margin(side, number) + _GAP

    shifts = {move.source.number: unit * (a - b) for move, (a, b) in zip(moves, above) if move.stays}
    waiting = list(right)
    for number in left:
        top = free[0] + margin(0, number)
        if number in shifts:
            while (other := waiting.pop(0)) != number:
                put(1, other, free[1] + margin(1, other))
            top = max(top, free[1] + margin(1, number) - shifts[number])
            put(1, number, top + shifts[number])
        put(0, number, top)
    for number in waiting:
        put(1, number, free[1] + margin(1, number))
    curves = []
    for move, (a, b) in zip(moves, above):
        start, end = tops[0][move.source.number], tops[1][move.target.number]
        curves.append((start + unit * (a + move.mass / 2), end + unit * (b + move.mass / 2)))
    return tops, curves


def _fitting(words: Sequence[str], columns: int) -> str:
    """Join as many words as fit."""
    lines = (", ".join(map(printable, words[:n])) for n in range(len(words), 0, -1))
    return next((line for line in lines if cell_len(line) <= columns), "")
