"""The terms of a document: words and phrases that are special to it, as it writes them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice, pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hott.embeddings import default
from hott.lexical.matching import Spellings
from hott.terms.lexicon import (
    ADVERB,
    CAPITAL,
    COMMON,
    MAX_PLAIN,
    MINOR,
    NAME,
    STOP,
    VERB,
    lexicon_of,
    normalize,
    ranks,
)
from hott.terms.prose import blank_out
from hott.terms.reading import SPACE, Reading, read, split_words, spread
from hott.terms.statistics import TermStatistics, background_of, count_terms, look_up
from hott.text.tokens import same_word, tokenize

IN_TITLE = 1.5  # times as special is a term of the title
AS_MINOR = 0.35  # times as special is a number, a unit, a month, a day or a bland verb
AS_COMMON = 0.6  # times as special is a common word
AS_VERB = 0.7  # times as special is a word that names no thing
MAX_KNOWN = 100_000  # rank of a word: a rarer or unknown one may be a slip of the pen
MAX_MEANT, MIN_MISSPELT = 20_000, 6  # rank of a word that was meant, and letters of the one that was written
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
    >>> Term("Roland Garros", 9.1, ((4, 17),), (0,), 7, (3, 5))
    Term(text='Roland Garros', weight=9.1)
    """

    text: str
    weight: float
    spans: tuple[tuple[int, int], ...] = field(repr=False)
    sentences: tuple[int, ...] = field(repr=False)
    key: int = field(repr=False)
    words: tuple[int, ...] = field(repr=False)
    is_minor: bool = field(default=False, repr=False)


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


