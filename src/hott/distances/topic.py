"""Transport over topics: HOTT, the hierarchical distance of the paper, and HOFTT, which truncates nothing."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from hott import transport
from hott._progress import reporting
from hott.distances._blocks import row_blocks
from hott.distances._checks import check_choice, check_count, check_word_vectors
from hott.distances.base import Distance, OnEmpty, Progress, take
from hott.distances.topic_space import TopicSpace
from hott.topics._counts import check_counts
from hott.topics.model import RandomState, seed_of
from hott.topics.truncate import heaviest_words, truncate_proportions
from hott.transport import Distributions
from hott.transport._checks import check_output

if TYPE_CHECKING:
    from hott.gpu import Problem

Prepared: TypeAlias = tuple[Distributions, ...]  # topic proportions, one part a model
Represented: TypeAlias = sparse.csr_array | Prepared


class HOTT(Distance):
    """Hierarchical optimal topic transport: documents over topics, topics over words, both by transport.

    The distance of two documents is the least cost of moving the topics of one onto those of the other, where
    the cost between two topics is the least cost of moving the words of one onto those of the other. Exact,
    and a metric on topic proportions.

    Parameters
    ----------
    word_vectors : array-like of shape (words, dimensions), optional
        Without them every two different words are equally far apart.
    n_topics : int
    n_words : int or None
        Each topic is cut to its heaviest words when topics are compared. None keeps all.
    threshold : "auto", float or None
        Topics whose proportion in a document is below this are left out of it. ``"auto"`` is
        1 / (topics + 1), as in the paper; None leaves nothing out.
    p : 1 or 2
        For 2, costs are squared and the root is taken, at both levels.
    topic_model : topic model, optional
        Any model of :mod:`hott.topics`, or topics made elsewhere as :class:`hott.topics.FittedTopics`. It is
        copied, and its seed set from ``random_state``. By default collapsed Gibbs sampling with ``n_topics``
        topics and ``iterations`` sweeps.
    n_models : int
        Average the distance over this many independently seeded topic models. Eight classify markedly better
        than one. They are learned in parallel.
    iterations : int
        Sweeps of the default topic model.
    random_state : int, RandomState or None
        The same seed gives the same numbers, on any number of cores.
    on_empty : "error", "nan" or "drop"
        What to do with documents that have no words that the topics know.

    Attributes
    ----------
    models_ : list of TopicSpace
        What was learned, one entry a model.
    topics_, topic_distances_ : ndarray of shape (topics, words) and (topics, topics), or lists of those
        The same, one array for one model, a list for several.

    Examples
    --------
    >>> counts = [[4, 3, 0, 0], [2, 5, 0, 0], [0, 0, 3, 4], [0, 0, 5, 2]]
    >>> vectors = [[0.0, 0.0], [0.0, 1.0], [5.0, 0.0], [5.0, 1.0]]
    >>> hott = HOTT(vectors, n_topics=2, iterations=20).fit(counts)
    >>> hott.pairwise(counts).round(0)
    array([[0., 0., 5., 5.],
           [0., 0., 5., 5.],
           [5., 5., 0., 0.],
           [5., 5., 0., 0.]])
    """

    threshold: Literal["auto"] | float | None

    def __init__(
        self,
        word_vectors: ArrayLike | None = None,
        n_topics: int = 70,
        n_words: int | None = 20,
        threshold: Literal["auto"] | float | None = "auto",
        p: Literal[1, 2] = 1,
        topic_model: Any = None,
        n_models: int = 1,
        iterations: int = 100,
        random_state: RandomState = 0,
        on_empty: OnEmpty = "error",
    ) -> None:
        self.word_vectors = word_vectors
        self.n_topics = n_topics
        self.n_words = n_words
        self.threshold = threshold
        self.p = p
        self.topic_model = topic_model
        self.n_models = n_models
        self.iterations = iterations
        self.random_state = random_state
        self.on_empty = on_empty

    # -- learning ----------------------------------------------------------------------------------------

    def fit(
        self, X: ArrayLike, y: Any = None, *, threads: int | None = None, progress: Progress = None
    ) -> Self:
        """Learn the topics of the documents ``X``, rows of word counts, and the distances between topics."""
        self._check_settings()
        counts = self._check_counts(X, reset=True)
        vectors = (
            None if self.word_vectors is None else check_word_vectors(self.word_vectors, counts.shape[1])
        )
        kept = super()._kept(counts)
        if kept.size == 0:
            raise ValueError("X has no document with a word in it, so there is nothing to learn from.")
        from hott.topics.sampled import GibbsLDA
        from hott.topics.training import train

        model = GibbsLDA(self.n_topics, self.iterations) if self.topic_model is None else self.topic_model
        seed = seed_of(self.random_state)
        learned = train(model, take(counts, kept), self.n_models, seed, progress, threads)
        self.models_ = [TopicSpace.of(topics, vectors, self.n_words, self.p) for topics in learned]
        return self

    @classmethod
    def from_models(cls, models: Sequence[TopicSpace], **params: Any) -> Self:
        """A fitted distance put together from what another one learned (its ``models_``) and its parameters.

        ``p``, ``n_words`` and ``word_vectors`` must be those that the topic distances were made with.
        """
        widths = {space.topics.components.shape[1] for space in models}
        if len(widths) != 1:
            raise ValueError(
                f"models must be one or more over the same words; they have {sorted(widths)} words."
            )
        distance = cls(**{"n_models": len(models), **params})
        distance._check_settings()
        distance.models_ = list(models)
        distance.n_features_in_ = widths.pop()
        return distance

    # -- what was learned --------------------------------------------------------------------------------

    @property
    def topics_(self) -> Any:
        """Probability of each word in each topic."""
        return self._one_or_all(lambda space: space.topics.components)

    @property
    def topic_distances_(self) -> Any:
        """How far apart the topics are."""
        return self._one_or_all(lambda space: space.distances)

    def top_words(self, k: int = 10, words: Sequence[str] | None = None) -> Any:
        """The ``k`` heaviest words of each topic, heaviest first: as columns of the counts, or by name.

        Parameters
        ----------
        k : int
        words : sequence of str, optional
            The name of each column of the counts.

        Returns
        -------
        ndarray of shape (topics, k), or a list of those where there are several models
        """
        check_is_fitted(self)
        check_count(k, "k")
        names = None if words is None else np.asarray(words)
        if names is not None and names.shape != (self.n_features_in_,):
            raise ValueError(
                f"words must name the {self.n_features_in_} columns of the counts, not {len(names)}."
            )

        def of_model(space: TopicSpace) -> NDArray:
            columns = heaviest_words(space.topics.components, k)
            return columns if names is None else names[columns]

        return self._one_or_all(of_model)

    # -- distances ---------------------------------------------------------------------------------------

    def prepare(self, R: Represented) -> Prepared:
        """Split the topic proportions by model and check them, once for many searches."""
        if isinstance(R, tuple):
            return R
        ends = np.cumsum([0] + [space.topics.n_topics for space in self.models_])
        if len(self.models_) == 1:
            return (Distributions.of(R),)
        return tuple(Distributions.of(R[:, start:end]) for start, end in pairwise(ends))

    def between(
        self,
        R: Represented,
        S: Represented | None = None,
        *,
        threads: int | None = None,
        out: NDArray[np.float64] | None = None,
        progress: Progress = None,
    ) -> NDArray[np.float64]:
        P, Q = self.prepare(R), None if S is None else self.prepare(S)
        if len(P) == 1:
            space, other = self.models_[0], None if Q is None else Q[0]
            values = transport.pairwise(
                P[0], other, **self._ground(space), threads=threads, out=out, progress=progress
            )
            return self._root(values)
        return self._mean_between(P, Q, threads, out, progress)

    def pairs(
        self,
        R: Represented,
        S: Represented,
        rows: NDArray[np.intp],
        cols: NDArray[np.intp],
        *,
        threads: int | None = None,
    ) -> NDArray[np.float64]:
        values = np.zeros(len(rows))
        for space, p, q in zip(self.models_, self.prepare(R), self.prepare(S)):
            values += self._root(transport.pairs(p, q, rows, cols, **self._ground(space), threads=threads))
        return values / len(self.models_)

    def lower_bound(
        self, R: Represented, S: Represented, *, threads: int | None = None
    ) -> NDArray[np.floating]:
        # W_2 is never below W_1, so the bound of the latter serves both.
        bounds = (
            transport.lower_bound(p, q, cost=space.distances, threads=threads)
            for space, p, q in zip(self.models_, self.prepare(R), self.prepare(S))
        )
        if len(self.models_) == 1:
            return next(bounds)
        mean = next(bounds).astype(np.float64)
        for bound in bounds:
            mean += bound
        mean /= len(self.models_)
        return mean

    def _transport_problems(self, R: Represented, S: Represented | None) -> "list[Problem]":
        from hott.gpu import Problem

        P, Q = self.prepare(R), None if S is None else self.prepare(S)
        share, root = 1 / len(self.models_), self.p == 2
        return [
            Problem(
                P[m],
                None if Q is None else Q[m],
                **self._ground(space),
                share=share,
                root=root,
                bound_cost=space.distances,
            )
            for m, space in enumerate(self.models_)
        ]

    # -- parts -------------------------------------------------------------------------------------------

    def _represent(self, counts: sparse.csr_array) -> sparse.csr_array:
        parts = [
            truncate_proportions(space.topics.transform(counts), self._threshold(space))
            for space in self.models_
        ]
        return parts[0] if len(parts) == 1 else sparse.csr_array(sparse.hstack(parts, format="csr"))

    def _mean_between(
        self,
        P: Prepared,
        Q: Prepared | None,
        threads: int | None,
        out: NDArray[np.float64] | None,
        progress: Progress,
    ) -> NDArray[np.float64]:
        """The mean over the models, a block of rows at a time. Without ``Q`` the upper half is mirrored."""
        others = P if Q is None else Q
        n, m = len(P[0]), len(others[0])
        out = check_output(out, (n, m))
        blocks = [(rows, slice(rows.start if Q is None else 0, m)) for rows in row_blocks(n, m)]
        total = len(P) * sum((rows.stop - rows.start) * (m - columns.start) for rows, columns in blocks)
        done = 0
        with reporting(progress, "distances") as report:
            for rows, columns in blocks:
                mean = np.zeros((rows.stop - rows.start, m - columns.start))
                for space, p, q in zip(self.models_, P, others):
                    ground, own = self._ground(space), _shifted(report, done, total)
                    mean += self._root(
                        transport.pairwise(p[rows], q[columns], **ground, threads=threads, progress=own)
                    )
                    done += mean.size
                mean /= len(P)
                out[rows, columns] = mean
                if Q is None:
                    out[columns, rows] = mean.T
        return out

    def _threshold(self, space: TopicSpace) -> float:
        if self.threshold == "auto":
            return 1 / (space.topics.n_topics + 1)
        return self.threshold or 0.0

    def _ground(self, space: TopicSpace) -> dict[str, Any]:
        """The cost between topics, and whether it is a metric: squares break the triangle inequality."""
        return {"cost": space.distances**self.p, "metric": self.p == 1}

    def _root(self, costs: NDArray[np.float64]) -> NDArray[np.float64]:
        return costs if self.p == 1 else np.sqrt(costs, out=costs)

    def _one_or_all(self, part: Callable[[TopicSpace], NDArray]) -> Any:
        check_is_fitted(self)
        parts = [part(space) for space in self.models_]
        return parts[0] if len(parts) == 1 else parts

    def _check_settings(self) -> None:
        check_choice(self.p, "p", (1, 2))
        check_count(self.n_models, "n_models")
        if self.n_words is not None:
            check_count(self.n_words, "n_words")
        share = isinstance(self.threshold, (int, float)) and 0 <= self.threshold < 1
        if self.threshold not in ("auto", None) and not share:
            raise ValueError(
                f'threshold must be "auto", None or a number from 0 to 1, not {self.threshold!r}.'
            )

    def _check_counts(self, X: ArrayLike, *, reset: bool) -> sparse.csr_array:
        return check_counts(super()._check_counts(X, reset=reset))

    def _kept(self, counts: sparse.csr_array) -> NDArray[np.intp]:
        """Documents with a word that the topics know: the others have no place among the topics."""
        known = np.logical_and.reduce([space.topics.known_words for space in self.models_])
        return super()._kept(sparse.csr_array(counts @ known[:, None].astype(np.float64)))


class HOFTT(HOTT):
    """Hierarchical optimal full topic transport: :class:`HOTT` that leaves no topic out of a document.

    No better at classifying, and much slower; with one topic for each word it is the word mover's distance.
    The parameters are those of :class:`HOTT`, without ``threshold``.

    Examples
    --------
    >>> from hott.topics import FittedTopics
    >>> words = FittedTopics(np.eye(3), alpha=0)  # one topic a word
    >>> HOFTT([[0.0], [1.0], [3.0]], topic_model=words).fit([[1, 1, 1]]).pairwise([[1, 0, 0]], [[0, 1, 1]])
    array([[2.]])
    """

    threshold = None

    def __init__(
        self,
        word_vectors: ArrayLike | None = None,
        n_topics: int = 70,
        n_words: int | None = 20,
        p: Literal[1, 2] = 1,
        topic_model: Any = None,
        n_models: int = 1,
        iterations: int = 100,
        random_state: RandomState = 0,
        on_empty: OnEmpty = "error",
    ) -> None:
        self.word_vectors = word_vectors
        self.n_topics = n_topics
        self.n_words = n_words
        self.p = p
        self.topic_model = topic_model
        self.n_models = n_models
        self.iterations = iterations
        self.random_state = random_state
        self.on_empty = on_empty


def _shifted(
    report: Callable[[int, int], None] | None, start: int, total: int
) -> Callable[[int, int], None] | None:
    """Reports of a part of the work as reports of the whole."""
    return report and (lambda done, _: report(start + done, total))
