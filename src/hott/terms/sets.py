"""Terms that are special to a set of documents: names of clusters, selections and months, and contrasts."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from hott.terms.document import DocumentTerms, Occurrences, Term, find_terms, write
from hott.terms.lexicon import CHATTER, COMMON, MINOR, join_keys, lexicon_of
from hott.terms.reading import Reading, read
from hott.terms.statistics import TermStatistics

PRIOR = 20.0
"""Documents of the collection and the language that are imagined in each set (Monroe et al., 2008)."""

N_TERMS = 4  # in a name
MAX_OVERLAP = 0.6  # Jaccard of the documents of two terms of a name
_PHRASE = 1.15  # times as special is a phrase
_CANDIDATES = 60
_MIN_DOCUMENTS = 3  # of the set, that have a term
MIN_COVER = 0.25  # of a small set, and
_MIN_COVER_LARGE = 0.05  # of a large one
_MIN_LIFT = 4.0  # times as often as outside is a common word in a set, to say something of its subject
_IN_LANGUAGE = 1e-6  # chance of a phrase in the language at large
MAX_READ = 400  # documents of a set that are read; of more, some are taken evenly


@dataclass(frozen=True, slots=True)
class SpecialTerm:
    """A term that more documents of a set have than of the others.

    Attributes
    ----------
    text : str
        As the documents write it most often.
    z : float
        How sure it is: the log-odds over their standard deviation. Above 2 it is hardly chance.
    inside, outside : int
        Documents that have it, in the set and beyond.
    is_plain : bool
        A common word of the language, a greeting or a word of mail: it says nothing of a subject.

    Examples
    --------
    >>> SpecialTerm("NASA", 14.2, 57, 9).text
    'NASA'
    """

    text: str
    z: float
    inside: int
    outside: int
    is_plain: bool = field(default=False, repr=False)
    words: tuple[int, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class SetName:
    """The name of a set of documents.

    Attributes
    ----------
    terms : tuple of SpecialTerm
        The best first.
    is_chaff : bool
        Whether nearly all are common words, greetings or words of mail, so that the set has no subject.

    Examples
    --------
    >>> str(SetName((SpecialTerm("NASA", 14.2, 57, 9), SpecialTerm("orbit", 9.8, 41, 2))))
    'NASA, orbit'
    """

    terms: tuple[SpecialTerm, ...]
    is_chaff: bool = False

    def __str__(self) -> str:
        return ", ".join(term.text for term in self.terms)


@dataclass(frozen=True, slots=True, eq=False)
class DocumentSet:
    """Documents of a set that were read, and where their terms are.

    Attributes
    ----------
    reading : Reading
    found : Occurrences
    n_documents : int
        Of the set: more than were read, if it is large.

    Examples
    --------
    >>> texts = ["A comet has a tail.", "The comet shines."]
    >>> DocumentSet.of(texts, TermStatistics.of(texts, "english")).n_documents
    2
    """

    reading: Reading
    found: Occurrences
    n_documents: int

    @classmethod
    def of(cls, texts: Sequence[str], statistics: TermStatistics) -> "DocumentSet":
        """Read a set of documents; of a large one, some that are evenly chosen."""
        chosen = [texts[i] for i in np.linspace(0, len(texts) - 1, min(len(texts), MAX_READ)).astype(int)]
        reading = read(chosen, lexicon_of(statistics.language))
        return cls(reading, Occurrences.of(reading, statistics), len(texts))

    def count(self) -> tuple[NDArray[np.uint64], NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """Count documents by term: keys, documents, the first occurrence, and the term of each one."""
        keys, first, place = np.unique(self.found.keys, return_index=True, return_inverse=True)
        documents = self.reading.documents[self.found.first]
        pairs = np.unique(place.astype(np.int64) << 32 | documents)
        return keys, np.bincount(pairs >> 32, minlength=len(keys)), first, place

    @property
    def scale(self) -> float:
        """Documents of the set for each one that was read."""
        return self.n_documents / max(len(self.reading), 1)


def special_terms(
    inside: DocumentSet, statistics: TermStatistics, n: int = N_TERMS
) -> tuple[SpecialTerm, ...]:
    """Find the terms that are special to a set of documents of a collection, the best first.

    By the log-odds of their document frequency inside against outside, with a prior from the collection and
    the language, divided by its standard deviation. A term is skipped that shares a word with a better one,
    or stands in much the same documents.

    Parameters
    ----------
    inside : DocumentSet
    statistics : TermStatistics
        Of the collection, with the documents of the set.
    n : int
        How many terms to give.

    Examples
    --------
    >>> texts = ["A comet has a tail.", "The comet shines.", "Comets are ice."] + ["The court has a net."] * 9
    >>> statistics = TermStatistics.of(texts, "english")
    >>> [term.text for term in special_terms(DocumentSet.of(texts[:3], statistics), statistics)]
    ['comet']
    """
    keys, counts, first, place = inside.count()
    in_set = counts * inside.scale
    lengths = inside.found.lengths[first]
    everywhere = np.where(
        lengths == 1, statistics.words.find(keys)[0], statistics.phrases.find(keys)[0]
    ).astype(float)
    outside = np.maximum(everywhere - in_set, 0.0)
    n_outside = max(statistics.n_documents - inside.n_documents, 0)
    z = _surprise(in_set, inside.n_documents, outside, n_outside, _chances(keys, lengths, statistics))
    z *= np.where(lengths > 1, _PHRASE, 1.0)
    return tuple(_choose(inside, statistics, z, counts, np.rint(in_set), outside, n_outside, first, place, n))


def _chances(
    keys: NDArray[np.uint64], lengths: NDArray[np.intp], statistics: TermStatistics
) -> NDArray[np.float64]:
    """Give the chance of each term in a document of the language at large."""
    phrase = -np.expm1(-statistics.mean_length * _IN_LANGUAGE)
    return np.where(lengths == 1, statistics.expected(keys), phrase)


def _surprise(
    x: NDArray[np.floating],
    n_x: float,
    y: NDArray[np.floating],
    n_y: float,
    language: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Compare document frequencies: log-odds ratios over their standard deviations, with a prior."""
    prior = PRIOR * (x + y + PRIOR * language) / (n_x + n_y + PRIOR)
    odds = np.log((x + prior) / np.maximum(n_x - x + PRIOR - prior, 0.5))
    odds -= np.log((y + prior) / np.maximum(n_y - y + PRIOR - prior, 0.5))
    return odds / np.sqrt(1 / (x + prior + 1e-9) + 1 / (y + prior + 1e-9))


