"""Text out of docx, odt and epub: zip files of XML, read in one pass and without a library of its own."""

import io
import posixpath
import zipfile
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias
from urllib.parse import unquote
from xml.parsers import expat

from hott.corpus.readers.lines import Budget, decode, largest_document, too_large
from hott.corpus.readers.markup import read_html
from hott.corpus.readers.rows import Record
from hott.corpus.readers.sources import DAMAGED, open_zipped

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
_CHUNK = 1 << 12  # bytes that are parsed at a time: what is in them is in memory together
Event: TypeAlias = tuple[str, Any]
"""A tag and its attributes, or None where it ends; or an empty text and a piece of text."""


def read_xml(data: bytes, name: str, skips: Callable[[str], bool] = lambda tag: False) -> Iterator[Event]:
    """Give the tags and texts of a file in their order, without the elements that ``skips`` names.

    A ValueError says what is wrong. The work and the memory grow with the length of the file, whatever is in
    it: namespaces are looked up by prefix, as expat would copy their whole addresses at every tag.
    """
    events: list[Event] = []
    prefixes: dict[str, str] = {}
    names: dict[str, str] = {}  # as they are resolved at present
    skipped = 0  # how deep we are in an element that is skipped

    def resolve(tag: str) -> str:
        if tag not in names:
            prefix, _, local = tag.rpartition(":")
            names[tag] = f"{prefixes.get(prefix, '?')}:{local}"
        return names[tag]

    def refuse_definition(*definition: Any) -> None:
        # Entities that stand for entities would fill the memory, and so would an attribute that every
        # element has by default. No document has a need for them.
        raise ValueError(f"{name} in it defines entities or attributes, as no such document does")

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = lambda tag, attributes: events.append((tag, attributes))
    parser.EndElementHandler = lambda tag: events.append((tag, None))
    parser.CharacterDataHandler = lambda text: events.append(("", text))
    parser.EntityDeclHandler = parser.AttlistDeclHandler = refuse_definition
    place, size = 0, _CHUNK
    while place == 0 or place < len(data):
        try:
            parser.Parse(data[place : place + size], place + size >= len(data))
        except (expat.ExpatError, LookupError, UnicodeError) as error:
            raise ValueError(f"{name} in it is damaged: {error}") from error
        # A tag that goes on beyond the chunk is parsed again, from its beginning: next with twice as much.
        place, size = place + size, _CHUNK if events else 2 * size
        for tag, value in events:
            if not tag or value is None:
                if not skipped:
                    yield tag and resolve(tag), value
                elif tag:
                    skipped -= 1
                continue
            for key in value:
                if key[:5] == "xmlns":
                    prefixes[key[6:]] = _PREFIXES.get(value[key], "?")
                    names.clear()
            if skipped or skips(resolve(tag)):
                skipped += 1
            else:
                yield resolve(tag), {resolve(k) if ":" in k else k: v for k, v in value.items()}
        events.clear()


_PARAGRAPHS = ("w:p", "text:p", "text:h")
_HEADINGS = ("Title", "Heading1")  # styles of Word, which go by these names in most languages
_BREAKS = {"w:tab": "\t", "w:br": "\n", "w:cr": "\n", "text:tab": " ", "text:s": " ", "text:line-break": "\n"}


def read_docx(data: bytes) -> Record:
    """Read a Word document: its paragraphs, and the title among its properties, or its first heading."""
    with Parts(data) as parts:
        return _read_paragraphs(parts, "word/document.xml", "docProps/core.xml", "w:t")


def read_odt(data: bytes) -> Record:
    """Read an OpenDocument text: its headings and paragraphs; the title as in Word documents."""
    with Parts(data) as parts:
        manifest = "META-INF/manifest.xml"
        if manifest in parts and "encryption-data" in parts.text(manifest):
            raise ValueError("it is encrypted")
        return _read_paragraphs(parts, "content.xml", "meta.xml")


