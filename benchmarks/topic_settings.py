"""Which settings of the topics classify best: a study on held-out training documents.

    python benchmarks/topic_settings.py --data FOLDER [--sets r8] [--sizes 200 1000 all] [--device cuda]
    python benchmarks/topic_settings.py --data FOLDER --quick
    python benchmarks/topic_settings.py --table

FOLDER holds the data sets of the paper (docs/reproduction.md). One setting at a time is moved away from the
default. Each cell (a data set, a number of documents, a split, a setting) learns four topic models from a
random sample of *training* documents and classifies up to 500 other training documents by their 7 nearest
neighbours: with one model (the mean error of the four), with the mean over four, and with the blend of
those and half a TF-IDF L1 distance. Vocabulary and topics come from the sample alone; all settings see the
same samples. Cells are appended to a table (--out), and those that are there already are not computed again.
Test documents, bbcsport and 20news take no part: they are looked at by benchmarks/topic_targets.py.
"""

import argparse
import csv
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

import hott
from hott import embeddings
from hott.distances.representation import Representation
from hott.evaluation.classify import deciding_votes
from hott.index.build import min_df_for
from hott.topics import GibbsLDA
from hott.topics.neighborhood import Neighborhood, neighborhood
from hott.utils.run import Run

sys.path.insert(0, str(Path(__file__).parents[1]))
from reproduction.documents import DataSet, read
from reproduction.sources import SOURCES

RESULTS = Path(__file__).parents[1] / "results" / "topic-settings.csv"
SETS = ("twitter", "ohsumed", "amazon", "classic", "r8")
SIZES = ("200", "1000", "all")
SPLITS = {"200": 5, "1000": 3, "all": 3}
VALIDATION = 500
NEIGHBORS = 7
MODELS = 4
MAX_NEAR = 40
"""Words that a word borrows from, at most."""

BLEND_WEIGHTS = [1, 0.5]


@dataclass(frozen=True)
class Settings:
    """How topics are learned and which words take part. The default is what others are compared with."""

    strength: float = 10.0
    neighbors: int = 20
    temperature: float = 0.15
    topics: float = 1.0  # times min(70, 2.2 sqrt(documents)); from 2 on the number itself
    sweeps: int = 100
    keep_rare: bool = True  # words of a single document, or of two, take part if they have a vector
    unseen: bool = True  # words that only the new documents have are read too, by their neighbours

    def n_topics(self, n_documents: int) -> int:
        return round(self.topics if self.topics >= 2 else self.topics * min(70, 2.2 * n_documents**0.5))


VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    **{f"strength {s}": {"strength": s} for s in (0, 1, 3, 30)},
    "no unseen words": {"unseen": False},
    "no rare words": {"unseen": False, "keep_rare": False},
    "no rare words, strength 0": {"unseen": False, "keep_rare": False, "strength": 0},
    **{f"topics x{f}": {"topics": f} for f in (0.7, 1.5)},
    **{f"topics {k}": {"topics": k} for k in (100, 150)},
    **{f"temperature {t}": {"temperature": t} for t in (0.1, 0.2)},
    **{f"neighbors {m}": {"neighbors": m} for m in (10, 40)},
    **{f"sweeps {s}": {"sweeps": s} for s in (50, 200)},
}
QUICK = ("default", "strength 0")


def vocabulary_for(stop_words: str | None, n_documents: int, keep_rare: bool) -> hott.Vocabulary:
    """The words that an index of so many documents would take."""
    return hott.Vocabulary(
        stop_words=stop_words,
        min_df=min_df_for(n_documents),
        word_vectors=embeddings.default(),
        keep_rare=keep_rare,
    )


