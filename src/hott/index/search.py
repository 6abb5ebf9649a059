"""Search: words and transported topics together, exactly."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from hott import _core, blocks
from hott.corpus import Document
from hott.distances.representation import Representation
from hott.distances.topic import HOTT
from hott.index.documents import Documents
from hott.index.hits import Hit, Hits, Query
from hott.index.model import Likeness
from hott.index.query import By, QueryReader, Sought, passage
from hott.lexical import Postings, WordForms
from hott.neighbors import NeighborResult, Offset, search
from hott.run import Run

if TYPE_CHECKING:
    from hott.index.index import Index

WORDS, TOPICS, VECTORS = 2.0, 0.25, 0.5
"""Weights of the parts of a score: BM25 over the mean of the query's ten best, the distance over topics over
its deviation, and that of document vectors, where there are any, over theirs. Half or twice of either is
nearly as good (benchmarks/retrieval.py)."""

BEST = 10

SEARCHES_AT_ONCE = 64
"""Texts that are sent to a worker, or to shards, together."""


@dataclass(frozen=True, slots=True, eq=False)
class Outlook:
    """What must be known of all documents before any of them has a score."""

    best: NDArray[np.float64]  # the largest BM25 scores, ascending
    n_left: int  # documents by their topics, of those that a filter leaves

    @classmethod
    def joint(cls, parts: "Sequence[Outlook]") -> "Outlook":
        """That of a collection, from those of its parts."""
        best = np.sort(np.concatenate([part.best for part in parts]))[-BEST:]
        return cls(best, sum(part.n_left for part in parts))

    @property
    def factor(self) -> float:
        """What BM25 is multiplied with in a score."""
        positive = self.best[self.best > 0]
        return float(WORDS / positive.mean()) if len(positive) else 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Documents in the order of their score, as positions, with the two parts of it."""

    positions: NDArray[np.intp]
    distances: NDArray[np.float64]  # NaN for documents without a known word
    words: NDArray[np.float64]
    topics: NDArray[np.float64]  # and of vectors, where there are any
    computed: int
    pruned: int

    @classmethod
    def joint(
        cls,
        parts: "Sequence[Ranking]",
        starts: Sequence[int],
        k: int,
        by: Literal["score", "distance"] = "score",
    ) -> "Ranking":
        """The ``k`` best of the rankings of the parts of a collection, which begin at ``starts``."""
        where = np.concatenate([part.positions + start for part, start in zip(parts, starts)])
        distances, words, topics = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("distances", "words", "topics")
        )
        order = np.lexsort((where, distances if by == "distance" else -(words + topics)))[:k]
        computed, pruned = sum(part.computed for part in parts), sum(part.pruned for part in parts)
        return cls(where[order], distances[order], words[order], topics[order], computed, pruned)

    def take(self, chosen: NDArray[np.bool_], start: int) -> "Ranking":
        """Those of a part of the collection that begins at ``start``, by their positions in it."""
        columns = (self.distances[chosen], self.words[chosen], self.topics[chosen])
        return Ranking(self.positions[chosen] - start, *columns, self.computed, self.pruned)

    def beginning_with(self, position: int) -> "Ranking":
        """The nearest documents of one of them, itself first: others may be at distance 0 as well."""
        others = self.positions != position
        where = np.concatenate([[position], self.positions[others]])[: len(others)]
        distances = np.concatenate([[0.0], self.distances[others]])[: len(others)]
        return replace(self, positions=where, distances=distances)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Distance, score, and the two parts of the score of each document."""
        columns = {
            "distance": self.distances,
            "score": self.words + self.topics,
            "words": self.words,
            "topics": self.topics,
        }
        return (dict(zip(columns, row)) for row in np.column_stack([*columns.values()]).tolist())


@dataclass(frozen=True, eq=False)
class Searcher:
    """Ranks the documents of an index, or of a part of one, for a query."""

    likeness: Likeness
    postings: Postings
    scale: float  # deviation of the distance over topics, over random pairs
    vector_scale: float = 1.0  # of that of document vectors, where there are any

    @property
    def distance(self) -> HOTT:
        """What a text is searched by."""
        return self.likeness.hott

    @property
    def documents(self) -> Representation:
        """The documents by their topics."""
        return self.likeness.topics

    def bm25(self, sought: Sought) -> NDArray[np.float64]:
        """How well the words of each document match."""
        return self.postings.bm25(sought.words)

    def outlook(self, bm25: NDArray[np.float64], run: Run, only: NDArray[np.bool_] | None = None) -> Outlook:
        """What ranking the documents must know of all of them."""
        n_left = len(self.documents) if only is None else int(only[self.documents.positions].sum())
        return Outlook(np.sort(bm25[_largest(bm25, BEST, run)]), n_left)

    def rank(
        self,
        sought: Sought,
        bm25: NDArray[np.float64],
        outlook: Outlook,
        k: int,
        run: Run,
        only: NDArray[np.bool_] | None = None,
    ) -> Ranking:
        """The ``k`` best documents, of those that ``only`` marks. Their scores are the same without it.

        Parameters
        ----------
        sought : Sought
        bm25 : array
            Of these documents. It is scaled in its place.
        outlook : Outlook
            Of all documents of the collection.
        k : int
        run : Run
        only : array of bool, optional
        """
        lexical = bm25
        lexical *= outlook.factor
        if only is not None:
            lexical[~only] = 0
        vectors = self._vectors(sought)
        if sought.document is None and vectors is not None:
            return _by_vectors(lexical, vectors, only, k)
        if sought.document is None or sought.by == "words" or not outlook.n_left:
            found = self._by_words(lexical, sought.document, k, run)
            left = len(lexical) if only is None else int(only.sum())
            return replace(found, pruned=left - len(found.positions))
        return self._by_both(lexical, vectors, sought.document, only, k, run)

    def ranked(self, sought: Sought, k: int, run: Run, only: NDArray[np.bool_] | None = None) -> Ranking:
        """The ``k`` best documents, of a collection that is one whole."""
        bm25 = self.bm25(sought)
        return self.rank(sought, bm25, self.outlook(bm25, run, only), k, run, only)

    def _vectors(self, sought: Sought) -> NDArray[np.float64] | None:
        """What the distance of document vectors takes from each score; None where there are none."""
        if sought.vector is None:
            return None
        distance, documents = self.likeness.distances[-1], self.likeness.parts[-1]
        return VECTORS / self.vector_scale * distance.between(sought.vector, documents)[0]

    def _by_both(
        self,
        lexical: NDArray[np.float64],
        vectors: NDArray[np.float64] | None,
        document: Representation,
        only: NDArray[np.bool_] | None,
        k: int,
        run: Run,
    ) -> Ranking:
        documents, positions, weight = self.documents, self.documents.positions, TOPICS / self.scale
        is_complete = len(positions) == len(lexical)
        n_left = len(documents) if only is None else int(only[positions].sum())
        added = -lexical if vectors is None else vectors - lexical
        if only is not None:
            added[~only] = np.inf
        offset = Offset(weight, added if is_complete else added[positions])
        found = _NONE
        if n_left:
            found = search(self.distance, document, documents, min(k, n_left), run, offset=offset)
        rows = found.indices[0]
        values = found.distances[0] - added[positions[rows]]
        # Documents without a known word can be found by their words; they are as far as can be.
        others = np.empty(0, np.intp)
        if not is_complete:
            without = lexical != 0
            without[positions] = False
            others = np.flatnonzero(without)
        farthest = max((float(ground.distances.max()) for ground in self.distance.grounds), default=0.0)
        where = np.concatenate([positions[rows], others])
        distances = np.concatenate([values / weight, np.full(len(others), np.nan)])
        topics = -np.concatenate([values, np.full(len(others), weight * farthest)])
        if vectors is not None:
            topics -= vectors[where]
        order = np.lexsort((where, -(lexical[where] + topics)))[:k]
        return Ranking(
            where[order],
            np.maximum(distances[order], 0),
            lexical[where][order],
            topics[order],
            found.computed,
            n_left - found.computed,
        )

    def _by_words(
        self, lexical: NDArray[np.float64], document: Representation | None, k: int, run: Run
    ) -> Ranking:
        order = _largest(lexical, min(k, int((lexical > 0).sum())), run)
        distances, positions = np.full(len(order), np.nan), self.documents.positions
        rows = np.searchsorted(positions, order)
        known = rows < len(positions)
        known[known] = positions[rows[known]] == order[known]
        if document is not None and known.any():
            rows = rows[known]
            zeros = np.zeros(len(rows), np.intp)
            distances[known] = self.distance.pairs(document, self.documents, zeros, rows, run)
        return Ranking(
            order,
            distances,
            lexical[order],
            np.zeros(len(order)),
            int(known.sum()),
            len(lexical) - len(order),
        )

    def nearest(
        self, document: Representation, k: int, run: Run, only: NDArray[np.bool_] | None = None
    ) -> Ranking:
        """The ``k`` documents most like one, of those that ``only`` marks; nearest first."""
        documents, among = _within(self.likeness.documents, only)
        k, found = min(k, len(among)), _NONE
        if k:
            found = search(self.likeness.distance, document, documents, k, run)
        where = self.likeness.documents.positions[among[found.indices[0]]]
        return Ranking(where, found.distances[0], np.zeros(k), np.zeros(k), found.computed, found.pruned)


_NONE = NeighborResult(np.empty((1, 0), np.intp), np.empty((1, 0)), 0, 0)


def _by_vectors(
    lexical: NDArray[np.float64], vectors: NDArray[np.float64], only: NDArray[np.bool_] | None, k: int
) -> Ranking:
    """By words and document vectors: what a text without topics is searched by."""
    left = np.arange(len(vectors)) if only is None else np.flatnonzero(only)
    where = left[np.argsort((vectors - lexical)[left], kind="stable")[:k]]
    return Ranking(where, np.full(len(where), np.nan), lexical[where], -vectors[where], 0, len(left))


def _largest(values: NDArray[np.float64], count: int, run: Run) -> NDArray[np.int64]:
    """Places of the largest values, these first; of equals the first."""
    found = np.empty((1, min(count, len(values))), np.int64)
    _core.smallest(-values[None, :], run.n_threads, found)
    return found[0]


def _within(
    documents: Representation, only: NDArray[np.bool_] | None
) -> tuple[Representation, NDArray[np.intp]]:
    """The documents with words that ``only`` marks, and their rows among all."""
    if only is None:
        return documents, np.arange(len(documents))
    rows = np.flatnonzero(only[documents.positions])
    return documents.take(rows), rows


def found_for_many(
    index: "Index", texts: list[str], k: int, by: By, only: NDArray[np.bool_] | None, run: Run
) -> Iterator[tuple[int, list[Hits]]]:
    """What texts find, and the number of the first of some: by threads here, or ranked on a cluster."""
    searching = index._query_reader, index._searcher
    if run.client is None:

        def found(number: int, run: Run) -> list[Hits]:
            return [shown(index, *rank_text(*searching, texts[number], number, k, by, run, only))]

        yield from run.quiet().at_once(found, range(len(texts)))
        return
    spans = blocks.spans_of(len(texts), SEARCHES_AT_ONCE)
    batches = [(span.start, texts[span], k, by, only) for span in spans]
    for (start, *_), rankings in blocks.run_blocks(rank_batch, searching, batches, run):
        yield start, [shown(index, *one) for one in rankings]


def rank_batch(
    searching: tuple[QueryReader, Searcher],
    batch: tuple[int, list[str], int, By, NDArray[np.bool_] | None],
    run: Run,
) -> list[tuple[Query, Ranking]]:
    """Rank the documents for each of some texts; a piece of work for :func:`hott.blocks.run_blocks`."""
    start, texts, k, by, only = batch
    return [rank_text(*searching, text, number, k, by, run, only) for number, text in enumerate(texts, start)]


def rank_text(
    reader: QueryReader,
    searcher: Searcher,
    text: str,
    number: int,
    k: int,
    by: By,
    run: Run,
    only: NDArray[np.bool_] | None,
) -> tuple[Query, Ranking]:
    """Rank the documents for one of many texts. An error says which."""
    query = reader.read(text)
    return query, searcher.ranked(reader.sought(query, by, number), k, run, only)


def asked(index: "Index", query: str | None, id: str | None, text: str | None) -> Query:
    """What is searched for, given in one of three ways."""
    name, value = given(query, id, text)
    position = index.documents.position(value) if name == "id" else None
    if name == "query":
        position = index.documents.find(value)
    if position is None:
        return index._query_reader.read(value)
    return Query(index._by_topics(index._known(value)), id=value)


def given(query: str | None, id: str | None, text: str | None) -> tuple[str, str]:
    """Which of three ways something to search for was given in, and it."""
    named = {"query": query, "id": id, "text": text}
    named = {name: value for name, value in named.items() if value is not None}
    if len(named) != 1:
        raise ValueError("search wants one thing to search for: a query, id=... or text=...")
    [(name, value)] = named.items()
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a string, got {value!r:.60} ({type(value).__name__}).")
    return name, value


def shown(index: "Index", query: Query, ranking: Ranking) -> Hits:
    """A ranking with titles and passages. The document that was searched for is the first."""
    reader = index._query_reader
    return together(
        described(index.documents, query, ranking, reader.weights(query), reader.forms), query, ranking
    )


def described(
    documents: Documents, query: Query, ranking: Ranking, words: dict[str, float], forms: WordForms
) -> list[tuple[Hit, bool]]:
    """What was found with titles and passages, and whether each is what was searched for."""
    found = map(Document.of, documents.rows(ranking.positions.tolist()).records())
    return [
        (
            Hit.of(document, **numbers, snippet=passage(document.text, words, forms)),
            query.id == document.id or query.text == document.text,
        )
        for document, numbers in zip(found, ranking.rows())
    ]


def together(found: Sequence[tuple[Hit, bool]], query: Query, ranking: Ranking) -> Hits:
    """The hits of a ranking; the document that was searched for is the first."""
    ordered = sorted(found, key=lambda pair: not pair[1])  # which is stable
    return Hits(tuple(hit for hit, _ in ordered), ranking.computed, ranking.pruned, query)
