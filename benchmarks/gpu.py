"""Speed of the GPU backend on one device, against our own CPU kernel on all cores, in one run.

    python benchmarks/gpu.py prepare FOLDER --data DATA  # anywhere: fits topics, keeps values of POT
    python benchmarks/gpu.py run FOLDER [--json FILE]    # on the machine with the device
    python benchmarks/gpu.py graph FOLDER --documents 10_000_000 --queries 400_000   # the graph alone
    python benchmarks/gpu.py map FOLDER --documents 1_000_000        # neighbours and t-SNE
    python benchmarks/gpu.py shapes FOLDER               # the exact kernel in every launch shape, one by one

DATA holds r8.jsonl.gz and 20news.jsonl.gz (docs/reproduction.md); 70 topics are fitted on each. Kernels are
timed by device events, everything else by the clock, after one run that compiles; medians of five, or three.
The CPU solves a sample of the same pairs on all its cores. Topics (gpu_topics.py): eight models learned, how
well they foresee held-out words, and a million documents read.
"""

import argparse
import itertools
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gpu_topics
import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from hott import transport
from hott.compute import cascade, gpu
from hott.compute.ground import Distributions, Ground, Problem, Problems
from hott.neighbors import mapping
from hott.utils.run import Run

if TYPE_CHECKING:
    from hott.compute.gpu.layout import Shape

CORPORA = ("r8", "20news")
SAMPLE = 2000  # pairs checked against POT in each corpus


@dataclass
class Row:
    what: str
    pairs: int
    seconds: float
    cpu: float | None = None  # pairs a second on all cores
    note: str = ""

    @property
    def speed(self) -> float:
        return self.pairs / self.seconds

    def __str__(self) -> str:
        ratio = "" if self.cpu is None else f"CPU {self.cpu / 1e6:,.1f} M/s, {self.speed / self.cpu:,.0f}x "
        speed = f"{self.seconds:.3f} s, {self.speed / 1e6:,.0f} M pairs/s"
        return f"{self.what}: {speed}; {ratio}{self.note}"


# -- data -------------------------------------------------------------------------------------------------


def prepare(folder: Path, data: Path) -> None:
    """Fit topics on the corpora; keep the proportions, the cost, and POT's value of some pairs."""
    import corpora
    import ot

    folder.mkdir(parents=True, exist_ok=True)
    for name in CORPORA:
        counted = corpora.counted(data, name)
        gpu_topics.prepare(folder, name, counted.counts, counted.vectors, counted.train)
        space = corpora.topic_space(data, name)
        P, cost = Distributions.of(space.truncated).csr, space.cost
        rows, cols = np.random.default_rng(0).integers(0, P.shape[0], (2, SAMPLE))
        dense = P.toarray()
        values = np.array([ot.emd2(dense[i], dense[j], cost) for i, j in zip(rows, cols)])
        parts = {"data": P.data, "indices": P.indices, "indptr": P.indptr, "cost": cost}
        np.savez_compressed(folder / f"{name}.npz", **parts, rows=rows, cols=cols, values=values)


def load(folder: Path, name: str) -> tuple[Distributions, np.ndarray, Any]:
    with np.load(folder / f"{name}.npz") as stored:
        parts = dict(stored)
    cost = parts["cost"]
    shape = (len(parts["indptr"]) - 1, len(cost))
    P = sparse.csr_array((parts["data"], parts["indices"], parts["indptr"]), shape=shape)
    return Distributions.of(P), cost, (parts["rows"], parts["cols"], parts["values"])


