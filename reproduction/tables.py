"""Result tables: one CSV file an experiment, one row a finished cell, never a half-written one."""

import csv
import io
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeAlias

from hott.utils.atomic import atomic_write, file_lock
from reproduction.provenance import remembered
from reproduction.study import Sizes

Row: TypeAlias = dict[str, str]


class Table:
    """The rows of one experiment. A cell whose row is there, and of this version and settings, is finished.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "speed.csv"
    >>> table = Table(path, {"version": "1", "settings": "a"})
    >>> table.add({"method": "HOTT"}, {"pairs": 2 / 3})
    >>> table.rows
    [{'method': 'HOTT', 'pairs': '0.666667', 'version': '1', 'settings': 'a'}]
    >>> table.has({"method": "HOTT"}), table.has({"method": "WMD"})
    (True, False)
    >>> Table(path, {"version": "2", "settings": "a"}).has({"method": "HOTT"})
    False
    """

    def __init__(self, path: Path, stamp: Mapping[str, str]) -> None:
        self.path = path
        self.stamp = stamp
        self.rows = read_rows(path)
        self.known = remembered(path.parent)

    def has(self, key: Mapping[str, Any]) -> bool:
        """Whether the cell with this key is finished."""
        return any(_is(row, key) and _same_kind(row, self.stamp, self.known) for row in self.rows)

    def add(self, key: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        """Add the row of a cell, in place of an older one; what other runs have written meanwhile stays."""
        row = _as_text({**key, **values, **self.stamp})
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with file_lock(self.path):
            self.rows = [*(other for other in read_rows(self.path) if not _is(other, key)), row]
            write_rows(self.path, self.rows)


def newest(rows: list[Row], known: Mapping[str, Any]) -> list[Row]:
    """The rows of the version and settings that the last row has: numbers of two kinds are never mixed.

    ``known`` is what the short names of settings stand for.

    Examples
    --------
    >>> newest([{"a": "1", "version": "1"}, {"a": "2", "version": "2"}], {})
    [{'a': '2', 'version': '2'}]
    """
    return [row for row in rows if _same_kind(row, rows[-1], known)]


def _same_kind(row: Mapping[str, str], other: Mapping[str, str], known: Mapping[str, Any]) -> bool:
    """Tell whether a row is of the revision of another, and of its settings as far as they matter to the row.

    A revision alters numbers as a release does not.
    """
    revisions, names = ([one.get(column, "") for one in (row, other)] for column in ("version", "settings"))
    if revisions[0].rpartition("-")[2] != revisions[1].rpartition("-")[2]:
        return False
    if names[0] == names[1] or not known.keys() >= set(names):
        return names[0] == names[1]
    own, others = (known[name] for name in names)
    return all(own.get(size.name) == others.get(size.name) for size in fields(Sizes))


def _is(row: Mapping[str, str], key: Mapping[str, Any]) -> bool:
    return all(row.get(name, "") == _text(value) for name, value in key.items())


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
    with atomic_write(path) as file:
        file.write(text.getvalue().encode())


def number(row: Mapping[str, str], column: str) -> float:
    """A number of a row; NaN where there is none."""
    return float(row.get(column) or "nan")


def _as_text(row: Mapping[str, Any]) -> Row:
    return {column: _text(value) for column, value in row.items()}


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
