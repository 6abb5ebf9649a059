"""What the commands that change an index share: one step or not at all, and a hint when topics are stale."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hott.cli._arguments import file_here, open_index
from hott.cli._output import print_json, print_left_out, say

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


def change_by_documents(
    method: str,
    index_file: str,
    documents: Path,
    reading: dict[str, Any],
    threads: int | None,
    **options: Any,
) -> None:
    """Let a method of an index take the documents of a file or folder, read as its first ones were."""
    from hott.corpus import stream

    def how(index: "Index") -> "Changes":
        first = {name: value for name, value in index.reading.items() if name != "source"}
        batches = stream(documents, progress=True, **(first | reading))
        return getattr(index, method)(batches, threads=threads, progress=True)

    change(index_file, how, threads=threads, **options)
