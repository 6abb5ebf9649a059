"""How work grows with the number of documents: building, file, search, neighbour graph, map, workers.

    python benchmarks/scale.py DATA                       # all of it
    python benchmarks/scale.py DATA --only size --documents 10000,100000,1000000 --models 1,8
    python benchmarks/scale.py DATA --only search --documents 1000000 --folder KEPT
    python benchmarks/scale.py DATA --only graph --documents 10000,100000
    python benchmarks/scale.py DATA --only workers        # 1 and 2 Dask workers of one thread each

DATA holds r8.jsonl.gz (docs/reproduction.md). Topics are learned from its documents, 70 a model. Those of a
larger collection are made from them as texts: words are drawn from those of two documents. They go the way of
any new document: read from JSON lines in batches, counted, inferred, saved.

build    processor time of building an index of made documents alone, topics and all
size     processor time of adding documents to the index of r8 in a stream, and of saving it; the file;
         processor time and wait of opening it, memory then; the first search; the 10 nearest documents of
         one, the median of 21, on one core; memory then; adding 1,000 more to it
search   processor time of one search on one core, the median of 21: four words of a document as a query, by
         words, topics and meaning (both), by each of them alone; the 10 documents nearest to one by topics;
         how many distances were solved
batch    1,000 such queries at once, on all cores
large    as many documents, in shards that two workers write: building, opening, searches on all cores
         (processor time and wait, medians of 21), memory
graph    the 10 nearest others of every document by topics, on all cores; the share of the pairs never solved
near     30 documents near each, by which a map of very many goes, on one core: processor time, and the share
         of the 30 nearest, after each round over neighbours of neighbours; documents are drawn as counts
map      the map of so many documents, on all cores; the share of the 10 nearest that are so on the map
shards   processor time of one search by words and topics, the median of 21, over the same documents in one
         file and in 4 and 16 shards; that of cutting them into 16
workers  all distances of 8,000 documents into Zarr, and the graph of 30,000: time with 1 and with 2 workers

Every case runs in a process of its own. Memory does not count mapped files. Made documents and their indexes
stay in --folder, and are made once. Where a case has several sizes, the last line of its table has the
exponents, the slopes of the logarithms: 1 is linear.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

import corpora
import numpy as np
import psutil
from rich.console import Console
from rich.table import Table
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

import hott
from hott.blocks import scale
from hott.corpus import Corpus, stream
from hott.index import By, Index, Shards
from hott.neighbors import gathered
from hott.neighbors import search as nearest
from hott.neighbors.mapping import n_neighbors
from hott.utils.run import Run

K = 10
QUERIES = 21
BATCH = 1_000
MORE = 1_000
SHARD = 500_000
ON_ALL_CORES = ("batch", "large", "graph", "map")


def made_texts(data: Path, count: int, seed: int = 0) -> Iterator[str]:
    """Texts of real length whose words are drawn from two documents of r8."""
    texts = [text.split() for text in corpora.texts(data, "r8")]
    rng = np.random.default_rng(seed)
    for _ in range(count):
        first, second = (texts[i] for i in rng.integers(0, len(texts), 2))
        words = first + second
        yield " ".join(words[i] for i in rng.integers(0, len(words), len(first)))


def made_batches(data: Path, count: int, batch: int = 10_000) -> Iterator[Corpus]:
    """Such documents, some at a time."""
    texts = made_texts(data, count, seed=3)
    for start in range(0, count, batch):
        ids = [f"made {number}" for number in range(start, min(start + batch, count))]
        yield Corpus(list(itertools.islice(texts, len(ids))), ids=ids)


def base_index(data: Path, models: int, folder: Path) -> Path:
    """An index of r8 itself: where the topics come from. Kept in the folder for the cases that follow."""
    path = folder / f"r8-{models}.hott"
    if not path.exists():
        started = time.monotonic()
        texts = list(corpora.texts(data, "r8"))
        Index.build(Corpus(texts), n_models=models, on_empty="drop").save(path)
        print(f"# {models} models of r8 in {time.monotonic() - started:.0f} s", file=sys.stderr)
    return path


def made_lines(data: Path, documents: int, folder: Path) -> Path:
    """A file of made documents, one a line. Kept in the folder."""
    lines = folder / f"made-{documents}.jsonl"
    if not lines.exists():
        with lines.open("w") as file:
            for number, text in enumerate(made_texts(data, documents)):
                file.write(json.dumps({"id": f"made {number}", "text": text}) + "\n")
    return lines


def grown(data: Path, models: int, documents: int, folder: Path) -> tuple[Path, dict[str, float]]:
    """The index of r8 with as many documents added as asked for, and what that took. Kept in the folder."""
    path = folder / f"grown-{models}-{documents}.hott"
    cost = path.with_suffix(".json")
    if not path.exists():
        lines = made_lines(data, documents, folder)
        index = hott.open(base_index(data, models, folder))
        index.parameters["on_empty"] = "drop"
        with peak_memory() as peak:
            started = time.process_time()
            index.add(stream(lines))
            added = time.process_time()
            index.save(path)
        took = {"add, s": added - started, "save, s": time.process_time() - added, "adding, MB": peak[0]}
        cost.write_text(json.dumps(took))
    return path, json.loads(cost.read_text())


# -- memory -----------------------------------------------------------------------------------------------


def own_memory() -> float:
    """Memory of this process in MB, mapped files not counted."""
    memory = psutil.Process().memory_info()
    return float(memory.rss - memory.shared) / 1e6


@contextmanager
def peak_memory() -> Iterator[list[float]]:
    """Largest memory of this process, mapped files not counted, in MB: sampled ten times a second."""
    peak, stop = [own_memory()], threading.Event()

    def sample() -> None:
        while not stop.wait(0.1):
            peak[0] = max(peak[0], own_memory())

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield peak
    finally:
        stop.set()
        thread.join()


# -- cases ------------------------------------------------------------------------------------------------


def build(data: Path, models: int, documents: int, folder: Path) -> dict[str, Any]:
    lines = made_lines(data, documents, folder)
    started = time.process_time()
    index = Index.build(stream(lines), n_models=models, on_empty="drop")
    return {"build, s": time.process_time() - started, "topics": index.parameters["n_topics"]}


def size(data: Path, models: int, documents: int, folder: Path) -> dict[str, Any]:
    path, cost = grown(data, models, documents, folder)
    started, used, before = time.perf_counter(), time.process_time(), own_memory()
    index = hott.open(path)
    opened, waited, after = time.process_time() - used, time.perf_counter() - started, own_memory()
    used = time.process_time()
    index.search("oil prices", k=K, threads=1)
    first = time.process_time() - used
    chosen = np.random.default_rng(0).integers(0, len(index), QUERIES)
    ids = [index.documents.ids[int(i)] for i in chosen]
    index.search(id=ids[0], k=K, threads=1)
    times, computed = [], 0
    for id in ids:
        used = time.process_time()
        computed += index.search(id=id, k=K, threads=1).computed
        times.append(time.process_time() - used)
    searched = own_memory()
    more = Corpus(list(made_texts(data, MORE, seed=1)), ids=[f"more {i}" for i in range(MORE)])
    used = time.process_time()
    index.add(more)
    added = time.process_time() - used
    parts = hott.storage.read(path).parts
    proportions = sum(part.length for part in parts if part.name.startswith("proportions"))
    return cost | {
        "file, MB": path.stat().st_size / 1e6,
        "proportions, MB": proportions / 1e6,
        "open, s": opened,
        "open, wall s": waited,
        "opened, MB": after - before,
        "first search, s": first,
        "nearest, ms": 1000 * float(np.median(times)),
        "solved": computed / QUERIES,
        "searched, MB": searched - before,
        f"add {MORE}, s": added,
    }


def search(data: Path, models: int, documents: int, folder: Path) -> dict[str, Any]:
    index = hott.open(grown(data, models, documents, folder)[0])
    chosen = np.random.default_rng(0).integers(0, len(index), QUERIES + 1)
    texts = [" ".join(index.documents[int(i)].text.split()[5:9]) for i in chosen]
    result: dict[str, Any] = {}
    topics = index.snapshot.topics
    searches: dict[str, Callable[[int], Any]] = {
        "both": lambda i: index.search(texts[i], k=K, by="both", threads=1),
        "words": lambda i: index.search(texts[i], k=K, by="words", threads=1),
        "topics": lambda i: index.search(texts[i], k=K, by="topics", threads=1),
        "meaning": lambda i: index.search(texts[i], k=K, by="meaning", threads=1),
        "nearest": lambda i: nearest(index.hott, topics.take([int(chosen[i])]), topics, K, Run(threads=1)),
    }
    for name, one in searches.items():
        one(0)
        times, computed = [], 0
        for i in range(1, QUERIES + 1):
            started = time.process_time()
            computed += one(i).computed
            times.append(time.process_time() - started)
        result[f"{name}, ms"] = 1000 * float(np.median(times))
        if name not in ("words", "meaning"):
            result[f"{name}, solved"] = computed / QUERIES
    return result


def batch(data: Path, models: int, documents: int, folder: Path) -> dict[str, Any]:
    index = hott.open(grown(data, models, documents, folder)[0])
    chosen = np.random.default_rng(1).integers(0, len(index), 2 * BATCH)
    texts = [document.text.split() for document in index.documents.rows_of(chosen)]
    long = [[word for word in words if len(word) > 4] for words in texts]  # no stop words alone
    many = [" ".join(words[:4]) for words in long if len(words) >= 4][:BATCH]
    index.search(many[0], k=K)
    started, used = time.perf_counter(), time.process_time()
    index.search_many(many, k=K)
    return {
        "queries a second": len(many) / (time.perf_counter() - started),
        "ms of a core": 1000 * (time.process_time() - used) / len(many),
    }


def large(data: Path, models: int, documents: int, folder: Path) -> dict[str, Any]:
    """Many documents in shards, which two workers write; then opened, and searched on all cores."""
    path = folder / f"large-{models}-{documents}.hotts"
    cost = path.with_suffix(".json")
    if not Shards.are_at(path):
        started = time.perf_counter()
        with scale.connect(workers=2) as client:
            how = {"n_models": models, "on_empty": "drop", "client": client}
            Shards.build(made_batches(data, documents), path, shards=-(-documents // SHARD), **how)
        cost.write_text(json.dumps({"build, s": time.perf_counter() - started}))
    result: dict[str, Any] = json.loads(cost.read_text()) if cost.exists() else {}
    before, used = own_memory(), time.process_time()
    shards = Shards.open(path)
    result["open, s"] = time.process_time() - used
    used = time.process_time()
    shards.search("oil prices", k=K)
    result["first search, s"] = time.process_time() - used
    texts = [" ".join(text.split()[5:9]) for text in made_texts(data, QUERIES, seed=2)]
    for by in get_args(By):
        times, waits = [], []
        for text in texts:
            started, used = time.perf_counter(), time.process_time()
            shards.search(text, k=K, by=by)
            times.append(time.process_time() - used)
            waits.append(time.perf_counter() - started)
        result[f"{by}, ms of a core"] = 1000 * float(np.median(times))
        result[f"{by}, ms"] = 1000 * float(np.median(waits))
    return result | {"searched, MB": own_memory() - before, "files, MB": hott.storage.size(path) / 1e6}


def graph(data: Path, models: int, documents: int, folder: Path) -> dict[str, Any]:
    index = hott.open(grown(data, models, documents, folder)[0])
    topics, started, used = index.snapshot.topics, time.perf_counter(), time.process_time()
    found = nearest(index.hott, topics, topics, K, own=np.arange(len(topics)))
    return {
        "seconds": time.perf_counter() - started,
        "CPU seconds": time.process_time() - used,
        "pruned": found.pruned / (found.pruned + found.computed),
    }


def made_counts(counts: sparse.csr_array, n: int) -> sparse.csr_array:
    """Documents whose words are drawn from those of two others, as many as the first has."""
    rng = np.random.default_rng(0)
    sizes = np.asarray(counts.sum(axis=1)).ravel().astype(int)
    words, starts = np.repeat(counts.indices, counts.data.astype(int)), np.cumsum([0, *sizes])
    first, second = rng.integers(0, len(sizes), (2, n))
    row = np.repeat(np.arange(n), sizes[first])
    place = (rng.random(len(row)) * (sizes[first] + sizes[second])[row]).astype(int)
    in_second = place - sizes[first][row]
    drawn = words[np.where(in_second < 0, starts[first][row] + place, starts[second][row] + in_second)]
    return sparse.csr_array(sparse.coo_array((np.ones(len(row)), (row, drawn)), (n, counts.shape[1])))


def near(data: Path, models: int, documents: int, folder: Path) -> dict[str, Any]:
    counts = corpora.counted(data, "r8").counts
    distance = hott.HOTT(n_topics=70, n_models=models).fit(counts)
    seen, run, k = distance.represent(made_counts(counts, documents)), Run(threads=1), n_neighbors(documents)
    some = np.sort(np.random.default_rng(1).choice(len(seen), min(len(seen), 500), replace=False))
    true = nearest(distance, seen.take(some), seen, k, run, own=some).indices.tolist()
    result: dict[str, Any] = {}
    for rounds in range(gathered.ROUNDS + 1):
        gathered.ROUNDS, used = rounds, time.process_time()
        found = gathered.nearby(distance, seen, k, run).indices[some].tolist()
        result[f"{rounds} rounds, s"] = time.process_time() - used
        result[f"{rounds} rounds, found"] = np.mean([len({*a} & {*b}) for a, b in zip(true, found)]) / k
    return result


def map_(data: Path, models: int, documents: int, folder: Path) -> dict[str, Any]:
    index = hott.open(grown(data, models, documents, folder)[0])
    index.remove([index.documents.ids[i] for i in range(documents, len(index))])
    started, used = time.perf_counter(), time.process_time()
    points = index.map()
    result = {"seconds": time.perf_counter() - started, "CPU seconds": time.process_time() - used}
    some = np.random.default_rng(0).choice(len(index), min(len(index), 2000), replace=False)
    seen = index.snapshot.combine(index.model)
    true = nearest(index.distance, seen.take(some), seen, K, own=some).indices
    drawn = NearestNeighbors(n_neighbors=K + 1).fit(points).kneighbors(points[some], return_distance=False)
    kept = np.mean([len({*a} & {*b[1:]}) for a, b in zip(true.tolist(), drawn.tolist())]) / K
    return result | {"neighbours kept": float(kept)}


def shards(data: Path, models: int, documents: int, folder: Path) -> dict[str, Any]:
    index = hott.open(grown(data, models, documents, folder)[0])
    chosen = np.random.default_rng(0).integers(0, len(index), QUERIES + 1)
    texts = [" ".join(index.documents[int(i)].text.split()[5:9]) for i in chosen]
    cut = folder / f"grown-{models}-{documents}-{{}}.hotts"
    result: dict[str, Any] = {}
    for count in (4, 16):
        started = time.process_time()
        if not Path(str(cut).format(count)).exists():
            Shards.of(index, str(cut).format(count), shards=count)
        result[f"into {count}, s"] = time.process_time() - started
    found = []
    for count in (1, 4, 16):
        searched = index if count == 1 else Shards.open(str(cut).format(count))
        searched.search(texts[0], k=K, threads=1)
        times = []
        for text in texts[1:]:
            started = time.process_time()
            hits = searched.search(text, k=K, threads=1)
            times.append(time.process_time() - started)
        found.append([(hit.id, hit.score) for hit in hits])
        result[f"{count}, ms"] = 1000 * float(np.median(times))
    assert found[0] == found[1] == found[2]
    return result


def workers(data: Path, models: int, documents: int, folder: Path) -> dict[str, Any]:
    """Seconds with 1 and with 2 workers, the better of two runs. Starting them does not count."""
    index = hott.open(grown(data, models, documents, folder)[0])
    few = hott.open(base_index(data, models, folder))
    jobs: dict[str, Callable[[Any, str], object]] = {
        "distances": lambda client, out: few.distances(f"{out}.zarr", block=1024, client=client),
        "graph": lambda client, out: index.graph(K, block=1024, client=client),
    }
    result = {}
    for name, job in jobs.items():
        seconds = {}
        for count in (1, 2):
            with scale.connect(workers=count) as client:
                times = []
                for again in range(2):
                    started = time.perf_counter()
                    job(client, str(folder / f"{name}-{documents}-{count}-{again}"))
                    times.append(time.perf_counter() - started)
                seconds[count] = min(times)
        result |= {f"{name}, 1 worker, s": seconds[1], f"{name}, 2 workers, s": seconds[2]}
        result[f"{name}, gain"] = seconds[1] / seconds[2]
    return result


CASES = {
    "build": build,
    "size": size,
    "search": search,
    "batch": batch,
    "large": large,
    "shards": shards,
    "graph": graph,
    "near": near,
    "map": map_,
    "workers": workers,
}
DEFAULT_DOCUMENTS = {
    "build": "10000,100000",
    "size": "10000,100000,1000000",
    "search": "10000,100000,1000000",
    "batch": "1000000",
    "large": "10000000",
    "shards": "10000,100000",
    "graph": "10000,100000",
    "near": "200000",
    "map": "20000",
    "workers": "30000",
}


# -- a process for each case ------------------------------------------------------------------------------


def run_case(arguments: argparse.Namespace, what: str, models: int, documents: int, folder: str) -> Any:
    order = {"what": what, "models": models, "documents": documents, "folder": folder}
    environment = os.environ if what in ON_ALL_CORES else os.environ | {"OMP_NUM_THREADS": "1"}
    command = [sys.executable, __file__, str(arguments.data), "--case", json.dumps(order)]
    done = subprocess.run(command, stdout=subprocess.PIPE, env=environment, check=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def exponents(rows: list[dict[str, Any]]) -> list[str]:
    """How each figure grows with the number of documents: the slope of the logarithms."""
    found = []
    for name in [name for name in rows[0] if name not in ("what", "models", "documents")]:
        known = [(row["documents"], row[name]) for row in rows if row.get(name, 0) > 0]
        sizes, values = np.log(np.array(known, float)).T if known else ([], [])
        found.append(f"{np.polyfit(sizes, values, 1)[0]:.2f}" if len(known) > 1 else "")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", choices=CASES)
    parser.add_argument("--documents", help="numbers of documents, such as 10000,100000")
    parser.add_argument("--models", default="1,8")
    parser.add_argument("--json", type=Path, help="where to put the figures, too")
    parser.add_argument("--folder", help="for made documents and indexes; a temporary one by default")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.case:
        case = json.loads(arguments.case)
        what, folder = CASES[case.pop("what")], Path(case.pop("folder"))
        with peak_memory() as peak:
            result = what(arguments.data, folder=folder, **case)
        print(json.dumps(result | {"peak, MB": peak[0]}))
        return
    rows, console = [], Console(width=200)
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or temporary
        for what in [arguments.only] if arguments.only else CASES:
            numbers = [int(n) for n in (arguments.documents or DEFAULT_DOCUMENTS[what]).split(",")]
            cases = [(m, n) for m in map(int, arguments.models.split(",")) for n in numbers]
            table = Table(title=what)
            for models, documents in cases:
                result = run_case(arguments, what, models, documents, folder)
                rows.append({"what": what, "models": models, "documents": documents, **result})
                if not table.columns:
                    names = list(result)
                    for name in ("models", "documents", *names):
                        table.add_column(name, justify="right")
                values = [f"{result[name]:,.4g}" if name in result else "" for name in names]
                table.add_row(str(models), f"{documents:,}", *values)
            for models in dict.fromkeys(models for models, _ in cases):
                some = [row for row in rows if row["what"] == what and row["models"] == models]
                if len(some) > 1:
                    table.add_row(str(models), "exponent", *exponents(some))
            console.print(table)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
