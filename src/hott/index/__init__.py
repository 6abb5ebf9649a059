"""Index: text in, answers out."""

from hott.index._build import reads_unseen, word_forms
from hott.index._changes import Changes, Staleness
from hott.index._comparing import Label, Text
from hott.index._content import Cluster, Copies, Outlier, TopicsOver
from hott.index._documents import Documents
from hott.index._edits import Curation, Edit
from hott.index._filter import Where, described, parsed
from hott.index._hits import Hit, Hits, Query
from hott.index._index import Index, changing, open
from hott.index._query import By, EmptyQuery
from hott.index._shards import Shards

__all__ = [
    "By",
    "Changes",
    "Cluster",
    "Copies",
    "Curation",
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
    "described",
    "open",
    "parsed",
    "reads_unseen",
    "word_forms",
]
