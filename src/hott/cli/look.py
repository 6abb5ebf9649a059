"""hott topics, map, duplicates, outliers, export and table: an index seen whole."""

from pathlib import Path
from typing import Annotated

import typer

import hott
from hott.cli import _arguments as args
from hott.cli._output import print_found, say, write_figure, write_table
from hott.utils.wording import pluralize


def topics(
    index: args.IndexFile,
    words: Annotated[int, typer.Option("-n", "--words", min=1, help="Words to show for each topic.")] = 8,
    model: args.TopicModel = 0,
    over: args.Over = None,
    by: args.By = None,
    rename: Annotated[str | None, typer.Option(metavar="TOPIC=NAME", help="Rename a topic.")] = None,
    merge: Annotated[str | None, typer.Option(metavar="TOPIC,TOPIC", help="Merge topics into one.")] = None,
    hide: Annotated[int | None, typer.Option(help="Hide a topic.")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Undo the last rename, merge or hide.")] = False,
    json: args.Json = False,
) -> None:
    """Show the topics of an index, the largest first, by their distinctive words.

    Coherence says how often the words of a topic occur together, from -1 to 1. Filler topics, whose words
    are spread thinly over many documents, come last.

    Examples:
    hott topics articles.hott -n 12
    hott topics articles.hott --over date --by year
    hott topics articles.hott --rename "3=the sky"
    """
    opened = args.open_index(index)  # which says what is wrong with it, if anything
    if rename is not None or merge is not None or hide is not None or undo:
        with hott.index.changing(args.file_here(index)) as opened:
            if rename is not None:
                opened.edit_topics("rename", *args.parse_numbers(rename), model=model)
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
    found = opened.topics_of(model, words)
    names = [topic.name + (" (filler)" if topic.is_filler else "") for topic in found]
    rows = (
        [topic.number, f"{topic.share:.1%}", f"{topic.coherence:.2f}", name, ", ".join(topic.words)]
        for topic, name in zip(found, names)
    )
    print_found(found, json, ["topic", "share", "coherence", "name", "words"], rows)


def map(
    index: args.IndexFile,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="A .html page, or .csv or .parquet; INDEX-map.html by default."),
    ] = None,
    color: Annotated[
        str, typer.Option(help="Colour by label or topic. Default: label if there are any.")
    ] = "auto",
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same map.")] = 0,
    threads: args.Threads = None,
) -> None:
    """Draw a map of the documents, similar ones close together.

    Example:
    hott map articles.hott -o map.html --color topic
    hott map articles.hotts
    """
    output = args.check_output(output or Path(f"{Path(index).stem}-map.html"), (".html", ".csv", ".parquet"))
    opened = args.open_searchable(index)
    documents, colors = opened.documents, opened.colors(color)
    points = opened.map(random_state=seed, threads=threads, progress=True)
    if output.suffix == ".html":
        titles = [title or id for title, id in zip(documents.titles, documents.ids)]
        write_figure(output, hott.plots.corpus_map(points, labels=colors, titles=titles))
    else:
        columns = {"id": list(documents.ids), "x": points[:, 0], "y": points[:, 1], "color": colors}
        write_table(output, columns)
    say(f"map of {pluralize(len(opened), 'document')} written to {output}")


def duplicates(
    index: args.IndexFile,
    likeness: Annotated[
        float, typer.Option(min=0.01, max=1, help="Share of words that two copies must have in common.")
    ] = 0.8,
    json: args.Json = False,
) -> None:
    """Find copies and near copies, exact ones first.

    Example:
    hott duplicates articles.hott --likeness 0.9
    """
    opened = args.open_index(index)
    found = opened.duplicates(likeness)
    if found or json:
        rows = ([f"{one.likeness:.0%}", args.name_documents(opened, one.ids)] for one in found)
        print_found(found, json, ["alike", "documents"], rows)
    else:
        say(f"no two documents have {likeness:.0%} of their words in common", style="dim")


def outliers(
    index: args.IndexFile,
    n: Annotated[int, typer.Option("-n", min=1, help="How many documents to show.")] = 10,
    k: Annotated[
        int, typer.Option("-k", "--neighbors", min=1, help="Nearest others that a document is measured by.")
    ] = 5,
    threads: args.Threads = None,
    json: args.Json = False,
) -> None:
    """Find the documents that are least like any other.

    Example:
    hott outliers articles.hott -n 20
    """
    found = args.open_index(index).outliers(n, k, threads=threads, progress=True)
    rows = ([one.distance, one.id, one.name] for one in found)
    print_found(found, json, ["distance", "id", "name"], rows)


def export(
    index: args.IndexFile,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="A new folder; INDEX-site by default.")
    ] = None,
    meaning: Annotated[
        bool, typer.Option(help="Search by meaning, too: the page holds the encoder, 15 MB.")
    ] = True,
) -> None:
    """Write the explorer as a folder of files, for any web server or none.

    The page searches any text and compares any two documents in the browser. Exporting again replaces the
    files of the export, and no others.

    Example:
    hott export articles.hott -o site
    """
    from hott import explorer

    name = Path(index).stem
    output = output or Path(f"{name}-site")
    page = explorer.export_site(args.open_index(index), output, name=name, meaning=meaning, progress=True)
    say(f"open {page} in a browser")


def table(
    index: args.IndexFile,
    output: Annotated[Path, args.output_option("The .csv or .parquet file to write.", ".csv", ".parquet")],
    model: args.TopicModel = 0,
) -> None:
    """Write a table of the documents: their columns and their share of each topic.

    Example:
    hott table articles.hott -o topics.csv
    """
    columns = args.open_index(index).table(model)
    write_table(output, columns)
    say(f"{pluralize(len(columns['id']), 'document')} written to {output}")
