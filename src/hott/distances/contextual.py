"""HOTT over topics of words in context: texts in, distances out."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.compute.ground import Distributions, Ground, Problem, Problems
from hott.corpus import texts_of
from hott.distances.base import Distance, OnEmpty
from hott.distances.representation import Part, Representation
from hott.distances.topic_space import topic_distances
from hott.topics.contextual import Clusters, ContextualTopics
from hott.topics.truncate import truncate_proportions
from hott.utils.checks import check_choice
from hott.utils.run import Run


@dataclass(eq=False, repr=False)
class ContextualHOTT(Distance):
    """Hierarchical optimal topic transport between texts, over topics of words in context.

    The paper's hierarchy, with words as they are meant in their texts: topics are clusters of such words, a
    text is its mass over topics, cut and scaled as in the paper, and the distance is the least cost of moving
    the topics of one text onto those of the other. Exact, and a metric on topic proportions. No counts, no
    vocabulary and no sampling: a new word has a vector already.

    Parameters
    ----------
    topic_model : ContextualTopics, optional
        Copied. By default four clusterings of 150 topics.
    cost : "centres" or "words"
        How far apart two topics are: the distance of their centres, or, as in the paper, the least cost of
        moving the twenty heaviest words of one onto those of the other.
    threshold : "auto", float or None
        Topics whose proportion in a text is below this are left out of it. ``"auto"`` is 1 / (topics + 1), as
        in the paper; None leaves nothing out.
    on_empty : "error", "nan" or "drop"
        What to do with texts of which the encoder knows no word.

    Attributes
    ----------
    topic_model_ : ContextualTopics
    topic_distances_ : list of ndarray of shape (topics, topics)

    Examples
    --------
    >>> from hott.topics import ContextualTopics
    >>> texts = ["Stars shine.", "A star and the moon.", "Bread and butter.", "Fresh bread."]
    >>> distance = ContextualHOTT(ContextualTopics(n_topics=4)).fit(texts)
    >>> near, far = distance.pairwise(["the moon at night"], ["planets and stars", "a loaf of rye"])[0]
    >>> bool(near < far)
    True
    """

    topic_model: ContextualTopics | None = None
    cost: Literal["centres", "words"] = "centres"
    threshold: Literal["auto"] | float | None = "auto"
    on_empty: OnEmpty = "nan"

    uses_device = True
    reads_texts = True

    def _check(self, X: Any, *, reset: bool) -> sparse.csr_array:
        check_choice(self.on_empty, "on_empty", ("error", "nan", "drop"))
        check_choice(self.cost, "cost", ("centres", "words"))
        texts = list(texts_of(X.ravel().tolist() if isinstance(X, np.ndarray) else X, "X"))
        if reset:
            from sklearn.base import clone

            self.topic_model_ = ContextualTopics() if self.topic_model is None else clone(self.topic_model)
            self.topic_model_.fit(texts)
            self.topic_distances_ = [_measure(model, self.cost) for model in self.topic_model_.models_]
            self.n_features_in_ = self.topic_model_.n_topics * self.topic_model_.n_models
        return sparse.csr_array(self.topic_model_.transform(texts))

    def _represent(self, counts: sparse.csr_array, run: Run) -> tuple[Part, ...]:
        n = self.topic_model_.n_topics
        threshold = 1 / (n + 1) if self.threshold == "auto" else float(self.threshold or 0)
        blocks = [counts[:, i * n : (i + 1) * n].toarray() for i in range(self.topic_model_.n_models)]
        return tuple(Distributions.of(truncate_proportions(block, threshold)) for block in blocks)

    def _problems(self, R: Representation, S: Representation | None) -> Problems:
        grounds = [Ground(distances) for distances in self.topic_distances_]
        P, Q = R.distributions, [None] * len(grounds) if S is None else S.distributions
        return Problems(tuple(map(Problem, P, Q, grounds)))

    def fingerprint_arrays(self) -> tuple[NDArray, ...]:
        return tuple(self.topic_distances_)


def _measure(model: Clusters, cost: str) -> NDArray[np.float64]:
    """Compute how far apart topics are, by their centres or by their words."""
    from scipy.spatial.distance import cdist  # takes long to import

    if cost == "centres":
        centers = model.centers.astype(np.float64)
        return cdist(centers, centers)
    n_topics, k = model.word_masses.shape
    mass = np.zeros((n_topics, n_topics * k))
    for topic, row in enumerate(model.word_masses):
        mass[topic, topic * k : (topic + 1) * k] = row
    vectors = model.word_rows.reshape(n_topics * k, -1).astype(np.float64)
    return topic_distances(sparse.csr_array(mass), vectors)
