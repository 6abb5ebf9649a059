"""Documents out of files: one small reader a format; each gives rows, or says what is wrong with one."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from hott.corpus.readers.documents import DocumentReader
from hott.corpus.readers.lines import check_limits
from hott.corpus.readers.log import Log
from hott.corpus.readers.options import ARCHIVES, FORMATS, MANY, SUFFIXES, Options, ReadOptions, format_of
from hott.corpus.readers.rows import BrokenRow, ColumnError, Record, Rows, is_frame, is_series
from hott.corpus.readers.sources import ARCHIVED, Source, Unreadable, below, list_tar, list_zip
from hott.corpus.readers.tables import read_table
from hott.utils.progress import Report

__all__ = ["FORMATS", "Log", "ReadOptions", "is_frame", "is_series", "open_rows"]


def open_rows(path: str | os.PathLike[str], options: Options, log: Log, report: Report | None = None) -> Rows:
    """Give the rows of any readable file, folder or archive; ``log`` learns what becomes of each file."""
    check_limits()
    path = Path(os.path.expanduser(path))
    format = _format(path, options.format)
    if format == "folder":
        sources, unreadable = below(path, options, log)
        for folder, reason in unreadable:
            log.note_broken(folder, reason)
            yield BrokenRow(folder, None, reason)
        if not sources and not log.entries:
            raise ValueError(f"the folder {path} is empty.")
        yield from _read_all(sources, options, log, report)
        return
    source = Source.of(path, path.parent)
    if format in ARCHIVES:
        yield from _read_archive(source, format, options, log, report)
    elif format in MANY:
        yield from _count_rows(read_table(source, format, options, log, report), source, format, log)
    else:
        yield from _read_all([source], options, log, report, format)


def _format(path: Path, format: str | None) -> str:
    """Say how to read the path, by what the user stated or else by its name."""
    if not path.exists():
        raise FileNotFoundError(f"There is no file or folder {path}.")
    if path.is_dir():
        return "folder"
    if not path.is_file():
        raise ValueError(f"{path} is a pipe or a device, and no file of documents.")
    if format == "folder":
        raise ValueError(f"format='folder' does not fit: {path} is a file.")
    format = format or format_of(path.name)
    if format is None and path.suffix == ".hott":
        raise ValueError(f"{path} is an index, not documents: give the documents that it was made of.")
    if format is None:
        raise ValueError(
            f"cannot tell from its name what {path} is. Known endings are {', '.join(SUFFIXES)} (and .gz"
            f" of them): rename it, or say format= one of {', '.join(FORMATS)}."
        )
    return format


def _read_archive(source: Source, format: str, options: Options, log: Log, report: Report | None) -> Rows:
    members: AbstractContextManager[list[Source]]
    members = (list_zip if format == "zip" else list_tar)(source, options, log)
    try:
        with members as sources:
            if len(sources) == 1 and format_of(sources[0].name) in MANY:  # a table that was zipped
                [inner] = sources
                found = format_of(inner.name) or ""
                yield from _count_rows(read_table(inner, found, options, log, None), inner, found, log)
            else:
                yield from _read_all(sources, options, log, report)
    except Unreadable as error:
        log.note_broken(source.name, str(error))
        yield BrokenRow(source.name, None, str(error), lost=True)


def _read_all(
    sources: list[Source], options: Options, log: Log, report: Report | None, format: str | None = None
) -> Rows:
    """Yield the documents of many files; one that cannot be read does not keep the others from being read."""
    with DocumentReader(options, log) as reader:
        wanted = format or (None if options.format == "folder" else options.format)
        for number, source in enumerate(sources, 1):
            # One whose name does not tell is taken for text.
            found = wanted or format_of(source.name) or "text"
            yield from _read_one(source, found, reader, options, log)
            if report is not None:
                report(number, len(sources))


def _read_one(source: Source, format: str, reader: DocumentReader, options: Options, log: Log) -> Rows:
    if format in ARCHIVES:
        log.note_skipped(
            source.name, ARCHIVED if source.path is None else "archives, which can be read by themselves"
        )
        return
    try:
        if format in MANY:
            rows = _within(read_table(source, format, options, log, None), source)
            yield from _count_rows(rows, source, format, log)
            return
        record = reader.read(source, format)
    except (OSError, ValueError, ImportError, RecursionError) as error:
        if isinstance(error, ColumnError):
            log.note_skipped(source.name, "tables without a column of text")
            return
        log.note_broken(source.name, str(error))
        yield BrokenRow(source.name, None, str(error))
        return
    if record is not None:
        log.read(source.name, format, 1)
        yield record


def _guard(rows: Rows, source: Source) -> Rows:
    try:
        yield from rows
    except ColumnError:
        raise
    except (OSError, ValueError, RecursionError, OverflowError) as error:
        yield BrokenRow(source.name, None, str(error), lost=True)


def _within(rows: Rows, source: Source) -> Rows:
    """Yield the rows of one table among other files, with ids that begin with its name."""
    for number, row in enumerate(rows, 1):
        if isinstance(row, BrokenRow):
            yield row
        else:
            yield row._replace(id=f"{source.name}#{row.id or number}", label=row.label or source.folder)


def _count_rows(rows: Rows, source: Source, format: str, log: Log) -> Iterator[Record | BrokenRow]:
    """Give the rows of a table; where it cannot be read any further, the last one says why."""
    documents = 0
    for row in _guard(rows, source):
        if isinstance(row, BrokenRow):
            log.note_broken(str(row).partition(": ")[0], row.reason)
        else:
            documents += 1
        yield row
    log.read(source.name, format, documents)
