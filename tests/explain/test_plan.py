import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from hott import transport
from hott.explain.plan import least_cost_plan


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, 8))
    points = rng.integers(0, 4, (n, 2)).astype(float)  # on a grid: ties and coinciding sites
    a, b = rng.dirichlet(np.full(n, 0.4), 2)
    kind = draw(st.sampled_from(["any", "equal", "almost equal"]))
    if kind != "any":
        b = a if kind == "equal" else (a + 1e-11 * b) / (a + 1e-11 * b).sum()
    return a, b, cdist(points, points)


@given(problems(), st.booleans())
def test_the_plan_has_the_marginals_and_the_least_cost(problem, keep_common):
    a, b, cost = problem
    sources, targets, masses = least_cost_plan(a, b, cost, keep_common=keep_common)
    assert np.bincount(sources, masses, len(a)) == pytest.approx(a, abs=1e-11)
    assert np.bincount(targets, masses, len(b)) == pytest.approx(b, abs=1e-11)
    assert (masses > 0).all()
    exact = transport.solve(a / a.sum(), b / b.sum(), cost).value
    assert masses @ cost[sources, targets] == pytest.approx(exact, abs=1e-11)


@given(problems())
def test_common_mass_stays(problem):
    a, b, cost = problem
    sources, targets, masses = least_cost_plan(a, b, cost, keep_common=True)
    stays = sources == targets
    assert np.bincount(sources[stays], masses[stays], len(a)) == pytest.approx(np.minimum(a, b), abs=1e-11)
