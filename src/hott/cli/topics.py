"""hott topics: what the corpus is about."""

from typing import Annotated, Literal

import typer

from hott.cli import _arguments as args
from hott.cli._output import print_found


def command(
    index: args.IndexFile,
    words: Annotated[int, typer.Option("-n", "--words", min=1, help="Words to show for each topic.")] = 8,
    model: Annotated[int, typer.Option(min=0, help="The topic model to show, counted from 0.")] = 0,
    over: Annotated[
        str | None,
        typer.Option(
            help="Show the share of each topic over a column instead: date, label, year, ...",
            autocompletion=args.complete_column,
        ),
    ] = None,
    by: Annotated[
        Literal["year", "month", "day"] | None, typer.Option(help="Group dates by year, month or day.")
    ] = None,
    rename: Annotated[str | None, typer.Option(metavar="TOPIC=NAME", help="Rename a topic.")] = None,
    merge: Annotated[str | None, typer.Option(metavar="TOPIC,TOPIC", help="Merge topics into one.")] = None,
    hide: Annotated[int | None, typer.Option(help="Hide a topic.")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Undo the last rename, merge or hide.")] = False,
    json: args.Json = False,
) -> None:
    """Show the topics of an index, the largest first, by their distinctive words.

    Coherence says how often the words of a topic occur together, from -1 to 1. Filler topics, whose words
    are spread thinly over many documents, come last.

    [bold]Examples[/bold]

    hott topics articles.hott -n 12

    hott topics articles.hott --over date --by year

    hott topics articles.hott --rename "3=the sky"
    """
    from hott.index import changing

    opened = args.open_index(index)  # which says what is wrong with it, if anything
    if rename is not None or merge is not None or hide is not None or undo:
        with changing(args.file_here(index)) as opened:
            if rename is not None:
                [number], name = args.parse_numbers(rename)
                opened.edit_topics("rename", number, name, model=model)
            if merge is not None:
                opened.edit_topics("merge", args.parse_numbers(merge)[0], model=model)
            if hide is not None:
                opened.edit_topics("hide", hide, model=model)
            if undo:
                opened.undo_edit()
    if over is not None:
        trends = opened.topics_over(over, model=model, by=by)
        args.print_trends("topic", trends.topics, trends, json)
        return
    topics = opened.topics_of(model, words)
    names = [topic.name + (" (filler)" if topic.is_filler else "") for topic in topics]
    rows = (
        [topic.number, f"{topic.share:.1%}", f"{topic.coherence:.2f}", name, ", ".join(topic.words)]
        for topic, name in zip(topics, names)
    )
    print_found(topics, json, ["topic", "share", "coherence", "name", "words"], rows)
