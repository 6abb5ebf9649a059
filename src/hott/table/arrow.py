"""Tables as Arrow has them, and back; needs the extra ``hott[parquet]``."""

from typing import Any

from hott.table.columns import BOOL, DATE, NUMBER, TEXT, TIME, WHOLE, Column, Texts, Values
from hott.table.table import Table
from hott.table.values import infer_column
from hott.utils.optional import import_optional


def to_arrow(table: Table) -> Any:
    """A table as an Arrow table."""
    pa = import_optional("pyarrow", extra="parquet")
    types = {
        TEXT: pa.large_string(),
        BOOL: pa.bool_(),
        WHOLE: pa.int64(),
        NUMBER: pa.float64(),
        DATE: pa.date32(),
        TIME: pa.timestamp("us"),
    }
    return pa.table(
        {name: pa.array(column.tolist(), types[column.kind]) for name, column in table.columns.items()}
    )


def from_arrow(table: Any) -> Table:
    """An Arrow table as one of ours: each column of the kind that holds its values, else as text."""
    return Table({name: _column(table[name]) for name in table.column_names}, table.num_rows)


def _column(column: Any) -> Column[Any]:
    pa = import_optional("pyarrow", extra="parquet")
    is_, old = pa.types, column.type
    if is_.is_timestamp(old):
        column = column.cast(pa.timestamp("us", old.tz), safe=False)
    values = column.to_pylist()
    if is_.is_string(old) or is_.is_large_string(old) or is_.is_dictionary(old):
        if all(value is None or isinstance(value, str) for value in values):
            return Texts.of(values)
    elif not any(value is not None for value in values):  # nothing but the type tells what it holds
        for matches, kind in (
            (is_.is_boolean, BOOL),
            (is_.is_integer, WHOLE),
            (is_.is_floating, NUMBER),
            (is_.is_date, DATE),
            (is_.is_timestamp, TIME),
        ):
            if matches(old):
                return Values.of(values, kind)
    return infer_column(values)
