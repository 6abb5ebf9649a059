"""The paper's own diagram: the topics of two documents, and the exact plan between them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len

from hott.plots import style
from hott.plots._bands import Band, Node, Places, place
from hott.plots._paint import NARROW, Anchor, Bar, Diagram, Label, Ribbon, columns_in, draw_titles
from hott.topics import Topic
from hott.utils.wording import elide, per_cent, printable

if TYPE_CHECKING:
    from hott.explain.plan import TopicMove

_BAR = 14.0
_SLOT = 38.0  # height of the two lines beside a bar
_UNLABELLED = 0.01  # mass below which a bar has no label


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
    >>> import numpy as np
    >>> from hott import HOTT
    >>> from hott.explain import topic_moves
    >>> from hott.topics import named_topics
    >>> X = np.array([[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 4, 2], [0, 0, 2, 4]])
    >>> hott = HOTT(n_topics=2).fit(X)
    >>> R = hott.represent(X)
    >>> topics = named_topics(hott.topics_, ["cat", "dog", "stocks", "bonds"])
    >>> transport_diagram(topic_moves(hott, R[:1], R[2:3], topics), width=390).width
    390
    """
    look = style.look_of(theme)
    style.check_width(width)
    heading = draw_titles(titles, width, look)
    top = heading[-1].box[3] + 16
    body, bottom = _body(moves, width, top, look)
    caption = list(_caption(width, bottom + 12, look))
    height = max(label.box[3] for label in caption) + 10
    distance = sum(move.cost for move in moves)
    title = f"{titles[0]} and {titles[1]}: distance {distance:.3f}"
    background = None if transparent else look.background
    return Diagram(width, round(height), background, title, (*body, *heading, *caption))


def _masses(moves: Sequence[TopicMove]) -> tuple[dict[Topic, float], dict[Topic, float]]:
    """Add up how much each document has of each topic, in one order: what both have on top."""
    left: dict[Topic, float] = {}
    right: dict[Topic, float] = {}
    for move in moves:
        left[move.source] = left.get(move.source, 0.0) + move.mass
        right[move.target] = right.get(move.target, 0.0) + move.mass
    stays = {move.source: move.mass for move in moves if move.stays}
    mass = {topic: left.get(topic, 0.0) + right.get(topic, 0.0) for topic in {**left, **right}}
    order = sorted(mass, key=lambda t: (-round(stays.get(t, 0.0), 12), -round(mass[t], 12), t.number))
    return {t: left[t] for t in order if t in left}, {t: right[t] for t in order if t in right}


def _body(
    moves: Sequence[TopicMove], width: int, top: float, look: style.Look
) -> tuple[list[Bar | Ribbon | Label], float]:
    """Draw the bars, bands and their labels; return them, and where they end."""
    narrow = width < NARROW
    room = width * (0.3 if narrow else 0.29)
    left, right = _masses(moves)
    numbers = dict.fromkeys(topic.number for topic in (*left, *right))
    colors = {number: style.color(place) for place, number in enumerate(numbers)}
    rows = {topic.number: row for row, topic in enumerate(left)}
    columns = {topic.number: row for row, topic in enumerate(right)}
    moves = sorted(moves, key=lambda move: (rows[move.source.number], columns[move.target.number]))
    bands = [Band(rows[m.source.number], columns[m.target.number], m.mass, m.stays) for m in moves]
    places = place(
        [_node(mass) for mass in left.values()],
        [_node(mass) for mass in right.values()],
        bands,
        unit=260.0 if narrow else 340.0,
    )
    x1, x2 = room, width - room
    shapes: list[Bar | Ribbon | Label] = []
    order = sorted(range(len(moves)), key=lambda k: (moves[k].stays, moves[k].mass))
    for k in order:  # what stays is drawn over what moves
        shapes.append(_ribbon(moves[k], places, k, (x1 + _BAR, x2 - _BAR), top, colors))
    shapes += _band_labels(moves, places, (x1 + x2) / 2, top, look)
    shapes += _column(left, places.left, x1, top, colors, room, look, "a", narrow)
    shapes += _column(right, places.right, x2 - _BAR, top, colors, room, look, "b", narrow)
    return shapes, top + places.height


def _node(mass: float) -> Node:
    return Node(mass, _SLOT if mass >= _UNLABELLED else 2.0)


def _ribbon(
    move: TopicMove, places: Places, k: int, ends: tuple[float, float], top: float, colors: dict[int, str]
) -> Ribbon:
    curve = places.curves[k]
    color, opacity = (colors[move.source.number], 0.6) if move.stays else (style.GREY, 0.16)
    title = f"{per_cent(move.mass)} " + (
        f"stays in {move.source.name}"
        if move.stays
        else f"moves from {move.source.name} to {move.target.name}"
    )
    title += f"; {move.cost:.3f} of the distance"
    y1, y2 = top + curve.start, top + curve.end
    return Ribbon(ends[0], y1, ends[1], y2, max(curve.thickness, 0.4), color, opacity, title)


def _band_labels(
    moves: Sequence[TopicMove], places: Places, x: float, top: float, look: style.Look
) -> Iterator[Label]:
    """Write how much stays on bands that are thick enough, unless it would cover another label."""
    free = -1e9
    stays = [(places.curves[k], moves[k]) for k in range(len(moves)) if moves[k].stays]
    for curve, move in sorted(stays, key=lambda entry: entry[0].start + entry[0].end):
        y = (curve.start + curve.end) / 2
        if curve.thickness >= 13 and y - free >= 16:
            yield Label(f"both {per_cent(move.mass)}", x, top + y, 12, look.text, "middle", bold=True)
            free = y


def _column(
    topics: dict[Topic, float],
    spots: Sequence[tuple[float, float]],
    x: float,
    top: float,
    colors: dict[int, str],
    room: float,
    look: style.Look,
    side: str,
    narrow: bool,
) -> Iterator[Bar | Label]:
    """Yield the bars of one side, each but the smallest with two lines of text beside it."""
    size = 11.0 if narrow else 13.0
    anchor: Anchor = "end" if side == "a" else "start"
    text_x = x - 8 if side == "a" else x + _BAR + 8
    for (topic, mass), (offset, height) in zip(topics.items(), spots):
        yield Bar(x, top + offset, _BAR, height, colors[topic.number])
        if mass < _UNLABELLED:
            continue
        y = top + offset + height / 2
        name = elide(printable(topic.name), columns_in(room - 12, size, bold=True))
        yield Label(name, text_x, y - 9, size, look.text, anchor, bold=True)
        part = per_cent(mass)
        told = topic.name.split(", ")
        more = _fitting(
            [w for w in topic.words if w not in told], columns_in(room - 12, size - 1) - len(part) - 3
        )
        yield Label(f"{part} · {more}" if more else part, text_x, y + 9, size - 1, look.faint, anchor)


def _fitting(words: Sequence[str], columns: int) -> str:
    """Join as many words as fit."""
    line = ""
    for word in map(printable, words):
        longer = f"{line}, {word}" if line else word
        if cell_len(longer) > columns:
            break
        line = longer
    return line


def _caption(width: int, y: float, look: style.Look) -> Iterator[Label]:
    text = (
        "A is on the left, B on the right; heights are parts of a document. Coloured: what both have of a "
        "topic. Grey: what moves to another topic."
    )
    size, pad = 11.0, 12.0
    for line in textwrap.wrap(text, columns_in(width - 2 * pad, size)):
        yield Label(line, width / 2, y + size / 2, size, look.faint, "middle")
        y += size * 1.35
