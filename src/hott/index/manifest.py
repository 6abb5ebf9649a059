"""The list of the shards of an index: one small file, which is replaced in one step."""

import re
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, get_args

import numpy as np

from hott import storage
from hott.blocks.address import Address
from hott.index import persist
from hott.index.model import Encoder, Model
from hott.index.snapshot import Snapshot
from hott.lexical import Frequencies
from hott.storage import StorageError
from hott.table.columns import Kind, Texts
from hott.table.table import Table, unify_schemas

KIND = "hott shards"
VERSION = 1
FILE = "shards.hott"
"""Under which the list is in the folder of the shards."""

GRACE = 600.0
"""Seconds that a file is kept for those who opened a state that has it, and have not read it yet."""

_NAME = re.compile(r"[\w][\w.-]{0,99}")
OF_SHARDS = re.compile(rf"{_NAME.pattern}-[0-9a-f]{{16}}\.hott")


@dataclass(frozen=True, eq=False)
class Shard:
    """One of the files that an index consists of. A file never changes: another content has another name.

    Where it is travels to a worker, which opens it there, and keeps it open.
    """

    name: str
    file: str
    n_documents: int
    schema: dict[str, Kind]  # the columns of its documents
    address: Address
    _open: dict[str, Snapshot] = field(default_factory=dict, repr=False)

    def __reduce__(self) -> Any:
        return _find_shard, (self.name, self.file, self.n_documents, self.schema, self.address)

    def to_dict(self) -> dict[str, Any]:
        """Return what the manifest says of it."""
        return {name: getattr(self, name) for name in ("name", "file", "n_documents", "schema")}

    def open(self, model: Model) -> Snapshot:
        """Open the file, once; its parts are read when they are used."""
        if self.file not in self._open:
            with self.naming_errors():
                self._open[self.file] = persist.load_shard(read_file(self.address, self.file), model)
        return self._open[self.file]

    def verify(self) -> None:
        """Read every byte of the file."""
        with self.naming_errors():
            read_file(self.address, self.file, verify=True)

    def naming_errors(self) -> AbstractContextManager[None]:
        """Let errors say that they are about this shard."""
        return naming_file(self.address, self.file, f"The shard {self.name!r}")


MAX_OPEN = 64
"""Shards that a worker keeps open."""

_SHARDS: dict[str, Shard] = {}  # what a worker has open, whichever search it is for
_MODELS: dict[str, Model] = {}


def _find_shard(name: str, file: str, n_documents: int, schema: dict[str, Kind], address: Address) -> Shard:
    """Return the shard that this process has open already, or one to be opened."""
    path = address.of_file(file)
    if path not in _SHARDS:
        while len(_SHARDS) >= MAX_OPEN:
            _SHARDS.pop(next(iter(_SHARDS)))
        _SHARDS[path] = Shard(name, file, n_documents, schema, address)
    return _SHARDS[path]


@dataclass(frozen=True)
class ModelFile:
    """The file with the model of all shards."""

    address: Address
    file: str

    def load(self, encoder: Encoder | str | None) -> Model:
        """Load the model."""
        with naming_file(self.address, self.file, "The file with the topics"):
            return persist.load_model(read_file(self.address, self.file), encoder, self)

    def open(self, encoder: Encoder | None) -> Model:
        """Return the model that this process has open already, or load it."""
        path = self.address.of_file(self.file)
        if path not in _MODELS:
            _MODELS.clear()
            _MODELS[path] = self.load(encoder)
        kept = _MODELS[path]
        return kept if kept.encoder is encoder else replace(kept, encoder=encoder)


def read_file(address: Address, file: str, *, verify: bool = False) -> storage.Stored:
    """Open one of the files in the folder."""
    return storage.read(address.of_file(file), verify=verify, storage_options=address.options)


