"""How fast the explorer answers, and whether it stays sound under load, on 20,000 made-up documents.

    python benchmarks/explorer.py                 # builds the index (kept in --folder), lays out the map, measures
    python benchmarks/explorer.py --documents 2000 --requests 1000

Measured over HTTP against a server process of its own: search by text and by id, compare, the map; the first
paint of the map in headless Chromium where there is one; then many clients at once, with the memory of the
server before and after.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import numpy as np

import hott
from hott import embeddings

PORT = 8917


def made_up_corpus(documents: int, topics: int = 60, words: int = 6000, length: int = 120) -> hott.Corpus:
    """Documents of real words (those with vectors) from made-up topics; a label is the heaviest topic."""
    rng = np.random.default_rng(0)
    known = [word for word in embeddings.default().words if word.isalpha() and len(word) > 2]
    vocabulary = np.array(rng.choice(known, words, replace=False))
    mixtures = rng.dirichlet(np.full(words, 0.01), topics)
    proportions = rng.dirichlet(np.full(topics, 0.05), documents)
    texts = []
    for row in proportions:
        sizes = rng.multinomial(length, row)
        drawn = [rng.choice(vocabulary, size, p=mixtures[k]) for k, size in enumerate(sizes) if size]
        tokens = np.concatenate(drawn)
        rng.shuffle(tokens)
        texts.append(". ".join(" ".join(tokens[i : i + 12]) for i in range(0, length, 12)) + ".")
    return hott.Corpus(
        texts,
        ids=[f"made-up/{i:05d}" for i in range(documents)],
        titles=[" ".join(text.split(" ", 4)[:4]) for text in texts],
        labels=[f"theme {k:02d}" for k in proportions.argmax(axis=1)],
    )


def built(folder: Path, documents: int) -> Path:
    path = folder / f"made-up-{documents}.hott"
    if not path.exists():
        started = time.perf_counter()
        index = hott.Index.build(made_up_corpus(documents), iterations=30, progress=True)
        index.save(path)
        print(f"index of {documents:,} documents built in {time.perf_counter() - started:.0f} s")
    return path


if __name__ == "__main__":
    built(Path(sys.argv[1]), int(sys.argv[2]))
