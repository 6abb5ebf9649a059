"""Word vectors learned from the corpus itself."""

import zlib
from collections.abc import Iterable
from typing import Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from hott.corpus import Corpus, texts_of
from hott.embeddings.vectors import WordVectors, unit_rows
from hott.text.tokens import NumberedTexts, number
from hott.utils.optional import import_optional

Method = Literal["ppmi", "word2vec"]

# gensim leaves out what a text holds beyond this many words, so longer texts are handed over in pieces.
_PIECE = 10_000
# Words of the texts, some 50,000 pages: a gigabyte of pairs. More texts than that are learned from in part.
_MAX_TOKENS = 10_000_000
# How often each company is met, to this power: rare company would count too much (Levy et al. 2015).
_SMOOTHING = 0.75
_ROUNDING = 1e-6  # length of a row that is nothing but rounding
# Information up to this is chance and its rounding: two words that are met just as often as by chance.
_MIN_INFORMATION = 1e-6


def train(
    texts: Iterable[str] | Corpus,
    dimensions: int = 100,
    window: int = 10,
    min_count: int = 2,
    seed: int = 0,
    *,
    method: Method = "ppmi",
    stop_words: Iterable[str] = (),
    epochs: int = 10,
) -> WordVectors:
    """Learn word vectors from texts; the same texts and seed give the same vectors.

    Words that keep the same company get vectors near each other. ``"ppmi"`` counts the company of each word
    and reduces the table of positive pointwise mutual information to a few dimensions (Levy and Goldberg,
    "Neural Word Embedding as Implicit Matrix Factorization", NIPS 2014), centred and of unit length.
    ``"word2vec"`` is skip-gram by gensim: ``pip install "hott[word2vec]"``.

    Parameters
    ----------
    texts : iterable of str, or Corpus
        The texts; they are split into words as :class:`hott.Vocabulary` does it.
    dimensions : int
        Numbers in a vector; fewer where there are not so many words.
    window : int
        How many words to each side count as the company of a word.
    min_count : int
        Words that occur less often get no vector, nor do words that are never near another one more often
        than by chance.
    seed : int
        Seed of the random start.
    method : {"ppmi", "word2vec"}
        How to learn.
    stop_words : iterable of str
        Words that are skipped, as if they were not in the texts; vectors are better without stop words:
        ``hott.languages.stop_words("german")``.
    epochs : int
        Passes over the texts (word2vec only).

    Returns
    -------
    WordVectors
        The most frequent word first.

    Examples
    --------
    >>> train(["cats chase mice", "cats eat mice", "banks lend money", "banks save money"], dimensions=2)
    WordVectors(4 words, 2 dimensions)
    """
    for name, value in {"dimensions": dimensions, "window": window, "min_count": min_count}.items():
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}.")
    if method not in ("ppmi", "word2vec"):
        raise ValueError(f"method must be 'ppmi' or 'word2vec', got {method!r}.")
    if method == "word2vec":
        word2vec = import_optional("gensim.models.word2vec", extra="word2vec")
    words, numbered = _frequent(texts, frozenset(stop_words), min_count)
    if method == "ppmi":
        table = _information(numbered, window)
        # Decided by counts, before any arithmetic that a processor may round in its own way.
        has_company = np.diff(table.indptr) > 0
        if not has_company.any():
            raise ValueError(
                f"there is nothing to learn from: no two of the {len(words):,} words that occur "
                f"min_count={min_count} times are near each other more than by chance. Give more text."
            )
        vectors = _decompose(table, numbered.totals(), dimensions, seed)
        return WordVectors([word for word, has in zip(words, has_company) if has], vectors[has_company])
    # One thread, and a hash that does not change from process to process: the numbers can be had again.
    model = word2vec.Word2Vec(
        _pieces(words, numbered),
        vector_size=dimensions,
        window=window,
        min_count=1,
        epochs=epochs,
        seed=seed,
        sg=1,
        workers=1,
        hashfxn=lambda word: zlib.crc32(word.encode()),
    )
    return WordVectors(words, model.wv[words])


def _frequent(
    texts: Iterable[str] | Corpus, stop_words: frozenset[str], min_count: int
) -> tuple[list[str], NumberedTexts]:
    """Return the words to learn, most frequent first, and the texts as numbers of these words."""
    all_words, numbered = number(texts_of(texts, "texts"))
    totals = numbered.totals()
    totals[[word in stop_words for word in all_words]] = 0
    order = np.argsort(-totals, kind="stable")
    order = order[totals[order] >= min_count]
    if not len(order):
        raise ValueError(
            f"no word occurs min_count={min_count} times in the {len(numbered):,} texts. Give more text, or "
            "a smaller min_count."
        )
    new = np.full(len(all_words), -1, np.int32)
    new[order] = np.arange(len(order), dtype=np.int32)
    return [all_words[place] for place in order], numbered.renumber(new, len(order))


def _pieces(words: list[str], texts: NumberedTexts) -> list[list[str]]:
    names = np.array(words, dtype=object)[texts.numbers]
    return [
        names[start : min(start + _PIECE, end)].tolist()
        for text, end in zip(texts.starts, texts.starts[1:])
        for start in range(text, end, _PIECE)
    ]


def _decompose(
    table: sp.csr_array, totals: NDArray[np.intp], dimensions: int, seed: int
) -> NDArray[np.float32]:
    """Return rows of the truncated decomposition of the table, axes scaled by the root of their weight.

    Every word is a little like the most frequent ones, so the average is subtracted. Rows of words without
    company, and of words that the first axes do not tell from the average, are zero.
    """
    from sklearn.utils.extmath import randomized_svd

    # More threads would change the last bits, and so do other processors: in double precision these are
    # far below what is kept.
    with threadpool_limits(1, user_api="blas"):
        table = table.astype(np.float64)
        axes, weights, _ = randomized_svd(table, min(dimensions, table.shape[0]), n_iter=4, random_state=seed)
    vectors = unit_rows(axes * np.sqrt(weights), nothing=_ROUNDING)
    average = np.average(vectors, axis=0, weights=totals)
    centred = np.where(np.any(vectors, axis=1, keepdims=True), vectors - average, 0)
    return unit_rows(centred, nothing=_ROUNDING).astype(np.float32)


def _information(texts: NumberedTexts, window: int) -> sp.csr_array:
    """Compute how much more often than by chance two words meet: positive pointwise mutual information."""
    company = _company(texts, window).tocoo()
    often = np.asarray(company.sum(axis=1), np.float64).ravel()
    smoothed = often**_SMOOTHING
    rows, columns = company.coords
    information = np.log(company.data * (smoothed.sum() / (often[rows] * smoothed[columns])))
    positive = information > _MIN_INFORMATION
    return sp.csr_array(
        (information[positive].astype(np.float32), (rows[positive], columns[positive])), shape=company.shape
    )


def _company(texts: NumberedTexts, window: int) -> sp.csr_array:
    """Count how often each two words meet within a window of each other, near ones counting more."""
    every = -(-len(texts.numbers) // _MAX_TOKENS)
    documents = texts.documents()
    chosen = documents % every == 0 if every > 1 else slice(None)
    numbers, documents = texts.numbers[chosen], documents[chosen]
    shape = texts.n_words, texts.n_words
    pairs = sp.csr_array(shape, dtype=np.float32)
    for apart in range(1, window + 1):
        together = documents[apart:] == documents[:-apart]
        first, second = numbers[:-apart][together], numbers[apart:][together]
        nearness = np.full(len(first), (window + 1 - apart) / window, np.float32)
        pairs = pairs + sp.csr_array((nearness, (first, second)), shape=shape)
    return pairs + pairs.T
