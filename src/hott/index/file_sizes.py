"""What takes the space in the file of an index."""

import os
from collections import Counter
from pathlib import Path
from typing import Any

from hott import storage
from hott.storage import Part, Stored

_PARTS = {  # of the file, by what they are for
    "words": ("words", "word_counts", "word_documents"),
    "words for search": ("all_words", "postings"),
    "word vectors": ("word_vectors", "own_vectors"),
    "topics": ("topics", "neighbors", "topic_counts", "topic_sums", "topic_distances", "alpha", "coherence"),
    "topics of documents": ("known", "proportions"),
    "columns": ("later",),
    "sample of distances": ("sampled_distances",),
}
_GROUPS = {part: group for group, parts in _PARTS.items() for part in parts}  # others: their own name
_OF_OTHERS = {
    "DocumentVectors": "document vectors",
    "MeaningVectors": "document vectors",
    "L1": "word weights of documents",
}


def measure_parts(path: str | os.PathLike[str]) -> dict[str, int]:
    """Measure what takes the space in an index: bytes in all its files by what they are for, most first."""
    folder = Path(path)
    files = sorted(folder.glob("*.hott")) if folder.is_dir() else [path]
    found: Counter[str] = Counter()
    for file in files:
        stored = storage.read(file)
        for part in stored.parts:
            found[_group_of(part, stored)] += part.length
        found["header"] += storage.size(file) - sum(part.length for part in stored.parts)  # and padding
    return dict(found.most_common())


def _group_of(part: Part, stored: Stored) -> str:
    name, *rest = part.name.split(".")
    if name == "documents":
        columns = list(stored.tables["documents"].schema)
        return "texts" if columns[int(rest[0])] == "text" else "columns"
    if name == "other":
        others: list[dict[str, Any]] = stored.header.get("others", [])
        number = int(rest[0])
        kind = others[number].get("kind", "") if number < len(others) else ""
        return _OF_OTHERS.get(kind, "documents as distances see them")
    return _GROUPS.get(name, name)
