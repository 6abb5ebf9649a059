"""What HOTT depends on: word vectors (r8), number of topics (classic), words kept of each topic (r8)."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from hott import embeddings
from hott.distances.topic import HOFTT, HOTT
from hott.distances.topic_space import TopicSpace
from hott.distances.vector import LSI, LDADistance
from hott.ground import Order
from hott.paper.knn import classify
from hott.paper.methods import METHODS, Method
from hott.paper.runner import Cell
from hott.paper.study import Study, Task

KEYS = ("study", "dataset", "setting", "method")
TOPICS = (10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
# Whole topics have as many words as the vocabulary: 2,415 problems with 16,000 words on each side.
TOPIC_WORDS = (10, 20, 50, 100, 500)
EMBEDDED = ("RWMD", "WMD-T20", "HOTT", "HOFTT")


def cells(study: Study) -> list[Cell]:
    """Three studies under the paper's protocol, seven neighbours."""
    wanted = {source.name for source in study.sources}
    with_vectors: dict[str, Callable[[], Task]] = {
        "bundled": lambda: study.task("r8", "paper"),
        "word2vec": cache(lambda: _trained_task(study)),
    }
    all_cells = [
        *(
            _cell("embedding", "r8", vectors, name, partial(_classify, load, name))
            for vectors, load in with_vectors.items()
            for name in EMBEDDED
        ),
        *(
            _cell("topics", "classic", n, name, partial(_with_topics, study, n, name))
            for n in TOPICS
            for name in ("LDA", "LSI", "HOTT", "HOFTT")
        ),
        _cell("topic words", "r8", "all", "LDA", partial(_classify, with_vectors["bundled"], "LDA")),
        *(
            _cell("topic words", "r8", n, name, partial(_with_topic_words, study, n, name))
            for n in TOPIC_WORDS
            for name in ("HOTT", "HOFTT")
        ),
    ]
    return [cell for cell in all_cells if cell.key["dataset"] in wanted]


def _cell(
    study: str, dataset: str, setting: str | int, method: str, compute: Callable[[], Mapping[str, Any]]
) -> Cell:
    key = {"study": study, "dataset": dataset, "setting": setting, "method": method}
    return Cell(key, compute, weight=3.0 if method in ("HOFTT", "RWMD") else 1.0)


def _classify(load: Callable[[], Task], name: str) -> Mapping[str, Any]:
    return classify(load(), METHODS[name])


def _trained_task(study: Study) -> Task:
    """r8 with word vectors that were trained on r8 alone."""
    documents = study.documents("r8")
    trained = embeddings.train(documents.contents, 200, 5, seed=study.seed, method="word2vec")
    return Task(study, documents, "paper", 0, False, trained)


def _with_topics(study: Study, n_topics: int, name: str) -> Mapping[str, Any]:
    task = study.task("classic", "paper")
    if name == "LSI":
        method = Method(name, lambda task, p: LSI(n_topics).fit(task.training_counts))
        return {**classify(task, method), "topics": n_topics}
    [topics] = study.topics(task.training_counts, 1, n_topics)
    if name == "LDA":
        method = Method(name, lambda task, p: LDADistance(topic_model=topics).fit(task.training_counts))
    else:
        space = TopicSpace.of(topics, task.vectors.astype(np.float64), n_words=20, order=Order(1))
        method = _transported(name, space)
    return {**classify(task, method), "topics": n_topics}


def _with_topic_words(study: Study, n_words: int, name: str) -> Mapping[str, Any]:
    task = study.task("r8", "paper")
    space = TopicSpace.of(task.topics(1)[0], task.vectors.astype(np.float64), n_words=n_words, order=Order(1))
    return classify(task, _transported(name, space))


def _transported(name: str, space: TopicSpace) -> Method:
    """HOTT or HOFTT over given topics."""
    distance = (HOTT if name == "HOTT" else HOFTT).from_models([space])
    return replace(METHODS[name], fitted=lambda task, p: distance)