def _choose(
    inside: DocumentSet,
    statistics: TermStatistics,
    z: NDArray[np.float64],
    counts: NDArray[np.intp],
    in_set: NDArray[np.floating],
    outside: NDArray[np.floating],
    n_outside: int,
    first: NDArray[np.intp],
    place: NDArray[np.intp],
    n: int,
) -> Iterator[SpecialTerm]:
    """Take the best terms, without those that say the same again."""
    reading, found = inside.reading, inside.found
    minor = (reading.kinds[found.first[first]] & MINOR) > 0
    least = min(MIN_COVER * len(reading), _MIN_DOCUMENTS + _MIN_COVER_LARGE * len(reading))
    least = min(max(_MIN_DOCUMENTS, least), max(len(reading), 1))
    z = np.where((counts >= least) & ~minor, z, 0.0)
    is_name = statistics.are_names(reading.keys)
    used: set[int] = set()
    taken: list[set[int]] = []
    for term in np.argsort(-z.round(9), kind="stable")[:_CANDIDATES].tolist():
        if z[term] <= 0 or len(taken) == n:
            return
        start, size = int(found.first[first[term]]), int(found.lengths[first[term]])
        words = reading.keys[start : start + size].tolist()
        own = np.flatnonzero(place == term)
        documents = set(reading.documents[found.first[own]].tolist())
        if not used.isdisjoint(words) or any(
            len(documents & other) > MAX_OVERLAP * len(documents | other) for other in taken
        ):
            continue
        used.update(words)
        taken.append(documents)
        kinds = reading.kinds[start : start + size]
        lift = in_set[term] / inside.n_documents * (n_outside / max(outside[term], 0.5))
        common = size == 1 and bool(kinds[0] & COMMON) and lift < _MIN_LIFT and not is_name[start]
        yield SpecialTerm(
            write(reading, found, own, is_name),
            float(z[term]),
            int(in_set[term]),
            round(float(outside[term])),
            common or bool((kinds & CHATTER).all()),
            tuple(words),
        )


