"""hott subjects: what the documents are about, and what people call it."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from hott.cli._arguments import IndexFile, Json, Threads, check_output, file_here, open_index
from hott.cli._completion import complete_column
from hott.cli._output import print_json, print_table, say, write_table


def command(
    index: IndexFile,
    level: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=4,
            help="From a few large ones (1) to many small ones (4).",
            show_default="a dozen or two",
        ),
    ] = None,
    over: Annotated[
        str | None,
        typer.Option(
            help="Show the share of each subject over a column: date, label, year, ...",
            show_default=False,
            autocompletion=complete_column,
        ),
    ] = None,
    by: Annotated[
        Literal["year", "month", "day"] | None,
        typer.Option(help="How dates are grouped.", show_default=False),
    ] = None,
    rename: Annotated[
        str | None, typer.Option(metavar="SUBJECT=NAME", help="Call a subject so.", show_default=False)
    ] = None,
    merge: Annotated[
        str | None,
        typer.Option(metavar="SUBJECT,SUBJECT[=NAME]", help="Make one of several.", show_default=False),
    ] = None,
    split: Annotated[
        int | None, typer.Option(help="Put the finer ones in the place of a subject.", show_default=False)
    ] = None,
    hide: Annotated[int | None, typer.Option(help="Show a subject no more.", show_default=False)] = None,
    show: Annotated[int | None, typer.Option(help="Show a hidden subject again.", show_default=False)] = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Look for them anew and keep them.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="Write each document's subject to this .csv or .parquet.",
            show_default=False,
        ),
    ] = None,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Show what the documents are about: subjects with their terms and typical documents, the largest first.

    Changes are kept in the index and stay when documents come and go.

    [bold]Example[/bold]

    hott subjects articles.hott

    hott subjects articles.hott --rename "3=the sky"

    hott subjects articles.hott --over date --by year
    """
    from hott.index import SubjectEdit, changing

    if output is not None:
        check_output(output, (".csv", ".parquet"))
    opened = open_index(index)
    edits: list[tuple[SubjectEdit, list[int], str]] = [
        ("rename", *_parse(rename)),
        ("merge", *_parse(merge)),
        ("split", [] if split is None else [split], ""),
        ("hide", [] if hide is None else [hide], ""),
        ("show", [] if show is None else [show], ""),
    ]
    if refresh or any(numbers for _, numbers, _ in edits):
        with changing(file_here(index)) as opened:
            for kind, numbers, name in edits:
                if numbers:
                    opened.edit_subjects(kind, numbers, name)
            if refresh:
                say(str(opened.refresh_subjects(threads=threads)), style="dim")
    found = opened.subjects(level, threads=threads)
    if over is not None:
        trends = found.over(over, by=by)
        if json:
            shares = {subject.name: row.tolist() for subject, row in zip(found, trends.shares)}
            print_json({"groups": trends.groups, "documents": trends.documents, "shares": shares})
            return
        rows = [[one.name, *(f"{share:.1%}" for share in row)] for one, row in zip(found, trends.shares)]
        print_table(["subject", *trends.groups], [*rows, ["documents", *map(str, trends.documents)]])
        for what, changes in (("rose", trends.rose), ("fell", trends.fell)):
            for subject, before, after in changes[:5]:
                say(f"{what}: {subject.name} ({before:.1%} to {after:.1%})")
        return
    if output is not None:
        members = [(id, subject) for subject in found for id in subject.ids]
        columns = {
            "id": [id for id, _ in members],
            "subject": [subject.number for _, subject in members],
            "name": [subject.name for _, subject in members],
        }
        write_table(output, columns)
    if json:
        print_json([asdict(subject) for subject in (found if level else found.all)])
        return
    listed = [
        [one.number, one.size, one.name, ", ".join(one.terms[3:]), "; ".join(one.examples)] for one in found
    ]
    print_table(["subject", "documents", "name", "also", "such as"], listed)
    inside = sum(subject.size for subject in found)
    say(f"{len(opened) - inside:,} of {len(opened):,} documents are in no subject", style="dim")


def _parse(written: str | None) -> tuple[list[int], str]:
    """Read numbers of subjects and a name, as in "3,4=the sky"."""
    if written is None:
        return [], ""
    numbers, _, name = written.partition("=")
    if not all(number.strip().isdigit() for number in numbers.split(",")):
        raise ValueError(f"A subject is told by its number, as in the table; got {numbers!r:.40}.")
    return [int(number) for number in numbers.split(",")], name
