"""t-SNE on the device: what :func:`hott.neighbors.mapping.layout` does there, in array operations alone.

Repulsion is computed on a grid by Fourier transforms (Linderman et al., "Fast interpolation-based t-SNE",
2019). What points put onto the grid is summed in whole numbers, so that it does not depend on the order in
which the threads of the device come to it. Functions take the array library: the same lines run on NumPy in
the tests.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hott.compute.gpu.device import check_memory, cupy
from hott.utils.optional import import_optional
from hott.utils.run import Report

NODES = (1 / 6, 1 / 2, 5 / 6)  # of a box of the grid, in each direction
BOX, MIN_BOXES, MAX_BOXES = 0.5, 50, 1_000  # their size, and how many there are in each direction
BISECTIONS = 64
START_STEPS = 200
FASTEST = 5.0  # step of a point


class Libraries(NamedTuple):
    """Arrays and sparse matrices, of NumPy and SciPy or of CuPy."""

    xp: Any
    sparse: Any


class Schedule(NamedTuple):
    """How points are moved: steps in which groups come together, then steps in which they are laid out."""

    early: int
    late: int
    rate: float


def lay_out(
    indices: NDArray[np.int64],
    distances: NDArray[np.float64],
    perplexity: float,
    schedule: Schedule,
    random_state: int,
    report: Report | None,
    libraries: Libraries | None = None,
) -> NDArray[np.float64]:
    """Points on a plane, from the nearest neighbours of each; on the device, or by other libraries."""
    if libraries is None:
        check_memory(150 * indices.size, "The neighbours of all documents")
        libraries = Libraries(cupy(), import_optional("cupyx.scipy.sparse", extra="gpu"))
    xp, random = libraries.xp, np.random.default_rng(random_state)
    P = affinities(libraries, indices, distances, perplexity)
    rows = xp.repeat(xp.arange(len(indices)), xp.diff(P.indptr).tolist())
    points = start(xp, P, rows, random)
    steps = [(12.0, 0.5)] * schedule.early + [(1.0, 0.8)] * schedule.late
    update, gains = xp.zeros_like(points), xp.ones_like(points)
    for step, (exaggeration, momentum) in enumerate(steps):
        if step == schedule.early:
            # Documents that are all alike have met in one point by now, where no force acts: a nudge.
            points += xp.asarray(random.normal(scale=1e-3, size=points.shape))
            update, gains = xp.zeros_like(points), xp.ones_like(points)
        forces, total = repulsion(xp, points)
        gradient = 4 * (exaggeration * attraction(xp, P, rows, points) - forces / total)
        gains = xp.where(xp.sign(update) != xp.sign(gradient), gains + 0.2, 0.8 * gains + 0.01)
        update = momentum * update - schedule.rate * gains * gradient
        update *= xp.minimum(1, FASTEST / xp.maximum(xp.linalg.norm(update, axis=1, keepdims=True), 1e-12))
        points = points + update
        points -= points.mean(axis=0)
        if report is not None and step % 10 == 9:
            report(step + 1, len(steps))
    return np.asarray(points.get() if hasattr(points, "get") else points)


def affinities(
    libraries: Libraries, indices: NDArray[np.int64], distances: NDArray[np.float64], perplexity: float
) -> Any:
    """Compute affinities that sum to 1, by Gaussians that give each document ``perplexity`` neighbours."""
    xp, sparse = libraries
    n, k = indices.shape
    squares = xp.asarray(distances)
    largest = squares.max(axis=1, keepdims=True)
    squares = (squares / xp.where(largest > 0, largest, 1)) ** 2  # only their ratios count
    squares -= squares.min(axis=1, keepdims=True)
    low, high, wanted = xp.zeros((n, 1)), xp.full((n, 1), np.inf), np.log(min(perplexity, k))
    beta = 1 / xp.maximum(squares.mean(axis=1, keepdims=True), 1e-300)
    for _ in range(BISECTIONS):
        weights = xp.exp(-beta * squares)
        total = weights.sum(axis=1, keepdims=True)
        is_wide = xp.log(total) + beta * (weights * squares).sum(axis=1, keepdims=True) / total > wanted
        low, high = xp.where(is_wide, beta, low), xp.where(is_wide, high, beta)
        beta = xp.where(xp.isinf(high), xp.minimum(2 * beta, 1e300), (low + xp.minimum(high, 1e300)) / 2)
    weights = xp.exp(-beta * squares)
    weights /= weights.sum(axis=1, keepdims=True)
    ends = xp.arange(n + 1, dtype=np.int32) * k
    given = (weights.ravel(), xp.asarray(indices, np.int32).ravel(), ends)
    one_way = sparse.csr_matrix(given, shape=(n, n))
    both = (one_way + one_way.T).tocsr()
    both.data /= 2 * n
    return both


def start(xp: Any, P: Any, rows: Any, random: np.random.Generator) -> Any:
    """Start the points on approximations of the graph's leading directions, to keep distant groups apart."""
    root = xp.sqrt(_sums(xp, P, P.data))  # of length 1, as P is of sum 1
    scaled = P.data / (root[rows] * root[P.indices])
    root = root[:, None]
    found = xp.asarray(random.normal(size=(len(root), 2)))
    for _ in range(START_STEPS):
        moved = [_sums(xp, P, scaled * found[:, c][P.indices]) for c in (0, 1)]
        found = found + xp.stack(moved, axis=1)  # so that no eigenvalue is below 0
        found -= root @ (root.T @ found)  # that of the largest is the same everywhere
        found[:, 1:] -= found[:, :1] * ((found[:, :1] * found[:, 1:]).sum() / (found[:, :1] ** 2).sum())
        found /= xp.linalg.norm(found, axis=0)
    found = found / root
    return 1e-4 * found / xp.maximum(found.std(axis=0), 1e-300)


