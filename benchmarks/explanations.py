"""Are explanations faithful? Measured on pairs of documents, with no reader in between.

    python benchmarks/explanations.py [--data FOLDER] [--pairs 250] [--json FILE]

The bundled articles need no data; FOLDER holds the paper's data sets (docs/reproduction.md), of which
bbcsport, amazon and r8 are taken, at most 2,000 documents each. Half of the pairs are documents with their
nearest neighbour, half are drawn at random; the deletion test is of nearest neighbours only. The columns:

true      what is told that is true: terms are in the texts that they are told of, those of one document alone
          are nowhere in the other, no word is told on two sides, and quoted sentences are in the texts
sum       largest difference between the parts of terms and the rest, summed, and 1
reversed  pairs whose comparison from B to A says the same as that from A to B
deletion  pairs in which taking the shared terms out of both documents raises their distance more than taking
          out as many of the other words that are heaviest by TF-IDF, and by how much on average
seeds     overlap (Jaccard) of the terms told between indexes with other seeds; nearest, then random pairs
ms        processor time of one explanation, in milliseconds, with its sentences; and the words of a document
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before numpy loads its linear algebra

import argparse  # noqa: E402
import json  # noqa: E402
import re  # noqa: E402
import time  # noqa: E402
from collections.abc import Iterator  # noqa: E402
from dataclasses import asdict, dataclass  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

import hott  # noqa: E402
from hott.explain import Comparison  # noqa: E402

SETS = ("bbcsport", "amazon", "r8")
MAX_DOCUMENTS = 2000
MAX_TERMS = 6  # that are taken out


@dataclass
class Row:
    corpus: str
    pairs: int
    true: float
    sum: float
    reversed: float
    deletion: float
    rise: float
    deletion_pairs: int  # that share a term
    seeds_near: float
    seeds_random: float
    ms: float
    words: float


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--data", type=Path)
    arguments.add_argument("--pairs", type=int, default=250)
    arguments.add_argument("--json", type=Path)
    options = arguments.parse_args()
    rows = [measured(name, corpus, options.pairs) for name, corpus in corpora_of(options.data)]
    table = Table(
        "corpus", "pairs", "true", "sum", "reversed", "deletion", "rise", "seeds", "ms", title="Explanations"
    )
    for r in rows:
        table.add_row(
            r.corpus,
            str(r.pairs),
            f"{r.true:.2%}",
            f"{r.sum:.0e}",
            f"{r.reversed:.1%}",
            f"{r.deletion:.1%} of {r.deletion_pairs}",
            f"{r.rise:+.3f}",
            f"{r.seeds_near:.2f}, {r.seeds_random:.2f}",
            f"{r.ms:.0f} ({r.words:.0f} words)",
        )
    Console(width=120).print(table)
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=2) + "\n")


def corpora_of(folder: Path | None) -> Iterator[tuple[str, hott.Corpus]]:
    yield "bundled articles", hott.demo.corpus()
    for name in SETS if folder else ():
        corpus = hott.read(folder / f"{name}.jsonl.gz")
        chosen = np.random.default_rng(0).permutation(len(corpus))[:MAX_DOCUMENTS]
        yield name, corpus[np.sort(chosen)]


def measured(name: str, corpus: hott.Corpus, n_pairs: int) -> Row:
    first, second = (hott.Index.build(corpus, random_state=seed, on_empty="drop") for seed in (0, 1))
    return measures(name, first, second, n_pairs)


def measures(name: str, first: hott.Index, second: hott.Index, n_pairs: int) -> Row:
    rng = np.random.default_rng(0)
    ids = list(first.documents.ids)
    near = first.neighbors(k=1).indices[:, 0]
    chosen = rng.permutation(len(ids))[:n_pairs]
    nearest = [(ids[i], ids[near[i]]) for i in chosen]
    random = [(ids[i], ids[j]) for i, j in zip(chosen, rng.integers(0, len(ids), len(chosen))) if i != j]
    pairs = nearest[: n_pairs // 2] + random[: n_pairs // 2]

    facts, sums, same, seconds = [], [], [], []
    overlaps: list[list[float]] = [[], []]
    first.compare(*pairs[0])  # names and tables that are made once
    for number, (a, b) in enumerate(pairs):
        start = time.process_time()
        c = first.compare(a, b)
        c.text(100)
        seconds.append(time.process_time() - start)
        facts += check_facts(first, c)
        sums.append(abs(sum(term.part for term in c.told) + c.rest[0] - (c.distance > 0)))
        same.append(is_reversed(c, first.compare(b, a)))
        overlaps[number >= n_pairs // 2].append(overlap(c, second.compare(a, b)))
    rises = [rise for pair in nearest if (rise := deletion(first, *pair)) is not None]
    words = [first.vocabulary.transform([first.documents[i].text]).sum() for i in chosen[:50]]
    return Row(
        corpus=name,
        pairs=len(pairs),
        true=float(np.mean(facts)),
        sum=max(sums),
        reversed=float(np.mean(same)),
        deletion=float(np.mean(np.array(rises) > 0)),
        rise=float(np.mean(rises)),
        deletion_pairs=len(rises),
        seeds_near=float(np.mean(overlaps[0])),
        seeds_random=float(np.mean(overlaps[1])),
        ms=1000 * float(np.median(seconds)),
        words=float(np.mean(words)),
    )


def check_facts(index: hott.Index, c: Comparison) -> Iterator[bool]:
    """Say of each thing that is told whether it is true of the texts."""
    texts = [index.documents[index.documents.position(side.id)].text for side in (c.a, c.b)]
    a, b = (" ".join(text.casefold().split()) for text in texts)
    words_a, words_b = (set(re.findall(r"\w+", text)) for text in (a, b))
    yield from (term.a.casefold() in a and term.b.casefold() in b for term in c.both)
    yield from (pair.a.text.casefold() in a and pair.b.text.casefold() in b for pair in c.near)
    for terms, own, others in ((c.only_a, a, words_b), (c.only_b, b, words_a)):
        for term in terms:
            text = term.text.casefold()
            yield text in own and not others.issuperset(re.findall(r"\w+", text))
    told = [*(t.words for t in (*c.both, *c.only_a, *c.only_b)), *(p.a.words + p.b.words for p in c.near)]
    yield sum(len(set(words)) for words in told) == len(set().union(*told))
    yield from (one.text in texts[0] and other.text in texts[1] for one, other in c.quotes)


def shown(c: Comparison) -> set[tuple[str, str]]:
    return {(term.where, term.text) for term in c.told}


def overlap(c: Comparison, other: Comparison) -> float:
    one, two = shown(c), shown(other)
    return len(one & two) / max(len(one | two), 1)


def is_reversed(c: Comparison, back: Comparison) -> bool:
    def said(one: Comparison, sides: tuple[str, str]) -> list:
        parts = [(term.where, round(term.part, 9)) for term in one.told if term.where in ("both", "near")]
        own = [[(t.text, round(t.part, 9)) for t in one.told if t.where == side] for side in sides]
        return [parts, own]

    return said(c, ("only_a", "only_b")) == said(back, ("only_b", "only_a"))


def deletion(index: hott.Index, a: str, b: str) -> float | None:
    """Measure how much more the distance rises without the shared terms than without as many other words."""
    c = index.compare(a, b)
    key, names = index.term_statistics.key, index.vocabulary.words_
    shared = {word for term in c.both[:MAX_TERMS] for word in term.words}
    texts = [index.documents[index.documents.position(id)].text for id in (a, b)]
    counts = np.asarray(index.vocabulary.transform(texts).sum(axis=0)).ravel()
    weights: dict[int, float] = {}  # by TF-IDF; the forms of a word are one
    written: dict[int, str] = {}
    for column in np.flatnonzero(counts):
        word = key(names[column])
        idf = np.log(len(index) / max(index.model.word_documents[column], 1))
        weights[word] = weights.get(word, 0.0) + float(counts[column]) * idf
        written[word] = names[column]
    shared &= weights.keys()
    others = sorted(weights.keys() - shared, key=lambda word: -weights[word])[: len(shared)]
    if a == b or not shared or len(others) < len(shared):
        return None
    try:
        return c.without(*(written[word] for word in shared)) - c.without(*(written[word] for word in others))
    except ValueError:  # a text has no other words
        return None


if __name__ == "__main__":
    main()
