"""Search: words and transported topics together, exactly, and what to say of a query's words."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hott import _core, embeddings
from hott.checks import check_choice
from hott.corpus import Document
from hott.distances.representation import Representation
from hott.distances.topic import HOTT
from hott.index._hits import Hit, Hits, Query
from hott.index._likeness import Encoder, Likeness, encoded
from hott.index._reader import Reader
from hott.lexical import Match, Matcher, Postings, Snippet, WordForms, snippet
from hott.neighbors import Offset, search
from hott.run import Run
from hott.tokens import tokenize

if TYPE_CHECKING:
    from hott.index._index import Index

By: TypeAlias = Literal["both", "words", "topics"]

WORDS, TOPICS, VECTORS = 2.0, 0.25, 0.5
"""Weights of the parts of a score: BM25 over the mean of the query's ten best, the distance over topics over
its deviation, and that of document vectors, where there are any, over theirs. Half or twice of either is
nearly as good (benchmarks/retrieval.py)."""

BEST = 10
SUGGESTED = 5  # words in the error for a query with nothing to search by


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Documents in the order of their score, as positions, with the two parts of it."""

    positions: NDArray[np.intp]
    distances: NDArray[np.float64]  # NaN for documents without a known word
    words: NDArray[np.float64]
    topics: NDArray[np.float64]  # and of vectors, where there are any
    computed: int
    pruned: int

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
    """Ranks the documents of an index for a query."""

    reader: Reader
    likeness: Likeness
    postings: Postings
    scale: float  # deviation of the distance over topics, over random pairs
    forms: WordForms
    bundled_vectors: bool  # whether words that are in no document have vectors to be looked up
    encoder: Encoder | None = None

    @property
    def distance(self) -> HOTT:
        """What a text is searched by."""
        return self.reader.distance

    @property
    def documents(self) -> Representation:
        """The documents by their topics."""
        return self.likeness.topics

    @cached_property
    def matcher(self) -> Matcher:
        vocabulary = self.reader.vocabulary
        look_up = embeddings.default().get if self.bundled_vectors else None
        return Matcher(self.postings, self.forms, vocabulary.words_, vocabulary.vectors_, look_up)

    def read(self, text: str) -> Query:
        """What a text searches for. An error, with suggestions, when there is nothing to go on."""
        words = list(dict.fromkeys(self.forms.tokens(text)))
        matches = tuple(self.matcher.match(word) for word in words)
        document = self.reader.read([_meant(text, matches)], Run(threads=1))
        if not len(document) and not any(match.by for match in matches):
            shown = repr(text[:60]) + ("..." if len(text) > 60 else "")
            common = np.argsort(-np.diff(self.postings.starts), kind="stable")[:SUGGESTED]
            raise ValueError(
                f"The query {shown} has nothing to search by: no word of it is in the documents, or like one "
                f"that is. Words that many documents have: {', '.join(self.postings.words[common])}."
            )
        return Query(document if len(document) else None, text=text, matches=matches)

    def weights(self, query: Query) -> dict[str, float]:
        """Words of the corpus, and how much each counts for a query."""
        times = Counter(self.forms.tokens(query.text or ""))
        found: dict[str, float] = {}
        for match in query.matches:
            share = 1 / len(match.by) if match.how == "near in meaning" else 1.0
            for word, weight in match.by:
                found[word] = found.get(word, 0.0) + times[match.word] * weight * share
        return found

    def rank(self, query: Query, k: int, by: By, run: Run, only: NDArray[np.bool_] | None = None) -> Ranking:
        """The ``k`` best documents, of those that ``only`` marks. Their scores are the same without it.

        Parameters
        ----------
        query : Query
        k : int
        by : "both", "words" or "topics"
        run : Run
        only : array of bool, optional
        """
        check_choice(by, "by", ("both", "words", "topics"))
        document, words = query.document, self.weights(query)
        bm25 = self.postings.scores(words) if by != "topics" else np.zeros(len(self.postings))
        best = np.sort(bm25[_largest(bm25, BEST, run)])
        lexical = np.multiply(bm25, WORDS / best[best > 0].mean(), out=bm25) if best[-1] > 0 else bm25
        if only is not None:
            lexical[~only] = 0
        n_left = len(self.documents) if only is None else int(only[self.documents.positions].sum())
        if document is None or by == "words" or not n_left:
            found = self._by_words(lexical, document, k, run)
            left = len(lexical) if only is None else int(only.sum())
            return replace(found, pruned=left - len(found.positions))
        return self._by_both(lexical, self._vectors(query, by), document, (only, n_left), k, run)

    def _vectors(self, query: Query, by: By) -> NDArray[np.float64] | None:
        """What the distance of document vectors takes from each score; None where there are none."""
        if by != "both" or self.encoder is None or not self.likeness.has_vectors:
            return None
        distance, documents = self.likeness.distances[-1], self.likeness.parts[-1]
        apart = distance.between(encoded([query.text or ""], self.encoder), documents)[0]
        return VECTORS / self.vector_scale * apart

    @cached_property
    def vector_scale(self) -> float:
        """Deviation of the distance of document vectors, over random pairs."""
        return self.likeness.distances[-1].deviation(self.likeness.parts[-1])

    def _by_both(
        self,
        lexical: NDArray[np.float64],
        vectors: NDArray[np.float64] | None,
        document: Representation,
        among: tuple[NDArray[np.bool_] | None, int],
        k: int,
        run: Run,
    ) -> Ranking:
        documents, positions, weight = self.documents, self.documents.positions, TOPICS / self.scale
        (only, n_left), is_complete = among, len(positions) == len(lexical)
        added = -lexical if vectors is None else vectors - lexical
        if only is not None:
            added[~only] = np.inf
        offset = Offset(weight, added if is_complete else added[positions])
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

    def nearest(self, position: int, k: int, run: Run, only: NDArray[np.bool_] | None = None) -> Ranking:
        """The ``k`` documents most like the one at a position, itself the first.

        With ``only``, of the documents that it marks; itself is one of them or not.
        """
        everyone = self.likeness.documents
        documents, among = _within(everyone, only)
        if not len(among):
            raise ValueError("No document that the filter leaves has a known word, or a distance.")
        row, k = int(np.searchsorted(everyone.positions, position)), min(k, len(documents))
        found = search(self.likeness.distance, everyone.take([row]), documents, k, run)
        rows, distances = among[found.indices[0]], found.distances[0]
        if row in among:  # it need not be found: others may be at distance 0 as well
            others = rows != row
            rows = np.concatenate([[row], rows[others]])[:k]
            distances = np.concatenate([[0.0], distances[others]])[:k]
        none, where = np.zeros(k), everyone.positions[rows]
        return Ranking(where, distances, none, none, found.computed, found.pruned)

    def passage(self, text: str, words: dict[str, float]) -> Snippet:
        """The passage of a document that shows best what was searched for."""
        return snippet(text, lambda word: words.get(self.forms.form(word), 0.0))


