"""Terms that are special to a set of documents: names of clusters, selections and months, and contrasts."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.embeddings import default
from hott.terms.alignment import place_terms
from hott.terms.document import DocumentTerms, ReadTerms, Term, find_terms, write
from hott.terms.lexicon import CHATTER, COMMON, MINOR, STOP, VERB, lexicon_of
from hott.terms.reading import Reading, read
from hott.terms.statistics import TermStatistics, look_up
from hott.text.tokens import same_word
from hott.utils.tabular import Tabular

PRIOR = 20.0
"""Documents of the collection and the language that are imagined in each set (Monroe et al., 2008)."""

N_TERMS = 4  # in a name
MAX_OVERLAP = 0.6  # Jaccard of the documents of two terms of a name
_PHRASE = 1.15  # times as special is a phrase
_VERB = 0.65  # times as special is a word that names no thing
_CANDIDATES = 60
_SPARE = 20  # terms beyond those of a name, to choose from
_ALONE = 0.3  # what a term in a name is worth that no other is near to, beside its likeness to them
_MIN_DOCUMENTS = 3  # of the set, that have a term
MIN_COVER = 0.25  # of a small set, and
_MIN_COVER_LARGE = 0.05  # of a large one
_MIN_LIFT = 4.0  # times as often as outside is a common word in a set, to say something of its subject
_CHAFF = 0.7  # of the best four and the best eight terms: more that are plain make no subject
_APART = 1.25  # times the share by which fewer of another set have a term: its worth in a name, and
_MIN_APART = 0.35  # at least
_MIN_TOLD = 0.5  # times a document has one of all terms found, or the set has no subject
_MIN_Z = 0.1  # of a term in a name, times that of the best
_MIN_THING = 0.35  # the same of a term that is no name: one is among
_SHOWN = 3  # the first terms, if it can be
_IN_LANGUAGE = 1e-6  # chance of a phrase in the language at large
MAX_READ = 400  # documents of a set that are read; of more, some are taken evenly
_WHOLE = re.compile(  # from a capital to a full stop, not too long to quote, without signs of lists and code
    r"""["'“‘«„(¿¡]*(?![a-z_])\w[^#%|<>*=~_{}]{,240}[.!?…。！？؟۔।]["'”’»)\]」』]*"""
)
_PIECE = 0.25  # what a sentence is worth that is not whole


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
    is_thing : bool
        Neither a name, nor a verb, nor plain. In languages where each noun has a capital, a name as well.

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
    is_thing: bool = field(default=False, repr=False)
    words: tuple[int, ...] = field(default=(), repr=False)
    key: int = field(default=0, repr=False)


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


class TermTable(ReadTerms):
    """Which terms each of some documents has: read once, so that many sets of them can be described."""

    @cached_property
    def documents(self) -> sparse.csc_array:
        """How often each document has each term: terms x documents."""
        places = np.repeat(np.arange(len(self.keys)), np.diff(self.starts))
        columns = self.reading.documents[self.first[self.order]]
        shape = (len(self.keys), len(self.reading))
        found = sparse.csc_array((np.ones(len(places)), (places, columns)), shape=shape)
        found.sum_duplicates()
        return found

    @cached_property
    def everywhere(self) -> NDArray[np.int64]:
        """In how many documents of the collection each term is."""
        words, phrases = (
            part.find(self.keys)[0] for part in (self.statistics.words, self.statistics.phrases)
        )
        return np.where(self.lengths[self.examples] == 1, words, phrases)

    def select(
        self,
        rows: Sequence[int] | NDArray[np.intp],
        n_documents: int | None = None,
        words: NDArray[np.uint64] | None = None,
    ) -> "DocumentSet":
        """Make a set of the documents in some rows, which may stand for more; see :class:`DocumentSet`."""
        chosen = np.unique(np.asarray(rows, np.intp))
        return DocumentSet(self, chosen, len(chosen) if n_documents is None else n_documents, words)


