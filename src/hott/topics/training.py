"""Several topic models of one corpus, independently seeded, trained side by side."""

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from hott._progress import part_of
from hott.run import Report, Run
from hott.topics.fitted import ForeignTopics, Topics
from hott.topics.model import TopicEstimator

PARALLEL_WORDS = 200_000
"""Words from which models are trained in processes of their own; below, starting those takes longer."""


def train(
    model: Any,
    counts: sparse.csr_array,
    n_models: int = 1,
    seed: int = 0,
    run: Run = Run(),
) -> list[Topics]:
    """Learn topics ``n_models`` times, each with a seed of its own, side by side.

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
    """
    if isinstance(model, Topics):
        if n_models != 1:
            raise ValueError(f"n_models must be 1, not {n_models}, when topic_model holds fitted topics.")
        return [model]
    copies = [clone(model, safe=False) for _ in range(n_models)]
    if hasattr(model, "get_params") and "random_state" in model.get_params():
        for copy, own in zip(copies, np.random.SeedSequence(seed).generate_state(n_models)):
            copy.set_params(random_state=int(own) % 2**31)
    elif n_models > 1:
        raise ValueError(f"n_models must be 1, not {n_models}: {model!r} has no random_state to vary.")

    with run.reporting("topics") as report:
        workers = min(run.n_threads, n_models)
        if workers == 1 or counts.sum() < PARALLEL_WORDS:
            return [_learn(copy, counts, part_of(report, i, n_models)) for i, copy in enumerate(copies)]
        return _in_processes(copies, counts, workers, report)


def _learn(model: Any, counts: sparse.csr_array, report: Report | None) -> Topics:
    if isinstance(model, TopicEstimator):
        return model.learn(counts, Run(threads=1, progress=report))
    return ForeignTopics(model.fit(counts))


def _in_processes(
    models: list[Any], counts: sparse.csr_array, workers: int, report: Report | None
) -> list[Topics]:
    # Samplers hold Python's global lock, so threads would take turns.
    from joblib import Parallel, delayed  # type: ignore[import-untyped]

    pool = Parallel(n_jobs=workers, prefer="processes", return_as="generator")
    learned = []
    for topics, messages in pool(delayed(_learn_recording)(model, counts) for model in models):
        learned.append(topics)
        for message in messages:
            warnings.warn(message, stacklevel=4)
        if report:
            report(len(learned), len(models))
    return learned


def _learn_recording(model: Any, counts: sparse.csr_array) -> tuple[Topics, list[Warning | str]]:
    """Learn in another process, and bring its warnings home."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        topics = _learn(model, counts, None)
    return topics, [record.message for record in caught if issubclass(record.category, UserWarning)]
