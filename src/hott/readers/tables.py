"""Tables of documents, a row at a time: CSV, TSV, JSON, one document a line, spreadsheets and Parquet."""

import csv
import io
import json
import re
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

from hott._optional import need
from hott._progress import Report
from hott.readers.limits import largest_document, too_large
from hott.readers.lines import CutShort, Lines, unzipped
from hott.readers.log import Log
from hott.readers.mail import read_mbox
from hott.readers.options import Options
from hott.readers.rows import BrokenRow, Columns, Record, Rows, make_row
from hott.readers.sources import DAMAGED, Source, check_swelling
from hott.wording import printable

BATCH_BYTES = 32_000_000
_HEAD = 100  # rows that the columns are found by


def read_table(source: Source, format: str, options: Options, log: Log, report: Report | None) -> Rows:
    """The rows of a file of any of these formats."""
    if format == "parquet":
        yield from _read_parquet(source, options.columns, report)
    elif format == "xlsx":
        yield from _read_xlsx(source, options)
    elif format == "mbox":
        yield from read_mbox(source)
    else:
        yield from _read_lines(source, format, options, log, report)


def _read_lines(source: Source, format: str, options: Options, log: Log, report: Report | None) -> Rows:
    file_name = source.name
    with source.open() as file:
        lines = Lines(unzipped(file), options.encoding)
        if format in ("json", "jsonl"):
            objects = _json_objects(lines, file_name) if format == "jsonl" else _any_json(lines, file_name)
            rows = _rows_of(objects, file_name, options.columns)
        elif format == "lines":
            rows = _read_plain(lines, file_name)
        else:
            delimiter = options.delimiter or ("\t" if format == "tsv" else None)
            rows = _read_csv(lines, file_name, options, delimiter)
        for number, row in enumerate(rows):
            if report is not None and number % 256 == 0:
                report(min(file.tell(), source.size), source.size)
            yield row
        if report is not None:
            report(source.size, source.size)
    if lines.guessed:
        log.note(
            f"{printable(file_name)}: {lines.guessed:,} lines are not UTF-8 and were read as Windows-1252 "
            f"(the first is line {lines.first_guessed:,}). State encoding= if that is wrong."
        )


def _read_plain(lines: Lines, file: str) -> Rows:
    while True:
        try:
            lines.begin_row()
            line = next(lines).strip()
            if line:
                yield Record(None, "", line, None)
        except StopIteration:
            return
        except ValueError as error:
            yield BrokenRow(file, lines.number, str(error), lost=isinstance(error, CutShort))


# -- JSON ------------------------------------------------------------------------------------------------

Objects = Iterator[tuple[int | None, dict[str, Any]] | BrokenRow]


def _rows_of(objects: Objects, file: str, columns: Columns) -> Rows:
    # Keys may differ from row to row: look at the first hundred to find the columns.
    head = list(islice(objects, _HEAD))
    keys = dict.fromkeys(key for row in head if not isinstance(row, BrokenRow) for key in row[1])
    found = columns.find(keys, file) if keys else {}
    for row in chain(head, objects):
        yield row if isinstance(row, BrokenRow) else make_row(row[1], found, file, row[0])


def _json_objects(lines: Lines, file: str, first: str | None = None) -> Objects:
    while True:
        try:
            lines.begin_row()
            line, first = (next(lines) if first is None else first).strip(), None
            if line:
                yield lines.number, _object(json.loads(line))
        except StopIteration:
            return
        except json.JSONDecodeError as error:
            yield BrokenRow(file, lines.number, f"not valid JSON ({error.msg}, column {error.colno})")
        except (ValueError, RecursionError) as error:
            yield BrokenRow(file, lines.number, str(error), lost=isinstance(error, CutShort))


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f'expected an object such as {{"text": "..."}}, got {type(value).__name__}')
    return value


