"""Result tables: one CSV file an experiment, one row a finished cell, never a half-written one."""

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from hott._atomic import replacing

Row: TypeAlias = dict[str, str]


class Table:
    """The rows of one experiment. A cell whose row is there is not computed again.

    Examples
    --------
    >>> import tempfile
    >>> table = Table(Path(tempfile.mkdtemp()) / "speed.csv", keys=("dataset", "method"))
    >>> table.add({"dataset": "r8", "method": "HOTT", "pairs": 2 / 3})
    >>> table.has({"dataset": "r8", "method": "HOTT"}), table.has({"dataset": "r8", "method": "WMD"})
    (True, False)
    >>> table.rows
    [{'dataset': 'r8', 'method': 'HOTT', 'pairs': '0.666667'}]
    """

    def __init__(self, path: Path, keys: tuple[str, ...]) -> None:
        self.path = path
        self.keys = keys
        self.rows = read_rows(path)
        self._done = {self._key(row) for row in self.rows}

    def has(self, key: Mapping[str, Any]) -> bool:
        """Whether the cell with this key is finished."""
        return self._key(key) in self._done

    def add(self, row: Mapping[str, Any]) -> None:
        """Add a row; what other runs have written to the file in the meantime stays."""
        self.rows = [*(r for r in read_rows(self.path) if self._key(r) != self._key(row)), _as_text(row)]
        self._done = {self._key(r) for r in self.rows}
        write_rows(self.path, self.rows)

    def _key(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(_text(row[key]) for key in self.keys)


def read_rows(path: Path) -> list[Row]:
    """The rows of a CSV file; none when there is no file."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_rows(path: Path, rows: list[Row]) -> None:
    """Replace a CSV file in one step. Columns are those of all rows, in the order of appearance."""
    columns = list(dict.fromkeys(column for row in rows for column in row))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(text.getvalue().encode())


def number(row: Mapping[str, str], column: str) -> float:
    """A number of a row; NaN where there is none."""
    return float(row.get(column) or "nan")


def _as_text(row: Mapping[str, Any]) -> Row:
    return {column: _text(value) for column, value in row.items()}


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
