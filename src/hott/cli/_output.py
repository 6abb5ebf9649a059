"""How results are shown: aligned tables for people, JSON for programs, files that are written whole."""

import csv
import json
import sys
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hott._atomic import replacing
from hott._columns import as_text
from hott._optional import need
from hott.wording import escaped, printable

console = Console(highlight=False)
_NAMED = 5  # documents that were left out


def print_json(value: Any) -> None:
    """JSON as it is, for pipes: no colours, no wrapping, characters of all scripts."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    sys.stdout.write(escaped(text) + "\n")


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    title: str | None = None,
    to: Console = console,
) -> None:
    """An aligned table; numbers to the right. In a pipe it is as wide as its content."""
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for number, column in enumerate(columns):
        numeric = bool(rows) and all(
            isinstance(row[number], int | float) or row[number] == "" for row in rows
        )
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_shown(value)) for value in row))
    wide = to if to.is_terminal else Console(highlight=False, width=10_000, stderr=to.stderr)
    wide.print(table)


def print_left_out(ids: Sequence[str]) -> None:
    """Which documents have no known word, where there are any: the first few."""
    if ids:
        named = ", ".join(map(printable, ids[:_NAMED])) + ", ..." * (len(ids) > _NAMED)
        count = "1 document" if len(ids) == 1 else f"{len(ids):,} documents"
        console.print(Text(f"{count} without known words left out: {named}"), soft_wrap=True)


def write_figure(path: Path, figure: Any) -> None:
    """A plotly figure as a page that needs no network."""
    with replacing(path) as file:
        file.write(figure.to_html(include_plotlyjs=True).encode())


def write_table(path: Path, columns: dict[str, Any]) -> None:
    """Columns to a .csv or .parquet file."""
    if path.suffix == ".parquet":
        pa, pq = need("pyarrow", extra="parquet"), need("pyarrow.parquet", extra="parquet")
        table = pa.table(columns)
        with replacing(path) as file:
            pq.write_table(table, file)
        return
    with replacing(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="")
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(columns)
        rows.writerows(zip(*map(_cells, columns.values())))
        text.detach()  # writes what is left; the file is closed by who opened it


def _cells(values: Sequence[Any]) -> Iterator[str | None]:
    """A column as it is written to CSV: nothing for a value that is missing."""
    return (None if value != value else as_text(value) for value in np.asarray(values, object).tolist())


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else printable(str(value))
