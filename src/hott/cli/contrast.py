"""hott contrast: how some documents differ from others."""

from dataclasses import asdict
from typing import Annotated

import typer

from hott.cli._arguments import IndexFile, Json, complete_condition, open_index
from hott.cli._output import print_json, print_table, say_beside


def command(
    index: IndexFile,
    a: Annotated[
        list[str],
        typer.Option(
            "--a",
            metavar="COLUMN=VALUE",
            help="The documents: label=sport, year=2004..2005. Repeatable.",
            autocompletion=complete_condition,
        ),
    ],
    b: Annotated[
        list[str] | None,
        typer.Option(
            "--b",
            metavar="COLUMN=VALUE",
            help="The documents to compare them with.",
            autocompletion=complete_condition,
            show_default="all others",
        ),
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
    for letter, terms, sentences in (("A", found.a, found.sentences_a), ("B", found.b, found.sentences_b)):
        rows = [[term.text, term.inside, term.outside, f"{term.z:.1f}"] for term in terms]
        other = "B" if letter == "A" else "A"
        named = " and ".join((a if letter == "A" else b) or ["all others"])
        title = f"More in {letter} ({named})"
        print_table(["term", f"documents of {letter}", f"of {other}", "z"], rows, title=title)
        for sentence in sentences:
            say_beside("", f"“{sentence}”")
