"""A small index, and real clusters of separate processes."""

import numpy as np
import pytest

from hott.corpus import Corpus
from hott.index import Index
from hott.scale import connected

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


@pytest.fixture(scope="session")
def index() -> Index:
    return Index.build(made_corpus(), n_topics=6, n_models=2, iterations=20, on_empty="nan")


@pytest.fixture(scope="session")
def client():
    with connected(workers=2) as client:
        yield client
