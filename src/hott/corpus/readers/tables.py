"""Tables of documents, a row at a time: CSV, TSV, JSON, one document a line, spreadsheets and Parquet."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from typing import Any, TypeVar

from hott.corpus.readers.lines import Budget, CutShort, Lines, gunzip, largest_document, too_large
from hott.corpus.readers.log import Log
from hott.corpus.readers.mail import read_mbox
from hott.corpus.readers.options import Options
from hott.corpus.readers.rows import (
    BrokenRow,
    ColumnError,
    Columns,
    Objects,
    Record,
    Rows,
    first_places,
    list_values,
    make_row,
    read_objects,
)
from hott.corpus.readers.sources import Source
from hott.corpus.readers.workbook import Row, read_workbook
from hott.utils.optional import import_optional
from hott.utils.progress import Report
from hott.utils.wording import printable

BATCH_BYTES = 32_000_000
MAX_BRACKETS, MAX_COMMAS = 1_000_000, 10_000_000  # in one document of JSON
MIN_WINDOW = 1000  # characters
_BEFORE_FIRST, _BETWEEN = re.compile(r"[ \t\r\n,\[]*"), re.compile(r"[ \t\r\n,]*")  # objects of an array
_TOO_DEEP = "its lists and objects are nested too deeply"
Item = TypeVar("Item")
_HEAD = 100  # rows that the columns are found by


def read_table(source: Source, format: str, options: Options, log: Log, report: Report | None) -> Rows:
    """Read the rows of a file of any of these formats."""
    if format == "parquet":
        yield from _read_parquet(source, options, report)
    elif format == "xlsx":
        rows = read_workbook(source.content())
        first = next(rows, None)
        if first is not None:
            yield from _name_rows(rows, first, source.name, options, log, written=False)
    elif format == "mbox":
        yield from read_mbox(source, numbered=options.id is False)
    else:
        yield from _read_lines(source, format, options, log, report)


def _read_lines(source: Source, format: str, options: Options, log: Log, report: Report | None) -> Rows:
    file_name = source.name
    with source.open() as file:
        lines = Lines(gunzip(file, source.budget), options.encoding)
        if format in ("json", "jsonl"):
            objects = _json_objects(lines, file_name) if format == "jsonl" else _any_json(lines, file_name)
            rows = read_objects(objects, options, file_name)
        elif format == "lines":
            rows = _each_line(lines, file_name, lambda line: Record(None, "", line, None))
        else:
            delimiter = options.delimiter or ("\t" if format == "tsv" else None)
            rows = _read_csv(lines, file_name, options, delimiter, log)
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


def _each_line(
    lines: Lines, file: str, parse: Callable[[str], Item], first: str | None = None
) -> Iterator[Item | BrokenRow]:
    """Give what each line that is not blank says; one that cannot be read is a broken row."""
    while True:
        try:
            lines.begin_row()
            line, first = (next(lines) if first is None else first).strip(), None
            if line:
                yield parse(line)
        except StopIteration:
            return
        except json.JSONDecodeError as error:
            yield BrokenRow(file, lines.number, f"not valid JSON ({error.msg}, column {error.colno})")
        except RecursionError:
            yield BrokenRow(file, lines.number, _TOO_DEEP)
        except ValueError as error:
            yield BrokenRow(file, lines.number, str(error), lost=isinstance(error, CutShort))


# -- JSON ------------------------------------------------------------------------------------------------


def _json_objects(lines: Lines, file: str, first: str | None = None) -> Objects:
    def parse(line: str) -> tuple[int, dict[str, Any]]:
        _check_json(line)
        return lines.number, _object(json.loads(line))

    return _each_line(lines, file, parse, first)


def _check_json(text: str) -> None:
    """Refuse JSON of so many values that they would take twenty times the memory of the text."""
    if text.count("[") + text.count("{") > MAX_BRACKETS or text.count(",") > MAX_COMMAS:
        raise ValueError(f"it has more than {MAX_BRACKETS:,} lists and objects or {MAX_COMMAS:,} values")


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f'expected an object such as {{"text": "..."}}, got {type(value).__name__}')
    return value


def _any_json(lines: Lines, file: str) -> Objects:
    """Yield the objects of a JSON file, be it an array, one object over many lines, or an object per line."""
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
        _check_json(start)
        json.loads(start or "{}")
    except RecursionError:
        pass  # said of the first object
    except ValueError:
        if start[:1] == "{" and not start.endswith("}"):
            yield from _json_array(chain(["[", first], lines, ["]"]), lines, file)
            return
    if start:
        yield from _json_objects(lines, file, first)


def _json_array(texts: Iterable[str], lines: Lines, file: str) -> Objects:
    """Give the objects of an array, one at a time: the array may be larger than memory.

    An object is looked for in a window, which is doubled until it fits: so the work grows with the length of
    the text, also if all of it is on one line.
    """
    decoder, pieces = json.JSONDecoder(), iter(texts)
    buffer, place, window, number = "", 0, MIN_WINDOW, 0
    try:
        while True:
            place = (_BETWEEN if number else _BEFORE_FIRST).match(buffer, place).end()  # type: ignore[union-attr]
            part = buffer[place : place + window]
            if part.startswith("]"):
                return
            try:
                if len(part) > MAX_BRACKETS:
                    _check_json(part)
                value, end = decoder.raw_decode(part)
            except json.JSONDecodeError as error:
                if place + window < len(buffer):
                    window *= 2
                    continue
                left = buffer[place:]
                gathered = _gather(left, pieces)
                if gathered == left:
                    message = "cut short" if not left else f"not valid JSON ({error.msg})"
                    yield BrokenRow(file, None, f"object {number + 1:,}: {message}", lost=True)
                    return
                if len(left) > largest_document():
                    raise ValueError(too_large(f"object {number + 1:,}")) from None
                buffer, place, window = gathered, 0, max(window, 2 * len(left))
                continue
            place, window, number = place + end, max(MIN_WINDOW, 4 * end), number + 1
            lines.begin_row()
            yield None, _object(value)
    except RecursionError:
        yield BrokenRow(file, lines.number, f"object {number + 1:,}: {_TOO_DEEP}", lost=True)
    except ValueError as error:
        yield BrokenRow(file, lines.number, str(error), lost=True)


def _gather(text: str, pieces: Iterator[str]) -> str:
    """Put pieces after a text until it is twice as long, as far as there are any."""
    gathered, size = [text], len(text)
    for piece in pieces:
        gathered.append(piece)
        size += len(piece)
        if size >= max(1, 2 * len(text)):
            break
    return "".join(gathered)


# -- CSV -------------------------------------------------------------------------------------------------


def _read_csv(lines: Lines, file: str, options: Options, delimiter: str | None, log: Log) -> Rows:
    # The limit of 128 kB a field is the whole module's: raise it once, for a document may well be longer.
    csv.field_size_limit(max(csv.field_size_limit(), 2**31 - 1))
    try:
        filled = (line for line in lines if line.strip())
        first = next(filled, "")
        if first[:4] == "sep=" and len(first.rstrip("\r\n")) == 5:  # Excel says it in a line of its own
            delimiter, first = delimiter or first[4], next(filled, "")
        if not first:
            return
        # strict, or an unclosed quote would swallow the rest of the file without a word
        hint = "" if delimiter else "; say delimiter= or quote= if the fields were told apart wrongly"
        delimiter, quote = _guess(first, lines.start, delimiter, options.quote)
        quoting = {"quoting": csv.QUOTE_NONE} if quote == "none" else {"quotechar": quote}
        rows = csv.reader(chain([first], lines), delimiter=delimiter, strict=True, **quoting)
        start = next(rows)
    except (csv.Error, ValueError) as error:
        yield BrokenRow(file, lines.number, f"the header cannot be read: {error}", lost=True)
        return
    cells = _cells(rows, lines, file, len(start), hint)
    yield from _name_rows(cells, (1, dict(enumerate(start))), file, options, log, written=True)


def _guess(first: str, start: str, delimiter: str | None, quote: str | None) -> tuple[str, str]:
    """Guess what stands between fields and around them, where it is not said.

    Between them is what cuts the rows at the start of the file into equally many, else the first into most.
    """
    likely = sorted(delimiter or ",;\t|", key=re.sub(r'"[^"]*"', "", first).count, reverse=True)
    for mark in likely:
        around = quote or _quote(start, mark)
        quoting: Any = {"quoting": csv.QUOTE_NONE} if around == "none" else {"quotechar": around}
        widths = []
        with suppress(csv.Error):
            for row in csv.reader(io.StringIO(start), delimiter=mark, strict=True, **quoting):
                widths += [len(row)] * bool(row)
        whole = widths[:-1] if len(widths) > 2 else widths  # the last one may be cut
        if len(whole) > 1 and 1 < min(whole) == max(whole):
            return mark, around
    return likely[0], quote or _quote(first, likely[0])


def _cells(
    rows: Iterator[list[str]], lines: Lines, file: str, width: int, hint: str
) -> Iterator[Row | BrokenRow]:
    while True:
        line = lines.number + 1
        try:
            lines.begin_row()
            row = next(rows)
            if not row:
                continue
            if len(row) != width:
                raise ValueError(f"{len(row)} fields where the header has {width}{hint}")
            yield line, dict(enumerate(row))
        except StopIteration:
            return
        except (csv.Error, ValueError) as error:
            reason, end = str(error), f"before the end of the file (line {lines.number:,})"
            if reason == "unexpected end of data":
                reason = f'a field opens with a " that is not closed {end}'
            yield BrokenRow(file, line, reason, lost=isinstance(error, CutShort))


def _name_rows(
    rows: Iterator[Row | BrokenRow], first: Row, file: str, options: Options, log: Log, *, written: bool
) -> Rows:
    """Yield rows of cells as documents. Columns without a name are called by their number.

    Which columns hold the fields is found by the header or, if the first row is none, by their content.
    """
    is_named, columns = _has_header(first[1].values(), file, options, log), options
    names = {place: str(cell) for place, cell in first[1].items()} if is_named else {}
    head = list(islice(rows if is_named else chain([first], rows), _HEAD))
    lengths = dict.fromkeys(first[1], 0)
    for row in head:
        for place, cell in {} if isinstance(row, BrokenRow) else row[1].items():
            lengths[place] = lengths.get(place, 0) + len(str(cell))
    for place in lengths:
        names.setdefault(place, str(place + 1))
    likely = names[max(lengths, key=lambda place: (lengths[place], place))]
    if not is_named and columns.text is None:
        columns = replace(columns, text=likely)
    found = columns.find(dict.fromkeys(names[place] for place in sorted(names)), file, likely)
    for row in chain(head, rows):
        if isinstance(row, BrokenRow):
            yield row
            continue
        values: dict[str, Any] = {found["text"]: None}
        for place in sorted(row[1], reverse=True):  # the first of two columns with one name counts
            values[names.get(place, str(place + 1))] = row[1][place]
        yield make_row(values, found, file, row[0], written=written)


def _has_header(first: Iterable[Any], file: str, options: Options, log: Log) -> bool:
    """Tell whether the first row of a table is its header, as was said, or as it looks."""
    if options.header is not None:
        return options.header
    if options.are_in([str(cell) for cell in first]):
        return True
    log.note(
        f"{printable(file)} seems to have no header, so its first row was read as a document and its columns "
        "are called 1, 2, ... Say header=True if it has one"
    )
    return False


def _quote(text: str, delimiter: str) -> str:
    """Guess what stands around fields: apostrophes if they stand around more of them."""

    def count(mark: str) -> int:
        begins = text.startswith(mark) + text.count(delimiter + mark) + text.count("\n" + mark)
        ends = text.rstrip().endswith(mark) + text.count(mark + delimiter) + text.count(mark + "\n")
        return min(begins, ends)

    return "'" if count("'") > count('"') else '"'


# -- Parquet --------------------------------------------------------------------------------------------


def _read_parquet(source: Source, columns: Columns, report: Report | None) -> Rows:
    """Read a Parquet file, a thousand rows in memory at a time, and fewer where they are long."""
    pa, pq = import_optional("pyarrow", extra="parquet"), import_optional("pyarrow.parquet", extra="parquet")
    try:
        data = b"" if source.path else source.content()
        schema = pq.read_schema(source.path or io.BytesIO(data))
        names = schema.names
        # A text that stands in many rows may be written once: it is kept once in memory, too.
        kinds = pa.string(), pa.large_string()
        texts = [field.name for field in schema if field.type in kinds]
        with pq.ParquetFile(source.path or io.BytesIO(data), read_dictionary=texts) as table:
            found, places = columns.find(names, source.name), first_places(names)
            budget, limit, done = Budget(source.size), largest_document(), 0
            for batch in table.iter_batches(batch_size=_rows_together(table.metadata)):
                values = {name: list_values(batch.column(place), name) for name, place in places.items()}
                for name in set(found.values()) - set(texts):
                    column = batch.column(places[name])
                    try:
                        values[name] = column.cast(pa.large_string()).to_pylist()
                    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
                        message = f"{source.name}: the column {name!r} holds {column.type}, expected text."
                        raise ColumnError(message) from None
                budget.spend(16 * batch.num_rows)
                for row in zip(*values.values()):
                    size = sum(len(value) for value in row if isinstance(value, str))
                    budget.spend(size)
                    if size > limit:
                        yield BrokenRow(source.name, None, too_large("a row"))
                    else:
                        yield make_row(dict(zip(values, row)), found, source.name, None)
                done += batch.num_rows
                if report is not None:
                    report(done, table.metadata.num_rows)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"it cannot be read as Parquet: {error}") from error


def _rows_together(metadata: Any) -> int:
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    n_bytes = max((group.total_byte_size // max(group.num_rows, 1) for group in groups), default=0)
    return max(1, min(1024, BATCH_BYTES // max(n_bytes, 1)))
