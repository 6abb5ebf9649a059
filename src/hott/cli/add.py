"""hott add: new documents into an index."""

from typing import TYPE_CHECKING, Any

from hott.cli._arguments import IndexFile, Json, Threads, open_searchable
from hott.cli._changes import Refit, change, documents_for
from hott.cli._output import print_json, say
from hott.cli._reading import DocumentsPath, with_reading

if TYPE_CHECKING:
    from hott.index import Changes, Index, Shards


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
    from hott.corpus import stream
    from hott.index import Changes, Shards

    opened = open_searchable(index)
    if isinstance(opened, Shards):
        name = opened.add(stream(corpus, progress=True, **reading), threads=threads, progress=True)
        _print_shard(opened, index, name, json)
        return

    def add(opened: "Index") -> "Changes":
        before = len(opened)
        opened.add(documents_for(opened, corpus, reading), threads=threads, progress=True)
        return Changes(added=tuple(opened.documents.ids[before:]), unchanged=before)

    change(index, add, refit=refit, threads=threads, json=json)


def _print_shard(shards: "Shards", index: str, name: str, json: bool) -> None:
    if json:
        print_json({"shard": name, "documents": len(shards)})
        return
    say(f"{index}: a new shard {name}; {len(shards):,} documents")
