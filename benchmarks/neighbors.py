"""Speed of exact neighbour search and of the word distances, measured in one run on one core.

    python benchmarks/neighbors.py --data FOLDER [--json FILE] [--only SECTION ...]

FOLDER holds the paper's data sets (docs/reproduction.md). The sections:

hott     7 nearest neighbours with HOTT, pruned by bounds, against solving every pair with the same solver
million  one query for the 10 nearest of 1,000,000 documents, drawn around those of r8
wmd      7 nearest neighbours with WMD against gensim's wmdistance and against ot.emd2 with ready costs, both
         in a loop over a sample of the pairs and scaled up to all
rwmd     RWMD of all pairs against its formula in numpy, pair by pair, on a sample and scaled up

Every result that is timed is also compared with the one it stands for.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before numpy loads its linear algebra

import argparse  # noqa: E402
import gzip  # noqa: E402
import json  # noqa: E402
import resource  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable  # noqa: E402
from dataclasses import asdict, dataclass  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import corpora  # noqa: E402
import numpy as np  # noqa: E402
import ot  # noqa: E402
from gensim.models import KeyedVectors  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402
from scipy import sparse  # noqa: E402
from scipy.spatial.distance import cdist  # noqa: E402

from hott import HOTT, RWMD, WMD, embeddings  # noqa: E402
from hott.compute.ground import Distributions  # noqa: E402
from hott.distances.representation import Representation  # noqa: E402
from hott.neighbors import search  # noqa: E402
from hott.utils.run import Run  # noqa: E402

ONE = Run(threads=1)


@dataclass
class Row:
    what: str
    seconds: float
    peer: str
    peer_seconds: float | None = None
    solved: float | None = None  # share of the pairs whose exact distance was computed

    @property
    def ratio(self) -> float | None:
        return None if self.peer_seconds is None else self.peer_seconds / self.seconds


def timed(function: Callable[[], Any], repeats: int = 1) -> tuple[float, Any]:
    """Median of the processor seconds a function takes, and what it returns."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        result = function()
        seconds.append(time.process_time() - start)
    return float(np.median(seconds)), result


def hott_section(folder: Path) -> list[Row]:
    rows = []
    for name, most_queries in (("r8", None), ("20news", 500), ("amazon", 500), ("classic4", 500)):
        data = corpora.counted(folder, name)
        train, test = data.counts[data.train], data.counts[~data.train][:most_queries]
        for models in (1, 4):
            distance = HOTT(word_vectors=data.vectors, n_models=models).fit(train)
            R, S = distance.represent(test), distance.represent(train)
            pruned, found = timed(lambda: search(distance, R, S, 7, ONE), 3)  # noqa: B023
            brute, full = timed(lambda: distance.between(R, S, ONE))  # noqa: B023
            same_neighbours(found, full)
            what = f"{name}: HOTT, {models} models, {full.shape[0]} x {full.shape[1]}"
            rows.append(Row(what, pruned, "all pairs", brute, found.computed / full.size))
    return rows


def same_neighbours(found: Any, distances: np.ndarray) -> None:
    order = np.argsort(distances, axis=1, kind="stable")[:, : found.indices.shape[1]]
    np.testing.assert_allclose(found.distances, np.take_along_axis(distances, order, 1), atol=1e-9)
    assert (found.indices == order).mean() > 0.999  # ties may differ by rounding between the two


def million_section(folder: Path) -> list[Row]:
    data = corpora.counted(folder, "r8")
    distance = HOTT(word_vectors=data.vectors).fit(data.counts)
    proportions = distance.transform(data.counts)
    random = np.random.default_rng(0)

    def draw(count: int) -> sparse.csr_array:
        """Documents with the topics of a real one, in proportions drawn around its own."""
        drawn = proportions[random.integers(proportions.shape[0], size=count)]
        drawn.data = random.gamma(20 * drawn.data) + 1e-9
        drawn.data /= np.repeat(np.add.reduceat(drawn.data, drawn.indptr[:-1]), np.diff(drawn.indptr))
        return drawn

    S, R = (Representation.of(Distributions.of(draw(count))) for count in (1_000_000, 21))
    times, solved = [], []
    for query in range(len(R)):
        seconds, found = timed(lambda: search(distance, R[query : query + 1], S, 10, ONE))  # noqa: B023
        times.append(seconds)
        solved.append(found.computed / 1e6)
    full = distance.between(R[:1], S, ONE)
    same_neighbours(search(distance, R[:1], S, 10, ONE), full)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    peer = f"(peak memory of the process: {memory:.2f} GiB)"
    return [
        Row("one of 1,000,000 documents, HOTT, k = 10", float(np.median(times)), peer, None, np.mean(solved))
    ]


