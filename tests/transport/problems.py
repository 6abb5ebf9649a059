"""Transport problems for the tests: random ones, and the degenerate ones that break solvers."""

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

Array = NDArray[np.float64]


def euclidean(rng: np.random.Generator, sites: int, dimensions: int = 3) -> Array:
    """A metric cost: distances between random points."""
    points = rng.normal(size=(sites, dimensions))
    return np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))


def documents(rng: np.random.Generator, count: int, sites: int, concentration: float = 0.05) -> Array:
    """Sparse topic proportions, as a thresholded topic model gives them."""
    rows = rng.dirichlet(np.full(sites, concentration), size=count)
    rows[rows < 1 / (sites + 1)] = 0
    rows[np.arange(count), rows.argmax(axis=1)] += 1e-3  # no row without mass
    return rows / rows.sum(axis=1, keepdims=True)


def degenerate() -> dict[str, tuple[Array, Array, Array]]:
    """Named problems with ties everywhere."""
    rng = np.random.default_rng(0)
    spread = np.sort(10.0 ** rng.uniform(-12, 0, size=30))
    uniform = np.full(20, 1 / 20)
    return {
        "equal masses, random costs": (uniform, uniform, rng.random((20, 20))),
        "equal masses, tied costs": (uniform, uniform, rng.integers(0, 3, (20, 20)).astype(float)),
        "all costs equal": (uniform, uniform, np.ones((20, 20))),
        "all costs zero": (uniform, uniform, np.zeros((20, 20))),
        "identical, metric cost": (uniform, uniform, euclidean(rng, 20)),
        "single sites": (np.ones(1), np.ones(1), np.array([[2.5]])),
        "one row": (np.ones(1), rng.dirichlet(np.ones(50)), rng.random((1, 50))),
        "one column": (rng.dirichlet(np.ones(50)), np.ones(1), rng.random((50, 1))),
        "zero masses": (np.array([0.5, 0.0, 0.5]), np.array([0.0, 1.0, 0.0]), rng.random((3, 3))),
        "twelve orders of magnitude": (
            spread / spread.sum(),
            rng.permutation(spread / spread.sum()),
            rng.random((30, 30)),
        ),
        "costs over eight decades": (
            uniform,
            rng.dirichlet(np.ones(20)),
            10.0 ** rng.uniform(-8, 0, (20, 20)),
        ),
        "sums of masses coincide": (
            np.array([0.1, 0.2, 0.3, 0.4]),
            np.array([0.3, 0.3, 0.4]),
            rng.random((4, 3)),
        ),
        "mass far from one": (1e6 * uniform, 1e6 * uniform, rng.random((20, 20))),
        "full 70 x 70": (rng.dirichlet(np.ones(70)), rng.dirichlet(np.ones(70)), euclidean(rng, 70)),
    }


@st.composite
def problems(draw: st.DrawFn, largest: int = 8) -> tuple[Array, Array, Array]:
    """Small problems with whole-numbered masses and costs, so that ties are common."""
    n, m = draw(st.integers(1, largest)), draw(st.integers(1, largest))
    a = np.array(draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)), float)
    b = np.array(draw(st.lists(st.integers(0, 9), min_size=m, max_size=m)), float)
    a[0] += a.sum() == 0
    b[0] += b.sum() == 0
    cost = np.array(draw(st.lists(st.integers(0, 6), min_size=n * m, max_size=n * m)), float).reshape(n, m)
    return a / a.sum(), b / b.sum(), cost


def check_certificate(a: Array, b: Array, cost: Array, transport: object) -> None:
    """Marginals hold, potentials are feasible, and there is no gap: the plan is proven optimal."""
    plan = transport.plan.toarray()  # type: ignore[attr-defined]
    u, v = transport.potentials  # type: ignore[attr-defined]
    mass, scale = a.sum(), max(cost.max(), 1e-300)
    assert plan.min() >= 0
    assert np.abs(plan.sum(axis=1) - a).max() <= 1e-12 * mass
    assert np.abs(plan.sum(axis=0) - b).max() <= 1e-12 * mass
    assert (cost - u[:, None] - v).min() >= -1e-9 * scale
    assert abs((plan * cost).sum() - transport.value) <= 1e-12 * scale * mass  # type: ignore[attr-defined]
    assert abs(u @ a + v @ b - transport.value) <= 1e-9 * scale * mass  # type: ignore[attr-defined]
