"""Text out of docx, odt and epub: zip files of XML, read in one pass and without a library of its own."""

import io
import posixpath
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote
from xml.parsers import expat

from hott.corpus.readers.lines import Budget, decode, largest_document, too_large
from hott.corpus.readers.markup import Page, read_html
from hott.corpus.readers.sources import DAMAGED, check_swelling

# Names of tags are given with these prefixes, whatever prefixes the file itself uses.
_PREFIXES = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w",
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "w",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc",
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main": "x",
    "http://purl.oclc.org/ooxml/spreadsheetml/main": "x",
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships": "r",
    "http://purl.oclc.org/ooxml/officeDocument/relationships": "r",
    "http://schemas.openxmlformats.org/package/2006/relationships": "rel",
    "urn:oasis:names:tc:opendocument:xmlns:text:1.0": "text",
    "urn:oasis:names:tc:opendocument:xmlns:container": "container",
    "http://www.idpf.org/2007/opf": "opf",
    "http://purl.org/dc/elements/1.1/": "dc",
}
_CHUNK = 1 << 20


class XmlReader:
    """Reads XML: subclasses take what they need from :meth:`start`, :meth:`end` and :meth:`text`.

    The work and the memory grow with the length of the file, whatever is in it: namespaces are looked up by
    prefix, as expat would copy their whole addresses at every tag.
    """

    def __init__(self) -> None:
        self._prefixes: dict[str, str] = {}
        self._skipped = 0  # how deep we are in an element that is skipped

    def skips(self, tag: str) -> bool:
        """Return whether to leave out an element and all that is in it."""
        return False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Take the start of an element."""

    def end(self, tag: str) -> None:
        """Take the end of an element."""

    def text(self, text: str) -> None:
        """Take some text; what stands between two tags may come in pieces."""

    def read(self, data: bytes, name: str) -> None:
        """Read a whole file; a ValueError says what is wrong with it."""
        for _ in self.read_in_steps(data, name):
            pass

    def read_in_steps(self, data: bytes, name: str) -> Iterator[None]:
        """Read a file a megabyte at a time, so that what was found can be taken away in between."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.EntityDeclHandler = parser.AttlistDeclHandler = self._refuse_definition
        try:
            for place in range(0, len(data), _CHUNK):
                parser.Parse(data[place : place + _CHUNK], False)
                yield
            parser.Parse(b"", True)
            yield
        except (expat.ExpatError, LookupError, UnicodeError) as error:
            raise ValueError(f"{name} in it is damaged: {error}") from error
        except DefinitionError as error:
            raise ValueError(f"{name} in it {error}") from None

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        for name, value in attributes.items():
            if name.startswith("xmlns"):
                self._prefixes[name[6:]] = _PREFIXES.get(value, "?")
        tag = self._resolve(tag)
        if self._skipped or self.skips(tag):
            self._skipped += 1
        else:
            self.start(tag, {self._resolve(k) if ":" in k else k: v for k, v in attributes.items()})

    def _end(self, tag: str) -> None:
        if self._skipped:
            self._skipped -= 1
        else:
            self.end(self._resolve(tag))

    def _text(self, text: str) -> None:
        if not self._skipped:
            self.text(text)

    def _resolve(self, name: str) -> str:
        prefix, _, local = name.rpartition(":")
        return f"{self._prefixes.get(prefix, '?')}:{local}"

    def _refuse_definition(self, *definition: Any) -> None:
        # Entities that stand for entities would fill the memory, and so would an attribute that every
        # element has by default. No document has a need for them.
        raise DefinitionError("defines entities or attributes, as no such document does")


class DefinitionError(ValueError):
    """The file defines entities or attributes."""


_HEADINGS = ("Title", "Heading1")  # styles of Word, which go by these names in most languages
_BREAKS = {"w:tab": "\t", "w:br": "\n", "w:cr": "\n", "text:tab": " ", "text:s": " ", "text:line-break": "\n"}


def read_docx(data: bytes) -> Page:
    """Read a Word document: its paragraphs, and the title among its properties, or its first heading."""
    with Parts(data) as parts:
        return _read_paragraphs(parts, "word/document.xml", "docProps/core.xml", _Word())


def read_odt(data: bytes) -> Page:
    """Read an OpenDocument text: its headings and paragraphs; the title as in Word documents."""
    with Parts(data) as parts:
        if "encryption-data" in parts.text("META-INF/manifest.xml", missing=""):
            raise ValueError("it is encrypted")
        return _read_paragraphs(parts, "content.xml", "meta.xml", _OpenDocument())


def _read_paragraphs(parts: "Parts", content: str, properties: str, reader: "_Paragraphs") -> Page:
    reader.read(parts.data(content), content)
    texts = ("".join(paragraph) for paragraph in reader.paragraphs)
    about = _Properties()
    if properties in parts:
        about.read(parts.data(properties), properties)
    return Page(about.first("dc:title") or reader.heading, "\n\n".join(filter(None, texts)))


