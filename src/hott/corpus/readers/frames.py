"""Rows out of what is in memory: pandas and polars frames and series, and dicts."""

from collections.abc import Iterable, Mapping
from itertools import chain, islice
from typing import Any

from hott.corpus.readers.rows import Columns, Record, Rows, first_places, make_row


def is_frame(value: Any) -> bool:
    """Return whether this is a table of columns: a pandas or polars frame, or an Arrow table."""
    return hasattr(value, "columns") and hasattr(value, "__getitem__") and hasattr(value, "shape")


def is_series(value: Any) -> bool:
    """Return whether this is a pandas or polars series."""
    return hasattr(value, "to_list") and hasattr(value, "name") and hasattr(value, "dtype")


def read_rows(rows: Iterable[Mapping[str, Any]], columns: Columns, name: str) -> Rows:
    """Read documents out of dicts. The columns are found by all keys of the first hundred."""
    given = iter(rows)
    head = list(islice(given, 100))
    keys = list(dict.fromkeys(str(key) for row in head if isinstance(row, Mapping) for key in row))
    found = columns.find(keys, name) if keys else {}
    for number, row in enumerate(chain(head, given)):
        if not isinstance(row, Mapping):
            raise ValueError(
                f"{name} must hold dicts: number {number} is {row!r:.60} ({type(row).__name__})."
            )
        yield make_row({str(key): _present(value) for key, value in row.items()}, found, name, number + 1)


def read_frame(frame: Any, columns: Columns) -> Rows:
    """Read documents out of a frame. A pandas index that was set gives the ids where no column does."""
    names = [str(name) for name in (frame.column_names if hasattr(frame, "column_names") else frame.columns)]
    places = first_places(names)
    values = {name: list_values(_column(frame, place), name) for name, place in places.items()}
    ids = _index(frame)
    found = columns.find(names, "the frame")
    for number, row in enumerate(zip(*values.values())):
        record = make_row(
            {name: _present(value) for name, value in zip(values, row)}, found, "the frame", number + 1
        )
        if isinstance(record, Record) and record.id is None and ids is not None and columns.id is None:
            record = record._replace(id=ids[number])
        yield record


def read_series(series: Any) -> Rows:
    """Read documents out of a series of texts. A pandas index that was set gives the ids."""
    ids = _index(series)
    for number, text in enumerate(series.to_list()):
        row = make_row({"text": _present(text)}, {"text": "text"}, "the series", number + 1)
        yield row._replace(id=ids[number] if ids else None) if isinstance(row, Record) else row


def _column(frame: Any, place: int) -> Any:
    """Return a column by its place: names may occur twice."""
    if hasattr(frame, "iloc"):
        return frame.iloc[:, place]
    return frame.column(place) if hasattr(frame, "column_names") else frame[frame.columns[place]]


def list_values(column: Any, name: str) -> list[Any]:
    """List the values of a column of pandas, polars or Arrow as Python's own.

    Dates beyond those of Python become text. A text that Arrow keeps once, for many rows, stays one.
    """
    try:
        if hasattr(column, "dictionary") and hasattr(column, "indices"):
            texts = column.dictionary.to_pylist()
            return [None if place is None else texts[place] for place in column.indices.to_pylist()]
        return column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
    except (OverflowError, ValueError) as error:
        try:
            return column.cast("string").to_pylist()
        except (AttributeError, TypeError, ValueError, NotImplementedError):
            raise ValueError(f"the column {name!r:.60} cannot be read: {error}") from error


def _index(frame: Any) -> list[str] | None:
    """Return the index of a pandas frame as ids, if it is more than a count and has none twice."""
    index = getattr(frame, "index", None)
    if index is None or callable(index) or type(index).__name__ == "RangeIndex" or not index.is_unique:
        return None
    return [str(value) for value in index]


def _present(value: Any) -> Any:
    """Return a value, or None for what pandas writes in the place of a missing value."""
    missing = isinstance(value, float) and value != value
    return None if missing or type(value).__name__ in ("NAType", "NaTType") else value
