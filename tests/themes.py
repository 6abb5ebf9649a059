"""A small index about three themes, of which two documents have no known word."""

import numpy as np

from hott.corpus import Corpus
from hott.index import Index

THEMES = (
    ["planet", "star", "orbit", "telescope", "moon", "galaxy", "comet", "astronomer", "rocket", "eclipse"],
    ["match", "goal", "season", "football", "team", "player", "coach", "stadium", "referee", "league"],
    ["bread", "flour", "butter", "oven", "sugar", "recipe", "cake", "kitchen", "yeast", "dough"],
)


def made_corpus(n: int = 60) -> Corpus:
    """Documents about one or two of three themes; two of them have no known word."""
    rng = np.random.default_rng(0)
    texts = []
    for i in range(n):
        first, second = THEMES[i % 3], THEMES[(i + rng.integers(2)) % 3]
        texts.append(" ".join([*rng.choice(first, 8), *rng.choice(second, 5)]))
    texts[7] = texts[40] = "..."
    return Corpus(texts, ids=[f"d{i}" for i in range(n)])


def made_index(**how) -> Index:
    """An index of the made-up corpus; other parameters than the usual ones in ``how``."""
    return Index.build(
        made_corpus(), **({"n_topics": 6, "n_models": 2, "iterations": 20, "on_empty": "nan"} | how)
    )
