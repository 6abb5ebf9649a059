"""The data that the benchmarks share: real corpora read from a folder, and topic spaces fitted on them."""

import gzip
import json
import lzma
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

import hott
from hott import embeddings


@dataclass
class Counted:
    """A corpus as word counts."""

    counts: sparse.csr_array
    vectors: NDArray[np.float32]
    labels: NDArray
    train: NDArray[np.bool_]  # where the corpus has no split of its own, a seeded 70 %


@dataclass
class TopicSpace:
    """Topic proportions of all documents, and the cost between the topics."""

    truncated: sparse.csr_array  # HOTT
    full: sparse.csr_array  # HOFTT
    cost: NDArray[np.float64]


def texts(folder: Path, name: str) -> list[str]:
    """The documents of one of the paper's data sets."""
    return [record["text"] for record in read_records(folder, name)]


def joined_passages(folder: Path, n_bytes: int, length: int = 2_000) -> Iterator[str]:
    """Passages of ``passages-*.jsonl.xz``, those of one source joined to documents, until there is enough."""
    waiting: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(folder.glob("passages-*.jsonl.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for source, text, *_ in map(json.loads, lines):
                waiting[source].append(text)
                if sum(map(len, waiting[source])) < length:
                    continue
                document = "\n\n".join(waiting.pop(source))
                yield document
                n_bytes -= len(document.encode())
                if n_bytes <= 0:
                    return


def counted(folder: Path, name: str) -> Counted:
    """Read one of the paper's data sets. ``vectors*.bin.gz`` in the folder is used, else the bundled ones."""
    records = read_records(folder, name)
    files = sorted(folder.glob("vectors*.bin.gz"))
    vectors = embeddings.load(files[0]) if files else embeddings.default()
    vocabulary = hott.Vocabulary(min_df=5, word_vectors=vectors, without_vector="drop")
    counts = vocabulary.fit_transform([record["text"] for record in records])
    kept = np.flatnonzero(counts.sum(axis=1))
    labels = np.array([record["label"] for record in records])[kept]
    train = np.array([record.get("split", "none") != "test" for record in records])[kept]
    if train.all():
        train = np.random.default_rng(0).random(len(kept)) < 0.7
    return Counted(counts[kept], vocabulary.vectors_, labels, train)


def topic_space(folder: Path, name: str) -> TopicSpace:
    """70 topics of a real corpus, fitted as the default distance fits them."""
    data = counted(folder, name)
    distance = hott.HOTT(word_vectors=data.vectors).fit(data.counts)
    full = hott.HOFTT.from_models(distance.models_, word_vectors=data.vectors)
    return TopicSpace(distance.transform(data.counts), full.transform(data.counts), distance.topic_distances_)


def random_topic_space(documents: int = 3000, topics: int = 70) -> TopicSpace:
    """Proportions drawn from a Dirichlet distribution, topics placed at random."""
    rng = np.random.default_rng(0)
    full = rng.dirichlet(np.full(topics, 0.1), size=documents)
    truncated = np.where(full < 1 / (topics + 1), 0, full)
    points = rng.normal(size=(topics, 20))
    cost = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    rows = truncated / truncated.sum(axis=1, keepdims=True)
    return TopicSpace(sparse.csr_array(rows), sparse.csr_array(full), cost)


def read_records(folder: Path, name: str) -> list[dict[str, Any]]:
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
