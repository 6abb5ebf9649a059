"""hott search: the documents that fit a text, or those nearest to another document."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.text import Text

from hott.cli._arguments import (
    Conditions,
    IndexFile,
    Json,
    Neighbors,
    Threads,
    check_output,
    conditions,
    open_searchable,
    read_text,
)
from hott.cli._output import console, print_json, write_table
from hott.wording import printable

if TYPE_CHECKING:
    from hott.index import Hits


def command(
    index: IndexFile,
    query: Annotated[
        str,
        typer.Argument(
            help="A text, the id of a document, - for standard input, or @FILE with a query a line."
        ),
    ],
    k: Neighbors = 10,
    by: Annotated[
        Literal["both", "words", "topics"],
        typer.Option(help="Search by words (BM25), by topics (transport), or by both."),
    ] = "both",
    where: Conditions = None,
    why: Annotated[bool, typer.Option("--why", help="Say what each document has in common.")] = False,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Write the hits to this .csv or .parquet.", show_default=False),
    ] = None,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Find the documents that fit a text, or those nearest to a document of the index. Exact.

    [bold]Examples[/bold]

    hott search articles.hott "planets around other stars"

    cat draft.txt | hott search articles.hott -

    hott search articles.hott @queries.txt -o hits.csv

    hott search articles.hott "penalty kicks" --where label=sport --where year=2004..2005

    hott search s3://bucket/articles.hotts "shards, here or elsewhere, are searched as one index"
    """
    if output is not None:
        check_output(output, (".csv", ".parquet"))
    opened = open_searchable(index)
    only = conditions(opened, where)
    if query.startswith("@") and Path(query[1:]).is_file():
        lines = Path(query[1:]).read_text(encoding="utf-8").splitlines()
        queries = [line for line in lines if line.strip()]
        found = opened.search_many(queries, k, by=by, where=only, threads=threads, progress=True)
    elif query == "-":
        queries = [read_text(query)]
        found = [opened.search(text=queries[0], k=k, by=by, where=only, threads=threads)]
    else:
        queries = [query]
        found = [opened.search(query, k, by=by, where=only, threads=threads)]
    reasons = [opened.reasons(hits) if why else [""] * len(hits) for hits in found]
    if output is not None:
        write_table(output, _columns(queries, found, reasons))
    if json:
        results = [_as_json(hits, whys if why else None) for hits, whys in zip(found, reasons)]
        print_json(results[0] if len(results) == 1 else results)
        return
    for text, hits, whys in zip(queries, found, reasons):
        if len(found) > 1:
            console.rule(Text(printable(text)[:80]))
        _print(hits, whys)
    if output is not None:
        console.print(f"{sum(map(len, found)):,} hits written to {output}", style="dim", soft_wrap=True)


def _print(hits: "Hits", reasons: list[str]) -> None:
    for rank, (hit, why) in enumerate(zip(hits, reasons), 1):
        number = f"{hit.score:7.2f}" if hits.are_scored else f"{hit.distance:7.4f}"
        line = Text.assemble((f"{rank:3} {number}  ", "dim"), (printable(hit.name), "bold"))
        about = [hit.id] if hit.name != hit.id else []
        line.append(f"  {printable(' · '.join([*about, *filter(None, [hit.label])]))}", "dim")
        console.print(line, soft_wrap=True)
        passage = Text("             " + hit.snippet.text)
        for start, end in hit.snippet.marks:
            passage.stylize("bold yellow", 13 + start, 13 + end)
        if hit.snippet.text:
            console.print(passage, soft_wrap=True)
        if why:
            console.print(Text(f"             {printable(why)}", "italic"), soft_wrap=True)
    for note in hits.notes:
        console.print(Text(printable(note), "yellow"), soft_wrap=True)
    console.print(f"{hits.computed:,} distances computed, {hits.pruned:,} pruned", style="dim")


def _as_json(hits: "Hits", reasons: list[str] | None) -> dict[str, object]:
    found = hits.to_dict()
    for hit, reason in zip(found["hits"], reasons or ()):
        hit["why"] = reason
    return found


def _columns(queries: list[str], found: "list[Hits]", reasons: list[list[str]]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {
        "query": [text for text, hits in zip(queries, found) for _ in hits],
        "rank": [rank for hits in found for rank in range(1, len(hits) + 1)],
    }
    for hits in found:
        for name, values in hits.to_columns().items():
            columns.setdefault(name, []).extend(values)
    return columns | {"why": [why for whys in reasons for why in whys]}
