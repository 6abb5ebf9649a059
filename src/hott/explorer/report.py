"""A report on an index as one HTML file that needs no network: searches, map, explanations, topics."""

import os
from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from hott.utils.atomic import atomic_write
from hott.utils.optional import import_optional

if TYPE_CHECKING:
    from hott.evaluation import CrossValidation
    from hott.index import Index

_HITS = 3  # of each search
_IN_WORDS = {
    "blend": "hott: topics and words (the default of an index)",
    "hott": "hott: topics alone",
    "tfidf": "TF-IDF, cosine",
    "tfidf-stems": "TF-IDF of stems, cosine",
}
_CAVEAT = (
    "hott also knows which words are alike, from word vectors learned elsewhere; TF-IDF has these documents "
    "alone. The larger a collection, the smaller the difference."
)


def write(
    index: "Index",
    path: str | os.PathLike[str],
    *,
    pairs: Sequence[tuple[str, str]] = (),
    queries: Sequence[str] = (),
    results: "Sequence[CrossValidation]" = (),
    title: str = "",
    random_state: int = 0,
) -> Path:
    """Write a report on ``index`` that fits phone and desktop, by day and by night.

    Needs the extra ``hott[plots]``. The file holds all it needs and is written whole or not at all.

    Parameters
    ----------
    path : where to write it
    pairs : pairs of ids
        Documents to compare, each with its diagram.
    queries : texts to search for
    results : what :func:`hott.evaluation.cross_validate` gave
        Shown as a table, if there are any.
    title : the heading
    random_state : seed of the map

    Examples
    --------
    >>> import hott
    >>> index = hott.Index.build(hott.demo.corpus()[:40], n_models=1)
    >>> path = write(index, "report.html", queries=["rings and moons"])
    >>> "Search" in path.read_text(encoding="utf-8")
    True
    """
    from hott import plots

    places = index.map(random_state=random_state)
    map_ = plots.corpus_map(
        places, labels=index.colors(), titles=index.names, width=None, height=600, transparent=True
    )
    comparisons = [index.compare(a, b) for a, b in pairs]
    page = Template(
        resources.files("hott.explorer").joinpath("report.html").read_text(encoding="utf-8")
    ).substitute(
        title=escape(title or "hott report"),
        summary=escape(repr(index)),
        script=import_optional("plotly.offline", extra="plots").get_plotlyjs(),
        searches=_section("Search", map(_search, [index] * len(queries), queries)),
        map=map_.to_html(
            full_html=False,
            include_plotlyjs=False,
            div_id="map",
            config={"responsive": True, "displaylogo": False},
        ),
        results=_section("Do neighbours belong together?", [_results(results)] if results else []),
        topics=_topic_rows(index),
        comparisons="\n".join(f"<section>{c.to_html(full=False)}</section>" for c in comparisons),
    )
    path = Path(path)
    with atomic_write(path) as file:
        file.write(page.encode())
    return path


def _section(heading: str, parts: Iterable[str]) -> str:
    """Write a section with a heading, or nothing where there is nothing to show."""
    body = "\n".join(parts)
    return f"<section><h2>{heading}</h2>{body}</section>" if body else ""


def _search(index: "Index", query: str) -> str:
    """List the best hits of a search, each with the passage that shows it best."""
    hits = index.search(text=query, k=_HITS)
    items = "".join(
        f"<li><b>{escape(hit.name)}</b> <span>{escape(hit.label or '')}</span>"
        f"<p>{hit.snippet.html()}</p></li>"
        for hit in hits
    )
    return f"<h3>“{escape(query)}”</h3><ol>{items}</ol>"


def _results(results: "Sequence[CrossValidation]") -> str:
    row = "<tr><td>{:.1%}</td><td>± {:.1%}</td><th>{}</th></tr>"
    rows = [
        row.format(1 - r.error, r.deviation, escape(_IN_WORDS.get(r.distance, r.distance))) for r in results
    ]
    return (
        "<p>Each document gets the label that most of its 7 nearest neighbours have: accuracy, and its "
        "deviation over five folds, which are the same for all. Topics and weights are learned without the "
        "documents that are labelled.</p>"
        f"<table class=accuracy>{''.join(rows)}</table><p>{_CAVEAT}</p>"
    )


def _topic_rows(index: "Index") -> str:
    row = "<tr><td>{:.1%}</td><th>{}</th><td>{}</td></tr>"
    return "\n".join(
        row.format(topic.share, escape(topic.name), escape(", ".join(topic.words))) for topic in index.topics
    )