def _read_paragraphs(parts: "Parts", content: str, properties: str, text_tag: str = "") -> Record:
    """Collect paragraphs; one in another, as in a text box, is one of its own. Text is in ``text_tag``."""
    paragraphs: list[list[str]] = []  # in the order of their beginnings
    headings: list[list[str]] = []
    inside: list[list[str]] = []  # those that we are in
    lengths: list[int] = []  # how much text there was before each choice that we are in
    length, last = 0, ""

    def skips(tag: str) -> bool:
        # A text box is written twice, for newer and for older versions of Word: the first with text counts.
        if tag in ("mc:Choice", "mc:Fallback") and lengths:
            return length > lengths[-1]
        return tag in ("w:pPrChange", "text:tracked-changes")  # what was deleted

    for tag, value in parts.xml(content, skips):
        text = ""
        if not tag:
            text = value if not text_tag or last == text_tag else ""
        elif value is None:
            last = ""
            if tag in _PARAGRAPHS:
                inside.pop()
            elif tag == "mc:AlternateContent":
                lengths.pop()
        else:
            last, text = tag, _BREAKS.get(tag, "")
            if tag in _PARAGRAPHS:
                paragraphs.append([])
                inside.append(paragraphs[-1])
            elif tag == "mc:AlternateContent":
                lengths.append(length)
            is_heading = tag == "text:h" or (tag == "w:pStyle" and value.get("w:val") in _HEADINGS)
            if is_heading and inside:
                headings.append(inside[-1])
        if text and inside:
            inside[-1].append(text)
            length += len(text)
    title = _read_properties(parts, properties)[0].get("dc:title") if properties in parts else ""
    lines = (" ".join("".join(heading).split()) for heading in headings)
    texts = ("".join(paragraph) for paragraph in paragraphs)
    return Record(title=title or next(filter(None, lines), ""), text="\n\n".join(filter(None, texts)))


def _read_properties(parts: "Parts", name: str) -> tuple[dict[str, str], list[Event]]:
    """Return what a file tells about itself, a line each, and the lists of a book's package."""
    texts: dict[str, list[str]] = {}
    elements: list[Event] = []
    inside = ""
    for tag, value in parts.xml(name):
        if not tag and inside:
            texts[inside].append(value)
        elif value is None and tag == inside:
            inside = ""
        elif tag and value is not None:
            if tag.startswith("dc:") and tag not in texts:
                texts[tag], inside = [], tag
            elif tag in ("container:rootfile", "opf:item", "opf:itemref"):
                elements.append((tag, value))
    return {tag: " ".join("".join(pieces).split()) for tag, pieces in texts.items()}, elements


def read_epub(data: bytes) -> Record:
    """Read a book: its chapters in their order, its title, author and language."""
    with Parts(data) as parts:
        _, files = _read_properties(parts, "META-INF/container.xml")
        package = next((file["full-path"] for _, file in files if file.get("full-path")), None)
        if not package:
            raise ValueError("it does not say where its chapters are")
        about, elements = _read_properties(parts, package)
        hrefs = {item.get("id"): item.get("href", "") for tag, item in elements if tag == "opf:item"}
        folder = posixpath.dirname(package)
        names = [
            posixpath.normpath(posixpath.join(folder, unquote(hrefs[item.get("idref")])))
            for tag, item in elements
            if tag == "opf:itemref" and item.get("idref") in hrefs
        ]
        chapters = [read_html(parts.text(name)).text for name in dict.fromkeys(names)]
        named = {"author": "dc:creator", "language": "dc:language"}
        columns = {name: about[tag] for name, tag in named.items() if about.get(tag)}
        return Record(None, about.get("dc:title", ""), "\n\n".join(filter(None, chapters)), None, columns)


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
            if member.file_size > self._left:
                raise ValueError(too_large("what is in it"))
            self._left -= member.file_size
            with open_zipped(self._zip, member, self._budget) as file:
                return file.read()
        except KeyError:
            raise ValueError(f"it is no such document: {name} is not in it") from None
        except DAMAGED as error:
            raise ValueError(f"it is damaged: {error}") from error

    def text(self, name: str) -> str:
        """Return the text of a file."""
        return decode(self.data(name))[0]

    def xml(self, name: str, skips: Callable[[str], bool] = lambda tag: False) -> Iterator[Event]:
        """Give what is in a file of XML, as :func:`read_xml` does."""
        return read_xml(self.data(name), name, skips)
