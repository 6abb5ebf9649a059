"""Kill processes while they save, and check that a readable file is there after every kill.

Each process saves two different files in turn under one name, as fast as it can, and is killed (SIGKILL) at
a random moment. After every kill the file must be complete, checksums and all, and be one of the two.

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
import pyarrow as pa
from scipy import sparse

from hott import storage

DOCUMENTS = {"a": 3_000, "b": 8_000}  # two files that differ in every part and in size


def save(path: Path, which: str, turn: int) -> None:
    """Save file "a" or "b": an array, a matrix and a table whose content follows from the letter."""
    n = DOCUMENTS[which]
    numbers = range(n)
    matrix = sparse.csr_array((np.full(n, ord(which), float), np.arange(n) % 70, np.arange(n + 1)), (n, 70))
    arrays = {"topics": np.full((70, n), n), "proportions": matrix}
    texts = {"id": [f"{which}{i}" for i in numbers], "text": [f"{which} {i} " * 20 for i in numbers]}
    storage.write(path, {"which": which, "turn": turn}, arrays, {"documents": pa.table(texts)})


def check(path: Path) -> tuple[str, int]:
    """Letter and turn of the file under ``path``, after looking at all of it."""
    stored = storage.read(path, verify=True)
    which = stored.header["which"]
    n = DOCUMENTS[which]
    ids = stored.tables["documents"].read()["id"]
    assert stored.arrays["topics"].shape == (70, n)
    assert (stored.arrays["topics"] == n).all()
    assert stored.arrays["proportions"].sum() == n * ord(which)
    assert len(ids) == n
    assert ids[n - 1].as_py() == f"{which}{n - 1}"
    return which, stored.header["turn"]


def kill_one(path: Path, turn: int, patience: float) -> tuple[str, bool]:
    """Kill a process that saves, after up to ``patience`` seconds; what is there then."""
    child = os.fork()
    if child == 0:
        try:
            while True:
                for which in DOCUMENTS:
                    save(path, which, turn)
        finally:
            os._exit(1)
    time.sleep(random.uniform(0, patience))
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL, "the process ended before it was killed"
    which, found = check(path)
    leftovers = len(list(path.parent.glob(".*.saving")))
    assert leftovers <= 1, "the saves in between should have removed older leftovers"
    return f"{'new' if found == turn else 'old'} {which}", leftovers == 1


def run(kills: int, folder: Path) -> Counter[str]:
    """Kill so many processes, and count what was found after each kill."""
    path = folder / "killed.hott"
    start = time.perf_counter()
    save(path, "b", 0)
    patience = 1.5 * (time.perf_counter() - start)
    found: Counter[str] = Counter()
    for turn in range(1, kills + 1):
        which, half_written = kill_one(path, turn, patience)
        found[which] += 1
        found["half written aside"] += half_written
        if turn % 100 == 0:
            print(f"{turn} kills: {dict(found)}", flush=True)
    save(path, "a", kills + 1)
    assert [file.name for file in folder.iterdir()] == [path.name], "leftovers were not removed"
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=1000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = run(options.kills, Path(folder))
    print(f"{options.kills} kills, and a complete file after each: {dict(found)}")


if __name__ == "__main__":
    main()
