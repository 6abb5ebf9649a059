"""Plans between topics and comparisons made by hand, for the pictures."""

import numpy as np

from hott.explain import Comparison, Side, TopicMove, WordMove
from hott.explain.plan import least_cost_plan
from hott.terms import DocumentTerms, Term, TermStatistics, compare_terms
from hott.topics import Topic


def moves(a, b, *, words=None):
    """Move between two documents given as {topic: proportion}, with topics on a line."""
    n = max(*a, *b) + 1
    words = words or [[f"word{k}{letter}" for letter in "abcd"] for k in range(n)]
    cost = np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)
    rows = [np.array([side.get(k, 0.0) for k in range(n)]) for side in (a, b)]
    plan = least_cost_plan(*rows, cost, keep_common=True)
    topics = [Topic(k, ", ".join(words[k][:2]), tuple(words[k])) for k in range(n)]
    return [
        TopicMove(topics[i], topics[j], float(mass), float(mass * cost[i, j])) for i, j, mass in zip(*plan)
    ]


def comparison(a, b, *, titles=("A", "B")):
    """Compare two documents given as {word: weight}; what is moved is their words, one to the next."""
    numbers = {word: k for k, word in enumerate(sorted({*a, *b}))}
    sides = [
        DocumentTerms(
            "",
            "",
            tuple(
                Term(word, weight, (), (), numbers[word], (numbers[word],)) for word, weight in side.items()
            ),
            (),
            (),
            (),
        )
        for side in (a, b)
    ]
    steps = [WordMove(one, other, 1 / len(a), 0.1 * (k + 1)) for k, (one, other) in enumerate(zip(a, b))]
    told = compare_terms(*sides, TermStatistics("english"))
    distance = sum(step.cost for step in steps)
    named = (Side(title, title) for title in titles)
    return Comparison(
        distance, distance, *named, told, lambda: iter(steps), numbers.__getitem__, lambda _: ()
    )
