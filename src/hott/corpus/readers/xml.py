"""XML in one pass and without a tree, which would take fifty times the memory of the file."""

from collections.abc import Iterator, Mapping
from typing import Any
from xml.parsers import expat

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
