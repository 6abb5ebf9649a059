"""Text out of bytes: gzip, encodings, lines that break one at a time, and how far a file may swell."""

import bz2
import codecs
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any

MAX_DOCUMENT = 100_000_000
MAX_START = 1 << 16  # bytes of a file that tell what it is
"""Bytes of one document, which is held in memory several times over while it is read."""

MAX_RATIO = 200
"""How many times its size a compressed file may hold. Texts come to ten times, logs to fifty; a file that was
made to fill the memory to a thousand."""

ALWAYS_ALLOWED = 64_000_000
"""Bytes that may come out of any compressed file or archive."""

MAX_PDF_SECONDS = 60
_DAY = 86_400


def largest_document() -> int:
    """Return the limit in bytes; the variable ``HOTT_LARGEST_DOCUMENT`` sets another one."""
    return _read_variable("HOTT_LARGEST_DOCUMENT", MAX_DOCUMENT)


def gzip_ratio() -> int:
    """Return the limit; the variable ``HOTT_GZIP_RATIO`` sets another one."""
    return _read_variable("HOTT_GZIP_RATIO", MAX_RATIO)


def pdf_seconds() -> float:
    """Return how long reading one PDF may take; the variable ``HOTT_PDF_SECONDS`` sets another limit."""
    value = os.environ.get("HOTT_PDF_SECONDS", "")
    with suppress(ValueError):
        if 0 < (seconds := float(value or MAX_PDF_SECONDS)) <= _DAY:
            return seconds
    raise ValueError(
        f"The variable HOTT_PDF_SECONDS must be a number of seconds above 0 and at most {_DAY:,}, which is a "
        f"day; got {value!r:.40}."
    )


class Budget:
    """Counts what comes out of a compressed file or an archive, whatever is nested in it."""

    def __init__(self, size: int) -> None:
        self._ratio = gzip_ratio()
        self.limit = max(ALWAYS_ALLOWED, self._ratio * size)
        self.spent = 0

    def spend(self, n: int, what: str = "it") -> None:
        """Count ``n`` bytes more, or raise ValueError if they are too many."""
        if self.spent + n > self.limit:
            raise ValueError(
                f"{what} swells to more than {self._ratio} times its size, as no honest file does: at most "
                f"{self.limit:,} bytes may come out of it. Set the variable HOTT_GZIP_RATIO to allow more"
            )
        self.spent += n


def too_large(what: str) -> str:
    """Say that something is larger than a document may be, and the way out."""
    return (
        f"{what} is larger than {largest_document():,} bytes, the most that one document may have. Set the "
        "variable HOTT_LARGEST_DOCUMENT to allow more"
    )


def _read_variable(name: str, default: int) -> int:
    value = os.environ.get(name, "") or str(default)
    if not value.isdecimal() or int(value[:18]) < 1:
        raise ValueError(f"The variable {name} must be a whole number of at least 1, got {value!r:.40}.")
    return int(value[:18])


_MARKS = [  # UTF-32 first: its little-endian mark begins with the one of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
]
_GZIP = b"\x1f\x8b"
_COMPRESSED: list[tuple[bytes, Any]] = [
    (_GZIP, lambda file: gzip.GzipFile(fileobj=file)),
    (b"BZh", bz2.BZ2File),
    (b"\xfd7zXZ\x00", lzma.LZMAFile),
]
_CONTROL = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1a\x1b"))
_BROKEN = (
    "\ud800"  # stands where a text could not be decoded; no text that could be has half a surrogate pair
)
_MARKING = "hott.marking"


def _mark(error: UnicodeError) -> tuple[str, int]:
    if isinstance(error, UnicodeDecodeError):
        return _BROKEN, error.end
    raise error


codecs.register_error(_MARKING, _mark)


class BrokenLine(ValueError):
    """A line that could not be decoded; the lines after it can still be read."""


class CutShort(BrokenLine):
    """The file cannot be read from here on; what came before is sound."""


class GzipError(ValueError):
    """The gzip data is damaged, cut short, or swells without end."""


def gunzip(file: io.BufferedReader, budget: Budget | None = None) -> io.BufferedReader:
    """Give the content of a gzip file, or the file itself if it is not one.

    ``budget`` is that of the archive that the file is in: what comes out counts there as well.
    """
    return decompress(file, budget) if file.peek(2)[:2] == _GZIP else file


def decompress(file: io.BufferedReader, budget: Budget | None = None) -> io.BufferedReader:
    """Give the content of a gzip, bzip2 or xz file, or the file itself if it is none."""
    start = file.peek(6)
    for mark, opener in _COMPRESSED:
        if start.startswith(mark):
            return io.BufferedReader(_Unzipped(file, opener(file), budget), MAX_START)
    return file


class _Unzipped(io.RawIOBase):
    """The content of a compressed file. A ``GzipError`` says how much could be read."""

    def __init__(self, file: io.BufferedReader, content: Any, budget: Budget | None) -> None:
        self._file, self._content, self._budget = file, content, budget
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            n = self._content.readinto1(buffer)
        except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
            raise GzipError(
                f"the gzip data is damaged or cut short after {self._given:,} bytes of content ({error}); "
                "what came after them is lost"
            ) from error
        self._given += n
        try:
            Budget(self._file.tell()).spend(self._given, "the gzip data")
            if self._budget is not None:
                self._budget.spend(n, "with it, the archive")
        except ValueError as error:
            raise GzipError(f"{error}; {self._given:,} bytes of it were read") from None
        return n


