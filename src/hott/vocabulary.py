"""From texts to counts: which words count, which are left out, and what share of the text that is."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer
from sklearn.utils.validation import check_is_fitted

from hott._selection import Dropped, Selection, VocabularyReport
from hott.corpus import Corpus, texts_of
from hott.embeddings.vectors import WordVectors
from hott.tokens import tokenize

__all__ = ["ENGLISH", "Dropped", "Vocabulary", "VocabularyReport"]

# scikit-learn's list holds words that carry a subject (a bank's interest, a fire, a bill in parliament) and
# lacks what an apostrophe leaves of isn't, we'll and they've.
_SUBJECTS = """amount bill bottom call computer con cry describe detail empty fill fire front interest mill
    move name part serious show side sincere system thick thin top"""
_CONTRACTIONS = """ain aren couldn didn doesn don hadn hasn haven isn ll mustn needn shouldn ve wasn weren
    wouldn"""
ENGLISH = (ENGLISH_STOP_WORDS - set(_SUBJECTS.split())) | set(_CONTRACTIONS.split())

Stem = Callable[[str], str]


class Vocabulary(TransformerMixin, BaseEstimator):
    """Count words: texts in, a sparse matrix of documents by words out.

    Words are lower-case, two letters or more (see :func:`hott.tokens.tokenize`, also for scripts without
    spaces). Words of a new text that were not there in ``fit`` are passed over.

    Parameters
    ----------
    stop_words : "english", iterable of str, or None
        Words that say nothing about the subject, and are left out.
    min_df : int or float
        Leave out words in fewer documents than this; a float is a share of the documents.
    max_words : int, optional
        Keep only so many words, the most frequent ones.
    stem : bool or str
        Count words with one stem together, by the Snowball stemmer of a language (True: "english").
    word_vectors : WordVectors, or mapping of word to vector, optional
        Leave out words without a vector. The vector of a stem is the average over its words in ``fit``.

    Attributes
    ----------
    words_ : ndarray of str, shape (n_words,)
        The words, or stems, in alphabetical order: the columns of the counts.
    vectors_ : ndarray of float32, shape (n_words, dimensions), or None
        The vector of each.
    vocabulary_ : dict of str to int
        The column of each word.
    report_ : VocabularyReport or None
        What was kept and left out, and what share of the text; None after :meth:`from_words`.

    Examples
    --------
    >>> vocabulary = Vocabulary()
    >>> vocabulary.fit_transform(["The cat saw a cat.", "A dog saw it."]).toarray()
    array([[2, 0, 1],
           [0, 1, 1]], dtype=int32)
    >>> vocabulary.words_
    array(['cat', 'dog', 'saw'], dtype=object)
    >>> print(vocabulary.report_)
    2 documents, 7 tokens
    kept 3 words, 71.4% of the text
    dropped 2 stop words, 28.6% of the text (it, the)
    """

    words_: NDArray[np.object_]
    vectors_: NDArray[np.float32] | None
    vocabulary_: dict[str, int]
    report_: VocabularyReport | None

    def __init__(
        self,
        stop_words: str | Iterable[str] | None = "english",
        min_df: float = 1,
        max_words: int | None = None,
        stem: bool | str = False,
        word_vectors: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        self.stop_words = stop_words
        self.min_df = min_df
        self.max_words = max_words
        self.stem = stem
        self.word_vectors = word_vectors

    @classmethod
    def from_words(
        cls, words: Iterable[str], vectors: ArrayLike | None = None, **parameters: Any
    ) -> "Vocabulary":
        """Make a fitted vocabulary of words already chosen, as saved from another one.

        Parameters
        ----------
        words : iterable of str
            The words (stems, where ``stem`` is given), in the order of the columns.
        vectors : array-like of shape (n_words, dimensions), optional
            Their vectors.
        **parameters
            Parameters of :class:`Vocabulary`; ``stop_words`` and ``stem`` matter to new texts.

        Examples
        --------
        >>> Vocabulary.from_words(["cat", "run"], stem=True).transform(["cats running"]).toarray()
        array([[1, 1]], dtype=int32)
        """
        vocabulary = cls(**parameters)
        vocabulary.words_ = np.array(list(words), dtype=object)
        vocabulary.vocabulary_ = _columns(vocabulary.words_)
        if len(vocabulary.vocabulary_) != len(vocabulary.words_):
            raise ValueError("words must be unique, some occur more than once.")
        vocabulary.vectors_ = None
        if vectors is not None:
            vocabulary.vectors_ = WordVectors(vocabulary.words_, vectors).vectors
        vocabulary.report_ = None
        return vocabulary

    def fit(self, X: Iterable[str] | Corpus, y: Any = None) -> "Vocabulary":
        """Choose the words.

        Parameters
        ----------
        X : iterable of str, or Corpus
            The texts.
        y : ignored

        Returns
        -------
        Vocabulary
            Itself.
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Iterable[str] | Corpus, y: Any = None) -> sp.csr_matrix:
        """Choose the words and count them, in one pass over the texts."""
        stop_words = _check_stop_words(self.stop_words)
        stem = _check_stem(self.stem)
        word_vectors = _check_word_vectors(self.word_vectors)
        _check_limits(self.min_df, self.max_words)

        chosen = _count_all(X)
        chosen.keep(np.array([word not in stop_words for word in chosen.words]), "stop_words")
        words = chosen.words
        stems = words if stem is None else np.array([stem(word) for word in words], dtype=object)
        if stem is not None:
            chosen.merge(stems)
        fewest = self.min_df if isinstance(self.min_df, Integral) else self.min_df * chosen.documents
        chosen.keep(chosen.document_frequencies >= fewest, "rare")
        if word_vectors is not None:
            known = word_vectors.known(words)
            words, stems = words[known], stems[known]
            with_vector = set(stems)
            chosen.keep(np.array([word in with_vector for word in chosen.words]), "without_vector")
        if self.max_words is not None:
            most_frequent = np.argsort(-chosen.totals, kind="stable")[: self.max_words]
            chosen.keep(np.isin(np.arange(len(chosen.words)), most_frequent), "beyond_limit")

        self.words_ = chosen.words
        self.vocabulary_ = _columns(chosen.words)
        self.vectors_ = None
        if word_vectors is not None:
            self.vectors_ = _average_vectors(chosen.words, words, stems, word_vectors)
        self.report_ = chosen.report()
        return chosen.counts

    def transform(self, X: Iterable[str] | Corpus) -> sp.csr_matrix:
        """Count the words of texts, one row a text.

        Parameters
        ----------
        X : iterable of str, or Corpus
            The texts. One with no known word gets an empty row.

        Returns
        -------
        sparse matrix of int32, shape (n_texts, n_words)
        """
        check_is_fitted(self, "words_")
        stem = _check_stem(self.stem)
        split = tokenize if stem is None else partial(_stems, _check_stop_words(self.stop_words), stem)
        counter = CountVectorizer(analyzer=split, dtype=np.int32)
        counter.vocabulary_ = self.vocabulary_  # as if fitted: checking it anew would cost more than a query
        return counter.transform(texts_of(X, "X"))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Give the words, for scikit-learn."""
        check_is_fitted(self, "words_")
        return self.words_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "words_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _count_all(texts: Iterable[str] | Corpus) -> Selection:
    """Count every word there is."""
    counter = CountVectorizer(analyzer=tokenize, dtype=np.int32)
    seen = 0

    def counted() -> Iterator[str]:
        nonlocal seen
        for text in texts_of(texts, "X"):
            seen += 1
            yield text

    try:
        counts = counter.fit_transform(counted())
    except ValueError as error:
        if "empty vocabulary" not in str(error):
            raise
        if not seen:
            raise ValueError("the texts are empty: there is no document at all.") from None
        raise ValueError(
            f"no word was found in {seen:,} texts. A word is two letters or more; numbers do not count."
        ) from None
    return Selection(counts, counter.get_feature_names_out())


def _stems(stop_words: frozenset[str], stem: Stem, text: str) -> list[str]:
    return [stem(word) for word in tokenize(text) if word not in stop_words]


def _columns(words: Iterable[str]) -> dict[str, int]:
    return {word: column for column, word in enumerate(words)}


def _average_vectors(
    names: NDArray[np.object_],
    words: NDArray[np.object_],
    stems: NDArray[np.object_],
    word_vectors: WordVectors,
) -> NDArray[np.float32]:
    """Average, for each name, the vectors of the words whose stem it is."""
    rows = _columns(names)
    pairs = [(rows[stem], word) for word, stem in zip(words, stems) if stem in rows]
    row = np.array([row for row, _ in pairs])
    share = (1 / np.bincount(row))[row].astype(np.float32)
    average = sp.csr_array((share, (row, np.arange(len(row)))), shape=(len(names), len(row)))
    return average @ word_vectors.matrix(word for _, word in pairs)


def _check_stop_words(stop_words: str | Iterable[str] | None) -> frozenset[str]:
    if stop_words is None:
        return frozenset()
    if isinstance(stop_words, str):
        if stop_words != "english":
            raise ValueError(f"stop_words must be 'english', a list of words or None, got {stop_words!r}.")
        return ENGLISH
    # Split as the texts are: "isn't" on the list stops the "isn" that is left of it.
    return frozenset(token for word in stop_words for token in tokenize(word))


def _check_stem(stem: bool | str) -> Stem | None:
    if stem is False:
        return None
    import snowballstemmer

    language = "english" if stem is True else stem
    if language not in snowballstemmer.algorithms():
        known = ", ".join(sorted(snowballstemmer.algorithms()))
        raise ValueError(f"stem must be True, False or one of {known}; got {stem!r}.")
    return lru_cache(maxsize=None)(snowballstemmer.stemmer(language).stemWord)


def _check_word_vectors(word_vectors: Mapping[str, ArrayLike] | None) -> WordVectors | None:
    if word_vectors is None or isinstance(word_vectors, WordVectors):
        return word_vectors
    if not isinstance(word_vectors, Mapping):
        raise ValueError(
            "word_vectors must be WordVectors or a mapping of words to vectors, got "
            f"{type(word_vectors).__name__}. Make it one: hott.embeddings.WordVectors(words, vectors)."
        )
    return WordVectors(word_vectors, np.array(list(word_vectors.values())))


def _check_limits(min_df: float, max_words: int | None) -> None:
    if isinstance(min_df, bool) or not (min_df >= 1 if isinstance(min_df, Integral) else 0 <= min_df <= 1):
        raise ValueError(
            f"min_df must be a whole number of at least 1, or a share from 0.0 to 1.0, got {min_df!r}."
        )
    if max_words is not None and (not isinstance(max_words, Integral) or max_words < 1):
        raise ValueError(f"max_words must be a whole number of at least 1, or None, got {max_words!r}.")
