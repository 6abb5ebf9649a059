"""hott update: documents that replace those with their ids."""

from hott.cli._changes import command_by_documents

command = command_by_documents(
    "update",
    """Replace documents that have the same ids, and add new ones.

    [bold]Example[/bold]

    hott update articles.hott corrected.csv
    """,
)
