"""By which words of a document the words of a query were met, as the bundled encoder reads both."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hott.embeddings.encoder import LEAD_WEIGHT, Encoder, WordsInContext
from hott.lexical import Match

QUERY_CENTRE = 0.75  # of what documents have in common is taken from a query: it has less of it
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
    """Compute what each pair of words adds to the cosine of a query and a document, both less the centre.

    The centre is taken from each word in proportion to its weight. So all pairs add up to the cosine, and
    words that are in every text add next to nothing.
    """
    sides = []
    for side, kept in ((query, QUERY_CENTRE), (document, 1.0)):
        rows = side.shares.astype(np.float64)
        weights = np.linalg.norm(rows, axis=1)
        apart = rows - np.outer(kept * weights / weights.sum(), centre)
        sides.append(apart / max(float(np.linalg.norm(apart.sum(axis=0))), 1e-12))
    return sides[0] @ sides[1].T


def name_words(matches: Sequence[Match]) -> dict[str, str]:
    """Say which word of a query each word is that the encoder reads in it.

    It reads a misspelt word as what is meant, and the letters of a word with digits alone.

    >>> name_words([Match("mp3", "same", ()), Match("plaier", "spelled like", (), meant="player")])
    {'mp': 'mp3', 'player': 'plaier'}
    """
    names = {match.word: match.word for match in matches}
    for match in matches:
        for letters in re.findall(r"[^\W\d_]+", match.meant or match.word):
            names.setdefault(letters, match.word)
    return {read: word for read, word in names.items() if read != word}


@dataclass(frozen=True, eq=False)
class MeetingFinder:
    """Finds the words of a query that documents meet by other words."""

    query: WordsInContext
    centre: NDArray[np.float32]  # of the vectors of texts
    untold: Collection[str]  # words that say little: every document meets them
    form: Callable[[str], str]
    names: Mapping[str, str] = field(default_factory=dict)  # words of the query that are read otherwise
    _alone: dict[str, NDArray[np.float32]] = field(default_factory=dict, repr=False)  # words by themselves

    def find(self, document: str) -> tuple[Meeting, ...]:
        """Find the words of the query that a document meets, those that add most first."""
        there = Encoder.load().words_in_context(document, LEAD_WEIGHT, threads=1)
        if not self.query.words or not there.words:
            return ()
        names, numbers = np.unique(np.array(there.words, object), return_inverse=True)
        forms = [None if name in self.untold else self.form(name) for name in names.tolist()]
        added: dict[str, NDArray[np.float64]] = {}  # by each word of the query, for each of the document
        for word, row in zip(self.query.words, pair_words(self.query, there, self.centre)):
            if word not in self.untold:
                added[word] = added.get(word, np.zeros(len(names))) + np.bincount(numbers, row, len(names))
        total = sum(max(float(row.sum()), 0.0) for row in added.values())
        meetings = []
        for word, row in added.items():
            share = float(row.sum()) / total if total > 0 else 0.0
            if share < MIN_SHARE:
                continue
            own = self.form(word)
            others = np.array([other not in (None, own) for other in forms])
            count = min(MAX_CANDIDATES, others.sum())
            best = np.argsort(np.where(others, -row, np.inf), kind="stable")[:count]
            alone = self._encode([word, *names[best]])
            best = best[(alone[1:] @ alone[0] >= MIN_LIKENESS) & (row[best] > 0)]
            met = [names[place] for place in best[:MAX_MET] if row[place] >= MIN_MEETING * row[best[0]]]
            if met:
                meetings.append(Meeting(self.names.get(word, word), tuple(met), share))
        return tuple(sorted(meetings, key=lambda meeting: -meeting.share))

    def _encode(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Encode words by themselves; many documents have the same."""
        new = [word for word in dict.fromkeys(words) if word not in self._alone]
        self._alone.update(zip(new, Encoder.load().encode(new, threads=1)))
        return np.array([self._alone[word] for word in words])
