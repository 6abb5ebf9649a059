"""Topics as clusters of words in context: learned from texts, without counts and without sampling."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from hott.corpus import Corpus
from hott.embeddings.encoder import Encoder
from hott.topics.model import RandomState, seed_of
from hott.utils.checks import check_count
from hott.utils.estimator import Transformer, check_is_fitted
from hott.utils.run import Run, RunOptions

_ROWS_AT_ONCE = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Topics of one model: clusters of directions, and the words that are typical of them.

    ``word_numbers`` and ``word_masses`` (topics x 20) list the heaviest words of each topic, as numbers of
    the encoder's words, and ``word_rows`` (topics x 20 x dimensions) the mean direction that each has there.
    Where a topic has fewer words the masses are 0; a cluster without any has its centre in their place.
    """

    centers: NDArray[np.float32]  # topics x dimensions, of unit length
    offsets: NDArray[np.float32]  # with them, clusters end where k-means ended them
    word_numbers: NDArray[np.int32]
    word_masses: NDArray[np.float64]
    word_rows: NDArray[np.float32]

    def assign(self, points: NDArray[np.float32]) -> NDArray[np.intp]:
        """Give the topic of each word in context, a direction around the centre."""
        topics = np.empty(len(points), np.intp)
        for start in range(0, len(points), _ROWS_AT_ONCE):
            part = points[start : start + _ROWS_AT_ONCE]
            likeness = part @ self.centers.T * np.sqrt(2 * self.offsets) - self.offsets
            topics[start : start + len(part)] = likeness.argmax(axis=1)
        return topics


@dataclass(eq=False, repr=False)
class ContextualTopics(Transformer):
    """Learn topics from texts: clusters of words, each taken as it is meant in its text.

    Every word of every text is a point: its vector in context (:class:`hott.embeddings.encoder.Encoder`), as
    a direction around the mean of the collection, weighing as much as the vector is long. K-means finds the
    topics. A text is its mass over topics. Learning takes seconds, and a new text needs only the encoder.

    Parameters
    ----------
    n_topics : int
    n_models : int
        Cluster this many times, from other samples and seeds.
    n_sampled : int
        Words that each clustering learns from, drawn by weight.
    encoder : Encoder, optional
        By default the one that comes with the library, for English.
    random_state : int, RandomState or None

    Attributes
    ----------
    models_ : list of Clusters
    centre_ : ndarray of shape (dimensions,)
        Mean direction of the collection's words.

    Examples
    --------
    >>> texts = ["Stars and planets shine in the night sky.", "Knead the dough and bake the bread."]
    >>> model = ContextualTopics(n_topics=2, n_models=1).fit(texts)
    >>> sky, kitchen = model.transform(["The stars of the night", "Dough and bread"]).argmax(axis=1)
    >>> moon, butter, unknown = model.transform(["The moon rose.", "Butter and flour", "1234"]).round()
    >>> bool(moon[sky] == 1), bool(butter[kitchen] == 1), bool(unknown.any())
    (True, True, False)
    """

    n_topics: int = 150
    n_models: int = 4
    n_sampled: int = 60_000
    encoder: Encoder | None = None
    random_state: RandomState = 0

    def fit(self, X: Iterable[str] | Corpus, y: Any = None, **options: Unpack[RunOptions]) -> Self:
        """Learn the topics of texts.

        Parameters
        ----------
        X : iterable of str, or Corpus
        y : ignored
        **options : threads
        """
        for name in ("n_topics", "n_models", "n_sampled"):
            check_count(getattr(self, name), name)
        seed = seed_of(self.random_state)
        sample = _Sample(2 * self.n_sampled, np.random.default_rng(seed))
        total, mass = np.zeros(Encoder.dimensions), 0.0
        for numbers, _, rows in self._encoder.rows_in_context(X, **options):
            total += rows.sum(axis=0, dtype=np.float64)
            mass += float(np.linalg.norm(rows, axis=1).sum())
            sample.add(numbers, rows)
        if len(sample.rows) < self.n_topics:
            raise ValueError(
                f"The texts have {len(sample.rows)} words that the encoder knows, too few for "
                f"{self.n_topics} topics. Give more text or choose fewer topics, by n_topics=."
            )
        self.centre_ = (total / mass).astype(np.float32)
        points, weights = _directions(sample.rows, self.centre_), np.linalg.norm(sample.rows, axis=1)
        self.models_ = [
            self._cluster(sample.numbers, points, weights, seed + i) for i in range(self.n_models)
        ]
        return self

    def _cluster(
        self,
        numbers: NDArray[np.int32],
        points: NDArray[np.float32],
        weights: NDArray[np.floating],
        seed: int,
    ) -> Clusters:
        from sklearn.cluster import MiniBatchKMeans  # takes longer to import than all of hott.topics
        from threadpoolctl import threadpool_limits

        size = min(self.n_sampled, len(points))
        drawn = np.random.default_rng(seed).choice(
            len(points), size, p=weights / weights.sum(dtype=np.float64)
        )
        kmeans = MiniBatchKMeans(self.n_topics, batch_size=4096, n_init=1, max_iter=30, random_state=seed)
        with threadpool_limits(1):  # sums in another order are other numbers
            kmeans.fit(points[drawn])
        centers = kmeans.cluster_centers_.astype(np.float32)
        lengths = np.maximum(np.linalg.norm(centers, axis=1), 1e-9)
        words = _typical_words(numbers[drawn], points[drawn], kmeans.labels_, centers)
        return Clusters(centers / lengths[:, None], lengths**2 / 2, *words)

    def transform(self, X: Iterable[str] | Corpus, **options: Unpack[RunOptions]) -> NDArray[np.float64]:
        """Give the proportions of the topics in each text.

        Parameters
        ----------
        X : iterable of str, or Corpus
        **options : threads

        Returns
        -------
        ndarray of shape (texts, models * topics)
            A block of columns for each model; each block of a row sums to 1, or to 0 where no word is known.
        """
        from threadpoolctl import threadpool_limits

        check_is_fitted(self)
        parts = [np.zeros((0, self.n_models * self.n_topics))]
        for _, starts, rows in self._encoder.rows_in_context(X, **options):
            n = len(starts) - 1
            texts = np.repeat(np.arange(n), np.diff(starts))
            lengths, points = np.linalg.norm(rows, axis=1), _directions(rows, self.centre_)
            blocks = []
            with threadpool_limits(Run.of(options).n_threads):
                for model in self.models_:
                    cells = texts * self.n_topics + model.assign(points)
                    mass = np.bincount(cells, lengths, n * self.n_topics).reshape(n, self.n_topics)
                    blocks.append(mass / np.maximum(mass.sum(axis=1, keepdims=True), 1e-30))
            parts.append(np.hstack(blocks))
        return np.concatenate(parts)

    @property
    def _encoder(self) -> Encoder:
        return Encoder.load() if self.encoder is None else self.encoder


