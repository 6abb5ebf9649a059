"""Documents as vectors: the bag-of-words, latent and embedding baselines.

Each class says which vector stands for a document. Distances are Euclidean, except for the cosine distance
and the L1 distance of :class:`L1`. What ``on_empty`` means says :class:`hott.distances.base.Distance`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hott import _core
from hott.distances._euclidean import of_pairs, squared_distances, squared_distances_of_pairs
from hott.distances.base import Distance, OnEmpty
from hott.distances.representation import Part, Positions, Representation, csr_parts
from hott.embeddings import encoder
from hott.topics import GibbsLDA
from hott.utils.arrays import normalize
from hott.utils.checks import check_choice, check_count, check_word_vectors
from hott.utils.run import Run

__all__ = ["L1", "LSI", "NBOW", "SIF", "TFIDF", "Cosine", "LDADistance"]

Weights: TypeAlias = Literal["nbow", "tfidf"]

ENCODER_WEIGHT = 2.0
"""Of document vectors in the default distance, beside 1 for topics. With up to 4,000 training documents of
seven data sets, 1.5 to 3 are within .1 points of error, 1 and 4 beyond (benchmarks/meaning.py neighbors)."""

_AT_ONCE = 4096  # texts of the encoder that are copied together


def encoder_knows(language: str) -> bool:
    """Tell whether the bundled encoder reads texts of a language, or of several of which it is the first."""
    return language.split(",")[0] == "english"


class VectorDistance(Distance):
    """Distance between vectors that stand for documents. Subclasses say which vectors."""

    bound_is_exact = True

    def _pairs(
        self, R: Representation, S: Representation, rows: Positions, cols: Positions, run: Run
    ) -> NDArray[np.float64]:
        return self._from_squares(squared_distances_of_pairs(R.parts[0], S.parts[0], rows, cols))

    def _fill(self, rows: Any, others: Any, run: Run, out: NDArray[np.float64]) -> None:
        out[:] = self._from_squares(squared_distances(rows, others))

    def _from_squares(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Compute distances from the squared lengths of the differences of vectors."""
        return np.sqrt(squares, out=squares)


class DocumentVectors(VectorDistance):
    """Euclidean distance between vectors of documents that were made elsewhere, such as by an encoder.

    It has no word counts to look at: documents come as ``Representation.of(vectors)``, scaled to unit length
    by :meth:`of`, so that the distance orders documents as the cosine does.

    Examples
    --------
    >>> vectors = DocumentVectors()
    >>> vectors.between(vectors.of([[3.0, 4.0], [0.0, 2.0]])).round(3)
    array([[0.   , 0.632],
           [0.632, 0.   ]])
    """

    def of(self, vectors: ArrayLike) -> Representation:
        """Represent documents by their vectors, one row each."""
        rows = np.asarray(vectors, np.float64)
        if rows.ndim != 2 or not np.isfinite(rows).all():
            what = f"their shape is {rows.shape}" if rows.ndim != 2 else "some are NaN or infinite"
            raise ValueError(f"vectors must be finite numbers, one row a document; {what}.")
        return Representation.of(normalize(rows))

    def cosines(self, query: NDArray[np.floating], documents: Representation) -> NDArray[np.float64]:
        """Compute the cosine of every document with a query, a vector as the encoder gives it."""
        return 1 - self.between(self.of([query]), documents)[0] ** 2 / 2


