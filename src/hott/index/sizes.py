"""What takes the space in the file of an index."""

import os
from collections import Counter
from pathlib import Path
from typing import Any

from hott import storage
from hott.storage import Part, Stored

_GROUPS = {
    "words": "words",
    "word_counts": "words",
    "word_documents": "words",
    "all_words": "words for search",
    "postings": "words for search",
    "word_vectors": "word vectors",
    "own_vectors": "word vectors",
    "topics": "topics",
    "neighbors": "topics",
    "topic_counts": "topics",
    "topic_sums": "topics",
    "topic_distances": "topics",
    "alpha": "topics",
    "coherence": "topics",
    "known": "topics of documents",
    "proportions": "topics of documents",
    "terms": "terms",
    "later": "columns",
}
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