@dataclass(frozen=True, slots=True, eq=False)
class DocumentSet:
    """A set of documents that were read.

    Attributes
    ----------
    table : TermTable
    rows : array of int
        Those of its documents that were read.
    n_documents : int
        Of the set: more than were read, if it is large.
    words : array of int, optional
        Keys of words: a term of the set must have one of them.

    Examples
    --------
    >>> texts = ["A comet has a tail.", "The comet shines."]
    >>> DocumentSet.of(texts, TermStatistics.of(texts, "english")).n_documents
    2
    """

    table: TermTable
    rows: NDArray[np.intp]
    n_documents: int
    words: NDArray[np.uint64] | None = None

    @classmethod
    def of(cls, texts: Sequence[str], statistics: TermStatistics) -> "DocumentSet":
        """Read a set of documents; of a large one, some that are evenly chosen."""
        chosen = [texts[i] for i in np.linspace(0, len(texts) - 1, min(len(texts), MAX_READ)).astype(int)]
        return TermTable.of(chosen, statistics).select(range(len(chosen)), len(texts))

    def count(self) -> NDArray[np.intp]:
        """Count the documents that were read by term."""
        own = self.table.documents[:, self.rows]
        return np.bincount(own.indices, minlength=len(self.table.keys))

    @property
    def scale(self) -> float:
        """Documents of the set for each one that was read."""
        return self.n_documents / max(len(self.rows), 1)


def special_terms(inside: DocumentSet, n: int = N_TERMS) -> tuple[SpecialTerm, ...]:
    """Find the terms that are special to a set of documents of a collection, the best first.

    By the log-odds of their document frequency inside against outside, with a prior from the collection and
    the language, divided by its standard deviation. A term is skipped that shares a word with a better one,
    or stands in much the same documents.

    >>> texts = ["A comet has a tail.", "The comet shines.", "Comets are ice."] + ["The court has a net."] * 9
    >>> statistics = TermStatistics.of(texts, "english")
    >>> [term.text for term in special_terms(DocumentSet.of(texts[:3], statistics))]
    ['comet']
    """
    outside = np.maximum(inside.table.everywhere - inside.count() * inside.scale, 0.0)
    n_outside = max(inside.table.statistics.n_documents - inside.n_documents, 0)
    return _choose(inside, outside, n_outside, n)


def _choose(
    inside: DocumentSet, outside: NDArray[np.floating], n_outside: int, n: int
) -> tuple[SpecialTerm, ...]:
    """Take the terms of a set that fewer documents outside have, without those that say the same again."""
    table, reading, counts = inside.table, inside.table.reading, inside.count()
    terms = np.flatnonzero(counts)
    counts, outside, first = counts[terms], outside[terms], table.first[table.examples[terms]]
    lengths = table.lengths[table.examples[terms]]
    phrase = -np.expm1(-table.statistics.mean_length * _IN_LANGUAGE)
    language = np.where(lengths == 1, table.statistics.expect(table.keys[terms]), phrase)
    in_set, n_inside = counts * inside.scale, inside.n_documents
    # Log-odds ratios of the document frequencies over their standard deviations, with a prior.
    prior = PRIOR * (in_set + outside + PRIOR * language) / (n_inside + n_outside + PRIOR)
    odds = np.log((in_set + prior) / np.maximum(n_inside - in_set + PRIOR - prior, 0.5))
    odds -= np.log((outside + prior) / np.maximum(n_outside - outside + PRIOR - prior, 0.5))
    z = odds / np.sqrt(1 / (in_set + prior + 1e-9) + 1 / (outside + prior + 1e-9))
    # What documents are about, they repeat.
    own = table.documents[:, inside.rows]
    total = np.bincount(own.indices, 1 + np.log(own.data), len(table.keys))
    z *= np.where(lengths > 1, _PHRASE, 1.0) * total[terms] / counts
    z *= np.where((lengths == 1) & ((reading.kinds[first] & VERB) > 0), _VERB, 1.0)
    n_read = len(inside.rows)
    least = min(MIN_COVER * n_read, _MIN_DOCUMENTS + _MIN_COVER_LARGE * n_read)
    least = min(max(_MIN_DOCUMENTS, least), max(n_read, 1))
    z = np.where((counts >= least) & ((reading.kinds[first] & MINOR) == 0), z, 0.0)
    allowed = None if inside.words is None else set(inside.words.tolist())
    is_inside = np.isin(np.arange(len(reading)), inside.rows)
    used: set[int] = set()
    taken: list[set[int]] = []
    written: set[str] = set()
    chosen: list[SpecialTerm] = []
    ranked = np.argsort(-z.round(9), kind="stable")[:_CANDIDATES]
    ranked = ranked[z[ranked] > 0]
    for place, words in zip(ranked.tolist(), table.words(terms[ranked])):
        if len(chosen) == n:
            break
        size = int(lengths[place])
        if not used.isdisjoint(words) or (allowed is not None and allowed.isdisjoint(words)):
            continue
        own = table.occurrences(terms[place])
        own = own[is_inside[reading.documents[table.first[own]]]]
        where = reading.documents[table.first[own]].tolist()
        documents = set(where)
        if any(len(documents & other) > MAX_OVERLAP * len(documents | other) for other in taken):
            continue
        spelt = sorted({*zip(where, table.spell(own))})
        text = write([one for _, one in spelt])  # as most documents write it
        letters = "".join(filter(str.isalnum, text.casefold()))
        if letters in written or any(same_word(letters, other) for other in written):
            continue  # no "non-commutative" with "noncommutative", nor "Israeli" with "Israel"
        kinds = reading.kinds[first[place] : first[place] + size]
        lift = in_set[place] / n_inside * (n_outside / max(outside[place], 0.5))
        common = size == 1 and bool(kinds[0] & COMMON) and lift < _MIN_LIFT and not table.is_name[own[0]]
        is_plain = common or bool((kinds & (CHATTER | STOP)).all()) or (size == 1 and len(text) < 3)
        used.update(words)
        taken.append(documents)
        written.add(letters)
        n_in, n_out, key = (
            int(np.rint(in_set[place])),
            round(float(outside[place])),
            int(table.keys[terms[place]]),
        )
        is_name_or_verb = text[0].isupper() or bool(size == 1 and kinds[0] & VERB)
        is_thing = not is_plain and (reading.has_capital_nouns or not is_name_or_verb)
        chosen.append(SpecialTerm(text, float(z[place]), n_in, n_out, is_plain, is_thing, words, key))
    return tuple(chosen)


