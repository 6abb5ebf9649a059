"""How well topics classify on test documents, with the settings that topic_settings.py chose.

    python benchmarks/topic_targets.py --data FOLDER [--targets articles 200 all] [--sets amazon] [--splits 3]
    python benchmarks/topic_targets.py --table
    python benchmarks/topic_targets.py --data FOLDER --show bbcsport

FOLDER holds the data sets of the paper (docs/reproduction.md). Eight topic models (or --models) are learned
from the bundled articles, from 200 training documents, or from all of them; test documents (a random --tests
of them at most, other ones for each split) are classified by their 7 nearest neighbours. Where a data set has
no published split, each split is another one; where it has, each has other seeds. "articles" leaves each of
the 200 bundled articles out of its own neighbours. Words and topics come from the training documents alone.
Rows are appended to a table (--out), and those that are there already are not computed again.

--show prints the heaviest topics of a data set, or of the articles, and their coherence, with and without
word vectors.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import cdist
from topic_settings import Counts, Sample, Settings, append, blended, data_set, error, learned, matrices

import hott
from hott.corpus import demo
from hott.distances.topic_space import TopicSpace
from hott.topics import topics_for
from hott.topics.truncate import heaviest_words

RESULTS = Path(__file__).parents[1] / "results" / "topic-targets.csv"
TARGETS = {
    "articles": ("articles",),
    "200": ("amazon", "classic", "ohsumed"),
    "all": ("bbcsport", "twitter", "ohsumed", "classic", "amazon", "r8", "20news"),
}
KINDS = ("informed", "plain LDA")


def settings(kind: str, n_documents: int) -> Settings:
    """The default settings, or the same without word vectors."""
    strength = 10.0 if kind == "informed" else 0
    return Settings(strength=strength, topics=topics_for(n_documents))


def articles() -> Sample:
    corpus = demo.corpus()
    texts = list(corpus.texts)
    _, labels = np.unique([str(label) for label in corpus.labels], return_inverse=True)
    return Sample("english", texts, labels, texts, labels, leaves_out_own=True)


def test_sample(folder: Path, name: str, target: str, split: int, tests: int) -> Sample:
    """Training documents, all or some, and test documents."""
    if target == "articles":
        return articles()
    data = data_set(folder, name)
    rng, parts = np.random.default_rng(split), data.split(split)
    train = parts.train if target == "all" else rng.permutation(parts.train)[: int(target)]
    return Sample.of(data, train, rng.permutation(parts.test)[:tests])


def measured(sample: Sample, counts: Counts, fitted: hott.HOTT) -> dict[str, float]:
    """Errors of one model, four and all, the blend, and the same where all topics are equally far apart."""
    found = matrices(counts, fitted)
    flat = hott.HOTT.from_models(
        [TopicSpace(s.topics, 1.0 - np.eye(s.topics.n_topics)) for s in fitted.models_]
    )
    without = flat_matrices(counts, flat)
    mean, flat_mean = np.mean(found, axis=0), np.mean(without, axis=0)
    return {
        "one": float(np.mean([error(sample, matrix) for matrix in found])),
        "four": error(sample, np.mean(found[:4], axis=0)),
        "all": error(sample, mean),
        "blend": error(sample, blended(counts, fitted, mean)),
        "one, 0/1 cost": float(np.mean([error(sample, matrix) for matrix in without])),
        "all, 0/1 cost": error(sample, flat_mean),
        "blend, 0/1 cost": error(sample, blended(counts, flat, flat_mean)),
    }


def flat_matrices(counts: Counts, flat: hott.HOTT) -> list[NDArray[np.float64]]:
    """As ``matrices`` where every two topics are at distance 1: half the sum of differences, found faster."""
    R, S = flat.represent(counts.train).distributions, flat.represent(counts.test).distributions
    return [cdist(s.csr.toarray(), r.csr.toarray(), "cityblock") / 2 for r, s in zip(R, S)]


def rows(options: argparse.Namespace, done: set[tuple]) -> Iterator[dict[str, Any]]:
    for target in options.targets:
        for split in range(options.splits):
            for name in TARGETS[target]:
                kinds = [kind for kind in options.kinds if (target, name, split, kind) not in done]
                if (options.sets and name not in options.sets) or not kinds:
                    continue
                sample = test_sample(options.data, name, target, split, options.tests)
                counts = sample.counted(unseen=Settings.unseen)
                for kind in kinds:
                    started = time.process_time()
                    chosen = settings(kind, len(sample))
                    fitted = learned(counts, chosen, options.models, split)
                    yield {
                        "target": target, "set": name, "split": split, "kind": kind,
                        "documents": len(sample), "tested": len(sample.test_labels),
                        "words": len(counts.words), "topics": int(chosen.topics),
                        "strength": chosen.strength, "models": options.models,
                        **measured(sample, counts, fitted),
                        "seconds": time.process_time() - started,
                    }  # fmt: skip


def table(path: Path) -> str:
    """Mean errors in per cent with their standard errors over splits."""
    cells = pd.read_csv(path)
    by = ["target", "set", "kind", "models"]
    names = ["one", "four", "all", "blend", "one, 0/1 cost", "all, 0/1 cost", "blend, 0/1 cost"]
    lines = [
        f"| learned from | topics | splits | models | {' | '.join(names)} |",
        "|---" * (len(names) + 4) + "|",
    ]
    for (target, name, kind, models), group in cells.groupby(by, sort=False):
        values = [f"{100 * group[n].mean():.1f} ± {100 * group[n].sem():.1f}" for n in names]
        what = name if target == "articles" else f"{name}, {target}"
        lines.append(f"| {what} | {kind} | {len(group)} | {models} | {' | '.join(values)} |")
    return "\n".join(lines)


def coherence(counts: sparse.csr_array, topics: NDArray[np.floating], n_words: int = 10) -> NDArray:
    """Normalised pointwise mutual information of the heaviest words of each topic: mean over their pairs.

    Words are together where they are in one document; two that never are count -1 (Bouma 2009).
    """
    has = sparse.csc_array(counts > 0).astype(np.float64)
    values = []
    for words in heaviest_words(topics, n_words):
        together = (has[:, words].T @ has[:, words]).toarray() / counts.shape[0]
        alone = np.diag(together)
        with np.errstate(divide="ignore", invalid="ignore"):
            npmi = np.log(together / np.outer(alone, alone)) / -np.log(together)
        npmi[together == 0] = -1
        values.append(npmi[np.triu_indices(n_words, 1)].mean())
    return np.array(values)


def show(folder: Path | None, name: str) -> None:
    """The eight heaviest topics, and the coherence of all."""
    sample = articles() if name == "articles" else test_sample(folder, name, "all", 0, 1)
    counts = sample.counted()
    for kind in KINDS:
        fitted = learned(counts, settings(kind, len(sample)), 1, seed=0)
        topics = fitted.models_[0].topics
        shares = topics.transform(counts.train).mean(axis=0)
        values = coherence(counts.train, topics.components)
        print(f"\n{name}, {kind}: {len(values)} topics, coherence {values.mean():.3f}, weighted by their "
              f"shares {shares @ values:.3f}")  # fmt: skip
        for k in np.argsort(-shares)[:8]:
            words = counts.words[heaviest_words(topics.components[[k]], 8)[0]]
            print(f"  {shares[k]:5.1%} {values[k]:+.2f}  {', '.join(words)}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--targets", nargs="+", default=list(TARGETS), choices=TARGETS)
    parser.add_argument("--sets", nargs="+")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--models", type=int, default=8)
    parser.add_argument("--tests", type=int, default=2000)
    parser.add_argument("--show", metavar="SET", help="print the topics of a data set, or of 'articles'")
    parser.add_argument("--table", action="store_true", help="print what has been found so far")
    options = parser.parse_args()
    if options.table:
        print(table(options.out))
        return
    if options.data is None and options.targets != ["articles"] and options.show != "articles":
        parser.error("--data is needed: the folder of the data sets")
    if options.show:
        show(options.data, options.show)
        return
    done: set[tuple] = set()
    if options.out.exists():
        known = pd.read_csv(options.out)
        done = set(known[["target", "set", "split", "kind"]].itertuples(index=False, name=None))
    append(options.out, rows(options, done))


if __name__ == "__main__":
    main()
