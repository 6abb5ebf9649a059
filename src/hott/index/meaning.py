"""By which words of a document the words of a query were met, as the bundled encoder reads both."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hott.embeddings.encoder import LEAD_WEIGHT, Encoder, WordsInContext

MIN_SHARE = 0.1  # of the likeness, for a word of the query to be told
MIN_MEETING = 0.3  # of what the best word of the document adds, for another to be told beside it
MIN_LIKENESS = 0.2  # cosine of two words by themselves: a word that is near by its company alone is not told
MAX_MET = 3  # words of the document for a word of the query
MAX_CANDIDATES = 12  # words that are looked at for that


@dataclass(frozen=True, slots=True)
class Meeting:
    """A word of a query, and words of a document that are near it in meaning, in their contexts."""

    word: str
    met: tuple[str, ...]
    share: float

    def __str__(self) -> str:
        return f"{self.word} ~ {', '.join(self.met)}"


def pair_words(
    query: WordsInContext, document: WordsInContext, centre: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Compute what each pair of words adds to the cosine of two texts, both less the centre.

    The centre is taken from each word in proportion to its weight. So all pairs add up to the cosine, and
    words that are in every text add next to nothing.
    """
    sides = []
    for side in (query, document):
        rows = side.shares.astype(np.float64)
        weights = np.linalg.norm(rows, axis=1)
        apart = rows - np.outer(weights / weights.sum(), centre)
        sides.append(apart / max(float(np.linalg.norm(apart.sum(axis=0))), 1e-12))
    return sides[0] @ sides[1].T


def find_meetings(
    query: str,
    document: str,
    centre: NDArray[np.float32],
    stop_words: Collection[str],
    form: Callable[[str], str],
) -> tuple[Meeting, ...]:
    """Find the words of a query that a document meets by other words, those that add most first."""
    encoder = Encoder.load()
    asked = encoder.words_in_context(query, threads=1)
    there = encoder.words_in_context(document, LEAD_WEIGHT, threads=1)
    if not asked.words or not there.words:
        return ()
    names, numbers = np.unique(np.array(there.words, object), return_inverse=True)
    forms = [None if name in stop_words else form(name) for name in names.tolist()]
    added: dict[str, NDArray[np.float64]] = {}  # by each word of the query, for each of the document
    for word, row in zip(asked.words, pair_words(asked, there, centre)):
        if word not in stop_words:
            added[word] = added.get(word, np.zeros(len(names))) + np.bincount(numbers, row, len(names))
    total = sum(max(float(row.sum()), 0.0) for row in added.values())
    meetings = []
    for word, row in added.items():
        share = float(row.sum()) / total if total > 0 else 0.0
        if share < MIN_SHARE:
            continue
        others = np.array([other not in (None, form(word)) for other in forms])
        best = np.argsort(np.where(others, -row, np.inf), kind="stable")[: min(MAX_CANDIDATES, others.sum())]
        alone = encoder.encode([word, *names[best]], threads=1)
        best = best[(alone[1:] @ alone[0] >= MIN_LIKENESS) & (row[best] > 0)]
        met = [names[place] for place in best[:MAX_MET] if row[place] >= MIN_MEETING * row[best[0]]]
        if met:
            meetings.append(Meeting(word, tuple(met), share))
    return tuple(sorted(meetings, key=lambda meeting: -meeting.share))
