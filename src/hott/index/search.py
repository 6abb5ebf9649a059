"""Search: words, transported topics and meaning together, exactly, however the documents are divided.

A search asks every snapshot twice: for its best documents (:func:`rank_texts`), and for the texts of those
that are the best of all (:func:`make_hits`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hott import _core
from hott.blocks import run_blocks, spans_of
from hott.corpus.naming import first_sentence
from hott.distances.representation import Representation
from hott.index.filters import Filter, Mask, Where, check_filter, filter_mask, format_filter
from hott.index.hits import By, Hit, Hits, Query
from hott.index.model import Model
from hott.index.query import match_phrase
from hott.index.searcher import Searcher
from hott.index.snapshot import Snapshot
from hott.lexical import WordForms, snippet
from hott.neighbors import NeighborResult, Offset, search
from hott.table.table import Schema
from hott.utils.run import Run

WORDS, WORDS_BESIDE_MEANING, TOPICS = 8.0, 9.0, 0.5
"""Weights of the parts of a score; meaning counts once. Words are BM25 over the weight of all words of the
query; beside vectors times the square of the share of it that a document has: so a document that has most of
what was asked for is found by its words, and one that has a stray word of it is not. Topics are the distance
over its deviation, meaning the cosine over the deviation of the distance of vectors. Chosen on judged
collections, titles of papers and half of our questions (docs/encoder.md)."""

QUERIES_AT_ONCE = 64
"""Texts that are sent to a worker, or to shards, together."""

READ_AT_ONCE = 1_000  # documents whose texts are searched for a phrase together

NONE_LEFT = "No document that the filter leaves has a known word, or a distance."


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Documents in the order of their score, as positions, with the parts of it."""

    positions: NDArray[np.intp]
    distances: NDArray[np.float64]  # NaN for documents without a known word
    words: NDArray[np.float64]
    topics: NDArray[np.float64]
    meaning: NDArray[np.float64]
    computed: int
    pruned: int

    @classmethod
    def merge(
        cls,
        parts: "Sequence[Ranking]",
        starts: NDArray[np.intp],
        k: int,
        by: Literal["score", "distance"] = "score",
    ) -> "Ranking":
        """Keep the ``k`` best of the rankings of snapshots, which begin at ``starts``."""
        if len(parts) == 1:
            return parts[0]
        names = ("distances", "words", "topics", "meaning")
        columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        where = np.concatenate([part.positions + start for part, start in zip(parts, starts)])
        first = columns["distances"]
        if by == "score":
            first = -(columns["words"] + columns["topics"] + columns["meaning"])
        order = np.lexsort((where, first))[:k]
        computed, pruned = sum(part.computed for part in parts), sum(part.pruned for part in parts)
        best = {name: values[order] for name, values in columns.items()}
        return cls(where[order], **best, computed=computed, pruned=pruned)

    def begin_with(self, position: int) -> "Ranking":
        """Put a document before those nearest to it: others may be at distance 0 as well."""
        others = self.positions != position
        where = np.concatenate([[position], self.positions[others]])[: len(others)]
        distances = np.concatenate([[0.0], self.distances[others]])[: len(others)]
        return replace(self, positions=where, distances=distances)


# -- searches of all snapshots ---------------------------------------------------------------------------


def rank_queries(searcher: Searcher, queries: list[Query], k: int, where: Filter, run: Run) -> list[Ranking]:
    """Rank all documents for each query."""
    request = queries, k, where, searcher.schema
    ranked = searcher.map_all(rank_texts, run, *request)
    found = [Ranking.merge(each, searcher.starts, k) for each in zip(*ranked)]
    if not any(len(one.positions) for one in found):
        refuse_filter(searcher, where, run)
    return found


def search_like(searcher: Searcher, position: int, k: int, where: Filter, run: Run) -> Hits:
    """Find the ``k`` documents nearest to one of them, itself first."""
    number, row = searcher.place(position)
    [(id, topics, seen)] = searcher.map(select_document, {number: (row,)}, run).values()
    parts = searcher.map_all(rank_like, run, seen, k, where, searcher.schema)
    best = Ranking.merge([ranking for ranking, _ in parts], searcher.starts, k, by="distance")
    if not len(best.positions):
        refuse_filter(searcher, where, run)
        raise ValueError(NONE_LEFT)
    mask = parts[number][1]
    if mask is None or mask[row]:
        best = best.begin_with(position)
    return fetch_hits(searcher, [Query(topics, id=id)], [best], run)[0]


