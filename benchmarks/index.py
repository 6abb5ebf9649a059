"""From text to answers: time and memory of every stage of an index.

    python benchmarks/index.py --data FOLDER [--sets r8,20news,gutenberg] [--models 1,8] [--json FILE]

FOLDER holds r8.jsonl.gz, 20news.jsonl.gz and gutenberg.npz with its words (see docs/reproduction.md). Every
case runs in a process of its own. Beside the wall time stands the CPU time of the process and its workers,
which other programs on the machine disturb less. Peak memory is the largest sum over the process and its
workers, sampled twenty times a second: all memory while the index is built (pages that workers share count
for each), without mapped files afterwards.

Of the gutenberg books only counts are there, so they stop short of an index. Their topics are learned from
--book-words words of each book, drawn at random; their proportions are read from all words.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import psutil
from rich.console import Console
from rich.table import Table
from scipy import sparse

import hott
from hott.vocabulary import ENGLISH

MATRIX_IN_MEMORY = 10_000  # documents up to which all distances are kept in memory, not in a file


class Stages:
    """Stages of one case: name, seconds, CPU seconds, peak memory in MB."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, float, float, float]] = []

    @contextmanager
    def stage(self, name: str, mapped: bool = True) -> Iterator[None]:
        peak, done = [0.0], threading.Event()
        watcher = threading.Thread(target=_watch, args=(peak, done, mapped))
        watcher.start()
        start, cpu = time.perf_counter(), _cpu_seconds()
        try:
            yield
        finally:
            seconds, cpu = time.perf_counter() - start, _cpu_seconds() - cpu
            done.set()
            watcher.join()
        self.rows.append((name, seconds, cpu, peak[0] / 1e6))


def _processes() -> list[psutil.Process]:
    return [psutil.Process(), *psutil.Process().children(recursive=True)]


def _cpu_seconds() -> float:
    times = [process.cpu_times() for process in _processes()]
    return sum(time.user + time.system for time in times)


def _watch(peak: list[float], done: threading.Event, mapped: bool) -> None:
    while not done.wait(0.05):
        with suppress(psutil.NoSuchProcess):
            memories = [process.memory_info() for process in _processes()]
            now = sum(memory.rss - (0 if mapped else memory.shared) for memory in memories)
            peak[0] = max(peak[0], now)


def index_case(folder: Path, name: str, n_models: int) -> Stages:
    """An index of texts: made, kept, opened, asked."""
    stages = Stages()
    with stages.stage("read"):
        corpus = hott.read(folder / f"{name}.jsonl.gz")
    with stages.stage("build"):
        index = hott.Index.build(corpus, n_models=n_models, on_empty="drop")
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "x.hott"
        with stages.stage("save"):
            index.save(path)
        print(f"{name}: {index}, file of {path.stat().st_size / 1e6:.1f} MB", file=sys.stderr)
        del index, corpus
        with stages.stage("open", mapped=False):
            index = hott.open(path)
        queries = [index.documents[row] for row in np.linspace(0, len(index) - 1, 200).astype(int).tolist()]
        with stages.stage("200 searches by text", mapped=False):
            found = [index.search(text="new " + query.text) for query in queries]
        with stages.stage("200 searches by id", mapped=False):
            for query in queries:
                index.search(id=query.id)
        solved = sum(hits.computed for hits in found) / sum(hits.computed + hits.pruned for hits in found)
        print(f"{name}: {solved:.2%} of the distances solved in a search", file=sys.stderr)
        with stages.stage("all distances", mapped=False):
            index.distances(None if len(index) <= MATRIX_IN_MEMORY else Path(place) / "D.npy")
    return stages


def counts_case(folder: Path, n_models: int, book_words: int) -> Stages:
    """The gutenberg books, which are counts: everything but the text."""
    stages = Stages()
    with stages.stage("read"):
        counts = sparse.csr_array(sparse.load_npz(folder / "gutenberg.npz"))
        words = gzip.decompress((folder / "gutenberg.vocab.txt.gz").read_bytes()).decode().split()
        vectors = hott.embeddings.default()
        kept = [column for column, word in enumerate(words) if word in vectors and word not in ENGLISH]
        counts = counts[:, kept]
    with stages.stage("topics"):
        distance = hott.HOTT(vectors.matrix(words[column] for column in kept), n_models=n_models)
        distance.fit(thinned(counts, book_words))
    with stages.stage("proportions"):
        documents = distance.represent(counts)
    with stages.stage("all distances", mapped=False):
        distance.between(documents)
    return stages


def thinned(counts: sparse.csr_array, n_words: int) -> sparse.csr_array:
    """At most ``n_words`` words of each document, drawn without putting back."""
    rng = np.random.default_rng(0)
    thin = counts.copy()
    for start, stop in zip(thin.indptr[:-1], thin.indptr[1:]):
        if thin.data[start:stop].sum() > n_words:
            thin.data[start:stop] = rng.multivariate_hypergeometric(thin.data[start:stop], n_words)
    thin.eliminate_zeros()
    return thin


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", default="r8,20news,gutenberg")
    parser.add_argument("--models", default="1,8")
    parser.add_argument("--book-words", type=int, default=2000)
    parser.add_argument("--json", type=Path, help="write the table here")
    parser.add_argument("--case", nargs=2, metavar=("SET", "MODELS"), help="run one case, print it as JSON")
    options = parser.parse_args()
    if options.case:
        name, n_models = options.case[0], int(options.case[1])
        if name == "gutenberg":
            stages = counts_case(options.data, n_models, options.book_words)
        else:
            stages = index_case(options.data, name, n_models)
        print(json.dumps(stages.rows))
        return

    results = []
    for name in options.sets.split(","):
        for n_models in options.models.split(","):
            command = [sys.executable, __file__, "--data", options.data, "--case", name, n_models]
            command += ["--book-words", str(options.book_words)]
            out = subprocess.run(list(map(os.fspath, command)), stdout=subprocess.PIPE, check=True).stdout
            for stage, seconds, cpu, peak in json.loads(out.splitlines()[-1]):
                row = {"set": name, "models": int(n_models), "stage": stage, "seconds": round(seconds, 2)}
                results.append({**row, "CPU seconds": round(cpu, 2), "peak MB": round(peak)})
    table = Table(*results[0], title=f"{os.cpu_count()} cores")
    for row in results:
        table.add_row(*map(str, row.values()))
    Console().print(table)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
