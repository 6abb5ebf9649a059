import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from hott import transport
from hott.explain.plan import TopicGeometry, least_cost_plan
from hott.ground import Ground, Order


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
    plan = least_cost_plan(a, b, cost, keep_common=keep_common)
    assert plan.sum(axis=1) == pytest.approx(a, abs=1e-11)
    assert plan.sum(axis=0) == pytest.approx(b, abs=1e-11)
    assert (plan.data > 0).all()
    exact = transport.solve(a / a.sum(), b / b.sum(), cost).value
    assert plan.data @ cost[plan.row, plan.col] == pytest.approx(exact, abs=1e-11)


@given(problems())
def test_common_mass_stays(problem):
    a, b, cost = problem
    plan = least_cost_plan(a, b, cost, keep_common=True).toarray()
    assert np.diag(plan) == pytest.approx(np.minimum(a, b), abs=1e-11)


@pytest.mark.parametrize("p", [1, 2])
def test_words_move_at_the_distance_of_their_topics(p):
    rng = np.random.default_rng(p)
    topics = rng.dirichlet(np.full(12, 0.3), 3)
    vectors = rng.normal(size=(12, 4))
    distances = transport.pairwise(topics, cost=cdist(vectors, vectors) ** p) ** (1 / p)
    geometry = TopicGeometry(topics, Ground(distances, Order(p)), vectors, None)
    for i in range(3):
        for j in range(3):
            sources, targets, mass, cost = geometry.word_plan(i, j)
            assert mass @ cost == pytest.approx(distances[i, j] ** p, abs=1e-12)
            assert np.bincount(sources, mass, 12) == pytest.approx(topics[i], abs=1e-12)
            assert np.bincount(targets, mass, 12) == pytest.approx(topics[j], abs=1e-12)


def test_without_vectors_all_words_are_equally_far_apart():
    topics = np.array([[0.5, 0.5, 0.0], [0.0, 0.25, 0.75]])
    geometry = TopicGeometry(topics, Ground(np.array([[0, 0.75], [0.75, 0]])), None, None)
    _, _, mass, cost = geometry.word_plan(0, 1)
    assert mass @ cost == 0.75
    assert set(cost.tolist()) == {0.0, 1.0}
