"""Topic proportions of documents on the device, the same to the bit as the CPU's."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hott import _core
from hott.compute.gpu.device import attribute, check_memory, cupy, kernel
from hott.compute.gpu.stream import Block, blocks, stream
from hott.compute.ground import FoldIn
from hott.utils.run import Run

LANES = _core.FOLD_IN_LANES
"""Threads that read a document together."""

DOCUMENTS = 16
"""Documents of a block of threads, unless they have too many topics."""

ENTRIES = 1 << 23
"""Proportions computed at a time: 64 MB, copied out while the next are computed."""


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
        run_kernel((grid,), (LANES * documents,), arguments, shared_mem=documents * a_document)
        return proportions

    xp.cuda.get_current_stream().synchronize()  # the kernel runs on another stream
    with run.reporting("topic proportions") as report:
        parts = blocks(*task.shape, False, ENTRIES)
        stream(task.shape, parts, False, compute, out, run.n_threads, report)
    return out
