"""Kill processes while they save an index, and check that a readable one is there after every kill.

Each process saves two different indexes in turn under one name, as fast as it can, and is killed (SIGKILL)
at a random moment. After every kill the file must be complete, checksums and all, be one of the two, and
answer a search as that one does.

    python tools/kill_save.py --kills 1000
"""

import argparse
import os
import random
import signal
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

import hott

QUERY = "word1 word2 word3"


def made_up(n_documents: int) -> hott.Index:
    """An index of documents of random words, and random vectors for these words."""
    rng = np.random.default_rng(n_documents)
    words = [f"word{i}" for i in range(2_000)]
    vectors = hott.embeddings.WordVectors(words, rng.normal(size=(len(words), 100)))
    texts = [" ".join(rng.choice(words, 100)) for _ in range(n_documents)]
    return hott.Index.build(texts, n_topics=20, n_models=2, iterations=2, embeddings=vectors)


def check(path: Path, indexes: list[hott.Index]) -> hott.Index:
    """The one of the indexes that is under ``path``, after looking at all of it."""
    found = hott.open(path, verify=True)
    [saved] = [index for index in indexes if len(index) == len(found)]
    assert list(found.documents) == list(saved.documents)
    assert found.search(QUERY) == saved.search(QUERY)
    return saved


def kill_one(path: Path, indexes: list[hott.Index], patience: float) -> None:
    """Start a process that saves, and kill it after up to ``patience`` seconds."""
    child = os.fork()
    if child == 0:
        try:
            while True:
                for index in indexes:
                    index.save(path)
        finally:
            os._exit(1)
    time.sleep(random.uniform(0, patience))
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL, "the process ended before it was killed"


def run(kills: int, folder: Path, sizes: tuple[int, int] = (500, 3_000)) -> Counter[str]:
    """Kill so many processes, and count what was found after each kill."""
    indexes = [made_up(size) for size in sizes]
    path = folder / "killed.hott"
    start = time.perf_counter()
    for index in indexes:
        index.save(path)
    patience = 1.2 * (time.perf_counter() - start)
    found: Counter[str] = Counter()
    for kill in range(1, kills + 1):
        before = path.stat().st_mtime_ns
        kill_one(path, indexes, patience)
        which = "small" if check(path, indexes) is indexes[0] else "large"
        found[f"{'old' if path.stat().st_mtime_ns == before else 'new'}, {which}"] += 1
        leftovers = len(list(folder.glob(".*.saving")))
        assert leftovers <= 1, "a save removes what was left behind before it"
        found["half written aside"] += leftovers
        if kill % 100 == 0:
            print(f"{kill} kills: {dict(found)}", flush=True)
    indexes[0].save(path)
    assert [file.name for file in folder.iterdir()] == [path.name], "leftovers were not removed"
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=1000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = run(options.kills, Path(folder))
    print(f"{options.kills} kills, and a complete index after each: {dict(found)}")


if __name__ == "__main__":
    main()
