"""Search by words: which documents have which word, how well they match a query, and where they show it."""

from hott.lexical.frequencies import Frequencies, Language, WeightedQuery
from hott.lexical.matching import Match, Matcher, words_in
from hott.lexical.postings import Postings
from hott.lexical.snippets import Snippet, snippet
from hott.lexical.words import WordForms

__all__ = [
    "Frequencies",
    "Language",
    "Match",
    "Matcher",
    "Postings",
    "Snippet",
    "WeightedQuery",
    "WordForms",
    "snippet",
    "words_in",
]
