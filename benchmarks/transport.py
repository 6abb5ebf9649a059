"""Speed of the transport core against POT, measured in one run on one core.

    python benchmarks/transport.py [--data FOLDER] [--repeats 5] [--json FILE]

With --data (a folder that holds r8.jsonl.gz and 20news.jsonl.gz, see docs/reproduction.md) the proportions
are those of 70 topics fitted on the real corpora; without it they are drawn at random. Every ratio compares
medians of alternating repeats in the same process, in processor time (two threads against one: in time by the
clock); the spread is (largest - smallest) / median of ours.
"""

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import corpora
import numpy as np
import ot
from ot.lp.emd_wrap import emd_c
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scipy import sparse

from hott import transport


@dataclass
class Row:
    what: str
    ours: float  # problems a second
    peer: str
    theirs: float
    spread: float

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs


def compare(
    what: str,
    ours: Callable[[], int],
    peer: str,
    theirs: Callable[[], int],
    repeats: int,
    clock: Callable[[], float] = time.process_time,
) -> Row:
    """Time two functions in turns; each returns how many problems it solved."""
    speeds: tuple[list[float], list[float]] = ([], [])
    for _ in track(range(repeats), what, transient=True):
        for function, speed in zip((ours, theirs), speeds):
            start = clock()
            solved = function()
            speed.append(solved / (clock() - start))
    mine = np.array(speeds[0])
    return Row(
        what, float(np.median(mine)), peer, float(np.median(speeds[1])), float(np.ptp(mine) / np.median(mine))
    )


def all_pairs(P: sparse.csr_array, cost: np.ndarray, **options: object) -> Callable[[], int]:
    out = np.empty((P.shape[0], P.shape[0]))

    def run() -> int:
        transport.pairwise(P, cost=cost, out=out, **options)  # type: ignore[arg-type]
        return P.shape[0] * (P.shape[0] - 1) // 2

    return run


def sampled_pairs(P: sparse.csr_array, cost: np.ndarray, count: int, solve: Callable) -> Callable[[], int]:
    """POT on a sample of the pairs, each pair's masses and costs cut to its supports beforehand."""
    rng = np.random.default_rng(0)
    dense = P.toarray()
    problems = []
    while len(problems) < count:
        i, j = rng.integers(0, P.shape[0], 2)
        rows, columns = np.flatnonzero(dense[i]), np.flatnonzero(dense[j])
        if i != j:
            problem = dense[i][rows], dense[j][columns], cost[np.ix_(rows, columns)]
            problems.append(tuple(map(np.ascontiguousarray, problem)))

    def run() -> int:
        for a, b, c in problems:
            solve(a, b, c)
        return count

    return run


def bare_c(a: np.ndarray, b: np.ndarray, cost: np.ndarray) -> None:
    emd_c(a, b, cost, 100_000, 1)


def proportions_benchmark(name: str, hott: tuple, hoftt: sparse.csr_array, repeats: int) -> list[Row]:
    P, cost = hott
    P, hoftt = P[:3000], hoftt[:400]
    one = all_pairs(P, cost, threads=1)
    return [
        compare(f"{name}: HOTT", one, "ot.emd2", sampled_pairs(P, cost, 2000, ot.emd2), repeats),
        compare(f"{name}: HOTT", one, "emd_c, prebuilt", sampled_pairs(P, cost, 50_000, bare_c), repeats),
        compare(f"{name}: HOFTT 70 x 70", all_pairs(hoftt, cost, threads=1), "ot.emd2",
                sampled_pairs(hoftt, cost, 300, ot.emd2), repeats),
        compare(f"{name}: HOTT, 2 threads", all_pairs(P, cost, threads=2), "1 thread", one, repeats,
                time.perf_counter),
    ]  # fmt: skip


