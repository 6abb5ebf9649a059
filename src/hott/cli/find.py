"""hott compare, contrast, neighbors and distances: how near documents are, and why."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

import hott
from hott.cli import _arguments as args
from hott.cli._output import print_json, print_table, say, say_beside, say_lines, write_table
from hott.utils.atomic import atomic_write


def _complete(ctx: typer.Context, incomplete: str) -> list[str]:
    return (args.complete_label if ctx.params.get("labels") else args.complete_id)(ctx, incomplete)


def compare(
    index: args.IndexFile,
    a: Annotated[
        str, typer.Argument(help="The id of a document; with --labels a label.", autocompletion=_complete)
    ],
    b: Annotated[str, typer.Argument(help="The id or label of another.", autocompletion=_complete)],
    labels: Annotated[
        bool, typer.Option("--labels", help="Compare all documents of one label with those of another.")
    ] = False,
    output: Annotated[
        Path | None,
        args.output_option(
            "Write the comparison to this .html file, or its picture to .svg or .png.",
            ".html",
            ".svg",
            ".png",
        ),
    ] = None,
    topics: Annotated[
        int | None,
        typer.Option(
            min=1, help="Draw the plan between topics in the picture, of this topic model: 1 is the first."
        ),
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(help="Say what the distance would be without this term.")
    ] = None,
    json: args.Json = False,
) -> None:
    """Show what two documents have in common and what only one of them has, in their own words.

    Examples:
    hott compare articles.hott doc-17 doc-42
    hott compare articles.hott doc-17 doc-42 -o why.html
    hott compare articles.hott doc-17 doc-42 --topics 1 -o plan.svg
    hott compare articles.hott doc-17 doc-42 --without grass
    hott compare articles.hott --labels tennis football
    """
    opened = args.open_searchable(index)
    n_models = len(opened.model.hott.models_)
    if topics is not None and (topics > n_models or output is None or output.suffix == ".html"):
        raise typer.BadParameter(f"--topics is from 1 to {n_models}, for a picture: -o plan.svg or plan.png.")
    comparison = opened.compare(hott.index.Label(a), hott.index.Label(b)) if labels else opened.compare(a, b)
    if output is not None and output.suffix == ".html":
        with atomic_write(output) as file:
            file.write(comparison.to_html().encode())
    elif output is not None:
        (comparison.plot() if topics is None else comparison.plot_topics(topics - 1)).save(output)
    left = {term: comparison.without(term) for term in without or ()}
    if json:
        print_json(comparison.to_dict() | ({"without": left} if left else {}))
        return
    say_lines(str(comparison))
    for term, distance in left.items():
        whole = comparison.distance
        is_same, told = distance == whole, f"{distance:.4g} instead of {whole:.4g}"
        say(f"without “{term}” the distance is {'the same' if is_same else told}")
    if output is not None:
        say(f"written to {output}", style="dim")


def _side(name: str, help: str) -> Any:
    return typer.Option(name, metavar="COLUMN=VALUE", help=help, autocompletion=args.complete_condition)


def contrast(
    index: args.IndexFile,
    a: Annotated[list[str], _side("--a", "The documents: label=sport, year=2004..2005. Repeatable.")],
    b: Annotated[
        list[str] | None, _side("--b", "The documents to compare them with. Default: all others.")
    ] = None,
    n: Annotated[int, typer.Option("-n", min=1, help="Terms to show for each side.")] = 10,
    json: args.Json = False,
) -> None:
    """Show how some documents differ from others: terms that more of them have, with typical sentences.

    Examples:
    hott contrast articles.hott --a label=tennis --b label=football
    hott contrast news.hott --a year=2005
    """
    opened = args.open_index(index)
    found = opened.contrast(args.conditions(opened, a) or {}, args.conditions(opened, b), n)
    if json:
        print_json(asdict(found))
        return
    for letter, other, side, terms, sentences in (
        ("A", "B", a, found.a, found.sentences_a),
        ("B", "A", b or ["all others"], found.b, found.sentences_b),
    ):
        rows = [[term.text, term.inside, term.outside, f"{term.z:.1f}"] for term in terms]
        title = f"More in {letter} ({' and '.join(side)})"
        print_table(["term", f"documents of {letter}", f"of {other}", "z"], rows, title)
        for sentence in sentences:
            say_beside("", f"“{sentence}”")


def neighbors(
    index: args.IndexFile,
    k: args.Neighbors = 10,
    where: args.Conditions = None,
    output: args.TableFile = None,
    threads: args.Threads = None,
    scheduler: args.Scheduler = None,
    workers: args.Workers = None,
    verbose: args.Verbose = False,
    json: args.Json = False,
) -> None:
    """Find the nearest neighbours of every document, exactly.

    Example:
    hott neighbors articles.hott -k 5 -o neighbors.csv
    """
    opened = args.open_index(index)
    with args.dask_client(scheduler, workers) as client:
        only = args.conditions(opened, where)
        found = opened.neighbors(k, where=only, threads=threads, client=client, progress=True)
    ids, columns = list(opened.documents.ids), found.to_columns()
    wanted = (columns[name] for name in ("position", "rank", "neighbor", "distance"))
    places = [row for row in zip(*wanted) if row[3] == row[3]]  # not NaN
    rows = [(ids[place], rank, ids[near], distance) for place, rank, near, distance in places]
    order = ("id", "rank", "neighbor", "distance")
    if output is not None:
        write_table(output, {name: [row[column] for row in rows] for column, name in enumerate(order)})
    if json:
        effort = {"computed": found.computed, "pruned": found.pruned}
        print_json({"neighbors": [dict(zip(order, row)) for row in rows], **effort})
        return
    if output is None:
        names = opened.documents.names()
        shown = [(ids[a], names[a], rank, ids[b], names[b], distance) for a, rank, b, distance in places]
        print_table(["id", "document", "rank", "neighbor", "name", "distance"], shown)
    else:
        say(f"{len(rows):,} neighbours of {len(ids):,} documents written to {output}")
    if verbose:
        args.say_effort(found)


def distances(
    index: args.IndexFile,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            help="A .npy file or .zarr folder (any size; a stopped run continues; .zarr on s3:// and the "
            "like), or .csv or .parquet with the ids as names.",
        ),
    ],
    block: Annotated[
        int | None, typer.Option(min=1, help="Documents on each side of a block.", show_default="2048")
    ] = None,
    threads: args.Threads = None,
    device: args.Where = "cpu",
    scheduler: args.Scheduler = None,
    workers: args.Workers = None,
) -> None:
    """Compute the distance of every pair of documents, exactly.

    Examples:
    hott distances articles.hott -o distances.npy
    hott distances articles.hott -o s3://bucket/distances.zarr --scheduler tcp://host:8786
    """
    path, remote = Path(output), "://" in output
    if not (remote and path.suffix == ".zarr"):
        args.check_output(path, (".npy", ".zarr", ".csv", ".parquet"))
    opened = args.open_index(index)
    where = output if path.suffix in (".npy", ".zarr") else None
    with args.dask_client(scheduler, workers) as client:
        how: dict[str, Any] = {"threads": threads, "device": device, "client": client, "progress": True}
        matrix = opened.distances(where, block=block, **how)
        if where is None:
            ids = list(opened.documents.ids)
            write_table(path, {"id": ids, **dict(zip(ids, matrix.T))})
    say(f"{len(opened):,} x {len(opened):,} distances written to {output}")
