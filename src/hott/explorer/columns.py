"""The columns of the documents: what they hold, and their values as colours need them."""

from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from hott.explorer import schemas
from hott.index import describe_columns

if TYPE_CHECKING:
    from hott.index import Index


def columns(index: "Index") -> list[schemas.ColumnInfo]:
    """What documents can be filtered and coloured by, the label first."""
    documents, found = index.documents, []
    labels = list(documents.labels)
    if any(label is not None for label in labels):
        found.append(
            _info("label", {"type": "category", "missing": labels.count(None)}, count_values(labels))
        )
    for name, told in describe_columns(documents).items():
        has_few = told["type"] in ("category", "yes or no")
        found.append(_info(name, told, count_values(documents.column(name)) if has_few else []))
    return found


def _info(name: str, told: dict[str, Any], values: list[schemas.LabelCount]) -> schemas.ColumnInfo:
    first, last = (None if told.get(end) is None else str(told[end]) for end in ("from", "to"))
    return schemas.ColumnInfo(
        name=name, type=told["type"], values=values, first=first, last=last, missing=told.get("missing", 0)
    )


def values_of(index: "Index", info: schemas.ColumnInfo) -> schemas.ColumnView:
    """A column as colours need it."""
    if info.type == "text":
        raise ValueError(f"Documents cannot be coloured by {info.name!r}: almost every value is another one.")
    values = list(index.documents.column(info.name))
    if info.type in ("number", "date"):
        numbers = [None if value is None else _number(value) for value in values]
        return schemas.ColumnView(name=info.name, names=[], codes=[], numbers=numbers)
    names = [entry.label for entry in info.values]
    code = {value: place for place, value in enumerate(names)}
    codes = [-1 if value is None else code[format_value(value)] for value in values]
    return schemas.ColumnView(name=info.name, names=names, codes=codes, numbers=[])


def count_values(values: Iterable[Any]) -> list[schemas.LabelCount]:
    """How often there is each value, the most frequent first, equally frequent ones by name.

    Examples
    --------
    >>> [(value.label, value.documents) for value in count_values(["c", "b", None, "a", "c"])]
    [('c', 2), ('a', 1), ('b', 1)]
    """
    counts = Counter(format_value(value) for value in values if value is not None)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [schemas.LabelCount(label=label, documents=n) for label, n in ranked]


def format_value(value: Any) -> str:
    """A value as people write it, and as conditions take it."""
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date) else str(value)


def _number(value: Any) -> float:
    """A number; of a date, the days since 1970."""
    if isinstance(value, datetime):
        return (value - datetime(1970, 1, 1)).total_seconds() / 86_400
    return float((value - date(1970, 1, 1)).days) if isinstance(value, date) else float(value)
