"""Reading documents: from files, folders, archives, frames and dicts, whole or a batch at a time."""

import os
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any, TypeAlias, Unpack

from hott.corpus._corpus import FIELDS, Corpus
from hott.corpus.readers import Log, ReadOptions, is_frame, is_series, open_rows
from hott.corpus.readers.options import Options
from hott.corpus.readers.rows import (
    BrokenRow,
    Record,
    Rows,
    list_objects,
    read_frame,
    read_objects,
    read_series,
    split_record,
)
from hott.table.columns import Column, Texts, infer_column
from hott.table.table import Table, concat_tables
from hott.utils.progress import Progress, Report, reporting
from hott.utils.wording import pluralize

Readable: TypeAlias = str | os.PathLike[str] | Iterable[Mapping[str, Any]]
"""A path; or dicts, or a pandas or polars frame or series, in memory."""

# A streamed batch ends here even when it holds few documents, so that whole books fit in memory too.
MAX_BATCH_CHARACTERS = 64_000_000

# A row of JSON may have any key; a file that has another one in each row would make an endless table.
MAX_COLUMNS = 200

MIN_BROKEN = 3  # rows or files that may be broken among any number


def read(path: Readable, *, progress: Progress = None, **options: Unpack[ReadOptions]) -> Corpus:
    """Read documents from a folder, a file, an archive, a data frame or dicts.

    Parameters
    ----------
    path : path, frame, series or iterable of dicts
        A folder (sub-folders too: their path is the label) or a file of plain text, Markdown, HTML, PDF,
        docx, odt, epub or e-mail; a table of documents (CSV, TSV, JSON, JSON lines, xlsx, Parquet), a
        mailbox, or a text with a document a line (``format="lines"``); a zip or tar archive of these. Text
        files and tables may be gzipped. A pandas or polars frame, a series of texts, or dicts. PDF
        needs the extra ``hott[documents]``.
    progress : bool or callable, optional
        True for a progress bar in a terminal, or a function called with (done, in all).
    **options : id, title, text, label, encoding, on_error, format, delimiter, header, include, exclude, ...
        See :class:`hott.corpus.readers.ReadOptions`.

    Returns
    -------
    Corpus
        The documents in the order of the file, or of the file names (with ``2.txt`` before ``10.txt``).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "articles.csv")
    >>> _ = path.write_text("name,body,class\\nCats,Cats purr.,pets\\nDogs,Dogs bark.,pets\\n")
    >>> read(path)[1]
    Document(id='1', title='Dogs', text='Dogs bark.', label='pets')
    >>> read([{"text": "Cats purr.", "year": 2004}])[0].columns
    {'year': 2004}
    """
    checked = Options.of(**options)
    with reporting(progress, "Reading") as report:
        batches = list(_batches(path, 10_000, checked, report, Log()))
    return Corpus.from_table(concat_tables(batches))


def stream(
    path: Readable,
    batch: int = 10_000,
    *,
    progress: Progress = None,
    log: Log | None = None,
    **options: Unpack[ReadOptions],
) -> Iterator[Corpus]:
    """Read documents a batch at a time, for a corpus that is larger than memory.

    A batch holds at most ``batch`` documents and ends early after 64 million characters. Ids are checked to
    be unique within a batch only.

    Parameters
    ----------
    path, progress, **options
        As in :func:`read`.
    batch : int
    log : hott.corpus.readers.Log, optional
        Learns what becomes of each file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "lines.jsonl")
    >>> _ = path.write_text('{"text": "one"}\\n{"text": "two"}\\n{"text": "three"}\\n')
    >>> [len(part) for part in stream(path, batch=2)]
    [2, 1]
    """
    if batch < 1:
        raise ValueError(f"batch must be at least 1 document, got {batch}.")
    checked = Options.of(**options)
    with reporting(progress, "Reading") as report:
        for table in _batches(path, batch, checked, report, log or Log()):
            yield Corpus.from_table(table)


