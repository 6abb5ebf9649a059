"""Work on the shards of an index, in this process or by a worker of a Dask cluster.

Each function below is a piece of work for :func:`hott.blocks.run_blocks`: of a :class:`Reach`, an item of
which the first is the shard that is asked, and a Run.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hott import storage
from hott._columns import Kind
from hott._table import Table
from hott.blocks.address import Address
from hott.corpus import Corpus
from hott.distances.representation import Representation
from hott.index import _state
from hott.index._changes import State, read_in
from hott.index._documents import Documents, InMemory
from hott.index._filter import Where, left_by
from hott.index._hits import Hit, Query
from hott.index._index import Index
from hott.index._likeness import Encoder
from hott.index._manifest import Shard, new_file
from hott.index._query import Sought
from hott.index._search import Outlook, Ranking, described
from hott.lexical import Frequencies, WordForms
from hott.neighbors import NeighborResult, search
from hott.run import Run
from hott.storage import StorageError

Answer = TypeVar("Answer")

KEPT = 64
"""Shards that a worker keeps open."""


@dataclass(frozen=True, eq=False)
class Reach:
    """Where the shards of an index are, and those that are open in this process.

    What travels to a worker is where they are; it opens those that it is asked for.
    """

    address: Address
    topics: str  # the file with what was learned
    encoder: Encoder | None = None
    kept: dict[str, Index] = field(default_factory=dict)  # by their files

    def __reduce__(self) -> Any:
        return _reach_there, (self.address, self.topics, self.encoder)

    @property
    def learned(self) -> Index:
        """Words, topics and distances, without a document."""
        with self._told(self.topics, "The file with the topics"):
            return self._opened(self.topics)

    def index(self, shard: Shard) -> Index:
        """A shard as an index of its own."""
        with self.telling(shard):
            return self._opened(shard.file)

    def telling(self, shard: Shard) -> AbstractContextManager[None]:
        """Let an error say that it is about this shard."""
        return self._told(shard.file, f"The shard {shard.name!r}")

    def verify(self, shard: Shard) -> None:
        """Read every byte of a shard."""
        with self.telling(shard):
            storage.read(self.address.of_file(shard.file), verify=True, storage_options=self.address.options)

    def _opened(self, file: str) -> Index:
        if file not in self.kept:
            self.kept[file] = self._read(file)
        return self.kept[file]

    @contextmanager
    def _told(self, file: str, called: str) -> Iterator[None]:
        """Let an error say which of the files it is about."""
        try:
            yield
        except FileNotFoundError as error:
            raise StorageError(
                f"{called} of {self.address.name} is lost: there is no file {file}. Where the index has "
                "changed since it was opened, open it again; otherwise put the file back, or replace or "
                "remove the shard."
            ) from error
        except StorageError as error:
            if str(error).startswith("The "):  # it is told already
                raise
            raise StorageError(f"{called} of {self.address.name} cannot be read. {error}") from error

    def _read(self, file: str) -> Index:
        stored = storage.read(self.address.of_file(file), storage_options=self.address.options)
        if file == self.topics:
            return Index(**_state.restored(stored), encoder=self.encoder)
        _state.check_kind(stored, _state.SHARD)
        learned = self.learned
        return learned.with_state(_state.restored_state(stored, learned.hott, learned.likeness.distances[1:]))

    def save(self, name: str, state: State) -> tuple[Shard, Frequencies]:
        """Write documents as a shard, under a file name of its own."""
        file = new_file(name)
        parts = _state.shard_parts(state)
        storage.write(self.address.of_file(file), *parts, self.address.options)
        return Shard(name, file, len(state.documents), state.documents.schema), state.postings.frequencies


_HERE: dict[str, Index] = {}  # what a worker has open, whichever search it is for


def _reach_there(address: Address, topics: str, encoder: Encoder | None) -> Reach:
    while len(_HERE) > KEPT:
        _HERE.pop(next(iter(_HERE)))
    return Reach(address, topics, encoder, _HERE)


def save(
    reach: Reach, item: tuple[str, Corpus, bool], run: Run
) -> tuple[Shard, Frequencies, tuple[str, ...]]:
    """Read documents in terms of the topics, and write them as a shard."""
    name, corpus, later = item
    state = read_in(reach.learned, corpus, run)
    state = replace(state, later=np.full(len(state.documents), later))
    return *reach.save(name, state), state.dropped


def of_shard(work: Callable[[Reach, Any, Run], Answer]) -> Callable[[Reach, Any, Run], Answer]:
    """Let an error say which shard it is about: parts are read when they are used, not when it is opened."""

    @wraps(work)
    def told(reach: Reach, item: Any, run: Run) -> Answer:
        with reach.telling(item[0]):
            return work(reach, item, run)

    return told


@of_shard
def found(reach: Reach, item: tuple[Shard, str], run: Run) -> int | None:
    """The position of the document with an id, None where no document has it."""
    shard, id = item
    return reach.index(shard).documents.find(id)


@of_shard
def seen(reach: Reach, item: tuple[Shard, str], run: Run) -> tuple[Representation, Representation]:
    """One document, by its topics and as the distance sees it; an error where it has no known word."""
    shard, id = item
    index = reach.index(shard)
    position = index._known(id)
    return index._by_topics(position), index._seen(position)


@of_shard
def n_left(reach: Reach, item: tuple[Shard, Where, dict[str, Kind]], run: Run) -> int:
    """How many documents a filter leaves."""
    shard, where, schema = item
    return int(left_by(_with(reach.index(shard).documents, schema), where).sum())


@of_shard
def outlooks(
    reach: Reach, item: tuple[Shard, Sequence[Sought], Where | None, dict[str, Kind]], run: Run
) -> list[Outlook]:
    """What ranking documents must know of all of them, for each of some queries."""
    shard, sought, where, schema = item
    index = reach.index(shard)
    only = _only(index, where, schema)
    return [index._searcher.outlook(one, run, only) for one in sought]


@of_shard
def rankings(
    reach: Reach,
    item: tuple[Shard, Sequence[tuple[Sought, Outlook]], int, Where | None, dict[str, Kind]],
    run: Run,
) -> list[Ranking]:
    """The best documents of a shard for each of some queries."""
    shard, sought, k, where, schema = item
    index = reach.index(shard)
    only = _only(index, where, schema)
    return [index._searcher.rank(one, outlook, k, run, only) for one, outlook in sought]


@of_shard
def nearest(
    reach: Reach, item: tuple[Shard, Representation, int, Where | None, dict[str, Kind]], run: Run
) -> tuple[Ranking, NDArray[np.bool_] | None]:
    """The documents of a shard most like one, and which of all a filter leaves."""
    shard, document, k, where, schema = item
    index = reach.index(shard)
    only = _only(index, where, schema)
    return index._searcher.nearest(document, k, run, only), only


@of_shard
def hits(
    reach: Reach,
    item: tuple[Shard, Sequence[tuple[Query, Ranking, dict[str, float]]], WordForms, dict[str, Kind]],
    run: Run,
) -> list[list[tuple[Hit, bool]]]:
    """Titles and passages of what was found in a shard."""
    shard, wanted, forms, schema = item
    documents = _with(reach.index(shard).documents, schema)
    return [described(documents, query, ranking, words, forms) for query, ranking, words in wanted]


@of_shard
def known(reach: Reach, item: tuple[Shard], run: Run) -> NDArray[np.intp]:
    """The positions of the documents that have a distance from others."""
    return reach.index(item[0]).likeness.documents.positions


def neighbors(reach: Reach, item: tuple[Shard, Shard, slice, int], run: Run) -> NeighborResult:
    """The nearest documents in a shard of some documents of another, or of itself: positions in the shard."""
    shard, queried, rows, k = item
    documents = reach.index(shard).likeness.documents
    own = None
    if shard == queried:
        own = np.arange(len(documents))[rows]
    k = min(k, len(documents) - (own is not None))
    queries = reach.index(queried).likeness.documents.take(rows)
    if k <= 0:
        return NeighborResult(np.empty((len(queries), 0), np.intp), np.empty((len(queries), 0)), 0, 0)
    result = search(reach.learned.distance, queries, documents, k, run, own=own)
    return replace(result, indices=documents.positions[result.indices])


def _only(index: Index, where: Where | None, schema: dict[str, Kind]) -> NDArray[np.bool_] | None:
    return None if where is None else left_by(_with(index.documents, schema), where)


def _with(documents: Documents, schema: dict[str, Kind]) -> Documents:
    """Documents with the columns that others have as well: no document adds them."""
    return Documents(InMemory(Table.empty(schema))).followed_by(documents)
