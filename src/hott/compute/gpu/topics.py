"""Topics by Gibbs sampling on the device, all models at once, and topic proportions as the CPU has them."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott import _core
from hott.compute.gpu.device import attribute, check_memory, cupy, free_memory, kernel
from hott.compute.gpu.layout import address
from hott.compute.gpu.matrix import Block, blocks, stream
from hott.compute.ground import FoldIn, Sampling
from hott.utils.run import Run

LANES = 32
"""Threads of a warp, each of which has every 32nd topic."""

MAX_TOPICS = 1024
"""More do not fit into the registers of a warp."""

BATCHES = 4
"""Parts of a sweep, after each of which the counts are taken anew: documents of one part do not see what the
others change. Topics were as good with one as with sixteen (docs/gpu.md)."""

FIRST_BORROWING, BORROWING_INTERVAL, EVERYTHING = _core.BORROWING

THREADS = 128

DOCUMENTS = 16
"""Documents of a block of threads, unless they have too many topics."""

ENTRIES = 1 << 23
"""Proportions computed at a time: 64 MB, copied out while the next are computed."""

NUMBERS = ("models", "topics", "real_topics", "words", "all_words", "per_word")
ARRAYS = (
    ("word", np.int32),
    ("start", np.int64),
    ("document", np.int32),
    ("seed", np.uint64),
    ("near", np.int32),
    ("near_weight", np.float32),
    ("scale", np.float32),
    ("topic", np.uint16),
    ("count", np.int32),
    ("total", np.int32),
    ("prior", np.float32),
    ("weight", np.float32),
    ("inverse", np.float32),
    ("inverse_less", np.float32),
)
SAMPLING = np.dtype(
    [(name, "i4") for name in NUMBERS]
    + [("alpha", "f4"), ("eta", "f4"), ("smoothing", "f8"), ("everything", "f8"), ("occurrences", "i8")]
    + [(name, "u8") for name, _ in ARRAYS],
    align=True,
)

Start = Callable[..., None]
"""Starts a kernel: its name, the topics of a lane, how many threads, and what it is given."""


def sample_topics(task: Sampling, run: Run) -> NDArray[np.float32]:
    """Draw topics for each seed; return how often each was drawn for each word, models x words x topics."""
    if task.n_topics > MAX_TOPICS:
        raise ValueError(
            f"n_topics must be at most {MAX_TOPICS:,} on a GPU, not {task.n_topics:,}. Choose "
            'device="cpu" for more.'
        )
    out = np.empty(task.shape, np.float32)
    models, needed = len(task.seeds), Chains.memory(task)
    check_memory(needed, "The topics")
    at_once = min(models, free_memory() // needed)
    with run.reporting("topics") as report:
        for first in range(0, models, at_once):
            chains = Chains(cupy(), start_kernel, task, task.seeds[first : first + at_once])
            for sweep in range(task.sweeps):
                chains.sweep(sweep)
                cupy().cuda.get_current_stream().synchronize()  # so that it can be stopped
                if report is not None:
                    report(first * task.sweeps + len(chains.seeds) * (sweep + 1), models * task.sweeps)
            out[first : first + at_once] = chains.counts()
    return out


def start_kernel(name: str, rows: int, threads: int, *arguments: Any) -> None:
    """Start a kernel on the current stream."""
    kernel("sampler", name, ROWS=rows)((-(-threads // THREADS),), (THREADS,), arguments)


class Chains:
    """Models that are sampled side by side, on the device or, for tests, in memory (``xp`` is NumPy then).

    There is a seed for each; ``lanes`` threads draw a document together.
    """

    def __init__(
        self, xp: Any, start: Start, task: Sampling, seeds: NDArray[np.uint64], lanes: int = LANES
    ) -> None:
        self.task, self.seeds, self.lanes = task, seeds, lanes
        self.rows = -(-task.n_topics // lanes)
        models, words, topics = len(seeds), task.n_seen, self.rows * lanes
        all_words, per_word = task.weights.shape
        lengths = np.add.reduceat(np.append(task.rows.counts, 0), task.rows.starts[:-1])
        lengths[np.diff(task.rows.starts) == 0] = 0
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        self.occurrences = int(starts[-1])
        order = np.argsort(-lengths, kind="stable").astype(np.int32)
        self.batches = _batches(lengths[order])
        numbers = models, topics, task.n_topics, words, all_words, per_word
        shapes = {
            "topic": (models, self.occurrences),
            "count": (models, words, topics),
            "weight": (models, words, topics),
            "prior": (models, all_words, topics),
        } | dict.fromkeys(("total", "inverse", "inverse_less"), (models, topics))
        given = {
            "word": np.repeat(task.rows.words, task.rows.counts.astype(np.int64)),
            "start": starts,
            "document": order,
            "seed": seeds,
            "near": task.neighbors,
            "near_weight": task.weights,
            "scale": np.zeros(all_words),
        }
        self.arrays = {
            name: xp.asarray(np.ascontiguousarray(given[name], dtype))
            if name in given
            else xp.zeros(shapes[name], dtype)
            for name, dtype in ARRAYS
        }
        settings = task.alpha, task.eta, task.eta * words, EVERYTHING, self.occurrences
        places = map(address, self.arrays.values())
        self.argument = np.array((*numbers, *settings, *places), SAMPLING)
        self._start = start
        self._run("begin", models * self.occurrences)
        self._run("borrow", models * all_words * lanes, models * all_words)  # nothing, as yet
        self.arrays["scale"][:] = xp.asarray(self._scales(), np.float32)

    @staticmethod
    def memory(task: Sampling) -> int:
        """Bytes that one model takes."""
        topics = -(-task.n_topics // LANES) * LANES
        occurrences = int(task.rows.counts.sum())
        shared = 4 * occurrences + 8 * task.weights.size + 12 * len(task.rows)
        return shared + 2 * occurrences + topics * (8 * task.n_seen + 8 * len(task.weights) + 16)

    def sweep(self, number: int) -> None:
        """Draw the topic of every occurrence once; ``number`` sweeps were made before."""
        words = len(self.seeds) * self.task.n_seen
        since = number - FIRST_BORROWING
        if since >= 0 and since % BORROWING_INTERVAL == 0 and self.task.weights.size:
            lent = len(self.seeds) * len(self.task.weights)
            self._run("borrow", lent * self.lanes, lent)
        for batch in self.batches:
            topics = self.arrays["total"].size
            self._run("weigh", max(words * self.lanes, topics), words)
            documents = len(self.seeds) * len(batch)
            drawn = np.uint64(self.occurrences * (number + 1))
            self._run("sample", documents * self.lanes, documents, np.int32(batch.start), drawn)

    def counts(self) -> NDArray[np.float32]:
        """How often each topic was drawn for each word that was seen, models x words x topics."""
        counts = self.arrays["count"][:, :, : self.task.n_topics].astype(np.float32)
        return counts if isinstance(counts, np.ndarray) else counts.get()

    def _scales(self) -> NDArray[np.float64]:
        """Compute the factors that make the borrowed counts of each word sum to the strength, or to 1."""
        task, occurrences = self.task, self.task.rows.occurrences(self.task.n_seen)
        lent = EVERYTHING + (task.weights * occurrences[task.neighbors]).sum(axis=1)
        borrows = task.weights.any(axis=1)
        unseen = np.arange(len(lent)) >= task.n_seen
        return np.where(borrows, np.where(unseen, 1.0, task.strength) / lent, 0.0)

    def _run(self, name: str, threads: int, count: int | None = None, *arguments: Any) -> None:
        count = threads if count is None else count
        self._start(name, self.rows, threads, self.argument, np.int64(count), *arguments)


def _batches(lengths: NDArray[np.float64]) -> list[range]:
    """Split documents, the longest first, into parts of about equally many occurrences; omit empty ones.

    The longest document of a part takes as long as the part does: so the long ones come together.
    """
    ends = np.cumsum(lengths)
    edges = np.searchsorted(ends, ends[-1] * np.arange(1, BATCHES) / BATCHES, side="right")
    edges = np.unique([0, *edges, np.count_nonzero(lengths)])
    return [range(first, last) for first, last in pairwise(edges.tolist())]


def fold_in(task: FoldIn, run: Run) -> NDArray[np.float64]:
    """Topic proportions of documents by the fixed point; rows sum to 1."""
    out = np.empty(task.shape)
    if not out.size:
        return out
    memory = attribute("MaxSharedMemoryPerBlockOptin")
    a_document = 2 * 4 * task.table.shape[1]
    if a_document > memory:
        raise MemoryError(
            f"A document over {task.n_topics:,} topics needs {a_document >> 10} KiB of shared memory, and "
            f'the device has {memory >> 10} KiB. Choose device="cpu" for so many topics.'
        )
    rows = task.rows
    check_memory(sum(array.nbytes for array in (*rows.arrays, task.table)) + 32 * ENTRIES, "The documents")
    xp = cupy()
    starts, words, counts = map(xp.asarray, rows.arrays)
    table, alpha = xp.asarray(task.table), xp.asarray(task.alpha)
    # Documents of like length side by side: those of a warp wait for each other.
    sizes = starts[1:] - starts[:-1]
    run_kernel = kernel("foldin", "foldin")
    run_kernel.max_dynamic_shared_size_bytes = memory
    documents = min(DOCUMENTS, memory // a_document)

    def compute(block: Block) -> Any:
        first, last = block.rows.start, block.rows.stop
        order = (xp.argsort(sizes[first:last])[::-1] + first).astype(np.int32)
        proportions = xp.empty((last - first, task.n_topics))
        sizes_given = np.int32(last - first), np.int32(task.table.shape[1]), np.int32(task.n_topics)
        given = starts, words, counts, order, *sizes_given, table, alpha, np.int32(task.steps)
        grid = -(-(last - first) // documents)
        arguments = *given, np.int32(first), proportions
        run_kernel((grid,), (_core.FOLD_IN_LANES * documents,), arguments, shared_mem=documents * a_document)
        return proportions

    xp.cuda.get_current_stream().synchronize()  # the kernel runs on another stream
    with run.reporting("topic proportions") as report:
        parts = blocks(*task.shape, False, ENTRIES)
        stream(task.shape, parts, False, compute, out, run.n_threads, report)
    return out
