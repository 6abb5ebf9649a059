"""Searcher: a model and all documents at one moment, in one snapshot or in many."""

from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from hott.blocks import run_blocks
from hott.distances.representation import Representation
from hott.index.documents import Documents
from hott.index.hits import Hit
from hott.index.manifest import Shard
from hott.index.model import Model
from hott.index.query import QueryParser
from hott.index.snapshot import Parts, Snapshot, choose_evenly
from hott.index.topics import TopicWeights, check_model_number, describe_topics
from hott.lexical import Frequencies
from hott.table.columns import Kind
from hott.table.table import Schema, unify_schemas
from hott.topics import Topic
from hott.utils.run import Run

if TYPE_CHECKING:
    from hott.terms import TermStatistics

Answer = TypeVar("Answer")


@dataclass(frozen=True, eq=False)
class Searcher:
    """A model and all documents at one moment, one snapshot or many. A change makes another Searcher."""

    model: Model
    snapshots: tuple[Snapshot | Shard, ...]  # here, or in a file that any process can open
    listed: Frequencies | None = None  # of all words, where a manifest has them
    _made: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def __reduce__(self) -> Any:  # what was made of them can be made again
        return Searcher, (self.model, self.snapshots, self.listed)

    @cached_property
    def local(self) -> Snapshot | None:
        """The one snapshot that is here, or None where there are many or it is in a file."""
        [first, *others] = self.snapshots
        return first if isinstance(first, Snapshot) and not others else None

    @cached_property
    def frequencies(self) -> Frequencies:
        """How common each word is in all snapshots, so that they weigh words alike."""
        if self.listed is not None:
            return self.listed
        parts = (handle.open(self.model).postings.frequencies for handle in self.snapshots)
        return reduce(Frequencies.plus, parts)

    @cached_property
    def parser(self) -> QueryParser:
        return QueryParser(self.model, self.frequencies)

    @cached_property
    def schema(self) -> dict[str, Kind]:
        """All columns, also those that only some snapshots have."""
        return unify_schemas([handle.schema for handle in self.snapshots])

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """The position of the first document of each snapshot, and how many there are in all."""
        return np.cumsum([0, *(handle.n_documents for handle in self.snapshots)])

    def __len__(self) -> int:
        return int(self.starts[-1])

    def place(self, position: int) -> tuple[int, int]:
        """Return the number of the snapshot that has a document, and the document's position in it."""
        number = int(np.searchsorted(self.starts, position, side="right")) - 1
        return number, position - int(self.starts[number])

    def map(
        self, work: Callable[..., Answer], requests: Mapping[int, tuple[Any, ...]], run: Run
    ) -> dict[int, Answer]:
        """Call ``work(model, snapshot, *request, run)`` for snapshots by their numbers, all at once.

        Here by threads; with a client each by the worker that has the snapshot open.
        """
        if self.local is not None:
            return {
                number: work(self.model, self.local, *request, run) for number, request in requests.items()
            }
        items = [(number, work, self.snapshots[number], *request) for number, request in requests.items()]
        if run.client is None:
            done = run.map_threads(lambda item, each: work_on(self.model, item, each), items)
        else:
            done = run_blocks(work_on, self.model, items, run, home=lambda item: item[0])
        answers = {item[0]: answer for item, answer in done}
        return {number: answers[number] for number in requests}

    def map_all(self, work: Callable[..., Answer], run: Run, *request: Any) -> list[Answer]:
        """Call ``work(model, snapshot, *request, run)`` for all snapshots; answers in their order."""
        return [*self.map(work, dict.fromkeys(range(len(self.snapshots)), request), run).values()]

    def resolve(self, query: str | None, id: str | None, text: str | None, run: Run) -> int | str:
        """Return the position of a document, or a text to search for, given in one of three ways."""
        ways = ("query", query), ("id", id), ("text", text)
        given = [(name, value) for name, value in ways if value is not None]
        if len(given) != 1:
            raise ValueError("search wants one thing to search for: a query, id=... or text=...")
        [(name, value)] = given
        if not isinstance(value, str):
            raise ValueError(f"{name} must be a string, got {value!r:.60} ({type(value).__name__}).")
        if name == "text":
            return value
        if self.local is None:
            places = zip(self.map_all(find_id, run, value), self.starts.tolist())
            position = next((place + start for place, start in places if place is not None), None)
        else:
            position = self.local.documents.find(value)
        if position is not None:
            return position
        if name == "id":
            if self.local is not None:
                self.local.documents.position(value)  # which names ids like it
            raise ValueError(f"No document has the id {value!r}.")
        return value

    def gather(self, ids: Collection[str], labels: Collection[str], run: Run) -> Snapshot:
        """Bring documents together, by their ids and labels; a single snapshot that is here has them all."""
        if self.local is not None:
            return self.local
        return Snapshot.concat(self.map_all(select_named, run, ids, labels, self.schema))

    @cached_property
    def topic_weights(self) -> tuple[TopicWeights, ...]:
        """The topics of all documents, added up, model by model."""
        by_model = zip(*self.map_all(weigh_topics, Run()))
        return tuple(reduce(TopicWeights.plus, weights) for weights in by_model)

    def topics(self, number: int, n_words: int = 10) -> tuple[Topic, ...]:
        """Describe the topics of a topic model as they were learned, in the order of their numbers."""
        check_model_number(self.model, number)
        weights = self.topic_weights[number]
        return self.remember(
            ("topics", number, n_words), lambda: describe_topics(self.model, number, weights, n_words)
        )

    def remember(self, name: Hashable, make: Callable[[], Answer]) -> Answer:
        """Return what was made under a name before, or make it."""
        if name not in self._made:
            self._made[name] = make()
        return cast(Answer, self._made[name])

    def sample(self, n: int, run: Run) -> tuple[list[str], Representation]:
        """Return ``n`` documents, evenly chosen: their texts, and what the distance sees of them.

        They are the same in one snapshot and in many.
        """
        places = [self.place(int(position)) for position in choose_evenly(len(self), n)]
        requests = {
            number: (np.array([row for other, row in places if other == number], np.intp),)
            for number in dict.fromkeys(number for number, _ in places)
        }
        found = self.map(take_documents, requests, replace(run.quiet(), client=None)).values()
        texts = [text for own, _ in found for text in own]
        return texts, Representation.concat([seen for _, seen in found])

    @cached_property
    def terms(self) -> "TermStatistics":
        """In how many documents each word and phrase is; those of all snapshots add up."""
        first, *others = self.map_all(count_terms, Run())
        return first.merge(*others) if others else first

    def without_documents(self) -> "Searcher":
        """Return the same without texts and columns, for workers that may not reach them."""
        slim = [
            replace(one, documents=Documents(), parts=Parts(one.select_parts(one.parts.names)))
            for one in (handle.open(self.model) for handle in self.snapshots)
        ]
        return Searcher(self.model, tuple(slim), self.frequencies)


