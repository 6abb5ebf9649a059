"""Index: text in, answers out."""

from hott.index.analysis import Cluster, Copies, Outlier, TopicsOver
from hott.index.build import reads_unseen as reads_unseen
from hott.index.build import word_forms as word_forms
from hott.index.changes import Changes, Staleness
from hott.index.comparing import Label, Text
from hott.index.documents import Documents
from hott.index.edits import Curation as Curation
from hott.index.edits import Edit
from hott.index.filters import Where
from hott.index.filters import described as described
from hott.index.filters import parsed as parsed
from hott.index.hits import Hit, Hits, Query
from hott.index.index import Index, changing, open
from hott.index.query import By, EmptyQuery
from hott.index.shards import Shards

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
