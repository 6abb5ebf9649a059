"""Where in a text the told terms and the words of a question are, as JavaScript counts characters."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from typing import TYPE_CHECKING

from hott.explorer.schemas import Answer
from hott.index.comparing import find_all_meetings
from hott.terms import TermStatistics, find_terms

if TYPE_CHECKING:
    from hott.corpus import Document
    from hott.explain import Mark
    from hott.index import Index
    from hott.index.meaning import Meeting
    from hott.lexical import Match

NEAR = 0.5  # weight of a word that is near one of the question, where that itself has 1
MAX_MET = 4  # words of the hits for a word of a question
MIN_HITS = 1 / 3  # of the hits, that meet a word of a question, for it to be told
MAX_SHARED = 8  # terms of two documents
Place = tuple[int, int, int, float]
"""Start, end, number of the word or term, and its weight."""


def find_asked(index: "Index", document: "Document", text: str) -> tuple[list[str], list[Place]]:
    """Find the words of a question, and where a document has them or words near them in meaning."""
    query, form = index.searcher.parser.parse(text), index.model.analyzer.form
    [meetings] = find_all_meetings(index.searcher, query, [document])
    words = [match.word for match in query.matches]
    met = {
        word: (words.index(one.word), NEAR)
        for one in reversed(meetings)
        if one.word in words
        for word in one.met
    }
    asked = {own: (number, 1.0) for number, match in enumerate(query.matches) for own, _ in match.by}
    found = ((part.span(), part.group().lower()) for part in re.finditer(r"\w+", document.text))
    marks = [(*span, *place) for span, word in found if (place := asked.get(form(word)) or met.get(word))]
    return words, marks


def tell_words(matches: "Iterable[Match]", met: "Sequence[Iterable[Meeting]]") -> list[Answer]:
    """Tell each word of a question with what it was searched by, and the words of the hits that it met.

    What only a few of the hits meet is chance, as a rule, and says nothing of the others: "getting ~ day".
    """
    own: dict[str, list[Meeting]] = {}
    for meeting in chain.from_iterable(met):
        own.setdefault(meeting.word, []).append(meeting)
    often = {word: some for word, some in own.items() if len(some) >= MIN_HITS * len(met)}
    counts = {word: Counter(chain.from_iterable(one.met for one in some)) for word, some in often.items()}
    return [
        {
            "word": match.word,
            "how": match.how,
            "by": list(match.words),
            "met": [word for word, _ in counts.get(match.word, Counter()).most_common(MAX_MET)],
        }
        for match in matches
    ]


def find_shared(
    document: "Document", other: "Document", statistics: TermStatistics
) -> tuple[list[str], list[Place]]:
    """Find the terms that a document shares with another, and where it has them."""
    keys = {term.key for term in find_terms(other.text, statistics, other.title).terms if not term.is_minor}
    terms = find_terms(document.text, statistics, document.title).terms
    shared = [term for term in terms if term.key in keys][:MAX_SHARED]
    marks = [(*span, number, term.weight) for number, term in enumerate(shared) for span in term.spans]
    return [term.text for term in shared], sorted(marks)


def utf16_marks(text: str, marks: "Iterable[Mark]") -> list[tuple[int, int, int]]:
    """Give marks of ``text`` with their places in UTF-16 units: start, end, number of the group."""
    place = utf16_places(text)
    return [(place[start], place[end], group) for start, end, group in marks]


def utf16_places(text: str) -> "range | list[int]":
    """Return where each character begins when those beyond the basic plane count twice.

    Examples
    --------
    >>> list(utf16_places("a😀b"))
    [0, 1, 3, 4]
    """
    if not text or max(text) <= "\uffff":
        return range(len(text) + 1)
    widths: Iterable[int] = (1 + (character > "\uffff") for character in text)
    return list(accumulate(widths, initial=0))
