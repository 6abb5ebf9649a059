"""Filters: which documents are meant, told by their columns."""

import operator
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hott.index.documents import Documents, check_column
from hott.table.columns import BOOL, DATE, KINDS, NUMBER, TEXT, TIME, WHOLE, Column, Kind, Texts, Values

Where: TypeAlias = Mapping[str, Any]
"""Columns and what they must be: a value, a (first, last) range with None for an open end, or a list of
these, of which one must hold. None stands for a missing value."""
Mask: TypeAlias = NDArray[np.bool_]
Filter: TypeAlias = Where | Mask | None

_SHOWN = 5  # values of a column, in errors

MAX_CATEGORIES = 100
"""Different texts that a column of categories may have; with more it is a column of text."""


def check_filter(documents: Documents, where: Where | Mask) -> Mask:
    """Mark the documents that a filter leaves; an error, with what the columns hold, when it leaves none."""
    if isinstance(where, np.ndarray):
        if where.dtype != bool or where.shape != (len(documents),):
            raise ValueError(
                f"where must mark each of the {len(documents)} documents by True or False; "
                f"got an array of {where.dtype} of shape {where.shape}."
            )
        if not where.any():
            raise ValueError("No document is left by the filter: where is False for all of them.")
        return where
    keep = filter_mask(documents, where)
    if not keep.any():
        told = "; ".join(f"{name} {FilterColumn(name, documents.column(name)).content}" for name in where)
        raise ValueError(f"No document is left by the filter {format_filter(where)}: {told}.")
    return keep


def filter_mask(documents: Documents, where: Where | Mask) -> Mask:
    """Mark the documents that a filter leaves, which may be none. A mask is one already."""
    if isinstance(where, np.ndarray):
        return where
    if not isinstance(where, Mapping):
        raise ValueError(
            f'where must be columns and their values, such as {{"label": "sport", "year": (2004, 2005)}}; '
            f"got {where!r:.60} ({type(where).__name__})."
        )
    columns = {name: FilterColumn(name, documents.column(name)) for name in where}
    keep = np.ones(len(documents), bool)
    for name, wanted in where.items():
        keep &= columns[name].holds(wanted)
    return keep


class WithColumns(Protocol):
    """Documents of which it is known what their columns hold."""

    @property
    def schema(self) -> dict[str, Kind]: ...


def parse_filter(documents: WithColumns, conditions: Iterable[str]) -> dict[str, Any]:
    """Parse conditions as people write them: ``label=sport``, ``year=2004..2005``, ``year=2004..``.

    Several of one column are alternatives. Two dots make a range of numbers or dates; in text they are text.
    """
    found: dict[str, list[Any]] = {}
    for condition in conditions:
        name, equals, value = condition.partition("=")
        if not equals:
            raise ValueError(
                f"A condition is a column and a value, as in label=sport or year=2004..2005; "
                f"got {condition!r:.60}."
            )
        found.setdefault(name.strip(), []).append(_write(check_column(documents.schema, name.strip()), value))
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def format_filter(where: Any) -> str:
    """Write a filter in the words of :func:`parse_filter`."""

    def one(name: str, wanted: Any) -> str:
        if isinstance(wanted, tuple) and len(wanted) == 2:
            first, last = ("" if end is None else end for end in wanted)
            return f"{name}={first}..{last}"
        if isinstance(wanted, list | set | frozenset):
            return " or ".join(one(name, value) for value in wanted)
        return f"{name}={'' if wanted is None else wanted}"

    return ", ".join(one(name, wanted) for name, wanted in where.items())


def _write(kind: Kind, value: str) -> Any:
    if value == "":
        return None
    first, dots, last = value.partition("..")
    return (first or None, last or None) if dots and kind in (WHOLE, NUMBER, DATE, TIME) else value


