"""The columns of the documents, which of them a selection means, and what is special about those."""

from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hott.explorer.schemas import Answer
from hott.index import describe_columns, parse_filter
from hott.index.filters import check_filter
from hott.terms.sets import TermTable, name_sets
from hott.utils.run import Run

if TYPE_CHECKING:
    from hott.index import Index

MIN_PROPORTION = 0.1  # of a topic, for a document to be among its documents
MAX_SPECIAL = 8
MAX_READ = 100  # documents of a selection in which terms are found; of more, some are taken evenly


def with_words(index: "Index", words: str) -> NDArray[np.bool_]:
    """Say which documents have all these words in their title or text."""
    wanted = words.casefold().split()
    found = np.zeros(len(index), bool)
    batches = index.documents.batches(["title", "text"])
    texts = (row for batch in batches for row in zip(batch["title"], batch["text"]))
    with Run.of({}).reporting("documents") as report:
        for row, (title, text) in enumerate(texts):
            whole = f"{title}\n{text}".casefold()
            found[row] = all(word in whole for word in wanted)
            if report is not None:
                report(row, len(found))  # which stops where nobody waits for it any more
    return found


def where_holds(index: "Index", conditions: list[str]) -> NDArray[np.bool_]:
    """Say which documents meet the conditions."""
    return check_filter(index.documents, parse_filter(index.documents, conditions))


def inside(points: NDArray[np.float64], corners: ArrayLike) -> NDArray[np.bool_]:
    """Say which points are inside a closed line: a ray from them crosses it an odd number of times."""
    corners = np.asarray(corners, float)
    odd = np.zeros(len(points), bool)
    x, y = points.T
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        for (x1, y1), (x2, y2) in zip(corners, np.roll(corners, 1, axis=0)):
            if y1 != y2:
                odd ^= ((y1 > y) != (y2 > y)) & (x < (x2 - x1) * (y - y1) / (y2 - y1) + x1)
    return odd & ~np.isnan(x)


def special_words(index: "Index", positions: NDArray[np.intp]) -> list[str]:
    """Return words and phrases that more of these documents have than of the others."""
    if not len(positions):
        return []
    read = positions[np.linspace(0, len(positions) - 1, min(len(positions), MAX_READ)).astype(np.intp)]
    texts = index.documents.rows(read.tolist(), ["text"])["text"]
    table = TermTable.of(texts, index.term_statistics)
    [name] = name_sets([table.select(range(len(read)), len(positions))], MAX_SPECIAL)
    return [term.text for term in name.terms]


def columns(index: "Index") -> list[Answer]:
    """List what documents can be filtered and coloured by, the labels first, by the name they came with."""
    documents, own = index.documents, index.documents.label_name
    counted = ("category", "yes or no")
    told, missing = describe_columns(documents), list(documents.labels).count(None)
    if missing < len(documents):
        told.pop(own, None)
        told = {own: {"type": "category", "missing": missing}, **told}
    return [
        {
            "name": name,
            "type": one["type"],
            "values": count_values(documents.column(name) if one["type"] in counted else ()),
            "first": None if one.get("from") is None else str(one["from"]),
            "last": None if one.get("to") is None else str(one["to"]),
            "missing": one.get("missing", 0),
        }
        for name, one in told.items()
    ]


def values_of(index: "Index", info: Answer) -> Answer:
    """Give the values of a column as colours need them."""
    name, kind = info["name"], info["type"]
    if kind == "text":
        raise ValueError(f"Documents cannot be coloured by {name!r}: almost every value is another one.")
    values = list(index.documents.column(name))
    if kind in ("number", "date"):
        numbers = [None if value is None else _number(value) for value in values]
        return {"name": name, "names": [], "codes": [], "numbers": numbers}
    names = [entry["label"] for entry in info["values"]]
    code = {value: place for place, value in enumerate(names)}
    codes = [-1 if value is None else code[format_value(value)] for value in values]
    return {"name": name, "names": names, "codes": codes, "numbers": []}


def count_values(values: Iterable[Any]) -> list[Answer]:
    """Count how often each value occurs, the most frequent first, equally frequent ones by name."""
    counts = Counter(format_value(value) for value in values if value is not None)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [{"label": label, "documents": n} for label, n in ranked]


def format_value(value: Any) -> str:
    """Write a value as people write it, and as conditions take it."""
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date) else str(value)


def _number(value: Any) -> float:
    """Return a value as a number, a date as the days since 1970."""
    if not isinstance(value, date):
        return float(value)
    first = datetime(1970, 1, 1) if isinstance(value, datetime) else date(1970, 1, 1)
    return (value - first) / timedelta(days=1)