def _any_json(lines: Lines, file: str) -> Objects:
    """A JSON array of objects, one object over many lines, or an object a line, whichever it is."""
    try:
        first = next((line for line in lines if line.strip()), "")
    except ValueError as error:
        yield BrokenRow(file, lines.number, str(error), lost=isinstance(error, CutShort))
        return
    start = first.strip()
    if start.startswith("["):
        yield from _json_array(chain([first], lines), lines, file)
        return
    try:
        json.loads(start or "{}")
    except ValueError:
        if start[:1] == "{" and not start.endswith("}"):
            yield from _json_array(chain(["[", first], lines, ["]"]), lines, file)
            return
    if start:
        yield from _json_objects(lines, file, first)


def _json_array(texts: Iterable[str], lines: Lines, file: str) -> Objects:
    """The objects of an array, one at a time: the array may be larger than memory."""
    decoder, left, number = json.JSONDecoder(), "", 0
    pieces = iter(texts)
    wanted = 1  # characters to have before the next attempt: twice as many after each that failed
    try:
        while True:
            left = left.lstrip(" \t\r\n,[" if number == 0 else " \t\r\n,")
            try:
                if not left:
                    raise json.JSONDecodeError("nothing", "", 0)
                if left[0] == "]":
                    return
                value, end = decoder.raw_decode(left)
                left, wanted, number = left[end:], 1, number + 1
                lines.begin_row()
                yield None, _object(value)
            except json.JSONDecodeError as error:
                gathered = [left]
                size = len(left)
                wanted = max(wanted, 2 * size)
                for piece in pieces:
                    gathered.append(piece)
                    size += len(piece)
                    if size >= wanted:
                        break
                else:
                    if size > len(left):
                        left = "".join(gathered)
                        continue
                    message = "cut short" if not left else f"not valid JSON ({error.msg})"
                    yield BrokenRow(file, None, f"object {number + 1:,}: {message}", lost=True)
                    return
                if size > 2 * largest_document():
                    raise ValueError(too_large(f"object {number + 1:,}")) from None
                left = "".join(gathered)
    except (ValueError, RecursionError) as error:
        yield BrokenRow(file, lines.number, str(error), lost=True)


# -- CSV -------------------------------------------------------------------------------------------------


def _read_csv(lines: Lines, file: str, options: Options, delimiter: str | None) -> Rows:
    # The limit of 128 kB a field is the whole module's: raise it once, for a document may well be longer.
    csv.field_size_limit(max(csv.field_size_limit(), 2**31 - 1))
    try:
        first = next((line for line in lines if line.strip()), None)
        if first is None:
            return
        # strict, or an unclosed quote would swallow the rest of the file without a word
        rows = csv.reader(chain([first], lines), delimiter=delimiter or _delimiter(first), strict=True)
        start = next(rows)
    except (csv.Error, ValueError) as error:
        raise ValueError(f"{file}, line {lines.number}: the header cannot be read: {error}") from None
    header = start if options.header else [str(number) for number in range(1, len(start) + 1)]
    cells = _cells(rows, lines, file, len(header))
    if not options.header:
        cells = chain([(1, start)], cells)
    yield from _named_rows(cells, header, file, options)


Cells = Iterator[tuple[int, list[Any]] | BrokenRow]


def _cells(rows: Iterator[list[str]], lines: Lines, file: str, width: int) -> Cells:
    while True:
        line = lines.number + 1
        try:
            lines.begin_row()
            row = next(rows)
            if not row:
                continue
            if len(row) != width:
                raise ValueError(f"{len(row)} fields where the header has {width}")
            yield line, row
        except StopIteration:
            return
        except (csv.Error, ValueError) as error:
            reason = _csv_reason(str(error), lines.number)
            yield BrokenRow(file, line, reason, lost=isinstance(error, CutShort))


