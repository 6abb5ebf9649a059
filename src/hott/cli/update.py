"""hott update: documents that replace those with their ids."""

from typing import Any

from hott.cli._arguments import IndexFile, Json, Threads
from hott.cli._changes import Refit, change_by_documents
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
    """Replace documents that have the same ids, and add new ones.

    [bold]Example[/bold]

    hott update articles.hott corrected.csv
    """
    change_by_documents("update", index, corpus, reading, threads, refit=refit, json=json)
