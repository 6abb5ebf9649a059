"""Families of transport problems that are hard to solve exactly, and collections of documents to compare."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Random = np.random.Generator
Shape = tuple[int, int, int]
Masses = tuple[Array, Array]
Cases = tuple[Array, Array, Array]
Collection = tuple[Array, Array, bool]


# -- k problems of n x m at a time: masses of the rows and of the columns, and costs -------------------------


def _counts(rng: Random, shape: Shape) -> Masses:
    """Whole masses: many sums of them coincide."""
    k, n, m = shape
    a = rng.integers(0, 10, (k, n))
    a[np.arange(k), rng.integers(0, n, k)] += 1
    return a.astype(float), rng.multinomial(a.sum(axis=1), rng.dirichlet(np.ones(m), k)).astype(float)


def _shares(rng: Random, shape: Shape) -> Masses:
    k, n, m = shape
    return rng.dirichlet(np.ones(n), k), rng.dirichlet(np.ones(m), k)


def _masses(rng: Random, shape: Shape) -> Masses:
    return (_counts if rng.random() < 0.5 else _shares)(rng, shape)


def _wide_masses(rng: Random, shape: Shape) -> Masses:
    k, n, m = shape
    decades = rng.choice([6, 12, 20, 40])
    a, b = 10.0 ** rng.uniform(-decades, 0, (k, n)), 10.0 ** rng.uniform(-decades, 0, (k, m))
    return a / a.sum(axis=1, keepdims=True), b / b.sum(axis=1, keepdims=True)


def _degenerate(rng: Random, shape: Shape) -> Cases:
    return *_counts(rng, shape), rng.integers(0, 7, shape).astype(float)


def _assignment(rng: Random, shape: Shape) -> Cases:
    k, n, _ = shape
    return np.ones((k, n)), np.ones((k, n)), rng.integers(0, 10, (k, n, n)).astype(float)


def _forbidden(rng: Random, shape: Shape) -> Cases:
    cost = rng.integers(0, 10, shape).astype(float) if rng.random() < 0.5 else rng.random(shape)
    cost[rng.random(shape) < rng.choice([0.05, 0.2, 0.6])] = rng.choice([1e12, 1e14, 1e15, 1e17, 1e300])
    return *_masses(rng, shape), cost


def _wide_costs(rng: Random, shape: Shape) -> Cases:
    decades = rng.choice([4, 8, 16, 40, 100, 300])
    return *_masses(rng, shape), 10.0 ** rng.uniform(-decades, decades, shape)


def _near_ties(rng: Random, shape: Shape) -> Cases:
    return *_masses(rng, shape), rng.integers(1, 4, shape) * (1 + rng.integers(-3, 4, shape) * 2.0**-52)


def _usual(rng: Random, shape: Shape) -> Cases:
    return *_shares(rng, shape), rng.random(shape)


def _wide(rng: Random, shape: Shape) -> Cases:
    decades = rng.choice([0.5, 4, 8, 16, 40])
    return *_wide_masses(rng, shape), 10.0 ** rng.uniform(-decades, decades, shape)


def _huge(rng: Random, shape: Shape) -> Cases:
    (a, b), cost = _shares(rng, shape), rng.random(shape)
    return (1e308 * a, 1e308 * b, cost) if rng.random() < 0.5 else (a, b, 1.7e308 * cost)


def _denormal(rng: Random, shape: Shape) -> Cases:
    a, b = _counts(rng, shape)
    cost = rng.integers(0, 50, shape) * 5e-324 if rng.random() < 0.7 else rng.random(shape)
    return (5e-324 * a, 5e-324 * b, cost) if rng.random() < 0.5 else (a, b, cost)


def _line(rng: Random, shape: Shape) -> Cases:
    """Places on a line, a tenth apart: in decimals all ties, in binary none."""
    k, n, m = shape
    x, y = rng.integers(0, 10, (k, n)) * 0.1, rng.integers(0, 10, (k, m)) * 0.1
    return *_shares(rng, shape), np.abs(x[:, :, None] - y[:, None])


def _densities(rng: Random, shape: Shape) -> Cases:
    """Gaussians and exponentials on a grid: their tails are far below the rounding of the total."""
    k, n, m = shape if shape[0] > 4 else (4, 6 * shape[1], 6 * shape[2])

    def density(points: int) -> Array:
        width = 10.0 ** rng.uniform(-2, 1)
        away = (np.abs(np.arange(points) - rng.uniform(0, points, (k, 1))) / width) ** rng.choice([1, 2])
        mass = np.exp(away.min(axis=1, keepdims=True) - away)
        return mass / mass.sum(axis=1, keepdims=True)

    step = rng.choice([1.0, 0.1, 1 / max(n, m)])
    return (
        density(n),
        density(m),
        np.tile(np.abs(np.subtract.outer(step * np.arange(n), step * np.arange(m))), (k, 1, 1)),
    )


def _decimal(rng: Random, shape: Shape) -> Cases:
    a, b = _counts(rng, shape)
    return 0.1 * a, 0.1 * b, rng.random(shape)


FAMILIES: dict[str, Callable[[Random, Shape], Cases]] = {
    "degenerate": _degenerate,
    "assignment": _assignment,
    "forbidden arcs": _forbidden,
    "wide costs": _wide_costs,
    "wide costs and masses": _wide,
    "near ties": _near_ties,
    "usual": _usual,
    "huge": _huge,
    "denormal": _denormal,
    "line": _line,
    "densities": _densities,
    "decimal masses": _decimal,
}


# -- documents over common sites: their masses, the costs, and whether these are a metric --------------------


def _documents(rng: Random, sites: int, n: int = 24) -> Array:
    rows = rng.dirichlet(np.full(sites, rng.choice([0.05, 0.2, 1.0])), n)
    rows[rows < rng.choice([0, 1 / (sites + 1)])] = 0
    rows[np.arange(n), rng.integers(0, sites, n)] += 1e-3
    return rows / rows.sum(axis=1, keepdims=True)


def _distances(rng: Random, sites: int, dimensions: int = 3) -> Array:
    points = rng.normal(size=(sites, dimensions))
    return np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))


def _shortest_paths(cost: Array) -> Array:
    """Costs made to obey the triangle inequality, each direction for itself."""
    np.fill_diagonal(cost, 0)
    for k in range(len(cost)):
        cost = np.minimum(cost, cost[:, k : k + 1] + cost[k])
    return cost


def _metric(rng: Random) -> Collection:
    sites = int(rng.choice([2, 5, 20, 70, 120]))
    return _documents(rng, sites), _distances(rng, sites, int(rng.integers(1, 6))), True


def _many_sites(rng: Random) -> Collection:
    sites = int(rng.integers(260, 400))
    return rng.dirichlet(np.ones(sites), 6), _distances(rng, sites), True


def _asymmetric(rng: Random) -> Collection:
    sites = int(rng.integers(2, 30))
    return _documents(rng, sites), _shortest_paths(rng.random((sites, sites))), True


def _squared(rng: Random) -> Collection:
    sites = int(rng.choice([2, 5, 20, 70]))
    return _documents(rng, sites), _distances(rng, sites) ** 2, False


def _far_site(rng: Random) -> Collection:
    sites = int(rng.choice([5, 20, 70]))
    points = rng.normal(size=(sites, 3))
    points[0] *= 10.0 ** rng.integers(2, 9)
    squares = ((points[:, None] - points) ** 2).sum(axis=2)
    return _documents(rng, sites), (squares if rng.random() < 0.5 else np.sqrt(squares)), False


def _wide_table(rng: Random) -> Collection:
    sites, decades = int(rng.choice([5, 20, 40])), rng.choice([4, 12, 100])
    cost = 10.0 ** rng.uniform(-decades, decades, (sites, sites))
    np.fill_diagonal(cost, 0)
    return _documents(rng, sites), cost, False


def _extreme(rng: Random) -> Collection:
    sites = int(rng.choice([5, 20]))
    cost = _distances(rng, sites)
    scale = rng.choice([1e-300, 1e-45, 1e-38, 1e38, 1e45, 1e150, 1e300])
    return _documents(rng, sites), scale * cost, True


def _tied(rng: Random) -> Collection:
    sites = int(rng.integers(2, 12))
    rows = rng.integers(0, 4, (16, sites)).astype(float)
    rows[:, 0] += rows.sum(axis=1) == 0
    cost = rng.integers(0, 5, (sites, sites)).astype(float)
    np.fill_diagonal(cost, 0)
    return rows / rows.sum(axis=1, keepdims=True), cost, False


def _near_identical(rng: Random) -> Collection:
    sites = int(rng.choice([5, 20, 70]))
    row = _documents(rng, sites, 1)
    rows = row * (1 + 10.0 ** -rng.integers(2, 7) * rng.normal(size=(16, sites)))
    return rows / rows.sum(axis=1, keepdims=True), _distances(rng, sites), True


COLLECTIONS: dict[str, Callable[[Random], Collection]] = {
    "distances": _metric,
    "hundreds of sites": _many_sites,
    "asymmetric": _asymmetric,
    "squared distances": _squared,
    "one far site": _far_site,
    "wide tables": _wide_table,
    "extreme scales": _extreme,
    "tied tables": _tied,
    "near-identical": _near_identical,
}
