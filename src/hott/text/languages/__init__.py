"""Languages: their stop words and stems, and which one a text is in.

The languages are those of the Snowball stemmers. The stop words (``stop_words.txt``) are made by
tools/make_stop_words.py from public lists.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hott.corpus import Corpus, texts_of
from hott.text.tokens import NumberedTexts, number, tokenize

__all__ = ["ENGLISH", "LANGUAGES", "Detected", "detect", "stemmer", "stop_words"]

STOP_WORDS = Path(__file__).with_name("stop_words.txt")

LANGUAGES = (
    "arabic", "armenian", "basque", "catalan", "czech", "danish", "dutch", "english", "esperanto", "estonian",
    "finnish", "french", "german", "greek", "hindi", "hungarian", "indonesian", "irish", "italian",
    "lithuanian", "nepali", "norwegian", "persian", "polish", "portuguese", "romanian", "russian", "serbian",
    "sesotho", "spanish", "swedish", "tamil", "turkish", "yiddish",
)  # fmt: skip
"""The languages whose stop words and stems are known."""

# Texts in one of the languages have 10 to 50 % stop words of it. Of two languages as near as Danish and
# Norwegian the right one has a tenth more.
_MIN_SHARE = 0.05
_MARGIN = 1.1
# A handful of words may all be stop words of some language by accident.
_MIN_LEAD = 3
# A text is in another language than most where it has this many stop words more than twice those of theirs,
# each counted once: "lang" and "min" are often words of computers, "LA" and "VA" places in a table.
_MIN_LEAD_OF_TEXT = 5
_MIN_TEXTS = 1 / 200  # of all, for a language to be worth reading: a few among thousands change nothing

Stem: TypeAlias = Callable[[str], str]
StopWords: TypeAlias = str | Iterable[str] | None


def check_language(language: str, also: tuple[str, ...] = ()) -> str:
    """Check the name of a language, or names with commas between them for texts of several languages.

    Examples
    --------
    >>> check_language("english, german")
    'english,german'
    """
    names = [name.strip() for name in language.split(",")] if isinstance(language, str) else []
    if (names and {*names} <= {*LANGUAGES}) or language in also:
        return ",".join(dict.fromkeys(names))
    raise ValueError(
        f"language must be one of {', '.join((*also, *LANGUAGES))}, or several with commas between them; got "
        f"{language!r}."
    )


def name_languages(languages: str) -> str:
    """Write the names of languages for people.

    Examples
    --------
    >>> name_languages("english,german,dutch")
    'English, German and Dutch'
    """
    *others, last = map(str.capitalize, languages.split(","))
    return f"{', '.join(others)} and {last}" if others else last


@cache
def _read_lists() -> Mapping[str, frozenset[str]]:
    lines = STOP_WORDS.read_text(encoding="utf-8").splitlines()
    return MappingProxyType({language: frozenset(words) for language, *words in map(str.split, lines)})


ENGLISH = _read_lists()["english"]


def stop_words(language: str) -> frozenset[str]:
    """Give the words of a language that say nothing about the subject.

    Examples
    --------
    >>> sorted(stop_words("german"))[:4]
    ['ab', 'aber', 'ach', 'acht']
    """
    return stop_words_of("auto", check_language(language))


def stop_words_of(stop_words: StopWords, language: str) -> frozenset[str]:
    """Find the words that ``stop_words`` stands for in texts of a language, or of several."""
    if stop_words is None:
        return frozenset()
    if isinstance(stop_words, str):
        names = (language if stop_words == "auto" else stop_words).split(",")
        if not {*names} <= {*LANGUAGES}:
            raise ValueError(
                f"stop_words must be 'auto', the name of a language, a list of words or None, got "
                f"{stop_words!r}. The languages: {', '.join(LANGUAGES)}."
            )
        lists = [_read_lists()[name] for name in names]
        return lists[0] if len(lists) == 1 else frozenset().union(*lists)
    # Split as the texts are: "isn't" on the list stops the "isn" that is left of it.
    return frozenset(token for word in stop_words for token in tokenize(word))


@cache
def stemmer(language: str) -> Stem:
    """Give the function that cuts a word down to its stem, which remembers the stems that it found.

    Examples
    --------
    >>> stem = stemmer("german")
    >>> stem("häuser"), stem("haus")
    ('haus', 'haus')
    """
    import Stemmer

    language = language.split(",")[0]
    if language not in Stemmer.algorithms():
        known = ", ".join(sorted(Stemmer.algorithms()))
        raise ValueError(f"stem must be True, False or one of {known}; got {language!r}.")
    # Its own cache, of 10,000 words, costs four times what a stem does.
    return lru_cache(maxsize=None)(Stemmer.Stemmer(language, 0).stemWord)


@dataclass(frozen=True, slots=True)
class Detected:
    """The language of texts, by the stop words found in them.

    Attributes
    ----------
    language : str
        That of most texts.
    share : float
        The part of the tokens that are stop words of it.
    next, next_share
        The language with most stop words besides, and its part.
    clear : bool
        False where hardly any stop word was found or two languages are about as likely; :attr:`note` then
        says so.
    others : tuple of str
        The languages of texts that are clearly in another one, that of the most texts first.

    Examples
    --------
    >>> Detected("german", 0.4, "dutch", 0.1, clear=True).note
    ''
    """

    language: str
    share: float
    next: str
    next_share: float
    clear: bool
    others: tuple[str, ...] = ()

    @property
    def languages(self) -> str:
        """All languages as one value, such as "english,german", that of most texts first."""
        return ",".join([self.language, *self.others])

    @property
    def note(self) -> str:
        """What a reader should know of several languages, or of one that is not clear; empty otherwise."""
        if not self.clear:
            return (
                f"the language is taken to be {self.language.capitalize()}, which is not certain: "
                f"{self.share:.0%} of the text are its stop words, and {self.next_share:.0%} those of "
                f"{self.next.capitalize()}. "
                f'Name the language, such as language="{self.next}", if it is another.'
            )
        if not self.others:
            return ""
        others = name_languages(",".join(self.others))
        return (
            f"most texts are in {self.language.capitalize()}, and some in {others}: each is read in its own "
            f'language. Name one, such as language="{self.language}", for all of them.'
        )


def detect(texts: Iterable[str] | Corpus) -> Detected:
    """Find out the language of texts by the stop words in them.

    The language with the most stop words among the tokens; English where none has enough (5 %), or where
    English comes within a tenth of it. A long text counts no more than one of middling length.

    Examples
    --------
    >>> detect(["Der Hund liegt unter dem Tisch, und die Katze sitzt auf der Bank."]).language
    'german'
    >>> detect(["lorem ipsum"]).note[:67]
    'the language is taken to be English, which is not certain: 0% of th'
    """
    return detect_numbered(*number(texts_of(texts, "texts")))


def detect_numbered(words: Sequence[str], texts: NumberedTexts) -> Detected:
    """Find out the language of texts whose words are numbers."""
    places = {word: place for place, word in enumerate(words)}
    members = np.zeros((len(words), len(LANGUAGES)), np.int32)
    for column, language in enumerate(LANGUAGES):
        members[[places[word] for word in _read_lists()[language] if word in places], column] = 1
    counts = texts.counts()
    hits = counts @ members  # texts x languages
    lengths = np.diff(texts.starts)
    middling = np.median(lengths) if len(lengths) else 0  # one book among reports does not outvote them
    weights = np.minimum(1, np.maximum(middling, 1) / np.maximum(lengths, 1))
    total, found = float(weights @ lengths), dict(zip(LANGUAGES, (weights @ hits).tolist()))
    # Equal ones in the order of the alphabet, after English.
    ranked = sorted(found, key=lambda name: (-found[name], name != "english", name))
    first, second = ranked[:2]
    enough = found[first] >= max(1, _MIN_SHARE * total)
    ahead = found[first] >= found["english"] + _MIN_LEAD and found[first] >= _MARGIN * found["english"]
    clear = enough and found[first] >= _MARGIN * found[second]
    if first != "english" and not (enough and ahead):
        first, second, clear = "english", first, False
    shares = [found[name] / max(total, 1) for name in (first, second)]
    different = (counts > 0).astype(np.int32) @ members
    others = _find_others(hits, different, lengths, LANGUAGES.index(first)) if clear else ()
    return Detected(first, shares[0], second, shares[1], clear, others)


def _find_others(
    hits: NDArray[np.int32], different: NDArray[np.int32], lengths: NDArray[np.int64], main: int
) -> tuple[str, ...]:
    """Find the languages that some texts have far more stop words of than of the main one."""
    best = different.argmax(axis=1)
    found, words = (each[np.arange(len(best)), best] for each in (hits, different))
    far_ahead = (words >= 2 * different[:, main] + _MIN_LEAD_OF_TEXT) & (found >= 2 * _MIN_SHARE * lengths)
    counts = Counter(best[far_ahead].tolist())
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(LANGUAGES[place] for place, count in ranked if count >= _MIN_TEXTS * len(hits))


def choose_language(tokens: Sequence[str], languages: str) -> str:
    """Choose the language of one text among those of its collection: the first, unless another is ahead.

    Examples
    --------
    >>> choose_language("der hund liegt unter dem tisch".split(), "english,german")
    'german'
    >>> choose_language(["hund"], "english,german")
    'english'
    """
    first, *others = languages.split(",")
    if not others:
        return first
    words = {*tokens}
    hits = {name: len(words & _read_lists()[name]) for name in (first, *others)}
    best = max(hits, key=lambda name: (hits[name], name == first))
    return best if hits[best] >= hits[first] + min(_MIN_LEAD, max(1, len(words) // 2)) else first