def more_documents(P: Distributions, count: int, seed: int) -> Distributions:
    """As many documents as asked for, from real ones: two are mixed, then words drawn from the mixture.

    A document of real length has its topics' shares by the words it happens to have, smoothed and truncated
    as the topic model does.
    """
    import cupy

    rng, xp = np.random.default_rng(seed), cupy
    xp.random.seed(seed)
    n, topics = P.shape
    dense = xp.asarray(P.csr.toarray(), np.float32)
    parts = []
    for first in range(0, count, 1 << 18):
        size = min(count - first, 1 << 18)
        one, other = xp.asarray(rng.integers(0, n, (2, size)))
        share = xp.asarray(rng.beta(6, 1, (size, 1)), np.float32)
        ends = xp.cumsum(share * dense[one] + (1 - share) * dense[other], axis=1)
        words = xp.asarray(np.clip(rng.lognormal(4.0, 0.7, size), 15, 300).astype(np.int32))
        counts, who = xp.zeros((size, topics), np.float32), xp.arange(size)
        for word in range(300):
            topic = (ends < xp.random.random((size, 1), np.float32)).sum(axis=1).clip(0, topics - 1)
            counts[who, topic] += word < words
        proportions = (counts + 0.1) / (words[:, None] + 0.1 * topics)
        proportions[proportions < 1 / (topics + 1)] = 0
        proportions /= proportions.sum(axis=1, keepdims=True, dtype=np.float64)
        parts.append(sparse.csr_array(proportions.get().astype(np.float64)))
    return Distributions.of(sparse.vstack(parts, format="csr"))


# -- timing -----------------------------------------------------------------------------------------------


