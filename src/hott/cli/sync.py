"""hott sync: an index and the folder that it was made of, made equal again."""

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
    """Bring an index up to date with a folder or file: new, changed and deleted documents, by their content.

    They are read as the first ones were. What has not changed is not computed again, and the topics stay.

    [bold]Example[/bold]

    hott sync articles.hott articles/
    """

    def sync(opened: "Index") -> "Changes":
        documents = documents_for(opened, corpus, reading)
        return opened.sync(documents, threads=threads, progress=True)

    change(index, sync, refit=refit, threads=threads, json=json)
