"""hott sync: an index and the folder that it was made of, made equal again."""

from hott.cli._changes import command_by_documents

command = command_by_documents(
    "sync",
    """Bring an index up to date with its folder or file: add, replace and remove what has changed.

    Documents are compared by their content and read as the first ones were. The topics stay as they are.

    [bold]Example[/bold]

    hott sync articles.hott articles/
    """,
)
