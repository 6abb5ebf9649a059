"""Documents out of files: one small reader a format; each gives rows, or says what is wrong with one."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from hott.corpus.readers.lines import decode, gzip_ratio, is_binary, largest_document, pdf_seconds
from hott.corpus.readers.log import Log
from hott.corpus.readers.mail import read_eml
from hott.corpus.readers.markup import charset_of, headline, read_html, read_markdown, spell_ligatures
from hott.corpus.readers.office import read_docx, read_epub, read_odt
from hott.corpus.readers.options import ARCHIVES, FORMATS, MANY, SUFFIXES, Options, ReadOptions, format_of
from hott.corpus.readers.pdf import PdfReader
from hott.corpus.readers.rows import BrokenRow, ColumnError, Record, Rows, is_frame, is_series
from hott.corpus.readers.sources import ARCHIVED, Source, Unreadable, below, list_archive
from hott.corpus.readers.tables import read_table
from hott.utils.progress import Report

__all__ = ["FORMATS", "Log", "ReadOptions", "is_frame", "is_series", "open_rows"]

_OF_BYTES: dict[str, Callable[[bytes], Record]] = {
    "docx": read_docx, "odt": read_odt, "epub": read_epub, "eml": read_eml,
}  # fmt: skip
_OF_TEXT: dict[str, Callable[[str], Record]] = {"html": read_html, "markdown": read_markdown}
_GUESSED = "read as Windows-1252, for want of valid UTF-8: {}. State encoding= if that is wrong."
_NO_TEXT = "found no text in a PDF, as in scanned pages: {}. Let a program for text recognition read it."
_WITH_TITLE = ("markdown", "html", "epub", "eml")  # the first line of these is a menu, a section, or no title


def open_rows(path: str | os.PathLike[str], options: Options, log: Log, report: Report | None = None) -> Rows:
    """Give the rows of any readable file, folder or archive; ``log`` learns what becomes of each file."""
    for limit in (largest_document, gzip_ratio, pdf_seconds):
        limit()  # an error if a variable that sets it cannot be understood
    with closing(PdfReader()) as pdf:
        yield from _Reader(options, log, report, pdf).read(Path(os.path.expanduser(path)))


def _find_format(path: Path, format: str | None) -> str:
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


class _Reader:
    """Reads files, one after the other. One that cannot be read does not keep the others from being read.

    A file of one document has its path for an id, its folder for a label, and its name for a title if there
    is no better one.
    """

    def __init__(self, options: Options, log: Log, report: Report | None, pdf: PdfReader) -> None:
        self._options, self._log, self._report, self._pdf = options, log, report, pdf

    def read(self, path: Path) -> Rows:
        stated = self._options.format
        format = _find_format(path, stated)
        if format == "folder":
            sources, unreadable = below(path, self._options, self._log)
            yield from unreadable
            if not sources and not self._log.entries:
                raise ValueError(f"the folder {path} is empty.")
            yield from self._read_all(sources, None if stated == "folder" else stated)
            return
        source = Source.of(path, path.parent)
        if format not in ARCHIVES:
            yield from self._read_all([source], format, is_alone=True)
            return
        try:
            with list_archive(source, format, self._options, self._log) as sources:
                yield from self._read_all(sources, None, is_alone=len(sources) == 1)
        except Unreadable as error:
            yield BrokenRow(source.name, None, str(error), lost=True)

    def _read_all(self, sources: list[Source], format: str | None, *, is_alone: bool = False) -> Rows:
        for number, source in enumerate(sources, 1):
            found = format or format_of(source.name) or "text"  # where the name does not tell
            if found in ARCHIVES:
                own = "archives, which can be read by themselves"
                self._log.note_skipped(source.name, ARCHIVED if source.path is None else own)
            elif found in MANY:
                yield from self._read_table(source, found, is_alone)
            else:
                yield from self._read_one(source, found)
            if self._report is not None and not (is_alone and found in MANY):
                self._report(number, len(sources))

    def _read_table(self, source: Source, format: str, is_alone: bool) -> Rows:
        """Give the rows of a table; where it cannot be read any further, the last one says why."""
        documents = 0
        try:
            report = self._report if is_alone and source.path is not None else None
            for number, row in enumerate(read_table(source, format, self._options, self._log, report), 1):
                if isinstance(row, Record):
                    documents += 1
                    if not is_alone:  # ids begin with the name of the table, as there are other files
                        id = f"{source.name}#{row.id or number}"
                        row = row._replace(id=id, label=row.label or source.folder)
                yield row
        except (ColumnError, ImportError) as error:
            if is_alone:
                raise
            if isinstance(error, ImportError):
                yield BrokenRow(source.name, None, str(error))
            else:
                self._log.note_skipped(source.name, "tables without a column of text")
            return
        except (OSError, ValueError, RecursionError, OverflowError) as error:
            yield BrokenRow(source.name, None, str(error), lost=True)
        self._log.read(source.name, format, documents)

    def _read_one(self, source: Source, format: str) -> Rows:
        """Give the document of a file; none for a binary file, which is skipped."""
        try:
            data = source.content()
            if format == "text" and data.startswith(b"%PDF-"):
                format = "pdf"
            if format == "pdf":
                record = self._pdf.read(data)
                if not record.text:
                    self._log.note_file(source.name, _NO_TEXT)
            elif format in _OF_BYTES:
                record = _OF_BYTES[format](data)
            elif self._options.encoding is None and is_binary(data[:8192]):
                self._log.note_skipped(source.name, "binary files")
                return
            else:
                text = self._decode(source, data, format)
                record = _OF_TEXT[format](text) if format in _OF_TEXT else Record(text=text)
        except (OSError, ValueError, ImportError, RecursionError) as error:
            yield BrokenRow(source.name, None, str(error))
            return
        self._log.read(source.name, format, 1)
        text, title = map(spell_ligatures, (record.text, record.title))
        wanted = self._options.title
        if not title and wanted is None and format not in _WITH_TITLE:
            title = headline(text, is_laid_out=format == "pdf")
        title = "" if wanted is False else source.stem if wanted == "file-name" else title or source.stem
        spare = "" if wanted is False else source.name if title == source.stem else source.stem
        yield Record(source.name, title, text, source.folder, record.columns, spare, written=format != "eml")

    def _decode(self, source: Source, data: bytes, format: str) -> str:
        stated = self._options.encoding
        own = charset_of(data) if stated is None and format == "html" else stated
        try:
            text, is_guessed = decode(data, own)
        except UnicodeError:
            if stated is not None:
                raise
            text, is_guessed = decode(data)  # the page says that it has another encoding than it has
        if is_guessed:
            self._log.note_file(source.name, _GUESSED)
        return text
