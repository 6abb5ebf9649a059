"""Make the bundled word vectors from a word vector file, or compare settings.

    python tools/make_vectors.py SOURCE              write src/hott/embeddings/data
    python tools/make_vectors.py SOURCE --evaluate   print size and quality of several settings

The source holds vectors of unit length, principal components first. Each number is rounded to a multiple of
1/64 and the numbers of one dimension are stored side by side: they share one distribution, so that Huffman
coding (gzip without its search for repetitions, which finds none here) comes close to their entropy.
"""

import argparse
import io
import warnings
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from hott.embeddings import WordVectors, load
from hott.embeddings.bundled import VECTORS, WORDS, default, unpack

STEPS = 64  # to the unit


def quantise(vectors: NDArray[np.float32], steps: int = STEPS) -> NDArray[np.int8]:
    """Bring to unit length and round to whole steps, one row a dimension."""
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.ascontiguousarray(np.rint(vectors * steps).astype(np.int8).T)


def compress(array: NDArray[np.int8]) -> bytes:
    """Give the array as a gzipped .npy file, with no time stamp in it."""
    file = io.BytesIO()
    np.save(file, array)
    return gzip_bytes(file.getvalue(), zlib.Z_HUFFMAN_ONLY)


def gzip_bytes(data: bytes, strategy: int = zlib.Z_DEFAULT_STRATEGY) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS, 9, strategy)
    return packer.compress(data) + packer.flush()


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


def distance_error(vectors: WordVectors, source: WordVectors) -> float:
    """Give the mean relative error of the distance between two random words."""
    a, b = np.random.default_rng(0).integers(len(source), size=(2, 20_000))
    a, b = a[a != b], b[a != b]
    true = np.linalg.norm(source.vectors[a] - source.vectors[b], axis=1)
    ours = np.linalg.norm(vectors.vectors[a] - vectors.vectors[b], axis=1)
    return float(np.abs(ours / true - 1).mean())


def evaluate(source: WordVectors) -> None:
    print("| vectors | MB | WordSim-353 | SimLex-999 | error of a distance |")
    print("|---|---|---|---|---|")

    def row(name: str, vectors: WordVectors, size: float | None) -> None:
        wordsim, simlex = correlation(vectors, "wordsim353.tsv")[0], correlation(vectors, "simlex999.txt")[0]
        error = distance_error(vectors, source)
        print(
            f"| {name} | {f'{size / 1e6:.2f}' if size else ''} | {wordsim:.3f} | {simlex:.3f} | {error:.2%} |"
        )

    row(f"source, {source.dimensions} dimensions", source, None)
    for dimensions in (256, 192, 128, 64):
        kept = source.vectors[:, :dimensions]
        for steps in (128, 64, 32) if dimensions == 256 else (64,):
            array = quantise(kept, steps)
            size = len(compress(array)) + WORDS.stat().st_size
            row(
                f"{dimensions} dimensions, steps of 1/{steps}", WordVectors(source.words, unpack(array)), size
            )
    row("bundled", default(), WORDS.stat().st_size + VECTORS.stat().st_size)
    pairs = [correlation(source, name)[1] for name in ("wordsim353.tsv", "simlex999.txt")]
    print(f"\n{len(source):,} words; {pairs[0]} and {pairs[1]} pairs with both words known.")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path, help="word vector file, unit length, principal components first")
    parser.add_argument("--evaluate", action="store_true", help="print size and quality instead of writing")
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # repeated words would be a mistake in the source
        source = load(options.source)
    if options.evaluate:
        return evaluate(source)
    WORDS.parent.mkdir(exist_ok=True)
    WORDS.write_bytes(gzip_bytes("\n".join(source.words).encode()))
    VECTORS.write_bytes(compress(quantise(source.vectors)))
    print(f"{len(source):,} words, {(WORDS.stat().st_size + VECTORS.stat().st_size) / 1e6:.2f} MB")
    return None


if __name__ == "__main__":
    main()
