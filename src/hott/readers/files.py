"""Text files: one document a file, a folder of them with its sub-folders as labels."""

import os
import re
from pathlib import Path
from typing import NamedTuple

from hott._progress import Report
from hott.readers.limits import largest_document, too_large
from hott.readers.lines import decode, is_binary, unzipped
from hott.readers.rows import BrokenRow, Record, Rows
from hott.readers.tables import SUFFIXES, file_suffix


class Found(NamedTuple):
    """What lies below a folder."""

    files: list[Path]
    unreadable: list[tuple[Path, OSError]]  # folders
    links: list[Path]  # to folders: not followed, for they may lead round in a circle
    others: list[Path]  # pipes, devices and sockets


def read_folder(path: Path, encoding: str | None, notes: list[str], report: Report | None) -> Rows:
    """Read every text file below a folder, in the order of the names; hidden files are passed over."""
    found = _below(path)
    for folder, error in found.unreadable:
        yield BrokenRow(str(folder), None, f"the folder cannot be read: {error.strerror or error}")
    if found.others:
        notes.append(f"skipped {len(found.others):,} pipes, devices or sockets: {_shown(found.others, path)}")
    if found.links:
        notes.append(f"skipped {len(found.links):,} links to folders: {_shown(found.links, path)}")
    files = found.files
    if not files:
        raise ValueError(f"the folder {path} is empty.")
    tables = [file for file in files if file_suffix(file) in SUFFIXES]
    if len(tables) == len(files):
        raise ValueError(
            f"the folder {path} holds tables, not text files ({_shown(tables, path)}). Read each by itself "
            "and add them up: hott.read(first) + hott.read(second)."
        )
    if tables:
        notes.append(f"skipped {len(tables):,} tables among the text files: {_shown(tables, path)}")
    texts = [file for file in files if file_suffix(file) not in SUFFIXES]
    texts.sort(key=lambda file: _natural(file.relative_to(path)))
    yield from read_texts(texts, path, encoding, notes, report)


def _below(path: Path) -> Found:
    """Look through a folder and all below it. Not by recursion: they may be nested a thousand deep."""
    found = Found([], [], [], [])
    folders = [path]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if not entry.name.startswith("."):
                        _kind(entry, found, folders).append(Path(entry.path))
        except OSError as error:
            found.unreadable.append((folder, error))
    return found


def _kind(entry: os.DirEntry[str], found: Found, folders: list[Path]) -> list[Path]:
    if entry.is_dir():
        return found.links if entry.is_symlink() else folders
    if entry.is_file():
        return found.files
    try:
        entry.stat()
    except OSError:
        return found.files  # such as a link that leads nowhere: reading it will say so
    return found.others


def read_texts(
    files: list[Path], root: Path, encoding: str | None, notes: list[str], report: Report | None
) -> Rows:
    """Read one document a file: the path is its id, the folder its label, the name its title."""
    binary: list[Path] = []
    guessed: list[Path] = []
    for number, path in enumerate(files, 1):
        inner = path.relative_to(root)
        # Names that are not UTF-8 keep their bytes, escaped, so that two of them stay two.
        id = inner.as_posix().encode("utf-8", "backslashreplace").decode()
        try:
            with path.open("rb") as file:
                data = unzipped(file).read(largest_document() + 1)
            if len(data) > largest_document():
                raise ValueError(too_large("it"))
            if encoding is None and is_binary(data[:8192]):
                binary.append(path)
                continue
            text, was_guessed = decode(data, encoding)
        except (OSError, ValueError) as error:
            yield BrokenRow(id, None, str(error))
            continue
        if was_guessed:
            guessed.append(path)
        folder, _, name = id.rpartition("/")
        yield Record(id, Path(name.removesuffix(".gz")).stem, text, folder or None)
        if report is not None:
            report(number, len(files))
    if len(binary) == len(files):
        raise ValueError(f"no text was found in {root}, binary files only: {_shown(binary, root)}.")
    if binary:
        notes.append(f"skipped {len(binary):,} binary files: {_shown(binary, root)}")
    if guessed:
        notes.append(
            f"{len(guessed):,} files are not UTF-8 and were read as Windows-1252: {_shown(guessed, root)}. "
            "State encoding= if that is wrong."
        )


def _natural(path: Path) -> tuple[list[list[str | int]], str]:
    """Give a sort key that puts ``2.txt`` before ``10.txt``."""
    parts = [re.split(r"(\d+)", part.casefold()) for part in path.parts]
    return [[int(p) if i % 2 else p for i, p in enumerate(part)] for part in parts], path.as_posix()


def _shown(files: list[Path], root: Path) -> str:
    names = [repr(file.relative_to(root).as_posix()) for file in files[:5]]
    return ", ".join(names) + (f", ... ({len(files):,} files)" if len(files) > 5 else "")
