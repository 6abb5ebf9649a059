"""Comparing documents of an index, texts from outside, groups and labels; and why a hit was found."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott import explain
from hott.corpus import Corpus, Document
from hott.distances.blend import Blend
from hott.distances.representation import Representation
from hott.distances.topic import HOTT
from hott.distances.vector import L1, DocumentVectors, MeaningVectors
from hott.embeddings.encoder import Encoder
from hott.explain import Background, Reason, Side, SoughtText, far_apart, standing_for
from hott.index.hits import Hits, Query
from hott.index.meaning import Meeting, find_meetings
from hott.index.model import Model, represent_one, represent_words
from hott.index.search import select_document
from hott.index.searcher import Searcher, position_of
from hott.index.snapshot import Snapshot
from hott.lexical import words_in
from hott.terms import (
    DocumentSet,
    DocumentTerms,
    SentenceSpace,
    SentenceVectors,
    TermStatistics,
    compare_terms,
    describe_set,
    find_terms,
    sum_word_vectors,
)
from hott.utils.run import Run

MAX_TITLE = 60
MAX_READ = 300  # documents whose sentences say how alike sentences are by chance
MAX_SAMPLED = 72  # documents of which all pairs are measured, some 2,500
MAX_NAMED = 5  # words of a text that a reason names: the rarest
_NEAR = "near in meaning"


@dataclass(frozen=True, slots=True)
class Text:
    """A text that is not in the index, to be compared. A plain string without a space would be an id.

    Examples
    --------
    >>> Text("Planets orbit stars.").document("A")
    Document(id='A', title='Planets orbit stars.', text='Planets orbit stars.', label=None)
    """

    text: str

    def document(self, id: str) -> Document:
        """Make a document of the text, called by its first words."""
        first = " ".join(self.text.split())
        title = first if len(first) <= MAX_TITLE else first[: MAX_TITLE - 1].rstrip() + "…"
        return Document(id, title, self.text)


@dataclass(frozen=True, slots=True)
class Label:
    """All documents of an index that have this label, to be compared as a group.

    Examples
    --------
    ``index.compare(Label("tennis"), Label("football"))`` says what tells them apart.

    >>> Label("tennis").label
    'tennis'
    """

    label: str


One: TypeAlias = str | Document | Text
Comparable: TypeAlias = One | Label | Sequence[One]
"""An id, a document or text from outside, a label, or a group: a list of any of the first three."""


@dataclass(frozen=True, slots=True, eq=False)
class ComparisonSide:
    """One side of a comparison: its documents, as people and as the distance over topics see them."""

    side: Side
    documents: Sequence[Document]
    topics: Representation

    @classmethod
    def of(cls, found: Sequence[tuple[Document, Representation]], id: str = "") -> "ComparisonSide":
        """Make a side of one document, or of a group of several."""
        documents = [document for document, _ in found]
        if len(found) == 1 and not id:
            [(document, topics)] = found
            return cls(Side(document.id, document.title or ""), documents, topics)
        ids = ", ".join(document.id for document in documents[:3]) + (", …" if len(documents) > 3 else "")
        n = len(documents)
        title = f"{id or ids} ({n:,} document{'s' * (n != 1)})"
        return cls(Side(id or ids, title, n), documents, Representation.concat([one for _, one in found]))


def compare(searcher: Searcher, a: Comparable, b: Comparable, run: Run) -> explain.Comparison:
    """Explain the distance of two sides in their own words."""
    model, snapshot = searcher.model, searcher.gather(*_named_by(a, b), run)
    sides = [_make_side(model, snapshot, side, letter) for side, letter in ((a, "A"), (b, "B"))]
    counts = [model.vocabulary.transform([document.text for document in side.documents]) for side in sides]
    distance, (left, right) = explained_distance(model, [side.topics for side in sides], counts)
    statistics = searcher.terms
    a_terms, b_terms = (find_side_terms(side.documents, statistics) for side in sides)
    told = compare_terms(a_terms, b_terms, statistics, model.term_vectors, sentence_space(searcher, run))
    return explain.compare(
        distance,
        left,
        right,
        (counts[0], counts[1]),
        words=model.vocabulary.words_,
        sides=(sides[0].side, sides[1].side),
        terms=(told, statistics.key),
        sample=sample_distances(searcher, run),
        meaning=_measure_meaning(model, snapshot, sides),
    )


def _measure_meaning(model: Model, snapshot: Snapshot, sides: Sequence[ComparisonSide]) -> float:
    """Compute what vectors add to the distance of two documents, or of the means of two groups."""
    if not model.has_vectors or not model.factors[-1]:
        return 0.0
    everyone: Representation = snapshot.part(model.distance_names[-1])
    places = [[snapshot.documents.find(one.id) for one in side.documents] for side in sides]
    # A text from outside that is the same as a document compared with it is that document, by any title.
    same = {snapshot.documents[place].text: place for side in places for place in side if place is not None}
    vectors = []
    for side in sides:
        found = []
        for document in side.documents:
            place = same.get(document.text)
            # A text has no title of its own: it is called by its beginning.
            is_text = document.title == Text(document.text).document(document.id).title
            title = "" if is_text else document.title
            found.append(
                model.encode(Corpus([document.text], titles=[title]), Run(threads=1))
                if place is None
                else everyone.select(np.array([place]))
            )
        vectors.append(Representation.concat(found))
    left, right = vectors
    if len(left) == len(right) == 1:
        return model.factors[-1] * float(model.vectors.between(left, right)[0, 0])
    return model.factors[-1] * float(np.linalg.norm(left.matrix().mean(axis=0) - right.matrix().mean(axis=0)))


def find_side_terms(documents: Sequence[Document], statistics: TermStatistics) -> DocumentTerms:
    """Find the terms of a document, or what is special to a group of several."""
    if len(documents) == 1:
        return find_terms(documents[0].text, statistics, documents[0].title)
    return describe_set(DocumentSet.of([one.text for one in documents], statistics), statistics)


def sentence_space(searcher: Searcher, run: Run) -> SentenceSpace | None:
    """Return where sentences are: by the encoder of the library, or else by sums of word vectors.

    None where there are neither.
    """

    def fit() -> SentenceSpace | None:
        vectors, statistics = searcher.model.term_vectors, searcher.terms
        if statistics.language == "english" and searcher.model.reads_unseen:
            encode: SentenceVectors = Encoder.load().encode
        elif vectors is not None:
            encode = sum_word_vectors(statistics, vectors)
        else:
            return None
        return SentenceSpace.fit(searcher.sample(MAX_READ, run)[0], encode, statistics)

    return searcher.remember("sentence space", fit)


def sample_distances(searcher: Searcher, run: Run) -> NDArray[np.float64] | None:
    """Return the distances of all pairs of some documents, evenly chosen, ascending.

    None where comparisons explain another distance than the index has.
    """
    model = searcher.model
    used = [distance for distance, factor in zip(model.distances, model.factors) if factor]
    if used[0] is not model.hott or not all(isinstance(one, L1 | DocumentVectors) for one in used[1:]):
        return None

    def measure() -> NDArray[np.float64]:
        some = searcher.sample(MAX_SAMPLED, run)[1]
        found = model.distance.between(some, some, replace(run.quiet(), client=None))
        return np.sort(found[np.triu_indices(len(found), 1)])

    return searcher.remember("distances", measure)


def _named_by(*sides: Comparable) -> tuple[set[str], set[str]]:
    """Return ids and labels that a comparison may want. A string may also be a text from outside."""
    ids: set[str] = set()
    labels: set[str] = set()
    for side in sides:
        if isinstance(side, Label):
            labels.add(side.label)
        elif isinstance(side, Sequence):
            ids |= {side} if isinstance(side, str) else {one for one in side if isinstance(one, str)}
    return ids, labels


def _make_side(model: Model, snapshot: Snapshot, which: Comparable, letter: str) -> ComparisonSide:
    """Make one side of a comparison of what was asked for."""
    if isinstance(which, Label):
        labels, topics = snapshot.documents.labels, snapshot.topics
        rows = [row for row, place in enumerate(topics.positions.tolist()) if labels[place] == which.label]
        if not rows:
            raise ValueError(f"No document with a known word has the label {which.label!r}.")
        documents = list(snapshot.documents[topics.positions[rows]])
        return ComparisonSide.of(
            [(one, topics.take([row])) for one, row in zip(documents, rows)], which.label
        )
    if isinstance(which, str | Document | Text):
        return ComparisonSide.of([_find_document(model, snapshot, which, letter)])
    if not isinstance(which, Sequence) or not which:
        raise ValueError(
            "compare wants ids, Documents, Texts, Labels or lists of them, "
            f"got {which!r:.60} ({type(which).__name__})."
        )
    found = [_find_document(model, snapshot, one, f"{letter}{n}") for n, one in enumerate(which, 1)]
    return ComparisonSide.of(found)


def _find_document(
    model: Model, snapshot: Snapshot, which: One, name: str
) -> tuple[Document, Representation]:
    """Return a document of the index by its id, or one from outside, with its topics."""
    position = None
    if isinstance(which, str):
        position = snapshot.documents.find(which)
        if position is None and " " in which.strip():
            which = Text(which)
    if isinstance(which, Text):
        which = which.document(name)
    if isinstance(which, Document):
        return which, represent_one(model, which.text, f"The document {which.id!r}")
    if not isinstance(which, str):
        raise ValueError(
            f"compare wants ids, Documents or Texts, got {which!r:.60} ({type(which).__name__})."
        )
    if position is None:
        position = snapshot.documents.position(which)  # which names ids like it
    return snapshot.documents[position], select_document(model, snapshot, position, Run())[1]


def explained_distance(
    model: Model, topics: Sequence[Representation], counts: Sequence[sparse.csr_array]
) -> tuple[HOTT | Blend, Sequence[Representation]]:
    """Return what explanations explain, and two sides as it sees them, given by their topics and counts.

    That is topics and shares of words, where both are parts of the distance; topics alone otherwise.
    """
    for words, factor in zip(model.distances[1:], model.factors[1:]):
        if isinstance(words, L1) and factor and model.factors[0]:
            blend = Blend.from_fitted([model.hott, words], [model.factors[0], factor])
            sides = [
                Representation.of(own, represent_words(words, rows[own.positions], Run()))
                for own, rows in zip(topics, counts)
            ]
            return blend, sides
    return model.hott, topics


# -- reasons ---------------------------------------------------------------------------------------------


def find_reasons(searcher: Searcher, hits: Hits, run: Run) -> list[str]:
    """Say why each hit was found: words that it has of a text, and related ones; or what documents share."""
    query = hits.query
    if query is None:
        raise ValueError("These hits do not know what was searched for: take those of index.search.")
    ids = {hit.id for hit in hits} | ({query.id} if query.id is not None else set())
    snapshot = searcher.gather(ids, (), run)
    positions = [position_of(snapshot, hit) for hit in hits]
    documents = [*map(Document.of, snapshot.documents.rows(positions).records())]
    counts = sparse.csr_array(searcher.model.vocabulary.transform([one.text for one in documents]))
    found = _Found(searcher, snapshot, hits, positions, documents, counts, searcher.background(run))
    return [*(found.for_text(query) if query.id is None else found.for_document(query))]


def find_meetings_of(searcher: Searcher, hits: Hits, run: Run) -> list[tuple[Meeting, ...]]:
    """Find by which words of each hit the words of the query were met in meaning."""
    if hits.query is None:
        raise ValueError("These hits do not know what was searched for: take those of index.search.")
    snapshot = searcher.gather({hit.id for hit in hits}, (), run)
    rows = snapshot.documents.rows([position_of(snapshot, hit) for hit in hits])
    return find_all_meetings(searcher, hits.query, [*map(Document.of, rows.records())])


def find_all_meetings(
    searcher: Searcher, query: Query, documents: Sequence[Document]
) -> list[tuple[Meeting, ...]]:
    """Find what each document meets of a query; nothing where the bundled encoder does not read it.

    Words that say little, here or in the language at large, are not told: every document meets them.
    """
    model, parser = searcher.model, searcher.parser
    if query.vector is None or query.text is None or not isinstance(model.vectors, MeaningVectors):
        return [()] * len(documents)
    form = model.analyzer.form
    rarity = {
        match.word: parser.frequencies.idf(form(match.word), parser.language) for match in query.matches
    }
    common = {word for word, idf in rarity.items() if idf < max(rarity.values()) / 2}
    untold = common | model.analyzer.stop_words
    texts = [f"{document.title}\n{document.text}" for document in documents]
    return [find_meetings(query.read, text, model.vectors.centre_, untold, form) for text in texts]


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """Hits with their documents."""

    searcher: Searcher
    snapshot: Snapshot
    hits: Hits
    positions: Sequence[int]
    documents: Sequence[Document]
    counts: sparse.csr_array
    background: Background

    def for_text(self, query: Query) -> Iterator[str]:
        sought = None if query.document is None else self._sought(query.document, self._columns(query))
        meetings = find_all_meetings(self.searcher, query, self.documents)
        for row, (hit, document) in enumerate(zip(self.hits, self.documents)):
            told, said = self._named(query, f"{document.title}\n{document.text}")
            related: tuple[tuple[str, ...], float] = ((), 0.0)
            if sought is not None and not np.isnan(hit.distance):
                related = sought.related(self._topics(row), self.counts[[row]], told)
            reason = Reason(said, *related)
            told_by = [str(reason)] if reason.words or reason.related else []
            if meetings[row]:
                told_by.append(f"by meaning: {'; '.join(map(str, meetings[row]))}")
            elif not told_by and hit.meaning > 0:
                told_by.append(_NEAR)
            yield "; ".join(told_by) or str(reason)

    def for_document(self, query: Query) -> Iterator[str]:
        model, id, topics = self.searcher.model, cast(str, query.id), cast(Representation, query.document)
        text = self.snapshot.documents[self.snapshot.documents.position(id)].text
        own = sparse.csr_array(model.vocabulary.transform([text]))
        sought = self._sought(topics, standing_for(model.hott, topics, own, self.background))
        form, names = model.analyzer.form, model.vocabulary.words_
        forms = {form(str(names[word])) for word in own.indices}
        for row, hit in enumerate(self.hits):
            if hit.id == id:
                yield "the document itself"
            elif np.isnan(hit.distance):
                yield str(Reason())
            else:
                yield str(
                    sought.shared(self._topics(row), self.counts[[row]], lambda word: form(word) in forms)
                )

    def _sought(self, topics: Representation, words: NDArray[np.intp]) -> SoughtText:
        hott, names = self.searcher.model.hott, self.searcher.model.vocabulary.words_
        return SoughtText(hott, topics, words, names, self.background, far_apart(hott))

    def _topics(self, row: int) -> Representation:
        return self.snapshot.topics.select(np.array([self.positions[row]])).take(slice(None))

    def _named(self, query: Query, text: str) -> tuple[list[str], tuple[str, ...]]:
        """Find words of a query that a text has: all forms of them, and what is said. The rarest, if many."""
        found = [*words_in(text, query.matches, self.searcher.model.analyzer)]
        if len(found) > MAX_NAMED:
            frequency = self.searcher.frequencies.document_frequency
            rarity = sorted(frequency(form) for form, *_ in found)[MAX_NAMED - 1]
            found = [one for one in found if frequency(one[0]) <= rarity][:MAX_NAMED]
        told = [word for _, words, _ in found for word in words]
        return told, tuple(dict.fromkeys(match.said(words[0]) for _, words, match in found))

    def _columns(self, query: Query) -> NDArray[np.intp]:
        """Return the words of a text that topics know, or those of the corpus that stand for them."""
        known, written = self.searcher.model.vocabulary.vocabulary_, self.searcher.parser.matcher.written
        words = [
            word
            for match in query.matches
            for word in (
                [match.word] if match.word in known else match.words or written(form for form, _ in match.by)
            )
        ]
        return np.unique(np.array([known[word] for word in words if word in known], np.intp))
