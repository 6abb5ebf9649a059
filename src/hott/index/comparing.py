"""Comparing documents of an index, texts from outside, groups and labels; and why a hit was found."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import islice
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott import explain
from hott.corpus import Corpus, Document
from hott.distances.blend import Blend
from hott.distances.representation import Representation
from hott.distances.topic import HOTT
from hott.distances.vector import L1, MeaningVectors
from hott.embeddings.encoder import Encoder
from hott.explain import Side
from hott.explain.flow import Carriers
from hott.index.hits import Hits, Query
from hott.index.meaning import Meeting, MeetingFinder, name_words
from hott.index.model import Model, represent_one, represent_words
from hott.index.search import select_document
from hott.index.searcher import Searcher, position_of
from hott.index.snapshot import MAX_SAMPLED, Snapshot, measure_pairs
from hott.lexical import words_in
from hott.terms import DocumentSet, DocumentTerms, SentenceSpace, TermStatistics, compare_terms, find_terms
from hott.terms.alignment import SentenceVectors, sum_word_vectors
from hott.terms.sets import describe_set
from hott.utils.blas import one_blas_thread
from hott.utils.run import Run

MAX_TITLE = 60
MAX_READ = 120  # documents whose sentences say how alike sentences are by chance
MAX_RECENT = 64  # documents compared last, of which everything is kept that is found for one of them alone
MAX_NAMED = 5  # words of a text that a reason names: the rarest
MAX_ABOUT = 3  # terms that say what a hit is about
MAX_EXPLAINED = 50_000  # characters of a document in which a reason is looked for: a few dozen pages
MAX_COMPARED = 1_000_000  # characters in which terms and sentences are looked for: a long book
Answer = TypeVar("Answer")


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
Found: TypeAlias = tuple[Document, int | None, Representation]
"""A document, its position if it is in the index, and its topics."""


@dataclass(frozen=True, eq=False)
class ComparisonSide:
    """One side of a comparison: its documents, as people and as distances see them."""

    model: Model
    statistics: TermStatistics
    side: Side
    documents: Sequence[Document]
    places: Sequence[int | None]  # of the documents in the snapshot; None for those from outside
    topics: Representation

    @classmethod
    def of(cls, searcher: Searcher, found: "Sequence[Found]", id: str = "") -> "ComparisonSide":
        """Make a side of one document, or of a group of several."""
        documents, places, topics = zip(*found)
        if len(found) == 1 and not id:
            [document] = documents
            return cls(
                searcher.model,
                searcher.terms,
                Side(document.id, document.title or ""),
                documents,
                places,
                topics[0],
            )
        ids = ", ".join(document.id for document in documents[:3]) + (", …" if len(documents) > 3 else "")
        n = len(documents)
        side = Side(id or ids, f"{id or ids} ({n:,} document{'s' * (n != 1)})", n)
        return cls(searcher.model, searcher.terms, side, documents, places, Representation.concat(topics))

    @cached_property
    def counts(self) -> sparse.csr_array:
        """How often the documents have each word of the vocabulary."""
        texts = [document.text for document in self.documents]
        return sparse.csr_array(self.model.vocabulary.transform(texts))

    @cached_property
    def shares(self) -> Representation | None:
        """The topics and the shares of words, where both are parts of the distance."""
        words = find_words(self.model)
        if words is None:
            return None
        shares = represent_words(words, self.counts[self.topics.positions], Run())
        return Representation.of(self.topics, shares)

    @cached_property
    def carriers(self) -> Carriers:
        """How the words of the documents carry their topics."""
        rows = sparse.csr_array(self.counts[self.topics.positions].astype(np.float64))
        if not rows.nnz:
            raise ValueError(
                f"{self.side.name!r:.60} has no word of the documents, so there is no flow to tell."
            )
        return Carriers.of(self.model.hott, self.topics, rows)

    @cached_property
    def terms(self) -> DocumentTerms:
        """The terms of a document, or what is special to a group of several."""
        statistics = self.statistics
        if len(self.documents) == 1:
            return find_terms(self.documents[0].text[:MAX_COMPARED], statistics, self.documents[0].title)
        return describe_set(DocumentSet.of([one.text for one in self.documents], statistics))

    def take_out(self, searcher: Searcher, words: Collection[int]) -> "ComparisonSide":
        """Make the same side of texts without some words, given by their keys."""

        def clear(text: str) -> str:
            key = self.statistics.key
            return re.sub(r"\w+", lambda word: "" if key(word.group()) in words else word.group(), text)

        found: list[Found] = []
        for one in self.documents:
            left = replace(one, title=clear(one.title), text=clear(one.text))
            found.append((left, None, represent_one(self.model, left.text, f"Without them, {one.id!r}")))
        return ComparisonSide.of(searcher, found, self.side.id if len(found) > 1 else "")


@one_blas_thread()
def compare(searcher: Searcher, a: Comparable, b: Comparable, run: Run) -> explain.Comparison:
    """Explain the distance of two sides in their own words."""
    snapshot = searcher.local
    if snapshot is None:
        ids: set[str] = set()  # a string may also be a text from outside
        labels: set[str] = set()
        for side in (a, b):
            if isinstance(side, Label):
                labels.add(side.label)
            elif isinstance(side, Sequence):
                ids |= {side} if isinstance(side, str) else {one for one in side if isinstance(one, str)}
        snapshot = searcher.gather(ids, labels, run)
    left, right = (_make_side(searcher, snapshot, side, letter) for side, letter in ((a, "A"), (b, "B")))
    return _compare_sides(searcher, snapshot, left, right, run)


def _compare_sides(
    searcher: Searcher, snapshot: Snapshot, a: ComparisonSide, b: ComparisonSide, run: Run
) -> explain.Comparison:
    model, statistics = searcher.model, searcher.terms
    told = compare_terms(a.terms, b.terms, statistics, model.term_vectors, sentence_space(searcher, run))
    return explain.compare(
        searcher.remember("explained distance", lambda: explained_distance(model)),
        a.shares or a.topics,
        b.shares or b.topics,
        (a.carriers, b.carriers),
        words=model.vocabulary.words_,
        sides=(a.side, b.side),
        terms=(told, statistics.key),
        sample=sample_distances(searcher, run),
        meaning=_measure_meaning(model, snapshot, a, b),
        topics=searcher.topics,
        without=partial(_measure_without, searcher, snapshot, (a, b), run),
    )


def _measure_without(
    searcher: Searcher,
    snapshot: Snapshot,
    sides: tuple[ComparisonSide, ComparisonSide],
    run: Run,
    words: Collection[int],
) -> float:
    a, b = (side.take_out(searcher, words) for side in sides)
    return _compare_sides(searcher, snapshot, a, b, run).distance


def find_words(model: Model) -> L1 | None:
    """Return the distance over words that explanations explain beside topics; None where there is none."""
    for words, factor in zip(model.distances[1:], model.factors[1:]):
        if isinstance(words, L1) and factor and model.factors[0]:
            return words
    return None


def explained_distance(model: Model) -> HOTT | Blend:
    """Return what explanations explain: topics and shares of words, where both are parts of the distance."""
    words = find_words(model)
    if words is None:
        return model.hott
    return Blend.from_fitted(
        [model.hott, words], [model.factors[0], model.factors[model.distances.index(words)]]
    )


def _measure_meaning(model: Model, snapshot: Snapshot, a: ComparisonSide, b: ComparisonSide) -> float:
    """Compute what vectors add to the distance of two documents, or of the means of two groups."""
    if not model.has_vectors or not model.factors[-1]:
        return 0.0
    everyone: Representation = snapshot.parts[model.distance_names[-1]]
    if len(a.places) == len(b.places) == 1 and a.places[0] is not None and b.places[0] is not None:
        row, col = np.searchsorted(everyone.positions, [a.places[0], b.places[0]])[:, None]
        return model.factors[-1] * float(model.vectors.pairs(everyone, everyone, row, col)[0])
    sides = [(one.documents, one.places) for one in (a, b)]
    # A text from outside that is the same as a document compared with it is that document, by any title.
    same = {
        one.text: place
        for documents, places in sides
        for one, place in zip(documents, places)
        if place is not None
    }
    vectors = []
    for documents, _ in sides:
        places = [same.get(document.text, -1) for document in documents]
        if min(places) >= 0:
            vectors.append(everyone.select(np.array(places)))
            continue
        found = []
        for document, place in zip(documents, places):
            # A text has no title of its own: it is called by its beginning.
            is_text = document.title == Text(document.text).document(document.id).title
            corpus = Corpus([document.text], titles=["" if is_text else document.title])
            found.append(
                model.encode(corpus, Run(threads=1)) if place < 0 else everyone.select(np.array([place]))
            )
        vectors.append(Representation.concat(found))
    left, right = vectors
    if len(left) == len(right) == 1:
        return model.factors[-1] * float(model.vectors.between(left, right)[0, 0])
    return model.factors[-1] * float(np.linalg.norm(left.matrix().mean(axis=0) - right.matrix().mean(axis=0)))


def sentence_space(searcher: Searcher, run: Run) -> SentenceSpace | None:
    """Place sentences by the library's encoder, or by sums of word vectors; None without either."""

    def fit() -> SentenceSpace | None:
        vectors, statistics = searcher.model.term_vectors, searcher.terms
        if statistics.language.startswith("english") and searcher.model.reads_unseen:
            encode: SentenceVectors = Encoder.load().encode
        elif vectors is not None:
            encode = sum_word_vectors(statistics, vectors)
        else:
            return None
        return SentenceSpace.fit(searcher.sample(MAX_READ, run)[0], encode, statistics)

    return searcher.remember("sentence space", fit)