def work_on(model: Model, item: tuple[Any, ...], run: Run) -> Any:
    """Do a piece of work on a snapshot; errors name the shard that it is."""
    _, work, handle, *request = item
    with handle.naming_errors():
        return work(model, handle.open(model), *request, run)


def find_id(model: Model, snapshot: Snapshot, id: str, run: Run) -> int | None:
    """Return the position of a document in a snapshot, None where it is in another."""
    return snapshot.documents.find(id)


def weigh_topics(model: Model, snapshot: Snapshot, run: Run) -> list[TopicWeights]:
    """Add up the topics of a snapshot, model by model."""
    return [TopicWeights.of(snapshot.topics, number) for number in range(len(model.hott.models_))]


def take_documents(
    model: Model, snapshot: Snapshot, rows: NDArray[np.intp], run: Run
) -> tuple[list[str], Representation]:
    """Return the texts of some documents, and what the distance of the index sees of them."""
    return list(snapshot.documents[rows].texts), snapshot.combine(model).select(rows)


def count_terms(model: Model, snapshot: Snapshot, run: Run) -> "TermStatistics":
    """Return the statistics of terms of a snapshot."""
    return snapshot.terms(model)


def select_named(
    model: Model, snapshot: Snapshot, ids: Collection[str], labels: Collection[str], schema: Schema, run: Run
) -> Snapshot:
    """Select the documents of a snapshot that are named, in their order, into memory."""
    documents = snapshot.documents.with_schema(schema)
    rows = [row for row in map(documents.find, ids) if row is not None]
    if labels:
        rows += [row for row, label in enumerate(documents.labels) if label in labels]
    there = np.unique(np.array(rows, np.intp))
    parts = Parts(snapshot.select_parts(model.distance_names, there))
    return Snapshot(Documents.of(documents[there]), snapshot.added_after_fit[there], (), parts)


def position_of(snapshot: Snapshot, hit: Hit) -> int:
    """Return where a hit is now: where it was found, unless documents have come or gone since."""
    ids = snapshot.documents.ids
    if 0 <= hit.position < len(ids) and ids[hit.position] == hit.id:
        return hit.position
    return snapshot.documents.position(hit.id)
