"""Tables: columns of equal length by their names, and tables whose columns differ; to Arrow and back."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from hott.table.columns import (
    BOOL,
    DATE,
    NUMBER,
    TEXT,
    TIME,
    WHOLE,
    Column,
    Kind,
    Rows,
    Texts,
    Values,
    as_kind,
    empty_column,
    infer_column,
)
from hott.utils.optional import import_optional

Schema: TypeAlias = Mapping[str, Kind]
"""The names of columns, in their order, and what they hold."""


class Table:
    """Columns of equal length, by their names; :meth:`of` makes one of plain lists.

    Parameters
    ----------
    columns : mapping from names to columns
    n_rows : int, optional
        How many rows a table without columns has.

    Examples
    --------
    >>> Table.of({"id": ["a", "b"], "year": [2004, None]}).take([1]).records()
    [{'id': 'b', 'year': None}]
    """

    def __init__(self, columns: Mapping[str, Column[Any]], n_rows: int | None = None) -> None:
        self.columns = dict(columns)
        lengths = {len(column) for column in self.columns.values()}
        if len(lengths) > 1:
            raise ValueError(f"The columns of a table must be of one length, got {sorted(lengths)}.")
        self.n_rows = lengths.pop() if lengths else n_rows or 0

    @classmethod
    def of(cls, columns: Mapping[str, Sequence[Any]]) -> "Table":
        """Make a table of lists or arrays of texts, numbers, dates or truth values; None is a missing one."""
        made: dict[str, Column[Any]] = {}
        for name, values in columns.items():
            are_texts = all(isinstance(value, str) for value in values)
            made[name] = Texts.of(values) if are_texts else infer_column(values)
        return cls(made)

    @classmethod
    def empty(cls, schema: Schema, n_rows: int = 0) -> "Table":
        """Make a table in which every value is missing."""
        return cls({name: empty_column(kind, n_rows) for name, kind in schema.items()}, n_rows)

    @property
    def schema(self) -> dict[str, Kind]:
        return {name: column.kind for name, column in self.columns.items()}

    @property
    def nbytes(self) -> int:
        """Memory that the table takes."""
        return sum(column.nbytes for column in self.columns.values())

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, name: str) -> Column[Any]:
        return self.columns[name]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return list(self.schema.items()) == list(other.schema.items()) and self.columns == other.columns

    __hash__ = None  # type: ignore[assignment]

    def select(self, names: Sequence[str] | None) -> "Table":
        """Return a table of some of the columns; of all by default."""
        return self if names is None else Table({name: self.columns[name] for name in names}, self.n_rows)

    def part(self, start: int, stop: int) -> "Table":
        """Return the rows from ``start`` to ``stop``, in the same memory."""
        n_rows = len(range(*slice(start, stop).indices(self.n_rows)))
        return Table({name: column.part(start, stop) for name, column in self.columns.items()}, n_rows)

    def take(self, rows: Rows) -> "Table":
        """Return some of the rows, in the given order."""
        places = np.arange(len(self))[rows] if len(rows) else np.empty(0, np.intp)
        return Table({name: column.take(places) for name, column in self.columns.items()}, len(places))

    def records(self) -> list[dict[str, Any]]:
        """Return each row as a dict by the names of the columns."""
        listed = [column.tolist() for column in self.columns.values()]
        return [dict(zip(self.columns, row)) for row in zip(*listed)]

    def parts(self, n_rows: int) -> Iterator["Table"]:
        """Yield the table in pieces of ``n_rows`` rows; the last may be shorter."""
        for start in range(0, self.n_rows, n_rows):
            yield self.part(start, min(start + n_rows, self.n_rows))


def unify_schemas(schemas: Sequence[Schema]) -> dict[str, Kind]:
    """Collect the columns of some tables, each with a kind that can hold the values of all of them."""
    kinds: dict[str, Kind] = {}
    for schema in schemas:
        for name, kind in schema.items():
            both = {kinds.setdefault(name, kind), kind}
            if len(both) > 1:
                kinds[name] = NUMBER if both == {WHOLE, NUMBER} else TIME if both == {DATE, TIME} else TEXT
    return kinds


def align(table: Table, schema: Schema) -> Table:
    """Give a table exactly these columns of these kinds; columns that it lacks are empty."""
    return Table(
        {
            name: as_kind(table[name], kind) if name in table.columns else empty_column(kind, len(table))
            for name, kind in schema.items()
        },
        len(table),
    )


def concat_tables(tables: Sequence[Table]) -> Table:
    """Concatenate the rows of tables, whose columns may differ."""
    if len(tables) == 1:
        return tables[0]
    schema = unify_schemas([table.schema for table in tables])
    parts = [align(table, schema) for table in tables]
    columns: dict[str, Column[Any]] = {}
    for name, kind in schema.items():
        those: list[Any] = [part[name] for part in parts]
        columns[name] = Texts.concatenate(those) if kind == TEXT else Values.concatenate(those)
    return Table(columns, sum(map(len, tables)))


def to_arrow(table: Table) -> Any:
    """Convert a table to an Arrow table."""
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
    """Convert an Arrow table to one of ours; a column that no other kind can hold becomes text."""
    return Table({name: _from_arrow_column(table[name]) for name in table.column_names}, table.num_rows)


def _from_arrow_column(column: Any) -> Column[Any]:
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