def _named_rows(cells: Cells, header: list[str], file: str, options: Options) -> Rows:
    """Rows of cells as documents, their columns found by the header, or by their content without one."""
    columns = options.columns
    if not options.header and columns.text is None:
        head = list(islice(cells, _HEAD))
        cells = chain(head, cells)
        lengths = [0] * len(header)
        for row in head:
            for place, cell in enumerate(() if isinstance(row, BrokenRow) else row[1]):
                lengths[place] += len(str(cell))
        longest = max(range(len(header)), key=lengths.__getitem__)
        columns = Columns(columns.id, columns.title, header[longest], columns.label)
    found = columns.find(header, file)
    # The first of two columns with one name counts.
    places = [place for place, name in enumerate(header) if header.index(name) == place]
    names = [header[place] for place in places]
    for row in cells:
        if isinstance(row, BrokenRow):
            yield row
        else:
            values = row[1] if len(names) == len(header) else [row[1][place] for place in places]
            yield make_row(dict(zip(names, values)), found, file, row[0], written=True)


def _delimiter(header: str) -> str:
    unquoted = re.sub(r'"[^"]*"', "", header)
    return max(",;\t|", key=unquoted.count)


def _csv_reason(message: str, line: int) -> str:
    if message == "unexpected end of data":
        return f'a field opens with a " that is not closed before the end of the file (line {line:,})'
    return message


# -- spreadsheets and Parquet ----------------------------------------------------------------------------


def _read_xlsx(source: Source, options: Options) -> Rows:
    """The first sheet of a workbook that has rows."""
    openpyxl = need("openpyxl", extra="documents")
    try:
        data = source.content()
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            for member in parts.infolist():
                check_swelling(member)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of features that the text does not need
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            sheets = [sheet for sheet in book.worksheets if hasattr(sheet, "iter_rows")]
            rows: Iterator[Any] = iter(())
            for sheet in sheets:
                rows = sheet.iter_rows(values_only=True)
                head = next(rows, None)
                if head and any(cell is not None for cell in head):
                    break
            else:
                return
            width = max(place for place, cell in enumerate(head, 1) if cell is not None)
            start = list(head[:width])
            names = [str(cell) if cell is not None else str(place) for place, cell in enumerate(start, 1)]
            header = names if options.header else [str(place) for place in range(1, width + 1)]
            cells: Cells = (
                (line, [*row[:width], *[None] * (width - len(row))])
                for line, row in enumerate(rows, 2)
                if any(cell is not None for cell in row)
            )
            if not options.header:
                cells = chain([(1, start)], cells)
            for row in _named_rows(cells, header, source.name, options):
                yield row._replace(written=False) if isinstance(row, Record) else row
            book.close()
    except (*DAMAGED, LookupError, TypeError, AttributeError, OSError, SyntaxError) as error:
        raise ValueError(f"{source.name} cannot be read as a workbook: {error}") from error


def _read_parquet(source: Source, columns: Columns, report: Report | None) -> Rows:
    """A Parquet file, a thousand rows in memory at a time, and fewer where they are long."""
    pa, pq = need("pyarrow", extra="parquet"), need("pyarrow.parquet", extra="parquet")
    try:
        with pq.ParquetFile(source.path or io.BytesIO(source.content())) as table:
            found = columns.find(table.schema_arrow.names, source.name)
            done = 0
            together = _rows_together(table.metadata)
            for batch in table.iter_batches(batch_size=together):
                values = {name: batch[name].to_pylist() for name in batch.schema.names}
                values |= {name: _as_strings(batch[name], name, source) for name in found.values()}
                for row in zip(*values.values()):
                    yield make_row(dict(zip(values, row)), found, source.name, None)
                done += batch.num_rows
                if report is not None:
                    report(done, table.metadata.num_rows)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{source.path or source.name} cannot be read as Parquet: {error}") from error


def _rows_together(metadata: Any) -> int:
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    n_bytes = max((group.total_byte_size // max(group.num_rows, 1) for group in groups), default=0)
    return max(1, min(1024, BATCH_BYTES // max(n_bytes, 1)))


def _as_strings(column: Any, name: str, source: Source) -> list[str | None]:
    pa = need("pyarrow", extra="parquet")
    try:
        return column.cast(pa.large_string()).to_pylist()
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise ValueError(
            f"{source.path or source.name}: the column {name!r} holds {column.type}, expected text."
        ) from None
