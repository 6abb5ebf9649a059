"""Index: text in, answers out."""

from hott.index._changes import Changes, Staleness
from hott.index._compared import Label, Text
from hott.index._documents import Documents
from hott.index._filter import Where, parsed
from hott.index._hits import Hit, Hits, Query
from hott.index._index import Index, changing, open

__all__ = [
    "Changes",
    "Documents",
    "Hit",
    "Hits",
    "Index",
    "Label",
    "Query",
    "Staleness",
    "Text",
    "Where",
    "changing",
    "open",
    "parsed",
]
