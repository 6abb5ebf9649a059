"""Topics whose number is learned: the hierarchical Dirichlet process (tomotopy)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from hott.topics.fitted import Inference
from hott.topics.model import Learned, RandomState, TopicEstimator, check_settings, thin
from hott.utils.optional import import_optional
from hott.utils.run import Report

WORDS_AT_A_TIME = 2_000_000
"""Words sampled between two looks at Ctrl-C and the progress bar: about a fifth of a second."""


@dataclass(eq=False, repr=False)
class HDP(TopicEstimator):
    """Hierarchical Dirichlet process by collapsed Gibbs sampling: the number of topics is learned.

    Topics that no word belongs to at the end are left out. Needs tomotopy.

    Parameters
    ----------
    iterations : int
        Sweeps over the corpus.
    alpha, gamma : float
        Concentrations: the larger, the more topics a document and the whole corpus take up.
    eta : float
        Dirichlet prior of the words in a topic.
    initial_topics : int
        Number of topics to start from.
    max_words : int, optional
        Longer documents are thinned at random to about this many words while topics are learned. Whole books
        then take minutes instead of hours; documents are read in full all the same.
    inference : "fixed-point" or "gibbs"
        How the proportions of a document are found once the topics are learned.
    random_state : int, RandomState or None

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([[9, 9, 0, 0], [8, 7, 0, 0], [0, 0, 9, 8], [0, 0, 7, 9]])
    >>> HDP(iterations=50).fit(counts).components_.shape[1]
    4
    """

    iterations: int = 100
    alpha: float = 1.0
    gamma: float = 1.0
    eta: float = 0.01
    initial_topics: int = 20
    max_words: int | None = None
    inference: Inference = "fixed-point"
    random_state: RandomState = 0

    def _learn(self, counts: sparse.csr_array, seed: int, report: Report) -> Learned:
        thinned = "" if self.max_words is None else "max_words"
        check_settings(self, f"iterations initial_topics {thinned}", "alpha gamma eta")
        tomotopy = import_optional("tomotopy", extra="paper")
        model = tomotopy.HDPModel(
            initial_k=max(2, int(self.initial_topics)),
            alpha=self.alpha,
            gamma=self.gamma,
            eta=self.eta,
            seed=seed,
        )
        _sample(model, thin(counts, self.max_words, seed), int(self.iterations), report)
        lda, _ = model.convert_to_lda()  # live topics only, the largest first, each with its own alpha
        components = np.zeros((lda.k, counts.shape[1]))  # 0 for words of no document
        columns = np.array([int(name) for name in lda.used_vocabs])
        components[:, columns] = [lda.get_topic_word_dist(topic) for topic in range(lda.k)]
        return components / components.sum(axis=1, keepdims=True), np.asarray(lda.alpha)


def _sample(model: Any, counts: sparse.csr_array, iterations: int, report: Report) -> None:
    """Hand the documents over and sample, in steps short enough to be interrupted.

    tomotopy takes documents as lists of strings: a word is named by its column. Steps of any length run
    through the same random numbers, so their length changes nothing but the reports.
    """
    model.optim_interval = 0  # alpha stays as it was given
    names = np.array([str(word) for word in range(counts.shape[1])], dtype=object)
    words, times = names[counts.indices], counts.data.astype(np.int64)
    for start, stop in zip(counts.indptr[:-1], counts.indptr[1:]):
        if stop > start:
            model.add_doc(np.repeat(words[start:stop], times[start:stop]).tolist())
    step = int(np.clip(WORDS_AT_A_TIME // times.sum(), 1, 100))
    for done in range(0, iterations, step):
        report(done, iterations)
        model.train(min(step, iterations - done), workers=1)
    report(iterations, iterations)
