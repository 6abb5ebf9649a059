"""How large an index is beside its texts, by what is in it, and how long it takes to open and to ask.

    python benchmarks/size.py [--data FOLDER] [--sets demo,bbcsport,r8,20news] [--most 3000] [--json FILE]

FOLDER holds NAME.jsonl.gz (see docs/reproduction.md); without it, the demo alone. Of each set at most --most
documents are taken, evenly spaced. Set "passages" is 100 MB of passages-*.jsonl.xz (tools/make_encoder.py),
those of one source joined to documents of 2,000 characters, and topics of 10,000 of them in 50 sweeps.
Another process opens the index and searches.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import corpora
from rich.console import Console
from rich.table import Table

import hott
from hott import storage
from hott.corpus import demo
from hott.index.file_sizes import measure_parts

PASSAGES = 100_000_000  # bytes

TIMED = """
import sys, time, hott
hott.Index, hott.embeddings.default()
times = [time.process_time()]
index = hott.open(sys.argv[1])
for text in ("A late goal decides the match", "Prices of oil and grain rise again"):
    times.append(time.process_time())
    index.search(text)
times.append(time.process_time())
print(*(b - a for a, b in zip(times, times[1:])))
"""


def read(folder: Path | None, name: str, most: int) -> hott.Corpus:
    """Read documents of a set, evenly spaced where there are too many."""
    if name == "demo" or folder is None:
        return demo.corpus()
    if name == "passages":
        return hott.Corpus(list(corpora.joined_passages(folder, PASSAGES)))
    texts = corpora.texts(folder, name)
    return hott.Corpus(texts[:: max(1, len(texts) // most)][:most])


def measure(name: str, corpus: hott.Corpus, folder: Path) -> dict[str, Any]:
    """Build an index, save it, measure its file, and ask it in another process."""
    path = folder / f"{name}.hott"
    how: dict[str, Any] = {"fit_sample": 10_000, "iterations": 50} if name == "passages" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hott.Index.build(corpus, on_empty="drop", **how).save(path)
    timed = subprocess.run(
        [sys.executable, "-c", TIMED, str(path)], capture_output=True, text=True, check=True
    )
    times = map(float, timed.stdout.split())
    return {
        "set": name,
        "documents": len(corpus),
        "text": sum(len(text.encode()) for text in corpus.texts),
        "index": storage.size(path),
        "parts": measure_parts(path),
        "seconds": dict(zip(("open", "first search", "second search"), times)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--sets", default="demo,bbcsport,r8,20news")
    parser.add_argument("--most", type=int, default=3000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    names = options.sets.split(",") if options.data else ["demo"]
    with tempfile.TemporaryDirectory() as folder:
        found = [measure(name, read(options.data, name, options.most), Path(folder)) for name in names]
    rows: dict[str, list[Any]] = {key: [one[key] for one in found] for key in ("documents", "text", "index")}
    rows["times the text"] = [round(one["index"] / one["text"], 1) for one in found]
    for part in dict.fromkeys(part for one in found for part in one["parts"]):
        rows[part] = [one["parts"].get(part, 0) for one in found]
    for key in found[0]["seconds"]:
        rows[f"{key}, ms"] = [round(1000 * one["seconds"][key]) for one in found]
    table = Table("", *names)
    for what, values in rows.items():
        table.add_row(what, *(f"{value:,}" for value in values))
    Console().print(table)
    if options.json:
        listed = [{"what": what, **dict(zip(names, values))} for what, values in rows.items()]
        options.json.write_text(json.dumps(listed, indent=1) + "\n")


if __name__ == "__main__":
    main()
