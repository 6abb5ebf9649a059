"""Index: text in, answers out."""

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hott.index.documents import Documents
from hott.index.edits import Curation as Curation
from hott.index.edits import Edit
from hott.index.filters import Where
from hott.index.filters import describe_columns as describe_columns
from hott.index.filters import parse_filter as parse_filter
from hott.index.hits import By, Hit, Hits, Query
from hott.index.index import Index, changing, open
from hott.index.model import Model as Model
from hott.index.query import EmptyQuery
from hott.index.snapshot import Snapshot as Snapshot

if TYPE_CHECKING:
    from hott.index.analysis import DuplicateGroup, Outlier, TopicTrends
    from hott.index.changes import Changes, Staleness
    from hott.index.comparing import Label, Text
    from hott.index.shards import Shards
    from hott.index.subject_tree import SubjectEdit as SubjectEdit
    from hott.index.subjects import Subject, SubjectChanges, Subjects, SubjectTrends

__all__ = [
    "By", "Changes", "Documents", "DuplicateGroup", "Edit", "EmptyQuery", "Hit", "Hits", "Index", "Label",
    "Outlier", "Query", "Shards", "Staleness", "Subject", "SubjectChanges", "SubjectTrends", "Subjects",
    "Text", "TopicTrends", "Where", "changing", "open",
]  # fmt: skip

# What a search does without loads on first use.
_HOME = {
    name: module
    for module, names in {
        "analysis": "DuplicateGroup Outlier TopicTrends",
        "changes": "Changes Staleness",
        "comparing": "Label Text",
        "shards": "Shards",
        "subject_tree": "SubjectEdit",
        "subjects": "Subject SubjectChanges Subjects SubjectTrends",
    }.items()
    for name in names.split()
}
_RENAMED = {"Cluster": "Subject", "Copies": "DuplicateGroup", "TopicsOver": "TopicTrends"}


def __getattr__(name: str) -> Any:
    new = _RENAMED.get(name, name)
    if new not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if new != name:
        warnings.warn(f"hott.index.{name} is now {new}.", DeprecationWarning, stacklevel=2)
    return getattr(import_module(f"hott.index.{_HOME[new]}"), new)
