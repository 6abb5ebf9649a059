"""Documents out of files: one small reader a format; each gives rows, or says what is wrong with one."""

import os
from collections.abc import Iterator
from pathlib import Path

from hott.corpus.readers.lines import decode, gzip_ratio, is_binary, largest_document, pdf_seconds
from hott.corpus.readers.log import Log, list_files
from hott.corpus.readers.mail import read_eml
from hott.corpus.readers.markup import Page, charset_of, headline, read_html, read_markdown, spell_ligatures
from hott.corpus.readers.office import read_docx, read_epub, read_odt
from hott.corpus.readers.options import ARCHIVES, FORMATS, MANY, SUFFIXES, Options, ReadOptions, format_of
from hott.corpus.readers.pdf import PdfReader
from hott.corpus.readers.rows import BrokenRow, ColumnError, Record, Rows, is_frame, is_series
from hott.corpus.readers.sources import ARCHIVED, Source, Unreadable, below, list_tar, list_zip
from hott.corpus.readers.tables import read_table
from hott.utils.progress import Report

__all__ = ["FORMATS", "Log", "ReadOptions", "is_frame", "is_series", "open_rows"]

BINARY = "binary files"
_PACKED = {"docx": read_docx, "odt": read_odt, "epub": read_epub}


def open_rows(path: str | os.PathLike[str], options: Options, log: Log, report: Report | None = None) -> Rows:
    """Give the rows of any readable file, folder or archive; ``log`` learns what becomes of each file."""
    for limit in (largest_document, gzip_ratio, pdf_seconds):
        limit()  # an error if a variable that sets it cannot be understood
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
    try:
        with (list_zip if format == "zip" else list_tar)(source, options, log) as sources:
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
            found = wanted or format_of(source.name) or "text"  # where the name does not tell
            yield from _read_one(source, found, reader, options, log)
            if report is not None:
                report(number, len(sources))


def _read_one(source: Source, format: str, reader: "DocumentReader", options: Options, log: Log) -> Rows:
    if format in ARCHIVES:
        log.note_skipped(
            source.name, ARCHIVED if source.path is None else "archives, which can be read by themselves"
        )
        return
    try:
        if format in MANY:
            rows = read_table(source, format, options, log, None)
            # Ids begin with the name of the table, as there are other files.
            named: Rows = (
                row._replace(id=f"{source.name}#{row.id or number}", label=row.label or source.folder)
                if isinstance(row, Record)
                else row
                for number, row in enumerate(rows, 1)
            )
            yield from _count_rows(named, source, format, log)
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


def _count_rows(rows: Rows, source: Source, format: str, log: Log) -> Iterator[Record | BrokenRow]:
    """Give the rows of a table; where it cannot be read any further, the last one says why."""
    documents = 0
    try:
        for row in rows:
            if isinstance(row, BrokenRow):
                log.note_broken(str(row).partition(": ")[0], row.reason)
            else:
                documents += 1
            yield row
    except ColumnError:
        raise
    except (OSError, ValueError, RecursionError, OverflowError) as error:
        log.note_broken(source.name, str(error))
        yield BrokenRow(source.name, None, str(error), lost=True)
    log.read(source.name, format, documents)


class DocumentReader:
    """Reads files that are one document each: the path is the id, the folder the label, the name a title."""

    def __init__(self, options: Options, log: Log) -> None:
        self._options, self._log = options, log
        self._guessed: list[str] = []
        self._without_text: list[str] = []
        self._pdf = PdfReader()

    def __enter__(self) -> "DocumentReader":
        return self

    def __exit__(self, *exception: object) -> None:
        self._pdf.stop()
        if self._guessed:
            self._log.note(
                f"{len(self._guessed):,} files are not UTF-8 and were read as Windows-1252: "
                f"{list_files(self._guessed)}. State encoding= if that is wrong."
            )
        if self._without_text:
            self._log.note(
                f"{len(self._without_text):,} PDF files have no text, as scanned pages do: "
                f"{list_files(self._without_text)}. Let a program for recognising text (OCR) read them first."
            )

    def read(self, source: Source, format: str) -> Record | None:
        """Read a document; return None for a binary file, which is skipped. An error says what is wrong."""
        data = source.content()
        if format == "text" and data.startswith(b"%PDF-"):
            format = "pdf"
        if format == "pdf":
            page = self._pdf.read(data)
            self._without_text += [source.name] * (not page.text)
        elif format in _PACKED:
            page = _PACKED[format](data)
        elif format == "eml":
            message = read_eml(data)
            return self._choose_title(message._replace(id=source.name, label=source.folder), source)
        elif self._options.encoding is None and is_binary(data[:8192]):
            self._log.note_skipped(source.name, BINARY)
            return None
        else:
            page = self._page(source, data, format)
        text, heading = spell_ligatures(page.text), spell_ligatures(page.title)
        if not heading and self._options.columns.title is None and format not in ("markdown", "html", "epub"):
            heading = headline(text, is_laid_out=format == "pdf")  # in marked-up pages a menu or section
        return self._choose_title(
            Record(source.name, heading, text, source.folder, page.columns, written=True), source
        )

    def _choose_title(self, record: Record, source: Source) -> Record:
        """Give a document the title that was asked for, or its heading, or the name of its file."""
        wanted = self._options.columns.title
        if wanted is False:
            return record._replace(title="")
        title = source.stem if wanted == "file-name" else record.title or source.stem
        return record._replace(title=title, spare=source.name if title == source.stem else source.stem)

    def _page(self, source: Source, data: bytes, format: str) -> Page:
        encoding = self._options.encoding
        if encoding is None and format == "html":
            encoding = charset_of(data)
        try:
            text, guessed = decode(data, encoding)
        except UnicodeError:
            if encoding == self._options.encoding:
                raise
            text, guessed = decode(data)  # the page says that it has another encoding than it has
        if guessed:
            self._guessed.append(source.name)
        if format == "html":
            return read_html(text)
        return read_markdown(text) if format == "markdown" else Page("", text)
