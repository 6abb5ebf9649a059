"""The figure of two books: their heaviest topics, and how much of each moves where; and what they share."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hott.explain import TopicMove, topic_moves
from hott.topics import Topic, named_topics
from reproduction.methods import hott
from reproduction.study import Study

DATASET = "gutenberg"
# As in the paper: a book of steamships at war, and one of biology.
BOOKS = ("The Great War Syndicate", "On the Origin of Species 1st Edition")
TOPICS = 3
WORDS = 7


def measure(study: Study, dataset: str) -> Mapping[str, Any]:
    """The whole comparison in one row: over the topics of one model, as published."""
    documents, task = study.documents(dataset), study.task(dataset, "paper")
    titles = [documents.titles[row] for row in task.rows]
    a, b = (titles.index(book) if book in titles else place for book, place in zip(BOOKS, (0, -1)))
    distance = hott(task)
    R = distance.represent(task.counts[[a, b]])
    frequencies = np.asarray(task.counts.sum(axis=0)).ravel()
    topics = named_topics(distance.topics_, list(task.words), frequencies=frequencies)
    moves = topic_moves(distance, R[:1], R[1:], topics)
    heavy = [_heaviest(moves, end) for end in ("source", "target")]
    return {
        "first": titles[a],
        "second": titles[b],
        "distance": sum(move.cost for move in moves),
        "mean_topic_distance": float(distance.topic_distances_.sum() / (len(topics) * (len(topics) - 1))),
        "shared": sum(move.mass for move in moves if move.stays),
        "topics_first": _topics(heavy[0]),
        "topics_second": _topics(heavy[1]),
        "moves": json.dumps(_moves(moves, *heavy)),
    }


def _heaviest(moves: Sequence[TopicMove], end: str) -> dict[Topic, float]:
    """The heaviest topics of one book, with their proportions."""
    proportions: dict[Topic, float] = {}
    for move in moves:
        topic = getattr(move, end)
        proportions[topic] = proportions.get(topic, 0.0) + move.mass
    return dict(sorted(proportions.items(), key=lambda item: -item[1])[:TOPICS])


def _topics(heavy: Mapping[Topic, float]) -> str:
    return json.dumps(
        [
            {"name": topic.name, "words": list(topic.words[:WORDS]), "proportion": round(mass, 4)}
            for topic, mass in heavy.items()
        ],
        ensure_ascii=False,
    )


def _moves(
    moves: Sequence[TopicMove], first: Mapping[Topic, float], second: Mapping[Topic, float]
) -> list[tuple[int, int, float]]:
    """Mass between the topics shown: position on the left, position on the right, mass."""
    left = {topic.number: i for i, topic in enumerate(first)}
    right = {topic.number: i for i, topic in enumerate(second)}
    return [
        (left[move.source.number], right[move.target.number], round(move.mass, 4))
        for move in moves
        if move.source.number in left and move.target.number in right
    ]