class _Paragraphs(XmlReader):
    """Collects paragraphs. One that is inside another, as in a text box, is a paragraph of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.paragraphs: list[list[str]] = []  # in the order of their beginnings
        self.headings: list[list[str]] = []
        self.length = 0
        self._open: list[list[str]] = []

    def begin(self) -> None:
        self.paragraphs.append([])
        self._open.append(self.paragraphs[-1])

    def finish(self) -> None:
        if self._open:
            self._open.pop()

    def write(self, text: str) -> None:
        if self._open:
            self._open[-1].append(text)
            self.length += len(text)

    def mark_heading(self) -> None:
        if self._open:
            self.headings.append(self._open[-1])

    @property
    def heading(self) -> str:
        """The first heading that is not empty, on one line."""
        lines = (" ".join("".join(heading).split()) for heading in self.headings)
        return next(filter(None, lines), "")


class _Word(_Paragraphs):
    def __init__(self) -> None:
        super().__init__()
        self._lengths: list[int] = []  # how much text there was before each choice that we are in
        self._is_text = False

    def skips(self, tag: str) -> bool:
        # A text box is written twice, for newer and for older versions of Word: the first with text counts.
        if tag in ("mc:Choice", "mc:Fallback") and self._lengths:
            return self.length > self._lengths[-1]
        return tag == "w:pPrChange"

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._is_text = tag == "w:t"
        if tag == "w:p":
            self.begin()
        elif tag in _BREAKS:
            self.write(_BREAKS[tag])
        elif tag == "w:pStyle" and attributes.get("w:val") in _HEADINGS:
            self.mark_heading()
        elif tag == "mc:AlternateContent":
            self._lengths.append(self.length)

    def end(self, tag: str) -> None:
        self._is_text = False
        if tag == "w:p":
            self.finish()
        elif tag == "mc:AlternateContent":
            self._lengths.pop()

    def text(self, text: str) -> None:
        if self._is_text:
            self.write(text)


class _OpenDocument(_Paragraphs):
    def skips(self, tag: str) -> bool:
        return tag == "text:tracked-changes"  # what was deleted

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag in ("text:p", "text:h"):
            self.begin()
            if tag == "text:h":
                self.mark_heading()
        elif tag in _BREAKS:
            self.write(_BREAKS[tag])

    def end(self, tag: str) -> None:
        if tag in ("text:p", "text:h"):
            self.finish()

    def text(self, text: str) -> None:
        self.write(text)


class _Properties(XmlReader):
    """Collects what a file tells about itself, and the lists of a book's package."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, Mapping[str, str]]] = []
        self._texts: dict[str, list[str]] = {}
        self._inside = ""

    def first(self, tag: str) -> str:
        """Return the text of the first element of that name, on one line."""
        return " ".join("".join(self._texts.get(tag, [])).split())

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag.startswith("dc:") and tag not in self._texts:
            self._texts[tag], self._inside = [], tag
        elif tag in ("container:rootfile", "opf:item", "opf:itemref"):
            self.elements.append((tag, attributes))

    def end(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = ""

    def text(self, text: str) -> None:
        if self._inside:
            self._texts[self._inside].append(text)


def read_epub(data: bytes) -> Page:
    """Read a book: its chapters in their order, its title, author and language."""
    with Parts(data) as parts:
        container, book = _Properties(), _Properties()
        container.read(parts.data("META-INF/container.xml"), "META-INF/container.xml")
        package = next((file["full-path"] for _, file in container.elements if file.get("full-path")), None)
        if not package:
            raise ValueError("it does not say where its chapters are")
        book.read(parts.data(package), package)
        hrefs = {item.get("id"): item.get("href", "") for tag, item in book.elements if tag == "opf:item"}
        folder = posixpath.dirname(package)
        names = [
            posixpath.normpath(posixpath.join(folder, unquote(hrefs[item.get("idref")])))
            for tag, item in book.elements
            if tag == "opf:itemref" and item.get("idref") in hrefs
        ]
        chapters = [read_html(parts.text(name)).text for name in dict.fromkeys(names)]
        columns = {"author": book.first("dc:creator"), "language": book.first("dc:language")}
        return Page(
            book.first("dc:title"),
            "\n\n".join(filter(None, chapters)),
            {name: value for name, value in columns.items() if value},
        )


class Parts:
    """The files in a zip file, read with care: together they are no larger than a document may be."""

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (*DAMAGED, ValueError, OSError) as error:
            raise ValueError(f"it is damaged, or no such document: {error}") from error
        self._budget, self._left = Budget(len(data)), largest_document()

    def __enter__(self) -> "Parts":
        return self

    def __exit__(self, *exception: object) -> None:
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return name in self._zip.NameToInfo

    def data(self, name: str) -> bytes:
        """Return the bytes of a file."""
        try:
            member = self._zip.getinfo(name)
            check_swelling(member)
            if member.flag_bits & 1:
                raise ValueError("it is encrypted")
            if member.file_size > self._left:
                raise ValueError(too_large("what is in it"))
            self._budget.spend(member.file_size)
            self._left -= member.file_size
            return self._zip.read(member)
        except KeyError:
            raise ValueError(f"it is no such document: {name} is not in it") from None
        except DAMAGED as error:
            raise ValueError(f"it is damaged: {error}") from error

    def text(self, name: str, missing: str | None = None) -> str:
        """Return the text of a file, or ``missing`` if there is no such file."""
        return missing if missing is not None and name not in self else decode(self.data(name))[0]