def sample_distances(searcher: Searcher, run: Run) -> NDArray[np.float32] | None:
    """Give the distances of all pairs of some documents, the same in one snapshot and in many."""
    model = searcher.model
    if searcher.local is not None:
        return searcher.local.distances(model)
    return searcher.remember("distances", lambda: measure_pairs(model, searcher.sample(MAX_SAMPLED, run)[1]))


def _make_side(searcher: Searcher, snapshot: Snapshot, which: Comparable, letter: str) -> ComparisonSide:
    """Make one side of a comparison of what was asked for; documents compared last are still there."""
    if isinstance(which, Label):
        labels, topics = snapshot.documents.labels, snapshot.topics
        rows = [row for row, place in enumerate(topics.positions.tolist()) if labels[place] == which.label]
        if not rows:
            raise ValueError(f"No document with a known word has the label {which.label!r}.")
        places = topics.positions[rows].tolist()
        found = zip(snapshot.documents[places], places, (topics.take([row]) for row in rows))
        return ComparisonSide.of(searcher, [*found], which.label)
    if isinstance(which, str | Document | Text):
        recent: dict[str, ComparisonSide] = searcher.remember("sides", dict)
        if isinstance(which, str) and which in recent:
            return recent[which]
        one = _find_document(searcher.model, snapshot, which, letter)
        side = ComparisonSide.of(searcher, [one])
        if isinstance(which, str) and one[1] is not None and searcher.local is not None:
            if len(recent) >= MAX_RECENT:
                recent.clear()
            recent[which] = side
        return side
    if not isinstance(which, Sequence) or not which:
        raise ValueError(
            "compare wants ids, Documents, Texts, Labels or lists of them, "
            f"got {which!r:.60} ({type(which).__name__})."
        )
    model = searcher.model
    several = [_find_document(model, snapshot, one, f"{letter}{n}") for n, one in enumerate(which, 1)]
    return ComparisonSide.of(searcher, several)


