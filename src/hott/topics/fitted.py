"""Topics that have been learned, as plain arrays: all that is needed to read documents in terms of them."""

from copy import copy
from functools import cached_property
from typing import Any, Literal, TypeAlias, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hott import _core
from hott.compute import backends
from hott.compute.ground import CountRows, FoldIn
from hott.topics.counts import TopicCounts
from hott.utils.checks import check_counts
from hott.utils.run import Run, RunOptions

Inference: TypeAlias = Literal["fixed-point", "gibbs"]

FIXED_POINT_STEPS = 30
SWEEPS = 30
BURN_IN = 10
LANES = _core.FOLD_IN_LANES
"""The compiled core wants the number of topics padded with zeros to a multiple of this."""


class Topics:
    """Learned topics: the base class of :class:`FittedTopics`, for those of other models too.

    Parameters
    ----------
    components : array-like of shape (topics, words), or TopicCounts
        Probability of each word in each topic; rows sum to 1. Those of counts are made when they are first
        used.

    Examples
    --------
    >>> Topics([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]]).n_topics
    2
    """

    def __init__(self, components: ArrayLike | TopicCounts) -> None:
        self.counts: TopicCounts | None = None
        if isinstance(components, TopicCounts):
            self.counts = components
            self.n_topics, self.n_words = components.shape
        else:
            self.components = _check_components(components)
            self.n_topics, self.n_words = self.components.shape

    @cached_property
    def components(self) -> NDArray[np.float32]:
        """Probability of each word in each topic, topics x words."""
        if self.counts is None:
            raise AttributeError("Topics have neither components nor counts. Make them by Topics(...).")
        return _check_components(self.counts.components())

    @cached_property
    def known_words(self) -> NDArray[np.bool_]:
        """Words that at least one topic can say."""
        return np.asarray((self.components > 0).any(axis=0))

    def transform(self, counts: Any, **options: Unpack[RunOptions]) -> NDArray[np.float64]:
        """Infer the proportions of the topics in each document; rows sum to 1.

        Parameters
        ----------
        counts : documents x words
            A document without a known word gets the prior.
        **options : threads, progress
            See :class:`hott.run.RunOptions`.
        """
        rows = check_counts(counts, "counts", whole=True)
        if rows.shape[1] != self.n_words:
            raise ValueError(
                f"counts has {rows.shape[1]} columns, but the topics were learned over "
                f"{self.n_words} words. Use the same vocabulary."
            )
        return self.proportions(rows, Run.of(options))

    def proportions(self, counts: sparse.csr_array, run: Run) -> NDArray[np.float64]:
        """Infer what :meth:`transform` gives, from counts that were checked before."""
        raise NotImplementedError(f"{type(self).__name__} does not define `proportions`.")


