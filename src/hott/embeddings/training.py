"""Word vectors learned from the corpus itself."""

import zlib
from collections.abc import Iterable
from sys import intern

from hott._optional import need
from hott.corpus import Corpus, texts_of
from hott.embeddings.vectors import WordVectors
from hott.tokens import tokenize

# gensim leaves out what a text holds beyond this many words, so longer texts are handed over in pieces.
_PIECE = 10_000


def train(
    texts: Iterable[str] | Corpus,
    dimensions: int = 200,
    window: int = 5,
    min_count: int = 2,
    epochs: int = 10,
    seed: int = 0,
) -> WordVectors:
    """Train word2vec (skip-gram) on texts; the same texts and seed give the same vectors.

    Needs gensim: ``pip install "hott[word2vec]"``.

    Parameters
    ----------
    texts : iterable of str, or Corpus
        The texts; they are split into words as :class:`hott.Vocabulary` does it.
    dimensions : int
        Numbers in a vector.
    window : int
        How many words to each side count as the company of a word.
    min_count : int
        Words that occur less often get no vector.
    epochs : int
        Passes over the texts.
    seed : int
        Seed of the random start and of the samples.

    Returns
    -------
    WordVectors
        The most frequent word first.

    Examples
    --------
    >>> train(["the cat sat on the mat", "the dog sat on the log"], dimensions=8)
    WordVectors(3 words, 8 dimensions)
    """
    word2vec = need("gensim.models.word2vec", extra="word2vec")
    pieces: list[list[str]] = []
    for text in texts_of(texts, "texts"):
        words = [intern(word) for word in tokenize(text)]  # one object a distinct word, not one an occurrence
        pieces += [words[start : start + _PIECE] for start in range(0, len(words), _PIECE)]
    try:
        # One thread, and a hash that does not change from process to process: the numbers can be had again.
        model = word2vec.Word2Vec(
            pieces,
            vector_size=dimensions,
            window=window,
            min_count=min_count,
            epochs=epochs,
            seed=seed,
            sg=1,
            workers=1,
            hashfxn=lambda word: zlib.crc32(word.encode()),
        )
    except RuntimeError:
        raise ValueError(
            f"no word occurs min_count={min_count} times in the {len(pieces):,} texts. Give more text, or a "
            "smaller min_count."
        ) from None
    return WordVectors(model.wv.index_to_key, model.wv.vectors)