def square_benchmark(size: int, repeats: int) -> Row:
    """Problems of one size between word vectors in 256 dimensions, masses as word counts have them."""
    rng = np.random.default_rng(size)
    count = max(1, 300_000 // size**2)
    problems = []
    for _ in range(count):
        points = rng.normal(size=(2 * size, 256))
        a, b = rng.gamma(0.5, size=(2, size)) + 1e-3
        problems.append((a / a.sum(), b / b.sum(), ot.dist(points[:size], points[size:], "euclidean")))

    return compare_one_by_one(f"{size} x {size}", problems, max(1, repeats if size < 1000 else repeats // 2))


def density_benchmark(size: int, repeats: int) -> list[Row]:
    """Gaussians on a line, in both directions: tails down to 1e-300, and costs full of ties."""
    x = np.arange(size)
    a, b = (np.exp(-(((x - c * size) / w) ** 2) / 2) for c, w in ((0.6, 5), (0.8, 10)))
    places = {"whole steps": x, "of length 1": np.linspace(0, 1, size)}
    rows = []
    for name, at in places.items():
        cost = np.abs(np.subtract.outer(at, at)).astype(float)
        both = [(a / a.sum(), b / b.sum(), cost), (b / b.sum(), a / a.sum(), cost)]
        rows.append(compare_one_by_one(f"Gaussians on a line, {name}: {size} x {size}", both, repeats))
    return rows


def compare_one_by_one(what: str, problems: list[tuple[np.ndarray, ...]], repeats: int) -> Row:
    def ours() -> int:
        for problem in problems:
            transport.solve(*problem)
        return len(problems)

    def theirs() -> int:
        for a, b, cost in problems:
            ot.emd2(a, b, cost, numItermax=10**8)
        return len(problems)

    return compare(what, ours, "ot.emd2", theirs, repeats)


def topic_size_benchmark(repeats: int) -> Row:
    """20 x 20, as between topics of 20 words: a batch over 400 words, nothing in common."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(400, 50))
    P = np.zeros((200, 400))
    for row in P:
        row[rng.choice(400, 20, replace=False)] = rng.dirichlet(np.ones(20))
    cost = ot.dist(points, points, "euclidean")
    rows = sparse.csr_array(P)
    return compare("20 x 20", all_pairs(rows, cost, threads=1, metric=False), "ot.emd2",
                   sampled_pairs(rows, cost, 2000, ot.emd2), repeats)  # fmt: skip


def stress(problems: int) -> int:
    """Random small problems, many of them degenerate; returns how many failed to reach the optimum."""
    rng = np.random.default_rng(0)
    solved = failed = 0
    for _ in track(range(10_000), "stress", transient=True):
        sites = int(rng.integers(1, 33))
        P = rng.integers(0, 4, (16, sites)) if rng.random() < 0.5 else rng.random((16, sites)) ** 8
        P = P.astype(float) + np.eye(16, sites) * (P.sum(axis=1, keepdims=True) == 0)
        P[P.sum(axis=1) == 0, 0] = 1
        P /= P.sum(axis=1, keepdims=True)
        points = rng.integers(0, 4, (sites, 2)) if rng.random() < 0.5 else rng.normal(size=(sites, 3))
        cost = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2)) ** rng.integers(1, 3)
        try:
            transport.pairwise(P, cost=cost, threads=1)
        except transport.NotOptimalError:
            failed += 1
        solved += 120
        if solved >= problems:
            break
    return failed


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="folder with r8.jsonl.gz and 20news.jsonl.gz")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path, help="write the table here")
    parser.add_argument(
        "--stress", type=int, default=1_000_000, help="random small problems to solve at the end"
    )
    options = parser.parse_args()

    rows: list[Row] = []
    if options.data:
        for name in ("r8", "20news"):
            space = corpora.topic_space(options.data, name)
            rows += proportions_benchmark(name, (space.truncated, space.cost), space.full, options.repeats)
    else:
        space = corpora.random_topic_space()
        rows += proportions_benchmark("random", (space.truncated, space.cost), space.full, options.repeats)
    rows.append(topic_size_benchmark(options.repeats))
    rows += [square_benchmark(size, options.repeats) for size in (100, 300, 1000, 3000)]
    for size in (500, 1000):
        rows += density_benchmark(size, options.repeats)

    table = Table("problem", "ours /s", "peer", "peer /s", "ratio", "spread", title="exact transport")
    for row in rows:
        table.add_row(
            row.what,
            f"{row.ours:,.1f}",
            row.peer,
            f"{row.theirs:,.1f}",
            f"{row.ratio:,.2f}",
            f"{row.spread:.0%}",
        )
    console = Console()
    console.print(table)
    failed = stress(options.stress)
    console.print(f"{options.stress:,} random small problems, {failed} blocks that failed to converge")
    if options.json:
        options.json.write_text(json.dumps([asdict(row) | {"ratio": row.ratio} for row in rows], indent=1))


if __name__ == "__main__":
    main()
