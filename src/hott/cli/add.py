"""hott add: new documents into an index."""

from typing import Any

from hott.cli._arguments import IndexFile, Json, Threads, open_searchable
from hott.cli._changes import Refit, change_by_documents
from hott.cli._output import print_json, say
from hott.cli._reading import DocumentsPath, with_reading


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

    Their ids must be new; [bold]hott update[/bold] replaces documents. They are read as the first ones were.
    An index of shards gets another shard.

    [bold]Example[/bold]

    hott add articles.hott this-week/
    """
    from hott.corpus import stream
    from hott.index import Shards

    opened = open_searchable(index)
    if not isinstance(opened, Shards):
        change_by_documents("add", index, corpus, reading, threads, refit=refit, json=json)
        return
    name = opened.add(stream(corpus, progress=True, **reading), threads=threads, progress=True)
    if json:
        print_json({"shard": name, "documents": len(opened)})
    else:
        say(f"{index}: new shard {name}; {len(opened):,} documents")
