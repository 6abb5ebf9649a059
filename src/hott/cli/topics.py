"""hott topics: what the corpus is about."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from hott.cli._arguments import IndexFile, Json, file_here, open_index
from hott.cli._completion import complete_column
from hott.cli._output import print_json, print_table

if TYPE_CHECKING:
    from hott.index import TopicTrends


def command(
    index: IndexFile,
    words: Annotated[int, typer.Option("-n", "--words", min=1, help="Words to show for each topic.")] = 8,
    model: Annotated[int, typer.Option(min=0, help="The topic model to show, counted from 0.")] = 0,
    over: Annotated[
        str | None,
        typer.Option(
            help="Show the share of each topic over a column instead: date, label, year, ...",
            show_default=False,
            autocompletion=complete_column,
        ),
    ] = None,
    by: Annotated[
        Literal["year", "month", "day"] | None,
        typer.Option(help="Group dates by year, month or day.", show_default=False),
    ] = None,
    rename: Annotated[
        str | None,
        typer.Option(metavar="TOPIC=NAME", help="Rename a topic.", show_default=False),
    ] = None,
    merge: Annotated[
        str | None, typer.Option(metavar="TOPIC,TOPIC", help="Merge topics into one.", show_default=False)
    ] = None,
    hide: Annotated[int | None, typer.Option(help="Hide a topic.", show_default=False)] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Undo the last rename, merge or hide.")] = False,
    json: Json = False,
) -> None:
    """Show the topics of an index, the heaviest first, by their distinctive words.

    Coherence says how often the words of a topic occur together, from -1 to 1. Filler topics, whose words
    are spread thinly over many documents, come last.

    [bold]Example[/bold]

    hott topics articles.hott -n 12

    hott topics articles.hott --over date --by year

    hott topics articles.hott --rename "3=the sky"
    """
    if rename is not None or merge is not None or hide is not None or undo:
        _edit(index, model, rename, merge, hide, undo)
    opened = open_index(index)
    if over is not None:
        _print_over(opened.topics_over(over, model=model, by=by), json)
        return
    topics = opened.topics_of(model, words)
    if json:
        print_json([asdict(topic) for topic in topics])
        return
    rows = [
        [
            topic.number,
            f"{topic.share:.1%}",
            f"{topic.coherence:.2f}",
            topic.name + (" (filler)" if topic.is_filler else ""),
            ", ".join(topic.words),
        ]
        for topic in topics
    ]
    print_table(["topic", "share", "coherence", "name", "words"], rows)


def _edit(
    index_file: str, model: int, rename: str | None, merge: str | None, hide: int | None, undo: bool
) -> None:
    """Change what topics are shown as, and keep it in the index."""
    from hott.index import changing

    file = file_here(index_file)
    open_index(index_file)  # which says what is wrong with it, if anything
    with changing(file) as index:
        if rename is not None:
            number, _, name = rename.partition("=")
            index.edit_topics("rename", _number(number), name, model=model)
        if merge is not None:
            index.edit_topics("merge", [_number(number) for number in merge.split(",")], model=model)
        if hide is not None:
            index.edit_topics("hide", hide, model=model)
        if undo:
            index.undo_edit()


def _number(written: str) -> int:
    if not written.strip().isdigit():
        raise ValueError(f"A topic is told by its number, as in the table; got {written!r:.40}.")
    return int(written)


def _print_over(found: "TopicTrends", json: bool) -> None:
    if json:
        shares = {name: row.tolist() for name, row in zip(found.topics, found.shares)}
        print_json({"groups": found.groups, "documents": found.documents, "shares": shares})
        return
    changes = found.shares.max(axis=1, initial=0) - found.shares.min(axis=1, initial=1)
    order = sorted(
        range(len(found.topics)), key=lambda place: -changes[place]
    )  # what changed most comes first
    rows = [[found.topics[place], *(f"{share:.1%}" for share in found.shares[place])] for place in order]
    print_table(["topic", *found.groups], [*rows, ["documents", *map(str, found.documents)]])
