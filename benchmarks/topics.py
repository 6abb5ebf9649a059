"""Speed of the topic sampler against tomotopy's, in words a second of one core, measured in one run.

    python benchmarks/topics.py --data FOLDER [--json FILE] [--only SECTION ...] [--sweeps N]

FOLDER holds the paper's data sets (docs/reproduction.md). The sections:

corpora  70 topics on r8, amazon and 20news: plain, with borrowing, and tomotopy's LDAModel with one worker
topics   r8 with 20, 70, 200 and 1,000 topics, the same three
models   eight models of r8 on one thread and on all: seconds, and that the topics are the same

Times are processor times of this process, the least of three runs that take turns, so that other work on the
machine disturbs the comparison little. Looking for the nearest words is shown apart: models share it.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before numpy loads its linear algebra

import argparse  # noqa: E402
import json  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable  # noqa: E402
from dataclasses import asdict, dataclass  # noqa: E402
from pathlib import Path  # noqa: E402

import corpora  # noqa: E402
import numpy as np  # noqa: E402
import tomotopy  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402
from scipy import sparse  # noqa: E402

from hott.topics import GibbsLDA  # noqa: E402
from hott.topics.neighborhood import neighborhood  # noqa: E402
from hott.utils.run import Run  # noqa: E402

REPEATS = 3


@dataclass
class Row:
    corpus: str
    words: int  # occurrences
    topics: int
    plain: float  # million words a second
    informed: float
    tomotopy: float
    nearest: float  # seconds to find the nearest words


def corpora_section(folder: Path, sweeps: int) -> list[Row]:
    return [measured(folder, name, 70, sweeps) for name in ("r8", "amazon", "20news")]


def topics_section(folder: Path, sweeps: int) -> list[Row]:
    return [measured(folder, "r8", n_topics, sweeps) for n_topics in (20, 70, 200, 1000)]


def measured(folder: Path, name: str, n_topics: int, sweeps: int) -> Row:
    data = corpora.counted(folder, name)
    words = int(data.counts.sum())
    vectors, seen = data.vectors.astype(np.float64), np.full(len(data.vectors), True)
    nearest = processor_seconds(lambda: neighborhood(vectors, seen, 20, 0.15))
    runs: dict[str, list[float]] = {"plain": [], "informed": [], "tomotopy": []}
    for _ in range(REPEATS):
        for kind, word_vectors in (("plain", None), ("informed", data.vectors)):
            model = GibbsLDA(n_topics, sweeps, word_vectors=word_vectors)
            seconds = processor_seconds(lambda: model.learn_many(data.counts, [0], Run(threads=1)))  # noqa: B023
            runs[kind].append(seconds - (nearest if kind == "informed" else 0))
        peer = loaded(data.counts, n_topics)
        runs["tomotopy"].append(processor_seconds(lambda: peer.train(sweeps, workers=1)))  # noqa: B023
    speeds = {kind: words * sweeps / min(seconds) / 1e6 for kind, seconds in runs.items()}
    return Row(name, words, n_topics, nearest=nearest, **speeds)


def loaded(counts: sparse.csr_array, n_topics: int) -> tomotopy.LDAModel:
    """tomotopy's model with the documents handed over, alpha and eta as ours, and nothing sampled yet."""
    model = tomotopy.LDAModel(k=n_topics, alpha=0.1, eta=0.01, seed=0)
    model.optim_interval = 0
    names = np.array([str(word) for word in range(counts.shape[1])], dtype=object)
    for start, stop in zip(counts.indptr[:-1], counts.indptr[1:]):
        times = counts.data[start:stop].astype(int)
        model.add_doc(np.repeat(names[counts.indices[start:stop]], times).tolist())
    model.train(0, workers=1)  # sets it up
    return model


def processor_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def models_section(folder: Path, sweeps: int) -> str:
    data = corpora.counted(folder, "r8")
    model = GibbsLDA(70, sweeps, word_vectors=data.vectors)
    seconds, learned = [], []
    for threads in (1, None):
        start = time.perf_counter()
        learned.append(model.learn_many(data.counts, range(8), Run(threads=threads)))
        seconds.append(time.perf_counter() - start)
    assert all(np.array_equal(a.components, b.components) for a, b in zip(*learned))
    return (
        f"r8, eight models of 70 topics, {sweeps} sweeps, wall clock: {seconds[0]:.1f} s on one thread, "
        f"{seconds[1]:.1f} s on {os.cpu_count()}, the same topics"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with the paper's data sets")
    parser.add_argument("--only", nargs="+", choices=["corpora", "topics", "models"])
    parser.add_argument("--sweeps", type=int, default=100)
    parser.add_argument("--json", type=Path, help="write the table here")
    options = parser.parse_args()
    chosen = options.only or ["corpora", "topics", "models"]
    rows: list[Row] = []
    if "corpora" in chosen:
        rows += corpora_section(options.data, options.sweeps)
    if "topics" in chosen:
        rows += topics_section(options.data, options.sweeps)
    table = Table(
        "corpus", "words", "topics", "plain", "informed", "tomotopy", "plain/tomotopy", "informed/tomotopy",
        "nearest words, s", title="million words a second and core",
    )  # fmt: skip
    for row in rows:
        speeds = [f"{speed:.1f}" for speed in (row.plain, row.informed, row.tomotopy)]
        ratios = [f"{speed / row.tomotopy:.2f}x" for speed in (row.plain, row.informed)]
        table.add_row(row.corpus, f"{row.words:,}", f"{row.topics:,}", *speeds, *ratios, f"{row.nearest:.2f}")
    console = Console(width=150)
    if rows:
        console.print(table)
    if "models" in chosen:
        console.print(models_section(options.data, options.sweeps))
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))


if __name__ == "__main__":
    main()
