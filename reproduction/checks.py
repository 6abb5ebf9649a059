"""Whether the data files that someone brings can be used, and whether they are the ones we used."""

import gzip
import hashlib
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path

import scipy.sparse as sp

from hott import embeddings
from reproduction.documents import lines
from reproduction.sources import CITATIONS, GLOVE, SHA256, SOURCES


@dataclass(frozen=True, slots=True)
class FileState:
    """What was found of one file."""

    file: str
    state: str
    broken: bool = False  # there, but of no use


def check_folder(folder: Path) -> list[FileState]:
    """Look at every file that an experiment reads."""
    if not folder.is_dir():
        raise ValueError(f"There is no folder {folder}.")
    files = [file for source in SOURCES.values() for file in source.files]
    return [_check(folder / file) for file in (*files, *CITATIONS, GLOVE)]


def _check(path: Path) -> FileState:
    if not path.exists():
        return FileState(path.name, "missing")
    if hashlib.sha256(path.read_bytes()).hexdigest() == SHA256[path.name]:
        return FileState(path.name, "as in our results")
    try:
        return FileState(path.name, f"another version: {_summary(path)}")
    except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        return FileState(path.name, f"cannot be read: {reason}", broken=True)


def _summary(path: Path) -> str:
    """The size of a file in another version, once all that is needed was found in it."""
    if path.name == GLOVE:
        vectors = embeddings.load(path)
        return f"{len(vectors.words):,} words, {vectors.dimensions} dimensions"
    if path.suffix == ".npz":
        documents, words = sp.load_npz(path).shape
        return f"{documents:,} documents, {words:,} words"
    if ".jsonl" not in path.name:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            return f"{sum(1 for _ in file):,} lines"
    needed = _needed_fields(path.name)
    n, labels = 0, set()
    for n, row in enumerate(lines(path), 1):
        missing = [name for name in needed if name not in row]
        if missing:
            raise ValueError(f"line {n} has no {' and no '.join(map(json.dumps, missing))}")
        labels.add(row.get("label"))
    if n == 0:
        raise ValueError("there is no document in it")
    return f"{n:,} documents, {len(labels):,} classes"


def _needed_fields(file: str) -> tuple[str, ...]:
    if file in CITATIONS:
        return ("id", "year", "title", "authors", "abstract")
    [source] = [source for source in SOURCES.values() if file in source.files]
    if source.name == "gutenberg":
        return ("label", "title")
    return ("id", "text", "label", *(["split"] if source.division == "published" else []))
