"""Columns: values of one kind that read like lists and take little memory; what kind values are of."""

import json
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time
from decimal import Decimal
from operator import index
from typing import Any, Generic, Literal, Self, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hott.utils.wording import name_some

Value = TypeVar("Value")
Rows: TypeAlias = NDArray[np.integer] | NDArray[np.bool_] | Sequence[int]

Kind: TypeAlias = Literal["text", "bool", "whole", "number", "date", "time"]
TEXT: Kind = "text"
BOOL: Kind = "bool"
WHOLE: Kind = "whole"
NUMBER: Kind = "number"
DATE: Kind = "date"
TIME: Kind = "time"

DTYPES: dict[Kind, np.dtype] = {
    BOOL: np.dtype("i1"),
    WHOLE: np.dtype("i8"),
    NUMBER: np.dtype("f8"),
    DATE: np.dtype("M8[D]"),
    TIME: np.dtype("M8[us]"),
}
"""How the values of a column are held. Text is bytes of UTF-8."""

# What stands for a missing value; NaN and NaT where there is one.
_NO_BOOL, _NO_WHOLE = -1, np.iinfo(np.int64).min

_TOGETHER = 1024  # values that become Python's own at a time


class Column(Sequence[Value], Generic[Value]):
    """One field of every document, in order: reads like a list, None where a value is missing."""

    kind: Kind

    @abstractmethod
    def __len__(self) -> int: ...
    @abstractmethod
    def take(self, rows: Rows | slice) -> Self:
        """Return some of the values, in the given order; those of a slice in the same memory."""

    def part(self, start: int, stop: int) -> Self:
        """Return the values from ``start`` to ``stop``, in the same memory."""
        return self.take(slice(start, stop))

    @abstractmethod
    def tolist(self) -> list[Value]:
        """List all values as objects of Python's own types."""

    @property
    @abstractmethod
    def missing(self) -> NDArray[np.bool_]:
        """Where there is no value."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Memory that the column takes."""

    @overload
    def __getitem__(self, item: int) -> Value: ...
    @overload
    def __getitem__(self, item: slice) -> list[Value]: ...
    def __getitem__(self, item: int | slice) -> Value | list[Value]:
        if isinstance(item, slice):
            return self.take(item).tolist()
        row = row_number(item, len(self))
        return self.part(row, row + 1).tolist()[0]

    def __iter__(self) -> Iterator[Value]:
        for start in range(0, len(self), _TOGETHER):
            yield from self.part(start, start + _TOGETHER).tolist()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other))

    __hash__ = None  # type: ignore[assignment]  # equal to lists, which have no hash

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(list(self), dtype=object if dtype is None else dtype)

    def __repr__(self) -> str:
        shown = ", ".join(repr(value) for value in self[:3])
        return f"[{shown}{', ...' if len(self) > 3 else ''}] ({len(self):,} values)"


