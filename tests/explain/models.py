"""Distances over random topics, and comparisons of random documents."""

import numpy as np

from hott import HOTT
from hott.compute.ground import Order
from hott.distances.topic_space import TopicSpace
from hott.explain import Comparison, compare
from hott.topics import FittedTopics

N_WORDS = 14
WORDS = [f"w{j}" for j in range(N_WORDS)]


def fitted(seed, *, p=1, n_models=1, vectors=True, kind=HOTT, sparse=False):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(N_WORDS, 3)) if vectors else None
    topics = [rng.dirichlet(np.full(N_WORDS, 0.3), 5) for _ in range(n_models)]
    if sparse:  # words that some topics, or all, do not have
        topics = [np.where(rows > np.median(rows), rows, 0.0) for rows in topics]
        topics = [rows / rows.sum(axis=1, keepdims=True) for rows in topics]
    spaces = [TopicSpace.of(FittedTopics(rows, alpha=0.1), points, 6, Order(p)) for rows in topics]
    return kind.from_models(spaces, word_vectors=points, n_words=6, p=p, on_empty="drop")


def documents(seed, n=2):
    rng = np.random.default_rng(seed)
    return (
        rng.integers(0, 4, (n, N_WORDS)) * (rng.random((n, N_WORDS)) < 0.5) + np.eye(N_WORDS, dtype=int)[:n]
    )


def compared(hott, a, b, **more) -> Comparison:
    a, b = np.atleast_2d(a), np.atleast_2d(b)
    options = {"words": WORDS} | more
    return compare(hott, hott.represent(a), hott.represent(b), (a, b), **options)