@dataclass(frozen=True, eq=False)
class Sample:
    """Texts to learn from and texts to classify, with their classes as numbers."""

    stop_words: str | None
    train_texts: list[str]
    train_labels: NDArray[np.intp]
    test_texts: list[str]
    test_labels: NDArray[np.intp]
    leaves_out_own: bool = False  # the texts to classify are those learned from

    @classmethod
    def of(cls, data: DataSet, train: NDArray[np.intp], test: NDArray[np.intp]) -> "Sample":
        """Some documents of a data set: no copies to classify, all with words that are not rare."""
        learned = {data.contents[row] for row in train}
        test = np.array([row for row in test if data.contents[row] not in learned], np.intp)
        vocabulary = vocabulary_for(data.source.stop_words, len(train), keep_rare=False)
        train = train[vocabulary.fit_transform([data.contents[row] for row in train]).getnnz(axis=1) > 0]
        test = test[vocabulary.transform([data.contents[row] for row in test]).getnnz(axis=1) > 0]
        _, labels = np.unique(data.labels, return_inverse=True)
        texts = ([data.contents[row] for row in rows] for rows in (train, test))
        return cls(data.source.stop_words, next(texts), labels[train], next(texts), labels[test])

    def __len__(self) -> int:
        return len(self.train_texts)

    def counted(self, keep_rare: bool = True, unseen: bool = False) -> "Counts":
        """The documents over the words of the training documents; ``unseen``: and others with a vector."""
        vocabulary = vocabulary_for(self.stop_words, len(self), keep_rare).fit(self.train_texts)
        if unseen:
            bundled = embeddings.default()
            others = hott.Vocabulary(stop_words=self.stop_words).fit(self.test_texts).words_
            known = set(vocabulary.words_)
            new = [word for word in others if word in bundled and word not in known]
            vectors = np.concatenate([vocabulary.vectors_, bundled.matrix(new)])
            words = [*vocabulary.words_, *new]
            vocabulary = hott.Vocabulary.from_words(words, vectors, stop_words=self.stop_words)
        train, test = (vocabulary.transform(texts) for texts in (self.train_texts, self.test_texts))
        return Counts(vocabulary.words_, vocabulary.vectors_, sparse.csr_array(train), sparse.csr_array(test))


@dataclass(frozen=True, eq=False)
class Counts:
    """A sample as word counts, and its distances by words."""

    words: NDArray[np.object_]
    vectors: NDArray[np.float32]
    train: sparse.csr_array
    test: sparse.csr_array

    @cached_property
    def near(self) -> Neighborhood:
        """The nearest words of each, nearest first, weighing exp(cosine - 1)."""
        seen = self.train.sum(axis=0) > 0
        return neighborhood(self.vectors.astype(np.float64), seen, MAX_NEAR, temperature=1.0)

    @cached_property
    def by_words(self) -> tuple[hott.L1, NDArray[np.float64]]:
        """TF-IDF L1 over the words of the training documents, fitted, and the distances of test to train."""
        distance = hott.L1("tfidf").fit(self.train)
        idf = distance.idf_
        # A word of no training document would count most of all, and tells nothing of them.
        distance.idf_ = np.where(self.train.sum(axis=0) > 0, idf, 0)
        return distance, distance.pairwise(self.test, self.train)


def matrices(counts: Counts, fitted: hott.HOTT, run: Run = Run()) -> list[NDArray[np.float64]]:
    """Distances of test to training documents, one matrix a topic model."""
    R, S = (fitted.represent(rows, **run.options) for rows in (counts.train, counts.test))
    return [
        hott.HOTT.from_models([space]).between(Representation.of(s), Representation.of(r), run)
        for space, r, s in zip(fitted.models_, R.parts, S.parts)
    ]