def describe_set(inside: DocumentSet, n: int = 40, sentences: int = 12) -> DocumentTerms:
    """Make one document of a set, to be compared: its special terms, and typical sentences for its text."""
    special = special_terms(inside, n)
    text = "\n\n".join(_typical(inside, special, sentences))
    quoted = find_terms(text, inside.table.statistics)
    places = {term.key: term for term in quoted.terms}
    terms = []
    for one in special:
        there = places.get(one.key)
        spans, numbers = (there.spans, there.sentences) if there else ((), ())
        terms.append(Term(one.text, one.z, spans, numbers, one.key, one.words, is_minor=one.is_plain))
    return replace(quoted, terms=tuple(terms), mentions=frozenset())


def name_sets(sets: Iterable[DocumentSet], n: int = N_TERMS, taken: Iterable[str] = ()) -> list[SetName]:
    """Name sets of documents by their special terms; no two names begin with the same term.

    Of two sets with the same best term, the one keeps it that is surer of it, and the other begins with its
    next.

    Parameters
    ----------
    sets : iterable of DocumentSet
    n : int
        How many terms a name has.
    taken : iterable of str
        Terms that other names begin with, and none of these shall.

    Examples
    --------
    >>> texts = ["A comet has a tail of dust."] * 4 + ["The keeper was late."] * 4
    >>> statistics = TermStatistics.of(texts, "english")
    >>> sets = [DocumentSet.of(texts[:4], statistics), DocumentSet.of(texts[4:], statistics)]
    >>> [str(name) for name in name_sets(sets, n=1)]
    ['comet', 'keeper']
    """
    sets = list(sets)
    found = [[*special_terms(one, n + _SPARE)] for one in sets]
    found = [[term for term in terms if term.z >= _MIN_Z * terms[0].z] for terms in found]
    is_chaff = [
        all(sum(term.is_plain for term in terms[:k]) > _CHAFF * len(terms[:k]) for k in (4, 8))
        or sum(term.inside for term in terms) < _MIN_TOLD * one.n_documents
        for terms, one in zip(found, sets)
    ]
    for terms, chaff, one, apart in zip(found, is_chaff, sets, _tell_apart(sets, found)):
        if not chaff:  # in the name of a subject, what says nothing of it comes last
            worth = _weigh_by_company(terms, one.table.statistics.language)
            terms.sort(key=lambda term: (term.is_plain, -round(worth[term.key] * apart[term.key], 9)))
    leaders: dict[str, int] = dict.fromkeys(map(str.casefold, taken), -1)
    first = [0] * len(found)  # the term that a name begins with
    waiting = [number for number, terms in enumerate(found) if terms]
    while waiting:
        number = waiting.pop(0)
        term = found[number][first[number]]
        other = leaders.setdefault(term.text.casefold(), number)
        if other == number:
            continue
        weaker = number
        if other >= 0 and term.z > found[other][first[other]].z:
            weaker = other
            leaders[term.text.casefold()] = number
        if first[weaker] + 1 < len(found[weaker]):  # else it has no other to begin with
            first[weaker] += 1
            waiting.append(weaker)
    for terms, place, one in zip(found, first, sets):
        if terms:
            terms.insert(0, terms.pop(place))
        if not any(term.is_thing for term in terms[:_SHOWN]):  # cricket is not "Australia, India, Pakistan"
            least_z = _MIN_THING * max((term.z for term in terms), default=0.0)
            least = MIN_COVER * one.n_documents
            told = (term for term in terms if term.is_thing and term.z >= least_z and term.inside >= least)
            if (thing := next(told, None)) is not None:
                terms.remove(thing)
                terms.insert(_SHOWN - 1, thing)
    return [SetName(tuple(terms[:n]), chaff) for terms, chaff in zip(found, is_chaff)]


