"""An account of a read: what became of each file, as notes for people and as a table."""

import csv
import io
import os
from collections.abc import Sequence
from typing import NamedTuple

from hott.utils.atomic import atomic_write
from hott.utils.wording import csv_cell, name_some, pluralize, printable

_NAMED = 5  # files named in a note
_QUIET = ("hidden files", "files that were not included", "files that were excluded")  # as was to be expected


class Entry(NamedTuple):
    """What became of a file."""

    file: str
    outcome: str  # "read", "skipped" or "broken"
    reason: str  # the format of a file that was read; why not, of the others
    documents: int = 0


class Log:
    """What became of every file."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.documents = 0  # that were read, passages counted
        self._files: dict[str, list[str]] = {}  # by what is to be noted of them
        self._notes: list[str] = []

    def note(self, text: str) -> None:
        """Note something else that the user should know."""
        self._notes.append(text)

    def note_file(self, file: str, told: str) -> None:
        """Note what may concern many files: how many, and which ones, stand where it has braces."""
        self._files.setdefault(told, []).append(file)

    def read(self, file: str, format: str, documents: int) -> None:
        """Note a file that was read."""
        self.entries.append(Entry(file, "read", format, documents))

    def note_skipped(self, file: str, reason: str) -> None:
        """Note a file that was left out; the reason in the plural, such as "binary files"."""
        self.entries.append(Entry(file, "skipped", reason))

    def note_broken(self, file: str, reason: str) -> None:
        """Note a file or row that could not be read."""
        self.entries.append(Entry(file, "broken", reason))

    @property
    def notes(self) -> list[str]:
        """The notes for the user, in a line each."""
        skipped: dict[str, list[str]] = {}
        for entry in self.entries:
            if entry.outcome == "skipped" and entry.reason not in _QUIET:
                skipped.setdefault(entry.reason, []).append(entry.file)
        return [
            *(f"skipped {pluralize(len(f), 'file')} ({why}): {list_files(f)}" for why, f in skipped.items()),
            *(told.format(list_files(files)) for told, files in self._files.items()),
            *self._notes,
        ]

    def summary(self) -> list[tuple[str, str, int, int]]:
        """Count the files and documents of each outcome and format or reason, those that were read first."""
        order = ("read", "skipped", "broken")
        groups: dict[tuple[str, str], list[int]] = {}
        for entry in sorted(self.entries, key=lambda entry: order.index(entry.outcome)):
            reason = "files or rows" if entry.outcome == "broken" else entry.reason
            groups.setdefault((entry.outcome, reason), []).append(entry.documents)
        return [(*key, len(documents), sum(documents)) for key, documents in groups.items()]

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a row a file to a CSV file."""
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(Entry._fields)
        for entry in self.entries:
            cells = (csv_cell(printable(cell)) for cell in entry[:3])
            writer.writerow([*cells, entry.documents])
        with atomic_write(path) as file:
            file.write(text.getvalue().encode())


def list_files(files: Sequence[str]) -> str:
    """Name the first few files, and say how many there are if there are more."""
    names = name_some(files, _NAMED, lambda file: repr(printable(file)))
    return names + (f" ({len(files):,} files)" if len(files) > _NAMED else "")
