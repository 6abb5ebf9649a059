"""The protocol of topic models, what ours have in common, and the training of several."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias, Unpack, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hott.topics.fitted import FittedTopics, ForeignTopics, Inference, Topics
from hott.utils.checks import check_counts
from hott.utils.estimator import Transformer, check_is_fitted
from hott.utils.progress import part_of
from hott.utils.run import Report, Run, RunOptions
from hott.utils.warn import warn
from hott.utils.wording import pluralize

if TYPE_CHECKING:
    from sklearn.utils import Tags

RandomState: TypeAlias = int | np.random.RandomState | None
Learned: TypeAlias = tuple[NDArray[np.floating], ArrayLike]  # components, alpha


@runtime_checkable
class TopicModel(Protocol):
    """What a topic model must offer: learn topics from counts, show them, and infer them in documents.

    Examples
    --------
    >>> from sklearn.decomposition import LatentDirichletAllocation
    >>> model = LatentDirichletAllocation(2, random_state=0).fit([[3, 1, 0], [0, 1, 3]])
    >>> isinstance(model, TopicModel)
    True
    """

    @property
    def components_(self) -> NDArray[np.floating]:
        """Topics x words, rows summing to 1."""

    def fit(self, X: Any) -> Self:
        """Learn the topics of the documents, rows of word counts."""

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Infer the proportions of the topics in each document, from it alone; rows sum to 1."""


class TopicEstimator(Transformer):
    """The scikit-learn side of our topic models. A subclass says how topics are learned (``_learn``)."""

    random_state: RandomState
    inference: Inference = "fixed-point"  # how documents are read; a parameter where there is a choice

    def fit(self, X: Any, y: Any = None, **options: Unpack[RunOptions]) -> Self:
        """Learn the topics of documents.

        Parameters
        ----------
        X : documents x words
            Word counts.
        y : ignored
        **options : threads, progress
            See :class:`hott.run.RunOptions`.
        """
        counts = self._check(X, reset=True)
        if not counts.nnz:
            raise ValueError("X has no document with a word in it, so there are no topics to learn.")
        self.fitted_ = self.learn(counts, Run.of(options))
        return self

    def learn(self, counts: sparse.csr_array, run: Run) -> FittedTopics:
        """Learn topics from counts that were checked before."""
        return self.learn_many(counts, [seed_of(self.random_state)], run)[0]

    def learn_many(self, counts: sparse.csr_array, seeds: Sequence[int], run: Run) -> list[FittedTopics]:
        """Learn a model for each seed; each is what ``fit`` learns with its seed."""
        self._warn_of_few(counts)
        models = []
        with run.reporting("topics") as report:
            for number, seed in enumerate(seeds):
                own = part_of(report, number, len(seeds)) or (lambda done, total: None)
                learned = self._learn(counts, seed, own)
                models.append(FittedTopics(*learned, self.inference, seed))
        return models

    def transform(self, X: Any, **options: Unpack[RunOptions]) -> NDArray[np.float64]:
        """Infer the proportions of the topics in each document; rows sum to 1.

        Parameters
        ----------
        X : documents x words
            Word counts.
        **options : threads, progress
        """
        check_is_fitted(self)
        return self.fitted_.proportions(self._check(X, reset=False), Run.of(options))

    @property
    def components_(self) -> NDArray[np.float32]:
        """Probability of each word in each topic, topics x words."""
        return self.fitted_.components

    def _warn_of_few(self, counts: sparse.csr_array) -> None:
        wanted = getattr(self, "n_topics", 1)
        if counts.shape[0] < wanted:
            warn(
                f"{pluralize(counts.shape[0], 'document')} cannot tell {wanted} topics apart: many will be "
                "much alike. Choose fewer, by n_topics=."
            )

    def _learn(self, counts: sparse.csr_array, seed: int, report: Report) -> Learned:
        raise NotImplementedError(f"{type(self).__name__} does not define `_learn`.")

    def _check(self, X: Any, *, reset: bool) -> sparse.csr_array:
        from sklearn.utils.validation import validate_data

        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=reset)
        return check_counts(X, whole=True)

    def __sklearn_tags__(self) -> "Tags":
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


