import importlib.util
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hott.embeddings.packed import PackedVectors, Stage


@st.composite
def packed_vectors(draw: st.DrawFn) -> PackedVectors:
    n_words, dimensions = draw(st.integers(1, 12)), 12
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    sizes = [n_words, *sorted(draw(st.lists(st.integers(1, n_words), max_size=2)), reverse=True)]
    return PackedVectors([random_stage(rng, n, draw(st.sampled_from([1, 3, 6])), dimensions) for n in sizes])


def random_stage(rng: np.random.Generator, n_words: int, n_parts: int, dimensions: int) -> Stage:
    codes = rng.integers(256, size=(n_words, n_parts), dtype=np.uint8)
    centres = rng.normal(size=(n_parts, 256, dimensions // n_parts)).astype(np.float16)
    return Stage(codes, centres.astype(np.float32))


def decode_number_by_number(packed: PackedVectors, row: int) -> list[float]:
    vector = [0.0] * packed.shape[1]
    for codes, centres in packed.stages:
        if row < len(codes):
            n_parts = codes.shape[1]
            for i in range(len(vector)):
                vector[i] += float(centres[i % n_parts, codes[row, i % n_parts], i // n_parts])
    length = sum(number**2 for number in vector) ** 0.5
    return [number / length for number in vector]


@given(packed_vectors(), st.data())
def test_rows_are_decoded_in_any_order_and_number(packed, data):
    rows = data.draw(st.lists(st.integers(0, packed.shape[0] - 1), max_size=20))
    expected = [decode_number_by_number(packed, row) for row in rows]
    decoded = packed[np.array(rows, dtype=np.intp)]
    assert decoded.dtype == np.float32
    assert decoded.shape == (len(rows), packed.shape[1])
    assert np.allclose(decoded, np.reshape(expected, decoded.shape), atol=1e-6)


def test_one_row_and_all_rows():
    packed = PackedVectors([random_stage(np.random.default_rng(0), n, 3, 6) for n in (9_000, 5_000)])
    every = np.asarray(packed)
    assert every.shape == packed.shape
    assert packed[8_999].tolist() == every[8_999].tolist() == packed[np.array([8_999])][0].tolist()
    assert packed[4_999] == pytest.approx(decode_number_by_number(packed, 4_999), abs=1e-6)
    assert packed[5_000] == pytest.approx(decode_number_by_number(packed, 5_000), abs=1e-6)


@given(packed_vectors())
def test_a_file_gives_back_the_same_vectors(tmp_path_factory, packed):
    path = tmp_path_factory.mktemp("packed") / "vectors.npz"
    packed.save(path)
    assert (np.asarray(PackedVectors.load(path)) == np.asarray(packed)).all()


def test_packing_comes_near_and_nearer_with_every_stage():
    path = Path(__file__).parents[2] / "tools" / "make_vectors.py"
    specification = importlib.util.spec_from_file_location("make_vectors", path)
    tool = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(tool)
    vectors = tool.unit(np.random.default_rng(0).normal(size=(1_000, 8)).astype(np.float32))

    def error(*codes: tuple[int, int | None]) -> np.ndarray:
        packed = tool.pack(vectors, [tool.Code(*code) for code in codes], rounds=5)
        return np.linalg.norm(np.asarray(packed) - vectors, axis=1)

    coarse, finer = error((2, None)), error((2, None), (2, 500))
    assert coarse.mean() < 0.4
    assert finer[:500].mean() < 0.5 * coarse[:500].mean()
    assert (finer[500:] == coarse[500:]).all()