@dataclass(frozen=True, eq=False)
class ReadTerms:
    """Where the terms of some texts are, and which occurrences are of one term."""

    reading: Reading
    statistics: TermStatistics
    # Of each occurrence, in the order of the texts:
    first: NDArray[np.intp]  # its first word
    lengths: NDArray[np.intp]  # how many words it has
    is_name: NDArray[np.bool_]  # whether its first word is a name everywhere
    # Of each term, by ascending keys:
    keys: NDArray[np.uint64]
    examples: NDArray[np.intp]  # its first occurrence
    order: NDArray[np.intp]  # all occurrences, those of one term together
    starts: NDArray[np.intp]  # of each term in that order, and the end

    @classmethod
    def of(cls, texts: Iterable[str], statistics: TermStatistics | str) -> Self:
        """Read texts and find their terms; for a language, they are their own collection."""
        language = statistics if isinstance(statistics, str) else statistics.language
        reading = read(texts, lexicon_of(language))
        if isinstance(statistics, str):
            statistics = count_terms(reading)
        first, lengths, is_name = _find_occurrences(reading, statistics)
        keys, examples, place, counts = np.unique(
            reading.join(first, lengths), return_index=True, return_inverse=True, return_counts=True
        )
        order, starts = np.argsort(place, kind="stable"), np.append(0, np.cumsum(counts))
        return cls(reading, statistics, first, lengths, is_name, keys, examples, order, starts)

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Where each occurrence begins and ends in its text."""
        last = self.first + self.lengths - 1
        return [*zip(self.reading.starts[self.first].tolist(), self.reading.ends[last].tolist())]

    def occurrences(self, term: int) -> NDArray[np.intp]:
        """Give the occurrences of a term."""
        return self.order[self.starts[term] : self.starts[term + 1]]

    def words(self, terms: NDArray[np.intp]) -> list[tuple[int, ...]]:
        """Give the keys of the words of terms, without small words: of "all-rounder" that of "rounder"."""
        examples = self.examples[terms]
        places = spread(self.first[examples], self.lengths[examples])
        content = (self.reading.kinds[places] & STOP) == 0
        of_term = np.repeat(np.arange(len(terms)), self.lengths[examples])[content]
        keys, ends = self.reading.keys[places[content]].tolist(), np.bincount(of_term, minlength=len(terms))
        cuts = [0, *np.cumsum(ends).tolist()]
        return [tuple(keys[start:end]) for start, end in pairwise(cuts)]

    def spell(self, occurrences: NDArray[np.intp]) -> list[str]:
        """Write occurrences without capitals that they have only by their place, or by a headline."""
        reading, first, lengths = self.reading, self.first[occurrences], self.lengths[occurrences]
        # Headlines may have capitals throughout, but not where a capital makes a noun.
        as_written = reading.is_prose[reading.sentences[first]] | reading.has_capital_nouns
        as_written &= ~reading.is_first[first]
        places = zip(reading.documents[first].tolist(), reading.starts[first].tolist())
        ends = reading.ends[first + lengths - 1].tolist()
        marks = zip(lengths.tolist(), self.is_name[occurrences].tolist(), as_written.tolist())
        return [
            _spell(reading.texts[text][start:end], *mark)
            for (text, start), end, mark in zip(places, ends, marks)
        ]


def _find_occurrences(
    reading: Reading, statistics: TermStatistics
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]:
    """Find phrases first: their words are used up. What is left are single words."""
    kinds, keys = reading.kinds, reading.keys
    named = statistics.are_names(keys) | ((kinds & NAME) > 0)
    # "New" is a common word, but not before "Zealand", which hardly stands without it.
    capital = (kinds & CAPITAL) > 0
    before = np.flatnonzero(capital[:-1] & capital[1:] & named[1:] & (reading.gaps[1:] == SPACE))
    known, together = statistics.find_phrases(keys[before], keys[before + 1])
    known &= 2 * together >= statistics.words.find(keys[before + 1])[1]
    begins = np.zeros(len(keys), bool)
    begins[before[known]] = True
    _, _, inside, capitals = statistics.words.find(keys)
    names, lengths = reading.find_names(named | begins, plain=10 * capitals < inside)
    free = np.ones(len(keys), bool)
    free[spread(names, lengths)] = False
    told = free & (((kinds & (ADVERB | MINOR | VERB)) == 0) | begins)
    pairs = reading.find_pairs()
    pairs = pairs[told[pairs] & told[pairs - 1]]
    pairs = pairs[statistics.find_phrases(keys[pairs - 1], keys[pairs])[0]]
    # In a row of neighbours the first pair, the third and so on: they do not overlap.
    places = np.arange(len(pairs))
    first_of_row = np.maximum.accumulate(np.where(np.diff(pairs, prepend=-2) > 1, places, 0))
    pairs = pairs[(places - first_of_row) % 2 == 0] - 1
    free[pairs] = free[pairs + 1] = False
    words = np.flatnonzero(free & reading.is_content & ((kinds & ADVERB) == 0))
    first = np.concatenate([names, pairs, words])
    sizes = np.concatenate([lengths, np.full(len(pairs), 2), np.ones(len(words), np.intp)])
    order = np.argsort(first, kind="stable")
    first, sizes = first[order], sizes[order]
    later = capital[spread(first + 1, sizes - 1)]
    is_name = np.bincount(np.repeat(np.arange(len(first)), sizes - 1), later, len(first)) > 0
    return first, sizes, named[first] | is_name


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
    lexicon, table = lexicon_of(statistics.language), ReadTerms.of([text], statistics)
    titled = {lexicon.key(word) for word in tokenize(title or _heading(text))}
    weights, is_minor = _weigh(table, titled)
    reading, spans, order = table.reading, table.spans, table.order.tolist()
    surfaces, starts = table.spell(table.order), table.starts.tolist()
    sentences = reading.sentences[table.first].tolist()
    terms = []
    ranked = np.lexsort((table.first[table.examples], -weights.round(9)))
    ranked = ranked[weights[ranked] > 0]
    for term, words in zip(ranked.tolist(), table.words(ranked)):
        own = slice(starts[term], starts[term + 1])
        terms.append(
            Term(
                write(surfaces[own]),
                float(weights[term]),
                tuple([spans[k] for k in order[own]]),
                tuple([sentences[k] for k in order[own]]),
                int(table.keys[term]),
                words,
                bool(is_minor[term]),
            )
        )
    content = np.flatnonzero((reading.kinds & STOP) == 0)
    cuts = np.searchsorted(reading.sentences[content], np.arange(1, len(reading.is_prose)))
    mentions = titled.union(reading.keys[content].tolist())
    if blank_out(text) != text:  # it has quoted mail, or a signature, which say words, too
        written, kinds = lexicon.describe_words(split_words(text))
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


def _weigh(table: ReadTerms, titled: set[int]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Weigh each term of a text by how often it occurs and how rare its words are; say which are minor."""
    reading, statistics, counts = table.reading, table.statistics, np.diff(table.starts)
    start, lengths = table.first[table.examples], table.lengths[table.examples]
    if not len(start):
        return np.empty(0), np.empty(0, bool)
    words, cuts = spread(start, lengths), np.cumsum(lengths) - lengths
    kinds = reading.kinds[words]
    idf = np.where((kinds & STOP) > 0, 0.0, statistics.idf(reading.keys[words]))
    # By sorting: the table that NumPy 2.0 would choose overflows for keys of 64 bits.
    in_title = np.isin(reading.keys[words], np.fromiter(titled, np.uint64, len(titled)), kind="sort")
    titles, minor = np.logical_or.reduceat(in_title, cuts), np.bitwise_and.reduceat(kinds, cuts) & MINOR > 0
    highest, lowest = np.maximum.reduceat(idf, cuts), np.minimum.reduceat(idf, cuts)
    minor[_find_slips(table, start, (lengths == 1) & (counts <= 2))] = True
    weights = np.where(lengths == 1, highest, highest + 0.3 * lowest) * (1 + np.log(counts))
    weights *= np.where(titles, IN_TITLE, 1.0) * np.where(minor, AS_MINOR, 1.0)
    for kind, times in ((COMMON, AS_COMMON), (VERB, AS_VERB)):
        weights *= np.where((lengths == 1) & ((reading.kinds[start] & kind) > 0) & ~titles, times, 1.0)
    return weights, minor


