"""What becomes of the words of a text: the share used, vectors from contexts, vectors learned from a corpus.

    python benchmarks/words.py --data FOLDER [--only SECTION ...]

FOLDER holds the paper's data sets (docs/reproduction.md); the bundled articles need none. The sections:

used      share of the words that are no stop words that a vocabulary keeps, as an index fits it: words with
          a bundled vector, words that take one from the words around them, and words without one that
          take part by their counts; of the rest, words that are left out as rare. "docs" is our own
          documentation in sections, "python" the reference that comes with Python (pydoc)
contexts  a fifth of the words with a bundled vector do without it and take one from the words around them:
          the mean cosine with the true one, against that of the average vector and of another word's, and
          the share of all words that are farther from it than the true one is
learned   vectors learned from 10,000 documents of 20news: agreement with people, neighbours, seconds

Seconds are processor time on one core.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before numpy loads its linear algebra

import argparse  # noqa: E402
import time  # noqa: E402
from collections import Counter  # noqa: E402
from pathlib import Path  # noqa: E402

import corpora  # noqa: E402
import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402
from scipy.stats import spearmanr  # noqa: E402

from hott import Vocabulary, embeddings  # noqa: E402
from hott.corpus import demo  # noqa: E402
from hott.embeddings import WordVectors  # noqa: E402
from hott.index.build import min_df_for  # noqa: E402
from hott.text.languages import ENGLISH  # noqa: E402
from hott.text.tokens import tokenize  # noqa: E402

NAMES = ("bbcsport", "r8", "amazon", "ohsumed", "classic4", "20news")
DOCS = Path(__file__).parents[1] / "docs"
OCCURRENCES = ((1, 1), (2, 2), (3, 5), (6, 20), (21, None))
WORDS = "god car space computer game doctor window israel encryption hockey"


def used(sets: dict[str, list[str]]) -> None:
    print("\nset        min_df   words    used   own vector  from contexts  no vector  left out  seconds")
    for name, texts in sets.items():
        min_df = min_df_for(len(texts))
        start = time.process_time()
        report = (
            Vocabulary(min_df=min_df, keep_rare=True, word_vectors=embeddings.default()).fit(texts).report_
        )
        seconds = time.process_time() - start
        content = report.tokens - report.stop_words.tokens
        without = report.from_contexts.tokens, report.no_vector.tokens
        tokens = report.kept_tokens - sum(without), *without, report.rare.tokens
        shares = "  ".join(f"{number / content:10.2%}" for number in tokens)
        print(f"{name:10} {min_df:6} {report.words:7,} {report.used:8.2%} {shares}  {seconds:6.1f}")


def documentation() -> dict[str, list[str]]:
    from pydoc_data.topics import topics

    pages = [path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("*.md"))]
    return {"docs": [part for page in pages for part in page.split("\n## ")], "python": [*topics.values()]}


def contexts(sets: dict[str, list[str]]) -> None:
    print("\nset        occurrences  words  cosine  average vector  another word  words farther away")
    for name, texts in sets.items():
        counts = Counter(word for text in texts for word in tokenize(text) if word not in ENGLISH)
        words = sorted(word for word in counts if word in embeddings.default())
        rng = np.random.default_rng(0)
        hidden = rng.random(len(words)) < 0.2
        true = embeddings.default().matrix(words)
        shown = WordVectors([word for word, out in zip(words, hidden) if not out], true[~hidden])
        start = time.process_time()
        found = embeddings.from_contexts(texts, shown, stop_words=ENGLISH)
        seconds = time.process_time() - start
        held = [word for word, out in zip(words, hidden) if out and word in found]
        truth, guess = embeddings.default().matrix(held), unit(found.matrix(held))
        cosine = (guess * truth).sum(axis=1)
        average = truth @ unit(true[~hidden].mean(axis=0, keepdims=True))[0]
        another = (rng.permutation(truth) * truth).sum(axis=1)
        farther = (guess @ true.T < cosine[:, None]).mean(axis=1)
        often = np.array([counts[word] for word in held])
        for low, high in (*OCCURRENCES, (1, None)):
            rows = (often >= low) & (often <= (high or often.max()))
            if rows.any():
                label = f"{low}" if low == high else f"{low} to {high}" if high else f"{low} and more"
                means = [values[rows].mean() for values in (cosine, average, another, farther)]
                numbers = "{:7.3f} {:10.3f} {:14.3f} {:15.1%}".format(*means)
                print(f"{name:10} {label:12} {rows.sum():5,} {numbers}")
        print(f"{name}: {seconds:.1f} s")


def learned(texts: list[str]) -> None:
    texts = [texts[row] for row in np.sort(np.random.default_rng(0).permutation(len(texts))[:10_000])]
    bundled = embeddings.default()
    print(f"\nbundled vectors: {agreement(bundled)}")
    for how in ({"method": "ppmi"}, {"method": "word2vec", "dimensions": 200, "window": 5}):
        start = time.process_time()
        vectors = embeddings.train(texts, stop_words=ENGLISH, **how)
        seconds = time.process_time() - start
        print(f"{how}: {vectors}, {seconds:.1f} s, {agreement(vectors)}")
        print_neighbours(vectors)


def agreement(vectors: WordVectors) -> str:
    """Spearman's correlation of nearness with human judgement."""
    from gensim.test.utils import datapath  # gensim ships the word list with its tests

    lines = Path(datapath("wordsim353.tsv")).read_text(encoding="utf-8").splitlines()
    rows = [line.lower().split("\t") for line in lines if line.strip() and not line.startswith("#")]
    rows = [row for row in rows if row[0] in vectors and row[1] in vectors]
    first, second = (unit(vectors.matrix(row[side] for row in rows)) for side in (0, 1))
    judged = [float(row[2]) for row in rows]
    return f"WordSim-353 {spearmanr((first * second).sum(axis=1), judged).statistic:.3f} ({len(rows)} pairs)"


def print_neighbours(vectors: WordVectors) -> None:
    points = unit(vectors.vectors)
    for word in WORDS.split():
        nearest = np.argsort(-(points @ unit(vectors.matrix([word]))[0]), kind="stable")[1:8]
        print(f"  {word}: {', '.join(vectors.words[row] for row in nearest)}")


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="folder of the data sets")
    parser.add_argument("--only", nargs="+", default=["used", "contexts", "learned"], metavar="SECTION")
    arguments = parser.parse_args()
    names = NAMES if arguments.data else ()
    sets = {"articles": list(demo.corpus().texts)}
    sets |= {name: corpora.texts(arguments.data, name) for name in names}
    if "used" in arguments.only:
        used(sets | documentation())
    if "contexts" in arguments.only:
        contexts({name: sets[name] for name in ("articles", "bbcsport", "r8") if name in sets})
    if "learned" in arguments.only and "20news" in sets:
        learned(sets["20news"])


if __name__ == "__main__":
    main()
