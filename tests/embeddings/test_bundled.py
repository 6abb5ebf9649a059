import re

import numpy as np
import pytest
from scipy.stats import spearmanr

from hott.corpus import demo
from hott.embeddings import default
from hott.embeddings.bundled import VECTORS, WORDS
from hott.text.tokens import tokenize
from hott.vocabulary import ENGLISH


def distance(a: str, b: str) -> float:
    return float(np.linalg.norm(default()[a] - default()[b]))


def test_size_and_shape():
    assert (len(default()), default().dimensions) == (199_505, 256)
    assert VECTORS.stat().st_size + WORDS.stat().st_size < 11_000_000


def test_is_read_once():
    assert default() is default()


def test_vectors_have_unit_length():
    sample = default().words[::40]
    assert np.linalg.norm(default().matrix(sample), axis=1) == pytest.approx(1, abs=1e-5)


def test_every_word_is_one_that_a_text_is_split_into():
    assert tokenize(" ".join(default().words)) == list(default().words)
    assert not [word for word in default().words if re.search(r"\d\d", word)]  # no "a00" for any number


def test_frequent_words_come_first():
    place = {word: i for i, word in enumerate(default().words)}
    assert place["the"] == 0
    assert place["house"] < place["microbes"] < place["bodhgaya"]


def test_the_words_of_the_articles_are_known():
    tokens = [token for article in demo.corpus() for token in tokenize(article.text) if token not in ENGLISH]
    assert default().known(tokens).mean() == pytest.approx(0.989, abs=5e-4)
    assert default().known(["algae", "microbes", "mp3", "café"]).all()


@pytest.mark.parametrize(
    ("word", "near", "far"),
    [
        ("cat", "dog", "treaty"),
        ("car", "truck", "poem"),
        ("doctor", "nurse", "violin"),
        ("inflation", "prices", "goalkeeper"),
        ("quartets", "sonata", "antibodies"),
        ("exoplanet", "astronomers", "recipe"),
        ("microbes", "bacteria", "parliament"),
        ("bromide", "chloride", "libretto"),  # a rare word, in the fewest bytes
    ],
)
def test_related_words_are_near(word, near, far):
    assert distance(word, near) < 0.95 * distance(word, far)


@pytest.mark.parametrize(("name", "documented"), [("wordsim353.tsv", 0.740), ("simlex999.txt", 0.466)])
def test_agreement_with_human_judgement_is_as_documented(name, documented):
    from gensim.test.utils import datapath

    with open(datapath(name), encoding="utf-8") as file:
        rows = [line.lower().split("\t") for line in file if line.strip() and not line.startswith("#")]
    rows = [row for row in rows if row[0] in default() and row[1] in default()]
    first, second = (default().matrix(row[i] for row in rows) for i in (0, 1))
    near = -np.linalg.norm(first - second, axis=1)
    assert spearmanr(near, [float(row[2]) for row in rows]).statistic == pytest.approx(documented, abs=5e-4)