@dataclass(frozen=True, slots=True)
class FilterColumn:
    """A column to filter by."""

    name: str
    values: Column[Any]

    def holds(self, wanted: Any) -> NDArray[np.bool_]:
        """Mark the documents whose value in the column is as wanted."""
        if isinstance(wanted, list | set | frozenset | np.ndarray):
            if not len(wanted):
                raise ValueError(f"where: {self.name!r} is given an empty list, of which nothing can hold.")
            return np.logical_or.reduce([self.holds(one) for one in wanted])
        if wanted is None:
            return self.values.missing
        if isinstance(self.values, Texts) and isinstance(wanted, str | int):
            keep = np.zeros(len(self.values), bool)
            keep[self.values.rows_of(str(wanted))] = True
            return keep
        if isinstance(wanted, tuple):
            if len(wanted) != 2 or wanted == (None, None):
                raise ValueError(
                    f"where: {self.name!r} wants a range (first, last), None for an open end; got {wanted!r}."
                )
            first, last = wanted
        else:
            first = last = wanted
        keep = np.ones(len(self.values), bool)
        for end, place, compare in ((first, 0, operator.ge), (last, 1, operator.le)):
            if end is not None:
                bound = self._ends(end)[place]
                if isinstance(self.values, Values):
                    bound = np.datetime64(bound, "us") if self.values.kind in (DATE, TIME) else bound
                    keep &= compare(self.values.array, bound) & ~self.values.missing
                else:
                    keep &= [value is not None and compare(value, bound) for value in self.values]
        return keep

    def _ends(self, value: Any) -> tuple[Any, Any]:
        """Return what a value means as the first and the last of a range; for a year or a day they differ."""
        kind, wanted = self.values.kind, value.item() if isinstance(value, np.generic) else value
        try:
            if kind == TEXT and isinstance(wanted, str | int):
                return (str(wanted),) * 2
            if kind == BOOL and str(wanted).lower() in ("true", "false"):
                return (str(wanted).lower() == "true",) * 2
            if kind in (WHOLE, NUMBER) and isinstance(wanted, str | int | float) and wanted == wanted:
                number = float(wanted)
                whole = kind == WHOLE and number.is_integer()
                return (int(wanted) if whole else number,) * 2
            if kind in (DATE, TIME) and isinstance(wanted, str | int | date):
                return _period(wanted)
        except (ValueError, OverflowError):
            pass
        raise ValueError(f"where: {self.name!r} holds {KINDS[kind]}s, got {value!r:.60}; it {self.content}.")

    @property
    def content(self) -> str:
        """What the column holds, for a person who asked for something else."""
        counts = Counter(value for value in self.values if value is not None)
        if not counts:
            return "is empty"
        if self.values.kind in (TEXT, BOOL):
            values = ", ".join(repr(value) for value, _ in counts.most_common(_SHOWN))
            further = len(counts) - _SHOWN
            return f"is {values}{f' or one of {further:,} more' if further > 0 else ''}"
        return f"is from {min(counts)} to {max(counts)}"


def _period(value: str | int | date) -> tuple[datetime, datetime]:
    """Return the first and the last moment of a year, a month, a day or an instant."""
    if isinstance(value, datetime):
        moment = value.replace(tzinfo=None) - (value.utcoffset() or timedelta())
        return moment, moment
    text = value.isoformat() if isinstance(value, date) else str(value).strip()
    if re.fullmatch(r"\d{4}", text):
        year = int(text)
        return datetime(year, 1, 1), datetime(year, 12, 31, 23, 59, 59, 999_999)
    if re.fullmatch(r"\d{4}-\d{2}", text):
        year, month = map(int, text.split("-"))
        following = datetime(year + month // 12, month % 12 + 1, 1)
        return datetime(year, month, 1), following - timedelta(microseconds=1)
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        day = date.fromisoformat(text)
        return datetime.combine(day, time.min), datetime.combine(day, time.max)
    return _period(datetime.fromisoformat(text))


def describe_columns(documents: Documents) -> dict[str, dict[str, Any]]:
    """Describe each column besides the fields that every document has, as JSON could hold it."""
    found: dict[str, dict[str, Any]] = {}
    for name, column in documents.columns.items():
        missing = int(column.missing.sum())
        told: dict[str, Any] = {"type": KINDS[column.kind]}
        if column.kind == TEXT:
            distinct = len(set(column) - {None})
            if distinct <= min(MAX_CATEGORIES, len(column) / 2):
                told = {"type": "category", "values": distinct}
        elif column.kind != BOOL and missing < len(column):
            present = column.take(~column.missing).tolist()
            told |= {"from": _as_json(min(present)), "to": _as_json(max(present))}
        found[name] = told | ({"missing": missing} if missing else {})
    return found


def _as_json(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value
