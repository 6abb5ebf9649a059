"""What the commands that change an index share: one step or not at all, and a word on topics gone stale."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hott.cli._arguments import file_here, open_index
from hott.cli._output import print_json, print_left_out, say

if TYPE_CHECKING:
    from hott.corpus import Corpus
    from hott.index import Changes, Index

Refit = Annotated[
    bool, typer.Option("--refit", help="Then learn words and topics again, from all documents in the index.")
]


def documents_for(index: "Index", path: Path, reading: dict[str, Any]) -> "Iterator[Corpus]":
    """The documents of a file or folder, read as those of the index were where nothing else is said."""
    from hott.corpus import stream

    return stream(path, progress=True, **(index.reading | reading))


def change(
    index_file: str, how: "Callable[[Index], Changes]", *, refit: bool, threads: int | None, json: bool
) -> None:
    """Change an index and save it in one step, and say what became of it."""
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
    judged = index.staleness()
    if json:
        told: dict[str, Any] = {
            name: list(getattr(changes, name)) for name in ("added", "changed", "removed")
        }
        told |= {"unchanged": changes.unchanged, "left_out": left_out, "documents": len(index)}
        print_json(told | {"stale": judged.is_stale})
        return
    say(f"{path}: {changes}; {len(index):,} documents")
    print_left_out(left_out)
    if judged.is_stale:
        say(f"The topics may be stale: {judged}. --refit learns them anew.")