def _tell_apart(
    sets: Sequence[DocumentSet], found: Sequence[Sequence[SpecialTerm]]
) -> Iterator[dict[int, float]]:
    """Say of the terms of each set how little another one beside it has them: of hockey "goal", not "game".

    A set is not beside one that it lies in or that lies in it.
    """
    keys = np.unique(np.array([term.key for terms in found for term in terms], np.uint64))
    shares = np.array([look_up(one.table.keys, one.count(), keys) / max(len(one.rows), 1) for one in sets])
    for number, (terms, nested) in enumerate(zip(found, _find_nested(sets))):
        most = shares[~nested].max(axis=0, initial=0.0)
        apart = np.clip(_APART * (1 - most / np.maximum(shares[number], 1e-9)), _MIN_APART, 1.0)
        yield {term.key: float(apart[np.searchsorted(keys, np.uint64(term.key))]) for term in terms}


def _find_nested(sets: Sequence[DocumentSet]) -> NDArray[np.bool_]:
    """Tell which sets have more than half of the smaller one in common; sets of other tables have nothing."""
    starts = np.cumsum([0, *(len(one.rows) for one in sets)])
    rows = np.concatenate([one.rows for one in sets])
    has = sparse.csr_array((np.ones(len(rows)), rows, starts), (len(sets), int(rows.max(initial=0)) + 1))
    shared, sizes = (has @ has.T).toarray(), has.sum(axis=1)
    tables = np.array([id(one.table) for one in sets])
    return (2 * shared > np.minimum(sizes[:, None], sizes)) & (tables[:, None] == tables)


def _weigh_by_company(terms: Sequence[SpecialTerm], language: str) -> dict[int, float]:
    """Weigh terms by how near they are to the others: of a set about music "songs" before "keys"."""
    vectors = default() if language.startswith("english") else None
    points, z = place_terms([term.text for term in terms], vectors), np.array([term.z for term in terms])
    known = points.any(axis=1)
    own = z * known
    near = (points @ (own @ points) - own) / np.maximum(own.sum() - own, 1e-9)
    near = np.where(known, np.maximum(near, 0.0), near[known].mean() if known.any() else 0.0)
    return {term.key: round(float(value), 9) for term, value in zip(terms, z * (_ALONE + near))}