def search_many(searcher: Searcher, texts: list[str], k: int, by: By, where: Filter, run: Run) -> list[Hits]:
    """Search one snapshot for as many texts as there are threads, or many snapshots for a batch of texts."""
    if searcher.local is not None and where is not None:
        where = check_filter(searcher.local.documents, where)
    is_threaded = searcher.local is not None and run.client is None
    spans = spans_of(len(texts), 1 if is_threaded else QUERIES_AT_ONCE)
    batches = [_Batch(span.start, texts[span], k, by, where) for span in spans]
    ranked: Iterator[tuple[_Batch, tuple[list[Query], list[Ranking]]]]
    if searcher.local is None:
        ranked = ((batch, _rank_batch(searcher, batch, run)) for batch in batches)
    elif is_threaded:
        ranked = run.quiet().map_threads(partial(_rank_batch, searcher), batches)
    else:
        ranked = run_blocks(_rank_batch, searcher.without_documents(), batches, run)
    found: dict[int, Hits] = {}
    with run.reporting("searches") as report:
        for batch, (queries, rankings) in ranked:
            hits = fetch_hits(searcher, queries, rankings, run)
            found |= dict(enumerate(hits, batch.start))
            if report is not None:
                report(len(found), len(texts))
    return [found[number] for number in range(len(texts))]


class _Batch(NamedTuple):
    start: int
    texts: list[str]
    k: int
    by: By
    where: Filter


def _rank_batch(searcher: Searcher, batch: _Batch, run: Run) -> tuple[list[Query], list[Ranking]]:
    start, texts, k, by, where = batch
    queries = [searcher.parser.parse(text, by, number) for number, text in enumerate(texts, start)]
    return queries, rank_queries(searcher, queries, k, where, run)


_NUMBERS = ("position", "distance", "score", "words", "topics", "meaning")  # of a Hit


def fetch_hits(
    searcher: Searcher, queries: Sequence[Query], rankings: Sequence[Ranking], run: Run
) -> list[Hits]:
    """Read titles and passages of what was found, by the snapshots that hold them."""
    wanted: dict[int, list[tuple[int, int, int, dict[str, Any]]]] = {}
    for query, ranking in enumerate(rankings):
        numbers = np.searchsorted(searcher.starts, ranking.positions, side="right") - 1
        places = ranking.positions - searcher.starts[numbers]
        scores = ranking.words + ranking.topics + ranking.meaning
        parts = scores, ranking.words, ranking.topics, ranking.meaning
        columns = (values.tolist() for values in (ranking.positions, ranking.distances, *parts))
        rows = zip(numbers.tolist(), places.tolist(), *columns)
        for rank, (number, place, *row) in enumerate(rows):
            wanted.setdefault(number, []).append((query, rank, place, dict(zip(_NUMBERS, row))))
    requests = {number: (queries, rows, searcher.schema) for number, rows in wanted.items()}
    hits: list[dict[tuple[bool, int], Hit]] = [{} for _ in queries]  # what was searched for is the first
    for part in searcher.map(make_hits, requests, run).values():
        for number, rank, hit, is_query in part:
            hits[number][not is_query, rank] = hit
    return [
        Hits(tuple(found[place] for place in sorted(found)), ranking.computed, ranking.pruned, query)
        for query, ranking, found in zip(queries, rankings, hits)
    ]


def refuse_filter(searcher: Searcher, where: Filter, run: Run) -> None:
    """Raise ValueError for a filter that leaves no document; of an index it says what the columns hold."""
    if where is None or any(searcher.map_all(leaves_any, run, where, searcher.schema)):
        return
    if searcher.local is not None:
        check_filter(searcher.local.documents, where)
    raise ValueError(f"No document is left by the filter {format_filter(where)}.")


# -- work on one snapshot --------------------------------------------------------------------------------


def leaves_any(model: Model, snapshot: Snapshot, where: Where | Mask, schema: Schema, run: Run) -> bool:
    """Say whether a filter leaves a document."""
    return bool(_mask(snapshot, where, schema).any())


