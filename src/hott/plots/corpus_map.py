"""All documents as points, near ones near each other, coloured by label or topic."""

from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len

from hott.plots import style
from hott.utils.optional import import_optional
from hott.utils.wording import elide, printable

if TYPE_CHECKING:
    import plotly.graph_objects as go

_MANY = 10_000  # points from which the browser draws faster with WebGL
_NAME_COLUMNS = 26
MAX_CLASSES = 24  # that are told apart
LOOK = style.LOOKS["light"]
_NAMED = 15  # classes whose names are written on the map; more would cover it


def corpus_map(
    points: Any,
    *,
    labels: Sequence[Any] | None = None,
    titles: Sequence[str] | None = None,
    transparent: bool = False,
    width: int | None = 980,
    height: int = 700,
) -> "go.Figure":
    """Draw a map of documents: hover over a point for its title, click in the legend to hide a class.

    Of many classes the 23 largest are told apart; the smaller ones are grey together.

    Parameters
    ----------
    points : array-like of shape (documents, 2)
        As :func:`hott.neighbors.mapping.layout` or ``Index.map`` gives them; documents at NaN are left out.
    labels : sequence, optional
        The class of each document (a label, or the name of its main topic), None where it has none.
    titles : sequence of str, optional
        What to show when hovering over a document.
    transparent : bool
        Leave the background out, to lay the picture on a light page.
    width, height : int
        In pixels; a width of None fills the page.

    Examples
    --------
    >>> figure = corpus_map([[0, 0], [1, 1], [5, 5]], labels=["sky", "sky", "sport"])
    >>> [trace.name for trace in figure.data]
    ['sky', 'sport']
    """
    go = import_optional("plotly.graph_objects", extra="plots")
    points = np.asarray(points, float)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(
            f"points must be one row of two numbers a document; got an array of shape {points.shape}."
        )
    placed = np.isfinite(points).all(axis=1)
    names = _on_map("titles", titles, placed) or [""] * placed.sum()
    groups = _groups(_on_map("labels", labels, placed), placed.sum())
    points, missing = points[placed], int((~placed).sum())
    n = len(points)
    marks = go.Scattergl if n > _MANY else go.Scatter

    size = float(np.clip(60 / max(n, 1) ** 0.35, 4, 10))
    grey = {"color": style.GREY, "symbol": "circle-open"}
    figure = go.Figure()
    for position, (name, rows, common) in enumerate(groups):
        own = {"color": style.color(position), "symbol": style.symbol(position)}
        figure.add_trace(
            marks(
                x=points[rows, 0],
                y=points[rows, 1],
                mode="markers",
                name=_short(name, _NAME_COLUMNS),
                marker={**(own if common else grey), "size": size, "opacity": 0.85},
                customdata=[[_short(names[row], 90), _short(name, 60)] for row in rows],
                hovertemplate="<b>%{customdata[0]}</b><br>%{customdata[1]}<extra></extra>",
            )
        )
    figure.update_layout(
        paper_bgcolor="rgba(0,0,0,0)" if transparent else LOOK.background,
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": style.FONT, "size": 13, "color": LOOK.text},
        hoverlabel={"font": {"family": style.FONT, "size": 13}, "align": "left"},
        width=width,
        height=max(height, 60 + 21 * len(groups)),
        margin={"l": 20, "r": 20, "t": 20, "b": 20},
        xaxis={"visible": False, "range": _range(points[:, 0])},
        yaxis={"visible": False, "range": _range(points[:, 1])},
        showlegend=len(groups) > 1,
        legend={"itemsizing": "constant", "font": {"size": 12}, "y": 0.5, "yanchor": "middle"},
        annotations=_names_on_map(points, groups, (width or 980) - 260, height - 80),
    )
    if missing:
        noun = "document without a known word is" if missing == 1 else "documents without a known word are"
        place = {"x": 0, "y": 0, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
        font = {"size": 11, "color": LOOK.faint}
        figure.add_annotation(text=f"{missing:,} {noun} not on the map", showarrow=False, font=font, **place)
    return figure


_Group = tuple[str, NDArray[np.intp], bool]  # name, rows, and whether it has a colour of its own


def _groups(labels: Sequence[Any] | None, n: int) -> list[_Group]:
    """Group documents by class, the largest first; put the smallest together, and those without a label."""
    if labels is None:
        return [("documents", np.arange(n), True)] if n else []
    sizes = Counter(str(label) for label in labels if label is not None)
    ranked = sorted(sizes, key=lambda name: (-sizes[name], name))
    kept = ranked if len(ranked) <= MAX_CLASSES else ranked[: MAX_CLASSES - 1]
    groups: dict[str, tuple[list[int], bool]] = {name: ([], True) for name in kept}
    other, missing = f"{len(ranked) - len(kept)} other classes", "no label"
    for row, label in enumerate(labels):
        name = missing if label is None else str(label)
        name = name if label is None or name in groups else other
        groups.setdefault(name, ([], False))[0].append(row)
    return [(name, np.array(rows, np.intp), common) for name, (rows, common) in groups.items()]


def _names_on_map(
    points: NDArray[np.float64], groups: Sequence[_Group], width: float, height: float
) -> list[dict[str, Any]]:
    """Write the name of each class where it is densest, the largest first, unless it would cover another."""
    if not 2 <= len(groups) <= _NAMED:
        return []
    corner, opposite = np.array([_range(points[:, axis]) for axis in (0, 1)]).T
    scale = (opposite - corner) / (width, height)  # of a pixel
    placed: list[tuple[float, float, float]] = []  # middle and half the width
    labels = []
    for position, (name, rows, common) in enumerate(groups):
        if not common or len(rows) < 3:
            continue
        text = elide(name, 22)
        half = 4.0 * cell_len(text) + 4  # of its width, in pixels
        x, y = (_densest(points[rows]) - corner) / scale
        x = float(np.clip(x, half, width - half))
        if any(abs(x - u) < half + h and abs(y - v) < 19 for u, v, h in placed):
            continue
        placed.append((x, float(y), half))
        labels.append(
            {
                "text": f"<b>{_escape(text)}</b>",
                "x": corner[0] + x * scale[0],
                "y": corner[1] + y * scale[1],
                "showarrow": False,
                "font": {"size": 12, "color": LOOK.text},
                "bgcolor": style.fade(LOOK.background, 0.75),
                "borderpad": 1,
                "bordercolor": style.color(position),
                "captureevents": False,
            }
        )
    return labels


def _densest(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Find the point with the most of its kind around it, never in the empty middle between two clusters."""
    some = points[:: max(1, len(points) // 500)]
    squares = ((some[:, None] - some[None]) ** 2).sum(axis=2)
    return some[np.argmin(np.partition(squares, len(some) // 3, axis=1)[:, len(some) // 3])]


def _range(values: NDArray[np.float64]) -> list[float]:
    """Return the range of an axis, with room around the outermost points."""
    low, high = (float(values.min()), float(values.max())) if len(values) else (-1.0, 1.0)
    room = 0.06 * (high - low) or 1.0
    return [low - room, high + room]


def _on_map(name: str, values: Sequence[Any] | None, placed: NDArray[np.bool_]) -> list[Any] | None:
    """Keep the entries of the documents that have a place on the map."""
    if values is None:
        return None
    if len(values) != len(placed):
        raise ValueError(f"{name} must have one entry a document: {len(values)} for {len(placed)} points.")
    return [value for value, kept in zip(values, placed) if kept]


def _escape(text: str) -> str:
    """Escape whatever plotly would take for a tag in a text, such as <b> or <a href>."""
    return escape(printable(text), quote=False)


def _short(text: str, width: int) -> str:
    return _escape(elide(text, width))
