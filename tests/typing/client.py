"""A program of a user with a strict type checker: tests/test_house.py runs mypy --strict on it."""

from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import hott
from hott.explain import Comparison
from hott.index import Hits

distance: hott.HOTT = hott.HOTT(n_topics=5, random_state=0).fit([[1, 2], [3, 4]])
assert_type(distance.pairwise([[1, 2]], threads=1, progress=None), NDArray[np.float64])

index = hott.Index.build(hott.read("articles/"), n_topics=20, n_models=2, threads=2)
hits = index.search("planets around other stars", k=5)
assert_type(hits, Hits)
assert_type(hits[0].distance, float)
assert_type(index.compare("a", "b"), Comparison)
assert_type(hott.open("articles.hott"), hott.Index)
assert_type(hott.transport.solve([1.0], [1.0], [[2.0]]).value, float)

with hott.config_context(threads=1, device="cpu"):
    found = hott.Neighbors(hott.Cosine()).fit([[1, 2], [3, 4]]).kneighbors(k=1)
    assert_type(found.computed, int)
