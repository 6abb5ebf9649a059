"""Sentences of two texts side by side: exact transport between them, and what of it is above chance."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Self, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from hott.embeddings import WordVectors
from hott.embeddings.vectors import unit_rows
from hott.terms.document import DocumentTerms
from hott.terms.lexicon import STOP, lexicon_of, normalize
from hott.terms.reading import read
from hott.terms.statistics import TermStatistics
from hott.transport import solve

SentenceVectors: TypeAlias = Callable[[Sequence[str]], NDArray[np.floating]]
"""From sentences to their points, one a row; a row of zeros for a sentence without a known word."""

MIN_ABOVE_CHANCE = 1.0  # standard deviations from which a pair is worth showing
_SAMPLE = 2_000  # sentences that chance is estimated from
_PAIRS = 4_000
_MAX_KEPT = 4_096  # terms whose points are kept: of a document that is compared with many, they are the same

_kept: WeakKeyDictionary[WordVectors, dict[str, NDArray[np.float64]]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class SentencePair:
    """A sentence of A beside one of B."""

    a: int  # its number
    b: int
    mass: float  # of the texts, that the transport moves from the one to the other
    above_chance: float  # in standard deviations of the likeness of random sentences

    @property
    def weight(self) -> float:
        """Mass times likeness above chance."""
        return self.mass * max(self.above_chance, 0.0)


def sum_word_vectors(statistics: TermStatistics, vectors: WordVectors) -> SentenceVectors:
    """Make points of sentences from word vectors: their sum, rare words counting for more.

    >>> vectors = WordVectors(["comet", "goal"], [[1.0, 0.0], [0.0, 1.0]])
    >>> encode = sum_word_vectors(TermStatistics.of(["A comet.", "A goal."], "english"), vectors)
    >>> encode(["The comet.", "Nothing."]).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    lexicon = lexicon_of(statistics.language)

    def encode(sentences: Sequence[str]) -> NDArray[np.float64]:
        reading = read(sentences, lexicon)
        places = zip(reading.documents.tolist(), reading.starts.tolist(), reading.ends.tolist())
        words = [normalize(reading.texts[text][start:end]) for text, start, end in places]
        weights = np.where((reading.kinds & STOP) > 0, 0.0, statistics.idf(reading.keys))
        return _sum_vectors(words, reading.documents, weights, len(sentences), vectors)

    return encode


def place_terms(terms: Sequence[str], vectors: WordVectors | None) -> NDArray[np.float64]:
    """Give terms as unit vectors, the sums of their words; zeros where there is none."""
    if vectors is None:
        return np.zeros((len(terms), 1))

    def place(terms: Sequence[str]) -> NDArray[np.float64]:
        split = [normalize(term).replace("-", " ").split() for term in terms]
        rows = np.repeat(np.arange(len(terms)), np.array([*map(len, split)], np.intp))
        return _sum_vectors(list(chain(*split)), rows, np.ones(len(rows)), len(terms), vectors)

    return _recall(terms, _kept.setdefault(vectors, {}), place)


def _recall(
    texts: Sequence[str], kept: dict[str, NDArray[Any]], place: Callable[[Sequence[str]], NDArray[Any]]
) -> NDArray[Any]:
    """Give the points of texts, one a row, those that are kept without placing them again."""
    points = {text: point for text in texts if (point := kept.get(text)) is not None}
    new = [text for text in dict.fromkeys(texts) if text not in points]
    made = place(new)
    points.update(zip(new, made))
    if len(kept) + len(new) > _MAX_KEPT:
        kept.clear()
    kept.update((text, points[text]) for text in new)
    return np.array([points[text] for text in texts]).reshape(len(texts), made.shape[1])


def _sum_vectors(
    words: Sequence[str], rows: NDArray[Any], weights: NDArray[np.float64], n: int, vectors: WordVectors
) -> NDArray[np.float64]:
    """Sum the vectors of words by row, and scale each sum to length one."""
    known, sums = vectors.known(words), np.zeros((n, vectors.dimensions))
    if known.any():
        points = vectors.matrix(word for word, there in zip(words, known) if there)
        np.add.at(sums, rows[known], weights[known, None] * points)
    return unit_rows(sums)


