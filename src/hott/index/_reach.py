"""Work on the shards of an index, in this process or by a worker of a Dask cluster.

Each function below is a piece of work for :func:`hott.blocks.run_blocks`: of a :class:`Reach`, an item and a
Run. Those of one shard are written for the index that it is; the first of their item is the shard.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hott import storage
from hott.blocks.address import Address
from hott.corpus import Corpus
from hott.distances.representation import Representation
from hott.index import build as _build
from hott.index import persist as _state
from hott.index.changes import State, read_in
from hott.index.comparing import Mentioned
from hott.index.documents import Documents
from hott.index.filters import Where, left_by
from hott.index.hits import Hit, Query
from hott.index.index import Index
from hott.index.manifest import Shard, new_file
from hott.index.model import Encoder
from hott.index.query import Sought
from hott.index.search import Outlook, Ranking, described
from hott.index.topics import Weights
from hott.lexical import Frequencies, Postings, WordForms
from hott.neighbors import NeighborResult, search
from hott.run import Run
from hott.storage import StorageError
from hott.table.columns import Kind

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
            if self.topics not in self.kept:
                parts = _state.restored(self._read(self.topics))
                self.kept[self.topics] = Index(**parts, encoder=self.encoder)
            return self.kept[self.topics]

    @contextmanager
    def opened(self, shard: Shard) -> Iterator[Index]:
        """A shard as an index of its own, and errors that say which shard they are about.

        Its parts are read when they are used, so that they are used in here.
        """
        learned = self.learned  # which tells its own errors
        with self._told(shard.file, f"The shard {shard.name!r}"):
            if shard.file not in self.kept:
                stored = self._read(shard.file)
                _state.check_kind(stored, _state.SHARD)
                state = _state.restored_state(stored, learned.hott, learned.likeness.distances[1:])
                self.kept[shard.file] = learned.with_state(state)
            yield self.kept[shard.file]

    def verify(self, shard: Shard) -> None:
        """Read every byte of a shard."""
        with self._told(shard.file, f"The shard {shard.name!r}"):
            self._read(shard.file, verify=True)

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
            raise StorageError(f"{called} of {self.address.name} cannot be read. {error}") from error

    def _read(self, file: str, verify: bool = False) -> storage.Stored:
        return storage.read(self.address.of_file(file), verify=verify, storage_options=self.address.options)

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


def of_shard(work: Callable[..., Answer]) -> Callable[[Reach, Any, Run], Answer]:
    """Work on an index, the rest of an item and a Run, as work on the shard that the item begins with."""

    @wraps(work)
    def on_shard(reach: Reach, item: tuple[Any, ...], run: Run) -> Answer:
        with reach.opened(item[0]) as index:
            return work(index, *item[1:], run)

    return on_shard


@of_shard
def found(index: Index, id: str, run: Run) -> int | None:
    """The position of the document with an id, None where no document has it."""
    return index.documents.find(id)


@of_shard
def seen(index: Index, id: str, run: Run) -> tuple[Representation, Representation]:
    """One document, by its topics and as the distance sees it; an error where it has no known word."""
    position = index._known(id)
    return index._by_topics(position), index._seen(position)


@of_shard
def n_left(index: Index, where: Where, schema: dict[str, Kind], run: Run) -> int:
    """How many documents a filter leaves."""
    return int(left_by(index.documents.with_schema(schema), where).sum())


@of_shard
def outlooks(
    index: Index, sought: Sequence[Sought], where: Where | None, schema: dict[str, Kind], run: Run
) -> list[Outlook]:
    """What ranking documents must know of all of them, for each of some queries."""
    only = _only(index, where, schema)
    searcher = index._searcher
    return [searcher.outlook(searcher.bm25(one), run, only) for one in sought]


@of_shard
def rankings(
    index: Index,
    sought: Sequence[tuple[Sought, Outlook]],
    k: int,
    where: Where | None,
    schema: dict[str, Kind],
    run: Run,
) -> list[Ranking]:
    """The best documents of a shard for each of some queries."""
    only = _only(index, where, schema)
    searcher = index._searcher
    return [searcher.rank(one, searcher.bm25(one), outlook, k, run, only) for one, outlook in sought]


@of_shard
def nearest(
    index: Index, document: Representation, k: int, where: Where | None, schema: dict[str, Kind], run: Run
) -> tuple[Ranking, NDArray[np.bool_] | None]:
    """The documents of a shard most like one, and which of all a filter leaves."""
    only = _only(index, where, schema)
    return index._searcher.nearest(document, k, run, only), only


@of_shard
def hits(
    index: Index,
    wanted: Sequence[tuple[Query, Ranking, dict[str, float]]],
    forms: WordForms,
    schema: dict[str, Kind],
    run: Run,
) -> list[list[tuple[Hit, bool]]]:
    """Titles and passages of what was found in a shard."""
    documents = index.documents.with_schema(schema)
    return [described(documents, query, ranking, words, forms) for query, ranking, words in wanted]


@of_shard
def known(index: Index, run: Run) -> NDArray[np.intp]:
    """The positions of the documents that have a distance from others."""
    return index.likeness.documents.positions


@of_shard
def weights(index: Index, run: Run) -> list[Weights]:
    """How much of the documents each topic has, model by model."""
    return [Weights.of(index.represented, model) for model in range(len(index.hott.models_))]


@of_shard
def colors(index: Index, by: str, run: Run) -> list[str | None]:
    """What to colour each document by."""
    return index.colors(by)


@of_shard
def some(index: Index, mentioned: Mentioned, schema: dict[str, Kind], run: Run) -> State:
    """The documents that are mentioned, in their order, in memory."""
    documents = index.documents.with_schema(schema)
    rows = [row for row in map(documents.find, mentioned.ids) if row is not None]
    if mentioned.labels:
        rows += [row for row, label in enumerate(documents.labels) if label in mentioned.labels]
    there = np.unique(np.array(rows, np.intp))
    corpus = documents[there]
    return State(
        Documents.of(corpus),
        tuple(part.select(there) for part in index.likeness.parts),
        Postings.of(_build.searchable(corpus), _build.word_forms(index.parameters).forms),
        index.later[there],
        (),
    )


def neighbors(reach: Reach, item: tuple[Shard, Shard, slice, int], run: Run) -> NeighborResult:
    """The nearest documents in a shard of some documents of another, or of itself: positions in the shard."""
    shard, queried, rows, k = item
    with reach.opened(queried) as index:
        queries = index.likeness.documents.take(rows)
    with reach.opened(shard) as index:
        documents = index.likeness.documents
        own = np.arange(len(documents))[rows] if shard == queried else None
        k = min(k, len(documents) - (own is not None))
        if k <= 0:
            return NeighborResult(np.empty((len(queries), 0), np.intp), np.empty((len(queries), 0)), 0, 0)
        result = search(index.distance, queries, documents, k, run, own=own)
        return replace(result, indices=documents.positions[result.indices])


def _only(index: Index, where: Where | None, schema: dict[str, Kind]) -> NDArray[np.bool_] | None:
    return None if where is None else left_by(index.documents.with_schema(schema), where)
