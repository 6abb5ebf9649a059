"""Files that are one document each: the path is the id, the folder the label, the name perhaps the title."""

from collections.abc import Callable

from hott.corpus.readers.lines import check_encoding, decode, is_binary
from hott.corpus.readers.log import Log, list_files
from hott.corpus.readers.mail import read_eml
from hott.corpus.readers.markup import Page, charset_of, headline, read_html, read_markdown, spell_ligatures
from hott.corpus.readers.office import read_docx, read_epub, read_odt
from hott.corpus.readers.options import Options
from hott.corpus.readers.pdf import PdfReader
from hott.corpus.readers.rows import Record
from hott.corpus.readers.sources import Source

BINARY = "binary files"

_PACKED: dict[str, Callable[[bytes], Page]] = {"docx": read_docx, "odt": read_odt, "epub": read_epub}


class DocumentReader:
    """Reads files that are one document each."""

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
            heading = headline(
                text, is_laid_out=format == "pdf"
            )  # of marked-up pages it is a menu or section
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
            encoding = _find_charset(charset_of(data))
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


def _find_charset(charset: str | None) -> str | None:
    try:
        check_encoding(charset)
    except ValueError:
        return None
    return charset
