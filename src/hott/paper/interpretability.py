"""The figure of two books: their heaviest topics, and how much of each moves where."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from hott.explain import compare
from hott.explain.comparison import Comparison, Side
from hott.paper.methods import hott
from hott.paper.runner import Cell
from hott.paper.study import Study
from hott.topics import Topic

KEYS = ("dataset",)
DATASET = "gutenberg"
# As in the paper: a book of steamships at war, and one of biology.
BOOKS = ("The Great War Syndicate", "On the Origin of Species 1st Edition")
TOPICS = 3
WORDS = 7


def cells(study: Study) -> list[Cell]:
    """One cell: the whole comparison."""
    return [Cell({"dataset": source.name}, lambda: _compare(study)) for source in study.wants(DATASET)]


def _compare(study: Study) -> Mapping[str, Any]:
    documents, task = study.documents(DATASET), study.task(DATASET, "paper")
    titles = [documents.titles[row] for row in task.rows]
    a, b = (titles.index(book) if book in titles else place for book, place in zip(BOOKS, (0, -1)))
    distance = hott(task, 1)
    R = distance.represent(task.counts[[a, b]])
    frequencies = np.asarray(task.counts.sum(axis=0)).ravel()
    found = compare(distance, R[:1], R[1:], words=list(task.words), frequencies=frequencies)
    heavy = [dict(list(side.proportions.items())[:TOPICS]) for side in (found.a, found.b)]
    return {
        "first": titles[a],
        "second": titles[b],
        "distance": found.distance,
        "shared": found.shared_mass,
        "topics_first": _topics(found.a),
        "topics_second": _topics(found.b),
        "moves": json.dumps(_moves(found, *heavy)),
        "topics": study.sizes.topics,
        "seed": study.seed,
    }


def _topics(side: Side) -> str:
    heavy = list(side.proportions.items())[:TOPICS]
    return json.dumps(
        [
            {"name": topic.name, "words": list(topic.words[:WORDS]), "proportion": round(mass, 4)}
            for topic, mass in heavy
        ],
        ensure_ascii=False,
    )


def _moves(
    found: Comparison, first: dict[Topic, float], second: dict[Topic, float]
) -> list[tuple[int, int, float]]:
    """Mass between the topics shown: position on the left, position on the right, mass."""
    left = {topic.number: i for i, topic in enumerate(first)}
    right = {topic.number: i for i, topic in enumerate(second)}
    return [
        (left[move.source.number], right[move.target.number], round(move.mass, 4))
        for move in found.plan
        if move.source.number in left and move.target.number in right
    ]