@contextmanager
def naming_file(address: Address, file: str, called: str) -> Iterator[None]:
    """Let an error say which of the files it is about."""
    try:
        yield
    except FileNotFoundError as error:
        raise StorageError(
            f"{called} of {address.name} is lost: there is no file {file}. Where the index has "
            "changed since it was opened, open it again; otherwise put the file back, or replace or "
            "remove the shard."
        ) from error
    except StorageError as error:
        if str(error).startswith(f"{called} of "):  # opened while something else was asked of it
            raise
        raise StorageError(f"{called} of {address.name} cannot be read. {error}") from error


@dataclass(frozen=True, slots=True, eq=False)
class Manifest:
    """What an index of many files consists of at one time."""

    topics: str  # the file with what was learned
    shards: tuple[Shard, ...]
    frequencies: Frequencies  # of the words of all documents
    retired: tuple[tuple[str, float], ...] = ()  # files of states before, and when they went out of use

    @property
    def schema(self) -> dict[str, Kind]:
        """All columns of the documents."""
        return unify_schemas([shard.schema for shard in self.shards])

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(shard.name for shard in self.shards)

    def find(self, name: str) -> Shard:
        """Return the shard with a name; an error lists the names there are."""
        if name not in self.names:
            raise ValueError(f"There is no shard {name!r}. There are {', '.join(map(repr, self.names))}.")
        return self.shards[self.names.index(name)]

    def change(self, shards: Sequence[Shard], frequencies: Frequencies) -> "Manifest":
        """Make the next state. Files that it does without are kept for a while."""
        left, now = {shard.file for shard in shards}, time.time()
        kept = [(file, when) for file, when in self.retired if now - when < GRACE]
        kept += [(shard.file, now) for shard in self.shards if shard.file not in left]
        return replace(self, shards=tuple(shards), frequencies=frequencies, retired=tuple(kept))

    @property
    def files(self) -> set[str]:
        """The files that someone may read."""
        retired = (file for file, _ in self.retired)
        return {FILE, self.topics, *(shard.file for shard in self.shards), *retired}

    def write(self, address: Address) -> None:
        """Put it in the place of the state before."""
        header: dict[str, Any] = {
            "kind": KIND,
            "version": VERSION,
            "topics": self.topics,
            "shards": [shard.to_dict() for shard in self.shards],
            "retired": list(self.retired),
            "n_documents": self.frequencies.n_documents,
            "n_words": self.frequencies.n_words,
        }
        words = Table({"word": Texts.of(self.frequencies.words.tolist())})
        frequencies = {"frequencies": self.frequencies.documents}
        storage.write(address.of_file(FILE), header, frequencies, {"words": words}, address.options)

    @classmethod
    def read(cls, address: Address) -> "Manifest":
        """Read the state that is there now. A file may be forged: what it says is checked."""
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
        with stored.expect():
            words = stored.table("words", ["word"], complete=["word"]).read()["word"].tolist()
            documents = stored.array("frequencies", (len(words),), "i")
            totals = int(header["n_documents"]), int(header["n_words"])
            shards = tuple(Shard(**told, address=address) for told in header["shards"])
            found = cls(
                header["topics"],
                shards,
                Frequencies(np.array(words, object), documents, *totals),
                tuple((file, float(when)) for file, when in header["retired"]),
            )
            kinds = {kind for shard in shards for kind in shard.schema.values()}
            for file in found.files:  # beside it, and not elsewhere
                good = isinstance(file, str) and bool(_NAME.match(file)) and not {"/", "\\"} & {*file}
                stored.require(good, f"it names {file!r:.60}, which is no file beside it.")
            good = all(shard.n_documents > 0 for shard in shards)
            good = good and kinds <= set(get_args(Kind)) and len(set(found.names)) == len(shards)
            if not good or found.frequencies.n_documents != sum(shard.n_documents for shard in shards):
                raise StorageError(f"{stored.path} does not list the shards of an index.")
        return found


def new_file(name: str) -> str:
    """Make a name for a file that no other will ever have."""
    return f"{name}-{secrets.token_hex(8)}.hott"


def check_name(name: str) -> str:
    """Check the name of a shard, which its file begins with."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"name must be of letters, digits, '_', '-' and '.', 100 at most; got {name!r:.60}.")
    return name