@dataclass(frozen=True, slots=True, eq=False)
class SentenceSpace:
    """Where sentences of a collection are, and how alike two of them are by chance.

    Parameters
    ----------
    encode : SentenceVectors
    center : array
        The mean of the collection's sentences.
    mean, deviation : float
        Of the likeness of two random sentences of the collection.

    Examples
    --------
    >>> vectors = WordVectors(["comet", "goal"], [[1.0, 0.0], [0.0, 1.0]])
    >>> texts = ["The comet was seen by us.", "The goal was seen by us."]
    >>> statistics = TermStatistics.of(texts, "english")
    >>> round(SentenceSpace.fit(texts, sum_word_vectors(statistics, vectors), statistics).mean, 6)
    -1.0
    """

    encode: SentenceVectors
    center: NDArray[np.float64]
    mean: float
    deviation: float
    _kept: dict[str, NDArray[np.floating]] = field(default_factory=dict, repr=False)

    @classmethod
    def fit(cls, texts: Iterable[str], encode: SentenceVectors, statistics: TermStatistics) -> Self:
        """Estimate the center and chance from a sample of texts; the same texts give the same numbers."""
        reading = read(texts, lexicon_of(statistics.language))
        quoted = np.flatnonzero(reading.is_prose)
        quoted = quoted[np.linspace(0, len(quoted) - 1, min(_SAMPLE, len(quoted))).astype(int)]
        rows = _encode(encode, [reading.sentence(k) for k in quoted.tolist()])
        rows = rows[np.any(rows, axis=1)]
        if len(rows) < 2:
            return cls(encode, np.zeros(rows.shape[1]), 0.0, 1.0)
        center = rows.mean(axis=0)
        points = unit_rows(rows - center)
        draw = np.random.default_rng(0).integers(len(points), size=(2, _PAIRS))
        alike = (points[draw[0]] * points[draw[1]]).sum(axis=1)[draw[0] != draw[1]]
        return cls(encode, center, float(alike.mean()), max(float(alike.std()), 1e-6))

    def read_terms(self, terms: Sequence[str]) -> NDArray[np.floating]:
        """Give terms as they are read by themselves, one a row; zeros for those without a known word."""
        return _recall(terms, self._kept, self.encode)

    def points(self, sentences: Sequence[str]) -> NDArray[np.float64]:
        """Give sentences as points about the center; zeros for those without a known word."""
        rows = _encode(self.encode, sentences)
        return np.where(np.any(rows, axis=1, keepdims=True), unit_rows(rows - self.center), 0.0)


def _encode(encode: SentenceVectors, sentences: Sequence[str]) -> NDArray[np.float64]:
    return np.asarray(encode(sentences), np.float64) if sentences else np.zeros((0, 1))


def align(
    a: DocumentTerms, b: DocumentTerms, statistics: TermStatistics, space: SentenceSpace
) -> tuple[SentencePair, ...]:
    """Lay the sentences of two texts side by side, those that carry most first.

    Mass is what the words of a sentence weigh; the plan is exact. Only pairs above chance are given.
    """
    if a.text > b.text:  # plans are not unique: take the same one in both directions
        return tuple(SentencePair(p.b, p.a, p.mass, p.above_chance) for p in align(b, a, statistics, space))
    (numbers_a, points_a, masses_a), (numbers_b, points_b, masses_b) = (
        _weigh(side, statistics, space) for side in (a, b)
    )
    if not len(numbers_a) or not len(numbers_b):
        return ()
    alike = points_a @ points_b.T
    masses_a, masses_b = masses_a / masses_a.sum(), masses_b / masses_b.sum()
    if a.text == b.text:  # sentences of the same words are at the same point: each stays where it is
        plan = np.diag(masses_a)
    else:
        plan = solve(masses_a, masses_b, np.maximum(1 - alike, 0.0)).plan
    above = (alike - space.mean) / space.deviation
    pairs = [
        SentencePair(int(numbers_a[i]), int(numbers_b[j]), float(plan[i, j]), float(above[i, j]))
        for i, j in zip(*np.nonzero(plan))
        if above[i, j] >= MIN_ABOVE_CHANCE
    ]
    return tuple(sorted(pairs, key=lambda pair: (-round(pair.weight, 9), pair.a, pair.b)))


def _weigh(
    side: DocumentTerms, statistics: TermStatistics, space: SentenceSpace
) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
    """Give the sentences of a text that one may quote: their numbers, points and masses."""
    numbers = np.flatnonzero(side.is_prose)
    masses = np.array([statistics.idf(side.sentence_words[k]).sum() for k in numbers])
    points = space.points([side.text[slice(*side.sentences[k])] for k in numbers])
    there = points.any(axis=1) & (masses > 0)
    return numbers[there], points[there], masses[there]
