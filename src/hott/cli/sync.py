"""hott sync: an index and the folder that it was made of, made equal again."""

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
    """Bring an index up to date with its folder or file: add, replace and remove what has changed.

    Documents are compared by their content and read as the first ones were. The topics stay as they are.

    [bold]Example[/bold]

    hott sync articles.hott articles/
    """
    change_by_documents("sync", index, corpus, reading, threads, refit=refit, json=json)
