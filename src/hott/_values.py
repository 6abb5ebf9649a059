"""Columns of any type: what a value is, text that is numbers or dates, tables whose columns differ."""

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hott._columns import STRING, to_arrow

BOOL, WHOLE, NUMBER, DATE, TIME = pa.bool_(), pa.int64(), pa.float64(), pa.date32(), pa.timestamp("us")
TYPES = {BOOL: "yes or no", WHOLE: "number", NUMBER: "number", DATE: "date", TIME: "date", STRING: "text"}
"""The types that a column may have, and what people call them."""

_WRITTEN = {
    # Not 007, which is a name and no number, and no more digits than a number holds.
    WHOLE: r"^[+-]?(0|[1-9][0-9]{0,17})$",
    NUMBER: r"^[+-]?((0|[1-9][0-9]*)([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]{1,3})?$",
}
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_TIME = _DATE[:-1] + r"[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?$"


def typed(values: Sequence[Any], *, written: bool = False) -> pa.Array:
    """Values of one column as Arrow holds them: of one type if they have one, else as text.

    Parameters
    ----------
    values : sequence
        Numbers, dates, truth values, texts; None or NaN where one is missing. Anything else becomes JSON.
    written : bool
        They come from a file that has text only, such as CSV: text that is numbers throughout becomes so.

    Examples
    --------
    >>> typed(["2004", "", "2005"], written=True).to_pylist()
    [2004, None, 2005]
    >>> typed(["2004-05-17", None]).type, typed(["007"], written=True).type
    (DataType(date32[day]), DataType(large_string))
    """
    plain = [_plain(value) for value in values]
    kinds = {type(value) for value in plain if value is not None}
    if kinds <= {str}:
        return _parsed(to_arrow([value or None for value in plain]), written)
    for wanted, type_ in (
        ({bool}, BOOL),
        ({int}, WHOLE),
        ({int, float}, NUMBER),
        ({date}, DATE),
        ({date, datetime}, TIME),
    ):
        if kinds <= wanted:
            if type_ == TIME:
                plain = [_moment(value) for value in plain]
            return pa.array(plain, type_)
    return to_arrow([_as_text(value) for value in plain])


def normalised(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column in one of the types that columns may have."""
    old = column.type
    if old in TYPES:
        return column
    is_ = pa.types
    if is_.is_timestamp(old):
        return column.cast(pa.timestamp("us", old.tz), safe=False).cast(TIME)
    for matches, new in (
        (is_.is_integer, WHOLE),
        (is_.is_floating, NUMBER),
        (is_.is_decimal, NUMBER),
        (is_.is_date, DATE),
        (is_.is_string, STRING),
        (is_.is_dictionary, STRING),
    ):
        if matches(old):
            try:
                return column.cast(new)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
                break
    return pa.chunked_array([typed(column.to_pylist())])


def unified(schemas: Sequence[pa.Schema]) -> pa.Schema:
    """All columns of some tables, each of a type that holds the values of all of them.

    Examples
    --------
    >>> unified([pa.schema([("year", WHOLE)]), pa.schema([("year", NUMBER), ("by", STRING)])]).types
    [DataType(double), DataType(large_string)]
    """
    types: dict[str, pa.DataType] = {}
    for schema in schemas:
        for field in schema:
            types[field.name] = _both(types.get(field.name, field.type), field.type)
    return pa.schema(list(types.items()))


def aligned(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """A table with these columns in these types; columns that it lacks are empty."""
    columns = [
        _cast(table[field.name], field.type)
        if field.name in table.column_names
        else pa.chunked_array([pa.nulls(table.num_rows, field.type)])
        for field in schema
    ]
    return pa.table(columns, schema=schema)


def joined(tables: Sequence[pa.Table]) -> pa.Table:
    """The rows of all tables, one after the other, whose columns may differ."""
    schema = unified([table.schema for table in tables])
    return pa.concat_tables([aligned(table, schema) for table in tables])


def _both(a: pa.DataType, b: pa.DataType) -> pa.DataType:
    if a == b or pa.types.is_null(b):
        return a
    if pa.types.is_null(a):
        return b
    for pair, type_ in (({WHOLE, NUMBER}, NUMBER), ({DATE, TIME}, TIME)):
        if {a, b} == pair:
            return type_
    return STRING


def _cast(column: pa.ChunkedArray, type_: pa.DataType) -> pa.ChunkedArray:
    if column.type == type_:
        return column
    if type_ == STRING and column.type not in (WHOLE, pa.string()):
        return pa.chunked_array([to_arrow([_as_text(value) for value in column.to_pylist()])])
    return column.cast(type_, safe=False)


def _plain(value: Any) -> Any:
    """A value as one of the types a column may have; None for one that is missing."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else str(value)
    if isinstance(value, float | Decimal):
        return float(value) if value == value else None
    if isinstance(value, datetime):
        if value != value:  # pandas' NaT
            return None
        return datetime.combine(value.date(), value.time(), value.tzinfo)
    if isinstance(value, date):
        return value
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    return json.dumps(value, ensure_ascii=False, default=str)


def _moment(value: date | datetime | None) -> datetime | None:
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    return None if value is None else datetime.combine(value, time())


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value or None
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, date) else str(value)


def _parsed(texts: pa.Array, written: bool) -> pa.Array:
    """Text that is numbers (where nothing but text was written) or ISO dates throughout, as those."""
    present = texts.drop_null()
    if not len(present):
        return texts

    def all_match(pattern: str) -> bool:
        # A few first: most columns of text are told by them.
        return all(pc.all(pc.match_substring_regex(part, pattern)).as_py() for part in (present[:8], present))

    for type_, pattern in _WRITTEN.items() if written else ():
        if all_match(pattern):
            return texts.cast(type_)
    try:
        if all_match(_DATE):
            return pa.array([value and date.fromisoformat(value) for value in texts.to_pylist()], DATE)
        if all_match(_TIME):
            moments = [value and _moment(datetime.fromisoformat(value)) for value in texts.to_pylist()]
            return pa.array(moments, TIME)
    except ValueError:  # the 30th of February
        return texts
    return texts
