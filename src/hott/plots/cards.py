"""Every topic on a card of its own: its name and its words as bars."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hott.plots import style
from hott.topics import named_topics
from hott.utils.optional import import_optional
from hott.utils.wording import per_cent

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

    look, grid = style.look_of(theme), _Grid.of(n, columns, n_words, bool(title), weights is not None)
    figure = go.Figure()
    axes: dict[str, Any] = {}
    annotations: list[dict[str, Any]] = []
    for position, k in enumerate(order):
        heaviest = np.argsort(-topics[k], kind="stable")[:n_words]
        heaviest = heaviest[topics[k, heaviest] > 0]
        shown = [str(words[j]) for j in heaviest]
        figure.add_trace(_bars(go, topics[k, heaviest], shown, position))
        axes |= grid.axes(position, float(topics[k, heaviest].max(initial=0.0)) or 1.0)
        heading = f"<b>{style.short(labels[k], 27)}</b>"
        if weights is not None:
            part = f"{per_cent(weights[k])} of the corpus"
            heading += f"<br><span style='color:{look.faint};font-size:11px'>{part}</span>"
        annotations += grid.texts(position, heading, shown)
    figure.update_layout(
        style.layout(
            look,
            transparent,
            width=grid.width,
            height=grid.height,
            margin={"l": 0, "r": 0, "t": 0, "b": 0},
            title=style.heading(title, grid.width),
            bargap=0.18,
            **axes,
        ),
        annotations=annotations,
    )
    return figure


@dataclass(frozen=True, slots=True)
class _Grid:
    """Where cards are, in pixels from the lower left corner, as plotly counts."""

    columns: int
    n_words: int
    top: int  # above the first row
    head: int  # of a card
    width: int
    height: int

    @classmethod
    def of(cls, n: int, columns: int, n_words: int, titled: bool, weighted: bool) -> "_Grid":
        columns = min(columns, max(n, 1))
        top, head = 56 if titled else 16, _HEAD + 18 * weighted
        height = -(-n // columns) * (head + _ROW * n_words) + top + 16
        return cls(columns, n_words, top, head, columns * _CARD + 20, height)

    def _corner(self, position: int) -> tuple[int, int]:
        """The upper left corner of a card."""
        card = self.head + _ROW * self.n_words
        return 10 + position % self.columns * _CARD, self.height - self.top - position // self.columns * card

    def axes(self, position: int, most: float) -> dict[str, Any]:
        """The two axes of a card, which span its bars and are not drawn."""
        left, upper = self._corner(position)
        bottom = upper - self.head - _ROW * self.n_words
        suffix, hidden = _suffix(position), {"visible": False, "fixedrange": True}
        across = [(left + 6) / self.width, (left + _CARD - 24) / self.width]
        down = [(bottom + 12) / self.height, (upper - self.head + 12) / self.height]
        return {
            f"xaxis{suffix}": {**hidden, "domain": across, "anchor": f"y{suffix}", "range": [0, most]},
            f"yaxis{suffix}": {
                **hidden, "domain": down, "anchor": f"x{suffix}", "range": [self.n_words - 0.5, -0.5]
            },
        }  # fmt: skip

    def texts(self, position: int, heading: str, words: Sequence[str]) -> list[dict[str, Any]]:
        """The heading of a card and the words on its bars."""
        left, upper = self._corner(position)
        x, first = (left + 6) / self.width, upper - self.head + 12 - 0.5 * _ROW
        return [_text(heading, x, (upper - 4) / self.height, "top", 13)] + [
            _text(style.short(word, 26), x, (first - row * _ROW) / self.height, "middle", 12, 5)
            for row, word in enumerate(words)
        ]


def _suffix(position: int) -> str:
    return str(position + 1) if position else ""


def _bars(go: Any, weights: NDArray[np.float64], words: Sequence[str], position: int) -> Any:
    return go.Bar(
        x=weights,
        y=list(range(len(words))),
        orientation="h",
        xaxis=f"x{_suffix(position)}",
        yaxis=f"y{_suffix(position)}",
        marker={"color": style.fade(style.color(0), 0.55), "line": {"width": 0}},
        text=[style.short(word, 24) for word in words],
        textposition="none",
        customdata=[style.escape(word) for word in words],
        hovertemplate="%{customdata}: %{x:.2%}<extra></extra>",
        showlegend=False,
    )


def _text(text: str, x: float, y: float, anchor: str, size: int, shift: int = 0) -> dict[str, Any]:
    return {
        "text": text, "x": x, "y": y, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": anchor,
        "align": "left", "showarrow": False, "font": {"size": size}, "xshift": shift,
    }  # fmt: skip