class _Sample:
    """Words in context drawn as they pass, all with the same chance and each at most once."""

    def __init__(self, size: int, random: np.random.Generator) -> None:
        self.size = size
        self.random = random
        self.keys = np.empty(0)
        self.numbers = np.empty(0, np.int32)
        self.rows = np.empty((0, Encoder.dimensions), np.float32)

    def add(self, numbers: NDArray[np.int32], rows: NDArray[np.float32]) -> None:
        keys = self.random.random(len(rows))
        new = np.flatnonzero(keys < self.keys.max()) if len(self.keys) == self.size else np.arange(len(rows))
        keys = np.concatenate([self.keys, keys[new]])
        numbers, rows = np.concatenate([self.numbers, numbers[new]]), np.concatenate([self.rows, rows[new]])
        if len(keys) > self.size:
            kept = np.sort(np.argpartition(keys, self.size)[: self.size])
            keys, numbers, rows = keys[kept], numbers[kept], rows[kept]
        self.keys, self.numbers, self.rows = keys, numbers, rows


def _directions(rows: NDArray[np.float32], centre: NDArray[np.float32]) -> NDArray[np.float32]:
    return _unit(_unit(rows) - centre)


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-9))


def _typical_words(
    numbers: NDArray[np.int32],
    points: NDArray[np.float32],
    labels: NDArray[np.integer],
    centers: NDArray[np.float32],
    k: int = 20,
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float32]]:
    """List the heaviest words of each topic: their numbers, masses and mean directions."""
    found = np.zeros((len(centers), k), np.int32)
    masses = np.zeros((len(centers), k))
    rows = np.zeros((len(centers), k, points.shape[1]), np.float32)
    masses[:, 0], rows[:, 0] = 1, centers
    for topic in range(len(centers)):
        members = np.flatnonzero(labels == topic)
        words, places, counts = np.unique(numbers[members], return_inverse=True, return_counts=True)
        heaviest = np.argsort(-counts, kind="stable")[:k]
        for slot, word in enumerate(heaviest):
            found[topic, slot], masses[topic, slot] = words[word], counts[word]
            rows[topic, slot] = points[members[places == word]].mean(axis=0)
    return found, masses / masses.sum(axis=1, keepdims=True), rows
