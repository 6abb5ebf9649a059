"""The words that tell the topics of a model from one another."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from hott.text.tokens import same_word

N_WORDS = 10  # that describe a topic
CANDIDATES = 50  # heaviest words of a topic among which the distinctive ones are sought
_IN_DOCUMENTS = 3  # fewer have a word that stands for them, and not for a topic


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic of one model.

    Attributes
    ----------
    number : int
        In its model.
    name : str
    words : tuple of str
        Its distinctive words.
    share : float
        Of the corpus; NaN where that is not known.
    coherence : float
        How much its words occur together, see :func:`coherence`.
    concentration : float
        Its mean proportion in the documents that have it.
    is_filler : bool
        Words that do not belong together, a little of them everywhere.

    Examples
    --------
    >>> Topic(3, "planet, orbit, moon", ("planet", "orbit", "moon", "star"), share=0.05)
    Topic(number=3, name='planet, orbit, moon', share=0.05, coherence=nan, is_filler=False)
    """

    number: int
    name: str
    words: tuple[str, ...] = field(repr=False)
    share: float = math.nan
    coherence: float = math.nan
    concentration: float = field(default=math.nan, repr=False)
    is_filler: bool = False


def named_topics(
    components: ArrayLike,
    words: Sequence[str],
    *,
    frequencies: ArrayLike | None = None,
    documents: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    n_words: int = N_WORDS,
) -> tuple[Topic, ...]:
    """List the topics of one model in their order, each named by three of its distinctive words.

    No two names begin with the same word.

    Parameters
    ----------
    components, words, frequencies, documents
        As in :func:`distinctive_words`.
    names : sequence of str, optional
        Names found before, such as those of an index.
    n_words : int
        How many distinctive words to list.

    Examples
    --------
    >>> words = ["planet", "orbit", "match", "goal"]
    >>> topics = named_topics([[0.6, 0.3, 0.1, 0.0], [0.0, 0.1, 0.3, 0.6]], words)
    >>> topics[0].words[:2], topics[1].words[:2]
    (('planet', 'orbit'), ('goal', 'match'))
    """
    n = max(n_words, CANDIDATES)
    ranked = distinctive_words(components, words, frequencies=frequencies, documents=documents, n=n)
    if names is None:
        names, leaders = [], set[str]()
        for number, candidates in enumerate(ranked):
            varied: list[str] = []  # no "planet, planets, planetary"
            for word in candidates:
                if not any(same_word(word, other) for other in varied):
                    varied.append(word)
            first = next((word for word in varied if word not in leaders), f"topic {number}")
            leaders.add(first)
            names.append(", ".join([first, *(word for word in varied if word != first)][:3]))
    return tuple(Topic(t, names[t], ranked[t][:n_words]) for t in range(len(ranked)))


def distinctive_words(
    topics: ArrayLike,
    words: Sequence[str],
    *,
    frequencies: ArrayLike | None = None,
    documents: ArrayLike | None = None,
    n: int = 10,
    weight: float = 0.3,
) -> list[tuple[str, ...]]:
    """List the words that tell each topic from the others, the most distinctive first.

    A word is distinctive when the topic uses it often, and more often than the corpus does. Words are ranked
    by their relevance (Sievert and Shirley, 2014)::

        weight * log(p(word | topic)) + (1 - weight) * log(p(word | topic) / p(word))

    Parameters
    ----------
    topics : array-like of shape (topics, words)
        Rows of word probabilities.
    words : sequence of str
        The word of each column.
    frequencies : array-like of shape (words,), optional
        How common each word is in the corpus; the mean of the topics by default.
    documents : array-like of shape (words,), optional
        In how many documents each word is. A word of one or two documents, such as a name, comes last: it
        tells of them, and not of the topic.
    n : int
        How many words to list; a topic with fewer words gets fewer.
    weight : float
        1 ranks by probability alone, 0 by how special a word is alone.

    Examples
    --------
    >>> topics = [[0.5, 0.4, 0.1, 0.0], [0.5, 0.0, 0.1, 0.4]]
    >>> distinctive_words(topics, ["play", "racket", "score", "goal"], n=2)
    [('racket', 'play'), ('goal', 'play')]
    """
    topics = np.asarray(topics, float)
    if topics.ndim != 2 or topics.shape[1] != len(words):
        raise ValueError(
            f"topics must have one column a word, {len(words)} of them; got shape {topics.shape}."
        )
    common = topics.mean(axis=0) if frequencies is None else np.asarray(frequencies, float)
    rare = np.zeros(len(words), bool) if documents is None else np.asarray(documents) < _IN_DOCUMENTS
    ranked = []
    for topic in topics:
        heaviest = np.sort(np.argpartition(-topic, min(CANDIDATES, len(topic)) - 1)[:CANDIDATES])
        heaviest = heaviest[topic[heaviest] > 0]
        with np.errstate(divide="ignore"):  # a word unseen in the given frequencies is as special as can be
            relevance = np.log(topic[heaviest]) - (1 - weight) * np.log(common[heaviest])
        order = np.lexsort((-relevance, rare[heaviest]))
        ranked.append(tuple(words[j] for j in heaviest[order][:n]))
    return ranked
