"""The benchmark page of the docs: run the benchmarks against others, and write docs/benchmarks.md.

    python benchmarks/page.py [--data FOLDER] [--quick] [--only transport search ...] [--write]

Each section runs one of the scripts beside this one and keeps its numbers, with the machine, the versions and
the date, in results/benchmarks/NAME.json. The page is made of all that are there, so that sections can be
measured one at a time; --write only writes it. Sections that need FOLDER (docs/reproduction.md) are left out
without it. --quick takes small settings, and the page says so.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import hott

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "results" / "benchmarks"
PAGE = ROOT / "docs" / "benchmarks.md"
DATA = "--data FOLDER"

INTRODUCTION = """---
kind: reference
---

# Benchmarks

Speed and quality of hott and other packages, measured in the same run. `make benchmarks DATA=folder` measures
all of it and writes this page. Each section names the machine, the versions and the date. Ratios say more
than absolute numbers, because both sides had the same machine at the same moment.

More tables, each with the command that printed it: [search](how-search-works.md#how-well-it-finds),
[subjects](subjects.md#how-well-subjects-match-the-classes-people-chose), [eight data sets of the
paper](reproduction.md), [topic settings](topic-settings.md), [word vectors](word-vectors-measured.md),
[GPU](gpu-measured.md), [large collections](scale-measured.md).
"""


@dataclass(frozen=True)
class Section:
    """One script, what it is run with, and how its numbers are introduced."""

    name: str
    title: str
    about: str
    script: str
    arguments: tuple[str, ...] = ()
    quick: tuple[str, ...] = ()
    needs_data: bool = True
    peers: tuple[str, ...] = ()


SECTIONS = (
    Section(
        "transport", "Exact transport compared with POT",
        "Problems solved in a second of one core, median of five runs. The peer is POT's exact solver, as "
        "its users call it in a loop (`ot.emd2`), and its inner function without checks (`emd_c`). Spread "
        "is (fastest - slowest) / median of our runs.",
        "transport.py", quick=("--repeats", "1", "--stress", "1000"), needs_data=False, peers=("POT",),
    ),
    Section(
        "search", "Search compared with BM25",
        "Queries with relevance judged by people: mean average precision, nDCG of the first ten, mean "
        "reciprocal rank.\n\n*words + LSI* is the score of hott with the cosine of LSI in the place of "
        "topics and meaning.",
        "retrieval.py", ("--only", "cran", "cisi"), ("--models", "1"), peers=("bm25s", "scikit-learn"),
    ),
    Section(
        "titles", "Find an article by its title",
        "How often the title of a bundled article finds that article first, and among the first ten.",
        "retrieval.py", ("--only", "articles"), ("--models", "1"), peers=("bm25s", "scikit-learn"),
    ),
    Section(
        "topics", "Learning topics compared with tomotopy",
        "Million words a second of one core, on r8. *Plain* is LDA as tomotopy has it, *informed* borrows "
        "from word vectors. *Nearest* is the time in seconds to find the words near each word, once for "
        "all models. It does not count in *informed*.",
        "topics.py", ("--only", "topics"), ("--sweeps", "10"), peers=("tomotopy",),
    ),
    Section(
        "neighbors", "Neighbours compared with gensim and brute force",
        "Seconds of one core for the 7 nearest neighbours, exact on both sides; *solved* is the share of "
        "the pairs whose distance had to be computed.",
        "neighbors.py", ("--only", "hott", "wmd"), peers=("gensim", "POT"),
    ),
    Section(
        "peers", "Neighbours and topics compared with gensim, sentence-transformers and BERTopic",
        "The first table labels each document by its 7 nearest others and gives the share of wrong "
        "labels. The second has the coherence (NPMI) of the ten words by which each method shows a topic. "
        "It also says how well the main topic of a document predicts its label (purity rises with the "
        "number of topics, NMI hardly), and how many documents have none. All methods get the same texts "
        "and their documented defaults. Seconds are processor time from texts to the result; the first "
        "run of BERTopic includes the compilation of UMAP's code. The encoder is all-MiniLM-L6-v2, from "
        "which the bundled word vectors derive too.",
        "peers.py", ("--sets", "articles", "bbcsport"), ("--sets", "articles"),
        peers=("gensim", "scikit-learn", "sentence-transformers", "bertopic"),
    ),
    Section(
        "peers-search", "Search compared with other vectors",
        "As above, with the cosine of other vectors, alone and added to the words of hott: the mean of the "
        "bundled word vectors (weighed by idf), wordllama, and the sentence encoder MiniLM.",
        "peers.py", ("--sets", "--queries", "cran", "cisi"),
        peers=("bm25s", "scikit-learn", "wordllama", "sentence-transformers"),
    ),
    Section(
        "subjects", "Subjects compared with BERTopic, EVoC, HDBSCAN and k-means",
        "Groups of the same documents beside the classes that people gave them. The first table has adjusted "
        "mutual information (documents in no group count as one group) and the number of groups; the second "
        "purity, the share of the grouped documents that are of the commonest class of their group, with the "
        "share that is grouped and the share of the largest group; the third seconds of the processor, "
        "without encoding texts and finding neighbours, and how alike two runs are. The last is of hott "
        "alone: mutual information at every level, a star at the one that is shown first, and how much that "
        "one stays the same when documents come in another order and when topics are learned with another "
        "seed. k-means on TF-IDF is told the number of classes. BERTopic (its own settings) and EVoC get "
        "vectors of MiniLM; the first HDBSCAN gets the distances of hott, the second its map.",
        "subjects.py", ("--peers", "--reseed"), ("--only", "articles"),
        peers=("bertopic", "evoc", "fast_hdbscan", "scikit-learn", "sentence-transformers"),
    ),
    Section(
        "size", "Size of an index",
        "Bytes of the texts and of the saved index, by what they are for (`hott info --all` shows the same "
        "for yours), and milliseconds of the processor to open it and to search it twice.",
        "size.py", ("--sets", "demo,bbcsport,r8,ohsumed,amazon,20news", "--most", "7000"), ("--sets", "demo"),
    ),
    Section(
        "latency", "How long an answer takes",
        "Milliseconds of the processor, for the bundled articles and for texts made of their sentences. "
        "*Cold* is a process of its own; everything else is the median over queries or pairs.",
        "latency.py", ("--documents", "200,20000"), ("--documents", "200"), needs_data=False,
    ),
)  # fmt: skip


def measure(section: Section, data: Path | None, quick: bool) -> None:
    """Run the script of a section and keep what it measured."""
    arguments = [*section.arguments, *(section.quick if quick else ())]
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "found.json"
        where = ["--data", str(data)] if data and section.needs_data else []
        command = [sys.executable, section.script, *where, *arguments, "--json", str(found)]
        subprocess.run(command, cwd=Path(__file__).parent, check=True)
        tables = json.loads(found.read_text())
    shown = " ".join([f"python benchmarks/{section.script}", *([DATA] if where else []), *arguments])
    KEPT.mkdir(parents=True, exist_ok=True)
    kept = {"command": shown, "quick": quick, "machine": machine(), "tables": lists(tables)}
    kept["versions"] = {"hott": hott.__version__, **versions(["numpy", *section.peers])}
    kept["date"] = f"{datetime.now(UTC):%Y-%m-%d}"
    (KEPT / f"{section.name}.json").write_text(json.dumps(kept, indent=1) + "\n")


def lists(found: Any) -> list[list[dict[str, Any]]]:
    """Tables as lists of rows, whichever way a script writes them, without rows that compare us with us."""
    if isinstance(found, dict):
        return [rows for rows in found.values() if rows]
    tables = [found] if found and isinstance(found[0], dict) else found
    return [[row for row in rows if row.get("peer") != "1 thread"] for rows in tables]


def machine() -> str:
    cpu = Path("/proc/cpuinfo")
    names = (
        [line for line in cpu.read_text().splitlines() if line.startswith("model name")]
        if cpu.exists()
        else []
    )
    name = names[0].split(":")[1].strip() if names else platform.processor()
    busy = (
        f", load {os.getloadavg()[0]:.0f}" if hasattr(os, "getloadavg") and os.getloadavg()[0] > 1.5 else ""
    )
    return f"{name}, {os.cpu_count()} cores, {platform.system()}{busy}, Python {platform.python_version()}"


def versions(names: list[str]) -> dict[str, str]:
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def cell(value: Any) -> str:
    if not isinstance(value, float):
        return f"{value:,}" if isinstance(value, int) else str(value)
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def table(rows: list[dict[str, Any]]) -> str:
    columns = list(rows[0])
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return "\n".join(lines + ["| " + " | ".join(cell(row[c]) for c in columns) + " |" for row in rows])


def page() -> str:
    parts = [INTRODUCTION]
    for section in SECTIONS:
        path = KEPT / f"{section.name}.json"
        if not path.exists():
            continue
        kept = json.loads(path.read_text())
        used = ", ".join(f"{name} {number}" for name, number in kept["versions"].items())
        quick = " Small settings (`--quick`): a hint, no more." if kept["quick"] else ""
        parts += [
            f"## {section.title}\n\n{section.about}{quick}\n",
            *(table(rows) + "\n" for rows in lists(kept["tables"])),
        ]
        parts.append(f"{kept['date']}; {kept['machine']}; {used}.\n")
        parts.append(f"<!-- not run: takes minutes -->\n```bash\n{kept['command']}\n```\n")
    return "\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="+", choices=[section.name for section in SECTIONS])
    parser.add_argument("--write", action="store_true", help="measure nothing, write the page")
    given = parser.parse_args()
    for section in () if given.write else SECTIONS:
        if section.name not in (given.only or [section.name]):
            continue
        if section.needs_data and given.data is None:
            print(f"{section.name} needs --data, and is left out")
            continue
        measure(section, given.data and given.data.resolve(), given.quick)
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
