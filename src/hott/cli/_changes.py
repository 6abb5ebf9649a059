"""What the commands that change an index share: one step or not at all, and a hint when topics are stale."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hott.cli._arguments import IndexFile, Json, Threads, file_here, open_index, open_searchable
from hott.cli._output import print_json, print_left_out, say
from hott.cli._reading import DocumentsPath, with_reading

if TYPE_CHECKING:
    from hott.index import Changes, Index

Refit = Annotated[
    bool, typer.Option("--refit", help="Then learn words and topics again, from all documents in the index.")
]


def change(
    index_file: str, how: "Callable[[Index], Changes]", *, refit: bool, threads: int | None, json: bool
) -> None:
    """Change an index and save it in one step, and say what changed."""
    from hott.utils.atomic import file_lock

    path = file_here(index_file)
    open_index(index_file)  # which says what to do where there is none
    with file_lock(path.resolve()):
        index = open_index(index_file)
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
    say(f"{path}: {changes}; {len(index):,} documents")
    print_left_out(left_out)
    if staleness.is_stale:
        say(f"The topics may be stale: {staleness}. --refit learns them anew.")


def command_by_documents(method: str, help: str) -> Callable[..., None]:
    """Make a command that gives documents, read as the first ones were, to a method of an index."""

    def command(
        index: IndexFile,
        corpus: DocumentsPath,
        refit: Refit = False,
        threads: Threads = None,
        json: Json = False,
        *,
        reading: dict[str, Any],
    ) -> None:
        from hott.corpus import stream
        from hott.index import Shards

        if method == "add" and isinstance(shards := open_searchable(index), Shards):
            name = shards.add(stream(corpus, progress=True, **reading), threads=threads, progress=True)
            if json:
                print_json({"shard": name, "documents": len(shards)})
            else:
                say(f"{index}: new shard {name}; {len(shards):,} documents")
            return

        def how(index: "Index") -> "Changes":
            first = {name: value for name, value in index.reading.items() if name != "source"}
            batches = stream(corpus, progress=True, **(first | reading))
            return getattr(index, method)(batches, threads=threads, progress=True)

        change(index, how, refit=refit, threads=threads, json=json)

    command.__doc__ = help
    return with_reading(command)
