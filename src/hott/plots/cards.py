"""Every topic on a card of its own: its name and its words as bars."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from hott._optional import need
from hott.plots import style
from hott.wording import per_cent

if TYPE_CHECKING:
    import plotly.graph_objects as go

_CARD = 245  # pixels of width
_ROW = 19
_HEAD = 40


def topic_cards(
    topics: ArrayLike,
    words: Sequence[str],
    *,
    names: Sequence[str] | None = None,
    proportions: ArrayLike | None = None,
    n_words: int = 8,
    columns: int = 4,
    title: str = "",
    theme: style.Theme = "light",
    transparent: bool = False,
) -> "go.Figure":
    """Draw a card for each topic: its name, its part of the corpus, and its heaviest words as bars.

    Parameters
    ----------
    topics : array-like of shape (topics, words)
        Rows of word probabilities, as in ``hott.topics_``.
    words : sequence of str
        The word of each column.
    names : sequence of str, optional
        The name of each topic; made of its distinctive words by default.
    proportions : array-like of shape (topics,), optional
        The part of the corpus that each topic has; the cards are then sorted by it.
    n_words : int
        Words a card.
    columns : int
        Cards a row.
    title : str
        The heading of the picture.
    theme : {"light", "dark"}
    transparent : bool
        Leave the background out, to lay the picture on a page of the same theme.
    """
    go = need("plotly.graph_objects", extra="plots")
    from hott.topics.names import topic_names

    look = style.look_of(theme)
    topics = np.asarray(topics, float)
    labels = topic_names(topics, words) if names is None else list(names)
    n = len(topics)
    if len(labels) != n:
        raise ValueError(f"names must name the {n} topics, got {len(labels)} of them.")
    weights = None if proportions is None else np.asarray(proportions, float)
    if weights is not None and weights.shape != (n,):
        raise ValueError(f"proportions must be one number for each of the {n} topics, got {weights.shape}.")
    order = np.arange(n) if weights is None else np.argsort(-weights, kind="stable")

    columns = min(columns, max(n, 1))
    rows = -(-n // columns)
    top = 56 if title else 16
    head = _HEAD + 18 * (weights is not None)
    card = head + _ROW * n_words
    width, height = columns * _CARD + 20, rows * card + top + 16
    figure = go.Figure()
    axes: dict[str, Any] = {}
    annotations: list[dict[str, Any]] = []
    for position, k in enumerate(order):
        heaviest = np.argsort(-topics[k], kind="stable")[:n_words]
        heaviest = heaviest[topics[k, heaviest] > 0]
        suffix = str(position + 1) if position else ""
        left = 10 + position % columns * _CARD
        upper = height - top - position // columns * card  # from the bottom, as plotly counts
        figure.add_trace(
            go.Bar(
                x=topics[k, heaviest],
                y=list(range(len(heaviest))),
                orientation="h",
                xaxis=f"x{suffix}",
                yaxis=f"y{suffix}",
                marker={"color": style.faded(style.color(0), 0.55), "line": {"width": 0}},
                text=[style.short(str(words[j]), 24) for j in heaviest],
                textposition="none",
                customdata=[style.escaped(str(words[j])) for j in heaviest],
                hovertemplate="%{customdata}: %{x:.2%}<extra></extra>",
                showlegend=False,
            )
        )
        domain = [(left + 6) / width, (left + _CARD - 24) / width]
        most = float(topics[k, heaviest].max(initial=0.0)) or 1.0
        hidden = {"visible": False, "fixedrange": True}
        axes[f"xaxis{suffix}"] = {**hidden, "domain": domain, "anchor": f"y{suffix}", "range": [0, most]}
        axes[f"yaxis{suffix}"] = {
            **hidden,
            "domain": [(upper - card + 12) / height, (upper - head + 12) / height],
            "anchor": f"x{suffix}",
            "range": [n_words - 0.5, -0.5],
        }
        heading = f"<b>{style.short(labels[k], 27)}</b>"
        if weights is not None:
            part = f"{per_cent(weights[k])} of the corpus"
            heading += f"<br><span style='color:{look.faint};font-size:11px'>{part}</span>"
        annotations.append(_text(heading, domain[0], (upper - 4) / height, "top", 13))
        for row, j in enumerate(heaviest):
            y = upper - head + 12 - (row + 0.5) * _ROW
            annotations.append(_text(style.short(str(words[j]), 26), domain[0], y / height, "middle", 12, 5))
    figure.update_layout(
        style.layout(
            look,
            transparent,
            width=width,
            height=height,
            margin={"l": 0, "r": 0, "t": 0, "b": 0},
            title=style.heading(title, width),
            bargap=0.18,
            **axes,
        ),
        annotations=annotations,
    )
    return figure


def _text(text: str, x: float, y: float, anchor: str, size: int, shift: int = 0) -> dict[str, Any]:
    return {
        "text": text, "x": x, "y": y, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": anchor,
        "align": "left", "showarrow": False, "font": {"size": size}, "xshift": shift,
    }  # fmt: skip
