"""hott topics: what the corpus is about."""

from dataclasses import asdict
from typing import Annotated

import typer

from hott.cli._arguments import IndexFile, Json, open_index
from hott.cli._output import print_json, print_table


def command(
    index: IndexFile,
    words: Annotated[int, typer.Option("-n", "--words", min=1, help="Words to show of each topic.")] = 8,
    model: Annotated[int, typer.Option(min=0, help="Which of the topic models, from 0.")] = 0,
    json: Json = False,
) -> None:
    """Show the topics of an index, the heaviest first, by their distinctive words.

    Coherence says how much the words of a topic occur together, from -1 to 1. Fillers, loose words of which
    many documents have a little, come last.

    [bold]Example[/bold]

    hott topics articles.hott -n 12
    """
    topics = open_index(index).topics_of(model, words)
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