def check_encoding(encoding: str | None) -> None:
    """Raise ValueError if Python does not know the encoding, or if it does not give text."""
    if encoding is None:
        return
    try:
        # rot13, base64 and their like are codecs, but do not turn bytes into text; decode tells them apart.
        codecs.lookup(encoding)
        b"a".decode(encoding, "replace")
        if codecs.lookup(encoding).name in ("idna", "punycode"):
            raise LookupError("for host names only")
    except (LookupError, TypeError, ValueError):
        raise ValueError(
            f"encoding {encoding!r} is not known as one of text. "
            "Try 'utf-8', 'cp1252', 'latin-1', 'utf-16' or 'shift_jis'."
        ) from None


def is_binary(start: bytes) -> bool:
    """Tell whether the first kilobytes of a file look like something other than text."""
    if start.startswith(b"%PDF-"):
        return True
    if any(start.startswith(mark) for mark, _ in _MARKS):
        return False
    # Text has next to no control characters; compressed data has one in ten bytes.
    controls = len(start) - len(start.translate(None, _CONTROL))
    return b"\0" in start or controls > 0.02 * len(start)


def decode(data: bytes, encoding: str | None = None) -> tuple[str, bool]:
    """Decode a whole text; the second value says whether Windows-1252 had to be guessed."""
    if encoding is None:
        encoding = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    if encoding is not None:
        return data.decode(encoding).removeprefix("\ufeff"), False
    try:
        return data.decode("utf-8"), False
    except UnicodeDecodeError:
        return _decode_windows(data), True


def _decode_windows(data: bytes) -> str:
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:  # five bytes mean nothing in Windows-1252
        return data.decode("latin-1")


class Lines(Iterator[str]):
    """The lines of a file, decoded one at a time, so that one bad line does not spoil the others.

    ``next`` raises :class:`BrokenLine` for a line that is too long or not in the stated encoding, and goes on
    with the line after it; :class:`CutShort` where the file ends before its time. With no encoding stated, a
    line that is not UTF-8 is taken for Windows-1252.
    """

    def __init__(self, file: io.BufferedReader, encoding: str | None = None) -> None:
        self.number = 0  # of the last line given
        self.guessed = 0  # how many lines were taken for Windows-1252
        self.first_guessed = 0
        self._encoding = encoding
        self._most = largest_document()
        self._row = 0  # bytes of the row that is being read
        self._file: io.BufferedReader | io.TextIOWrapper = file
        self._failed: GzipError | None = None
        start = b""
        try:
            start = file.peek(4)[:MAX_START]
        except GzipError as error:
            self._failed = error
        mark = next((name for mark, name in _MARKS if start.startswith(mark)), None)
        wide = encoding or mark or "utf-8"
        self.start = start.decode(wide, "replace").replace("\r\n", "\n")  # shows what rows look like
        end: str | bytes = b""
        if "\n".encode(wide).removeprefix(codecs.BOM_UTF8) != b"\n":  # no encoding that extends ASCII
            # Decode first, split after. An error must not stop the decoder: it would stay where it is.
            self._file = io.TextIOWrapper(file, wide, newline="", errors=_MARKING)
            end = ""
        self._lines: Iterator[str | bytes] = iter(partial(self._file.readline, self._most + 1), end)

    def begin_row(self) -> None:
        """Start to count anew how long a row is: one may take several lines."""
        self._row = 0

    def __next__(self) -> str:
        self.number += 1
        try:
            if self._failed is not None:
                raise self._failed
            raw = next(self._lines)
            self._row += len(raw)
            if self._row > self._most:
                rest, end = raw, "\n" if isinstance(raw, str) else b"\n"
                while rest and not rest.endswith(end):  # type: ignore[arg-type]
                    rest = self._file.readline(1 << 20)
                raise BrokenLine(too_large("it"))
            line = raw if isinstance(raw, str) else self._decode(raw)
            if _BROKEN in line:
                raise BrokenLine("not in the encoding of the file")
        except StopIteration:
            self.number -= 1
            raise
        except GzipError as error:
            self._lines, self._failed = iter(()), None
            raise CutShort(f"{error}. {self.number - 1:,} lines were read") from None
        except UnicodeError as error:
            reason = str(error)
            if isinstance(error, UnicodeDecodeError):
                reason = f"not {error.encoding}: {error.reason} at byte {error.start + 1}"
            raise BrokenLine(reason) from None
        return line.removeprefix("\ufeff") if self.number == 1 else line

    def _decode(self, line: bytes) -> str:
        try:
            return line.decode(self._encoding or "utf-8")
        except UnicodeDecodeError:
            if self._encoding is not None:
                raise
            self.guessed += 1
            self.first_guessed = self.first_guessed or self.number
            return _decode_windows(line)
