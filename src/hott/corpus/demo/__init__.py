"""The bundled corpus: 200 short encyclopedia articles on ten themes, written for this project."""

import json
from importlib import resources

from hott.corpus import Corpus

THEMES = ("astronomy", "biology", "cooking", "economics", "football",
          "history", "medicine", "music", "physics", "tennis")  # fmt: skip

PAIRS = (
    ("tennis/grass-courts", "tennis/clay-courts"),  # one theme
    ("football/penalty-shoot-out", "tennis/tie-break"),  # two themes near each other
    ("medicine/malaria", "economics/inflation"),  # two themes far apart
)
"""Pairs of articles worth comparing."""

QUERIES = (
    "a disease carried by mosquitoes",
    "planets that orbit other stars",
    "a penalty decided the match",
)
"""Searches with one obvious answer."""


def corpus() -> Corpus:
    """The demo articles, labelled by theme.

    Examples
    --------
    >>> articles = corpus()
    >>> len(articles)
    200
    >>> articles[0].title, articles[0].label
    ('The rings of Saturn', 'astronomy')
    """
    articles = [
        json.loads(line)
        for theme in THEMES
        for line in resources.files("hott.corpus.demo")
        .joinpath("articles", f"{theme}.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    ]
    columns = {key: [article[key] for article in articles] for key in ("text", "id", "title", "label")}
    return Corpus(columns["text"], ids=columns["id"], titles=columns["title"], labels=columns["label"])