def rank_texts(
    model: Model,
    snapshot: Snapshot,
    queries: Sequence[Query],
    k: int,
    where: Filter,
    schema: Schema,
    run: Run,
) -> list[Ranking]:
    """Find the ``k`` best documents for each query. Their scores are the same with a filter or without."""
    filtered = None if where is None else _mask(snapshot, where, schema)
    rankings = []
    for query in queries:
        mask = _require_phrases(model, snapshot, query, filtered) if query.phrases else filtered
        scores = snapshot.postings.bm25(query.words)
        meaning, total = None, query.words.total
        if query.vector is not None and (distance := model.searched_vectors) is not None:
            vectors = snapshot.parts[model.distance_names[model.distances.index(distance)]]
            deviation = snapshot.vector_deviation(model) if distance is model.vectors else model.own_deviation
            meaning = distance.cosines(query.vector, vectors) / deviation
        if total:
            coverage = 1.0 if meaning is None else snapshot.postings.compute_coverage(query.words)
            scores *= (WORDS if meaning is None else WORDS_BESIDE_MEANING) / total * coverage**2
        if mask is not None:
            scores[~mask] = 0
        rankings.append(_rank(model, snapshot, query, scores, meaning, mask, k, run))
    return rankings


def _rank(
    model: Model,
    snapshot: Snapshot,
    query: Query,
    lexical: NDArray[np.float64],
    meaning: NDArray[np.float64] | None,
    mask: Mask | None,
    k: int,
    run: Run,
) -> Ranking:
    """Rank by words and meaning, and by topics where they count; their distances are told in any case."""
    document, documents, positions = query.document, snapshot.topics, snapshot.topics.positions
    total = lexical.copy() if meaning is None else lexical + meaning
    if mask is not None:
        total[~mask] = -np.inf
    weight = 0.0
    if document is not None and query.by in ("both", "topics"):
        weight = TOPICS / model.topic_deviation
        is_complete = len(positions) == len(lexical)
        n_left = len(documents) if mask is None else int(mask[positions].sum())
        offset = Offset(weight, -total if is_complete else -total[positions])
        found = _NONE
        if n_left:
            found = search(model.hott, document, documents, min(k, n_left), run, offset=offset)
        where, computed = positions[found.indices[0]], found.computed
        if not is_complete:  # documents without topics can be found by their words and meaning
            without = (total != 0) & (total > -np.inf)
            without[positions] = False
            where = np.concatenate([where, np.flatnonzero(without)])
    else:
        n_left = len(lexical) if mask is None else int(mask.sum())
        is_ranked = meaning is not None or (query.phrases and not query.words.words)  # or a phrase alone
        n_found = n_left if is_ranked else int((lexical > 0).sum())
        where = _largest(total, min(k, n_found), run)
    # Computed again: what is left of a score without its other parts depends on them in its last bits.
    rows = np.searchsorted(positions, where)
    known = rows < len(positions)
    known[known] = positions[rows[known]] == where[known]
    distances, topics = np.full(len(where), np.nan), np.zeros(len(where))
    if document is not None and known.any():
        first = np.zeros(int(known.sum()), np.intp)
        distances[known] = model.hott.pairs(document, documents, first, rows[known], run)
    if weight:  # documents without topics are as far as can be
        farthest = max((float(ground.distances.max()) for ground in model.hott.grounds), default=0.0)
        topics = -weight * np.where(known, distances, farthest)
    else:
        computed = int(known.sum())
    by_meaning = np.zeros(len(where)) if meaning is None else meaning[where]
    order = np.lexsort((where, -(lexical[where] + topics + by_meaning)))[:k]
    parts = lexical[where][order], topics[order], by_meaning[order]
    return Ranking(where[order], distances[order], *parts, computed, n_left - computed)


def select_document(
    model: Model, snapshot: Snapshot, row: int, run: Run
) -> tuple[str, Representation, Representation]:
    """Return one document: its id, by its topics, and as the distance sees it."""
    id, everyone = snapshot.documents.ids[row], snapshot.combine(model)
    place = int(np.searchsorted(everyone.positions, row))
    if place == len(everyone) or everyone.positions[place] != row:
        raise ValueError(
            f"The document {id!r} has no word that the index knows, so it cannot be compared with others."
        )
    return id, snapshot.topics.select(np.array([row])).take(slice(None)), everyone.take([place])


