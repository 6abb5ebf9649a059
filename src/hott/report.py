"""A report on an index as one HTML file that needs no network: map, topics, transport diagrams."""

import os
from collections.abc import Sequence
from html import escape
from importlib import resources
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from hott._atomic import replacing
from hott._optional import need

if TYPE_CHECKING:
    from hott.index import Index


def write(
    index: "Index",
    path: str | os.PathLike[str],
    *,
    pairs: Sequence[tuple[str, str]] = (),
    title: str = "",
    random_state: int = 0,
) -> Path:
    """Write a report on ``index``: its map, its topics, and a transport diagram for each pair of ids.

    Needs the extra ``hott[plots]``. The file holds all it needs and is written whole or not at all.
    """
    from hott import plots

    map_ = plots.corpus_map(
        index.map(random_state=random_state), labels=index.colors(), titles=index.names, width=None
    )
    comparisons = [index.compare(a, b) for a, b in pairs]
    page = Template(resources.files("hott").joinpath("report.html").read_text(encoding="utf-8")).substitute(
        title=escape(title or "hott report"),
        summary=escape(repr(index)),
        script=need("plotly.offline", extra="plots").get_plotlyjs(),
        map=_figure(map_, "map"),
        topics=_topic_rows(index),
        comparisons="\n".join(f"<section>{c.to_html(full=False)}</section>" for c in comparisons),
    )
    path = Path(path)
    with replacing(path) as file:
        file.write(page.encode())
    return path


def _figure(figure: Any, name: str) -> str:
    return figure.to_html(
        full_html=False,
        include_plotlyjs=False,
        div_id=name,
        config={"responsive": True, "displaylogo": False},
    )


def _topic_rows(index: "Index") -> str:
    row = "<tr><td>{:.1%}</td><th>{}</th><td>{}</td></tr>"
    return "\n".join(
        row.format(topic.share, escape(topic.name), escape(", ".join(topic.words))) for topic in index.topics
    )