def attraction(xp: Any, P: Any, rows: Any, points: Any) -> Any:
    """Compute the pull of its neighbours on each point, the sum over them of p (x - y) / (1 + |x - y|^2)."""
    apart = points[rows] - points[P.indices]
    apart *= (P.data / (1 + (apart**2).sum(axis=1)))[:, None]
    return xp.stack([_sums(xp, P, apart[:, c]) for c in (0, 1)], axis=1)


def _sums(xp: Any, P: Any, values: Any) -> Any:
    """Sum over the neighbours of each document in a fixed order, which a product of matrices lacks."""
    return xp.add.reduceat(xp.ascontiguousarray(values), P.indptr[:-1])


def repulsion(xp: Any, points: Any) -> tuple[Any, Any]:
    """Compute the push of all others on each point, the sum of (x - y) / (1 + |x - y|^2)^2, and its divisor.

    That is the sum of 1 / (1 + |x - y|^2) over all pairs.
    """
    n, low = len(points), points.min(axis=0)
    span = float((points.max(axis=0) - low).max()) * (1 + 1e-9) + 1e-12
    boxes = int(min(max(np.ceil(span / BOX), MIN_BOXES), MAX_BOXES))
    size, side = span / boxes, len(NODES) * boxes
    places = (points - low) / size
    box = xp.minimum(places.astype(np.int64), boxes - 1)
    weights = _interpolate(xp, places - box)  # points x 2 x nodes
    charges = xp.hstack([xp.ones((n, 1)), points, (points**2).sum(axis=1, keepdims=True)])
    # As whole numbers that no sum of them is too large for.
    units = 2.0**61 / (n * xp.maximum(xp.abs(charges).max(axis=0), 1e-300))
    grid = xp.zeros((4, side * side), np.uint64)
    nodes = [(a, b) for a in range(len(NODES)) for b in range(len(NODES))]
    where = [(3 * box[:, 0] + a) * side + 3 * box[:, 1] + b for a, b in nodes]
    shares = [weights[:, 0, a] * weights[:, 1, b] for a, b in nodes]
    for place, share in zip(where, shares):
        for c in range(4):
            xp.add.at(
                grid[c], place, xp.rint(share * charges[:, c] * units[c]).astype(np.int64).view(np.uint64)
            )
    field = _field(xp, grid.view(np.int64).reshape(4, side, side) / units[:, None, None], size / len(NODES))
    potential = sum(share * field[:, place] for place, share in zip(where, shares))
    forces = points * potential[0][:, None] - potential[1:3].T
    around = (1 + charges[:, 3]) * potential[0] - 2 * (points * potential[1:3].T).sum(axis=1) + potential[3]
    return forces, around.sum() - n


def _interpolate(xp: Any, places: Any) -> Any:
    """Evaluate the Lagrange polynomials of the nodes at places from 0 to 1."""
    first, middle, last = (places - node for node in NODES)
    return xp.stack([4.5 * middle * last, -9 * first * last, 4.5 * first * middle], axis=-1)


def _field(xp: Any, grid: Any, gap: float) -> Any:
    """Sum the charges on a grid at each node, weighted by 1 / (1 + distance^2)^2; return nodes in one row."""
    side = grid.shape[1]
    offsets = xp.arange(2 * side)
    squares = (xp.minimum(offsets, 2 * side - offsets) * gap) ** 2
    kernel = (1 + squares[:, None] + squares[None, :]) ** -2.0
    shape = 2 * side, 2 * side
    both = xp.fft.rfft2(grid, s=shape) * xp.fft.rfft2(kernel)
    return xp.fft.irfft2(both, s=shape)[:, :side, :side].reshape(len(grid), -1)