class MeaningVectors(DocumentVectors):
    """Distance between texts by the bundled encoder, less what the texts of a collection have in common.

    Vectors are kept in bytes (:class:`hott.embeddings.encoder.DocumentVectors`). Distances are the Euclidean
    ones of their directions, computed in whole numbers: the same to the bit everywhere, and 0 for equal
    texts. Texts without a word that the encoder knows are as far from others as texts that are not alike.

    Examples
    --------
    >>> texts = ["Stars and planets", "The moon at night", "Bread and butter"]
    >>> vectors = MeaningVectors()
    >>> distances = vectors.between(vectors.fit_encode(texts))
    >>> bool(distances[0, 1] < distances[0, 2])
    True
    """

    centre_: NDArray[np.float32]

    def fit_encode(self, texts: Iterable[str], run: Run = Run()) -> Representation:
        """Learn what the texts of a collection have in common, the mean of their vectors, and encode them."""
        vectors = encoder.DocumentVectors.from_rows(_encode(texts, run))
        self.centre_ = vectors.centre
        return Representation.of(vectors)

    def encode(self, texts: Iterable[str], run: Run = Run()) -> Representation:
        """Encode texts, around the centre that was learned."""
        return Representation.of(encoder.DocumentVectors.from_rows(_encode(texts, run), self.centre_))

    def cosines(self, query: NDArray[np.floating], documents: Representation) -> NDArray[np.float64]:
        scores: NDArray[np.float32] = documents.parts[0].scores(query, threads=1)  # type: ignore[union-attr]
        return scores.astype(np.float64)

    def _fill(self, rows: Any, others: Any, run: Run, out: NDArray[np.float64]) -> None:
        # In single precision no sum is rounded: 256 products of two bytes stay below 2^24.
        left, whole = rows.codes.astype(np.float32), rows.codes.astype(np.int16)
        for start in range(0, len(others), _AT_ONCE):
            chunk = slice(start, start + _AT_ONCE)
            codes = others.codes[chunk]
            if len(left) == 1:  # there is less to compute than to copy
                products = np.empty(len(codes), np.int32)
                _core.dot_bytes(np.ascontiguousarray(codes), whole[0], 1, products)
            else:
                products = left @ codes.astype(np.float32).T
            out[:, chunk] = _chords(products, rows.squares[:, None], others.squares[chunk])

    def _pairs(
        self, R: Representation, S: Representation, rows: Positions, cols: Positions, run: Run
    ) -> NDArray[np.float64]:
        def chords(P: NDArray[np.int8], Q: NDArray[np.int8]) -> NDArray[np.float64]:
            products, *squares = (np.einsum("ij,ij->i", *X, dtype=np.int32) for X in ((P, Q), (P, P), (Q, Q)))
            return _chords(products, *(own.astype(np.float64) for own in squares))

        return of_pairs(chords, R.parts[0].codes, S.parts[0].codes, rows, cols)  # type: ignore[union-attr]


def _encode(texts: Iterable[str], run: Run) -> NDArray[np.float32]:
    read = encoder.Encoder.load()
    return read.encode(texts, encoder.LEAD_WEIGHT, threads=run.threads, progress=run.progress)


