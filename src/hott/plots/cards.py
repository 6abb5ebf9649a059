"""Every topic on a card of its own: its name and its words as bars."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from hott.plots import style
from hott.topics import named_topics
from hott.utils.optional import import_optional
from hott.utils.wording import per_cent

if TYPE_CHECKING:
    import plotly.graph_objects as go

_CARD = 245  # pixels of width
_ROW = 19
_HEAD = 40
_GAP = 24  # between cards


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

    Examples
    --------
    >>> figure = topic_cards([[0.7, 0.2, 0.1], [0.0, 0.1, 0.9]], ["planet", "orbit", "goal"], n_words=2)
    >>> len(figure.data)
    2
    """
    go = import_optional("plotly.graph_objects", extra="plots")
    topics = np.asarray(topics, float)
    labels = [topic.name for topic in named_topics(topics, words)] if names is None else list(names)
    n = len(topics)
    if len(labels) != n:
        raise ValueError(f"names must name the {n} topics, got {len(labels)} of them.")
    weights = None if proportions is None else np.asarray(proportions, float)
    if weights is not None and weights.shape != (n,):
        raise ValueError(f"proportions must be one number for each of the {n} topics, got {weights.shape}.")
    order = np.arange(n) if weights is None else np.argsort(-weights, kind="stable")

    look, columns = style.look_of(theme), min(columns, max(n, 1))
    rows, bars, head = -(-n // columns), _ROW * n_words, _HEAD + 18 * (weights is not None)
    inside = columns * _CARD - _GAP, rows * (bars + head) - head  # width and height of all cards
    figure = import_optional("plotly.subplots", extra="plots").make_subplots(
        max(rows, 1),
        columns,
        horizontal_spacing=_GAP / inside[0],
        vertical_spacing=head / inside[1] if rows > 1 else 0,
    )
    annotations: list[dict[str, Any]] = []
    for position, k in enumerate(order):
        heaviest = np.argsort(-topics[k], kind="stable")[:n_words]
        heaviest = heaviest[topics[k, heaviest] > 0]
        shown = [str(words[j]) for j in heaviest]
        place = {"row": position // columns + 1, "col": position % columns + 1}
        bars_of_words = go.Bar(
            x=topics[k, heaviest],
            y=list(range(len(shown))),
            orientation="h",
            marker={"color": style.fade(style.color(0), 0.55), "line": {"width": 0}},
            text=[style.short(word, 24) for word in shown],
            textposition="none",
            customdata=[style.escape(word) for word in shown],
            hovertemplate="%{customdata}: %{x:.2%}<extra></extra>",
            showlegend=False,
        )
        figure.add_trace(bars_of_words, **place)
        figure.update_xaxes(range=[0, float(topics[k, heaviest].max(initial=0.0)) or 1.0], **place)
        heading = f"<b>{style.short(labels[k], 27)}</b>"
        if weights is not None:
            part = f"{per_cent(weights[k])} of the corpus"
            heading += f"<br><span style='color:{look.faint};font-size:11px'>{part}</span>"
        suffix = str(position + 1) if position else ""
        across, down = f"x{suffix} domain", f"y{suffix}"
        annotations.append(_text(heading, across, f"{down} domain", 1, "top", 13, yshift=head - 14))
        annotations += [
            _text(style.short(word, 26), across, down, row, "middle", 12, xshift=5)
            for row, word in enumerate(shown)
        ]
    top, sides = (56 if title else 16) + head, 16
    width = inside[0] + 2 * sides
    figure.update_xaxes(visible=False, fixedrange=True)
    figure.update_yaxes(visible=False, fixedrange=True, range=[n_words - 0.5, -0.5])
    figure.update_layout(
        style.layout(
            look,
            transparent,
            width=width,
            height=inside[1] + top + 16,
            margin={"l": sides, "r": sides, "t": top, "b": 16},
            title=style.heading(title, width),
            bargap=0.18,
        ),
        annotations=annotations,
    )
    return figure


def _text(text: str, xref: str, yref: str, y: int, anchor: str, size: int, **shift: int) -> dict[str, Any]:
    return {
        "text": text, "x": 0, "y": y, "xref": xref, "yref": yref, "xanchor": "left", "yanchor": anchor,
        "align": "left", "showarrow": False, "font": {"size": size}, **shift,
    }  # fmt: skip