def describe_set(
    inside: DocumentSet, statistics: TermStatistics, n: int = 40, sentences: int = 12
) -> DocumentTerms:
    """Make one document of a set, to be compared: its special terms, and typical sentences for its text.

    Parameters
    ----------
    inside : DocumentSet
    statistics : TermStatistics
        Of the collection.
    n, sentences : int
        How many terms and typical sentences to take.

    Examples
    --------
    >>> texts = ["A comet has a tail.", "The comet shines.", "Comets are ice."] + ["The court has a net."] * 9
    >>> statistics = TermStatistics.of(texts, "english")
    >>> described = describe_set(DocumentSet.of(texts[:3], statistics), statistics)
    >>> [term.text for term in described.terms], described.text.split("\\n\\n")[0]
    (['comet'], 'A comet has a tail.')
    """
    special = special_terms(inside, statistics, n)
    text = "\n\n".join(_typical(inside, special, sentences))
    quoted = find_terms(text, statistics)
    places = {term.words: term for term in quoted.terms}
    terms = []
    for one in special:
        there = places.get(one.words)
        spans, numbers = (there.spans, there.sentences) if there else ((), ())
        keys = np.array(one.words, np.uint64)
        key = int(reduce(join_keys, keys[:, None])[0])
        terms.append(Term(one.text, one.z, spans, numbers, key, one.words, is_minor=one.is_plain))
    return replace(quoted, terms=tuple(terms))


def name_sets(sets: Iterable[DocumentSet], statistics: TermStatistics, n: int = N_TERMS) -> list[SetName]:
    """Name sets of documents by their special terms; no two names begin with the same term.

    Of two sets with the same best term, the one keeps it that is surer of it, and the other begins with its
    next.

    Parameters
    ----------
    sets : iterable of DocumentSet
    statistics : TermStatistics
        Of the collection.
    n : int
        How many terms a name has.

    Examples
    --------
    >>> texts = ["A comet has a tail of dust."] * 4 + ["The keeper was late."] * 4
    >>> statistics = TermStatistics.of(texts, "english")
    >>> sets = [DocumentSet.of(texts[:4], statistics), DocumentSet.of(texts[4:], statistics)]
    >>> [str(name) for name in name_sets(sets, statistics, n=1)]
    ['comet', 'keeper']
    """
    found = [list(special_terms(one, statistics, n + 4)) for one in sets]
    moved = True
    while moved:
        moved = False
        leaders: dict[tuple[int, ...], int] = {}
        for number, terms in enumerate(found):
            if not terms:
                continue
            other = leaders.setdefault(terms[0].words, number)
            if other != number:
                weaker = min(number, other, key=lambda k: (found[k][0].z, -k))
                if len(found[weaker]) > 1:  # a set of one term has no other to begin with
                    found[weaker].pop(0)
                    moved = True
                    break
    return [
        SetName(
            tuple(terms[:n]),
            bool(terms) and sum(not term.is_plain for term in terms[:4]) <= len(terms[:4]) // 4,
        )
        for terms in found
    ]