def _chords(
    products: NDArray[Any], left: NDArray[np.float64], right: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Compute distances on the unit sphere, given products of codes and squared lengths of both sides.

    Two of length 0 are alike.
    """
    lengths = np.sqrt(left * right)
    cosines = np.divide(products, lengths, out=(left == right).astype(np.float64), where=lengths > 0)
    return np.sqrt(np.maximum(2 - 2 * cosines, 0))


@dataclass(eq=False, repr=False)
class NBOW(VectorDistance):
    """Euclidean distance between normalised bags of words: the share of each word in the document.

    Examples
    --------
    >>> NBOW().fit([[1, 1], [2, 0]]).pairwise([[1, 1], [2, 0], [0, 3]])[0].round(3)
    array([0.   , 0.707, 0.707])
    """

    on_empty: OnEmpty = "error"

    def _represent(self, counts: sparse.csr_array, run: Run) -> tuple[Part, ...]:
        return (sparse.csr_array(normalize(counts, norm="l1")),)


@dataclass(eq=False, repr=False)
class Cosine(VectorDistance):
    """Cosine distance between word counts: 0 for the same direction, 1 for no word in common.

    Not a metric: the triangle inequality fails.

    Examples
    --------
    >>> Cosine().fit([[3, 4]]).pairwise([[3, 4]], [[6, 8], [1, 0], [0, 1]]).round(3)
    array([[0. , 0.4, 0.2]])
    """

    on_empty: OnEmpty = "error"

    def _represent(self, counts: sparse.csr_array, run: Run) -> tuple[Part, ...]:
        return (sparse.csr_array(normalize(counts, norm="l2")),)

    def _from_squares(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        # Between unit vectors, 1 - <a, b> is half the squared length of a - b.
        return np.divide(squares, 2, out=squares)


@dataclass(eq=False, repr=False)
class TFIDF(VectorDistance):
    """Euclidean distance between TF-IDF vectors of unit length: rare words count more.

    The weights are those of :class:`sklearn.feature_extraction.text.TfidfTransformer` by default.

    Examples
    --------
    >>> TFIDF().fit([[1, 1], [1, 0]]).pairwise([[1, 0]], [[1, 0], [0, 1]]).round(3)
    array([[0.   , 1.414]])
    """

    on_empty: OnEmpty = "error"

    def _fit(self, counts: sparse.csr_array, run: Run) -> None:
        self.idf_ = word_weights("tfidf", counts)

    def _represent(self, counts: sparse.csr_array, run: Run) -> tuple[Part, ...]:
        return (sparse.csr_array(normalize(sparse.csr_array(counts.multiply(self.idf_)), norm="l2")),)


@dataclass(eq=False, repr=False)
class L1(VectorDistance):
    """Sum of absolute differences between document weights that sum to 1: 2 for no word in common.

    The strongest of the plain baselines (BOW L1/L1 and TF-IDF L1/L1 in Sato, Yamada and Kashima,
    "Re-evaluating Word Mover's Distance", 2022).

    Parameters
    ----------
    weights : "nbow" or "tfidf"
        The share of each word in the document, or that times the word's inverse document frequency.

    Examples
    --------
    >>> L1().fit([[1, 1]]).pairwise([[1, 1]], [[2, 2], [1, 0], [1, 3]])
    array([[0. , 1. , 0.5]])
    """

    weights: Weights = "nbow"
    on_empty: OnEmpty = "error"

    def _fit(self, counts: sparse.csr_array, run: Run) -> None:
        self.idf_ = word_weights(self.weights, counts)

    def _represent(self, counts: sparse.csr_array, run: Run) -> tuple[Part, ...]:
        return (shares(counts, self.idf_),)

    def _fill(self, rows: Any, others: Any, run: Run, out: NDArray[np.float64]) -> None:
        _core.sparse_l1(csr_parts(rows), _by_word(others), run.n_threads, out)

    def _pairs(
        self, R: Representation, S: Representation, rows: Positions, cols: Positions, run: Run
    ) -> NDArray[np.float64]:
        def differences(P: sparse.csr_array, Q: sparse.csr_array) -> NDArray[np.float64]:
            ones = np.ones(P.shape[1])  # the sums of the compiled core, in the same order: see sparse_l1.hpp
            return np.maximum(P @ ones + Q @ ones - 2 * (P.minimum(Q) @ ones), 0)

        return of_pairs(differences, R.parts[0], S.parts[0], rows, cols)


@dataclass(eq=False, repr=False)
class LSI(VectorDistance):
    """Latent semantic indexing: Euclidean distance after projection on the leading directions of the corpus.

    Parameters
    ----------
    n_components : int
        Directions kept (fewer when the corpus has fewer words).
    weights : "nbow" or "tfidf"
        What is projected.
    random_state : int
        Seed of the randomised decomposition.

    Examples
    --------
    >>> counts = [[2, 1, 0, 0], [1, 2, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1]]
    >>> LSI(n_components=2).fit(counts).pairwise(counts)[0].round(3)
    array([0., 0., 1., 1.])
    """

    n_components: int = 70
    weights: Weights = "nbow"
    random_state: int = 0
    on_empty: OnEmpty = "error"

    def _fit(self, counts: sparse.csr_array, run: Run) -> None:
        self.idf_ = word_weights(self.weights, counts)
        kept = min(check_count(self.n_components, "n_components"), counts.shape[1])
        from sklearn.decomposition import TruncatedSVD  # takes long to import, and nothing else needs it

        svd = TruncatedSVD(kept, random_state=self.random_state)
        with np.errstate(invalid="ignore"):  # of documents that are all alike it divides by a variance of 0
            self.components_ = svd.fit(shares(counts, self.idf_)).components_

    def _represent(self, counts: sparse.csr_array, run: Run) -> tuple[Part, ...]:
        return (shares(counts, self.idf_) @ self.components_.T,)


@dataclass(eq=False, repr=False)
class LDADistance(VectorDistance):
    """Euclidean distance between the topic proportions of documents, with no regard to what topics are alike.

    Parameters
    ----------
    n_topics : int
        Number of topics.
    topic_model : topic model, optional
        Any model of :mod:`hott.topics`, or topics made elsewhere as :class:`hott.topics.FittedTopics`;
        collapsed Gibbs sampling with ``n_topics`` topics by default.
    random_state : int
        Seed of the default topic model.

    Examples
    --------
    >>> counts = [[4, 3, 0, 0], [3, 4, 0, 0], [0, 0, 3, 4], [0, 0, 4, 3]]
    >>> D = LDADistance(n_topics=2).fit(counts).pairwise(counts)
    >>> bool(D[0, 1] < D[0, 2])
    True
    """

    n_topics: int = 70
    topic_model: Any = None
    random_state: int = 0
    on_empty: OnEmpty = "error"

    def _fit(self, counts: sparse.csr_array, run: Run) -> None:
        self.topic_model_ = self.topic_model
        if self.topic_model is None:
            self.topic_model_ = GibbsLDA(self.n_topics, random_state=self.random_state).fit(counts)
        elif hasattr(self.topic_model, "fit"):  # else topics that were learned elsewhere
            from sklearn.base import clone

            self.topic_model_ = clone(self.topic_model).fit(counts)

    def _represent(self, counts: sparse.csr_array, run: Run) -> tuple[Part, ...]:
        return (self.topic_model_.transform(counts),)

    def _has_words(self, counts: sparse.csr_array) -> NDArray[np.bool_]:
        """Tell which documents have a word that the topics know; others would get the prior."""
        model = self.topic_model_
        components = model.components_ if hasattr(model, "components_") else model.components
        return np.asarray(counts @ (components > 0).any(axis=0)) > 0


@dataclass(eq=False, repr=False)
class SIF(VectorDistance):
    """Smooth inverse frequency embedding: weighted mean of word vectors, without what all documents share.

    A word of frequency f in the corpus weighs ``a / (a + f)``; the first singular direction of the training
    documents is taken out of every document, and what is left is scaled to unit length, so that the distance
    orders documents as the cosine similarity does (Arora, Liang and Ma, 2017).

    Parameters
    ----------
    word_vectors : array-like of shape (words, dimensions), optional
        Without them every two words are equally far apart.
    a : float
        Smoothing of the frequencies.

    Examples
    --------
    >>> vectors = [[1.0, 0.0], [1.0, 0.5], [1.0, -0.5]]
    >>> SIF(vectors).fit([[1, 1, 1], [0, 1, 1]]).pairwise([[0, 1, 0]], [[1, 2, 0], [0, 0, 1]]).round(4)
    array([[0., 2.]])
    """

    word_vectors: ArrayLike | None = None
    a: float = 1e-3
    on_empty: OnEmpty = "error"

    def _fit(self, counts: sparse.csr_array, run: Run) -> None:
        if not self.a > 0:
            raise ValueError(f"a must be above zero, not {self.a!r}.")
        vectors = check_word_vectors(self.word_vectors, counts.shape[1])
        frequency = np.asarray(counts.sum(axis=0)).ravel() / counts.sum()
        self.weighted_vectors_ = vectors * (self.a / (self.a + frequency))[:, None]
        means = self._means(counts)
        # The leading right singular vector, from the small matrix of second moments.
        self.common_component_ = np.linalg.eigh(means.T @ means)[1][:, -1]

    def _represent(self, counts: sparse.csr_array, run: Run) -> tuple[Part, ...]:
        means = self._means(counts)
        # Not by a matrix product, which would round as the number of documents has it.
        common = (means * self.common_component_).sum(axis=1, keepdims=True)
        left = means - common * self.common_component_
        # A document that has nothing but the common component must not become a direction made of rounding.
        nothing = np.linalg.norm(left, axis=1) <= 1e-9 * np.linalg.norm(means, axis=1)
        left[nothing] = 0
        return (normalize(left),)

    def _has_words(self, counts: sparse.csr_array) -> NDArray[np.bool_]:
        """Tell which documents have a word with a vector; the mean of others is no direction."""
        return np.asarray(counts @ np.any(self.weighted_vectors_, axis=1)) > 0

    def _means(self, counts: sparse.csr_array) -> NDArray[np.float64]:
        return normalize(counts, norm="l1") @ self.weighted_vectors_


def word_weights(weights: Weights, counts: sparse.csr_array) -> NDArray[np.float64]:
    """Return the weight of an occurrence of each word: its inverse document frequency, or 1 ("nbow")."""
    check_choice(weights, "weights", ("nbow", "tfidf"))
    if weights == "nbow":
        return np.ones(counts.shape[1])
    # As TfidfTransformer of scikit-learn has it: one more document that has every word.
    documents = np.bincount(counts.indices, minlength=counts.shape[1])
    return np.log((1 + counts.shape[0]) / (1 + documents)) + 1


def shares(counts: sparse.csr_array, weights: NDArray[np.float64]) -> sparse.csr_array:
    """Turn counts into word weights that sum to 1 in each document."""
    return sparse.csr_array(normalize(sparse.csr_array(counts.multiply(weights)), norm="l1"))


def _by_word(rows: sparse.csr_array) -> _core.InvertedIndex:
    """Return an index of the documents that have each word; it is kept with the rows for later searches."""
    found = getattr(rows, "_by_word", None)
    if found is None:
        found = _core.InvertedIndex(csr_parts(rows), rows.shape[1])
        rows._by_word = found
    return found
