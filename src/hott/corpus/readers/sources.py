"""Files wherever they lie: below a folder, in a zip or tar archive, or alone."""

import io
import lzma
import os
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Any, TypeAlias, cast

from hott.corpus.readers.lines import (
    MAX_START,
    Budget,
    GzipError,
    decompress,
    gunzip,
    largest_document,
    too_large,
)
from hott.corpus.readers.log import Log
from hott.corpus.readers.options import Options, why_left_out
from hott.corpus.readers.rows import BrokenRow

DAMAGED = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, NotImplementedError)
"""What the standard library raises where compressed data is not what it should be."""

MAX_TAR_HEADER = 100_000  # bytes
PIPES, LINKS, ARCHIVED = "pipes, devices or sockets", "links to folders", "archives within archives"
OUTSIDE = "links to files outside the folder, which are read where include= names them"
NOWHERE = "links that lead nowhere"


@dataclass(frozen=True, slots=True)
class Source:
    """A file that can be opened."""

    name: str  # its path from the root, with slashes: the id of a document
    size: int
    opener: Callable[[], IO[bytes]]
    path: Path | None = None  # None in an archive
    budget: Budget | None = None  # of the archive, for what comes out of a file that is compressed once more

    @classmethod
    def of(cls, path: Path, root: Path) -> "Source":
        # Names that are not UTF-8 keep their bytes, escaped, so that two of them stay two.
        name = path.relative_to(root).as_posix().encode("utf-8", "backslashreplace").decode()
        try:
            size = path.stat().st_size
        except OSError:
            size = 0  # reading it will say what is wrong
        return cls(name, size, lambda: path.open("rb", MAX_START), path)

    @contextmanager
    def open(self) -> Iterator[io.BufferedReader]:
        """Open the file, to read its bytes as they lie there."""
        try:
            with self.opener() as file:
                yield file if isinstance(file, io.BufferedReader) else io.BufferedReader(cast(Any, file))
        except DAMAGED as error:
            raise ValueError(f"it is damaged: {error}") from error

    def content(self) -> bytes:
        """Read the whole file, unzipped if it is gzipped; a ValueError if it is too large for a document."""
        with self.open() as file:
            data = gunzip(file, self.budget).read(largest_document() + 1)
        if len(data) > largest_document():
            raise ValueError(too_large("it"))
        return data

    @property
    def folder(self) -> str | None:
        return self.name.rpartition("/")[0] or None

    @property
    def stem(self) -> str:
        return PurePosixPath(self.name.removesuffix(".gz")).stem


Member: TypeAlias = tuple[str, int, Callable[[Budget, str], IO[bytes]]]
"""A file in an archive: its name, its size, and what opens it and counts what comes out."""


class Unreadable(ValueError):
    """A folder or an archive that cannot be read, in whole or from some place on."""


def below(root: Path, options: Options, log: Log) -> tuple[list[Source], list[BrokenRow]]:
    """List the files below a folder that are to be read, by their names, and the folders that cannot be.

    Not by recursion: folders may be nested a thousand deep. Links to folders are not followed, for they may
    lead round in a circle; nor are links to files elsewhere, which someone else may have put there, unless
    ``include`` asks for them.
    """
    inside = os.path.join(os.path.realpath(root), "")
    files: list[Path] = []
    unreadable: list[BrokenRow] = []
    folders = [root]
    # Someone may want files of a hidden folder.
    wants_hidden = any(part.startswith(".") for pattern in options.include for part in pattern.split("/"))
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    path = Path(entry.path)
                    name = path.relative_to(root).as_posix()
                    if entry.is_dir():
                        if entry.is_symlink():
                            log.note_skipped(name, LINKS)
                        elif not entry.name.startswith(".") or wants_hidden:
                            folders.append(path)
                    elif entry.is_symlink() and not os.path.exists(path):
                        log.note_skipped(name, NOWHERE)
                    elif not entry.is_file():
                        log.note_skipped(name, PIPES)
                    elif entry.is_symlink() and not (
                        options.include or os.path.realpath(path).startswith(inside)
                    ):
                        log.note_skipped(name, OUTSIDE)
                    else:
                        files.append(path)
        except OSError as error:
            reason = f"the folder cannot be read: {error.strerror or error}"
            unreadable.append(BrokenRow(str(folder), None, reason))
    files.sort(key=lambda path: natural(path.relative_to(root).as_posix()))
    return _select((Source.of(path, root) for path in files), options, log), unreadable