@dataclass(frozen=True, slots=True)
class Contrast:
    """How two sets of documents differ: the terms of each, and sentences that show them.

    In the terms of A, ``inside`` counts documents of A and ``outside`` documents of B; of B the other way.

    Attributes
    ----------
    a, b : tuple of SpecialTerm
    sentences_a, sentences_b : tuple of str
        Typical of each: sentences with most of its terms.

    Examples
    --------
    >>> print(Contrast((SpecialTerm("serve", 3.1, 9, 1),), ()))
    A: serve (9 : 1)
    B: nothing special
    """

    a: tuple[SpecialTerm, ...]
    b: tuple[SpecialTerm, ...]
    sentences_a: tuple[str, ...] = ()
    sentences_b: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = []
        for letter, terms in (("A", self.a), ("B", self.b)):
            told = ", ".join(f"{term.text} ({term.inside:,} : {term.outside:,})" for term in terms)
            lines.append(f"{letter}: {told or 'nothing special'}")
        return "\n".join(lines)


def contrast(
    a: DocumentSet, b: DocumentSet, statistics: TermStatistics, n: int = 10, sentences: int = 2
) -> Contrast:
    """Say how two sets of documents differ, in the terms that one has more of than the other.

    Parameters
    ----------
    a, b : DocumentSet
    statistics : TermStatistics
        Of the collection.
    n, sentences : int
        How many terms and typical sentences to give of each.

    Examples
    --------
    >>> texts = ["A comet has a tail of dust."] * 4 + ["The keeper was late."] * 4
    >>> statistics = TermStatistics.of(texts, "english")
    >>> sets = [DocumentSet.of(part, statistics) for part in (texts[:4], texts[4:])]
    >>> print(contrast(*sets, statistics, n=1))
    A: comet (4 : 0)
    B: keeper (4 : 0)
    """
    sides = []
    for one, other in ((a, b), (b, a)):
        keys, counts, first, place = one.count()
        there, documents, _, _ = other.count()
        at = np.minimum(np.searchsorted(there, keys), max(len(there) - 1, 0))
        known = there[at] == keys if len(there) else np.zeros(len(keys), bool)
        outside = np.where(known, documents[at] if len(there) else 0, 0) * other.scale
        in_set = counts * one.scale
        lengths = one.found.lengths[first]
        chances = _chances(keys, lengths, statistics)
        z = _surprise(in_set, one.n_documents, outside, other.n_documents, chances)
        chosen = _choose(
            one, statistics, z, counts, np.rint(in_set), outside, other.n_documents, first, place, n
        )
        terms = tuple(chosen)
        sides.append((terms, _typical(one, terms, sentences)))
    (terms_a, sentences_a), (terms_b, sentences_b) = sides
    return Contrast(terms_a, terms_b, sentences_a, sentences_b)


def _typical(inside: DocumentSet, terms: Sequence[SpecialTerm], n: int) -> tuple[str, ...]:
    """Choose sentences that have most of some terms, one a document."""
    reading = inside.reading
    scores = np.zeros(len(reading.is_prose))
    words = np.array([word for term in terms for word in term.words], np.uint64)
    weights = np.array([term.z for term in terms for _ in term.words])
    order = np.argsort(words)
    for position in np.flatnonzero(np.isin(reading.keys, words)):
        scores[reading.sentences[position]] += weights[order][
            np.searchsorted(words[order], reading.keys[position])
        ]
    length = np.bincount(reading.sentences, minlength=len(scores))
    scores = np.where(reading.is_prose, scores / np.sqrt(np.maximum(length, 8)), 0.0)
    chosen: list[str] = []
    seen: set[int] = set()
    for number in np.argsort(-scores.round(9), kind="stable").tolist():
        document = int(reading.sentence_documents[number])
        if scores[number] <= 0 or len(chosen) == n:
            break
        if document not in seen:
            seen.add(document)
            span = slice(reading.sentence_starts[number], reading.sentence_ends[number])
            chosen.append(" ".join(reading.texts[document][span].split()))
    return tuple(chosen)
