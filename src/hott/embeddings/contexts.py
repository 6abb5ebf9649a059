"""Vectors for words that have none, from the words around them in the texts.

The average vector of the words around a word, mapped linearly; the map is learned on the words whose vectors
are known (Khodak, Saunshi, Liang, Ma, Stewart and Arora, "A La Carte Embedding: Cheap but Effective Induction
of Semantic Feature Vectors", ACL 2018).
"""

from collections.abc import Iterable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from hott.corpus import Corpus, texts_of
from hott.embeddings.vectors import WordVectors
from hott.text.tokens import NumberedTexts, number

WINDOW = 5
_MAX_OCCURRENCES = 100  # of one word; what more of them say is known by then
_BLOCK = 1 << 17  # occurrences whose company is looked up at once
_RIDGE = 1.0  # pull towards the plain average, in average variances of a dimension


def from_contexts(
    texts: Iterable[str] | Corpus,
    word_vectors: WordVectors,
    window: int = WINDOW,
    stop_words: Iterable[str] = (),
) -> WordVectors:
    """Give vectors to the words of texts that have none, from the words around them.

    The fewer the occurrences, the vaguer the vector: :class:`hott.Vocabulary` calls this for its words.

    Parameters
    ----------
    texts : iterable of str, or Corpus
        The texts.
    word_vectors : WordVectors
        The vectors known.
    window : int
        How many words to each side count as the company of a word.
    stop_words : iterable of str
        Words that are skipped, as if they were not in the texts.

    Returns
    -------
    WordVectors
        The words that had no vector and now have one, in alphabetical order.

    Examples
    --------
    >>> known = WordVectors(["cat", "dog", "bank"], [[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]])
    >>> vectors = from_contexts(["cat ocelot dog", "bank teller bank"], known)
    >>> vectors.words
    ('ocelot', 'teller')
    >>> vectors["ocelot"].round(1)
    array([1. , 0.1], dtype=float32)
    """
    words, numbered = number(texts_of(texts, "texts"))
    passed_over = frozenset(stop_words)
    kept = [word for word in words if word not in passed_over]
    new = np.full(len(words), -1, np.int32)
    new[[word not in passed_over for word in words]] = np.arange(len(kept), dtype=np.int32)
    known = word_vectors.known(kept)
    vectors = np.zeros((len(kept), word_vectors.dimensions), np.float32)
    vectors[known] = word_vectors.matrix(word for word, has in zip(kept, known) if has)
    found = induce(numbered.renumber(new, len(kept)), vectors, window)
    return WordVectors([kept[row] for row in np.flatnonzero(found)], vectors[found])


def induce(texts: NumberedTexts, vectors: NDArray[np.float32], window: int = WINDOW) -> NDArray[np.bool_]:
    """Fill in the rows of ``vectors`` that are zero, where a word is met near words that have a vector.

    Says which rows were filled. An induced vector is as long as the known ones are on average.
    """
    known = np.any(vectors, axis=1)
    counts = texts.totals()
    wanted = ~known & (counts > 0)
    if not wanted.any() or not known.any():
        return np.zeros(len(vectors), bool)
    averages, met = _averages(texts, vectors, known, counts, window)
    learned_from = known & met
    # More threads would change the last bits, and what is learned from the vectors would follow.
    with threadpool_limits(1, user_api="blas"):
        map_ = _linear_map(averages[learned_from], vectors[learned_from], counts[learned_from])
        found = np.asarray(averages[wanted] @ map_)
    lengths = np.linalg.norm(found, axis=1)
    usual = np.linalg.norm(vectors[known], axis=1).mean()
    filled = np.flatnonzero(wanted)[lengths > 0]
    vectors[filled] = found[lengths > 0] * (usual / lengths[lengths > 0])[:, None]
    induced = np.zeros(len(vectors), bool)
    induced[filled] = True
    return induced


def _averages(
    texts: NumberedTexts,
    vectors: NDArray[np.float32],
    known: NDArray[np.bool_],
    counts: NDArray[np.int64],
    window: int,
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Average the vectors of the known words around each word, and tell which words have any around them."""
    averages = np.zeros_like(vectors)
    company = np.zeros(len(vectors), np.int64)
    ends = texts.starts[1:][texts.documents()]
    starts = texts.starts[:-1][texts.documents()]
    offsets = np.concatenate([np.arange(-window, 0), np.arange(1, window + 1)])
    places = _occurrences(texts.numbers, counts)
    for first in range(0, len(places), _BLOCK):
        block = places[first : first + _BLOCK]
        around = block[:, None] + offsets
        inside = (around >= starts[block][:, None]) & (around < ends[block][:, None])
        near = texts.numbers[np.where(inside, around, 0)]
        inside &= known[near]
        # Sorted by word, a block spans a range of words; a word met twice may stand twice in its row.
        lowest, highest = texts.numbers[block[[0, -1]]]
        lengths = np.bincount(
            texts.numbers[block] - lowest, weights=inside.sum(axis=1), minlength=highest - lowest + 1
        ).astype(np.int64)
        columns = near[inside]
        rows = sp.csr_array(
            (np.ones(len(columns), np.float32), columns, np.concatenate([[0], np.cumsum(lengths)])),
            shape=(len(lengths), len(vectors)),
        )
        averages[lowest : highest + 1] += rows @ vectors
        company[lowest : highest + 1] += lengths
    averages /= np.maximum(company, 1)[:, None]
    return averages, company > 0


def _occurrences(numbers: NDArray[np.int32], counts: NDArray[np.int64]) -> NDArray[np.intp]:
    """Find where each word occurs, word after word; of frequent words, only evenly spaced occurrences."""
    places = np.argsort(numbers, kind="stable")
    count = counts[numbers[places]]
    before = np.cumsum(counts) - counts
    rank = np.arange(len(places)) - before[numbers[places]]
    return places[(rank * _MAX_OCCURRENCES) % count < _MAX_OCCURRENCES]


def _linear_map(
    averages: NDArray[np.float32], vectors: NDArray[np.float32], counts: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Fit the map that takes averages nearest to the vectors, with frequent words counting more.

    Least squares with a pull towards a multiple of the average itself, for few words say little about a map.
    """
    dimensions = vectors.shape[1]
    weighted = averages * np.log1p(counts)[:, None].astype(np.float32)
    square = (weighted.T @ averages).astype(np.float64)
    cross = (weighted.T @ vectors).astype(np.float64)
    if np.trace(square) == 0:
        return np.eye(dimensions, dtype=np.float32)
    pull = _RIDGE * np.trace(square) / dimensions * np.eye(dimensions)
    multiple = np.trace(cross) / np.trace(square)
    return np.linalg.solve(square + pull, cross + multiple * pull).astype(np.float32)
