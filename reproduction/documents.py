"""A data set of the paper, read from its files: documents with labels, ready to be counted."""

import gzip
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from hott.embeddings import WordVectors
from hott.text.languages import stemmer
from hott.vocabulary import Vocabulary
from reproduction.evaluation.splits import Split, random_split, split_in_order
from reproduction.setting import Setting
from reproduction.sources import NLTK_STOP_WORDS, STOP_WORDS, Source

TRAIN_SHARE = {"random": 0.7, "in order": 0.8}


@dataclass(frozen=True, eq=False)
class Counted:
    """Word counts of all documents, and the vector of each word."""

    counts: sp.csr_array
    words: NDArray[np.object_]
    vectors: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class DataSet:
    """Labelled documents: texts, or counts over given words where there is no text (gutenberg)."""

    source: Source
    labels: NDArray[np.str_]
    titles: Sequence[str]
    contents: Sequence[Any]  # texts; or one hashable summary of the counts a document, to find copies
    published_train: NDArray[np.bool_] | None
    counts: sp.csr_array | None = None
    words: NDArray[np.object_] | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def split(self, number: int, setting: Setting = Setting()) -> Split:
        """Return the published split if there is one, else the first 80 % of each class, or a random 70 %.

        A setting may ask for a random split of as many documents instead.
        """
        if self.published_train is not None:
            given = Split(np.flatnonzero(self.published_train), np.flatnonzero(~self.published_train))
        elif self.source.division == "in order":
            given = split_in_order(self.labels, TRAIN_SHARE["in order"])
        else:
            return random_split(len(self), setting.train_share or TRAIN_SHARE["random"], number)
        return (
            given
            if setting.split == "given"
            else random_split(len(self), len(given.train) / len(self), number)
        )

    def count(
        self, learned_from: NDArray[np.intp], vectors: WordVectors, setting: Setting = Setting()
    ) -> Counted:
        """Count the words of all documents over the vocabulary of some of them; words need a vector.

        Rare words, where a setting drops them, occur twice at most in those documents, or have two letters.
        """
        counted = self._count(learned_from, vectors, setting)
        if setting.rare == "kept":
            return counted
        often = np.asarray(counted.counts[learned_from].sum(axis=0)).ravel() > 2
        kept = np.flatnonzero(often & np.array([len(word) > 2 for word in counted.words]))
        return Counted(sp.csr_array(counted.counts[:, kept]), counted.words[kept], counted.vectors[kept])

    def _count(self, learned_from: NDArray[np.intp], vectors: WordVectors, setting: Setting) -> Counted:
        given = self.source.stop_words
        lists = {"given": given, "kept": None, "removed": STOP_WORDS, "nltk": NLTK_STOP_WORDS}
        stop_words = lists[setting.stop_words]
        if self.counts is not None and self.words is not None:
            return _select(self.counts, self.words, learned_from, vectors, stop_words or (), setting.stem)
        vocabulary = Vocabulary(
            stop_words=stop_words,
            min_df=1 if setting.train else self.source.min_df,
            stem=setting.stem,
            word_vectors=vectors,
            without_vector="drop",
        )
        vocabulary.fit([self.contents[row] for row in learned_from])
        vectors_of = cast(NDArray[np.float32], vocabulary.vectors_)  # it was given word vectors
        return Counted(sp.csr_array(vocabulary.transform(self.contents)), vocabulary.words_, vectors_of)

    def only(self, rows: NDArray[np.intp]) -> "DataSet":
        """The same data set with fewer documents."""
        return DataSet(
            self.source,
            self.labels[rows],
            [self.titles[row] for row in rows],
            [self.contents[row] for row in rows],
            None if self.published_train is None else self.published_train[rows],
            None if self.counts is None else self.counts[rows],
            self.words,
        )


def read(source: Source, folder: Path, most_words: int | None = None) -> DataSet:
    """Read a data set from a folder of its files, or say which file is missing and where it can be had.

    Of books, which come as counts, only the ``most_words`` most common words.
    """
    for file in source.files:
        if not (folder / file).exists():
            raise ValueError(
                f"{folder / file} is missing. Get {source.name} from {source.origin}; "
                "python -m reproduction data explains the format. Or leave it out with --datasets."
            )
    if source.name == "gutenberg":
        return _read_counts(source, folder, most_words)
    return _read_texts(source, folder)


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a gzipped file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def _read_texts(source: Source, folder: Path) -> DataSet:
    rows = list(lines(folder / source.files[0]))
    if source.labels is not None:
        rows = [row for row in rows if row["label"] in source.labels]
    train = None
    if source.division == "published":
        train = np.array([row["split"] == "train" for row in rows])
    labels = np.array([str(row["label"]) for row in rows])
    return DataSet(source, labels, [str(row["id"]) for row in rows], [row["text"] for row in rows], train)


def _read_counts(source: Source, folder: Path, most_words: int | None) -> DataSet:
    counts_file, words_file, labels_file = (folder / file for file in source.files)
    counts = sp.csr_array(sp.load_npz(counts_file))[:, :most_words]  # the most common come first
    words = np.array(gzip.decompress(words_file.read_bytes()).decode().split()[:most_words], dtype=object)
    rows = list(lines(labels_file))
    labels = np.array([row["label"] for row in rows])
    starts = counts.indptr
    contents = [counts.indices[a:b].tobytes() + counts.data[a:b].tobytes() for a, b in pairwise(starts)]
    return DataSet(source, labels, [row["title"] for row in rows], contents, None, counts, words)


def _select(
    counts: sp.csr_array,
    words: NDArray[np.object_],
    learned_from: NDArray[np.intp],
    vectors: WordVectors,
    stop_words: Collection[str],
    stem: bool,
) -> Counted:
    """Counts over the words that some documents have, that are no stop words and have a vector."""
    seen = np.bincount(counts[learned_from].indices, minlength=len(words)) > 0
    said = np.array([word not in stop_words for word in words])
    kept = np.flatnonzero(seen & said & vectors.known(words))
    counts, words = sp.csr_array(counts[:, kept]), words[kept]
    vectors_of = vectors.matrix(words)
    if not stem:
        return Counted(counts, words, vectors_of)
    stemmed = np.array(list(map(stemmer("english"), words)), dtype=object)
    stems, column = np.unique(stemmed, return_inverse=True)
    merge = sp.csr_array((np.ones(len(words), np.int32), (np.arange(len(words)), column)))
    means = (merge.T @ vectors_of) / merge.sum(axis=0)[:, None]
    return Counted(sp.csr_array(counts @ merge), stems, means.astype(np.float32))
