"""Index: text in, answers out."""

from hott.index._build import reads_unseen as reads_unseen
from hott.index._build import word_forms as word_forms
from hott.index._changes import Changes, Staleness
from hott.index._comparing import Label, Text
from hott.index._content import Cluster, Copies, Outlier, TopicsOver
from hott.index._documents import Documents
from hott.index._edits import Curation as Curation
from hott.index._edits import Edit
from hott.index._filter import Where
from hott.index._filter import described as described
from hott.index._filter import parsed as parsed
from hott.index._hits import Hit, Hits, Query
from hott.index._index import Index, changing, open
from hott.index._query import By, EmptyQuery
from hott.index._shards import Shards

__all__ = [
    "By",
    "Changes",
    "Cluster",
    "Copies",
    "Documents",
    "Edit",
    "EmptyQuery",
    "Hit",
    "Hits",
    "Index",
    "Label",
    "Outlier",
    "Query",
    "Shards",
    "Staleness",
    "Text",
    "TopicsOver",
    "Where",
    "changing",
    "open",
]
