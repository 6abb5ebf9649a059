import copy

import numpy as np
import pytest

from hott.embeddings import WordVectors, default
from hott.embeddings.bundled import DIMENSIONS, BundledVectors
from hott.embeddings.choice import spell_stems
from hott.embeddings.nearest import find_nearest, quantize
from hott.embeddings.packed import PackedVectors, Stage
from hott.embeddings.vectors import as_word_vectors, unit_rows

PETS = WordVectors(["cat", "dog"], np.array([[1.0, 0.0], [0.5, 0.5]]))


def test_reads_like_a_dictionary():
    assert len(PETS) == 2
    assert list(PETS) == ["cat", "dog"]
    assert "cat" in PETS
    assert "cow" not in PETS
    assert PETS["dog"].tolist() == [0.5, 0.5]
    assert PETS.get("cow") is None
    with pytest.raises(KeyError):
        PETS["cow"]
    assert repr(PETS) == "WordVectors(2 words, 2 dimensions)"


def test_vectors_of_many_words():
    assert PETS.known(["cow", "cat"]).tolist() == [False, True]
    assert PETS.known([]).tolist() == []
    assert PETS.matrix(["dog", "cat", "dog"]).tolist() == [[0.5, 0.5], [1, 0], [0.5, 0.5]]
    assert PETS.matrix([]).shape == (0, 2)
    with pytest.raises(ValueError, match=r"2 of 3 have no vector \('cow', 'pig'\)"):
        PETS.matrix(["cow", "cat", "pig"])


def test_packed_vectors_read_like_others():
    stage = Stage(np.array([[1], [0]], np.uint8), np.array([[[0, 2], [3, 4]]], np.float32))
    packed = WordVectors(["cat", "dog"], PackedVectors([stage]))
    assert repr(packed) == "WordVectors(2 words, 2 dimensions)"
    assert packed["cat"] == pytest.approx([0.6, 0.8])
    assert packed.matrix(["dog", "cat", "dog"]).tolist() == packed.vectors[[1, 0, 1]].tolist()
    assert packed.matrix([]).shape == (0, 2)
    with pytest.raises(ValueError, match="read-only"):
        packed.vectors[0, 0] = 5
    with pytest.raises(ValueError, match=r"3 words, vectors of shape \(2, 2\)"):
        WordVectors(["cat", "dog", "cow"], PackedVectors([stage]))


def test_does_not_change():
    source = np.ones((1, 2), dtype=np.float32)
    vectors = WordVectors(["a"], source)
    with pytest.raises(ValueError, match="read-only"):
        vectors.vectors[0, 0] = 5
    source[0, 0] = 1  # what the caller gave stays the caller's
    assert copy.deepcopy(vectors) is vectors


@pytest.mark.parametrize(
    ("words", "vectors", "message"),
    [
        (["a", "b"], [[1.0]], r"one row a word .*: 2 words, vectors of shape \(1, 1\)"),
        (["a"], [1.0], r"vectors of shape \(1,\)"),
        (["a", "b"], [[1.0], [np.nan]], "finite numbers: row 1 holds"),
        (["a", "b", "a"], [[1.0], [2.0], [3.0]], "words must be unique: 1 occur again, such as 'a'"),
    ],
)
def test_bad_input_is_named(words, vectors, message):
    with pytest.raises(ValueError, match=message):
        WordVectors(words, vectors)


def test_the_nearest_words_by_whole_numbers():
    rows, cosines = find_nearest(quantize(np.eye(3)), np.array([[0.0, 2.0, 0.0]]), 1)
    assert (rows.tolist(), cosines.tolist()) == ([[1]], [[1.0]])


def test_rows_of_length_one():
    rows = unit_rows(np.array([[3.0, 4.0], [0.0, 0.0], [np.nan, 1.0]]))
    np.testing.assert_array_equal(rows, [[0.6, 0.8], [0, 0], [0, 0]])


def test_stems_are_spelled_as_words_with_a_vector():
    vectors = WordVectors(["galaxy", "galaxies", "star"], [[1.0], [2.0], [3.0]])
    assert spell_stems(["galaxi", "star", "qwxz"], vectors) == ["galaxy", "star", "qwxz"]


def test_a_mapping_becomes_word_vectors():
    assert repr(as_word_vectors({"cat": [1.0, 0.0]})) == "WordVectors(1 words, 2 dimensions)"
    assert as_word_vectors("cat") is None


def test_bundled_vectors_are_decoded_and_others_are_kept():
    vectors = BundledVectors(["cat", "qwxz"], np.array([1]), np.zeros((1, DIMENSIONS), np.float32))
    np.testing.assert_array_equal(np.asarray(vectors), [default()["cat"], np.zeros(DIMENSIONS)])


def test_stages_are_added():
    coarse = Stage(np.array([[1], [0]], np.uint8), np.array([[[0, 2], [3, 0]]], np.float32))
    fine = Stage(np.array([[0]], np.uint8), np.array([[[0, 4]]], np.float32))
    np.testing.assert_allclose(PackedVectors([coarse, fine])[np.array([0, 1])], [[0.6, 0.8], [0, 1]])
