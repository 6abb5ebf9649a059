"""Quality of subjects: how well the groups of index.subjects() are the classes that people gave.

    python benchmarks/subjects.py --data FOLDER [--only NAME ...] [--documents N] [--models N] [--bertopic]

FOLDER holds the paper's data sets (docs/reproduction.md). Of each at most N documents are taken, at random.
The table has the adjusted mutual information with the classes (and the number of groups; the share of the
largest): of k-means on TF-IDF, which is told how many classes there are, of BERTopic with its own settings
and vectors of MiniLM, where asked for (pip install bertopic sentence-transformers), and of every level of the
hierarchy, which is not told; documents in no subject count as one group. Of the level that is shown first,
marked by a star: purity (the share of the grouped documents that are of the commonest class of their group),
the share that is grouped, and that of the largest group. Seconds are those of the subjects, with their graph
and names, after the index was built.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import corpora
import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_mutual_info_score

import hott
from hott.embeddings.encoder import NamedEncoder

NAMES = ("20news", "bbcsport", "articles", "r8", "amazon", "ohsumed", "classic4")
OHSUMED = tuple(f"C{number:02}" for number in range(1, 11))  # the ten classes of the paper


def read_corpus(folder: Path, name: str, n_documents: int) -> hott.Corpus:
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


def measure(classes: Sequence[str], groups: NDArray[np.int32]) -> dict[str, float]:
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


def cluster_by_bertopic(corpus: hott.Corpus) -> NDArray[np.int32]:
    """Cluster texts by BERTopic with its own settings; -1 for its outliers."""
    from bertopic import BERTopic

    vectors = NamedEncoder("minilm")(list(corpus.texts))
    return np.array(BERTopic().fit_transform(list(corpus.texts), vectors)[0], np.int32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=NAMES, choices=NAMES)
    parser.add_argument("--documents", type=int, default=4_000)
    parser.add_argument("--models", type=int, default=8, help="topic models of the index")
    parser.add_argument("--bertopic", action="store_true", help="cluster by BERTopic, too")
    parser.add_argument("--keep", type=Path, help="save the indexes in this folder")
    parser.add_argument("--names", action="store_true", help="list the subjects that are shown first")
    arguments = parser.parse_args()
    header = " | ".join(f"level {level}" for level in (1, 2, 3, 4))
    print(f"| set | k-means | BERTopic | {header} | purity | grouped | largest | seconds |")
    print(f"|{'---|' * 11}")
    for name in arguments.only:
        corpus = read_corpus(arguments.data, name, arguments.documents)
        peers = [cluster_by_words(corpus)] + [cluster_by_bertopic(corpus)] * arguments.bertopic
        peers = [measure(corpus.labels, groups) for groups in peers]
        index = hott.Index.build(corpus, n_models=arguments.models, on_empty="nan")
        start = time.perf_counter()
        subjects = index.subjects()
        seconds = time.perf_counter() - start
        found = {level: measure(corpus.labels, subjects.groups(level)) for level in (1, 2, 3, 4)}
        levels = [
            f"{'*' * (level == subjects.level)}{one['AMI']:.3f} ({one['groups']})"
            for level, one in found.items()
        ]
        shown = found[subjects.level]
        others = [f"{peer['AMI']:.3f} ({peer['groups']}; {peer['largest']:.0%})" for peer in peers]
        others += [*[""] * (2 - len(peers)), *levels, f"{shown['purity']:.3f}"]
        others += [f"{shown['grouped']:.0%}", f"{shown['largest']:.0%}", f"{seconds:.0f}"]
        print(f"| {name} | {' | '.join(others)} |", flush=True)
        if arguments.names:
            for subject in subjects:
                print(f"- {subject.size} {', '.join(subject.terms)}{' (chaff)' * subject.is_chaff}")
        if arguments.keep:
            index.save(arguments.keep / f"{name}.hott")


if __name__ == "__main__":
    main()
