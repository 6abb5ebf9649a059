"""All shards of an index at one time, asked together: what they find is put together exactly."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hott import mapping
from hott.blocks import run_blocks, spans_of
from hott.checks import check_count
from hott.index import _reach
from hott.index import topics as _topics
from hott.index._reach import Reach
from hott.index.changes import State
from hott.index.comparing import Mentioned
from hott.index.filters import Where, shown
from hott.index.hits import Hits, Query
from hott.index.index import NONE_LEFT, Index
from hott.index.manifest import Manifest, Shard
from hott.index.query import By, QueryReader
from hott.index.search import Outlook, Ranking, together
from hott.index.topics import Weights
from hott.neighbors import NeighborResult, check_k
from hott.run import Run
from hott.topics import Topic
from hott.topics.names import N_WORDS

Answer = TypeVar("Answer")


@dataclass(frozen=True, eq=False)
class Together:
    """One state of an index of shards. It never changes: who searches it meanwhile sees no other."""

    manifest: Manifest
    reach: Reach
    _known_topics: dict[tuple[int, int], tuple[Topic, ...]] = field(default_factory=dict)

    @cached_property
    def query_reader(self) -> QueryReader:
        return replace(self.reach.learned._query_reader, frequencies=self.manifest.frequencies)

    def _ask(
        self,
        work: Callable[[Reach, Any, Run], Answer],
        request: Callable[[int], tuple[Any, ...] | None],
        run: Run,
    ) -> list[Answer]:
        """Ask every shard that a request is made for, all at the same time; answers in their order."""
        requests = {place: request(place) for place in range(len(self.manifest.shards))}
        items = [
            (self.manifest.shards[place], *asked) for place, asked in requests.items() if asked is not None
        ]
        if run.client is not None:
            order = {shard: place for place, (shard, *_) in enumerate(items)}
            answers = {order[item[0]]: answer for item, answer in self._spread(work, items, run)}
            return [answers[place] for place in range(len(items))]
        here = run.quiet().at_once(lambda item, each: work(self.reach, item, each), items)
        return [answer for _, answer in here]

    def _spread(
        self, work: Callable[[Reach, Any, Run], Answer], items: Sequence[Any], run: Run
    ) -> Iterator[tuple[Any, Answer]]:
        """Work on many items; a shard is sent to the worker that has it open, where there are workers."""
        place_of = {shard: place for place, shard in enumerate(self.manifest.shards)}
        return run_blocks(work, self.reach, items, run, home=lambda item: place_of[item[0]])

    def found(
        self,
        queries: Sequence[Query],
        k: int,
        by: By,
        where: Where | None,
        run: Run,
        numbers: Sequence[int | None] = (None,),
    ) -> list[Hits]:
        """What each of some texts finds, in three rounds: what all must know, the best, their texts.

        ``numbers`` are those of the texts among all that are searched for, for errors.
        """
        schema, starts = self.manifest.schema, self.manifest.starts
        sought = [self.query_reader.sought(query, by, n) for query, n in zip(queries, numbers, strict=True)]
        outlooks = self._ask(_reach.outlooks, lambda _: (sought, where, schema), run)
        pairs = list(zip(sought, map(Outlook.joint, zip(*outlooks))))
        rankings = self._ask(_reach.rankings, lambda _: (pairs, k, where, schema), run)
        best = [Ranking.joint(parts, starts.tolist(), k) for parts in zip(*rankings)]
        if where is not None and not all(len(one.positions) for one in best):
            self._check_left(where, run)
        return self._described(queries, best, run)

    def nearest(self, id: str, place: int, k: int, where: Where | None, run: Run) -> Hits:
        schema, starts = self.manifest.schema, self.manifest.starts
        where_it_is = int(np.searchsorted(starts, place, side="right")) - 1
        [(topics, seen)] = self._ask(_reach.seen, lambda n: (id,) if n == where_it_is else None, run)
        found = self._ask(_reach.nearest, lambda _: (seen, k, where, schema), run)
        best = Ranking.joint([ranking for ranking, _ in found], starts.tolist(), k, by="distance")
        if not len(best.positions):
            self._check_left(where or {}, run)
            raise ValueError(NONE_LEFT)
        only = found[where_it_is][1]
        if only is None or only[place - starts[where_it_is]]:
            best = best.beginning_with(place)
        return self._described([Query(topics, id=id)], [best], run)[0]

    def _described(self, queries: Sequence[Query], rankings: Sequence[Ranking], run: Run) -> list[Hits]:
        """Rankings with titles and passages, which the shards that hold them read."""
        reader, starts, schema = self.query_reader, self.manifest.starts, self.manifest.schema
        weights = [reader.weights(query) for query in queries]
        which = [np.searchsorted(starts, one.positions, side="right") - 1 for one in rankings]
        asked = sorted({place for shards in which for place in shards.tolist()})

        def of_shard(place: int) -> tuple[Any, ...] | None:
            if place not in asked:
                return None
            wanted = [
                (query, ranking.take(shard == place, int(starts[place])), words)
                for query, ranking, shard, words in zip(queries, rankings, which, weights)
            ]
            return wanted, reader.forms, schema

        answers = dict(zip(asked, self._ask(_reach.hits, of_shard, run)))
        found = []
        for number, (query, ranking) in enumerate(zip(queries, rankings)):
            rest = {place: iter(answer[number]) for place, answer in answers.items()}
            found.append(together([next(rest[place]) for place in which[number].tolist()], query, ranking))
        return found

    def place(self, id: str, run: Run) -> int | None:
        """The position of a document, None where no document has the id."""
        found = zip(self._ask(_reach.found, lambda _: (id,), run), self.manifest.starts.tolist())
        return next((position + start for position, start in found if position is not None), None)

    def _check_left(self, where: Where, run: Run) -> None:
        if where and not sum(self._ask(_reach.n_left, lambda _: (where, self.manifest.schema), run)):
            raise ValueError(f"No document is left by the filter {shown(where)}.")

    def some(self, mentioned: Mentioned, run: Run) -> Index:
        """The documents that are mentioned, as an index in which words and topics count as here."""
        states = self._ask(_reach.some, lambda _: (mentioned, self.manifest.schema), run)
        return self.reach.learned.part(
            reduce(State.followed_by, states), self.query_reader, self._topics(run)
        )

    def _topics(self, run: Run) -> dict[tuple[int, int], tuple[Topic, ...]]:
        """The topics of each model as comparisons want them, with their shares of all documents."""
        if not self._known_topics:
            by_model = zip(*self._ask(_reach.weights, lambda _: (), run))
            for model, weights in enumerate(by_model):
                found = _topics.of_model(self.reach.learned, model, N_WORDS, reduce(Weights.plus, weights))
                self._known_topics[model, N_WORDS] = found
        return dict(self._known_topics)

    def colors(self, by: str, run: Run) -> list[str | None]:
        """What to colour each document by; "auto": labels where a document of any shard has one."""
        if by == "auto":
            labels = self.colors("label", run)
            return labels if any(labels) else self.colors("topic", run)
        return [color for part in self._ask(_reach.colors, lambda _: (by,), run) for color in part]

    def map(self, perplexity: float, random_state: int, block: int, run: Run) -> NDArray[np.float64]:
        """Every document with a known word on a plane, laid out from its exact neighbours."""
        n, starts = int(self.manifest.starts[-1]), self.manifest.starts.tolist()
        parts = self._ask(_reach.known, lambda _: (), run)
        known = np.concatenate([own + start for own, start in zip(parts, starts)])
        k = mapping.n_neighbors(len(known), perplexity)
        indices, distances = np.empty((len(known), 0), np.intp), np.empty((len(known), 0))
        if k:
            found = self.neighbors(k, block, run)
            indices, distances = np.searchsorted(known, found.indices[known]), found.distances[known]
        here = replace(run, client=None)  # the layout is one piece of work
        points = np.full((n, 2), np.nan)
        points[known] = mapping.layout(
            indices, distances, perplexity=perplexity, random_state=random_state, **here.options
        )
        return points

    def neighbors(self, k: int, block: int, run: Run) -> NeighborResult:
        """The nearest other documents of each: every shard is asked for those of every block of documents."""
        shards = self.manifest.shards
        n = int(self.manifest.starts[-1])
        starts = dict(zip(shards, self.manifest.starts.tolist()))
        known = dict(zip(shards, self._ask(_reach.known, lambda _: (), run)))
        k = check_k(k, sum(map(len, known.values())), others=True)
        first = np.concatenate([own + starts[shard] for shard, own in known.items()])[:k]
        indices, distances = np.tile(first, (n, 1)), np.full((n, k), np.nan)
        items = [
            (there, here, span, k)
            for here, own in known.items()
            for span in spans_of(len(own), check_count(block, "block"))
            for there in shards
        ]
        parts: dict[tuple[Shard, int], list[tuple[int, NeighborResult]]] = {}
        computed = pruned = 0
        with run.reporting("neighbours") as report:
            for done, (item, found) in enumerate(self._spread(_reach.neighbors, items, run), 1):
                there, here, span, _ = item
                of_block = parts.setdefault((here, span.start), [])
                of_block.append((starts[there], found))
                computed, pruned = computed + found.computed, pruned + found.pruned
                if len(of_block) == len(shards):
                    rows = known[here][span] + starts[here]
                    indices[rows], distances[rows] = _nearest_of(parts.pop((here, span.start)), k)
                if report is not None:
                    report(done, len(items))
        return NeighborResult(indices, distances, computed, pruned)


def _nearest_of(
    parts: Sequence[tuple[int, NeighborResult]], k: int
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The nearest of what was found in shards that begin somewhere, by distance and then by position."""
    indices = np.concatenate([found.indices + start for start, found in parts], axis=1)
    distances = np.concatenate([found.distances for _, found in parts], axis=1)
    order = np.lexsort((indices, distances), axis=-1)[:, :k]
    return np.take_along_axis(indices, order, 1), np.take_along_axis(distances, order, 1)
