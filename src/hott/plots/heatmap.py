"""How far apart the topics are, similar topics side by side."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
from scipy.spatial.distance import squareform

from hott.plots import style
from hott.utils.optional import import_optional

if TYPE_CHECKING:
    import plotly.graph_objects as go


def topic_heatmap(
    topic_distances: ArrayLike,
    names: Sequence[str] | None = None,
    *,
    title: str = "",
    theme: style.Theme = "light",
    transparent: bool = False,
) -> "go.Figure":
    """Draw the distances between topics as a grid, ordered so that similar topics are neighbours.

    Parameters
    ----------
    topic_distances : array-like of shape (topics, topics)
        Symmetric, as in ``hott.topic_distances_``.
    names : sequence of str, optional
        The name of each topic; their numbers by default.
    title : str
        The heading of the picture.
    theme : {"light", "dark"}
    transparent : bool
        Leave the background out, to lay the picture on a page of the same theme.

    Examples
    --------
    >>> figure = topic_heatmap([[0, 3, 1], [3, 0, 3], [1, 3, 0]], ["stars", "tennis", "planets"])
    >>> figure.layout.xaxis.ticktext[1] != "tennis"
    True
    """
    go = import_optional("plotly.graph_objects", extra="plots")
    look = style.look_of(theme)
    distances = np.asarray(topic_distances, float)
    if distances.ndim != 2 or distances.shape[0] != distances.shape[1]:
        raise ValueError(f"topic_distances must be square, got an array of shape {distances.shape}.")
    if not np.isfinite(distances).all() or not np.allclose(distances, distances.T):
        raise ValueError("topic_distances must be finite and symmetric.")
    n = len(distances)
    labels = [f"topic {k}" for k in range(n)] if names is None else [str(name) for name in names]
    if len(labels) != n:
        raise ValueError(f"names must name the {n} topics, got {len(labels)} of them.")
    order = similar_together(distances)
    between = distances[~np.eye(n, dtype=bool)]
    places = list(range(n))
    shown = [style.short(labels[k], 32) for k in order]
    full = [style.escape(labels[k]) for k in order]
    cell = max(13, min(34, 620 // max(n, 1)))
    size = min(13, cell - 2)
    figure = go.Figure(
        go.Heatmap(
            x=places,
            y=places,
            z=distances[np.ix_(order, order)],
            # With the zeros of the diagonal, one colour would do for the rest.
            zmin=between.min(initial=np.inf if n > 1 else 0),
            zmax=between.max(initial=0 if n > 1 else 1),
            colorscale="Cividis",
            reversescale=True,
            xgap=1,
            ygap=1,
            customdata=[[[one, other] for other in full] for one in full],
            hovertemplate="%{customdata[0]}<br>%{customdata[1]}<br><b>%{z:.4g}</b><extra></extra>",
            colorbar={"title": {"text": "distance", "side": "right"}, "thickness": 14, "outlinewidth": 0},
        )
    )
    ticks = {"tickvals": places, "ticktext": shown, "showgrid": False, "zeroline": False}
    ticks |= {"tickfont": {"size": size}, "automargin": False, "ticks": "", "fixedrange": True}
    room = 24 + round(0.54 * size * max(map(len, shown), default=0))
    figure.update_layout(
        style.layout(
            look,
            transparent,
            width=room + n * cell + 110,
            height=room + n * cell + (64 if title else 30),
            margin={"l": room, "r": 110, "t": 54 if title else 20, "b": room},
            title=style.heading(title, room + n * cell + 110),
            xaxis={**ticks, "tickangle": -90, "range": [-0.5, n - 0.5]},
            yaxis={**ticks, "range": [n - 0.5, -0.5]},
        )
    )
    return figure


def similar_together(distances: NDArray[np.float64]) -> NDArray[np.intp]:
    """Order topics so that similar ones are neighbours: average linkage, with its leaves turned optimally.

    >>> order = similar_together(np.array([[0.0, 9, 1], [9, 0, 9], [1, 9, 0]])).tolist()
    >>> abs(order.index(0) - order.index(2))
    1
    """
    if len(distances) < 3:
        return np.arange(len(distances))
    condensed = squareform(distances, checks=False)
    return leaves_list(optimal_leaf_ordering(linkage(condensed, "average"), condensed)).astype(np.intp)
