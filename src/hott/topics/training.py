"""Several topic models of one corpus, independently seeded."""

from typing import Any

import numpy as np
from scipy import sparse

from hott.topics.fitted import ForeignTopics, Topics
from hott.topics.model import TopicEstimator
from hott.utils.run import Run


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