class Texts(Column[Any]):
    """Texts as places in one run of bytes, which other columns may share and which may lie on the disk."""

    kind: Kind = TEXT

    def __init__(
        self, content: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> None:
        self.content, self.starts, self.lengths = content, starts, lengths

    @classmethod
    def of(cls, values: Iterable[str | None]) -> Self:
        """Take in texts. Half a surrogate pair, as a careless "\\ud83d" in JSON gives, becomes a "?"."""
        encoded = [None if value is None else value.encode("utf-8", "replace") for value in values]
        lengths = np.array([-1 if value is None else len(value) for value in encoded], np.int64)
        content = np.frombuffer(b"".join(value for value in encoded if value is not None), np.uint8)
        return cls.pack(content, lengths)

    @classmethod
    def pack(cls, content: NDArray[np.uint8], lengths: NDArray[np.int64]) -> Self:
        """Make a column of texts that lie one after the other in ``content``."""
        ends = np.cumsum(np.maximum(lengths, 0))
        return cls(content, ends - np.maximum(lengths, 0), lengths)

    @classmethod
    def alike(cls, value: str | None, n: int) -> Self:
        """Repeat one text, or None, ``n`` times, without taking memory for each."""
        one = cls.of([value])
        return cls(one.content, np.broadcast_to(one.starts, n), np.broadcast_to(one.lengths, n))

    @classmethod
    def concatenate(cls, columns: "Sequence[Texts]") -> Self:
        """Concatenate the values of all columns."""
        lengths = np.concatenate([column.lengths for column in columns])
        contents = [column.content for column in columns if column.lengths.max(initial=0) > 0]
        if all(content is contents[0] for content in contents):  # bytes that are shared stay where they are
            content = contents[0] if contents else columns[0].content
            return cls(content, np.concatenate([column.starts for column in columns]), lengths)
        return cls.pack(np.concatenate([column.compact().content for column in columns]), lengths)

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def missing(self) -> NDArray[np.bool_]:
        return self.lengths < 0

    @property
    def nbytes(self) -> int:
        views = sum(array.nbytes for array in (self.starts, self.lengths) if any(array.strides))
        return self.content.nbytes + views

    def take(self, rows: Rows | slice) -> "Texts":
        found = Texts(self.content, self.starts[rows], self.lengths[rows])
        if isinstance(rows, slice) or 2 * int(np.maximum(found.lengths, 0).sum()) >= len(self.content):
            return found
        return found.compact()

    def compact(self) -> "Texts":
        """Return the same texts one after the other, in no more bytes than they need."""
        used = np.maximum(self.lengths, 0)
        first = int(self.starts[0]) if len(self) else 0
        if np.array_equal(self.starts[1:], (self.starts + used)[:-1]):
            content = self.content[first : first + int(used.sum())]
            if len(content) < len(self.content):
                content = content.copy()
        else:
            content = np.frombuffer(b"".join(self._pieces()), np.uint8)
        return Texts.pack(content, np.ascontiguousarray(self.lengths))

    def _pieces(self) -> Iterator[memoryview]:
        view = self.content.data
        for start, length in zip(self.starts.tolist(), self.lengths.tolist()):
            yield view[start : start + max(length, 0)]

    def tolist(self) -> list[str | None]:
        view = self.content.data
        return [
            None if length < 0 else str(view[start : start + length], "utf-8")
            for start, length in zip(self.starts.tolist(), self.lengths.tolist())
        ]

    def heads(self, n: int) -> list[str]:
        """Return the first ``n`` characters of each text, and an empty text for one that is missing."""
        view = self.content.data
        ends = self.starts + np.clip(self.lengths, 0, 4 * n)  # a character has four bytes at most
        return [
            str(view[start:end], "utf-8", "ignore")[:n]
            for start, end in zip(self.starts.tolist(), ends.tolist())
        ]

    def rows_of(self, value: str) -> NDArray[np.intp]:
        """Return the rows that hold this text."""
        wanted = value.encode("utf-8", "replace")
        rows = np.flatnonzero(self.lengths == len(wanted))
        for place in reversed(range(len(wanted))):  # ids are told apart by their ends
            if not len(rows):
                break
            rows = rows[self.content[self.starts[rows] + place] == wanted[place]]
        return rows

    def __reduce__(self) -> Any:
        compact = self.compact()  # not the bytes of all the others
        return Texts.pack, (compact.content, compact.lengths)


class Values(Column[Any]):
    """Numbers, dates or truth values."""

    def __init__(self, array: NDArray[Any], kind: Kind) -> None:
        self.array, self.kind = array, kind

    @classmethod
    def of(cls, values: Sequence[Any], kind: Kind) -> Self:
        """Take in values of one kind, None where one is missing."""
        none: Any = {BOOL: _NO_BOOL, WHOLE: _NO_WHOLE, NUMBER: np.nan}.get(kind)
        filled = values if none is None else [none if value is None else value for value in values]
        return cls(np.array(filled, DTYPES[kind]), kind)

    @classmethod
    def concatenate(cls, columns: "Sequence[Values]") -> Self:
        """Concatenate the values of all columns."""
        return cls(np.concatenate([column.array for column in columns]), columns[0].kind)

    def __len__(self) -> int:
        return len(self.array)

    @property
    def missing(self) -> NDArray[np.bool_]:
        if self.kind in (BOOL, WHOLE):
            return self.array == (_NO_BOOL if self.kind == BOOL else _NO_WHOLE)
        return np.isnat(self.array) if self.kind in (DATE, TIME) else np.isnan(self.array)

    @property
    def nbytes(self) -> int:
        return self.array.nbytes

    def take(self, rows: Rows | slice) -> "Values":
        return Values(self.array[rows], self.kind)

    def tolist(self) -> list[Any]:
        found = (self.array == 1 if self.kind == BOOL else self.array).tolist()
        if self.kind in (BOOL, WHOLE, NUMBER):  # NaT is None already
            for row in np.flatnonzero(self.missing).tolist():
                found[row] = None
        return found


def empty_column(kind: Kind, n: int) -> Column[Any]:
    """Make a column whose values are all missing."""
    return Texts.alike(None, n) if kind == TEXT else Values.of([None] * n, kind)


def as_kind(column: Column[Any], kind: Kind) -> Column[Any]:
    """Convert a column to another kind that can hold its values: numbers of any sort, moments, text."""
    if column.kind == kind:
        return column
    if kind == TEXT or not isinstance(column, Values):
        return Texts.of(as_text(value) for value in column)
    array = column.array.astype(DTYPES[kind])
    if kind == NUMBER:
        array[column.missing] = np.nan
    return Values(array, kind)


def as_text(value: Any) -> str | None:
    """Write a value as people do; return None for one that is missing or empty."""
    if value is None or isinstance(value, str):
        return value or None
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def strings(name: str, values: Iterable[Any], *, numbers: bool = False, missing: bool = False) -> Texts:
    """Turn what the user gave into texts, or say which value is not one."""
    if isinstance(values, Texts) and (missing or not values.missing.any()):
        return values
    if isinstance(values, str | bytes):
        raise ValueError(
            f"{name} must be a sequence of strings, got one string. Put it in a list: [{name[:-1]}]."
        )
    values = list(values)
    for position, value in enumerate(values):
        if isinstance(value, str):
            continue
        if numbers and isinstance(value, int | np.integer):
            values[position] = str(value)
        elif missing and (value is None or value != value):  # pandas writes a missing label as nan
            values[position] = None
        else:
            raise ValueError(
                f"{name} must be strings: {name}[{position}] is {value!r} ({type(value).__name__})."
            )
    return Texts.of(values)


def check_unique(ids: Column[str]) -> None:
    if len(set(ids)) == len(ids):
        return
    repeated = [id for id, times in Counter(ids).items() if times > 1]
    raise ValueError(
        f"ids must be unique: {len(repeated):,} of them occur more than once ({name_some(repeated)}). "
        "Give each document its own id, or give none and the documents are numbered (id=False when reading)."
    )


def row_number(item: Any, n: int) -> int:
    row = index(item)
    if not -n <= row < n:
        raise IndexError(f"position {row} is out of range for {n} documents")
    return row % n


def row_numbers(item: ArrayLike, n: int) -> NDArray[np.intp]:
    rows = np.asarray(item)
    if rows.dtype == bool:
        if rows.shape != (n,):
            raise IndexError(f"a boolean mask must have one value a document: {rows.shape} for {n} documents")
        return np.flatnonzero(rows)
    if rows.size and not np.issubdtype(rows.dtype, np.integer):
        raise TypeError(f"documents are selected by positions or a boolean mask, got {rows.dtype}")
    return np.array([row_number(row, n) for row in rows], dtype=np.intp)


KINDS: dict[Kind, str] = {
    BOOL: "yes or no",
    WHOLE: "number",
    NUMBER: "number",
    DATE: "date",
    TIME: "date",
    TEXT: "text",
}
"""What a column may hold, as people call it."""

_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_COMMA = r"[+-]?(0|[1-9][0-9]{0,2}([.][0-9]{3}){1,4}|[1-9][0-9]{0,14})(,[0-9]+)?"  # 1.234,50
_THOUSANDS = re.compile(r"[^,]*,[0-9]{3}")  # 1,234 may be either
_NUMBERS: list[tuple[Kind, str, Callable[[str], Any]]] = [
    # Not 007, which is a name and no number, and no more digits than a number holds.
    (WHOLE, r"[+-]?(0|[1-9][0-9]{0,17})", int),
    (NUMBER, r"[+-]?((0|[1-9][0-9]{0,14})([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]{1,2})?", float),
    (NUMBER, _COMMA, lambda text: float(text.replace(".", "").replace(",", "."))),
]
_DATES: list[tuple[Kind, str, Callable[[str], Any]]] = [
    (DATE, r"[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{4}", lambda text: date(*map(int, reversed(text.split("."))))),
    (DATE, _DATE, date.fromisoformat),
    (
        TIME,
        _DATE + r"[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?",
        lambda text: _moment(datetime.fromisoformat(text)),
    ),
]


def infer_column(values: Sequence[Any], *, written: bool = False) -> Column[Any]:
    """Make a column of values: of one type if they share one, else of text."""
    plain = [_plain(value) for value in values]
    kinds = {type(value) for value in plain if value is not None}
    if kinds <= {str}:
        return _parse([value or None for value in plain], written)
    if float in kinds and any(isinstance(value, int) and int(float(value)) != value for value in plain):
        kinds.add(str)  # a number beyond 2^53 would become another one
    for wanted, kind in (
        ({bool}, BOOL),
        ({int}, WHOLE),
        ({int, float}, NUMBER),
        ({date}, DATE),
        ({date, datetime}, TIME),
    ):
        if kinds <= wanted:
            try:
                return Values.of([_moment(value) for value in plain] if kind == TIME else plain, kind)
            except OverflowError:  # the last day of the year 9999 in another time zone
                break
    return Texts.of(as_text(value) for value in plain)


def _plain(value: Any) -> Any:
    """Convert a value to one of the types that a column may have; return None for one that is missing."""
    if isinstance(value, np.datetime64) and isinstance(value.item(), int):  # finer than Python's, or too far
        micro = value.astype("M8[us]").item()
        value = str(value) if isinstance(micro, int) else micro
    elif isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        return value if -(2**63) < value < 2**63 else str(value)
    if isinstance(value, Decimal):
        return None if value.is_nan() else float(value)
    if isinstance(value, float):
        return value if value == value else None
    if isinstance(value, datetime):
        if value != value:  # pandas' NaT
            return None
        return datetime.combine(value.date(), value.time(), value.tzinfo)
    if isinstance(value, date):
        return value
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except RecursionError:
        raise ValueError("a value is nested too deeply") from None
    except (TypeError, ValueError):  # keys that JSON has not, or a list within itself
        return str(value)


def _moment(value: date | datetime | None) -> datetime | None:
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    return None if value is None else datetime.combine(value, time())


def _parse(texts: list[str | None], written: bool) -> Column[Any]:
    """Read texts as numbers (where nothing but text was written) or dates, if all of them are such.

    Dates are those of ISO 8601 and 17.5.2004; numbers may have a comma for the point: 1.234,50.
    """
    present = [text for text in texts if text is not None]
    for kind, pattern, read in (*(_NUMBERS if written else ()), *_DATES):
        if not present or not all(map(re.compile(pattern).fullmatch, present)):
            continue
        if pattern == _COMMA and ("," not in "".join(present) or all(map(_THOUSANDS.fullmatch, present))):
            continue
        with suppress(ValueError, OverflowError):  # the 30th of February
            return Values.of([None if text is None else read(text) for text in texts], kind)
    return Texts.of(texts)
