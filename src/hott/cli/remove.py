"""hott remove: documents out of an index."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hott.cli._arguments import Conditions, IndexFile, Json, Threads, complete_id, conditions
from hott.cli._changes import Refit, change

if TYPE_CHECKING:
    from hott.index import Changes, Index


def command(
    index: IndexFile,
    ids: Annotated[
        list[str] | None, typer.Argument(help="Ids of documents.", autocompletion=complete_id)
    ] = None,
    where: Conditions = None,
    listed: Annotated[
        Path | None, typer.Option("--from", help="A file of ids, one a line, such as copies to remove.")
    ] = None,
    refit: Refit = False,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Remove documents from an index, by id or by a filter. Its topics stay as they are.

    [bold]Examples[/bold]

    hott remove articles.hott draft-1.txt draft-2.txt

    hott remove articles.hott --where year=..1999

    hott remove articles.hott --from copies.txt
    """
    if not ids and not where and listed is None:
        raise typer.BadParameter("Say which documents: give ids, --where, or --from.")
    named = [] if listed is None else [line for line in listed.read_text("utf-8").splitlines() if line]

    def remove(opened: "Index") -> "Changes":
        by_filter = opened.matching(conditions(opened, where) or {}) if where else []
        return opened.remove(dict.fromkeys([*(ids or []), *named, *by_filter]))

    change(index, remove, refit=refit, threads=threads, json=json)
