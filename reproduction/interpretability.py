"""The figure of two books: their heaviest topics, and how much of each moves where; and what they share."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott.distances.topic import HOTT
from hott.explain import TopicMove, topic_moves
from hott.topics import Topic, named_topics
from reproduction.methods import hott
from reproduction.setting import Vectors
from reproduction.study import Study
from reproduction.task import Task

DATASET = "gutenberg"
# As in the paper: a book of steamships at war, and one of biology.
BOOKS = ("The Great War Syndicate", "On the Origin of Species 1st Edition")
TOPICS = 3
RANDOM_PLANS = 999
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
        **_likeness(study, task, distance, moves),
        "topics_first": _topics(heavy[0]),
        "topics_second": _topics(heavy[1]),
        "moves": json.dumps(_moves(moves, *heavy)),
    }


def _likeness(study: Study, task: Task, distance: HOTT, moves: Sequence[TopicMove]) -> dict[str, float]:
    """Compare the topics that mass moves between with those of random plans, by vectors the plan did not see.

    The cost of the plan is the least there is by its own vectors, so those cannot tell.
    """
    other: Vectors = "bundled" if study.vectors_of("paper") == "glove" else "glove"
    judge = replace(study, vectors=other).word_vectors("paper")
    vectors = np.zeros((len(task.words), judge.dimensions))
    known = judge.known(task.words)
    vectors[known] = judge.matrix(task.words[known])
    centres = task.topic_words(distance.models_[0].topics) @ vectors
    centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-12)
    plan = np.zeros((len(centres), len(centres)))
    for move in moves:
        if not move.stays:
            plan[move.source.number, move.target.number] += move.mass
    return compare_with_random_plans(plan, centres @ centres.T)


def compare_with_random_plans(
    plan: NDArray[np.float64], likeness: NDArray[np.float64], seed: int = 0
) -> dict[str, float]:
    """Return the mean likeness that a plan matches, that of random plans with its marginals, and a p-value.

    Examples
    --------
    >>> compare_with_random_plans(np.array([[0.5, 0.0], [0.0, 0.5]]), np.eye(2))["alike"]
    1.0
    """
    random = np.random.default_rng(seed)
    masses = plan.sum(axis=1), plan.sum(axis=0)
    sites = [np.flatnonzero(mass) for mass in masses]
    drawn = np.empty(RANDOM_PLANS)
    for number in range(RANDOM_PLANS):
        # Fill the cells of a random order of rows and columns from one corner: a random vertex.
        rows, columns = (random.permutation(side) for side in sites)
        ends = [np.cumsum(mass[side]) for mass, side in zip(masses, (rows, columns))]
        cuts = np.unique(np.concatenate(ends))
        middles = cuts - np.diff(cuts, prepend=0.0) / 2
        i, j = (np.minimum(np.searchsorted(end, middles), len(end) - 1) for end in ends)
        drawn[number] = np.diff(cuts, prepend=0.0) @ likeness[rows[i], columns[j]] / cuts[-1]
    alike = float((plan * likeness).sum() / plan.sum())
    return {
        "alike": alike,
        "alike_at_random": float(drawn.mean()),
        "alike_p": float((1 + np.sum(drawn >= alike - 1e-12)) / (1 + RANDOM_PLANS)),
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
