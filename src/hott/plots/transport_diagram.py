"""Two documents side by side: their topics, and the mass that stays or moves between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hott._optional import need
from hott.plots import style
from hott.plots._bands import Band, Places, across, label_points, place
from hott.wording import per_cent

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from hott.explain.comparison import Comparison, Side
    from hott.topics import Topic

_MARGIN = {"l": 235, "r": 235, "t": 92, "b": 52}
_NODE_WIDTH = 16
_NAME_COLUMNS = 27


@dataclass(frozen=True)
class _Node:
    """A topic of one document, or all its lesser topics together (``topic`` is None)."""

    topic: Topic | None
    mass: float
    folded: tuple[Topic, ...] = ()

    @property
    def name(self) -> str:
        if self.topic or len(self.folded) == 1:
            return (self.topic or self.folded[0]).name
        return f"{len(self.folded)} other topics"


def transport_diagram(
    comparison: Comparison,
    *,
    topics: int = 8,
    theme: style.Theme = "light",
    transparent: bool = False,
    width: int | None = 980,
) -> go.Figure:
    """Draw how the topics of one document become those of another.

    Each topic is a bar with its proportion in the document; the same topic has the same colour on both sides.
    A pale band is mass that stays in its topic, what the documents have in common. A strong band is mass that
    moves to another topic, what differs.

    Parameters
    ----------
    comparison : Comparison
    topics : int
        How many topics to show; the lesser ones are folded into one.
    theme : {"light", "dark"}
    transparent : bool
        Leave the background out, to lay the picture on a page of the same theme.
    width : int or None
        In pixels; None fills the width of the page.

    Returns
    -------
    plotly Figure
        With one Sankey trace: hover over a bar for its words, over a band for its cost.
    """
    go = need("plotly.graph_objects", extra="plots")
    look = style.look_of(theme)
    if topics < 1:
        raise ValueError(f"topics must be at least 1, not {topics}.")
    shown = _shown(comparison, topics)
    left, right, bands = _columns(comparison, shown)
    places = place([node.mass for node in left], [node.mass for node in right], bands)
    colors = {topic.number: style.color(i) for i, topic in enumerate(shown)}

    inner = (width or 980) - _MARGIN["l"] - _MARGIN["r"]
    trace = go.Sankey(
        arrangement="fixed",
        node=_nodes(comparison, left, right, places, colors, inner),
        link=_links(comparison, left, right, bands, colors),
        textfont={
            "color": "rgba(0,0,0,0)",
            "size": 1,
        },  # plotly writes on the bands; we write beside the nodes
        valueformat=".1%",
    )
    if "shadow" in trace.textfont:
        trace.textfont.shadow = "none"
    for part in (trace.node, trace.link):
        if "sort" in part:  # plotly 7 orders bands by a layout of its own, unless told; before, by their ends
            part.sort = "input"
    figure = go.Figure(trace)
    height = round(places.height) + _MARGIN["t"] + _MARGIN["b"]
    figure.update_layout(
        style.layout(look, transparent, margin=_MARGIN, height=height, width=width),
        annotations=[
            *_headings(comparison, look),
            *_node_labels(left, right, places),
            *_band_labels(bands, places, inner, look),
            _caption(comparison, look),
        ],
    )
    return figure


def _shown(comparison: Comparison, most: int) -> list[Topic]:
    """The heaviest topics of either document; a single lesser one too, as folding it would save nothing."""
    weights: dict[Topic, float] = {}
    for side in (comparison.a, comparison.b):
        for topic, mass in side.proportions.items():
            weights[topic] = max(mass, weights.get(topic, 0.0))
    ranked = sorted(weights, key=lambda topic: -weights[topic])
    return ranked if len(ranked) == most + 1 else ranked[:most]


def _columns(comparison: Comparison, shown: Sequence[Topic]) -> tuple[list[_Node], list[_Node], list[Band]]:
    """Order the nodes: what is shared on top, what moves below with few crossings, lesser topics last."""
    flows: dict[tuple[int | None, int | None, bool], float] = {}
    numbers = {topic.number for topic in shown}
    for move in comparison.plan:
        source = move.source.number if move.source.number in numbers else None
        target = move.target.number if move.target.number in numbers else None
        flows[source, target, move.stays] = flows.get((source, target, move.stays), 0.0) + move.mass
    shared = [move.source.number for move in comparison.shared if move.source.number in numbers]
    left, right = _nodes_of(comparison.a, numbers, shared), _nodes_of(comparison.b, numbers, shared)
    rows = {_number(node): row for row, node in enumerate(left)}

    def mean_source(node: _Node) -> float:
        mass = {rows[i]: m for (i, j, _), m in flows.items() if j == _number(node)}
        return sum(row * m for row, m in mass.items()) / sum(mass.values())

    start, end = len(shared), len(right) - (right[-1].topic is None)
    right[start:end] = sorted(right[start:end], key=mean_source)
    columns = {_number(node): row for row, node in enumerate(right)}
    bands = [Band(rows[i], columns[j], mass, stays) for (i, j, stays), mass in flows.items()]
    return left, right, sorted(bands, key=lambda band: (band.left, band.right, not band.stays))


def _nodes_of(side: Side, shown: set[int], shared: Sequence[int]) -> list[_Node]:
    nodes = {t.number: _Node(t, mass) for t, mass in side.proportions.items() if t.number in shown}
    rest = {topic: mass for topic, mass in side.proportions.items() if topic.number not in shown}
    ordered = [nodes.pop(number) for number in shared] + list(nodes.values())
    return ordered + [_Node(None, sum(rest.values()), tuple(rest))] * bool(rest)


def _number(node: _Node) -> int | None:
    return node.topic.number if node.topic else None


def _color(node: _Node, colors: dict[int, str]) -> str:
    return colors[node.topic.number] if node.topic else style.SLATE


def _nodes(
    comparison: Comparison,
    left: Sequence[_Node],
    right: Sequence[_Node],
    places: Places,
    colors: dict[int, str],
    inner: int,
) -> dict[str, Any]:
    nodes = [*left, *right]
    sides = [comparison.a] * len(left) + [comparison.b] * len(right)
    edge = _NODE_WIDTH / 2 / inner
    return {
        "label": [style.escaped(node.name) for node in nodes],
        "x": [edge] * len(left) + [1 - edge] * len(right),
        "y": [(top + height / 2) / places.height for top, height in (*places.left, *places.right)],
        "color": [_color(node, colors) for node in nodes],
        "customdata": [_node_hover(node, side) for node, side in zip(nodes, sides)],
        "hovertemplate": "%{customdata}<extra></extra>",
        "thickness": _NODE_WIDTH,
        "pad": _pad(places, max(len(left), len(right))),
        "line": {"width": 0},
    }


def _pad(places: Places, rows: int) -> float:
    """The padding from which plotly derives the very scale that the places were computed with."""
    return (places.height - places.unit) / (rows - 1) if rows > 1 else 0.0


def _node_hover(node: _Node, side: Side) -> str:
    lines = [f"<b>{style.escaped(node.name)}</b>: {per_cent(node.mass)} of {style.short(side.name, 60)}"]
    if node.topic:
        lines.append("topic: " + style.short(", ".join(node.topic.words), 80))
        if words := side.words(node.topic, 8):
            lines.append("here: " + style.short(", ".join(word.text for word in words), 80))
    return "<br>".join(lines)


def _links(
    comparison: Comparison,
    left: Sequence[_Node],
    right: Sequence[_Node],
    bands: Sequence[Band],
    colors: dict[int, str],
) -> dict[str, Any]:
    moves = {(move.source.number, move.target.number): move for move in comparison.plan}
    hovers = []
    for band in bands:
        source, target = left[band.left], right[band.right]
        if band.stays:
            hovers.append(f"{per_cent(band.mass)} stays in {style.escaped(source.name)}")
            continue
        text = f"{per_cent(band.mass)}: {style.escaped(source.name)} → {style.escaped(target.name)}"
        if source.topic and target.topic:
            move = moves[source.topic.number, target.topic.number]
            text += f"<br>cost {move.cost:.4g}, {per_cent(move.share)} of the distance"
            steps = [
                f"{step.source} → {step.target}" for step in comparison.word_plan(move)[:5] if step.share
            ]
            text += "<br>" + style.short(", ".join(steps), 90)
        hovers.append(text)
    return {
        "source": [band.left for band in bands],
        "target": [len(left) + band.right for band in bands],
        "value": [band.mass for band in bands],
        "color": [
            style.faded(style.GREY, 0.25) if band.stays else style.faded(_color(left[band.left], colors), 0.5)
            for band in bands
        ],
        "customdata": hovers,
        "hovertemplate": "%{customdata}<extra></extra>",
    }


def _annotation(text: str, x: float, y: float, **more: Any) -> dict[str, Any]:
    return {"text": text, "x": x, "y": y, "xref": "paper", "yref": "paper", "showarrow": False, **more}


def _headings(comparison: Comparison, look: style.Look) -> list[dict[str, Any]]:
    edge = _MARGIN["l"] - 12
    top = {"yanchor": "middle", "yshift": _MARGIN["t"] // 2}
    titles = [f"<b>{style.lines(side.name, 34, 3)}</b>" for side in (comparison.a, comparison.b)]
    middle = (
        f"distance <b>{comparison.distance:.4g}</b><br>"
        f"<span style='color:{look.faint};font-size:12px'>{per_cent(comparison.shared_mass)} in common, "
        f"{per_cent(comparison.moved_mass)} moved</span>"
    )
    return [
        _annotation(titles[0], 0, 1, xanchor="left", xshift=-edge, align="left", font={"size": 15}, **top),
        _annotation(titles[1], 1, 1, xanchor="right", xshift=edge, align="right", font={"size": 15}, **top),
        _annotation(middle, 0.5, 1, xanchor="center", align="center", font={"size": 14}, **top),
    ]


def _node_labels(left: Sequence[_Node], right: Sequence[_Node], places: Places) -> list[dict[str, Any]]:
    labels = []
    columns = ((left, places.left, 0, "right", -10), (right, places.right, 1, "left", 10))
    for nodes, spots, x, anchor, shift in columns:
        for node, (top, height) in zip(nodes, spots):
            text = f"<b>{style.short(node.name, _NAME_COLUMNS)}</b><br>{per_cent(node.mass)}"
            y = 1 - (top + height / 2) / places.height
            labels.append(
                _annotation(text, x, y, xanchor=anchor, yanchor="middle", xshift=shift, align=anchor)
            )
    return labels


def _band_labels(bands: Sequence[Band], places: Places, inner: int, look: style.Look) -> list[dict[str, Any]]:
    look_of_label = {"font": {"size": 11}, "bgcolor": style.faded(look.background, 0.6), "borderpad": 0}
    return [
        _annotation(
            per_cent(bands[i].mass),
            across(t),
            1 - places.curves[i].height_at(t) / places.height,
            yanchor="middle",
            **look_of_label,
        )
        for i, t in label_points(places.curves, width=inner).items()
    ]


def _caption(comparison: Comparison, look: style.Look) -> dict[str, Any]:
    text = "Pale bands stay in their topic; strong bands move to another."
    if comparison.n_models > 1:
        text += (
            f"<br>Topic model {comparison.model + 1} of {comparison.n_models}, in which the distance is "
            f"{comparison.model_distance:.4g}: the closest to the mean of all."
        )
    font = {"size": 11, "color": look.faint}
    return _annotation(text, 0.5, 0, yanchor="top", yshift=-12, align="center", font=font)