def _find_document(model: Model, snapshot: Snapshot, which: One, name: str) -> "Found":
    """Return a document of the index by its id, or one from outside, with its position and its topics."""
    position = None
    if isinstance(which, str):
        position = snapshot.documents.find(which)
        if position is None and " " in which.strip():
            which = Text(which)
    if isinstance(which, Text):
        which = which.document(name)
    if isinstance(which, Document):
        topics = represent_one(model, which.text, f"The document {which.id!r}")
        return which, snapshot.documents.find(which.id), topics
    if not isinstance(which, str):
        raise ValueError(
            f"compare wants ids, Documents or Texts, got {which!r:.60} ({type(which).__name__})."
        )
    if position is None:
        position = snapshot.documents.position(which)  # which names ids like it
    return snapshot.documents[position], position, select_document(model, snapshot, position, Run())[1]


# -- reasons ---------------------------------------------------------------------------------------------


@one_blas_thread()
def find_reasons(searcher: Searcher, hits: Hits, run: Run) -> list[str]:
    """Say why each hit was found: what it has of a text, as it writes it, or what two documents share."""
    query, documents = _gather_documents(searcher, hits, run)
    if query.id is None:
        return _collect(_explain_text(searcher, query, documents), hits, run)
    own = searcher.gather({query.id}, (), run).documents
    return _collect(_explain_likeness(searcher, own[own.position(query.id)], documents), hits, run)


def find_meetings_of(searcher: Searcher, hits: Hits, run: Run) -> list[tuple[Meeting, ...]]:
    """Find by which words of each hit the words of the query were met in meaning."""
    query, documents = _gather_documents(searcher, hits, run)
    return _collect(find_all_meetings(searcher, query, documents), hits, run)


def _gather_documents(searcher: Searcher, hits: Hits, run: Run) -> tuple[Query, list[Document]]:
    """Bring together what was searched for and the documents that were found."""
    if hits.query is None:
        raise ValueError("These hits do not know what was searched for: take those of index.search.")
    snapshot = searcher.gather({hit.id for hit in hits}, (), run)
    return hits.query, snapshot.documents.read([position_of(snapshot, hit) for hit in hits])


