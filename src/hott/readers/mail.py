"""E-mail: single messages and mailboxes. Subject, sender and date come with the text."""

import email
import email.policy
from collections.abc import Iterator
from datetime import datetime
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from typing import Any

from hott.readers.limits import largest_document, too_large
from hott.readers.lines import decode, unzipped
from hott.readers.markup import read_html
from hott.readers.rows import BrokenRow, Record
from hott.readers.sources import Source

_MOST_PARTS = 200


def read_eml(data: bytes) -> Record:
    """One message. The id is left to the caller: that of a file is its path."""
    try:
        message = email.message_from_bytes(data, EmailMessage, policy=email.policy.default)
        if not message.keys():
            raise ValueError("it has no header of a message")
        told = {name: _header(message, name) for name in ("from", "to")} | {"date": _date(message)}
        return Record(
            _header(message, "message-id").strip("<> ") or None,
            _header(message, "subject"),
            _body(message),
            None,
            {name: value for name, value in told.items() if value},
        )
    except ValueError:
        raise
    except (LookupError, TypeError, AttributeError, RecursionError, AssertionError) as error:
        raise ValueError(f"it is no message that can be read ({type(error).__name__}: {error})") from error


def read_mbox(source: Source) -> Iterator[Record | BrokenRow]:
    """Every message of a mailbox."""
    for number, data in enumerate(_messages(source), 1):
        try:
            if data is None:
                raise ValueError(too_large("it"))
            yield read_eml(data)
        except ValueError as error:
            yield BrokenRow(source.name, None, f"message {number:,}: {error}")


def _messages(source: Source) -> Iterator[bytes | None]:
    """The bytes of each message; None for one that is larger than a document may be."""
    lines: list[bytes] = []
    limit, size, blank, started = largest_document(), 0, True, False
    with source.open() as file:
        content = unzipped(file)
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


def _header(message: EmailMessage, name: str) -> str:
    value: Any = message.get(name, "")
    return " ".join(str(value).split())


def _date(message: EmailMessage) -> datetime | None:
    try:
        return parsedate_to_datetime(_header(message, "date"))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _body(message: EmailMessage) -> str:
    """The text of a message: plain where there is one, else out of its HTML. Attachments are left out."""
    plain: list[str] = []
    pages: list[str] = []
    for number, part in enumerate(message.walk()):
        if number > _MOST_PARTS:
            break
        if part.is_multipart() or part.get_content_disposition() == "attachment":
            continue
        kind = part.get_content_type()
        if kind in ("text/plain", "text/html"):
            data = part.get_payload(decode=True)
            content = _decoded(data if isinstance(data, bytes) else b"", part.get_content_charset())
            (plain if kind == "text/plain" else pages).append(content)
    if any(text.strip() for text in plain):
        return "\n\n".join(plain).strip()
    return "\n\n".join(read_html(page).text for page in pages)


def _decoded(data: bytes, charset: str | None) -> str:
    try:
        return data.decode(charset or "utf-8")
    except (LookupError, UnicodeError):
        return decode(data)[0]
