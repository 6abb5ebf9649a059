"""Words as search by words sees them: without stop words, the forms of one word alike."""

from dataclasses import dataclass
from functools import lru_cache

from hott.text.languages import stemmer
from hott.text.tokens import tokenize


@dataclass(frozen=True, slots=True)
class WordForms:
    """Cuts texts into words and brings the forms of one word together by its stem.

    Examples
    --------
    >>> WordForms(frozenset(["the"]), "english").forms("The penalty kicks")
    ['penalti', 'kick']
    """

    stop_words: frozenset[str]
    language: str | None  # of the Snowball stemmer; None keeps words as they are

    def tokens(self, text: str) -> list[str]:
        """The words of a text that count, as they are written."""
        return [word for word in tokenize(text) if word not in self.stop_words]

    def form(self, word: str) -> str:
        """What stands for all forms of a word."""
        return word if self.language is None else _stemmer(self.language)(word)

    def forms(self, text: str) -> list[str]:
        """The words of a text that count, each as its form."""
        words = self.tokens(text)
        return words if self.language is None else list(map(_stemmer(self.language), words))


_stemmer = lru_cache(stemmer)
