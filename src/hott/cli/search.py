"""hott search: the documents nearest to a text or to another document."""

from typing import Annotated

import typer

from hott.cli._arguments import IndexFile, Json, Neighbors, Threads, open_index, read_text
from hott.cli._output import console, print_json, print_table


def command(
    index: IndexFile,
    query: Annotated[str, typer.Argument(help="A text, the id of a document, or - for standard input.")],
    k: Neighbors = 10,
    why: Annotated[bool, typer.Option("--why", help="Say what each document has in common.")] = False,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Find the documents nearest to a text, or to a document of the index. Exact.

    [bold]Examples[/bold]

    hott search articles.hott "planets around other stars"

    cat draft.txt | hott search articles.hott -
    """
    opened = open_index(index)
    text = read_text(query)
    hits = (
        opened.search(text=text, k=k, threads=threads)
        if query == "-"
        else opened.search(text, k, threads=threads)
    )
    reasons = opened.reasons(hits) if why else None
    if json:
        found = hits.to_dict()
        if reasons:
            for hit, reason in zip(found["hits"], reasons):
                hit["why"] = reason
        print_json(found)
        return
    columns = ["distance", "id", "title", "label"]
    rows = [[hit.distance, hit.id, hit.title, hit.label] for hit in hits]
    if reasons:
        columns, rows = [*columns, "why"], [[*row, reason] for row, reason in zip(rows, reasons)]
    filled = [n for n in range(len(columns)) if any(row[n] not in (None, "") for row in rows)]
    print_table([columns[n] for n in filled], [[row[n] for n in filled] for row in rows])
    console.print(f"{hits.computed:,} distances computed, {hits.pruned:,} pruned", style="dim")
