"""hott add: new documents into an index."""

from hott.cli._changes import command_by_documents

command = command_by_documents(
    "add",
    """Add new documents to an index. Its topics stay as they are.

    Their ids must be new; [bold]hott update[/bold] replaces documents. They are read as the first ones were.
    An index of shards gets another shard.

    [bold]Example[/bold]

    hott add articles.hott this-week/
    """,
)
