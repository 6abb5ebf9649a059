"""hott update: documents that replace those with their ids."""

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
    """Replace the documents of an index that have the same ids, and add those that are new.

    [bold]Example[/bold]

    hott update articles.hott corrected.csv
    """

    def update(opened: "Index") -> "Changes":
        documents = documents_for(opened, corpus, reading)
        return opened.update(documents, threads=threads, progress=True)

    change(index, update, refit=refit, threads=threads, json=json)
