"""Rows out of files: one small reader a format; each gives the rows, or says what is wrong with one."""

import os
from pathlib import Path

from hott._progress import Report
from hott.readers.files import read_folder, read_texts
from hott.readers.lines import check_encoding
from hott.readers.rows import BrokenRow, Columns, Record, Rows
from hott.readers.tables import SUFFIXES, file_suffix, read_lines, read_parquet

__all__ = ["BrokenRow", "Columns", "Record", "open_rows"]

FORMATS = ("folder", "csv", "tsv", "jsonl", "parquet", "text")
_SUFFIXES = SUFFIXES | dict.fromkeys((".txt", ".text", ".md", ".rst"), "text")


def open_rows(
    path: str | os.PathLike[str],
    columns: Columns,
    *,
    notes: list[str],
    encoding: str | None = None,
    format: str | None = None,
    report: Report | None = None,
) -> Rows:
    """Give the rows of any readable file or folder; what the user should know is added to ``notes``."""
    path = Path(os.path.expanduser(path))
    check_encoding(encoding)
    match _format(path, format):
        case "folder":
            yield from read_folder(path, encoding, notes, report)
        case "text":
            yield from read_texts([path], path.parent, encoding, notes, report)
        case "parquet":
            yield from read_parquet(path, columns, report)
        case lines:
            yield from read_lines(path, lines, columns, encoding, notes, report)


def _format(path: Path, format: str | None) -> str:
    """Say how to read the path, by what the user stated or else by its name."""
    if not path.exists():
        raise FileNotFoundError(f"no such file or folder: {path}")
    if format is None:
        format = "folder" if path.is_dir() else _SUFFIXES.get(file_suffix(path))
        if format is None:
            raise ValueError(
                f"cannot tell from its name what {path} is. Known endings are {', '.join(_SUFFIXES)} (and .gz"
                f" of them): rename it, or say format= one of {', '.join(FORMATS)}."
            )
    elif format not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, got {format!r}.")
    elif path.is_dir() != (format == "folder"):
        kind = "folder" if path.is_dir() else "file"
        raise ValueError(f"format={format!r} does not fit: {path} is a {kind}.")
    return format
