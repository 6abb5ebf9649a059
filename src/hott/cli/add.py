"""hott add: new documents into an index."""

from typing import TYPE_CHECKING, Any

from hott.cli._arguments import IndexFile, Json, Threads
from hott.cli._changes import Refit, change, documents_for
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

    Their ids must be new; [bold]hott update[/bold] replaces. They are read as the first ones were.

    [bold]Example[/bold]

    hott add articles.hott this-week/
    """
    from hott.index import Changes

    def add(opened: "Index") -> "Changes":
        before = len(opened)
        opened.add(documents_for(opened, corpus, reading), threads=threads, progress=True)
        return Changes(added=tuple(opened.documents.ids[before:]), unchanged=before)

    change(index, add, refit=refit, threads=threads, json=json)
