"""E-mail: single messages and mailboxes. Subject, sender and date come with the text."""

import email
import email.policy
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Any

from hott.corpus.readers.lines import check_encoding, decode, gunzip, largest_document, too_large
from hott.corpus.readers.markup import read_html
from hott.corpus.readers.rows import BrokenRow, Record
from hott.corpus.readers.sources import Source

MAX_PARTS = 200
MAX_HEADER = 10_000  # characters that are looked at: Python's parser takes quadratic time and memory
MAX_CONTENT_HEADER = 1_000  # of those that say what a part is, which every part has,
MAX_PARAMETERS = 20  # and what stands between their semicolons


class _Message(Message):
    """A message whose headers are cut off where no honest one goes on."""

    def get(self, name: str, failobj: Any = None) -> Any:
        value = super().get(name, failobj)
        if value is None or value is failobj:
            return value
        if name.lower().startswith("content-"):
            return ";".join(str(value)[:MAX_CONTENT_HEADER].split(";")[:MAX_PARAMETERS])
        return str(value)[:MAX_HEADER]


def read_eml(data: bytes) -> Record:
    """Read one message. The id is left to the caller: that of a file is its path."""
    try:
        message = email.message_from_bytes(data, _Message, policy=email.policy.compat32)
        if not message.keys():
            raise ValueError("it has no header of a message")
        columns = {name: _header(message, name) for name in ("from", "to")} | {"date": _date(message)}
        return Record(
            _header(message, "message-id").strip("<> ") or None,
            _header(message, "subject"),
            _body(message),
            None,
            {name: value for name, value in columns.items() if value},
        )
    except ValueError:
        raise
    except (LookupError, TypeError, AttributeError, RecursionError, AssertionError) as error:
        raise ValueError(f"it is no message that can be read ({type(error).__name__}: {error})") from error


def read_mbox(source: Source, *, numbered: bool = False) -> Iterator[Record | BrokenRow]:
    """Read every message of a mailbox. Its id is that of the message, or its number if ``numbered``.

    A message may be there twice, as it was sent and as it was received: the second one is called ``id#2``.
    """
    times: Counter[str] = Counter()
    for number, data in enumerate(_messages(source), 1):
        try:
            if data is None:
                raise ValueError(too_large("it"))
            record = read_eml(data)
        except ValueError as error:
            yield BrokenRow(source.name, None, f"message {number:,}: {error}")
            continue
        if record.id is not None:
            times[record.id] += 1
            again = f"#{times[record.id]}" if times[record.id] > 1 else ""
            record = record._replace(id=None if numbered else f"{record.id}{again}")
        yield record


def _messages(source: Source) -> Iterator[bytes | None]:
    """Give the bytes of each message; None for one that is larger than a document may be."""
    lines: list[bytes] = []
    limit, size, blank, started = largest_document(), 0, True, False
    with source.open() as file:
        content = gunzip(file, source.budget)
        for line in iter(lambda: content.readline(1 << 20), b""):
            if blank and line.startswith(b"From "):
                if started:
                    yield b"".join(lines) if size <= limit else None
                lines, size, started = [], 0, True
            elif started:
                size += len(line)
                if size <= limit:
                    lines.append(line.removeprefix(b">") if line.startswith(b">From ") else line)
            elif line.strip():
                raise ValueError("it is no mailbox: it does not begin with a line 'From ...'")
            blank = line in (b"\n", b"\r\n")
    if started:
        yield b"".join(lines) if size <= limit else None


def _header(message: Message, name: str) -> str:
    """Return a header on one line, with its encoded words decoded."""
    value = message.get(name, "")
    try:
        words = decode_header(value)
    except ValueError:  # damaged base64
        words = [(value, None)]
    pieces = [word if isinstance(word, str) else _decode(word, charset) for word, charset in words]
    # Bytes that are not ASCII come as half pairs of surrogates.
    raw = "".join(pieces).encode("utf-8", "surrogateescape")
    return " ".join(decode(raw)[0].split())


def _date(message: Message) -> datetime | None:
    try:
        return parsedate_to_datetime(_header(message, "date")[:100])
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _body(message: Message) -> str:
    """Return the text: what is plain if there is some, else out of HTML. Attachments are left out."""
    plain: list[str] = []
    pages: list[str] = []
    for number, part in enumerate(message.walk()):
        if number > MAX_PARTS:
            break
        if part.is_multipart() or part.get_content_disposition() == "attachment":
            continue
        kind = part.get_content_type()
        if kind in ("text/plain", "text/html"):
            data = part.get_payload(decode=True)
            content = _decode(data if isinstance(data, bytes) else b"", part.get_content_charset())
            (plain if kind == "text/plain" else pages).append(content)
    if any(text.strip() for text in plain):
        return "\n\n".join(plain).strip()
    return "\n\n".join(read_html(page).text for page in pages)


def _decode(data: bytes, charset: str | None) -> str:
    try:
        check_encoding(charset)
        return data.decode(charset or "utf-8")
    except (LookupError, ValueError):
        return decode(data)[0]
