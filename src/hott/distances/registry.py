"""Every distance by a short name: the one table that the command line, the docs and the tests read."""

from collections.abc import Callable
from dataclasses import dataclass

from numpy.typing import ArrayLike

from hott.distances.base import Distance
from hott.distances.blend import Blend
from hott.distances.topic import HOFTT, HOTT
from hott.distances.vector import L1, LSI, NBOW, SIF, TFIDF, Cosine, LDADistance
from hott.distances.word import RWMD, WCD, WMD


@dataclass(frozen=True, slots=True)
class Settings:
    """What distances are made with; each takes what it needs."""

    word_vectors: ArrayLike | None = None
    n_topics: int = 70
    n_models: int = 8
    random_state: int = 0
    learned: HOTT | None = None  # fitted with these settings: distances over its topics share them

    def hott(self, n_models: int) -> HOTT:
        if self.learned is not None and n_models == self.n_models:
            return self.learned
        return HOTT(self.word_vectors, self.n_topics, n_models=n_models, random_state=self.random_state)


@dataclass(frozen=True, slots=True)
class Entry:
    """A distance: its name on the command line, what it compares, and how to make it."""

    name: str
    about: str
    make: Callable[[Settings], Distance]


def _blend(s: Settings) -> Distance:
    return Blend([s.hott(s.n_models), L1("tfidf")], [1, 0.5], random_state=s.random_state)


REGISTRY = {
    entry.name: entry
    for entry in (
        Entry("blend", "averaged HOTT and half a TF-IDF L1", _blend),
        Entry("cosine", "word counts by their angle", lambda s: Cosine()),
        Entry(
            "hoftt",
            "topics, none left out",
            lambda s: HOFTT(s.word_vectors, s.n_topics, random_state=s.random_state),
        ),
        Entry("hott", "topics, averaged over models", lambda s: s.hott(s.n_models)),
        Entry("hott-1", "topics of one model", lambda s: s.hott(1)),
        Entry("l1", "shares of words", lambda s: L1()),
        Entry(
            "lda",
            "topic proportions as plain vectors",
            lambda s: LDADistance(s.n_topics, random_state=s.random_state),
        ),
        Entry(
            "lsi", "leading directions of the corpus", lambda s: LSI(s.n_topics, random_state=s.random_state)
        ),
        Entry("nbow", "shares of words, Euclidean", lambda s: NBOW()),
        Entry("rwmd", "words, each to its nearest", lambda s: RWMD(s.word_vectors)),
        Entry("sif", "weighted mean word vectors", lambda s: SIF(s.word_vectors)),
        Entry("tfidf", "TF-IDF vectors, Euclidean", lambda s: TFIDF()),
        Entry("tfidf-l1", "TF-IDF weights that sum to 1", lambda s: L1("tfidf")),
        Entry("wcd", "mean word vectors", lambda s: WCD(s.word_vectors)),
        Entry("wmd", "words, by transport", lambda s: WMD(s.word_vectors)),
        Entry("wmd-t20", "the 20 heaviest words, by transport", lambda s: WMD(s.word_vectors, max_words=20)),
        Entry(
            "wmd-tfidf",
            "words by TF-IDF weight, by transport",
            lambda s: WMD(s.word_vectors, weights="tfidf"),
        ),
    )
}


OVER_TOPICS = ("blend", "hott")
"""The distances that take their topics from ``Settings.learned``."""


def named_distance(name: str, settings: Settings = Settings()) -> Distance:
    """Make the distance with this name. It is not fitted, unless it is what ``settings`` has learned."""
    if name not in REGISTRY:
        raise ValueError(f"There is no distance {name!r}. There are: {', '.join(REGISTRY)}.")
    return REGISTRY[name].make(settings)
