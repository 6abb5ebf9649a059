"""Transport over topics: HOTT, the hierarchical distance of the paper, and HOFTT, which truncates nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hott.compute.ground import Distributions, Ground, Order, Power, Problem, Problems
from hott.distances.base import Distance, OnEmpty
from hott.distances.representation import Part, Representation
from hott.distances.topic_space import TopicSpace
from hott.topics import ContextualTopics, GibbsLDA
from hott.topics.model import RandomState, seed_of, train
from hott.topics.truncate import heaviest_words, keep_proportions
from hott.utils.checks import check_choice, check_count, check_word_vectors
from hott.utils.estimator import check_is_fitted
from hott.utils.progress import part_of
from hott.utils.run import Run, RunOptions


@dataclass(eq=False, repr=False)
class HOTT(Distance):
    """Hierarchical optimal topic transport: documents over topics, topics over words, both by transport.

    The distance of two documents is the least cost of moving the topics of one onto those of the other, where
    the cost between two topics is the least cost of moving the words of one onto those of the other. Exact,
    and a metric on topic proportions.

    Parameters
    ----------
    word_vectors : array-like of shape (words, dimensions), optional
        Without them every two different words are equally far apart. In a masked array, a row that is masked
        says that a word has no vector: it takes part in topics, and not in the distances between them.
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
        copied, and its seed set from ``random_state``. By default collapsed Gibbs sampling
        (:class:`hott.topics.GibbsLDA`) with ``n_topics`` topics, ``iterations`` sweeps and the word
        vectors.
    n_models : int
        Average the distance over this many independently seeded topic models. Eight classify markedly better
        than one. They are learned in parallel.
    iterations : int
        Sweeps of the default topic model.
    strength : float or "auto"
        How much rare words borrow their topics from the words near them in meaning, in occurrences of the
        word; 0 is plain LDA. ``"auto"`` is 10 (``benchmarks/topic_settings.py --table``).
    random_state : int, RandomState or None
        The same seed gives the same numbers, on any number of cores.
    on_empty : "error", "nan" or "drop"
        What to do with documents that have no words that the topics know.
    cost : "words" or "supervised"
        Topics are as far apart as their words are. Or, for a classifier, half that and half how different the
        classes of the documents are that have them: ``fit`` then needs the classes as ``y``.

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
    array([[0., 0., 4., 4.],
           [0., 0., 4., 4.],
           [4., 4., 0., 0.],
           [4., 4., 0., 0.]])
    """

    word_vectors: ArrayLike | None = None
    n_topics: int = 70
    n_words: int | None = 20
    threshold: Literal["auto"] | float | None = "auto"
    p: Power = 1
    topic_model: Any = None
    n_models: int = 1
    iterations: int = 100
    strength: float | Literal["auto"] = "auto"
    random_state: RandomState = 0
    on_empty: OnEmpty = "error"
    cost: Literal["words", "supervised"] = "words"

    whole_counts = True
    uses_device = True

    # -- learning ----------------------------------------------------------------------------------------

    def fit(self, X: ArrayLike, y: Any = None, **options: Unpack[RunOptions]) -> Self:
        """Learn topics and the distances between them from the documents.

        Parameters
        ----------
        X : counts, sparse or dense, documents x words
        y : array-like of shape (documents,)
            The classes of the documents, for ``cost="supervised"``; ignored otherwise.
        **options : threads, device, progress
        """
        if isinstance(self.topic_model, ContextualTopics):
            raise ValueError(
                "topic_model reads texts, and HOTT reads counts of words. For ContextualTopics use "
                "hott.ContextualHOTT(topic_model), and give it the texts."
            )
        classes = None if self.cost == "words" else np.asarray(y)
        if classes is not None and (y is None or classes.ndim != 1):
            raise ValueError(
                'cost="supervised" needs one class for each document: fit(X, y), or a KNNClassifier, which '
                f"passes them on; y is {y!r:.60}."
            )
        self.models_: list[TopicSpace]
        super().fit(X, y, **options)
        if classes is not None:
            R = self.represent(X, **options)
            if len(classes) != R.n_documents:
                raise ValueError(
                    f"y must have a class for each of {R.n_documents} documents, not {len(classes)}."
                )
            own = np.unique(classes[R.positions], return_inverse=True)[1]
            learned: list[TopicSpace] = self.models_
            self.models_ = [space.supervise(part.csr, own) for space, part in zip(learned, R.distributions)]
        return self

    def _fit(self, counts: sparse.csr_array, run: Run) -> None:
        self._check_settings()
        vectors = None
        if self.word_vectors is not None:
            vectors = check_word_vectors(self.word_vectors, counts.shape[1])
        model = self.topic_model
        if model is None:
            strength = 10.0 if self.strength == "auto" else self.strength
            model = GibbsLDA(self.n_topics, self.iterations, word_vectors=vectors, strength=strength)
        learned = train(model, counts, self.n_models, seed_of(self.random_state), run)
        known = None
        if isinstance(self.word_vectors, np.ma.MaskedArray):
            known = np.asarray(~np.ma.getmaskarray(self.word_vectors).all(axis=1))
        self.models_ = [TopicSpace.of(topics, vectors, self.n_words, self.order, known) for topics in learned]

    @classmethod
    def from_models(cls, models: Sequence[TopicSpace], **params: Any) -> Self:
        """Make a fitted distance from what another one learned (its ``models_``) and its parameters.

        ``p``, ``n_words`` and ``word_vectors`` must be those that the topic distances were made with.
        """
        widths = {space.topics.n_words for space in models}
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
        """Return the ``k`` heaviest words of each topic, heaviest first, as columns of the counts or by name.

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

    @property
    def order(self) -> Order:
        """The order of the transport, at both levels."""
        return Order(self.p)

    @property
    def grounds(self) -> tuple[Ground, ...]:
        """The topics of each model, over which documents are moved."""
        kept = vars(self).get("_grounds")
        if kept is None or kept[0] is not self.models_ or kept[1] != self.p:
            order = self.order
            kept = self.models_, self.p, tuple(Ground(space.distances, order) for space in self.models_)
            self._grounds = kept
        return kept[2]

    def fingerprint_arrays(self) -> tuple[NDArray, ...]:
        return tuple(ground.cost for ground in self.grounds)

    def _represent(self, counts: sparse.csr_array, run: Run) -> tuple[Part, ...]:
        parts = []
        with run.reporting("topic proportions") as report:
            for i, space in enumerate(self.models_):
                if report is not None:
                    run = replace(run, progress=part_of(report, i, len(self.models_)))
                proportions = space.topics.proportions(counts, run)
                threshold = self.threshold or 0.0
                if threshold == "auto":
                    threshold = 1 / (space.topics.n_topics + 1)
                parts.append(Distributions.from_proportions(keep_proportions(proportions, threshold)))
        return tuple(parts)

    def _problems(self, R: Representation, S: Representation | None) -> Problems:
        P, Q = R.distributions, [None] * len(self.models_) if S is None else S.distributions
        return Problems(tuple(map(Problem, P, Q, self.grounds)))

    def _has_words(self, counts: sparse.csr_array) -> NDArray[np.bool_]:
        """Tell which documents have a word that the topics know; others have no place among the topics."""
        known = np.logical_and.reduce([space.topics.known_words for space in self.models_])
        return np.asarray(counts @ known.astype(np.float64)) > 0

    def _one_or_all(self, part: Callable[[TopicSpace], NDArray]) -> Any:
        check_is_fitted(self)
        parts = [part(space) for space in self.models_]
        return parts[0] if len(parts) == 1 else parts

    def _check_settings(self) -> None:
        Order(self.p)
        check_choice(self.cost, "cost", ("words", "supervised"))
        check_count(self.n_models, "n_models")
        if self.n_words is not None:
            check_count(self.n_words, "n_words")
        share = isinstance(self.threshold, (int, float)) and 0 <= self.threshold < 1
        if self.threshold not in ("auto", None) and not share:
            raise ValueError(
                f'threshold must be "auto", None or a number from 0 to 1, not {self.threshold!r}.'
            )


@dataclass(eq=False, repr=False)
class HOFTT(HOTT):
    """Hierarchical optimal full topic transport: :class:`HOTT` that leaves no topic out of a document.

    No better at classifying, and much slower; with one topic for each word it is the word mover's distance.

    Parameters
    ----------
    word_vectors, n_topics, n_models, ...
        As in :class:`HOTT`, without ``threshold``.

    Examples
    --------
    >>> from hott.topics import FittedTopics
    >>> words = FittedTopics(np.eye(3), alpha=0)  # one topic a word
    >>> HOFTT([[0.0], [1.0], [3.0]], topic_model=words).fit([[1, 1, 1]]).pairwise([[1, 0, 0]], [[0, 1, 1]])
    array([[2.]])
    """

    threshold: ClassVar[None] = None  # type: ignore[misc]
