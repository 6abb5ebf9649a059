"""Texts cut into words with their places, sentences and names: what all statistics of terms start from."""

import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from hott.terms.lexicon import (
    ARTICLE,
    CAPITAL,
    DIGIT,
    NAME,
    ORIGIN,
    PARTICLE,
    PLAIN,
    STOP,
    VERB,
    Lexicon,
    join_keys,
    key_of,
)
from hott.terms.prose import blank_out, sentences
from hott.text.tokens import MARKS, SPACELESS_RUN

BREAK, SPACE, HYPHEN, APOSTROPHE = range(4)
"""What stands between a word and the one before: anything, one blank, a hyphen, an apostrophe."""

MAX_NAME = 4  # words; a longer row of capitals is a headline or a list
MIN_SENTENCE = 4  # words
_MAX_CAPITALS = 0.6  # of the words of a sentence: more are a headline, a line-up or a list of names
_MAX_DIGITS = 0.4  # more are a table or scores
_MIN_STOP = 0.12  # a sentence has articles, pronouns and prepositions
_MIN_WORDS = 0.75  # of its characters, with a space for each word: more signs are code, a formula or a table
_CUT_OFF = ",;:)]"  # what a sentence cannot begin with
_MIN_NAMING = 0.2  # of the places of a word that is mostly a verb, that follow an article: "the serve"
_LONG_LIST = 8  # words without a sentence that are no heading
_WORD = re.compile(r"([A-Za-z0-9]+)")
_WORD_OF_ANY_SCRIPT = re.compile(rf"([^\W_](?:[^\W_]|[{MARKS}])*+)")
_ONE = SPACELESS_RUN.pattern.removesuffix("+")
_PIECE = re.compile(rf"{_ONE}(?=({_ONE}))|(?<!{_ONE}){_ONE}|(?:(?!{_ONE}).)+", re.DOTALL)
_GAPS = {
    **dict.fromkeys(" \n\t\u00a0", SPACE),
    **dict.fromkeys("-\u2010\u2011", HYPHEN),
    **dict.fromkeys("'’", APOSTROPHE),
}
CONTRACTED = np.array([key_of(word) for word in ("em", "ll", "re", "ve")], np.uint64)
# Languages that write all nouns with a capital: there it does not make a name.
CAPITAL_NOUNS = frozenset(["german"])


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """The words of some texts, one after the other, and the sentences they are in."""

    texts: list[str]
    language: str
    # Of each word:
    documents: NDArray[np.int32]  # the text that it is in, and where
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    keys: NDArray[np.uint64]  # as a Lexicon describes it
    kinds: NDArray[np.uint16]
    gaps: NDArray[np.int8]  # what stands before it: BREAK, SPACE, HYPHEN or APOSTROPHE
    sentences: NDArray[np.int32]  # numbered through all texts
    # Of each sentence:
    sentence_documents: NDArray[np.int32]
    sentence_starts: NDArray[np.int32]
    sentence_ends: NDArray[np.int32]
    is_prose: NDArray[np.bool_]  # one may quote it
    is_list: NDArray[np.bool_]  # a line-up or a table

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def is_first(self) -> NDArray[np.bool_]:
        """Which words begin a sentence."""
        return np.diff(self.sentences, prepend=-1) > 0

    @property
    def is_content(self) -> NDArray[np.bool_]:
        """Which words may say something: no stop words, and none of lists."""
        return ((self.kinds & STOP) == 0) & ~self.is_list[self.sentences]

    @property
    def has_capital_nouns(self) -> bool:
        return self.language.split(",")[0] in CAPITAL_NOUNS

    def sentence(self, number: int) -> str:
        """Return a sentence as it is written, on one line."""
        text = self.texts[self.sentence_documents[number]]
        return " ".join(text[self.sentence_starts[number] : self.sentence_ends[number]].split())

    def find_pairs(self) -> NDArray[np.intp]:
        """Find the words that may make a phrase with the one before."""
        content = self.is_content & ((self.kinds & DIGIT) == 0)
        glued = (self.gaps == SPACE) | (self.gaps == HYPHEN)
        found = content & glued & np.append(False, content[:-1]) & ~self.is_first
        # "a 13-man squad": what a hyphen ties to a number or a small word begins no phrase.
        tied = (self.gaps == HYPHEN) & ~np.append(False, content[:-1])
        found &= ~np.append(False, tied[:-1])
        return np.flatnonzero(found)

    def find_names(
        self, is_name: NDArray[np.bool_] | None = None, plain: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Find rows of words that are one name, or one word with a hyphen: where they begin, and how many.

        Two to four words with capitals in a sentence ("Roland Garros", "James Van Alen", "O'Brien"), and
        words that hyphens join ("pre-Columbian", "all-rounder"). At the beginning of a sentence a capital
        says nothing of a common word, unless it is known which words are names, and which are plain.
        """
        n = len(self.keys)
        if not n:
            return np.empty(0, np.intp), np.empty(0, np.intp)
        first, prose = self.is_first, self.is_prose[self.sentences]
        common, capital = (self.kinds & PLAIN) > 0, (self.kinds & CAPITAL) > 0
        if is_name is not None and plain is not None:
            common = (common | plain) & ~is_name
        no_digit, content = (self.kinds & DIGIT) == 0, (self.kinds & STOP) == 0
        named = capital & no_digit & prose & ~(first & common)
        # One letter is no word, but O'Brien and D'Arcy begin with one, and Du Pont with two.
        one_letter = (self.ends - self.starts == 1) & (np.append(self.gaps[1:], BREAK) == APOSTROPHE)
        one_letter &= np.append(capital[1:], False)  # no "I've"
        particle = ((self.kinds & PARTICLE) > 0) & np.append(capital[1:] & content[1:], False)
        named &= content | one_letter | particle
        same_sentence = ~first
        # "Edwin van der Sar": small words of names stand between capitals.
        small = ((self.kinds & PARTICLE) > 0) & ~capital & (self.gaps == SPACE) & same_sentence
        for _ in range(2):
            named |= small & np.append(False, named[:-1])
        for _ in range(2):
            named &= ~small | np.append(named[1:] & (self.gaps[1:] == SPACE), False)
        named &= not self.has_capital_nouns
        joined = np.zeros(n, bool)
        joined[1:] = named[1:] & named[:-1] & (self.gaps[1:] != BREAK) & same_sentence[1:]
        joined &= (self.gaps != APOSTROPHE) | np.append(False, one_letter[:-1])
        before = np.append(False, named[:-1] & ~first[:-1])
        hyphen = (self.gaps == HYPHEN) & same_sentence & no_digit & np.append(False, no_digit[:-1])
        hyphen &= ~self.is_list[self.sentences] & (named | ~before)  # "London-based" is London
        # "pre-Columbian America": what a hyphen makes one word with a small word begins no name.
        compound = np.isin(np.cumsum(~hyphen), np.cumsum(~hyphen)[hyphen & ~(named & before)])
        joined &= hyphen | ~np.append(False, compound[:-1])
        # "the Qur'an", but no "Clinton're"
        apostrophe = (
            (self.gaps == APOSTROPHE) & (self.ends - self.starts > 1) & ~np.isin(self.keys, CONTRACTED)
        )
        apostrophe &= np.append(False, (capital & no_digit & ~one_letter)[:-1])
        joined |= hyphen | apostrophe
        # "the Englishman Paul Hawkins": who he is begins with his first name.
        person = np.append((self.kinds[1:] & NAME > 0) & (self.gaps[1:] == SPACE), False)  # no National Bank
        origin = ((self.kinds & ORIGIN) > 0) & ~joined & person & np.append(joined[2:], [False, False])[:n]
        joined &= ~np.append(False, origin[:-1])
        starts = np.flatnonzero(~joined & np.append(joined[1:], False))
        ends = np.flatnonzero(joined & ~np.append(joined[1:], False)) + 1
        lengths = ends - starts
        n_content = np.append(0, np.cumsum(content))
        kept = (lengths <= MAX_NAME) & (n_content[ends] > n_content[starts])
        return starts[kept], lengths[kept]

    def join(self, starts: NDArray[np.intp], lengths: NDArray[np.intp]) -> NDArray[np.uint64]:
        """Compute the keys of the phrases that begin at these words and have these lengths."""
        keys = self.keys[starts]
        for step in range(1, int(lengths.max(initial=0))):
            longer = lengths > step
            keys[longer] = join_keys(keys[longer], self.keys[starts[longer] + step])
        return keys


def spread(starts: NDArray[np.intp], lengths: NDArray[np.intp]) -> NDArray[np.intp]:
    """Give the numbers of all words in some rows of them, one row after the other."""
    ends = np.cumsum(lengths)
    return np.repeat(starts - ends + lengths, lengths) + np.arange(len(lengths) and ends[-1])


def read(texts: Iterable[str], lexicon: Lexicon) -> Reading:
    """Cut texts into words and sentences.

    Examples
    --------
    >>> reading = read(["Nadal won at Roland Garros. He likes clay."], Lexicon("english"))
    >>> [reading.texts[0][s:e] for s, e in zip(reading.starts, reading.ends)][:5]
    ['Nadal', 'won', 'at', 'Roland', 'Garros']
    >>> reading.sentences.tolist()
    [0, 0, 0, 0, 0, 1, 1, 1]
    >>> starts, lengths = reading.find_names()
    >>> starts.tolist(), lengths.tolist()
    ([3], [2])
    """
    with lexicon.reading():
        return _read(list(texts), lexicon)


def _read(texts: list[str], lexicon: Lexicon) -> Reading:
    rows, gaps, starts, ends = array("i"), array("b"), array("i"), array("i")
    numbers: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
    documents = np.zeros(len(texts), np.int64)
    spans: list[tuple[int, int]] = []
    sentence_documents: list[int] = []
    for document, text in enumerate(texts):
        prose = blank_out(text)
        words, kinds, begins, finishes = _split(prose)
        rows.extend(map(lexicon.__getitem__, words))
        gaps.extend(kinds)
        starts.frombytes(begins.tobytes())
        ends.frombytes(finishes.tobytes())
        own = sentences(prose)
        opens = np.array([start for start, _ in own], np.int32)
        numbers.append((len(spans) + np.searchsorted(opens, begins, "right") - 1).astype(np.int64))
        documents[document] = len(words)
        spans += own
        sentence_documents += [document] * len(own)
    keys, flags = lexicon.describe(np.frombuffer(rows, np.int32) if rows else np.empty(0, np.int32))
    sentence = np.concatenate(numbers).astype(np.int32)
    places = np.array(spans, np.int32).reshape(-1, 2)
    verb = (flags & VERB) > 0
    forms, place = np.unique(keys[verb], return_inverse=True)
    naming = np.bincount(place, np.append(False, (flags[:-1] & ARTICLE) > 0)[: len(flags)][verb], len(forms))
    named = naming >= _MIN_NAMING * np.bincount(place, minlength=len(forms))
    flags[np.flatnonzero(verb)[named[place]]] ^= VERB
    is_prose, is_list = _judge(flags, sentence, np.array(sentence_documents, np.int32), len(texts))
    letters = np.bincount(sentence, np.subtract(ends, starts) + 1, len(spans))
    is_prose &= letters >= _MIN_WORDS * (places[:, 1] - places[:, 0])
    first = (texts[document][start] for document, (start, _) in zip(sentence_documents, spans))
    is_prose &= np.array([letter not in _CUT_OFF for letter in first], bool)
    return Reading(
        texts,
        lexicon.language,
        np.repeat(np.arange(len(texts), dtype=np.int32), documents),
        np.array(starts, np.int32),
        np.array(ends, np.int32),
        keys,
        flags,
        np.array(gaps, np.int8),
        sentence,
        np.array(sentence_documents, np.int32),
        places[:, 0],
        places[:, 1],
        is_prose,
        is_list,
    )


def split_words(text: str) -> list[str]:
    """Cut a text into all its words, also of what is no prose."""
    return _split(text)[0]


def _split(text: str) -> tuple[list[str], Iterable[int], NDArray[np.int32], NDArray[np.int32]]:
    """Cut a text into words: the words, the gaps before them, where they begin and end."""
    parts = (_WORD if text.isascii() else _WORD_OF_ANY_SCRIPT).split(text)
    lengths = np.fromiter(map(len, parts), np.int32, len(parts))
    places = np.cumsum(lengths, dtype=np.int32)
    words, starts, ends = parts[1::2], places[:-1:2], places[1::2]
    gaps = map(_GAPS.get, parts[:-1:2], repeat(BREAK))
    if text.isascii() or not SPACELESS_RUN.search(text):
        return words, gaps, starts, ends
    # A row of characters without spaces is cut into overlapping pairs, as hott.text.tokens does.
    cut = [
        (piece[0] + (piece[1] or ""), gap if not number else BREAK, start + piece.start())
        for word, gap, start in zip(words, gaps, starts.tolist())
        for number, piece in enumerate(_PIECE.finditer(word))
    ]
    begins = np.array([at for _, _, at in cut], np.int32)
    sizes = np.array([len(piece) for piece, _, _ in cut], np.int32)
    return [piece for piece, _, _ in cut], [gap for _, gap, _ in cut], begins, begins + sizes


def _judge(
    kinds: NDArray[np.uint16], sentence: NDArray[np.int32], documents: NDArray[np.int32], n_documents: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Tell which sentences are prose, and which are lists of names or numbers.

    A text without any sentence, such as a heading, is no list: its words are all that it has.
    """
    n = len(documents)

    def share(kind: int) -> NDArray[np.float64]:
        return np.bincount(sentence, (kinds & kind) > 0, n) / np.maximum(words, 1)

    words = np.bincount(sentence, minlength=n)
    crowded = (share(CAPITAL) > _MAX_CAPITALS) | (share(DIGIT) > _MAX_DIGITS)
    is_prose = (words >= MIN_SENTENCE) & ~crowded & (share(STOP) >= _MIN_STOP)
    has_prose = np.bincount(documents, is_prose, n_documents)[documents] > 0
    return is_prose, crowded & (words >= _LONG_LIST) & has_prose