def _batches(
    path: Readable, batch: int, options: Options, report: Report | None, log: Log
) -> Iterator[Table]:
    number = count()
    rows: list[Record] = []
    names: dict[str, None] = {}  # of the columns besides the fields, in their order
    characters = total = 0
    try:
        for row in _sound(_open(path, options, log, report), options, log):
            record = row if row.id is not None else row._replace(id=str(next(number)))
            for part in [record] if options.passages is None else split_record(record, options.passages):
                rows.append(part._replace(columns=_keep_columns(part.columns, names)))
                total += 1
                characters += _size(rows[-1])
            if len(rows) >= batch or characters > MAX_BATCH_CHARACTERS:
                yield _table(rows[:batch], names)
                rows = rows[batch:]
                characters = sum(map(_size, rows))
        while rows:
            yield _table(rows[:batch], names)
            rows = rows[batch:]
    finally:
        if options.report is not None:
            log.write(options.report)
    log.documents = total
    if len(names) > MAX_COLUMNS:
        log.note(f"kept {MAX_COLUMNS} other columns; there are more, such as {[*names][-1]!r}")
    notes = log.notes
    if not total:
        told = f": {'; '.join(notes)}" if notes else ": no file fits include=" if options.include else ""
        what = path if isinstance(path, str | os.PathLike) else type(path).__name__
        raise ValueError(f"no document was found in {what}{told}.")
    for note in notes:
        warnings.warn(note, stacklevel=3)  # the caller of read or stream


def _open(path: Readable, options: Options, log: Log, report: Report | None) -> Rows:
    if isinstance(path, str | os.PathLike):
        return open_rows(path, options, log, report)
    if is_frame(path):
        return read_frame(path, options)
    if is_series(path):
        return read_series(path)
    if isinstance(path, Mapping) or not isinstance(path, Iterable):
        raise ValueError(
            f"path must be a path, a frame or series, or dicts, got {path!r:.60} ({type(path).__name__})."
        )
    return read_objects(list_objects(path, "a list"), options, "the dicts")


def _sound(rows: Rows, options: Options, log: Log) -> Iterator[Record]:
    """Give the rows that are not broken. The others stop the read, or are left out and counted."""
    broken: list[str] = []  # the first few; all are counted
    n_sound = n_broken = 0
    what = "file"
    for row in rows:
        if not isinstance(row, BrokenRow):
            n_sound += 1
            yield row
            continue
        log.note_broken(row.place, row.reason)
        if options.on_error == "raise":
            otherwise = "keep what was read" if row.lost else "leave it out"
            raise ValueError(f"{row}. Correct it, or {otherwise} with on_error='skip'.")
        elif row.lost:
            log.note(str(row))
        else:
            n_broken += 1
            broken += [str(row)] * (n_broken <= 3)
            what = "row" if row.line is not None else what
    if broken:
        named = "; ".join(broken) + ("; ..." if n_broken > 3 else "")
        if options.on_error == "skip" and n_broken > max(MIN_BROKEN, n_sound // 9):
            raise ValueError(
                f"{n_broken:,} of {n_broken + n_sound:,} {what}s are broken, over a tenth ({named}). "
                "Say how to read them (format=, encoding=, delimiter=, quote=, header=), or keep the others "
                "with on_error='skip-all'."
            )
        log.note(f"left out {pluralize(n_broken, f'broken {what}')}: {named}")


def _keep_columns(columns: Mapping[str, Any], names: dict[str, None]) -> Mapping[str, Any]:
    """Leave out columns beyond those that are kept, whose ``names`` are added to: to one more, at most."""
    for name in columns:
        if name not in names and len(names) <= MAX_COLUMNS:
            names[name] = None
    if len(columns) + len(names) <= MAX_COLUMNS:
        return columns
    return {name: columns[name] for name in list(names)[:MAX_COLUMNS] if name in columns}


def _size(row: Record) -> int:
    """Return about how many characters a row has."""
    return len(row.text) + sum(len(value) for value in row.columns.values() if isinstance(value, str))


def _table(rows: list[Record], names: dict[str, None]) -> Table:
    """Make a table of rows, with the columns of these names besides the fields.

    A title that many files share, such as "Summary", is none: they get their spare ones.
    """
    times = Counter(row.title for row in rows if row.spare)
    too_often = {title for title, count in times.items() if count > max(2, len(rows) // 10)}
    rows = [row._replace(title=row.spare) if row.spare and row.title in too_often else row for row in rows]
    columns: dict[str, Column[Any]] = {
        name: Texts.of([getattr(row, name) for row in rows]) for name in FIELDS
    }
    for name in list(names)[:MAX_COLUMNS]:
        # Files read beside a CSV file without that column do not affect its type.
        written = all(row.written for row in rows if row.columns.get(name) is not None)
        columns[name] = infer_column([row.columns.get(name) for row in rows], written=written)
    return Table(columns)
