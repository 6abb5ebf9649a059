"""The terms of a document: words and phrases that are special to it, as it writes them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hott.embeddings import default
from hott.terms.lexicon import ADVERB, CAPITAL, COMMON, MINOR, NAME, STOP, VERB, lexicon_of, normalize, ranks
from hott.terms.prose import blank_out
from hott.terms.reading import CAPITAL_NOUNS, SPACE, Reading, read, split_words
from hott.terms.statistics import TermStatistics
from hott.text.tokens import tokenize

IN_TITLE = 1.5  # times as special is a term of the title
AS_MINOR = 0.35  # times as special is a number, a unit, a month, a day or a bland verb
AS_COMMON = 0.6  # times as special is a common word
AS_VERB = 0.7  # times as special is a word that names no thing
MAX_KNOWN = 100_000  # rank of a word: of rarer ones and unknown ones, those that hardly a text has are slips
_MAX_HEADING = 120  # characters


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase of a document.

    Attributes
    ----------
    text : str
        As the document writes it.
    weight : float
        How special it is to the document, against the collection and the language.
    spans : tuple of (start, end)
        Where it is in the text.
    sentences : tuple of int
        The sentence of each span.
    key : int
        The same for all forms of it.
    words : tuple of int
        The keys of its words; one for a single word.
    is_minor : bool
        A number, a unit, a month, a day of the week, a verb such as "take", or a slip of the pen.

    Examples
    --------
    >>> Term("Roland Garros", 9.1, ((4, 17),), (0,), 7, (3, 5)).is_phrase
    True
    """

    text: str
    weight: float
    spans: tuple[tuple[int, int], ...] = field(repr=False)
    sentences: tuple[int, ...] = field(repr=False)
    key: int = field(repr=False)
    words: tuple[int, ...] = field(repr=False)
    is_minor: bool = field(default=False, repr=False)

    @property
    def is_phrase(self) -> bool:
        return len(self.words) > 1