def _select(sources: Iterator[Source], options: Options, log: Log) -> list[Source]:
    found = []
    for source in sources:
        reason = why_left_out(source.name, options.include, options.exclude)
        if reason is None:
            found.append(source)
        else:
            log.note_skipped(source.name, reason)
    return found


@contextmanager
def list_archive(source: Source, format: str, options: Options, log: Log) -> Iterator[list[Source]]:
    """List the files in a zip or tar archive that are to be read; those of a tar in its own order."""
    if format == "tar":  # once through, with a watch on how far it swells
        with source.open() as file, _named_errors(format):
            content = decompress(file)
            while content.read(1 << 20):
                pass
    with source.open() as file, _named_errors(format):
        members = _list_zip(file) if format == "zip" else _list_tar(file, log)
        budget = Budget(source.size)
        sources = (
            Source(_inside(name), size, partial(opener, budget, "with it, the archive"), budget=budget)
            for name, size, opener in members
        )
        yield _select(sources, options, log)


def _list_zip(file: io.BufferedReader) -> Iterator[Member]:
    if not file.seekable():
        raise Unreadable("a zip archive must lie on the disk")
    archive = zipfile.ZipFile(file)
    for member in sorted(archive.infolist(), key=lambda member: natural(member.filename)):
        if not member.is_dir():
            yield member.filename, member.file_size, partial(open_zipped, archive, member)


def open_zipped(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, budget: Budget, what: str = "it"
) -> IO[bytes]:
    """Open a file in a zip file, unless it was made to fill the memory. No more comes out than it says."""
    Budget(member.compress_size).spend(member.file_size)
    if member.flag_bits & 1:
        raise ValueError("it is encrypted")
    budget.spend(member.file_size, what)
    return archive.open(member)


class _TarHeader(tarfile.TarInfo):
    """A header of a tar archive. Python searches long ones in time that grows with the square."""

    def _proc_pax(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        if self.size > MAX_TAR_HEADER:
            raise Unreadable(f"a header of the tar archive has more than {MAX_TAR_HEADER:,} bytes")
        return cast(tarfile.TarInfo, super()._proc_pax(archive))  # type: ignore[misc]


def _list_tar(file: io.BufferedReader, log: Log) -> list[Member]:
    archive = tarfile.open(fileobj=file, mode="r:*", tarinfo=_TarHeader)  # noqa: SIM115 -- the file is closed
    end, members = -1, list[Member]()
    try:
        for member in archive:
            if member.size < 0 or member.offset <= end:
                raise ValueError("its sizes lead back to where it was read before")  # and so on for ever
            end = member.offset
            if member.isfile() and not member.issparse():
                members.append((member.name, member.size, partial(_open_tarred, archive, member)))
            elif not member.isdir():
                log.note_skipped(_inside(member.name), "links or special files in archives")
    except Unreadable:
        raise
    except (OSError, ValueError, OverflowError) as error:
        raise Unreadable(f"the tar archive is damaged: {error}") from error
    return members


def _open_tarred(archive: tarfile.TarFile, member: tarfile.TarInfo, budget: Budget, what: str) -> IO[bytes]:
    budget.spend(member.size, what)
    file = archive.extractfile(member)
    if file is None:
        raise ValueError("it is no file")
    return file


def _inside(name: str) -> str:
    """Return a path in an archive as a name that never leads out of the archive."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return "/".join(parts).encode("utf-8", "backslashreplace").decode()


@contextmanager
def _named_errors(format: str) -> Iterator[None]:
    try:
        yield
    except (*DAMAGED, GzipError) as error:
        raise Unreadable(f"the {format} archive is damaged or cut short: {error}") from error


def natural(name: str) -> tuple[list[list[str | int]], str]:
    """Return a sort key that puts ``2.txt`` before ``10.txt``."""
    parts = [re.split(r"(\d+)", part.casefold()) for part in name.split("/")]
    return [[int(p[:18]) if i % 2 else p for i, p in enumerate(part)] for part in parts], name
