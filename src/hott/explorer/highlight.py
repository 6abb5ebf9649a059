"""Where in a text the words are that carry each topic."""

import re
from collections.abc import Iterable
from itertools import accumulate
from typing import TYPE_CHECKING

from scipy import sparse

if TYPE_CHECKING:
    from hott.explain import Side
    from hott.vocabulary import Vocabulary

# Letters, digits and the marks that belong to them: a generous cut, as the vocabulary decides what is a word.
_CHUNK = re.compile(r"[^\W_](?:[^\W_]|[^\x00-\x7f\s\w])*")


def marks(text: str, side: "Side", vocabulary: "Vocabulary") -> list[tuple[int, int, int]]:
    """The words of ``text`` that carry a topic of ``side``: start, end, and the topic that they carry most.

    Places count in UTF-16 units, as JavaScript does.
    """
    topic_of = _carried(side)
    spans = [match.span() for match in _CHUNK.finditer(text)]
    chunks = sorted({text[start:end] for start, end in spans})
    if not chunks:
        return []
    counts = sparse.csr_array(vocabulary.transform(chunks))
    words = vocabulary.words_
    topics: dict[str, int] = {}
    for row, chunk in enumerate(chunks):
        known = words[counts.indices[counts.indptr[row] : counts.indptr[row + 1]]]
        carried = [topic_of[word] for word in known if word in topic_of]
        if carried:
            topics[chunk] = max(set(carried), key=carried.count)
    place = _utf16_places(text)
    return [
        (place[start], place[end], topics[text[start:end]])
        for start, end in spans
        if text[start:end] in topics
    ]


def _carried(side: "Side") -> dict[str, int]:
    """The topic that each word of the document carries most."""
    best: dict[str, tuple[float, int]] = {}
    for topic in side.proportions:
        for carrier in side.words(topic, None):
            if carrier.mass > best.get(carrier.text, (0.0, -1))[0]:
                best[carrier.text] = (carrier.mass, topic.number)
    return {word: number for word, (_, number) in best.items()}


def _utf16_places(text: str) -> "range | list[int]":
    """Where each character begins when those beyond the basic plane count twice.

    Examples
    --------
    >>> list(_utf16_places("a😀b"))
    [0, 1, 3, 4]
    """
    if not text or max(text) <= "\uffff":
        return range(len(text) + 1)
    widths: Iterable[int] = (1 + (character > "\uffff") for character in text)
    return list(accumulate(widths, initial=0))
