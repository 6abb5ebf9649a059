"""Languages: their stop words and stems, and which one a text is in.

The languages are those of the Snowball stemmers. The stop words (``stop_words.txt``) are made by
tools/make_stop_words.py from public lists; English is scikit-learn's list, corrected here.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from hott.corpus import Corpus, texts_of
from hott.text.tokens import tokenize

__all__ = ["ENGLISH", "LANGUAGES", "Detected", "detect", "stemmer", "stop_words"]

STOP_WORDS = Path(__file__).with_name("stop_words.txt")

# scikit-learn's list holds words that carry a subject (a bank's interest, a fire, a bill in parliament) and
# lacks what an apostrophe leaves of isn't, we'll and they've, and some forms of words that it has.
_SUBJECTS = """amount bill bottom call computer con cry describe detail empty fill fire front interest mill
    move name part serious show side sincere system thick thin top"""
_CONTRACTIONS = """ain aren couldn didn doesn don hadn hasn haven isn ll mustn needn shouldn ve wasn weren
    wouldn"""
_FORMS = "did does doing having shall theirs"
ENGLISH = ENGLISH_STOP_WORDS - {*_SUBJECTS.split()} | {*_CONTRACTIONS.split(), *_FORMS.split()}

LANGUAGES = (
    "arabic", "armenian", "basque", "catalan", "czech", "danish", "dutch", "english", "esperanto", "estonian",
    "finnish", "french", "german", "greek", "hindi", "hungarian", "indonesian", "irish", "italian",
    "lithuanian", "nepali", "norwegian", "persian", "polish", "portuguese", "romanian", "russian", "serbian",
    "sesotho", "spanish", "swedish", "tamil", "turkish", "yiddish",
)  # fmt: skip
"""The languages whose stop words and stems are known."""

# Texts in one of the languages have 10 to 50 % stop words of it. Of two languages as near as Danish and
# Norwegian the right one has a tenth more.
_LEAST_SHARE = 0.05
_MARGIN = 1.1
# A handful of words may all be stop words of some language by accident.
_LEAST_LEAD = 3

Stem: TypeAlias = Callable[[str], str]
StopWords: TypeAlias = str | Iterable[str] | None


def check_language(language: str, also: tuple[str, ...] = ()) -> str:
    """The name of a language, or one of the other values allowed."""
    if isinstance(language, str) and language in (*LANGUAGES, *also):
        return language
    raise ValueError(f"language must be one of {', '.join((*also, *LANGUAGES))}; got {language!r}.")


@cache
def _lists() -> Mapping[str, frozenset[str]]:
    lines = STOP_WORDS.read_text(encoding="utf-8").splitlines()
    lists = {language: frozenset(words) for language, *words in map(str.split, lines)}
    return MappingProxyType({**lists, "english": frozenset(ENGLISH)})


def stop_words(language: str) -> frozenset[str]:
    """Give the words of a language that say nothing about the subject.

    Examples
    --------
    >>> sorted(stop_words("german"))[:4]
    ['ab', 'aber', 'ach', 'acht']
    """
    return _lists()[check_language(language)]


def stop_words_of(stop_words: StopWords, language: str) -> frozenset[str]:
    """The words that ``stop_words`` stands for in texts of a language."""
    if stop_words is None:
        return frozenset()
    if isinstance(stop_words, str):
        if stop_words == "auto":
            stop_words = language
        if stop_words not in LANGUAGES:
            raise ValueError(
                f"stop_words must be 'auto', the name of a language, a list of words or None, got "
                f"{stop_words!r}. The languages: {', '.join(LANGUAGES)}."
            )
        return _lists()[stop_words]
    # Split as the texts are: "isn't" on the list stops the "isn" that is left of it.
    return frozenset(token for word in stop_words for token in tokenize(word))


def stemmer(language: str) -> Stem:
    """Give the function that cuts a word down to its stem, which remembers the stems that it found.

    Examples
    --------
    >>> stem = stemmer("german")
    >>> stem("häuser"), stem("haus")
    ('haus', 'haus')
    """
    import Stemmer

    if language not in Stemmer.algorithms():
        known = ", ".join(sorted(Stemmer.algorithms()))
        raise ValueError(f"stem must be True, False or one of {known}; got {language!r}.")
    return lru_cache(maxsize=None)(Stemmer.Stemmer(language).stemWord)


@dataclass(frozen=True, slots=True)
class Detected:
    """The language of texts, by the stop words found in them.

    Attributes
    ----------
    language : str
    share : float
        The part of the tokens that are stop words of it.
    next, next_share
        The language with most stop words besides, and its part.
    clear : bool
        False where hardly any stop word was found or two languages are about as likely; :attr:`note` then
        says so.

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

    @property
    def note(self) -> str:
        """What a reader should know when the language is not clear; empty when it is."""
        if self.clear:
            return ""
        return (
            f"the language is taken to be {self.language.capitalize()}, which is not certain: "
            f"{self.share:.0%} of the text are its stop words, and {self.next_share:.0%} those of "
            f"{self.next.capitalize()}. "
            f'Name the language, such as language="{self.next}", if it is another.'
        )


def detect(texts: Iterable[str] | Corpus) -> Detected:
    """Find out the language of texts by the stop words in them.

    The language with the most stop words among the tokens; English where none has enough (5 %), or where
    English comes within a tenth of it.

    Examples
    --------
    >>> detect(["Der Hund liegt unter dem Tisch, und die Katze sitzt auf der Bank."]).language
    'german'
    >>> detect(["lorem ipsum"]).note[:67]
    'the language is taken to be English, which is not certain: 0% of th'
    """
    return detect_counted(Counter(word for text in texts_of(texts, "texts") for word in tokenize(text)))


def detect_counted(counts: Mapping[str, int]) -> Detected:
    """The language of words that were counted."""
    total = sum(counts.values())
    found = {name: sum(counts.get(word, 0) for word in words) for name, words in _lists().items()}
    # Equal ones in the order of the alphabet, after English.
    ranked = sorted(found, key=lambda name: (-found[name], name != "english", name))
    first, second = ranked[:2]
    enough = found[first] >= max(1, _LEAST_SHARE * total)
    ahead = found[first] >= found["english"] + _LEAST_LEAD and found[first] >= _MARGIN * found["english"]
    clear = enough and found[first] >= _MARGIN * found[second]
    if first != "english" and not (enough and ahead):
        first, second, clear = "english", first, False
    return Detected(first, found[first] / max(total, 1), second, found[second] / max(total, 1), clear)
