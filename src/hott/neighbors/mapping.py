"""Lay documents out on a plane so that near documents are near: t-SNE from exact nearest neighbours."""

from collections.abc import Callable
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hott.utils.optional import import_optional
from hott.utils.progress import defer_sigint
from hott.utils.run import Report, Run, RunOptions

_FEW = 3_000  # up to here, threads wait for each other longer than they work
_MANY = 10_000
"""Beyond this, a third of the neighbours and half of the steps: as many neighbours stay together on the map
(37 of 100 for 8,000 documents either way), in under half of the time."""

EXACT = 150_000
"""Documents beyond which a map goes by near ones, most of them the nearest: all pairs would take hours."""


def n_neighbors(n_documents: int, perplexity: float = 30) -> int:
    """Return how many nearest neighbours of each document :func:`layout` wants: three times the perplexity.

    Of more than 10,000 documents a third of that, by which each is then placed.

    Parameters
    ----------
    n_documents : int
    perplexity : float

    Examples
    --------
    >>> n_neighbors(10_000), n_neighbors(20), n_neighbors(10_001)
    (90, 19, 30)
    """
    return max(0, min(n_documents - 1, int(perplexity if n_documents > _MANY else 3 * perplexity)))


def layout(
    indices: ArrayLike,
    distances: ArrayLike,
    *,
    perplexity: float = 30,
    random_state: int = 0,
    **options: Unpack[RunOptions],
) -> NDArray[np.float64]:
    """Place documents on a plane by t-SNE, from the nearest neighbours of each; no full matrix is needed.

    Parameters
    ----------
    indices, distances : array-like of shape (documents, neighbours)
        The nearest other documents of each document and how far they are, nearest first, as
        ``Neighbors.kneighbors(k=n_neighbors(n))`` gives them.
    perplexity : float
        About how many neighbours a document should be placed by. Lowered where there are too few.
    random_state : int
        The same seed gives the same map, whatever the number of threads.
    **options : threads, device, progress
        See :class:`hott.run.RunOptions`. On a device, which is used where ``"cuda"`` is asked for, more than
        10,000 documents are placed otherwise than on the CPU, as well.

    Returns
    -------
    ndarray of shape (documents, 2)
        Centred on the origin; only nearness has a meaning, the axes have none.

    Examples
    --------
    >>> layout([[1], [0]], [[2.0], [2.0]])
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    indices, distances = _check_neighbors(indices, distances)
    n, k = indices.shape
    if n < 4 or k == 0:
        return np.column_stack([np.arange(n) * 2.0 - (n - 1), np.zeros(n)])
    run, perplexity = Run.of(options), min(perplexity, max(k / 3, 1.0))
    early, late = (125, 250) if n > _MANY else (250, 500)  # steps to group them, and to lay them out
    rate = n / 6 if n > _MANY else max(n / 12, 10.0)  # the usual 200 makes few points fly apart
    if run.device == "cuda" and n > _MANY:  # "auto" stays here: a map must not depend on the machine
        from hott.compute import gpu

        with run.reporting("map") as report:
            schedule = gpu.Schedule(early, late, rate)
            return gpu.lay_out(indices, distances, perplexity, schedule, random_state, report)
    tsne = import_optional("openTSNE", extra="plots")
    jobs = run.threads or (-1 if n > _FEW else 1)
    affinities = tsne.affinity.PerplexityBasedNN(
        perplexity=perplexity,
        knn_index=import_optional("openTSNE.nearest_neighbors", extra="plots").PrecomputedNeighbors(
            indices, distances
        ),
        n_jobs=jobs,
    )
    embedding = tsne.TSNEEmbedding(
        _start(tsne, affinities, n, random_state),
        affinities,
        negative_gradient_method="fft" if n > _MANY else "bh",
        random_state=random_state,
        n_jobs=jobs,
    )
    how = {"learning_rate": rate, "inplace": True}
    # A KeyboardInterrupt in the middle of a step leaves openTSNE a tree half made, and it crashes.
    with run.reporting("map") as report, defer_sigint() as let_in:
        told = _callbacks(report, let_in, 0, early + late)
        embedding.optimize(early, exaggeration=12, momentum=0.5, **how, **told)
        # Documents that are all alike have met in one point by now, where no force acts: give them a nudge.
        embedding += np.random.default_rng(random_state).normal(scale=1e-3, size=(n, 2))
        embedding.optimize(late, momentum=0.8, **how, **_callbacks(report, let_in, early, early + late))
    points = np.asarray(embedding, np.float64)
    return points - points.mean(axis=0)


def _callbacks(report: Report | None, let_in: Callable[[], None], before: int, total: int) -> dict[str, Any]:
    """Let openTSNE tell how far it is, and Ctrl-C in, now and then; what that raises ends the work."""

    def callback(iteration: int, error: float, embedding: NDArray[np.float64]) -> None:
        let_in()
        if report is not None:
            report(before + iteration, total)

    return {"callbacks": [callback], "callbacks_every_iters": 10}


def _start(tsne: Any, affinities: Any, n: int, random_state: int) -> NDArray[np.float64]:
    """Begin with the graph's leading eigenvectors, which keep far groups apart; at random for few points."""
    if n < 10:
        return np.random.default_rng(random_state).normal(scale=1e-4, size=(n, 2))
    return np.asarray(tsne.initialization.spectral(affinities.P, random_state=random_state))


def _check_neighbors(
    indices: ArrayLike, distances: ArrayLike
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    indices, distances = np.asarray(indices), np.asarray(distances, np.float64)
    if indices.ndim != 2 or indices.shape != distances.shape:
        raise ValueError(
            "indices and distances must be two arrays of the same shape, documents x neighbours; "
            f"got {indices.shape} and {distances.shape}."
        )
    if not (np.isfinite(distances).all() and (distances >= 0).all()):
        raise ValueError(
            "distances must be finite and not negative. Leave empty documents out of the map first."
        )
    n = len(indices)
    if indices.size and not (indices.dtype.kind in "iu" and indices.min() >= 0 and indices.max() < n):
        raise ValueError(f"indices must be whole numbers from 0 to {n - 1}, the rows of the documents.")
    return indices.astype(np.int64), distances
