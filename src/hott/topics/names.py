"""Topics as people see them: named by the words that are special to each, against the whole corpus."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

N_WORDS = 10  # that describe a topic
_LONGEST_ENDING = 4  # letters by which forms of a word differ in length
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
    """The topics of one model, in their order.

    Parameters
    ----------
    components : array-like of shape (topics, words)
        Rows of word probabilities.
    words : sequence of str
        The word of each column.
    frequencies : array-like of shape (words,), optional
        How common each word is in the corpus; the mean of the topics by default.
    documents : array-like of shape (words,), optional
        In how many documents each word is.
    names : sequence of str, optional
        Names found before; found now by default.
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
    found = unique_names([r[:CANDIDATES] for r in ranked]) if names is None else names
    return tuple(Topic(t, found[t], ranked[t][:n_words]) for t in range(len(ranked)))


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
    return [tuple(words[j] for j in _by_relevance(topic, common, rare, weight)[:n]) for topic in topics]


def topic_names(
    topics: ArrayLike,
    words: Sequence[str],
    *,
    frequencies: ArrayLike | None = None,
    documents: ArrayLike | None = None,
    n: int = 3,
) -> list[str]:
    """Name each topic by its ``n`` most distinctive words. No two topics get the same name.

    Parameters
    ----------
    topics, words, frequencies, documents
        As in :func:`distinctive_words`.
    n : int

    Examples
    --------
    >>> topics = [[0.3, 0.3, 0.2, 0.2, 0.0, 0.0], [0.0, 0.0, 0.1, 0.1, 0.5, 0.3]]
    >>> topic_names(topics, ["planet", "planets", "orbit", "moon", "court", "serve"], n=2)
    ['planet, orbit', 'court, serve']
    """
    ranked = distinctive_words(topics, words, frequencies=frequencies, documents=documents, n=CANDIDATES)
    return unique_names(ranked, n)


def unique_names(ranked: Sequence[Sequence[str]], n: int = 3) -> list[str]:
    """Names from the words of each topic, the most distinctive first."""
    names: list[str] = []
    taken: set[frozenset[str]] = set()
    for number, candidates in enumerate(ranked):
        for choice in _choices(candidates, n):
            if frozenset(choice) not in taken:
                names.append(", ".join(choice))
                break
        else:  # a topic of very few words, all of which another topic has too
            names.append(", ".join([*_varied(candidates)[:n], f"topic {number}"]))
            choice = (names[-1],)
        taken.add(frozenset(choice))
    return names


def _by_relevance(
    topic: NDArray[np.float64], common: NDArray[np.float64], rare: NDArray[np.bool_], weight: float
) -> NDArray[np.intp]:
    """Columns of a topic's words, the most relevant first, rare ones behind the others."""
    heaviest = np.sort(np.argpartition(-topic, min(CANDIDATES, len(topic)) - 1)[:CANDIDATES])
    heaviest = heaviest[topic[heaviest] > 0]
    with np.errstate(divide="ignore"):  # a word unseen in the given frequencies is as special as can be
        relevance = np.log(topic[heaviest]) - (1 - weight) * np.log(common[heaviest])
    return heaviest[np.lexsort((-relevance, rare[heaviest]))]


def _choices(candidates: Sequence[str], n: int) -> Iterator[tuple[str, ...]]:
    """Sets of ``n`` words for a name, the best first; each keeps the words before the ones it gives up."""
    varied = _varied(candidates)
    if 0 < len(varied) < n:
        yield tuple(varied)
    yield from combinations(varied, n)


def _varied(candidates: Sequence[str]) -> list[str]:
    """Leave out words that are forms of one before them: no "planet, planets, planetary"."""
    kept: list[str] = []
    for word in candidates:
        if not any(same_word(word, other) for other in kept):
            kept.append(word)
    return kept


def same_word(word: str, other: str) -> bool:
    """Whether two words look like forms of one: they begin alike and differ in a short ending.

    They share three quarters of the shorter one, four letters at least. Codes with digits never do.

    Examples
    --------
    >>> same_word("planet", "planetary"), same_word("star", "starlight"), same_word("pcr1", "pcr2")
    (True, False, False)
    """
    shorter, longer = sorted((word, other), key=len)
    same = max(4, -(-3 * len(shorter) // 4))
    return (
        len(shorter) >= same
        and len(longer) - len(shorter) <= _LONGEST_ENDING
        and word[:same] == other[:same]
        and word.isalpha()
        and other.isalpha()
    )


def same_words(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs of places in a list of words that hold forms of one word.

    Examples
    --------
    >>> list(same_words(["planet", "court", "planets"]))
    [(0, 2)]
    """
    by_start: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        by_start.setdefault(word[:4], []).append(place)
    for places in by_start.values():
        yield from ((i, j) for i, j in combinations(places, 2) if same_word(words[i], words[j]))
