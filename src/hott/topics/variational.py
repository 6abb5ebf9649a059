"""Topics by variational inference (scikit-learn)."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from hott.topics.fitted import Inference
from hott.topics.model import Learned, RandomState, TopicEstimator, check_settings
from hott.utils.run import Report


@dataclass(eq=False, repr=False)
class VariationalLDA(TopicEstimator):
    """Latent Dirichlet allocation by online variational Bayes (scikit-learn's).

    Only the topics are scikit-learn's: documents are read as with every other model here, by
    :class:`~hott.topics.FittedTopics`.

    Parameters
    ----------
    n_topics : int
    iterations : int
        Passes over the corpus.
    alpha, eta : float
        Dirichlet priors of the proportions in a document and of the words in a topic.
    inference : "fixed-point" or "gibbs"
        How the proportions of a document are found once the topics are learned.
    random_state : int, RandomState or None

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([[9, 9, 0, 0], [8, 7, 0, 0], [0, 0, 9, 8], [0, 0, 7, 9]])
    >>> VariationalLDA(n_topics=2).fit_transform(counts).max(axis=1).round(1)
    array([1., 1., 1., 1.])
    """

    n_topics: int = 70
    iterations: int = 10
    alpha: float = 0.1
    eta: float = 0.01
    inference: Inference = "fixed-point"
    random_state: RandomState = 0

    def _learn(self, counts: sparse.csr_array, seed: int, report: Report) -> Learned:
        check_settings(self, "n_topics iterations", "alpha eta")
        from sklearn.decomposition import LatentDirichletAllocation

        model = LatentDirichletAllocation(
            int(self.n_topics),
            doc_topic_prior=self.alpha,
            topic_word_prior=self.eta,
            total_samples=counts.shape[0],
            random_state=seed,
        )
        for done in range(int(self.iterations)):
            report(done, int(self.iterations))
            model.partial_fit(counts)
        report(int(self.iterations), int(self.iterations))
        seen = np.asarray(counts.sum(axis=0)).ravel() > 0
        components = model.components_ * seen  # topics cannot know words that occur in no document
        return components / components.sum(axis=1, keepdims=True), self.alpha
