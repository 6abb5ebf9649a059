"""Two backends behind the same verbs: where a problem is solved, and what happens when a GPU cannot.

``pairwise``, ``pairs`` and ``lower_bound`` take :class:`~hott.compute.ground.Problems` and a
:class:`~hott.utils.run.Run`. The fourth verb, the nearest documents, is the cascade of bounds and distances
in :mod:`hott.compute.cascade`, which :mod:`hott.neighbors` runs over the blocks of either backend.
``sample_topics`` and ``fold_in`` learn topics and read documents.
"""

import logging
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hott.compute import cpu
from hott.compute.ground import FoldIn, Problems, Sampling
from hott.utils.run import Run

log = logging.getLogger("hott.gpu")

Result = TypeVar("Result")

MIN_PAIRS = 10_000_000
"""From which ``device="auto"`` prefers the device: fewer are done before CuPy has started."""
BOUNDS_A_PAIR = 100
"""Bounds that take as long as the distance of one pair."""
PAIRS_A_READING = 70
"""Pairs that are solved in the time in which one document is read."""


def dispatch(run: Run, n_pairs: int, on_device: Callable[[], Result], here: Callable[[], Result]) -> Result:
    """Do work where ``run`` says, ``on_device`` or ``here``; "auto" leaves as much as few pairs take here."""
    if run.device != "cpu" and is_worthwhile(run, n_pairs):
        try:
            return on_device()
        except MemoryError as error:
            if run.device == "cuda":
                raise
            log.info("Computed on the CPU: %s", error)
    return here()


def is_worthwhile(run: Run, n_pairs: int) -> bool:
    """Decide whether a device computes so many pairs; an error says why it cannot where one was asked for."""
    from hott.compute import gpu  # loads CuPy, where it is installed

    if run.device == "cuda":
        gpu.cupy()
    return run.device == "cuda" or (n_pairs >= MIN_PAIRS and gpu.available())


def pairwise(problems: Problems, run: Run, out: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Compute the results for all pairs, in ``out`` or a new array."""
    n, m = problems.shape
    return _call("pairwise", run, n * m, problems, run, out)


def pairs(
    problems: Problems, rows: NDArray[np.integer], cols: NDArray[np.integer], run: Run
) -> NDArray[np.float64]:
    """Compute the results for listed pairs."""
    if run.device == "cpu":
        return cpu.pairs(problems, rows, cols, run)
    return _call("pairs", run, len(rows), problems, rows, cols, run)


def lower_bound(problems: Problems, run: Run) -> NDArray[np.floating]:
    """Compute values never above those of :func:`pairwise`."""
    n, m = problems.shape
    return _call("lower_bound", run, n * m // BOUNDS_A_PAIR, problems, run)


def sample_topics(task: Sampling, run: Run) -> NDArray[np.float32]:
    """Draw topics for each seed; return how often each was drawn for each word, models x words x topics.

    The GPU's topics are as good as the CPU's, and not the same. So ``device="auto"`` stays here: topics must
    not depend on the machine unless they were asked for from a GPU.
    """
    chosen = run if run.device == "cuda" else run.on_cpu()
    return _call("sample_topics", chosen, task.draws, task, run)


def fold_in(task: FoldIn, run: Run) -> NDArray[np.float64]:
    """Infer topic proportions of documents, rows that sum to 1: the same, to the bit, on either backend.

    Gibbs sweeps stay here.
    """
    if run.device == "cpu" or task.is_sampled:
        return cpu.fold_in(task, run)
    return _call("fold_in", run, len(task.rows) * PAIRS_A_READING, task, run)


def _call(verb: str, run: Run, n_pairs: int, *work: Any) -> Any:
    """Call a function that both backends have, on the one that ``run`` says."""

    def on_device() -> Any:
        from hott.compute import gpu

        return getattr(gpu, verb)(*work)

    return dispatch(run, n_pairs, on_device, lambda: getattr(cpu, verb)(*work))