def _find_slips(table: ReadTerms, start: NDArray[np.intp], seldom: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Find, of words said once or twice, those of no list that are nearly a common word: "softawre".

    In very few of many texts, two letters may be wrong. Names are none of them: they have a capital where no
    sentence begins.
    """
    reading, statistics = table.reading, table.statistics
    if not statistics.language.startswith("english"):
        return np.empty(0, np.intp)
    texts, _, inside, capitals = statistics.words.find(table.keys)
    seldom = seldom & (100 * texts <= max(statistics.n_documents, 300))
    seldom &= look_up(*background_of(statistics.language), table.keys) == 0
    candidates = np.flatnonzero(seldom & ((capitals == 0) | (capitals < 0.8 * inside)))
    at, rare = start[candidates], texts[candidates] <= min(3, statistics.n_documents // 500)
    places = zip(reading.documents[at].tolist(), reading.starts[at].tolist(), reading.ends[at].tolist())
    words = [normalize(reading.texts[text][begin:end]) for text, begin, end in places]
    unlisted = [rank < 0 or rank >= MAX_KNOWN for rank in default().rows(words).tolist()]
    is_slip = [there and _is_misspelt(word, one) for there, word, one in zip(unlisted, words, rare.tolist())]
    return candidates[is_slip]


def _is_misspelt(word: str, is_rare: bool) -> bool:
    """Say whether a word is a common one of another form but for a letter, or two where it is rare."""
    common, spellings = _list_common()
    near = spellings.near(word, 2 if is_rare and len(word) > MIN_MISSPELT else 1)
    return len(word) >= MIN_MISSPELT and not all(same_word(word, common[place]) for place, _ in near)


@lru_cache(maxsize=1)
def _list_common() -> tuple[list[str], Spellings]:
    words = [*islice(ranks(), MAX_MEANT)]
    return words, Spellings(words)


def write(surfaces: Sequence[str]) -> str:
    """Write a term as it stands most often: never a stem, and capitals in names only."""
    if len(surfaces) == 1:
        return surfaces[0]
    written = Counter(surfaces)
    return max(written, key=lambda text: (written[text], -len(text), text))


def _spell(written: str, size: int, is_name: bool, as_written: bool) -> str:
    if size > 1:
        written = " ".join(written.split())
    if is_name or written.islower() or (size == 1 and _is_odd(written)):
        return written
    if as_written or (size > 1 and _is_odd(written.split()[0])):
        return written.lower() if written.isupper() and not _is_odd(written) else written
    return written[0].lower() + written[1:] if size > 1 else written.lower()


def _is_odd(word: str) -> bool:
    """Say whether a word has capitals of its own: iPhone, or DNA and AIDS, but not GOOD."""
    return (not word.isupper() and word[1:] != word[1:].lower()) or (
        word.isupper() and len(word) < 5 and ranks().get(word.lower(), MAX_PLAIN) >= MAX_PLAIN
    )
