"""What the authors' code computes, written down in NumPy and POT, and our distances beside it.

After https://github.com/IBM/HOTT at its last commit (627dffa, January 2020), whose release of bug fixes cuts
topics to 20 words and normalises what is left of proportions. The same counts, topics, proportions and word
vectors go in, distances come out::

    python -m reproduction authors                     # this file's account of their code
    python -m reproduction authors --checkout HOTT/    # their code itself
"""

import importlib.util
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from hott.compute.ground import Order
from hott.distances.topic import HOFTT, HOTT
from hott.distances.topic_space import TopicSpace
from hott.distances.word import RWMD, WMD
from hott.topics import FittedTopics
from hott.utils.optional import import_optional

Array = NDArray[np.float64]
TOPIC_WORDS = 20


def transport(a: Array, b: Array, cost: Array) -> float:
    """Move one mass onto another, each divided by its sum, over the sites that have any."""
    ot = import_optional("ot", extra="paper")
    rows, columns = np.flatnonzero(a), np.flatnonzero(b)
    between = np.ascontiguousarray(cost[np.ix_(rows, columns)])
    return float(ot.emd2(a[rows] / a[rows].sum(), b[columns] / b[columns].sum(), between))


def keep_heaviest(mass: Array, n: int) -> Array:
    """Set all but the n largest masses to 0."""
    kept = mass.copy()
    kept[np.argsort(-mass)[n:]] = 0
    return kept


def wmd(p: Array, q: Array, cost: Array) -> float:
    """Compare two documents by transport between their words."""
    return transport(p, q, cost)


def wmd_t20(p: Array, q: Array, cost: Array) -> float:
    """Compare two documents by transport between their 20 heaviest words."""
    return transport(keep_heaviest(p, 20), keep_heaviest(q, 20), cost)


def rwmd(p: Array, q: Array, cost: Array) -> float:
    """Compare two documents by the larger of the two one-sided relaxations."""
    rows, columns = np.flatnonzero(p), np.flatnonzero(q)
    between = cost[np.ix_(rows, columns)]
    return float(max(between.min(axis=1) @ p[rows], between.min(axis=0) @ q[columns]))


def hott(p: Array, q: Array, cost: Array) -> float:
    """Compare two documents by transport between topics whose proportion reaches 1/(topics + 1)."""
    least = 1 / (len(p) + 1)
    return transport(np.where(p < least, 0, p), np.where(q < least, 0, q), cost)


def hoftt(p: Array, q: Array, cost: Array) -> float:
    """Compare two documents by transport between all topics."""
    return transport(p, q, cost)


def topic_costs(topics: Array, words: Array) -> Array:
    """Compare all topics, cut to their heaviest words, by transport between these."""
    cut = [keep_heaviest(topic, TOPIC_WORDS) for topic in topics]
    costs = np.zeros((len(cut), len(cut)))
    for i in range(len(cut)):
        for j in range(i):
            costs[i, j] = costs[j, i] = transport(cut[i], cut[j], words)
    return costs


OURS: Mapping[str, Callable[[Array, Array, Array], float]] = {
    "HOTT": hott, "HOFTT": hoftt, "RWMD": rwmd, "WMD-T20": wmd_t20, "WMD": wmd,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Problem:
    """Documents, topics and word vectors to compare the two by."""

    counts: NDArray[np.int64]
    topics: Array
    vectors: Array

    @classmethod
    def draw(cls, n: int = 30, seed: int = 0) -> "Problem":
        """Draw documents of 120 words from 12 topics over 300 words, with counts without ties at the cut."""
        random = np.random.default_rng(seed)
        topics = random.dirichlet(np.full(300, 0.05), 12)
        mixtures = random.dirichlet(np.full(12, 0.3), n) @ topics
        counts = np.array([random.multinomial(4000, mixture) for mixture in mixtures])
        return cls(_without_ties(counts), topics, random.normal(size=(300, 50)))


def compare(problem: Problem, theirs: Mapping[str, Callable[..., Any]] = OURS) -> dict[str, float]:
    """Return the largest difference of each distance, relative to the largest distance."""
    counts, vectors = problem.counts, problem.vectors
    model = FittedTopics(problem.topics, alpha=0.1)
    words = cdist(vectors, vectors)
    topics = np.asarray(model.components, np.float64)
    space = TopicSpace.of(model, vectors, TOPIC_WORDS, Order(1))
    costs = topic_costs(topics, words)
    shares = counts / counts.sum(axis=1, keepdims=True)
    proportions = np.asarray(model.transform(counts), np.float64)
    ours = {
        "HOTT": HOTT.from_models([space], n_topics=len(topics)),
        "HOFTT": HOFTT.from_models([space], n_topics=len(topics)),
        "RWMD": RWMD(vectors), "WMD-T20": WMD(vectors, max_words=20), "WMD": WMD(vectors),
    }  # fmt: skip
    found = {"topics": float(np.abs(space.distances - costs).max() / costs.max())}
    for name, function in theirs.items():
        masses, cost = (proportions, costs) if name in ("HOTT", "HOFTT") else (shares, words)
        distance = ours[name]
        matrix = (distance if name in ("HOTT", "HOFTT") else distance.fit(counts)).pairwise(counts)
        expected = np.array([[function(p, q, cost) for q in masses] for p in masses])
        found[name] = float(np.abs(matrix - expected).max() / expected.max())
    return found


def load_checkout(folder: Path) -> dict[str, Callable[..., Any]]:
    """Load the distances of a checkout of the authors' code, whose module is called hott like ours."""
    names = {"hott": folder / "hott.py", "distances": folder / "distances.py"}
    for path in names.values():
        if not path.exists():
            raise ValueError(f"{path} is missing: --checkout wants a clone of github.com/IBM/HOTT.")
    ours, loaded = sys.modules["hott"], {}
    try:
        for name, path in names.items():
            loaded[name] = _load(f"authors_{name}", path)
            sys.modules["hott"] = loaded["hott"]  # which their distances import
    finally:
        sys.modules["hott"] = ours
    wmd_of = loaded["distances"].wmd
    return {
        "HOTT": loaded["hott"].hott, "HOFTT": loaded["hott"].hoftt, "RWMD": loaded["distances"].rwmd,
        "WMD-T20": lambda p, q, cost: wmd_of(p, q, cost, truncate=20), "WMD": wmd_of,
    }  # fmt: skip


def _load(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path} cannot be loaded.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _without_ties(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Make the positive counts of each document different: the 20 heaviest words are no matter of order."""
    apart = np.zeros_like(counts)
    for row, own in zip(apart, counts):
        words = np.flatnonzero(own)
        row[words[np.argsort(own[words], kind="stable")]] = np.arange(1, len(words) + 1)
    return apart