@dataclass(frozen=True, slots=True)
class Contrast(Tabular):
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

    def to_columns(self) -> dict[str, Sequence[Any]]:
        """Return a row for each term: of which side it is, and how many documents of both have it."""
        terms = [(letter, term) for letter in "ab" for term in getattr(self, letter)]
        return {
            "more in": [letter.upper() for letter, _ in terms],
            "term": [term.text for _, term in terms],
            "of A": [(term.inside if letter == "a" else term.outside) for letter, term in terms],
            "of B": [(term.outside if letter == "a" else term.inside) for letter, term in terms],
            "z": [term.z for _, term in terms],
        }

    def __str__(self) -> str:
        lines = []
        for letter, terms in (("A", self.a), ("B", self.b)):
            told = ", ".join(f"{term.text} ({term.inside:,} : {term.outside:,})" for term in terms)
            lines.append(f"{letter}: {told or 'nothing special'}")
        return "\n".join(lines)


def contrast(a: DocumentSet, b: DocumentSet, n: int = 10, sentences: int = 2) -> Contrast:
    """Say how two sets of documents differ, in the terms that one has more of than the other.

    Parameters
    ----------
    a, b : DocumentSet
        Of one collection.
    n, sentences : int
        How many terms and typical sentences to give of each.

    Examples
    --------
    >>> texts = ["A comet has a tail of dust."] * 4 + ["The keeper was late."] * 4
    >>> statistics = TermStatistics.of(texts, "english")
    >>> sets = [DocumentSet.of(part, statistics) for part in (texts[:4], texts[4:])]
    >>> print(contrast(*sets, n=1))
    A: comet (4 : 0)
    B: keeper (4 : 0)
    """
    sides = []
    for one, other in ((a, b), (b, a)):
        outside = look_up(other.table.keys, other.count(), one.table.keys) * other.scale
        chosen = _choose(one, outside, other.n_documents, n)
        sides.append((chosen, _typical(one, chosen, sentences)))
    (terms_a, sentences_a), (terms_b, sentences_b) = sides
    return Contrast(terms_a, terms_b, sentences_a, sentences_b)


def quote_sentences(
    texts: Sequence[str], terms: Sequence[str], statistics: TermStatistics, n: int | None = None
) -> list[str]:
    """Quote of each text the sentence that has most of some terms, the first ones before all; "" for none.

    Whole sentences come before headings, lists and pieces. With ``n`` the best n texts are quoted.

    >>> statistics = TermStatistics.of(["A comet has a tail.", "The court has a net."], "english")
    >>> quote_sentences(["It was late in the year. The comet had a long tail."], ["comet"], statistics)
    ['The comet had a long tail.']
    """
    lexicon, everywhere = lexicon_of(statistics.language), np.arange(len(texts))
    weights = {lexicon.key(word): 1 / (2 + rank) for rank, term in enumerate(terms) for word in term.split()}
    chosen = _choose_sentences(read(texts, lexicon), everywhere, weights, len(texts) if n is None else n)
    return [chosen.get(number, "") for number in range(len(texts))]


def _typical(inside: DocumentSet, terms: Sequence[SpecialTerm], n: int) -> tuple[str, ...]:
    """Choose sentences that have most of some terms, one a document, and of copies one."""
    weights = {word: term.z for term in terms for word in term.words}
    chosen = _choose_sentences(inside.table.reading, inside.rows, weights, 2 * n)
    return tuple(dict.fromkeys(chosen.values()))[:n]


def _choose_sentences(
    reading: Reading, documents: NDArray[np.intp], weights: Mapping[int, float], n: int
) -> dict[int, str]:
    """Choose for at most n documents the sentence of prose whose words weigh most; the heaviest first."""
    keys = np.array(sorted(weights), np.uint64)
    worth = look_up(keys, np.array([weights[key] for key in keys.tolist()]), reading.keys)
    length = np.bincount(reading.sentences, minlength=len(reading.is_prose))
    scores = np.bincount(reading.sentences, worth, len(reading.is_prose)) / np.sqrt(np.maximum(length, 8))
    scores[~(reading.is_prose & np.isin(reading.sentence_documents, documents))] = 0
    for number in np.flatnonzero(scores).tolist():
        scores[number] *= 1 if _WHOLE.fullmatch(reading.sentence(number)) else _PIECE
    chosen: dict[int, str] = {}
    for number in np.argsort(-scores.round(9), kind="stable").tolist():
        if scores[number] <= 0 or len(chosen) == n:
            break
        chosen.setdefault(int(reading.sentence_documents[number]), reading.sentence(number))
    return chosen