def wmd_section(folder: Path) -> list[Row]:
    rows = []
    for name, sample in (("bbcsport", 60), ("twitter", 2000)):
        data = corpora.counted(folder, name)
        distance = WMD(data.vectors).fit(data.counts[data.train])
        R, S = distance.represent(data.counts[~data.train]), distance.represent(data.counts[data.train])
        n_pairs = len(R) * len(S)
        seconds, found = timed(lambda: search(distance, R, S, 7, ONE))  # noqa: B023
        solved = found.computed / n_pairs
        random = np.random.default_rng(0)
        i, j = random.integers(len(R), size=sample), random.integers(len(S), size=sample)
        expected = distance.pairs(R, S, i, j)

        vectors = KeyedVectors(data.vectors.shape[1])
        vectors.add_vectors([f"word{k}" for k in range(len(data.vectors))], data.vectors)
        texts = [[words(X[row]) for row in rows] for X, rows in
                 ((data.counts[~data.train], i), (data.counts[data.train], j))]  # fmt: skip
        by_gensim, values = timed(lambda: [vectors.wmdistance(a, b, norm=False) for a, b in zip(*texts)])  # noqa: B023
        np.testing.assert_allclose(values, expected, atol=1e-4)
        what = f"{name}: WMD, 7 nearest, {len(R)} x {len(S)}"
        peer = f"gensim wmdistance ({sample} pairs, scaled)"
        rows.append(Row(what, seconds, peer, by_gensim / sample * n_pairs, solved))

        problems = [problem(R.matrix(), S.matrix(), a, b, data.vectors) for a, b in zip(i, j)]
        by_pot, values = timed(lambda: [ot.emd2(*p) for p in problems])  # noqa: B023
        np.testing.assert_allclose(values, expected, atol=1e-6)
        peer = f"ot.emd2, costs ready ({sample} pairs, scaled)"
        rows.append(Row(what, seconds, peer, by_pot / sample * n_pairs, solved))
    return rows


def words(row: sparse.csr_array) -> list[str]:
    row = sparse.csr_array(row.reshape(1, -1))
    return [f"word{k}" for k in np.repeat(row.indices, row.data.astype(int))]


def problem(R: sparse.csr_array, S: sparse.csr_array, i: int, j: int, vectors: np.ndarray) -> tuple:
    a, b = R[[i]], S[[j]]
    cost = cdist(vectors[a.indices].astype(float), vectors[b.indices].astype(float))
    return a.data / a.data.sum(), b.data / b.data.sum(), cost


def rwmd_section(folder: Path) -> list[Row]:
    r8 = corpora.counted(folder, "r8")
    books, book_vectors = gutenberg(folder, 200)
    return [
        rwmd_row("r8", r8.counts[~r8.train], r8.counts[r8.train], r8.vectors, 2000),
        rwmd_row("gutenberg", books, books, book_vectors, 20),
    ]


def rwmd_row(name: str, X: sparse.csr_array, Y: sparse.csr_array, vectors: np.ndarray, sample: int) -> Row:
    distance = RWMD(vectors).fit(Y)
    seconds, full = timed(lambda: distance.pairwise(X, Y, threads=1))
    random = np.random.default_rng(0)
    i, j = random.integers(X.shape[0], size=sample), random.integers(Y.shape[0], size=sample)
    P, Q = (distance.transform(counts[rows]).toarray() for counts, rows in ((X, i), (Y, j)))
    used = np.flatnonzero(P.any(axis=0) | Q.any(axis=0))
    cost = np.zeros((len(vectors), len(vectors)), np.float32)  # only what the sample needs is filled in
    cost[np.ix_(used, used)] = cdist(vectors[used], vectors[used])
    by_pair, values = timed(lambda: [rwmd_of_pair(p, q, cost) for p, q in zip(P, Q)])
    np.testing.assert_allclose(values, full[i, j], atol=1e-5)
    peer = f"numpy, pair by pair ({sample} pairs, scaled)"
    return Row(f"{name}: RWMD, {X.shape[0]} x {Y.shape[0]}", seconds, peer, by_pair / sample * full.size)


def rwmd_of_pair(p: np.ndarray, q: np.ndarray, cost: np.ndarray) -> float:
    """The formula as one writes it for one pair, given the costs between all words."""
    rows, cols = np.flatnonzero(p), np.flatnonzero(q)
    cost = cost[np.ix_(rows, cols)]
    return max(cost.min(axis=1) @ p[rows], cost.min(axis=0) @ q[cols])


def gutenberg(folder: Path, count: int) -> tuple[sparse.csr_array, np.ndarray]:
    """Some books over the words that have a vector."""
    with gzip.open(folder / "gutenberg.vocab.txt.gz", "rt", encoding="utf-8") as lines:
        vocabulary = lines.read().split()
    files = sorted(folder.glob("vectors*.bin.gz"))
    vectors = embeddings.load(files[0], words=vocabulary) if files else embeddings.default()
    known = np.flatnonzero(vectors.known(vocabulary))
    counts = sparse.csr_array(sparse.load_npz(folder / "gutenberg.npz"))
    chosen = np.random.default_rng(0).choice(counts.shape[0], count, replace=False)
    return counts[chosen][:, known], vectors.matrix([vocabulary[k] for k in known])


SECTIONS = {"hott": hott_section, "million": million_section, "wmd": wmd_section, "rwmd": rwmd_section}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with the paper's data sets")
    parser.add_argument("--only", nargs="+", choices=list(SECTIONS), default=list(SECTIONS))
    parser.add_argument("--json", type=Path, help="write the table here")
    options = parser.parse_args()

    rows: list[Row] = []
    table = Table(
        "task", "seconds", "pairs solved", "against", "its seconds", "ratio", title="exact neighbours"
    )
    for section in options.only:
        for row in SECTIONS[section](options.data):
            rows.append(row)
            table.add_row(
                row.what,
                f"{row.seconds:,.3f}",
                "" if row.solved is None else f"{row.solved:.3%}",
                row.peer,
                "" if row.peer_seconds is None else f"{row.peer_seconds:,.1f}",
                "" if row.ratio is None else f"{row.ratio:,.1f}x",
            )
    Console(width=150).print(table)
    if options.json:
        options.json.write_text(json.dumps([asdict(row) | {"ratio": row.ratio} for row in rows], indent=1))


if __name__ == "__main__":
    main()