def rank_like(
    model: Model,
    snapshot: Snapshot,
    document: Representation,
    k: int,
    where: Filter,
    schema: Schema,
    run: Run,
) -> tuple[Ranking, Mask | None]:
    """Find the ``k`` documents most like one, nearest first, and those that the filter leaves."""
    mask = None if where is None else _mask(snapshot, where, schema)
    everyone = documents = snapshot.combine(model)
    among = np.arange(len(everyone))
    if mask is not None:
        among = np.flatnonzero(mask[everyone.positions])
        documents = everyone.take(among)
    k, found = min(k, len(among)), _NONE
    if k:
        found = search(model.distance, document, documents, k, run)
    where_found = everyone.positions[among[found.indices[0]]]
    zeros = np.zeros(k)
    ranking = Ranking(where_found, found.distances[0], zeros, zeros, zeros, found.computed, found.pruned)
    return ranking, mask


def make_hits(
    model: Model,
    snapshot: Snapshot,
    queries: Sequence[Query],
    wanted: Sequence[tuple[int, int, int, dict[str, Any]]],
    schema: Schema,
    run: Run,
) -> list[tuple[int, int, Hit, bool]]:
    """Make hits of documents: each with its query and rank, and whether it is what was searched for."""
    documents = (
        snapshot.documents if snapshot.documents.schema == schema else snapshot.documents.with_schema(schema)
    )
    read = documents.read([place for _, _, place, _ in wanted])
    numbers = {number for number, *_ in wanted}
    weigh = {number: _make_weigher(model.analyzer, queries[number].weights) for number in numbers}
    hits = []
    for (number, rank, _, told), document in zip(wanted, read):
        query, passage = queries[number], snippet(document.text, weigh[number])
        is_query = query.id == document.id or query.text == document.text
        title = document.title.strip()
        hit = Hit(
            document.id,
            document.title,
            document.label,
            **told,
            snippet=passage,
            columns=document.columns,
            first_line="" if title and title.isprintable() else first_sentence(document.text),
        )
        hits.append((number, rank, hit, is_query))
    return hits


def _make_weigher(forms: WordForms, weights: Mapping[str, float]) -> Callable[[str], float]:
    """Make the function that says how much a word of a document counts for a query."""
    if forms.others:
        return cache(lambda word: max(weights.get(form, 0.0) for form in forms.all_forms(word)))
    return cache(lambda word: weights.get(forms.form(word), 0.0))


_NONE = NeighborResult(np.empty((1, 0), np.intp), np.empty((1, 0)), 0, 0)


def _mask(snapshot: Snapshot, where: Where | Mask, schema: Schema) -> Mask:
    return filter_mask(snapshot.documents.with_schema(schema), where)


def _require_phrases(model: Model, snapshot: Snapshot, query: Query, mask: Mask | None) -> Mask | None:
    """Leave the documents that have the phrases of a query; the texts of those with their words are read."""
    left = np.ones(len(snapshot), bool) if mask is None else mask.copy()
    forms, having = model.analyzer, snapshot.postings.having
    for word in {word for phrase in query.phrases for word in forms.tokens(phrase)}:
        if not any(word in other.stop_words for other in forms.others):
            left &= np.any([having(form) for form in forms.all_forms(word)], axis=0)
    patterns = [match_phrase(phrase) for phrase in query.phrases]
    places = np.flatnonzero(left)
    for span in spans_of(len(places), READ_AT_ONCE):
        rows = snapshot.documents.rows(places[span].tolist()).records()
        for place, row in zip(places[span], rows):
            text = f"{row['title']}\n{row['text']}"
            left[place] = all(pattern.search(text) for pattern in patterns)
    return left


def _largest(values: NDArray[np.float64], count: int, run: Run) -> NDArray[np.int64]:
    """Return the places of the largest values, these first; of equals the first."""
    found = np.empty((1, min(count, len(values))), np.int64)
    _core.smallest(-values[None, :], run.n_threads, found)
    return found[0]
