"""Text files: one document a file, a folder of them with its sub-folders as labels."""

import os
import re
import zlib
from pathlib import Path

from hott._progress import Report
from hott.readers.lines import decode, is_binary, unzipped
from hott.readers.rows import BrokenRow, Record, Rows
from hott.readers.tables import SUFFIXES, file_suffix


def read_folder(path: Path, encoding: str | None, notes: list[str], report: Report | None) -> Rows:
    """Read every text file below a folder, in the order of the names; hidden files are passed over."""
    files: list[Path] = []
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".")]
        files += [Path(folder, name) for name in names if not name.startswith(".")]
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


def read_texts(
    files: list[Path], root: Path, encoding: str | None, notes: list[str], report: Report | None
) -> Rows:
    """Read one document a file: the path is its id, the folder its label, the name its title."""
    binary: list[Path] = []
    guessed: list[Path] = []
    for number, path in enumerate(files, 1):
        inner = path.relative_to(root)
        try:
            with path.open("rb") as file:
                data = unzipped(file).read()
            if encoding is None and is_binary(data[:8192]):
                binary.append(path)
                continue
            text, was_guessed = decode(data, encoding)
        except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
            yield BrokenRow(inner.as_posix(), None, str(error))
            continue
        if was_guessed:
            guessed.append(path)
        folder = inner.parent.as_posix()
        title = Path(path.name.removesuffix(".gz")).stem
        yield Record(inner.as_posix(), title, text, None if folder == "." else folder)
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
