"""Text out of docx, odt and epub: zip files of XML. None of them needs a library of its own."""

import io
import posixpath
import zipfile
from collections.abc import Iterator
from urllib.parse import unquote
from xml.etree import ElementTree

from hott.readers.limits import largest_document, too_large
from hott.readers.lines import decode
from hott.readers.markup import Page, read_html
from hott.readers.sources import DAMAGED, check_swelling

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_HEADINGS = ("Title", "Heading1")  # styles of Word, which go by these names in most languages
_DUBLIN = "{http://purl.org/dc/elements/1.1/}"


def read_docx(data: bytes) -> Page:
    """A Word document: its paragraphs, and the title among its properties, or its first heading."""
    with _Parts(data) as parts:
        paragraphs, heading = [], ""
        for paragraph in parts.xml("word/document.xml").iter(f"{_WORD}p"):
            words = []
            for node in paragraph.iter():
                if node.tag == f"{_WORD}t":
                    words.append(node.text or "")
                elif node.tag in (f"{_WORD}tab", f"{_WORD}br", f"{_WORD}cr"):
                    words.append("\t" if node.tag.endswith("tab") else "\n")
            paragraphs.append("".join(words))
            style = paragraph.find(f"{_WORD}pPr/{_WORD}pStyle")
            if not heading and style is not None and style.get(f"{_WORD}val") in _HEADINGS:
                heading = _line(paragraphs[-1])
        return Page(parts.title("docProps/core.xml") or heading, "\n\n".join(filter(None, paragraphs)))


def read_odt(data: bytes) -> Page:
    """An OpenDocument text: its headings and paragraphs; the title as in Word documents."""
    with _Parts(data) as parts:
        if "encryption-data" in parts.text("META-INF/manifest.xml", missing=""):
            raise ValueError("it is encrypted")
        blocks = [
            (node.tag, "".join(_spelled(node)))
            for node in parts.xml("content.xml").iter()
            if node.tag in (f"{_TEXT}p", f"{_TEXT}h")
        ]
        heading = next((_line(text) for tag, text in blocks if tag == f"{_TEXT}h" and _line(text)), "")
        return Page(parts.title("meta.xml") or heading, "\n\n".join(text for _, text in blocks if text))


def _line(heading: str) -> str:
    return " ".join(heading.split())


def _spelled(node: ElementTree.Element) -> Iterator[str]:
    for part in node.iter():
        if part is not node and part.tag in (f"{_TEXT}p", f"{_TEXT}h"):
            continue
        if part.tag in (f"{_TEXT}tab", f"{_TEXT}s", f"{_TEXT}line-break"):
            yield "\n" if part.tag.endswith("break") else " "
        yield part.text or ""
        if part is not node:
            yield part.tail or ""


def read_epub(data: bytes) -> Page:
    """A book: its chapters in their order, its title, author and language."""
    with _Parts(data) as parts:
        roots = parts.xml("META-INF/container.xml").iter()
        package = next((node.get("full-path") for node in roots if node.tag.endswith("rootfile")), None)
        if not package:
            raise ValueError("it does not say where its chapters are")
        book = parts.xml(package)
        items = {node.get("id"): node.get("href") for node in book.iter() if node.tag.endswith("}item")}
        names = [
            posixpath.normpath(
                posixpath.join(posixpath.dirname(package), unquote(items[node.get("idref")] or ""))
            )
            for node in book.iter()
            if node.tag.endswith("}itemref") and node.get("idref") in items
        ]
        chapters = [read_html(parts.text(name)).text for name in dict.fromkeys(names)]
        told = {
            name: " ".join((node.text or "").split())
            for name, tag in (("title", "title"), ("author", "creator"), ("language", "language"))
            if (node := next(book.iter(f"{_DUBLIN}{tag}"), None)) is not None
        }
        return Page(told.pop("title", ""), "\n\n".join(filter(None, chapters)), told)


class _Parts:
    """The files in a zip file, read with care: neither they nor the XML in them may fill the memory."""

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (*DAMAGED, ValueError, OSError) as error:
            raise ValueError(f"it is damaged, or no such document: {error}") from error
        self._left = largest_document()

    def __enter__(self) -> "_Parts":
        return self

    def __exit__(self, *exception: object) -> None:
        self._zip.close()

    def data(self, name: str) -> bytes:
        try:
            member = self._zip.getinfo(name)
            check_swelling(member)
            if member.flag_bits & 1:
                raise ValueError("it is encrypted")
            if member.file_size > self._left:
                raise ValueError(too_large("what is in it"))
            self._left -= member.file_size
            return self._zip.read(member)
        except KeyError:
            raise ValueError(f"it is no such document: {name} is not in it") from None
        except DAMAGED as error:
            raise ValueError(f"it is damaged: {error}") from error

    def text(self, name: str, missing: str | None = None) -> str:
        if missing is not None and name not in self._zip.namelist():
            return missing
        return decode(self.data(name))[0]

    def xml(self, name: str) -> ElementTree.Element:
        data = self.data(name)
        # Entities that stand for entities would fill the memory; no such document has a need for them.
        if b"<!ENTITY" in data or b"<!\0E\0N\0T\0I\0T\0Y" in data:
            raise ValueError(f"{name} in it defines entities, as no such document does")
        try:
            return ElementTree.fromstring(data)
        except (ElementTree.ParseError, ValueError, LookupError) as error:
            raise ValueError(f"{name} in it is damaged: {error}") from error

    def title(self, name: str) -> str:
        """The title among the properties of a document, if there are any."""
        if name not in self._zip.namelist():
            return ""
        node = next(self.xml(name).iter(f"{_DUBLIN}title"), None)
        return " ".join(((node.text or "") if node is not None else "").split())
