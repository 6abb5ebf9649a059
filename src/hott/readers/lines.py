"""Text out of bytes: gzip, byte order marks, encodings, and lines that can be broken one at a time."""

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator

_MARKS = [  # UTF-32 first: its little-endian mark begins with the one of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
]
_GZIP = b"\x1f\x8b"
_GZIP_ERRORS = (EOFError, gzip.BadGzipFile, zlib.error)
_CONTROL = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1a\x1b"))


class BrokenLine(ValueError):
    """A line that could not be decoded; the lines after it can still be read."""


def unzipped(file: io.BufferedReader) -> io.BufferedReader:
    """Give the content of a gzip file, or the file itself if it is not one."""
    if file.peek(2)[:2] != _GZIP:
        return file
    return io.BufferedReader(gzip.GzipFile(fileobj=file))  # type: ignore[arg-type]


def check_encoding(encoding: str | None) -> None:
    """Raise ValueError if Python does not know the encoding."""
    try:
        codecs.lookup(encoding or "utf-8")
    except LookupError:
        raise ValueError(
            f"encoding {encoding!r} is not known. Try 'utf-8', 'cp1252', 'latin-1', 'utf-16' or 'shift_jis'."
        ) from None


def is_binary(start: bytes) -> bool:
    """Whether the first kilobytes of a file look like something else than text.

    Examples
    --------
    >>> is_binary(b"\\x89PNG\\r\\n\\x1a\\n\\x00"), is_binary("Café".encode("utf-16"))
    (True, False)
    """
    if start.startswith(b"%PDF-"):
        return True
    if any(start.startswith(mark) for mark, _ in _MARKS):
        return False
    # Text has next to no control characters; compressed data has one in ten bytes.
    controls = len(start) - len(start.translate(None, _CONTROL))
    return b"\0" in start or controls > 0.02 * len(start)


def decode(data: bytes, encoding: str | None = None) -> tuple[str, bool]:
    """Decode a whole text; the second value says whether Windows-1252 had to be guessed.

    Examples
    --------
    >>> decode("naïve".encode("cp1252"))
    ('naïve', True)
    """
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

    ``next`` raises :class:`BrokenLine` for a line that is not in the stated encoding, and goes on with the
    line after it. With no encoding stated, a line that is not UTF-8 is taken for Windows-1252.
    """

    def __init__(self, file: io.BufferedReader, encoding: str | None = None) -> None:
        self.number = 0  # of the last line given
        self.guessed = 0  # how many lines were taken for Windows-1252
        self.first_guessed = 0
        self._encoding = encoding
        self._lines: Iterator[bytes | str] = file
        try:
            start = file.peek(4)[:4]
        except _GZIP_ERRORS as error:
            start, self._lines = b"", _failing(error)
        mark = next((name for mark, name in _MARKS if start.startswith(mark)), None)
        wide = encoding or mark or ""
        if codecs.lookup(wide or "utf-8").name.startswith(("utf-16", "utf-32")):
            # A byte 10 is not always a line end here: decode first, split after.
            self._lines = io.TextIOWrapper(file, wide, newline="")

    def __next__(self) -> str:
        self.number += 1
        try:
            raw = next(self._lines)
            line = raw if isinstance(raw, str) else self._decode(raw)
        except StopIteration:
            self.number -= 1
            raise
        except UnicodeDecodeError as error:
            raise BrokenLine(f"not {error.encoding}: {error.reason} at byte {error.start + 1}") from None
        except _GZIP_ERRORS as error:
            self._lines = iter(())
            raise BrokenLine(f"the gzip data is damaged or cut short ({error})") from None
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


def _failing(error: Exception) -> Iterator[bytes]:
    raise error
    yield  # which makes this a generator: the error comes with the first line