@dataclass(frozen=True, slots=True, eq=False)
class DocumentTerms:
    """A text with its terms, the most special first, and its sentences.

    Attributes
    ----------
    text, title : str
    terms : tuple of Term
    sentences : tuple of (start, end)
    is_prose : tuple of bool
        Of each sentence, whether one may quote it; line-ups, tables and headings are no prose.
    sentence_words : tuple of arrays
        The keys of the words of each sentence that are no stop words.
    mentions : frozenset of int
        The keys of words that it has in no term: of the title, of lists, of quoted mail.

    Examples
    --------
    >>> statistics = TermStatistics.of(["We met at Roland Garros in June.", "A goal was scored."], "english")
    >>> found = find_terms("We met at Roland Garros in June.", statistics)
    >>> [term.text for term in found.terms]
    ['Roland Garros', 'met', 'June']
    >>> [found.text[start:end] for start, end in found.sentences]
    ['We met at Roland Garros in June.']
    """

    text: str
    title: str
    terms: tuple[Term, ...]
    sentences: tuple[tuple[int, int], ...]
    is_prose: tuple[bool, ...]
    sentence_words: tuple[NDArray[np.uint64], ...] = field(repr=False)
    mentions: frozenset[int] = field(default=frozenset(), repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Occurrences:
    """Where the terms of some texts are: the first word of each, how many words, and its key."""

    first: NDArray[np.intp]
    lengths: NDArray[np.intp]
    keys: NDArray[np.uint64]
    is_name: NDArray[np.bool_]  # whether its first word is a name everywhere
    as_written: NDArray[np.bool_]  # whether it keeps its capitals

    @classmethod
    def of(cls, reading: Reading, statistics: TermStatistics) -> "Occurrences":
        """Find phrases first: their words are used up. What is left are single words."""
        named = statistics.are_names(reading.keys) | ((reading.kinds & NAME) > 0)
        is_name = named.copy()
        # "New" is a common word, but not before "Zealand", which hardly stands without it.
        capital = (reading.kinds & CAPITAL) > 0
        before = np.flatnonzero(capital[:-1] & capital[1:] & is_name[1:] & (reading.gaps[1:] == SPACE))
        keys = reading.join(before, np.full(len(before), 2))
        known = statistics.are_phrases(keys, reading.keys[before], reading.keys[before + 1])
        known &= 2 * statistics.phrases.find(keys)[1] >= statistics.words.find(reading.keys[before + 1])[1]
        begins = np.zeros(len(is_name), bool)
        begins[before[known]] = True
        is_name |= begins
        starts, lengths = reading.find_names(is_name)
        free = np.ones(len(reading.keys), bool)
        for step in range(int(lengths.max(initial=0))):
            free[starts[lengths > step] + step] = False
        pairs = reading.find_pairs()
        pairs = pairs[free[pairs] & free[pairs - 1]]
        told = (((reading.kinds & (ADVERB | MINOR | VERB)) == 0) | begins) & free
        pairs = pairs[told[pairs] & told[pairs - 1]]
        keys = reading.join(pairs - 1, np.full(len(pairs), 2))
        known = statistics.are_phrases(keys, reading.keys[pairs - 1], reading.keys[pairs])
        pairs, keys = pairs[known], keys[known]
        # In a row of neighbours the first pair, the third and so on: they do not overlap.
        places = np.arange(len(pairs))
        first_of_row = np.where(np.diff(pairs, prepend=-2) > 1, places, 0)
        chosen = (places - np.maximum.accumulate(first_of_row)) % 2 == 0
        pairs, keys = pairs[chosen] - 1, keys[chosen]
        free[pairs] = free[pairs + 1] = False
        words = np.flatnonzero(free & reading.is_content & ((reading.kinds & ADVERB) == 0))
        found = np.concatenate([starts, pairs, words])
        sizes = np.concatenate([lengths, np.full(len(pairs), 2), np.ones(len(words), np.intp)])
        numbers = np.concatenate([reading.join(starts, lengths), keys, reading.keys[words]])
        order = np.argsort(found, kind="stable")
        found, sizes = found[order], sizes[order]
        of_name = np.zeros(len(found), bool)
        for step in range(1, int(sizes.max(initial=0))):
            longer = np.flatnonzero(sizes > step)
            of_name[longer] |= capital[found[longer] + step]
        # Headlines may have capitals throughout, but not where a capital makes a noun.
        says = reading.is_prose[reading.sentences[found]] | (reading.language.split(",")[0] in CAPITAL_NOUNS)
        as_written = says & ~reading.is_first[found]
        return cls(found, sizes, numbers[order], named[found] | of_name, as_written)


def find_terms(text: str, statistics: TermStatistics, title: str = "") -> DocumentTerms:
    """Find the terms of a document, the most special first.

    Parameters
    ----------
    text : str
    statistics : TermStatistics
        Of the collection that the document is told from.
    title : str
        Its words count half as much again. Without one, a heading in the first line is taken.

    Examples
    --------
    >>> statistics = TermStatistics.of(["A comet has a tail.", "The court has a net."], "english")
    >>> [term.text for term in find_terms("A comet has a tail.", statistics).terms]
    ['comet', 'tail']
    """
    lexicon = lexicon_of(statistics.language)
    reading = read([text], lexicon)
    found = Occurrences.of(reading, statistics)
    keys, first, place, counts = np.unique(
        found.keys, return_index=True, return_inverse=True, return_counts=True
    )
    titled = {lexicon.key(word) for word in tokenize(title or _heading(text))}
    weights, is_minor = _weigh(reading, found, first, counts, statistics, titled)
    slips = _find_slips(reading, found, first, counts, statistics)
    weights[slips] *= np.where(is_minor[slips], 1.0, AS_MINOR)
    is_minor[slips] = True
    order, ends = np.argsort(place, kind="stable").tolist(), np.cumsum(counts).tolist()
    begins, lengths = reading.starts[found.first].tolist(), found.lengths.tolist()
    spans = [*zip(begins, reading.ends[found.first + found.lengths - 1].tolist())]
    marks = zip(spans, lengths, found.is_name.tolist(), found.as_written.tolist())
    surfaces = [spell(text[start:end], *mark) for (start, end), *mark in marks]
    sentences, firsts = reading.sentences[found.first].tolist(), found.first.tolist()
    is_content, words = ((reading.kinds & STOP) == 0).tolist(), reading.keys.tolist()
    terms = []
    for number in np.lexsort((found.first[first], -weights.round(9))).tolist():
        if weights[number] <= 0:
            break
        own = order[ends[number] - int(counts[number]) : ends[number]]
        begin = firsts[own[0]]
        terms.append(
            Term(
                write([surfaces[k] for k in own]),
                float(weights[number]),
                tuple([spans[k] for k in own]),
                tuple([sentences[k] for k in own]),
                int(keys[number]),
                tuple([words[k] for k in range(begin, begin + lengths[own[0]]) if is_content[k]]),
                bool(is_minor[number]),
            )
        )
    content = np.flatnonzero((reading.kinds & STOP) == 0)
    cuts = np.searchsorted(reading.sentences[content], np.arange(1, len(reading.is_prose)))
    mentions = titled.union(reading.keys[content].tolist())
    if blank_out(text) != text:  # it has quoted mail, or a signature, which say words, too
        with lexicon.reading():
            written, kinds = lexicon.describe(lexicon.rows(split_words(text)))
        mentions.update(written[(kinds & STOP) == 0].tolist())
    return DocumentTerms(
        text,
        title,
        tuple(terms),
        tuple(zip(reading.sentence_starts.tolist(), reading.sentence_ends.tolist())),
        tuple(reading.is_prose.tolist()),
        tuple(np.split(reading.keys[content], cuts)) if len(reading.is_prose) else (),
        frozenset(mentions.difference(*(term.words for term in terms))),
    )


def _heading(text: str) -> str:
    first, blank, _ = text.lstrip()[: _MAX_HEADING + 2].partition("\n\n")
    return first if blank and not first.rstrip().endswith((".", "!", "?", ":")) else ""


def _weigh(
    reading: Reading,
    found: Occurrences,
    first: NDArray[np.intp],
    counts: NDArray[np.intp],
    statistics: TermStatistics,
    titled: set[int],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Weigh each term by how often it occurs and how rare its words are; say which are quantities."""
    start, lengths = found.first[first], found.lengths[first]
    idf = np.where((reading.kinds & STOP) > 0, 0.0, statistics.idf(reading.keys))
    highest, lowest = idf[start], idf[start]
    # By sorting: the table that NumPy 2.0 would choose overflows for keys of 64 bits.
    in_title = np.isin(reading.keys, np.fromiter(titled, np.uint64, len(titled)), kind="sort")
    titles = in_title[start]
    quantity = (reading.kinds & MINOR) > 0
    quantities = quantity[start]
    for step in range(1, int(lengths.max(initial=0))):
        more = lengths > step
        there = start[more] + step
        highest[more] = np.maximum(highest[more], idf[there])
        lowest[more] = np.minimum(lowest[more], idf[there])
        titles[more] |= in_title[there]
        quantities[more] &= quantity[there]
    single = lengths == 1
    weights = np.where(single, highest, highest + 0.3 * lowest) * (1 + np.log(counts))
    weights *= np.where(titles, IN_TITLE, 1.0) * np.where(quantities, AS_MINOR, 1.0)
    kinds = reading.kinds[start]
    for kind, times in ((COMMON, AS_COMMON), (VERB, AS_VERB)):
        weights *= np.where(single & ((kinds & kind) > 0) & ~titles, times, 1.0)
    return weights, quantities


def _find_slips(
    reading: Reading,
    found: Occurrences,
    first: NDArray[np.intp],
    counts: NDArray[np.intp],
    statistics: TermStatistics,
) -> NDArray[np.intp]:
    """Find terms that no list has, said once or twice in very few of many texts: "softawre".

    Names are none of them: they have a capital where no sentence begins.
    """
    if not statistics.language.startswith("english"):
        return np.empty(0, np.intp)
    texts, _, inside, capitals = statistics.words.find(found.keys[first])
    rare = (texts <= min(3, statistics.n_documents // 500)) & (counts <= 2) & (found.lengths[first] == 1)
    rare = np.flatnonzero(rare & ((capitals == 0) | (capitals < 0.8 * inside)))
    at = found.first[first[rare]]
    places = zip(reading.documents[at].tolist(), reading.starts[at].tolist(), reading.ends[at].tolist())
    rank = default().rows(normalize(reading.texts[text][start:end]) for text, start, end in places)
    return rare[(rank < 0) | (rank >= MAX_KNOWN)]


def write(surfaces: Sequence[str]) -> str:
    """Write a term as it stands most often: never a stem, and capitals in names only."""
    if len(surfaces) == 1:
        return surfaces[0]
    written = Counter(surfaces)
    return max(written, key=lambda text: (written[text], -len(text), text))


def spell(written: str, size: int, is_name: bool, as_written: bool) -> str:
    """Take a capital off that an occurrence has only by its place, or by a headline."""
    if size > 1:
        written = " ".join(written.split())
    if is_name or written.islower() or (size == 1 and _is_odd(written)):
        return written
    if as_written or (size > 1 and _is_odd(written.split()[0])):
        return written.lower() if written.isupper() and not _is_odd(written) else written
    return written[0].lower() + written[1:] if size > 1 else written.lower()


def _is_odd(word: str) -> bool:
    """Say whether a word has capitals of its own: DNA, iPhone, or a name that no list has."""
    return (not word.isupper() and word[1:] != word[1:].lower()) or (
        word.isupper() and len(word) < 5 and word.lower() not in ranks()
    )
