"""Tables of documents: CSV, TSV, JSON lines and Parquet, a row at a time."""

import csv
import json
import os
import re
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from hott._progress import Report
from hott.readers.lines import CutShort, Lines, unzipped
from hott.readers.rows import BrokenRow, Columns, Rows, make_row
from hott.wording import printable

SUFFIXES = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip

BATCH_BYTES = 32_000_000


def file_suffix(path: Path) -> str:
    """Give the ending that tells the format: ``.csv`` for ``Data.CSV.gz``."""
    return Path(path.name.lower().removesuffix(".gz")).suffix


def read_lines(
    path: Path, format: str, columns: Columns, encoding: str | None, notes: list[str], report: Report | None
) -> Rows:
    """Read CSV, TSV or JSON lines, plain or gzipped."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        lines = Lines(unzipped(file), encoding)
        if format == "jsonl":
            rows = _read_jsonl(lines, path.name, columns)
        else:
            rows = _read_csv(lines, path.name, columns, "\t" if format == "tsv" else None)
        for number, row in enumerate(rows):
            if report is not None and number % 256 == 0:
                report(file.tell(), size)
            yield row
        if report is not None:
            report(size, size)
    if lines.guessed:
        notes.append(
            f"{printable(path.name)}: {lines.guessed:,} lines are not UTF-8 and were read as Windows-1252 "
            f"(the first is line {lines.first_guessed:,}). State encoding= if that is wrong."
        )


def _read_jsonl(lines: Lines, file: str, columns: Columns) -> Rows:
    objects = _json_objects(lines, file)
    # Keys may differ from row to row: look at the first hundred to find the columns.
    head = list(islice(objects, 100))
    keys = dict.fromkeys(key for row in head if not isinstance(row, BrokenRow) for key in row[1])
    found = columns.find(keys, file) if keys else {}
    for row in chain(head, objects):
        yield row if isinstance(row, BrokenRow) else make_row(row[1], found, file, row[0])


def _json_objects(lines: Lines, file: str) -> Iterator[tuple[int, dict[str, Any]] | BrokenRow]:
    while True:
        try:
            lines.begin_row()
            line = next(lines).strip()
            if not line:
                continue
            if lines.number == 1 and line.startswith("["):
                raise ValueError("this is a JSON array; write one object a line (jq -c '.[]' does that)")
            value = json.loads(line)
            if not isinstance(value, dict):
                raise ValueError(f'expected an object such as {{"text": "..."}}, got {type(value).__name__}')
            yield lines.number, value
        except StopIteration:
            return
        except json.JSONDecodeError as error:
            yield BrokenRow(file, lines.number, f"not valid JSON ({error.msg}, column {error.colno})")
        except (ValueError, RecursionError) as error:
            yield BrokenRow(file, lines.number, str(error), lost=isinstance(error, CutShort))


def _read_csv(lines: Lines, file: str, columns: Columns, delimiter: str | None) -> Rows:
    # The limit of 128 kB a field is the whole module's: raise it once, for a document may well be longer.
    csv.field_size_limit(max(csv.field_size_limit(), 2**31 - 1))
    try:
        first = next((line for line in lines if line.strip()), None)
        if first is None:
            return
        # strict, or an unclosed quote would swallow the rest of the file without a word
        rows = csv.reader(chain([first], lines), delimiter=delimiter or _delimiter(first), strict=True)
        header = next(rows)
    except (csv.Error, ValueError) as error:
        raise ValueError(f"{file}, line {lines.number}: the header cannot be read: {error}") from None
    found = columns.find(header, file)
    while True:
        line = lines.number + 1
        try:
            lines.begin_row()
            row = next(rows)
            if not row:
                continue
            if len(row) != len(header):
                raise ValueError(f"{len(row)} fields where the header has {len(header)}")
            # Reversed, so that the first of two columns with one name counts.
            yield make_row(dict(zip(reversed(header), reversed(row))), found, file, line)
        except StopIteration:
            return
        except (csv.Error, ValueError) as error:
            reason = _csv_reason(str(error), lines.number)
            yield BrokenRow(file, line, reason, lost=isinstance(error, CutShort))


def _delimiter(header: str) -> str:
    unquoted = re.sub(r'"[^"]*"', "", header)
    return max(",;\t|", key=unquoted.count)


def _csv_reason(message: str, line: int) -> str:
    if message == "unexpected end of data":
        return f'a field opens with a " that is not closed before the end of the file (line {line:,})'
    return message


def read_parquet(path: Path, columns: Columns, report: Report | None) -> Rows:
    """Read a Parquet file, a thousand rows in memory at a time, and fewer where they are long."""
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as table:
            found = columns.find(table.schema_arrow.names, path.name)
            done = 0
            together = _rows_together(table.metadata)
            for batch in table.iter_batches(batch_size=together, columns=list(found.values())):
                values = {name: _as_strings(batch[name], name, path).to_pylist() for name in found.values()}
                for row in zip(*values.values()):
                    yield make_row(dict(zip(values, row)), found, path.name, None)
                done += batch.num_rows
                if report is not None:
                    report(done, table.metadata.num_rows)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{path} cannot be read as Parquet: {error}") from error


def _rows_together(metadata: Any) -> int:
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    n_bytes = max((group.total_byte_size // max(group.num_rows, 1) for group in groups), default=0)
    return max(1, min(1024, BATCH_BYTES // max(n_bytes, 1)))


def _as_strings(column: pa.Array, name: str, path: Path) -> pa.Array:
    try:
        return column.cast(pa.large_string())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise ValueError(f"{path}: the column {name!r} holds {column.type}, expected text.") from None
