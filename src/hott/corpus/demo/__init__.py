"""The bundled corpus: 200 short encyclopedia articles on ten themes, written for this project."""

import json
from importlib import resources
from pathlib import Path

from hott.corpus import Corpus, read

THEMES = ("astronomy", "biology", "cooking", "economics", "football",
          "history", "medicine", "music", "physics", "tennis")  # fmt: skip

PAIRS = (
    ("tennis/grass-courts", "tennis/clay-courts"),  # one theme
    ("football/penalty-shoot-out", "tennis/tie-break"),  # two themes near each other
    ("medicine/malaria", "economics/inflation"),  # two themes far apart
)
"""Pairs of articles worth comparing."""

QUERIES = (
    "food that keeps for months without a fridge",
    "when the sky turns dark at noon",
    "why bread dough rises",
)
"""Questions with one obvious answer, which says it in other words."""


def corpus() -> Corpus:
    """Return the demo articles, labelled by theme.

    Examples
    --------
    >>> articles = corpus()
    >>> len(articles)
    200
    >>> articles[0].title, articles[0].label
    ('The rings of Saturn', 'astronomy')
    """
    folder = resources.files("hott.corpus.demo").joinpath("articles")
    files = (folder.joinpath(f"{theme}.jsonl").read_text(encoding="utf-8") for theme in THEMES)
    return read(json.loads(line) for file in files for line in file.splitlines())


def write(folder: str | Path) -> int:
    """Write the demo articles into a folder, one text file each, in a sub-folder per theme.

    Returns
    -------
    int
        How many files were written.

    Examples
    --------
    >>> write("articles")
    200
    >>> Path("articles", "medicine", "malaria.txt").read_text(encoding="utf-8")[:7]
    'Malaria'
    """
    articles = corpus()
    for article in articles:
        path = Path(folder, f"{article.id}.txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{article.title}\n\n{article.text}\n", encoding="utf-8")
    return len(articles)
