"""How large a document may be and how far a gzip file may swell: beyond honest files, below the memory."""

import os

LARGEST_DOCUMENT = 100_000_000
"""Bytes of one document, which is held in memory several times over while it is read."""

GZIP_RATIO = 200
"""How many times its size a gzip file may have unzipped. Texts come to ten times, logs to fifty; a file that
was made to fill the memory to a thousand."""

GZIP_ANYWAY = 64_000_000
"""Bytes that may come out of any gzip file."""


MAX_PDF_SECONDS = 60
_DAY = 86_400


def largest_document() -> int:
    """The limit in bytes; the variable ``HOTT_LARGEST_DOCUMENT`` sets another one."""
    return _variable("HOTT_LARGEST_DOCUMENT", LARGEST_DOCUMENT)


def gzip_ratio() -> int:
    """The limit; the variable ``HOTT_GZIP_RATIO`` sets another one."""
    return _variable("HOTT_GZIP_RATIO", GZIP_RATIO)


def pdf_seconds() -> float:
    """Return how long reading one PDF may take; the variable ``HOTT_PDF_SECONDS`` sets another limit."""
    value = os.environ.get("HOTT_PDF_SECONDS", "")
    try:
        seconds = float(value or MAX_PDF_SECONDS)
    except ValueError:
        seconds = 0
    if not 0 < seconds <= _DAY:
        raise ValueError(
            f"The variable HOTT_PDF_SECONDS must be a number of seconds above 0 and at most {_DAY:,}, which "
            f"is a day; got {value!r:.40}."
        )
    return seconds


def check_limits() -> None:
    """Raise ValueError if a variable that sets a limit cannot be understood."""
    largest_document()
    gzip_ratio()
    pdf_seconds()


def too_large(what: str) -> str:
    """Say that something is larger than a document may be, and the way out."""
    return (
        f"{what} is larger than {largest_document():,} bytes, the most that one document may have. Set the "
        "variable HOTT_LARGEST_DOCUMENT to allow more"
    )


def _variable(name: str, default: int) -> int:
    value = os.environ.get(name, "")
    if not value:
        return default
    if not value.isdecimal() or int(value[:18]) < 1:
        raise ValueError(f"The variable {name} must be a whole number of at least 1, got {value!r:.40}.")
    return int(value[:18])
