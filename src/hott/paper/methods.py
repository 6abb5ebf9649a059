"""The distances that the experiments compare, each fitted on the documents of a task."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hott.distances.base import Distance
from hott.distances.blend import Blend
from hott.distances.topic import HOFTT, HOTT
from hott.distances.topic_space import TopicSpace
from hott.distances.vector import L1, LSI, NBOW, SIF, TFIDF, Cosine, LDADistance
from hott.distances.word import RWMD, WMD
from hott.ground import Order, Power
from hott.paper.study import Task

# Fixed beforehand on held-out training documents of other splits: half a TF-IDF L1/L1.
BLEND_WEIGHTS = [1, 0.5]


@dataclass(frozen=True)
class Method:
    """A distance by the name it has in tables and figures."""

    name: str
    fitted: Callable[[Task, Power], Distance]  # the order p of the transport is 1 or 2
    published: bool = False
    slow: bool = False  # tests are sampled where there are many pairs
    transport: bool = False  # depends on p


def hott(task: Task, n_models: int, p: Power = 1, *, uniform: bool = False) -> HOTT:
    """HOTT over the first models of a task; ``uniform``: all topics equally far apart."""
    settings = {"n_topics": task.study.sizes.topics, "p": p}
    return HOTT.from_models(spaces(task, n_models, p, uniform=uniform), **settings)


def spaces(task: Task, n_models: int, p: Power = 1, *, uniform: bool = False) -> list[TopicSpace]:
    """The first topic models with distances between their topics, by words or all 1."""
    topics = task.topics(n_models)
    if uniform:
        return [TopicSpace(t, 1.0 - np.eye(t.n_topics)) for t in topics]
    return [TopicSpace.of(t, task.vectors.astype(np.float64), n_words=20, order=Order(p)) for t in topics]


def _plain(distance: Callable[[Task], Distance]) -> Callable[[Task, Power], Distance]:
    return lambda task, p: distance(task).fit(task.training_counts)


def _blend(task: Task, p: Power, uniform: bool = False) -> Distance:
    parts = [hott(task, task.study.sizes.models, p, uniform=uniform), L1("tfidf")]
    return Blend(parts, BLEND_WEIGHTS, random_state=task.study.seed).fit(task.training_counts)


def _hoftt(task: Task, p: Power) -> Distance:
    return HOFTT.from_models(spaces(task, 1, p), n_topics=task.study.sizes.topics, p=p)


METHODS = {
    method.name: method
    for method in (
        Method("nBOW", _plain(lambda task: NBOW()), published=True),
        Method("LSI", _plain(lambda task: LSI(task.study.sizes.topics)), published=True),
        Method("SIF", _plain(lambda task: SIF(task.vectors)), published=True),
        Method("LDA", _plain(lambda task: LDADistance(topic_model=task.topics(1)[0])), published=True),
        Method("Cosine", _plain(lambda task: Cosine()), published=True),
        Method("TF-IDF", _plain(lambda task: TFIDF()), published=True),
        Method("BOW L1/L1", _plain(lambda task: L1())),
        Method("TF-IDF L1/L1", _plain(lambda task: L1("tfidf"))),
        Method("HOTT", lambda task, p: hott(task, 1, p), published=True, transport=True),
        Method("HOTT, 0/1 cost", lambda task, p: hott(task, 1, p, uniform=True), transport=True),
        Method("HOTT, 4 models", lambda task, p: hott(task, 4, p), transport=True),
        Method("HOTT, 8 models", lambda task, p: hott(task, 8, p), transport=True),
        Method("Blend", lambda task, p: _blend(task, p), transport=True),
        Method("Blend, 0/1 cost", lambda task, p: _blend(task, p, uniform=True), transport=True),
        Method(
            "WMD-T20",
            lambda task, p: WMD(task.vectors, max_words=20, p=p).fit(task.training_counts),
            published=True, slow=True, transport=True,
        ),
        Method(
            "RWMD",
            lambda task, p: RWMD(task.vectors, p=p).fit(task.training_counts),
            published=True, slow=True, transport=True,
        ),
        Method("HOFTT", _hoftt, published=True, slow=True, transport=True),
        Method(
            "WMD", lambda task, p: WMD(task.vectors, p=p).fit(task.training_counts),
            slow=True, transport=True,
        ),
        Method(
            "WMD-TF-IDF",
            lambda task, p: WMD(task.vectors, weights="tfidf", p=p).fit(task.training_counts),
            slow=True, transport=True,
        ),
    )
}  # fmt: skip
PUBLISHED = [method for method in METHODS.values() if method.published]
