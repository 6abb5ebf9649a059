"""hott subjects: what the documents are about, and what people call it."""

from typing import Annotated

import typer

from hott.cli import _arguments as args
from hott.cli._output import print_found, say, say_beside
from hott.utils.wording import elide

MAX_EXAMPLES = 72  # columns of a table, in which quotes would take hundreds


def command(
    index: args.IndexFile,
    level: Annotated[
        int | None,
        typer.Option(
            min=1, max=4, help="From a few large ones (1) to many small ones (4).", show_default="about ten"
        ),
    ] = None,
    over: args.Over = None,
    by: args.By = None,
    rename: Annotated[str | None, typer.Option(metavar="SUBJECT=NAME", help="Rename a subject.")] = None,
    merge: Annotated[
        str | None, typer.Option(metavar="SUBJECT,SUBJECT[=NAME]", help="Merge subjects into one.")
    ] = None,
    split: Annotated[int | None, typer.Option(help="Split a subject into finer ones.")] = None,
    hide: Annotated[int | None, typer.Option(help="Hide a subject.")] = None,
    show: Annotated[int | None, typer.Option(help="Show a hidden subject again.")] = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Find the subjects anew and keep them.")] = False,
    output: args.TableFile = None,
    threads: args.Threads = None,
    json: args.Json = False,
) -> None:
    """Show what the documents are about: subjects with their terms and typical documents, the largest first.

    Your changes are kept in the index and stay when documents come and go.

    Examples:
    hott subjects articles.hott
    hott subjects articles.hott --rename "3=the sky"
    hott subjects articles.hott --over date --by year
    """
    from hott.index import SubjectEdit, changing

    opened = args.open_index(index)
    edits: list[tuple[SubjectEdit, list[int], str]] = [
        ("rename", *args.parse_numbers(rename)),
        ("merge", *args.parse_numbers(merge)),
        ("split", [] if split is None else [split], ""),
        ("hide", [] if hide is None else [hide], ""),
        ("show", [] if show is None else [show], ""),
    ]
    if refresh or any(numbers for _, numbers, _ in edits):
        with changing(args.file_here(index)) as opened:
            for kind, numbers, name in edits:
                if numbers:
                    opened.edit_subjects(kind, numbers, name)
            if refresh:
                say(str(opened.refresh_subjects(threads=threads)), style="dim")
    subjects = opened.subjects(level, threads=threads)
    if over is not None:
        trends = subjects.over(over, by=by)
        quotes = {group: trends.quotes(group) for group in trends.groups}
        typical = {group: [{"id": id, "sentence": text} for id, text in quotes[group]] for group in quotes}
        changes = {
            what: [{"name": one.name, "before": before, "after": after} for one, before, after in found]
            for what, found in (("rose", trends.rose), ("fell", trends.fell))
        }
        names = [subject.name for subject in subjects]
        args.print_trends("subject", names, trends, json, typical=typical, **changes)
        for what, found in () if json else changes.items():
            for one in found[:5]:
                say(f"{what}: {one['name']} ({one['before']:.1%} to {one['after']:.1%})")
        for group, pairs in () if json else quotes.items():
            say(group, style="bold")
            for id, sentence in pairs:
                say_beside(f"  {args.name_documents(opened, [id])}", f": “{sentence}”" if sentence else "")
        return
    if output is not None:
        args.write_groups(output, "subject", subjects)
    rows = (
        [
            one.number,
            one.size,
            f"chaff: {one.name}" if one.is_chaff else one.name,
            ", ".join(one.terms[3:]),
            elide("; ".join(one.examples), MAX_EXAMPLES),
        ]
        for one in subjects
    )
    listed = subjects if level or not json else subjects.all
    print_found(listed, json, ["subject", "documents", "name", "also", "such as"], rows)
    outside = len(opened) - sum(subject.size for subject in subjects)
    if outside and not json:
        say(f"{outside:,} of {len(opened):,} documents are in no subject that is shown", style="dim")
    for node in () if json else subjects.tree.nodes.values():
        if node.is_hidden:
            name = node.name or ", ".join((node.terms or ())[:3])
            say(f"hidden: {name}; --show {node.number} brings it back", style="dim")