class FittedTopics(Topics):
    """Topics as arrays, and the inference of their proportions in any document.

    The proportions of a document depend on its counts, the topics and the seed alone: not on the other
    documents of the batch, their order, or the number of threads.

    Parameters
    ----------
    components : array-like of shape (topics, words), or TopicCounts
        Probability of each word in each topic; rows sum to 1. Kept in single precision. A word with
        probability 0 in every topic says nothing about a document and is ignored.
    alpha : float or array-like of shape (topics,)
        Dirichlet prior of the proportions, in words: what each topic has before the first word is read.
    inference : "fixed-point" or "gibbs"
        The fixed point of a mean-field update (fast, no chance in it), or the average of Gibbs sweeps
        whose seed comes from the document's own words.
    seed : int
        Seed of the Gibbs sweeps.

    Examples
    --------
    >>> topics = FittedTopics([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]], alpha=0.1)
    >>> topics.transform([[4, 1, 0], [0, 0, 3]]).round(2)
    array([[0.98, 0.02],
           [0.03, 0.97]])
    """

    def __init__(
        self,
        components: ArrayLike | TopicCounts,
        alpha: ArrayLike = 0.1,
        inference: Inference = "fixed-point",
        seed: int = 0,
    ) -> None:
        super().__init__(components)
        self.inference = inference
        self.seed = int(seed)
        priors = np.asarray(alpha, dtype=np.float32)
        if priors.shape not in ((), (self.n_topics,)) or not np.isfinite(priors).all() or priors.min() < 0:
            raise ValueError(
                f"alpha must be one number of at least 0, or one for each of the {self.n_topics} topics; "
                f"it is {alpha!r}."
            )
        self.alpha: NDArray[np.float32] = np.broadcast_to(priors, self.n_topics)
        if inference not in ("fixed-point", "gibbs"):
            raise ValueError(f'inference must be "fixed-point" or "gibbs", not {inference!r}.')

    def __repr__(self) -> str:
        shape = f"{self.n_topics} topics x {self.n_words} words"
        return f"FittedTopics({shape}, inference={self.inference!r}, seed={self.seed})"

    def with_words(
        self, probabilities: NDArray[np.float32], columns: NDArray[np.intp] | None = None
    ) -> "FittedTopics":
        """Return the topics over more words, whose ``probabilities``, topics x words, are next to nothing.

        Where documents have none but a few of the words before them, ``columns`` are these: the proportions
        of a document are the same, unless they are drawn, by a seed that comes from the numbers of its words.
        """
        table, known = self._table, self.known_words
        if columns is not None:
            table, known = table[columns], known[columns]
        rows = np.zeros((probabilities.shape[1], table.shape[1]), np.float32)
        rows[:, : self.n_topics] = probabilities.T
        wider = copy(self)
        wider._table, wider.counts = np.vstack([table, rows]), None
        wider.known_words = np.concatenate([known, rows.any(axis=1)])
        wider.components, wider.n_words = wider._table[:, : self.n_topics].T, len(wider._table)
        return wider

    @cached_property
    def _table(self) -> NDArray[np.float32]:
        """The topics word by word: one contiguous row of (padded) topic probabilities for each word."""
        table = np.zeros((self.n_words, -(-self.n_topics // LANES) * LANES), np.float32)
        table[:, : self.n_topics] = self.components.T
        return table

    def proportions(self, counts: sparse.csr_array, run: Run) -> NDArray[np.float64]:
        """Infer the proportions of the topics in each document, from counts that were checked before."""
        rows = CountRows(counts.indptr.astype(np.int64), counts.indices.astype(np.int32), counts.data)
        alpha = np.zeros(self._table.shape[1], np.float32)
        alpha[: self.n_topics] = self.alpha
        sampled = self.inference == "gibbs"
        steps = SWEEPS if sampled else FIXED_POINT_STEPS
        task = FoldIn(rows, self._table, alpha, self.n_topics, steps, BURN_IN, self.seed, sampled)
        return backends.fold_in(task, run)


def _check_components(components: ArrayLike) -> NDArray[np.float32]:
    """Return topics in single precision; a ValueError unless they are distributions over words."""
    topics = np.asarray(components, dtype=np.float32)
    if topics.ndim != 2 or 0 in topics.shape:
        raise ValueError(f"components must be topics x words; they have shape {topics.shape}.")
    sums = topics.sum(axis=1, dtype=np.float64)
    if not np.isfinite(sums).all() or topics.min() < 0 or np.abs(sums - 1).max() > 1e-3:
        raise ValueError(
            "components must hold probabilities: every entry at least 0, every row summing to 1. "
            "Divide each row by its sum."
        )
    return topics


class ForeignTopics(Topics):
    """Topics of a model that is not ours: it reads documents by its own ``transform``.

    Its components and proportions are made to sum to 1. They cannot be saved as arrays.
    """

    def __init__(self, model: Any) -> None:
        super().__init__(_normalise(model.components_))
        self.model = model

    def proportions(self, counts: sparse.csr_array, run: Run) -> NDArray[np.float64]:
        """Return the proportions of the topics in each document, as the model itself finds them."""
        return _normalise(self.model.transform(counts))


def _normalise(rows: ArrayLike) -> NDArray[np.float64]:
    """Scale rows to sum to 1; a row of zeros prefers nothing."""
    rows = np.asarray(rows, dtype=np.float64)
    sums = rows.sum(axis=1, keepdims=True)
    return np.divide(rows, sums, out=np.full_like(rows, 1 / rows.shape[1]), where=sums > 0)
