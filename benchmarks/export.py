"""What the topics of words in an exported page cost, and how many hits of a search they leave as they are.

    python benchmarks/export.py bbcsport.hott
    python benchmarks/export.py 20news.hott --site site     # what the page itself finds, in Chromium

Topics of words are rounded to a few steps, or left out, as ``hott export`` does it when there are too many
words to keep them exactly. Texts are eight words of documents, as people type them.
"""

import argparse
import random
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import get_args

import numpy as np
from numpy.typing import NDArray

import hott
from hott.explorer.packing import _POWER, Part, _encode_topics
from hott.index import By

PLANS = [(4095, 1.0), (255, 1.0), (60, 1.0), (20, 1.0), (10, 1.0), (6, 1.0), (20, 0.5), (6, 0.5), (20, 0.2)]
NEIGHBORS, TEMPERATURE, SMALL = 20, 0.15, 1e-6  # as static/offline/model.js reads words that are left out


def decoded(components: NDArray[np.float32], levels: int) -> tuple[NDArray[np.float64], int]:
    """The topics of words after an export, and the bytes that they take in it."""
    parts = _encode_topics(components, 0, levels)
    codes = parts["topics_0"].reshape(components.shape[::-1]).T
    rows = np.where(codes > 0, (codes / levels) ** (1 / _POWER), parts["least_0"][:, None])
    return components.max(axis=0) * rows, sum(len(Part.of(part).deflated) for part in parts.values())


def borrowed(
    rows: NDArray[np.float64], unit: NDArray[np.float64], rest: NDArray[np.intp], words: NDArray[np.intp]
) -> NDArray[np.float64]:
    """The topics of the words near those that are left out."""
    cosines = unit[rest] @ unit[words].T
    near = np.argpartition(-cosines, NEIGHBORS, axis=1)[:, :NEIGHBORS]
    cosines = np.take_along_axis(cosines, near, axis=1)
    weights = np.where(cosines > 0, np.exp((cosines - 1) / TEMPERATURE), 0)
    found = np.einsum("kij,ij->ki", rows[:, near], weights)
    return SMALL * found / np.maximum(found.max(axis=0), 1e-300)


def searched(index: hott.Index, texts: list[str], by: By = "both") -> Iterator[dict[str, float]]:
    for text in texts:
        with suppress(ValueError):  # a text with nothing to search by
            yield {hit.id: hit.score for hit in index.search(text, k=10, by=by, threads=1)}


def compared(exact: list[dict[str, float]], found: list[dict[str, float]]) -> str:
    """How many of the hits are the same, and how far off their scores are."""
    same = np.mean([len(a.keys() & b.keys()) / len(a) for a, b in zip(exact, found, strict=True)])
    off = np.mean([abs(a[id] - b[id]) for a, b in zip(exact, found) for id in a.keys() & b.keys()])
    return f"{same:6.1%} of the hits the same, scores off by {off:.3f}"


def ask_the_page(site: Path, index: hott.Index, texts: list[str]) -> None:
    """Search an exported page for each of the texts, by words, by topics and by both."""
    from playwright.sync_api import Error, sync_playwright

    ask = "(asked) => hottAnswer('api/search', {}, asked)"
    with sync_playwright() as p:
        page = p.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"]).new_page()
        page.goto((site / "index.html").resolve().as_uri())
        page.wait_for_function("window.hottAnswer !== undefined", timeout=120_000)
        for by in get_args(By):
            found = []
            for text in texts:
                with suppress(Error):  # a text with nothing to search by
                    answer = page.evaluate(ask, {"text": text, "k": 10, "by": by, "reasons": False})
                    found.append({hit["id"]: hit["score"] for hit in answer["hits"]})
            print(f"{by:6s} {compared(list(searched(index, texts, by)), found)}")


def compare_plans(index: hott.Index, texts: list[str]) -> None:
    """Which hits stay with the topics of words in fewer steps, and how many bytes they take."""
    exact = list(searched(index, texts))
    models = [space.topics for space in index.hott.models_]
    learned = [model.components for model in models]
    vectors = np.asarray(index.vocabulary.vectors_, np.float64)
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    frequent = np.argsort(-index.model.word_counts, kind="stable")
    for levels, share in PLANS:
        words = np.sort(frequent[: max(NEIGHBORS + 1, int(share * len(frequent)))])
        rest, total = np.setdiff1d(frequent, words), 0
        for model, exactly in zip(models, learned):
            rows, size = decoded(exactly[:, words], levels)
            total += size
            components = np.zeros(exactly.shape)
            components[:, words] = rows
            if len(rest):
                components[:, rest] = borrowed(rows, unit, rest, words)
            # Set behind its back: rows that do not sum to 1 any more would be refused.
            model.components = components.astype(np.float32)
            vars(model).pop("_table", None)
        found = compared(exact, list(searched(index, texts)))
        print(f"{levels:5d} steps, {share:4.0%} of the words: {total / 1e6:5.2f} MB, {found}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("index", type=Path)
    parser.add_argument("--texts", type=int, default=20)
    parser.add_argument("--site", type=Path, help="an export of the index, whose page is asked")
    options = parser.parse_args()
    index, draw = hott.open(options.index), random.Random(0)
    chosen = draw.sample(range(len(index)), options.texts)
    texts = [" ".join(index.documents[i].text.split()[8:16]) for i in chosen]
    print(index)
    if options.site:
        ask_the_page(options.site, index, texts)
    else:
        compare_plans(index, texts)


if __name__ == "__main__":
    main()
