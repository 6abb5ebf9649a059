import numpy as np
import pytest
from scipy.stats import spearmanr

from hott.embeddings import default
from hott.embeddings.bundled import VECTORS, WORDS, unpack


def test_size_and_shape():
    vectors = default()
    assert vectors.vectors.shape == (56_942, 256)
    assert np.allclose(np.linalg.norm(vectors.vectors, axis=1), 1, atol=1e-5)
    assert VECTORS.stat().st_size + WORDS.stat().st_size < 8_000_000


def test_is_read_once():
    assert default() is default()


@pytest.mark.parametrize(
    ("near", "far"), [(("cat", "dog"), ("cat", "treaty")), (("car", "truck"), ("car", "poem"))]
)
def test_related_words_are_near(near, far):
    def distance(a: str, b: str) -> float:
        return float(np.linalg.norm(default()[a] - default()[b]))

    assert distance(*near) < distance(*far)


@pytest.mark.parametrize(("name", "documented"), [("wordsim353.tsv", 0.751), ("simlex999.txt", 0.465)])
def test_agreement_with_human_judgement_is_as_documented(name, documented):
    from gensim.test.utils import datapath

    with open(datapath(name), encoding="utf-8") as file:
        rows = [line.lower().split("\t") for line in file if line.strip() and not line.startswith("#")]
    rows = [row for row in rows if row[0] in default() and row[1] in default()]
    first, second = (default().matrix(row[i] for row in rows) for i in (0, 1))
    near = -np.linalg.norm(first - second, axis=1)
    assert spearmanr(near, [float(row[2]) for row in rows]).statistic == pytest.approx(documented, abs=5e-4)


def test_unpacking():
    vectors = unpack(np.array([[3, 0], [4, -2]], dtype=np.int8))
    assert vectors.tolist() == [pytest.approx([0.6, 0.8]), [0, -1]]
