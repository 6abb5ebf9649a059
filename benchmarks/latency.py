"""How long people wait, in milliseconds of the processor: cold and warm, for the demo and more documents.

    python benchmarks/latency.py [--documents 200,20000] [--json FILE]

More documents than the demo has are made of sentences of its articles, drawn at random. Cold is a process of
its own: the import, and a search on the command line. Everything else is the median over queries or pairs.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import hott
from hott.terms.prose import sentences

KNOWN = ["planets and their moons", "the light of stars", "war and peace in europe", "goals win matches"]
UNSEEN = ["how is bread baked", "chess endgames", "a wardrobe for the opera", "leaky umbrellas"]


def make_corpus(n_documents: int) -> hott.Corpus:
    """Take the demo, or make as many texts of ten sentences as are asked for."""
    corpus = hott.demo.corpus()
    if n_documents <= len(corpus):
        return corpus[:n_documents]
    written = [text[start:end] for text in corpus.texts for start, end in sentences(text)]
    draw = random.Random(0)
    return hott.Corpus([" ".join(draw.choices(written, k=10)) for _ in range(n_documents)])


def measure(work: Callable[[Any], Any], items: Iterable[Any]) -> float:
    """Return the median time that work takes."""
    times = []
    for item in items:
        started = time.process_time()
        work(item)
        times.append(time.process_time() - started)
    return 1000 * statistics.median(times)


def measure_cold(*command: str) -> float:
    """Return the least time of three processes."""
    times = []
    for _ in range(3):
        before = os.times()
        subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        spent = after.children_user + after.children_system - before.children_user - before.children_system
        times.append(spent)
    return 1000 * min(times)


def measure_index(n_documents: int, folder: Path) -> dict[str, float]:
    """Ask an index of so many documents."""
    path = folder / f"{n_documents}.hott"
    demo = hott.Index.build(hott.demo.corpus())
    (demo if n_documents == len(demo) else demo.with_documents(make_corpus(n_documents))).save(path)
    found = {"hott search, cold": measure_cold("-m", "hott", "search", str(path), KNOWN[0])}
    index = hott.open(path)
    for query in KNOWN + UNSEEN:
        index.reasons(index.search(query))
    ids = index.documents.ids[:101]
    index.compare(ids[0], ids[1])
    found["search"] = measure(index.search, KNOWN * 10)
    found["search, new words"] = measure(index.search, UNSEEN * 10)
    found["reasons of ten hits"] = measure(index.reasons, [index.search(query) for query in KNOWN * 3])
    found["compare, first time"] = measure(lambda pair: index.compare(*pair), zip(ids[2::2], ids[3::2]))
    found["compare, again"] = measure(lambda _: index.compare(ids[-2], ids[-1]), range(20))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", default="200")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    sizes = [int(size) for size in options.documents.split(",")]
    start = {f"import {name}": measure_cold("-c", f"import {name}") for name in ("hott", "hott.index")}
    with tempfile.TemporaryDirectory() as folder:
        found = {size: start | measure_index(size, Path(folder)) for size in sizes}
    rows = [
        {"what": name, **{f"{size:,} documents": round(found[size][name], 1) for size in sizes}}
        for name in found[sizes[0]]
    ]
    table = Table(*rows[0])
    for row in rows:
        table.add_row(*map(str, row.values()))
    Console().print(table)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
