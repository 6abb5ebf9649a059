"""How large a document may be and how far a file may swell: beyond honest files, below the memory."""

import os

MAX_DOCUMENT = 100_000_000
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


class Budget:
    """Counts what comes out of a compressed file or an archive, whatever is nested in it.

    Examples
    --------
    >>> budget = Budget(1_000_000)
    >>> budget.spend(150_000_000)
    >>> budget.spend(60_000_000)
    Traceback (most recent call last):
        ...
    ValueError: it swells to more than 200 times its size, as no honest file does: ...
    """

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
    value = os.environ.get(name, "")
    if not value:
        return default
    if not value.isdecimal() or int(value[:18]) < 1:
        raise ValueError(f"The variable {name} must be a whole number of at least 1, got {value!r:.40}.")
    return int(value[:18])