def blended(counts: Counts, fitted: hott.HOTT, by_topics: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean over the models and half a TF-IDF L1."""
    words, by_words = counts.by_words
    factors = hott.Blend([fitted, words], BLEND_WEIGHTS).fit(counts.train).factors_
    return factors[0] * by_topics + factors[1] * by_words


def error(sample: Sample, distances: NDArray[np.float64]) -> float:
    """The share of documents whose nearest neighbours vote for a wrong class."""
    if sample.leaves_out_own:
        distances = distances + np.diag(np.full(len(sample), np.inf))
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :NEIGHBORS]
    votes = np.eye(sample.train_labels.max() + 1)[sample.train_labels[nearest]]
    return float(np.mean(deciding_votes(votes).argmax(axis=1) != sample.test_labels))


class Prepared(GibbsLDA):
    """The same model, where words near each other are looked up once for all settings: that is half the work.

    Their weights are rounded twice, to three digits.
    """

    def __init__(self, counts: Counts, **settings: Any) -> None:
        super().__init__(word_vectors=counts.vectors, **settings)
        self.counts = counts

    def _neighborhood(self, seen: NDArray[np.bool_], threads: int) -> Neighborhood:
        if self.strength == 0:
            return super()._neighborhood(seen, threads)
        near = self.counts.near
        weights = near.weights[:, : self.neighbors].astype(np.float64) ** (1 / self.temperature)
        return Neighborhood(near.words[:, : self.neighbors].copy(), weights.astype(np.float32))


def learned(
    counts: Counts,
    settings: Settings,
    n_models: int,
    seed: int,
    run: Run = Run(),
) -> hott.HOTT:
    """HOTT over so many models with these settings."""
    model = Prepared(
        counts, n_topics=settings.n_topics(counts.train.shape[0]), iterations=settings.sweeps,
        strength=settings.strength, neighbors=settings.neighbors, temperature=settings.temperature,
    )  # fmt: skip
    distance = hott.HOTT(counts.vectors, topic_model=model, n_models=n_models, random_state=seed)
    return distance.fit(counts.train, **run.options)


@lru_cache(maxsize=1)
def data_set(folder: Path, name: str) -> DataSet:
    return read(SOURCES[name], folder)


def validation_sample(data: DataSet, size: str, split: int) -> Sample:
    """Some training documents to learn from, and some others to classify."""
    pool = np.random.default_rng(split).permutation(data.split(0).train)
    n_train = len(pool) - min(VALIDATION, len(pool) // 5) if size == "all" else int(size)
    return Sample.of(data, pool[:n_train], pool[n_train:][-VALIDATION:])


def cells(folder: Path, options: argparse.Namespace, done: set[tuple]) -> Iterator[dict[str, Any]]:
    run = Run(device=options.device)
    for size in options.sizes:
        for split in range(options.splits or SPLITS[size]):
            for name in options.sets:
                if name == "ohsumed" and size == "1000":  # it has 1,249 in all
                    continue
                wanted = [v for v in options.variants if (name, size, split, v) not in done]
                if size != "all":  # the rule is about large corpora
                    wanted = [v for v in wanted if v not in ("topics 100", "topics 150")]
                if not wanted:
                    continue
                sample = validation_sample(data_set(folder, name), size, split)
                counted = lru_cache(maxsize=1)(sample.counted)
                for variant in sorted(wanted, key=lambda v: "unseen" in VARIANTS[v]):
                    settings = Settings(**VARIANTS[variant])
                    started = time.process_time()
                    counts = counted(settings.keep_rare, settings.unseen)
                    fitted = learned(counts, settings, MODELS, split, run)
                    distances = matrices(counts, fitted, run)
                    mean = np.mean(distances, axis=0)
                    where = {"set": name, "size": size, "split": split, "setting": variant}
                    yield {
                        **where, **asdict(settings), "topics": settings.n_topics(len(sample)),
                        "documents": len(sample), "tested": len(sample.test_labels),
                        "words": len(counts.words),
                        "one": float(np.mean([error(sample, matrix) for matrix in distances])),
                        "mean": error(sample, mean),
                        "blend": error(sample, blended(counts, fitted, mean)),
                        "seconds": time.process_time() - started,
                    }  # fmt: skip


def append(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Add rows to a table, each as soon as it is there."""
    for row in rows:
        is_new = not path.exists()
        with path.open("a", newline="") as file:
            writer = csv.DictWriter(file, row, lineterminator="\n")
            if is_new:
                writer.writeheader()
            writer.writerow({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()})
        print(" ".join(f"{v:.4g}" if isinstance(v, float) else str(v) for v in row.values()), flush=True)


def table(path: Path) -> str:
    """The difference of each setting to the default, in points of error, with its standard error."""
    cells = pd.read_csv(path, dtype={"size": str}).set_index(["set", "size", "split"])
    default = cells[cells.setting == "default"]
    columns = [(error, size) for error in ("one", "blend") for size in SIZES]
    sizes = " | ".join(SIZES * 2)
    lines = [f"| setting | {sizes} |", "|---" * (len(columns) + 1) + "|"]
    for setting, rows in cells.groupby("setting", sort=False):
        values = []
        for error, size in columns:
            found = rows[rows.index.get_level_values("size") == size][error]
            if setting == "default" or found.empty:
                values.append("" if found.empty else f"{100 * found.groupby('set').mean().mean():.1f}")
                continue
            difference = 100 * (found - default.loc[found.index, error]).groupby("set").agg(["mean", "sem"])
            spread = np.sqrt((difference["sem"] ** 2).sum()) / len(difference)
            values.append(f"{difference['mean'].mean():+.1f} ± {spread:.1f}")
        lines.append(f"| {setting} | {' | '.join(values)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS)
    parser.add_argument("--sizes", nargs="+", default=SIZES)
    parser.add_argument("--variants", nargs="+", default=list(VARIANTS), choices=VARIANTS)
    parser.add_argument("--splits", type=int, help="fewer or more of them")
    parser.add_argument("--quick", action="store_true", help="two settings, one split, from 200 documents")
    parser.add_argument("--device", default="cpu", help="cuda: topics and distances on a GPU")
    parser.add_argument("--table", action="store_true", help="print what has been found so far")
    options = parser.parse_args()
    if options.table:
        print(table(options.out))
        return
    if options.data is None:
        parser.error("--data is needed: the folder of the data sets")
    if options.quick:
        options.sizes, options.splits, options.variants = ("200",), 1, QUICK
    done: set[tuple] = set()
    if options.out.exists():
        rows = pd.read_csv(options.out, dtype={"size": str})
        done = set(rows[["set", "size", "split", "setting"]].itertuples(index=False, name=None))
    append(options.out, cells(options.data, options, done))


if __name__ == "__main__":
    main()
