"""Comparisons made by hand, for the pictures."""

import numpy as np

from hott.explain import Comparison, Move, Side
from hott.explain.plan import least_cost_plan
from hott.topics import Topic


def comparison(a, b, *, names=None, titles=("A", "B"), n_models=1):
    """Compare two documents given as {topic number: proportion}, with topics on a line."""
    n = max(*a, *b) + 1
    names = names or [f"topic {k}" for k in range(n)]
    topics = [Topic(k, names[k], (f"word{k}", "shared")) for k in range(n)]
    cost = np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)
    rows = [np.array([side.get(k, 0.0) for k in range(n)]) for side in (a, b)]
    plan = least_cost_plan(*rows, cost, keep_common=True)
    costs = cost[plan.row, plan.col]
    total = float(plan.data @ costs)
    moves = [
        Move(topics[i], topics[j], float(mass), float(c), float(mass * c / total) if total else 0.0)
        for i, j, mass, c in zip(plan.row, plan.col, plan.data, costs)
    ]
    moves.sort(key=lambda move: (not move.stays, -move.share, -move.mass))
    sides = [
        Side(title, title, {topics[k]: mass for k, mass in sorted(side.items(), key=lambda item: -item[1])})
        for title, side in zip(titles, (a, b))
    ]
    return Comparison(
        total,
        total,
        0,
        n_models,
        1,
        *sides,
        tuple(moves),
        lambda move: [("from", "to", move.mass, move.cost)],
    )