def _meant(text: str, matches: Sequence[Match]) -> str:
    """A text as topics read it.

    A misspelt word has no topics of its own: what it is spelled like has. Nor has a word that is like none of
    the corpus, though its vector would give it some.
    """
    instead = {
        match.word: match.words for match in matches if match.how in ("spelled like", "in no document")
    }
    if not instead:
        return text
    return " ".join(word for token in tokenize(text) for word in instead.get(token, (token,)))


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


def rank_batch(
    searcher: Searcher, batch: tuple[int, list[str], int, By, NDArray[np.bool_] | None], run: Run
) -> list[tuple[Query, Ranking]]:
    """Rank the documents for each of some texts; a piece of work for :func:`hott.blocks.run_blocks`."""
    _, texts, k, by, only = batch
    queries = [searcher.read(text) for text in texts]
    return [(query, searcher.rank(query, k, by, run, only)) for query in queries]


def asked(index: "Index", query: str | None, id: str | None, text: str | None) -> Query:
    """What is searched for, given in one of three ways."""
    given = {"query": query, "id": id, "text": text}
    given = {name: value for name, value in given.items() if value is not None}
    if len(given) != 1:
        raise ValueError("search wants one thing to search for: a query, id=... or text=...")
    [(name, value)] = given.items()
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a string, got {value!r:.60} ({type(value).__name__}).")
    position = index.documents.position(value) if name == "id" else None
    if name == "query":
        position = index.documents.find(value)
    if position is None:
        return index._searcher.read(value)
    return Query(index._by_topics(index._known(value)), id=value)


def shown(index: "Index", query: Query, ranking: Ranking) -> Hits:
    """A ranking with titles and passages. The document that was searched for is the first."""
    searcher = index._searcher
    words = searcher.weights(query)
    documents = [*map(Document.of, index.documents.rows(ranking.positions.tolist()).records())]
    hits = [
        Hit.of(document, **numbers, snippet=searcher.passage(document.text, words))
        for document, numbers in zip(documents, ranking.rows())
    ]
    itself = [query.id == document.id or query.text == document.text for document in documents]
    first = [hit for hit, same in zip(hits, itself) if same]
    rest = [hit for hit, same in zip(hits, itself) if not same]
    return Hits((*first, *rest), ranking.computed, ranking.pruned, query)
