"""Words as search by words sees them: without stop words, the forms of one word alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from hott.text.languages import StopWords, choose_language, stemmer, stop_words_of
from hott.text.tokens import tokenize

# Snowball takes -er off every German word: Wetter, Wette and wetten become one. It is an ending of
# adjectives, of plurals with an umlaut, and of these; elsewhere it belongs to the word.
_PLURALS_IN_ER = (
    "kinder", "bilder", "lieder", "felder", "gelder", "kleider", "geister", "lichter", "nester", "schilder",
    "glieder", "rinder", "bretter", "gesichter", "schwerter", "geschlechter", "leiber", "gespenster",
)  # fmt: skip
_ADJECTIVES = ("ig", "isch", "tsch", "lich", "bar", "sam", "haft", "los", "end", "iv", "al", "ell", "voll")
_UMLAUTS = str.maketrans({"ä": "a", "ö": "o", "ü": "u", "ß": "ss"})


@dataclass(frozen=True, slots=True)
class WordForms:
    """Cuts texts into words and brings the forms of one word together by its stem.

    >>> WordForms(frozenset(["the"]), "english").forms("The penalty kicks")
    ['penalti', 'kick']
    >>> both = WordForms.of("auto", "english,german")
    >>> both.forms("The dogs are in the house"), both.forms("Die Hunde sind in den Häusern")
    (['dog', 'hous'], ['hund', 'haus'])
    """

    stop_words: frozenset[str]
    language: str | None  # of the Snowball stemmer; None keeps words as they are
    others: "tuple[WordForms, ...]" = ()  # of the other languages of the collection
    keeps_er: bool = False  # as German words do, and indexes of before did not

    @classmethod
    def of(cls, stop_words: StopWords, languages: str, keeps_er: bool = True) -> Self:
        """Make the forms of one or several languages, that of most texts first."""
        first, *others = [
            cls(stop_words_of(stop_words, language), language, keeps_er=keeps_er and language == "german")
            for language in languages.split(",")
        ]
        return cls(first.stop_words, first.language, tuple(others), first.keeps_er)

    def narrow(self, tokens: Sequence[str]) -> "WordForms":
        """Return the forms of the language that a text is in."""
        if not self.others or self.language is None:
            return self
        languages = ",".join([self.language, *(str(one.language) for one in self.others)])
        chosen = choose_language(tokens, languages)
        return next((one for one in self.others if one.language == chosen), self)

    def tokens(self, text: str) -> list[str]:
        """List the words of a text that count, as they are written."""
        tokens = tokenize(text)
        stop_words = self.narrow(tokens).stop_words
        return [word for word in tokens if word not in stop_words]

    def form(self, word: str) -> str:
        """Return the form that stands for all forms of a word."""
        if self.language is None:
            return word
        stem = stemmer(self.language)(word)
        return _keep_er(word, stem) if self.keeps_er else stem

    def all_forms(self, word: str) -> tuple[str, ...]:
        """Return the form of a word in each language of the collection."""
        return tuple(dict.fromkeys([self.form(word), *(one.form(word) for one in self.others)]))

    def forms(self, text: str) -> list[str]:
        """List the words of a text that count, each as its form."""
        tokens = tokenize(text)
        own = self.narrow(tokens)
        return [own.form(word) for word in tokens if word not in own.stop_words]


@lru_cache(maxsize=200_000)
def _keep_er(word: str, stem: str) -> str:
    """Return the stem of a German word with its -er, where that is no ending.

    >>> [_keep_er(*pair) for pair in (("wetters", "wett"), ("bilder", "bild"), ("häuser", "haus"))]
    ['wetter', 'bild', 'haus']
    """
    whole = word[:-1] if word.endswith(("ers", "ern")) else word
    if not whole.endswith("er") or len(whole) < 5 or stem != whole[:-2].translate(_UMLAUTS):
        return stem
    root = whole[:-2]
    is_participle = root.startswith("ge") and root.endswith("t") and len(root) > 5
    if is_participle or root.endswith(_ADJECTIVES) or whole.endswith(_PLURALS_IN_ER):
        return stem
    return stem if any(letter in "äöü" for letter in root[-5:]) else f"{stem}er"