def check_settings(model: TopicEstimator, whole: str, other: str) -> None:
    """Check that settings, given by their names, are positive (whole) numbers; tell all errors at once."""
    problems = []
    for kind, names in (("positive whole", whole), ("positive", other)):
        for name in names.split():
            value = getattr(model, name)
            real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
            good = real and np.isfinite(value) and value > 0
            if not good or (kind == "positive whole" and value != int(value)):
                problems.append(f"{name} must be a {kind} number, not {value!r}.")
    if problems:
        raise ValueError(" ".join(problems))


def seed_of(random_state: RandomState) -> int:
    """Return one whole number for a ``random_state``: itself, or drawn from it."""
    if isinstance(random_state, (int, np.integer)) and random_state >= 0:
        return int(random_state)
    from sklearn.utils import check_random_state

    return int(check_random_state(random_state).randint(2**31 - 1))


def topics_for(n_documents: int) -> int:
    """Return the number of topics that suits a number of documents.

    From 200 documents of five corpora, a third fewer were worse with one model; from 200 and 1,000, half as
    many again were no better once models are averaged (``benchmarks/topic_settings.py --table``).

    Examples
    --------
    >>> [topics_for(n) for n in (1, 50, 200, 1000, 100_000)]
    [1, 16, 31, 70, 70]
    """
    return min(70, n_documents, round(2.2 * n_documents**0.5))


def thin(counts: sparse.csr_array, max_words: int | None, seed: int) -> sparse.csr_array:
    """Scale the counts of documents longer than ``max_words`` down to it, fractions rounded at random.

    >>> thin(sparse.csr_array([[600.0, 300.0], [2.0, 1.0]]), 3, seed=0).toarray()
    array([[2., 1.],
           [2., 1.]])
    """
    if max_words is None:
        return counts
    shares = np.minimum(1, max_words / np.maximum(1, counts.sum(axis=1)))
    wanted = counts.data * np.repeat(shares, np.diff(counts.indptr))
    kept = np.floor(wanted + np.random.default_rng(seed).random(len(wanted)))
    whole = sparse.csr_array((kept, counts.indices, counts.indptr), shape=counts.shape, copy=True)
    whole.eliminate_zeros()
    return whole


def train(
    model: Any, counts: sparse.csr_array, n_models: int = 1, seed: int = 0, run: Run = Run()
) -> list[Topics]:
    """Learn topics ``n_models`` times, each with a seed of its own.

    The topics do not depend on the number of cores. The first models of a longer list are those of a
    shorter one. ``model`` is left as it was.

    Parameters
    ----------
    model : topic model
        One of ours, or any object with ``fit``, ``components_`` and ``transform``. ``FittedTopics``, which
        have nothing left to learn, come back as they are.
    counts : CSR, documents x words
        Checked, none of the documents empty.
    n_models : int
    seed : int
    run : Run
        Threads and progress.

    Examples
    --------
    >>> from hott.topics import GibbsLDA
    >>> counts = sparse.csr_array([[3, 1, 0], [0, 1, 3]])
    >>> [topics.n_topics for topics in train(GibbsLDA(n_topics=2), counts, n_models=3)]
    [2, 2, 2]
    """
    if isinstance(model, Topics):
        if n_models != 1:
            raise ValueError(f"n_models must be 1, not {n_models}, when topic_model holds fitted topics.")
        return [model]
    seeds = [int(own) % 2**31 for own in np.random.SeedSequence(seed).generate_state(n_models)]
    if not hasattr(model, "fit"):
        raise ValueError(f"topic_model must be a topic model, such as GibbsLDA(); got {model!r:.60}.")
    if isinstance(model, TopicEstimator):
        return [*model.learn_many(counts, seeds, run)]
    from sklearn.base import clone

    if hasattr(model, "get_params") and "random_state" in model.get_params():
        copies = [clone(model, safe=False).set_params(random_state=own) for own in seeds]
    elif n_models > 1:
        raise ValueError(f"n_models must be 1, not {n_models}: {model!r} has no random_state to vary.")
    else:
        copies = [clone(model, safe=False)]
    return [ForeignTopics(copy.fit(counts)) for copy in copies]
