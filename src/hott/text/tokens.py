"""Words out of text: the same for counting and for training word vectors, in any script."""

import re
import unicodedata
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

# Scripts written without spaces between words: Thai, Lao, Myanmar, Khmer, kana, and Chinese characters.
_SPACELESS = (
    "\u0e00-\u0e4e\u0e80-\u0eff\u1000-\u103f\u1050-\u109f\u1780-\u17d3\u3005\u3007"
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
SPACELESS_RUN = re.compile(f"[{_SPACELESS}]+")

# Python's \w leaves out marks, which are parts of words in Hindi, Tamil, Hebrew or Arabic with vowels.
MARKS = "".join(mark for mark in map(chr, range(0x300, 0xE00)) if unicodedata.category(mark)[0] == "M")

MAX_WORD_LENGTH = 64
"""Characters. What is longer is an address, a key or a lost space, and takes a stemmer minutes."""

# A letter, then letters, digits and marks: "mp3" is a word, "1987" and "a" are not.
_ASCII_WORD = re.compile(rf"(?<![a-z0-9])[a-z][a-z0-9]{{1,{MAX_WORD_LENGTH - 1}}}+(?![a-z0-9])")
_WORD = re.compile(rf"(?<![^\W_])[^\W\d_](?:[^\W_]|[{MARKS}{_SPACELESS}])++")
# Not a letter among them. Unicode puts a run of marks in order in quadratic time.
_LONG_RUN_OF_MARKS = re.compile(rf"[^\w\s\x00-\x7f]{{{MAX_WORD_LENGTH},}}+")

PASSAGE = 1 << 18
"""Characters of a long text that are read together, so that reading it takes little memory beside it."""

_BLANK = re.compile(r"\s")
_MAX_ENDING = 4  # letters by which forms of a word differ in length


def tokenize(text: str) -> list[str]:
    """Split a text into words, in lower case.

    A word has two letters or more, and 64 at most; digits may follow the first letter. Accents and combining
    marks belong to the word, an apostrophe does not. Chinese, Japanese, Thai, Lao, Khmer and Burmese, which
    put no spaces between words, are cut into overlapping pairs of characters.

    Examples
    --------
    >>> tokenize("The café's MP3s, in 1987: naïve!")
    ['the', 'café', 'mp3s', 'in', 'naïve']
    >>> tokenize("L'homme qu’il était")
    ['homme', 'qu', 'il', 'était']
    >>> tokenize("我喜欢猫 cats")
    ['我喜', '喜欢', '欢猫', 'cats']
    """
    if len(text) <= 2 * PASSAGE:
        return _tokenize(text)
    same: dict[str, str] = {}  # a word that comes again takes a few bytes
    return [same.setdefault(word, word) for passage in passages(text) for word in _tokenize(passage)]


def _tokenize(text: str) -> list[str]:
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    # NFKC joins accents to their letters and takes the ligatures of PDF files apart; soft hyphens only hint
    # at where a line may break.
    text = unicodedata.normalize("NFKC", _LONG_RUN_OF_MARKS.sub(" ", text))
    # Lower case of the Turkish capital İ is an i with a dot of its own; the word has a plain one elsewhere.
    text = text.replace("\u00ad", "").lower().replace("i\u0307", "i")
    words = _WORD.findall(SPACELESS_RUN.sub(_pairs, text))
    return [word for word in words if len(word) <= MAX_WORD_LENGTH]


def passages(text: str) -> Iterator[str]:
    """Cut a text at white space into passages of about :data:`PASSAGE` characters, which have the same words.

    Examples
    --------
    >>> [len(passage) for passage in passages("word " * 120_000)]
    [262144, 337856]
    """
    start = 0
    while len(text) - start > 2 * PASSAGE:
        blank = _BLANK.search(text, start + PASSAGE)
        if blank is None:
            break
        yield text[start : blank.start()]
        start = blank.start()
    yield text[start:]


def _pairs(run: re.Match[str]) -> str:
    return f" {' '.join(map(''.join, pairwise(run.group())))} "


@dataclass(frozen=True, slots=True, eq=False)
class NumberedTexts:
    """The words of texts in their order, as numbers: what counting and the company of words need.

    ``numbers`` holds the texts one after the other, ``starts`` where each begins and where the last ends.
    """

    n_words: int
    numbers: NDArray[np.int32]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def counts(self) -> sp.csr_matrix:
        """Count how often each text has each word."""
        ones = np.ones(len(self.numbers), np.int32)
        shape = len(self.starts) - 1, self.n_words
        counts = sp.csr_matrix((ones, self.numbers, self.starts), shape=shape, copy=True)
        counts.sum_duplicates()  # in place: the numbers themselves must stay
        return counts

    def totals(self) -> NDArray[np.int64]:
        """Count how often each word occurs."""
        return np.bincount(self.numbers, minlength=self.n_words)

    def renumber(self, new: NDArray[np.int32], n_words: int) -> "NumberedTexts":
        """Return the same texts with new numbers for the words; a word with a negative one is left out."""
        numbers = new[self.numbers]
        kept = numbers >= 0
        before = np.concatenate([[0], np.cumsum(kept)])
        return NumberedTexts(n_words, numbers[kept], before[self.starts])

    def list_words(self, words: Sequence[str]) -> Iterator[list[str]]:
        """List the words of each text, given the word of each number."""
        names = np.array(words, dtype=object)
        for start, end in pairwise(self.starts.tolist()):
            yield names[self.numbers[start:end]].tolist()

    def documents(self) -> NDArray[np.int32]:
        """Return the number of the text that each token belongs to."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.starts))


Text = TypeVar("Text")


def number(
    texts: Iterable[Text],
    split: Callable[[Text], list[str]] = tokenize,  # type: ignore[assignment]
) -> tuple[list[str], NumberedTexts]:
    """Return the different words of texts in alphabetical order, and the texts as numbers of these words.

    Examples
    --------
    >>> words, numbered = number(["one fish, two fish", "red fish"])
    >>> words
    ['fish', 'one', 'red', 'two']
    >>> numbered.numbers, numbered.starts
    (array([1, 0, 3, 0, 2, 0], dtype=int32), array([0, 4, 6]))
    """
    first_seen: defaultdict[str, int] = defaultdict()
    first_seen.default_factory = first_seen.__len__
    numbers, starts = array("i"), [0]
    for text in texts:
        numbers.extend(map(first_seen.__getitem__, split(text)))
        starts.append(len(numbers))
    words = sorted(first_seen)
    new = np.empty(len(words), np.int32)
    new[[first_seen[word] for word in words]] = np.arange(len(words), dtype=np.int32)
    old = np.frombuffer(numbers, np.int32) if numbers else np.empty(0, np.int32)
    return words, NumberedTexts(len(words), new[old], np.array(starts, np.int64))


def same_word(word: str, other: str) -> bool:
    """Say whether two words look like forms of one: they begin alike and differ in a short ending.

    They share three quarters of the shorter one, four letters at least. Codes with digits never do.

    Examples
    --------
    >>> same_word("planet", "planetary"), same_word("star", "starlight"), same_word("pcr1", "pcr2")
    (True, False, False)
    """
    shorter, longer = sorted((word, other), key=len)
    same = max(4, -(-3 * len(shorter) // 4))
    return (
        len(shorter) >= same
        and len(longer) - len(shorter) <= _MAX_ENDING
        and word[:same] == other[:same]
        and word.isalpha()
        and other.isalpha()
    )
