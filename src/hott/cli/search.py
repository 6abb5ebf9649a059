"""hott search: the documents that fit a text, or those nearest to another document."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import hott
from hott.cli import _arguments as args
from hott.cli._output import mark, print_json, say, say_beside, write_table
from hott.utils.wording import elide, printable


def command(
    index: args.IndexFile,
    query: Annotated[
        str,
        typer.Argument(
            help="A text, the id of a document, - for standard input, or @FILE with one query per line.",
            autocompletion=args.complete_id,
        ),
    ],
    k: args.Neighbors = 10,
    by: Annotated[
        Literal["both", "words", "topics", "meaning"],
        typer.Option(
            help="Search by words (BM25), topics (transport) or meaning alone, or by all of them (both)."
        ),
    ] = "both",
    where: args.Conditions = None,
    why: Annotated[bool, typer.Option("--why", help="Say why each document was found.")] = False,
    output: args.TableFile = None,
    threads: args.Threads = None,
    verbose: args.Verbose = False,
    json: args.Json = False,
) -> None:
    """Find the documents that fit a text, or those nearest to a document of the index.

    Examples:
    hott search articles.hott "planets around other stars"
    cat draft.txt | hott search articles.hott -
    hott search articles.hott @queries.txt -o hits.csv
    hott search articles.hott "penalty kicks" --where label=sport --where year=2004..2005
    hott search s3://bucket/articles.hotts "planets around other stars"
    """
    opened = args.open_searchable(index)
    only = args.conditions(opened, where)
    file = Path(query[1:])
    if query.startswith("@") and (file.suffix == ".txt" or file.is_file()):
        queries = args.read_lines(file)
        found = opened.search_many(queries, k, by=by, where=only, threads=threads, progress=True)
    elif query == "-":
        queries = [sys.stdin.buffer.read().decode("utf-8", errors="replace")]
        found = [opened.search(text=queries[0], k=k, by=by, where=only, threads=threads)]
    else:
        queries = [query]
        found = [opened.search(query, k, by=by, where=only, threads=threads)]
    meetings = [opened.meetings(hits) if why and json else () for hits in found]
    reasons = [opened.reasons(hits) if why else [""] * len(hits) for hits in found]
    if output is not None:
        write_table(output, _columns(queries, found, reasons))
    if json:
        results = [_as_json(*one) if why else one[0].to_dict() for one in zip(found, reasons, meetings)]
        print_json(results[0] if len(results) == 1 else results)
        return
    for text, hits, whys in zip(queries, found, reasons):
        if len(found) > 1:
            say((f"— {elide(text, 80)}", "bold"))
        _print(hits, whys, verbose)
    if output is not None:
        say(f"{sum(map(len, found)):,} hits written to {output}", style="dim")


def _print(hits: "hott.index.Hits", reasons: list[str], verbose: bool) -> None:
    for rank, (hit, why) in enumerate(zip(hits, reasons), 1):
        number = f"{hit.score:7.2f}" if hits.are_scored else f"{hit.distance:7.4f}"
        lead, indent = f"{rank:3} {number}  ", " " * 13
        about = [text for text in (hit.id if hit.name != hit.id else None, hit.label) if text]
        say_beside((lead, "dim"), (printable(hit.name), "bold"), (f"  {printable(' · '.join(about))}", "dim"))
        if hit.snippet.text:
            say_beside(indent, *mark(hit.snippet))
        if why:
            say_beside(indent, (printable(why), "italic"))
    for note in hits.notes:
        say((printable(note), "yellow"))
    if verbose:
        args.say_effort(hits)


def _as_json(hits: "hott.index.Hits", reasons: list[str], meetings: Sequence[Any]) -> dict[str, object]:
    found = hits.to_dict()
    for hit, reason, met in zip(found["hits"], reasons, meetings):
        hit |= {"why": reason, "met": {meeting.word: list(meeting.met) for meeting in met}}
    return found


def _columns(
    queries: list[str], found: "list[hott.index.Hits]", reasons: list[list[str]]
) -> dict[str, list[Any]]:
    from hott.index.hits import HitLists

    columns = HitLists(found).to_columns()
    searched = {"query": [queries[number] for number in columns.pop("search")]}
    return searched | columns | {"why": [why for whys in reasons for why in whys]}