def by_clock(work: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def by_events(work: Callable[[], object], repeats: int = 5) -> float:
    import cupy

    work()
    times = []
    for _ in range(repeats):
        start, stop = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        work()
        stop.record()
        stop.synchronize()
        times.append(cupy.cuda.get_elapsed_time(start, stop) / 1000)
    return float(np.median(times))


def cpu_speed(P: Distributions, cost: np.ndarray, pairs: int = 40_000_000) -> float:
    """Pairs a second on all cores, all different pairs of some documents."""
    n = min(len(P), int(pairs**0.5))
    half = P[: n // 2], P[n // 2 : n]
    transport.pairwise(half[0][:100], half[1][:100], cost=cost, metric=True)
    seconds = by_clock(lambda: transport.pairwise(*half, cost=cost, metric=True), 3)
    return len(half[0]) * len(half[1]) / seconds


# -- what is measured -------------------------------------------------------------------------------------


def exact_kernel(P: Distributions, cost: np.ndarray, name: str) -> Row:
    """All pairs of a corpus on the device: no transfers, nothing mirrored."""
    import cupy

    from hott.compute.gpu.exact import Exact, Failures
    from hott.compute.gpu.layout import MAX_SIDE

    exact, failures = Exact(Problem(P, None, Ground(cost))), Failures()
    out = cupy.empty((len(P), len(P)))
    seconds = by_events(lambda: exact.block(range(len(P)), 0, out, failures))
    solved = int((np.diff(P.starts) <= MAX_SIDE).sum()) ** 2
    note = f"{len(P):,} documents, mean size {np.diff(P.starts).mean():.1f}; {solved / len(P) ** 2:.2%} of "
    note += f"the pairs on the device, {int(failures.count[0]) / 6 / solved:.1e} of them uncertain"
    return Row(f"{name}: exact kernel", solved, seconds, cpu_speed(P, cost), note)


def bound_kernel(P: Distributions, cost: np.ndarray, name: str) -> Row:
    import cupy

    from hott.compute.gpu.bounds import TILE, Bounds, round_up

    bounds, n = Bounds(Problems((Problem(P, None, Ground(cost)),))), min(len(P), 16384)
    width = round_up(len(P), TILE)
    out, least = cupy.empty((n, width), np.float32), cupy.empty((n, width // TILE), np.float32)
    seconds = by_events(lambda: bounds.block(range(n), out, least))
    half = P[: len(P) // 2]
    on_cpu = by_clock(lambda: transport.lower_bound(half, half, cost=cost), 3)
    return Row(f"{name}: bound kernel", n * len(P), seconds, len(half) ** 2 / on_cpu)


def end_to_end(P: Distributions, Q: Distributions | None, cost: np.ndarray, what: str) -> Row:
    def run() -> None:
        transport.pairwise(P, Q, cost=cost, metric=True, device="cuda")

    pairs = len(P) * len(P if Q is None else Q)
    return Row(what, pairs, by_clock(run, 3), note="host arrays to a new host array")


def nearest(P: Distributions, cost: np.ndarray, k: int, queries: int) -> tuple[np.ndarray, int]:
    """Distances of the first documents to their nearest others, and how many pairs were solved."""
    problems = Problems((Problem(P[:queries], P, Ground(cost)),))
    blocks = gpu.bounded_blocks(problems, k, np.arange(queries), Run())
    found = [cascade.nearest(block, k) for _, block in blocks]
    return np.concatenate([part.distances for part in found]), sum(part.computed for part in found)


def graph(P: Distributions, cost: np.ndarray, queries: int, k: int = 10) -> Row:
    """The nearest of all documents, or of the first ones: then the note says what all would take."""
    some = np.argsort(np.diff(P.starts))[::-50][:20_000]  # of every size, so that all kernels are compiled
    nearest(P[some], cost, k, len(some))
    start = time.perf_counter()
    distances, computed = nearest(P, cost, k, queries)
    seconds = time.perf_counter() - start
    checked = np.random.default_rng(0).integers(0, queries, 20)
    values = transport.pairwise(P[checked], P, cost=cost, metric=True)
    values[np.arange(len(checked)), checked] = np.inf
    least = np.sort(np.partition(values, k, axis=1)[:, :k], axis=1)
    wrong = float(np.abs(least - distances[checked]).max())
    pairs = queries * (len(P) - 1)
    note = f"{computed / pairs:.2e} of the pairs solved; differs from brute force by {wrong:.1e} at most"
    if queries < len(P):
        note += f"; {queries:,} documents were asked for, all would take {seconds * len(P) / queries:,.0f} s"
    return Row(f"{k}-NN graph of {len(P):,} documents", pairs, seconds, note=note)


def lay_out(P: Distributions, cost: np.ndarray, k: int = 30) -> str:
    """A map of documents by topics, from exact neighbours, and how many of these stay together on it."""
    lines = []
    for _ in range(2):  # the first compiles
        start = time.perf_counter()
        problems = Problems((Problem(P, P, Ground(cost)),))
        blocks = gpu.bounded_blocks(problems, k, np.arange(len(P)), Run())
        found = [cascade.nearest(block, k) for _, block in blocks]
        indices, distances = (
            np.concatenate([getattr(part, name) for part in found]) for name in ("indices", "distances")
        )
        searched = time.perf_counter()
        points = mapping.layout(indices, distances, device="cuda")
        ended = time.perf_counter()
        lines.append((searched - start, ended - searched))
    some = np.random.default_rng(0).choice(len(P), min(len(P), 2000), replace=False)
    drawn = NearestNeighbors(n_neighbors=11).fit(points).kneighbors(points[some], return_distance=False)
    kept = np.mean([len({*a[:10]} & {*b[1:]}) for a, b in zip(indices[some].tolist(), drawn.tolist())]) / 10
    graph, layout = lines[-1]
    took = f"neighbours {graph:.1f} s, layout {layout:.1f} s"
    return f"map of {len(P):,} documents: {took}; {kept:.1%} of the nearest kept"


def check(P: Distributions, cost: np.ndarray, sample: Any, name: str) -> str:
    rows, cols, values = sample
    found = transport.pairs(P, P, rows, cols, cost=cost, metric=True, device="cuda")
    error = np.abs(found - values) / np.where(values > 0, values, 1)
    return f"{name}: {len(values)} pairs against POT, largest relative error {error.max():.1e}"


def run(folder: Path, file: Path | None, documents: int, wide: int) -> None:
    import cupy

    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(f"{name}, CuPy {cupy.__version__}; {os.cpu_count()} CPU cores\n")
    table: list[Row] = []

    def show(row: Row) -> None:
        table.append(row)
        print(row, flush=True)

    for corpus in CORPORA:
        P, cost, sample = load(folder, corpus)
        print(check(P, cost, sample, corpus), flush=True)
        show(exact_kernel(P, cost, corpus))
        show(bound_kernel(P, cost, corpus))
        show(end_to_end(P, None, cost, f"{corpus}: all {len(P):,} documents among themselves, end to end"))
    for line in itertools.chain(*(gpu_topics.sampled(folder, corpus) for corpus in CORPORA)):
        print(line, flush=True)
    print(gpu_topics.folded_in(folder), flush=True)
    made = more_documents(P, max(documents, 2 * wide), seed=1)
    first, second = made[:wide], made[wide : 2 * wide]
    print(f"made documents: mean size {np.diff(made.starts).mean():.1f}", flush=True)
    end_to_end(first[:5000], second[:5000], cost, "")
    show(end_to_end(first, second, cost, f"{wide:,} x {wide:,}, end to end"))
    show(end_to_end(first, None, cost, f"{wide:,} among themselves, end to end"))
    show(graph(made[:documents], cost, documents))
    if file is not None:
        file.write_text(json.dumps([asdict(row) for row in table], indent=1))


def shapes(folder: Path) -> None:
    """The exact kernel in every shape that might be fastest, for the classes that 20 newsgroups has."""
    import cupy

    from hott.compute.gpu.device import compile_together
    from hott.compute.gpu.exact import Exact, Failures
    from hott.compute.gpu.layout import COLUMN_CLASSES, LARGE_CLASSES, ROW_CLASSES, SMALL, first_gives_columns

    P, cost, _ = load(folder, "20news")
    exact, failures, out = Exact(Problem(P, None, Ground(cost))), Failures(), cupy.empty((660, len(P)))
    sizes = exact.P.sizes
    for rows, columns in itertools.product(ROW_CLASSES, COLUMN_CLASSES):
        queries = np.flatnonzero((sizes <= columns) & (sizes > columns - 2))[:660]
        first, last = np.searchsorted(sizes, [rows - 1, rows + 1])
        last = min(last, first + 4096)
        compiled = max(rows, columns) <= SMALL or {rows, columns} <= set(LARGE_CLASSES)
        if len(queries) == 0 or first == last or not (compiled and first_gives_columns(columns, rows)):
            continue
        tried = list(candidates(rows, columns, len(cost)))
        compile_together("exact", "exact", [{"METRIC": 1} | shape.macros for shape in tried])
        numbers = cupy.asarray(queries.astype(np.int32)), cupy.arange(len(queries), dtype=np.int32)
        those = None, None, np.int32(first), np.int32(last)
        where = numbers[1], exact.straight.row_numbers, np.int64(len(P)), np.int64(1), out, failures.argument
        found = []
        for shape in tried:
            launch = exact.straight._launch(shape, numbers[0], last - first, *those, *where)
            found.append((len(queries) * (last - first) / by_events(launch.run, 3) / 1e6, shape))
        found.sort(key=lambda pair: -pair[0])
        best = (f"{shape.threads}x{shape.blocks}, {shape.copies}: {speed:,.0f}" for speed, shape in found[:5])
        print(f"{rows} x {columns} in M/s by threads x blocks, copies: {'; '.join(best)}", flush=True)


def candidates(rows: int, columns: int, sites: int) -> Iterator["Shape"]:
    """Shapes that fit the memory and the registers of an H100."""
    from hott.compute.gpu.layout import SMALL, Shape

    usual = [(512, 1), (512, 2), (640, 1), (768, 1), (896, 1), (1024, 1), (384, 2), (256, 3), (256, 4)]
    large = [
        (512, 1),
        (384, 1),
        (320, 1),
        (256, 1),
        (192, 1),
        (128, 1),
        (256, 2),
        (192, 2),
        (128, 2),
        (128, 3),
    ]
    small = max(rows, columns) <= SMALL
    for threads, blocks in usual if small else large:
        for copies in (8,) if small else (8, 4, 2):
            shape = Shape(rows, columns, copies, threads, blocks)
            registers = 65536 // (threads * blocks)
            if blocks * (shape.shared_bytes(sites) + 1024) <= 227 << 10 and registers >= 32 + rows + columns:
                yield shape


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("prepare", "run", "graph", "map", "shapes"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, help="folder of the corpora, for prepare")
    parser.add_argument("--json", type=Path, help="where to put the figures, too")
    parser.add_argument("--documents", type=int, default=1_000_000, help="of the neighbour graph")
    parser.add_argument("--queries", type=int, help="documents whose nearest graph finds; all by default")
    parser.add_argument("--wide", type=int, default=50_000, help="documents each way, end to end")
    arguments = parser.parse_args()
    if arguments.what == "prepare":
        prepare(arguments.folder, arguments.data)
    elif arguments.what == "run":
        run(arguments.folder, arguments.json, arguments.documents, arguments.wide)
    elif arguments.what in ("graph", "map"):
        P, cost, _ = load(arguments.folder, "20news")
        made = more_documents(P, arguments.documents, seed=1)
        print(
            lay_out(made, cost)
            if arguments.what == "map"
            else graph(made, cost, arguments.queries or len(made))
        )
    else:
        shapes(arguments.folder)


if __name__ == "__main__":
    main()
