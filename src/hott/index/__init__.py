"""Index: text in, answers out."""

from hott.index._compared import Label, Text
from hott.index._documents import Documents
from hott.index._hits import Hit, Hits, Query
from hott.index._index import Index, open

__all__ = ["Documents", "Hit", "Hits", "Index", "Label", "Query", "Text", "open"]
