"""hott add, update, sync, remove and merge: an index changes in one step or not at all."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

import hott
from hott.cli import _arguments as args
from hott.cli._output import print_json, say
from hott.cli._reading import DocumentsPath, with_reading
from hott.utils.atomic import file_lock
from hott.utils.wording import pluralize

Refit = Annotated[
    bool, typer.Option("--refit", help="Then learn words and topics again, from all documents in the index.")
]


def change(
    index_file: str,
    how: "Callable[[hott.Index], hott.index.Changes]",
    *,
    refit: bool,
    threads: int | None,
    json: bool,
) -> None:
    """Change an index and save it in one step, and say what changed."""
    path = args.file_here(index_file)
    args.open_index(index_file)  # which says what to do where there is none
    with file_lock(path.resolve()):
        index = args.open_index(index_file)
        before = set(index.dropped)
        changes = how(index)
        left_out = [id for id in index.dropped if id not in before]
        if refit:
            index = index.refit(threads=threads, progress=True)
        if changes or refit:
            index.save(path)
    staleness = index.staleness()
    if json:
        ids: dict[str, Any] = {name: list(getattr(changes, name)) for name in ("added", "changed", "removed")}
        counts = {"unchanged": changes.unchanged, "left_out": left_out, "documents": len(index)}
        print_json(ids | counts | {"stale": staleness.is_stale})
        return
    say(f"{path}: {changes}; {pluralize(len(index), 'document')}")
    if staleness.is_stale:
        say(f"The topics may be stale: {staleness}. --refit learns them anew.")


def command_by_documents(method: str, help: str) -> Callable[..., None]:
    """Make a command that gives documents, read as the first ones were, to a method of an index."""

    def command(
        index: args.IndexFile,
        corpus: DocumentsPath,
        refit: Refit = False,
        threads: args.Threads = None,
        json: args.Json = False,
        *,
        reading: dict[str, Any],
    ) -> None:
        if method == "add" and isinstance(shards := args.open_searchable(index), hott.Shards):
            name = shards.add(
                hott.corpus.stream(corpus, progress=True, **reading), threads=threads, progress=True
            )
            if json:
                print_json({"shard": name, "documents": len(shards)})
            else:
                say(f"{index}: new shard {name}; {len(shards):,} documents")
            return

        def how(index: "hott.Index") -> "hott.index.Changes":
            first = {name: value for name, value in index.reading.items() if name != "source"}
            batches = hott.corpus.stream(corpus, progress=True, **(first | reading))
            return getattr(index, method)(batches, threads=threads, progress=True)

        change(index, how, refit=refit, threads=threads, json=json)

    command.__doc__ = help
    return with_reading(command)


add = command_by_documents(
    "add",
    """Add new documents to an index. Its topics stay as they are.

    Their ids must be new; hott update replaces documents. They are read as the first ones were.
    An index of shards gets another shard.

    Example:
    hott add articles.hott this-week/
    """,
)

update = command_by_documents(
    "update",
    """Replace documents that have the same ids, and add new ones.

    Example:
    hott update articles.hott corrected.csv
    """,
)

sync = command_by_documents(
    "sync",
    """Bring an index up to date with its folder or file: add, replace and remove what has changed.

    Documents are compared by their content and read as the first ones were. The topics stay as they are.

    Example:
    hott sync articles.hott articles/
    """,
)


def remove(
    index: args.IndexFile,
    ids: Annotated[
        list[str] | None, typer.Argument(help="Ids of documents.", autocompletion=args.complete_id)
    ] = None,
    where: args.Conditions = None,
    listed: Annotated[
        Path | None, typer.Option("--from", help="A file of ids, one a line, such as copies to remove.")
    ] = None,
    refit: Refit = False,
    threads: args.Threads = None,
    json: args.Json = False,
) -> None:
    """Remove documents from an index, by id or by a filter. Its topics stay as they are.

    Examples:
    hott remove articles.hott draft-1.txt draft-2.txt
    hott remove articles.hott --where year=..1999
    hott remove articles.hott --from copies.txt
    """
    if not ids and not where and listed is None:
        raise typer.BadParameter("Say which documents: give ids, --where, or --from.")
    named = [] if listed is None else args.read_lines(listed)

    def remove_them(opened: "hott.Index") -> "hott.index.Changes":
        by_filter = opened.matching(args.conditions(opened, where) or {}) if where else []
        return opened.remove(dict.fromkeys([*(ids or []), *named, *by_filter]))

    change(index, remove_them, refit=refit, threads=threads, json=json)


def merge(
    first: args.IndexFile,
    second: args.IndexFile,
    output: Annotated[Path, args.output_option("The index to write.")],
) -> None:
    """Merge two indexes that share their topics. Make such indexes with hott index --like.

    Examples:
    hott index may/ --like april.hott -o may.hott
    hott merge april.hott may.hott -o spring.hott
    """
    index = args.open_index(first)
    index.merge(args.open_index(second))
    index.save(output)
    say((str(output), "bold"), f": {index!r}")
