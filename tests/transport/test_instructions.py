"""Results do not depend, in any bit, on the instruction set that the core or the BLAS chooses at run time."""

import os
import subprocess
import sys

import pytest

from hott import _core

PROGRAM = """
import hashlib, sys
import numpy as np
from hott import _core, transport
from hott.compute import scan
from hott.compute.ground import Distributions, Ground, Problem, Problems
from hott.utils.run import Run
from hott.topics import FittedTopics, GibbsLDA

rng = np.random.default_rng(0)
points = rng.normal(size=(40, 5))
cost = np.linalg.norm(points[:, None] - points, axis=2)
P = np.where(rng.random((60, 40)) < 0.3, rng.random((60, 40)), 0) + np.eye(60, 40) + np.eye(60, 40, -30)
P /= P.sum(axis=1, keepdims=True)
rows = Distributions.of(P).compact()
words = rng.dirichlet(np.full(200, 0.1), size=20)
line = np.linspace(0, 1, 200)
tails = [mass / mass.sum() for mass in (np.exp(-((line - c) ** 2) / 2e-4) for c in (0.4, 0.7))]
density = transport.solve(*tails, np.abs(line[:, None] - line))
found = [
    transport.pairwise(P, cost=cost),
    transport.pairwise(P, cost=cost**2),
    transport.lower_bound(P, cost=cost),
    transport.lower_bound(P[:1], P, cost=cost),
    scan.coarse_bound(Problems((Problem(rows[:7], rows, Ground(cost)),)), Run()),
    transport.solve(rng.dirichlet(np.ones(60)), rng.dirichlet(np.ones(50)), rng.random((60, 50))).value,
    *(density.value, density.plan.indices, density.plan.data, *density.potentials),
    FittedTopics(words).transform(rng.poisson(0.2, size=(30, 200))),
    GibbsLDA(21, 20, word_vectors=rng.normal(size=(90, 7))).fit(rng.poisson(0.5, size=(40, 90))).components_,
]
print(_core.INSTRUCTIONS, hashlib.sha256(b"".join(np.asarray(x).tobytes() for x in found)).hexdigest())
"""


def run(instructions: str, **variables: str) -> list[str]:
    environment = os.environ | {"HOTT_INSTRUCTIONS": instructions} | variables
    return subprocess.check_output([sys.executable, "-c", PROGRAM], text=True, env=environment).split()


def test_every_instruction_set_gives_the_same_numbers():
    chosen, numbers = run(_core.INSTRUCTIONS)
    assert chosen == _core.INSTRUCTIONS
    sets = ["neon"] if chosen == "neon" else ["baseline", "avx2", "avx512"]
    for other in sets[: sets.index(chosen)]:
        assert run(other) == [other, numbers]
    assert run(chosen, OPENBLAS_CORETYPE="Prescott") == [chosen, numbers]


def test_an_unknown_instruction_set_is_ignored():
    if "HOTT_INSTRUCTIONS" in os.environ:
        pytest.skip("HOTT_INSTRUCTIONS is set")
    assert run("none")[0] == _core.INSTRUCTIONS