def _collect(answers: Iterator[Answer], hits: Hits, run: Run) -> list[Answer]:
    """Collect an answer for each hit, reporting each, so that whoever waits can stop the work."""
    return list(run.follow("explaining hits", answers, len(hits)))


def find_all_meetings(
    searcher: Searcher, query: Query, documents: Iterable[Document]
) -> Iterator[tuple[Meeting, ...]]:
    """Find what each document meets of a query; nothing where the bundled encoder does not read it.

    Words that say little, here or in the language at large, are not told: every document meets them.
    """
    model, parser = searcher.model, searcher.parser
    vectors = model.searched_vectors
    if query.vector is None or query.text is None or not isinstance(vectors, MeaningVectors):
        yield from (() for _ in documents)
        return
    rarity = {match.word: parser.rarity(match.word) for match in query.matches}
    common = {word for word, idf in rarity.items() if idf < max(rarity.values()) / 2}
    untold = common | model.analyzer.stop_words
    asked, names = parser.read_in_context(query.read), name_words(query.matches)
    finder = MeetingFinder(asked, vectors.centre_, untold, model.analyzer.form, names)
    yield from (finder.find(f"{document.title}\n{document.text[:MAX_EXPLAINED]}") for document in documents)


def _explain_text(searcher: Searcher, query: Query, documents: Sequence[Document]) -> Iterator[str]:
    """Say of each hit which words of a text it has, and by which others it was met, or what it is about."""
    read = {match.word: match.read for match in query.matches}
    for document, meetings in zip(documents, find_all_meetings(searcher, query, documents)):
        text, forms = document.text[:MAX_EXPLAINED], searcher.model.analyzer
        whole = f"{document.title}\n{text}"
        find_own = cache(partial(find_terms, text, searcher.terms, document.title))
        write = partial(_write, text=whole, title=document.title, find_own=find_own)
        found = [*words_in(whole, query.matches, forms)]
        if not found and len(document.text) > len(text):
            found = [*words_in(document.text, query.matches, forms)]
        if len(found) > MAX_NAMED:  # of many, the rarest
            frequency = searcher.frequencies.document_frequency
            rarity = sorted(frequency(form) for form, *_ in found)[MAX_NAMED - 1]
            found = [one for one in found if frequency(one[0]) <= rarity][:MAX_NAMED]
        told = [*dict.fromkeys(match.describe(write(words[0])) for _, words, match in found)]
        told = told or [f"“{phrase}”" for phrase in query.phrases]  # of numbers, or of stop words
        reason = [f"has {', '.join(told)}"] if told else []
        before = {word.casefold() for one in told for word in one.split()}
        had = {match.word for _, _, match in found}
        near = []
        for one in meetings:
            met = []
            for word in one.met if one.word not in had | before else ():
                if before.isdisjoint([word, f"{word}s", word.removesuffix("s")]):  # no "eclipse, eclipses"
                    met.append(write(word))
                    before.add(word)
            near += [f"{read.get(one.word, one.word)} ~ {', '.join(met)}"] if met else []
        if near:
            reason.append(f"near: {'; '.join(near)}")
        else:
            before.update(form for form, *_ in found)  # no "has biographies; about biography"
            others = (term.text for term in find_own().terms if not term.is_minor)
            split = ((text, text.casefold().split()) for text in others)
            new = (text for text, own in split if before.isdisjoint([*own, *map(forms.form, own)]))
            about = [*islice(new, MAX_ABOUT)]
            reason += [f"about {', '.join(about)}"] if about else []
        yield "; ".join(reason) or "nothing in common"


def _explain_likeness(searcher: Searcher, own: Document, documents: Sequence[Document]) -> Iterator[str]:
    """Say of each hit what it has in common with the document that was searched for."""
    statistics, vectors = searcher.terms, searcher.model.term_vectors
    space = sentence_space(searcher, Run())
    sought = find_terms(own.text[:MAX_EXPLAINED], statistics, own.title)
    for one in documents:
        if one.id == own.id:
            yield "the document itself"
        else:
            found = find_terms(one.text[:MAX_EXPLAINED], statistics, one.title)
            yield compare_terms(sought, found, statistics, vectors, space).why


def _write(word: str, text: str, title: str, find_own: Callable[[], DocumentTerms]) -> str:
    """Write a word as a text does inside its sentences, or in its terms or title: "Saturn", not "Rings"."""
    if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text):
        return word
    if inside := re.search(rf"(?<=[\w,;] ){re.escape(word)}(?!\w)", text, re.IGNORECASE):
        return inside.group()
    names = re.findall(r"\w+", " ".join([*(term.text for term in find_own().terms), title]))
    return next((one for one in names if one.lower() == word), word)
