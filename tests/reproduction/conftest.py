"""Made-up data in the form of the paper's data sets: three subjects, each with words of its own."""

import gzip
import json

import numpy as np
import pytest
import scipy.sparse as sp

from hott.utils.run import Run
from reproduction.sources import GLOVE, SOURCES
from reproduction.study import Sizes, Study

SUBJECTS = {
    "sea": ["ship", "captain", "sailor", "harbour", "storm", "wave", "anchor", "island", "boat", "coast"],
    "health": [
        "doctor",
        "hospital",
        "patient",
        "disease",
        "medicine",
        "nurse",
        "blood",
        "fever",
        "treatment",
        "surgery",
    ],
    "money": ["bank", "market", "price", "stock", "profit", "trade", "company", "loan", "tax", "dollar"],
}
COMMON = ["people", "year", "time", "day", "place", "world", "house", "letter"]

TINY = Sizes(
    splits=2, topics=4, iterations=10, models=2, words_a_book=30, validation=10, word_pairs=250,
    side_pairs=200, book_tests=4, relation_documents=10, bound_pairs=8, map_documents=40,
    link_pairs=None, timing_seconds=0.001,
)  # fmt: skip


def text(random, subject, n_words=12):
    words = random.choice(SUBJECTS[subject], n_words - 4).tolist() + random.choice(COMMON, 4).tolist()
    return " ".join(words)


def write_lines(path, rows):
    content = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(gzip.compress(content.encode(), mtime=0))


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    random = np.random.default_rng(0)
    for source in SOURCES.values():
        if source.name == "gutenberg":
            _write_books(folder, random)
            continue
        names = dict(zip(SUBJECTS, source.labels or SUBJECTS))
        rows = []
        for number in range(42):
            subject = list(SUBJECTS)[number % 3]
            row = {"id": str(number), "text": text(random, subject), "label": names[subject]}
            if source.division == "published":
                row["split"] = "train" if number < 30 else "test"
            rows.append(row)
        write_lines(folder / source.files[0], rows)
    _write_citations(folder, random)
    _write_glove(folder)
    return folder


@pytest.fixture
def study(data, tmp_path):
    return Study(data, tmp_path / "results", sizes=TINY, run=Run(threads=1))


def _write_glove(folder):
    """Some word vectors in the format of the file: words of one subject are near each other."""
    random = np.random.default_rng(1)
    lines = []
    for number, words in enumerate([*SUBJECTS.values(), COMMON]):
        vectors = np.eye(4)[number].repeat(5) + random.normal(0, 0.3, (len(words), 20))
        lines += [f"{word} {' '.join(f'{x:.4f}' for x in vector)}" for word, vector in zip(words, vectors)]
    (folder / GLOVE).write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0))


def _write_books(folder, random):
    words = [word for subject in SUBJECTS.values() for word in subject] + COMMON + ["the"]
    rows, labels = [], []
    for number in range(42):
        subject = list(SUBJECTS)[number // 14]
        weight = np.array([5.0 if word in SUBJECTS[subject] else 1.0 for word in words])
        rows.append(random.multinomial(80, weight / weight.sum()))
        labels.append({"id": str(number), "title": f"Book {number}", "label": subject})
    sp.save_npz(folder / "gutenberg.npz", sp.csr_matrix(np.array(rows, dtype=np.int32)))
    (folder / "gutenberg.vocab.txt.gz").write_bytes(gzip.compress("\n".join(words).encode(), mtime=0))
    write_lines(folder / "gutenberg.labels.jsonl.gz", labels)


def _write_citations(folder, random):
    papers = [
        {
            "id": str(1000 + number), "year": 1990 + number % 10, "title": text(random, subject, 6),
            "authors": f"A. Author{number % 7} and B. Writer", "abstract": text(random, subject),
        }
        for number in range(40)
        for subject in [list(SUBJECTS)[number % 3]]
    ]  # fmt: skip
    write_lines(folder / "hepth_papers.jsonl.gz", papers)
    lines = ["id1,id2,label"]
    for _ in range(300):
        a, b = random.choice(40, 2, replace=False)
        lines.append(f"{papers[a]['id']},{papers[b]['id']},{int(a % 3 == b % 3)}")
    (folder / "hepth_pairs_train.csv.gz").write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))
