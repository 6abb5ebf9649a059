"""The list of the shards of an index: one small file, which is replaced in one step."""

import re
import secrets
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from hott import storage
from hott.blocks.address import Address
from hott.lexical import Frequencies
from hott.storage import StorageError
from hott.table.columns import Kind, Texts
from hott.table.table import Table, unified

KIND = "hott shards"
VERSION = 1
FILE = "shards.hott"
"""Under which the list is in the folder of the shards."""

GRACE = 600.0
"""Seconds that a file is kept for those who opened a state that has it, and have not read it yet."""

_NAME = re.compile(r"[\w][\w.-]{0,99}")
_FILE = re.compile(rf"{_NAME.pattern}-[0-9a-f]{{16}}\.hott")


@dataclass(frozen=True, slots=True)
class Shard:
    """One of the files that an index consists of. A file never changes: another content has another name."""

    name: str
    file: str
    n_documents: int
    schema: dict[str, Kind]  # the columns of its documents

    def __hash__(self) -> int:
        return hash(self.file)


@dataclass(frozen=True, slots=True, eq=False)
class Manifest:
    """What an index of many files consists of at one time."""

    topics: str  # the file with what was learned
    shards: tuple[Shard, ...]
    frequencies: Frequencies  # of the words of all documents
    retired: tuple[tuple[str, float], ...] = ()  # files of states before, and when they went out of use

    @property
    def starts(self) -> NDArray[np.intp]:
        """The position of the first document of each shard, and how many there are in all."""
        return np.cumsum([0, *(shard.n_documents for shard in self.shards)])

    @property
    def schema(self) -> dict[str, Kind]:
        """All columns of the documents."""
        return unified([shard.schema for shard in self.shards])

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(shard.name for shard in self.shards)

    def place(self, name: str) -> int:
        """Which of the shards has a name; an error lists the names there are."""
        if name not in self.names:
            raise ValueError(f"There is no shard {name!r}. There are {', '.join(map(repr, self.names))}.")
        return self.names.index(name)

    def free_name(self) -> str:
        """One that no shard has."""
        number = len(self.shards) + 1
        while f"{number:05}" in self.names:
            number += 1
        return f"{number:05}"

    def changed(self, shards: Sequence[Shard], frequencies: Frequencies) -> "Manifest":
        """The next state. Files that it does without are kept for a while."""
        left, now = {shard.file for shard in shards}, time.time()
        kept = [(file, when) for file, when in self.retired if now - when < GRACE]
        kept += [(shard.file, now) for shard in self.shards if shard.file not in left]
        return replace(self, shards=tuple(shards), frequencies=frequencies, retired=tuple(kept))

    @property
    def files(self) -> set[str]:
        """The files that someone may read."""
        return {
            FILE,
            self.topics,
            *(shard.file for shard in self.shards),
            *(file for file, _ in self.retired),
        }

    def write(self, address: Address) -> None:
        """Put it in the place of the state before."""
        header: dict[str, Any] = {
            "kind": KIND,
            "version": VERSION,
            "topics": self.topics,
            "shards": [asdict(shard) for shard in self.shards],
            "retired": list(self.retired),
            "n_documents": self.frequencies.n_documents,
            "n_words": self.frequencies.n_words,
        }
        words = Table({"word": Texts.of(self.frequencies.words.tolist())})
        frequencies = {"frequencies": self.frequencies.documents}
        storage.write(address.of_file(FILE), header, frequencies, {"words": words}, address.options)

    @classmethod
    def read(cls, address: Address) -> "Manifest":
        """The state that is there now. A file may be forged: what it says is checked."""
        try:
            stored = storage.read(address.of_file(FILE), storage_options=address.options)
        except FileNotFoundError:
            raise FileNotFoundError(
                f"There is no index of shards at {address.name}: it has no {FILE}. Make one with "
                "hott.Shards.build(corpus, path), or hott index FOLDER -o PATH --shards 8."
            ) from None
        header = stored.header
        if header.get("kind") != KIND:
            raise StorageError(f"{stored.path} is not the list of the shards of an index: {header!r:.80}.")
        if header.get("version") != VERSION:
            raise StorageError(
                f"{stored.path} was saved by hott {stored.library}, whose lists of shards this version "
                "cannot read. Upgrade with: pip install --upgrade hott"
            )
        with stored.expected():
            words = stored.table("words", ["word"], complete=["word"]).read()["word"].tolist()
            documents = stored.array("frequencies", (len(words),), "i")
            shards = tuple(Shard(**told) for told in header["shards"])
            found = cls(
                header["topics"],
                shards,
                Frequencies(
                    np.array(words, dtype=object),
                    documents,
                    int(header["n_documents"]),
                    int(header["n_words"]),
                ),
                tuple((file, float(when)) for file, when in header["retired"]),
            )
            kinds = {kind for shard in shards for kind in shard.schema.values()}
            good = all(map(check_file, found.files)) and all(shard.n_documents > 0 for shard in shards)
            good = good and kinds <= set(get_args(Kind)) and len(set(found.names)) == len(shards)
            if not good or found.frequencies.n_documents != found.starts[-1]:
                raise StorageError(f"{stored.path} does not list the shards of an index.")
        return found


def new_file(name: str) -> str:
    """A name for a file that no other will ever have."""
    return f"{name}-{secrets.token_hex(8)}.hott"


def is_of_shards(file: str) -> bool:
    """Whether a file in the folder of an index has a name that :func:`new_file` gives."""
    return _FILE.fullmatch(file) is not None


def check_name(name: str) -> str:
    """The name of a shard, which its file begins with."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"name must be of letters, digits, '_', '-' and '.', 100 at most; got {name!r:.60}.")
    return name


def check_file(name: Any) -> str:
    """The name of a file in the folder of the shards, and not of one elsewhere."""
    if not isinstance(name, str) or not _NAME.match(name) or "/" in name or "\\" in name:
        raise StorageError(f"The list of shards names {name!r:.60}, which is no file beside it.")
    return name
