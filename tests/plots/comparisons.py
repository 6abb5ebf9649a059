"""Comparisons made by hand, for the pictures."""

import numpy as np

from hott.explain import Comparison, Move, Side, Theme, Word
from hott.explain.plan import least_cost_plan


def comparison(a, b, *, words=None, titles=("A", "B"), far=2.0, other=True):
    """Compare two documents given as {theme: mass}, with themes on a line; the last theme is other words."""
    n = max(*a, *b) + 1
    words = words or [[f"word{k}{letter}" for letter in "abcd"] for k in range(n)]
    cost = np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)
    rows = [np.array([side.get(k, 0.0) for k in range(n)]) for side in (a, b)]
    plan = least_cost_plan(*rows, cost, keep_common=True)
    shown = [tuple(Word(word, 0.01, (word,)) for word in words[k]) for k in range(n)]
    themes = [
        Theme(
            k,
            shown[k] if a.get(k) else (),
            shown[k] if b.get(k) else (),
            a.get(k, 0.0),
            b.get(k, 0.0),
            min(a.get(k, 0.0), b.get(k, 0.0)),
            0.0,
            0.0,
            0.0 if other and k == n - 1 else 1.0,
            is_other=other and k == n - 1,
        )
        for k in range(n)
    ]
    moves = [Move(themes[i], themes[j], float(mass), float(mass * cost[i, j])) for i, j, mass in zip(*plan)]
    moves.sort(key=lambda move: (not move.stays, -move.cost, -move.mass))
    sides = [Side(title, title) for title in titles]
    present = tuple(theme for theme in themes if theme.mass_a + theme.mass_b > 0)
    total = sum(m.cost for m in moves)
    return Comparison(total, total, far, *sides, present, tuple(moves), lambda: iter(()))
