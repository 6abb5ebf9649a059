"""Topics on the device: what benchmarks/gpu.py measures of the sampler and of folding in."""

import os
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hott.topics import FittedTopics, GibbsLDA
from hott.utils.run import Run

MODELS, SWEEPS, READ, LENGTH = 8, 100, 1_000_000, 50


def prepare(folder: Path, name: str, counts: sparse.csr_array, vectors: NDArray, train: NDArray) -> None:
    """Keep a corpus as counts."""
    parts = {"data": counts.data.astype(np.uint16), "indices": counts.indices, "indptr": counts.indptr}
    np.savez_compressed(
        folder / f"{name}-counts.npz", **parts, vectors=vectors.astype(np.float16), train=train
    )


def load(folder: Path, name: str) -> tuple[sparse.csr_array, NDArray[np.float64], NDArray[np.bool_]]:
    with np.load(folder / f"{name}-counts.npz") as stored:
        parts = dict(stored)
    shape = len(parts["indptr"]) - 1, len(parts["vectors"])
    counts = sparse.csr_array((parts["data"].astype(float), parts["indices"], parts["indptr"]), shape=shape)
    return counts, parts["vectors"].astype(np.float64), parts["train"]


def sampled(folder: Path, name: str) -> list[str]:
    """Eight models of all documents, on the device and on all cores; and how good they are."""
    counts, vectors, train = load(folder, name)
    model = GibbsLDA(70, SWEEPS, word_vectors=vectors)
    _timed(GibbsLDA(70, 12, word_vectors=vectors), counts, "cuda")  # compiles
    seconds, sampling = _timed(model, counts, "cuda")
    on_cpu = _timed(model, counts, "cpu")
    again = model.learn_many(counts, [0, 1], Run(device="cuda"))
    twice = model.learn_many(counts, [1, 0], Run(device="cuda"))[::-1]
    same = all(np.array_equal(a.components, b.components) for a, b in zip(again, twice))
    words = int(counts.sum())
    speed = words * MODELS * SWEEPS / sampling / 1e6
    here, there = (held_out(counts, vectors, train, device) for device in ("cpu", "cuda"))
    return [
        f"{name}: {MODELS} models of 70 topics, {SWEEPS} sweeps, {words:,} words: {sampling:.2f} s "
        f"on the device, {speed:,.0f} M words/s ({seconds:.2f} s with nearest words); "
        f"{on_cpu[1]:.2f} s on {os.cpu_count()} cores; the same again: {same}",
        f"{name}: log-likelihood of a held-out word, mean and deviation over {MODELS} models: "
        f"CPU {here[0]:.4f} ± {here[1]:.4f}, device {there[0]:.4f} ± {there[1]:.4f}",
    ]


def _timed(model: GibbsLDA, counts: sparse.csr_array, device: str) -> tuple[float, float]:
    """Seconds to learn, and those of them without the search for nearest words, which models share."""
    start = time.perf_counter()
    model._neighborhood(np.full(counts.shape[1], True), Run().n_threads)
    nearest = time.perf_counter() - start
    start = time.perf_counter()
    model.learn_many(counts, range(MODELS), Run(device=device))  # type: ignore[arg-type]
    seconds = time.perf_counter() - start
    return seconds, seconds - nearest


def held_out(
    counts: sparse.csr_array, vectors: NDArray, train: NDArray[np.bool_], device: str
) -> tuple[float, float]:
    """How well topics of the training documents foresee half of the words of others from the other half."""
    model = GibbsLDA(70, SWEEPS, word_vectors=vectors)
    learned = model.learn_many(counts[train], range(MODELS), Run(device=device))  # type: ignore[arg-type]
    new = counts[~train]
    half = new.copy()
    half.data = np.random.default_rng(0).binomial(new.data.astype(int), 0.5).astype(float)
    rest = new - half
    likelihoods = []
    for topics in learned:
        foreseen = topics.transform(half) @ topics.components
        likelihoods.append(rest.multiply(np.log(foreseen + 1e-12)).sum() / rest.sum())
    return float(np.mean(likelihoods)), float(np.std(likelihoods))


def folded_in(folder: Path) -> str:
    """A million documents of fifty words each, by the frequencies of 20 newsgroups; from memory to memory."""
    counts, _, _ = load(folder, "20news")
    share = np.asarray(counts.sum(axis=0)).ravel() / counts.sum()
    rng = np.random.default_rng(0)
    words = np.sort(rng.choice(len(share), (READ, LENGTH), p=share), axis=1).astype(np.int32)
    rows = sparse.csr_array(
        (np.ones(READ * LENGTH), words.ravel(), np.arange(READ + 1, dtype=np.int64) * LENGTH),
        shape=(READ, len(share)),
    )
    rows.sum_duplicates()
    components = rng.dirichlet(np.full(len(share), 0.05), 70)
    topics = FittedTopics(components / components.sum(axis=1, keepdims=True))
    topics.proportions(rows[:20_000], Run(device="cuda"))
    start = time.perf_counter()
    there = topics.proportions(rows, Run(device="cuda"))
    seconds = time.perf_counter() - start
    some = rows[:100_000]
    start = time.perf_counter()
    here = topics.proportions(some, Run())
    on_cpu = (time.perf_counter() - start) * READ / some.shape[0]
    return (
        f"{READ:,} documents of {LENGTH} words read with 70 topics: {seconds:.2f} s on the device, "
        f"{on_cpu:.1f} s on {os.cpu_count()} cores (from a tenth); "
        f"equal to the bit: {np.array_equal(here, there[: len(here)])}"
    )
