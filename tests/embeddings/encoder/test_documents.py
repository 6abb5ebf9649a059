import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hott.embeddings.encoder import DocumentVectors


def random_rows(n: int, dimensions: int = 256, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(n, dimensions)) + 0.5
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 9))
def test_scores_are_cosines_around_the_centre(n, dimensions, seed):
    rows = random_rows(n + 1, dimensions, seed)
    centre = np.random.default_rng(seed).normal(size=dimensions) / 10
    vectors = DocumentVectors.from_rows(rows[1:], centre)
    query = rows[0] - vectors.centre
    exact = vectors.rows @ query / np.linalg.norm(query)
    assert np.allclose(vectors.scores(rows[0]), exact, atol=1e-4)
    apart = rows[1:] - vectors.centre
    cosines = apart @ query / np.linalg.norm(apart, axis=1) / np.linalg.norm(query)
    assert np.allclose(vectors.scores(rows[0]), cosines, atol=0.02)


def test_a_document_takes_260_bytes_and_meets_itself_first():
    rows = random_rows(500)
    vectors = DocumentVectors.from_rows(rows)
    assert vectors.codes.nbytes + vectors.scales.nbytes == 500 * 260
    assert [int(vectors.scores(row).argmax()) for row in rows[:50]] == list(range(50))
    assert vectors.scores(rows[3])[3] == pytest.approx(1, abs=1e-3)


def test_largest_numbers_do_not_overflow():
    vectors = DocumentVectors.from_rows(np.vstack([np.ones((3, 256)), -np.ones((2, 256))]), np.zeros(256))
    assert vectors.scores(np.ones(256)) == pytest.approx([1, 1, 1, -1, -1])


def test_the_default_centre_is_the_mean_of_texts_with_words():
    rows = random_rows(5)
    rows[2] = 0
    vectors = DocumentVectors.from_rows(rows)
    assert vectors.centre == pytest.approx(rows[[0, 1, 3, 4]].mean(axis=0), abs=1e-6)
    assert vectors.scores(rows[0])[2] == 0
    assert not vectors.scores(np.zeros(256)).any()


def test_parts_score_as_the_whole_does_on_any_number_of_threads():
    rows = random_rows(9_001)
    centre = rows[:100].mean(axis=0)
    whole = DocumentVectors.from_rows(rows, centre)
    parts = [DocumentVectors.from_rows(part, centre) for part in np.array_split(rows, 3)]
    scores = whole.scores(rows[7], threads=1)
    assert (whole.scores(rows[7], threads=4) == scores).all()
    assert (np.concatenate([part.scores(rows[7]) for part in parts]) == scores).all()
    joined = DocumentVectors.concat(parts)
    assert (joined.codes == whole.codes).all()
    assert (joined.scales == whole.scales).all()
    chosen = np.array([5, 3, 9_000])
    assert (whole[chosen].scores(rows[7]) == scores[chosen]).all()
    assert len(whole[2:5]) == 3


def test_there_may_be_no_documents():
    vectors = DocumentVectors.from_rows(np.zeros((0, 256)))
    assert vectors.scores(random_rows(1)[0]).shape == (0,)


def test_mistakes_are_named():
    vectors = DocumentVectors.from_rows(random_rows(3))
    other = DocumentVectors.from_rows(random_rows(3, seed=1))
    with pytest.raises(ValueError, match="different centres"):
        DocumentVectors.concat([vectors, other])
    with pytest.raises(ValueError, match="parts is empty"):
        DocumentVectors.concat([])
    with pytest.raises(ValueError, match="query must be 256"):
        vectors.scores(np.ones(3))
    with pytest.raises(ValueError, match="centre must be 256"):
        DocumentVectors.from_rows(random_rows(3), np.ones(3))
    with pytest.raises(ValueError, match="finite"):
        DocumentVectors.from_rows(np.full((2, 256), np.nan))
