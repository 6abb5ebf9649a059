"""hott add: new documents into an index."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from hott.cli._arguments import IndexFile, Json, Threads
from hott.cli._changes import Refit, change, documents_for
from hott.cli._output import console, print_json
from hott.cli._reading import DocumentsPath, with_reading

if TYPE_CHECKING:
    from hott.index import Changes, Index


@with_reading
def command(
    index: IndexFile,
    corpus: DocumentsPath,
    refit: Refit = False,
    threads: Threads = None,
    json: Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Add new documents to an index. Its topics stay as they are.

    Their ids must be new; [bold]hott update[/bold] replaces. They are read as the first ones were. To an
    index of shards they are added as another shard.

    [bold]Example[/bold]

    hott add articles.hott this-week/
    """
    from hott.index import Changes

    if index.is_dir():
        _add_shard(index, corpus, threads, json, reading)
        return

    def add(opened: "Index") -> "Changes":
        before = len(opened)
        opened.add(documents_for(opened, corpus, reading), threads=threads, progress=True)
        return Changes(added=tuple(opened.documents.ids[before:]), unchanged=before)

    change(index, add, refit=refit, threads=threads, json=json)


def _add_shard(index: Path, corpus: Path, threads: int | None, json: bool, reading: dict[str, Any]) -> None:
    import hott
    from hott.corpus import stream

    shards = hott.Shards.open(index)
    name = shards.add(stream(corpus, progress=True, **reading), threads=threads, progress=True)
    if json:
        print_json({"shard": name, "documents": len(shards)})
        return
    console.print(f"{index}: a new shard {name}; {len(shards):,} documents", soft_wrap=True)
