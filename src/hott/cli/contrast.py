"""hott contrast: how some documents differ from others."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from hott.cli._arguments import IndexFile, Json, complete_condition, open_index
from hott.cli._output import print_json, print_table, say_beside


def _side(name: str, help: str) -> Any:
    return typer.Option(name, metavar="COLUMN=VALUE", help=help, autocompletion=complete_condition)


def command(
    index: IndexFile,
    a: Annotated[list[str], _side("--a", "The documents: label=sport, year=2004..2005. Repeatable.")],
    b: Annotated[
        list[str] | None, _side("--b", "The documents to compare them with. Default: all others.")
    ] = None,
    n: Annotated[int, typer.Option("-n", min=1, help="Terms to show for each side.")] = 10,
    json: Json = False,
) -> None:
    """Show how some documents differ from others: terms that more of them have, with typical sentences.

    [bold]Examples[/bold]

    hott contrast articles.hott --a label=tennis --b label=football

    hott contrast news.hott --a year=2005
    """
    from hott.index import parse_filter

    opened = open_index(index)
    sides = [None if side is None else parse_filter(opened.documents, side) for side in (a, b)]
    found = opened.contrast(sides[0] or {}, sides[1], n)
    if json:
        print_json(asdict(found))
        return
    for letter, other, side, terms, sentences in (
        ("A", "B", a, found.a, found.sentences_a),
        ("B", "A", b or ["all others"], found.b, found.sentences_b),
    ):
        rows = [[term.text, term.inside, term.outside, f"{term.z:.1f}"] for term in terms]
        title = f"More in {letter} ({' and '.join(side)})"
        print_table(["term", f"documents of {letter}", f"of {other}", "z"], rows, title)
        for sentence in sentences:
            say_beside("", f"“{sentence}”")
