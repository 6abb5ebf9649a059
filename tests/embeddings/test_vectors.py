import copy

import numpy as np
import pytest

from hott.embeddings import WordVectors
from hott.embeddings.packed import PackedVectors, Stage

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
