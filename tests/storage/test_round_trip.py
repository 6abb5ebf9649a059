"""What goes into a file comes out of it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from hott import storage
from hott.storage import StorageError, Table
from hott.storage._format import CHUNK, PREAMBLE_SIZE
from hott.table.columns import Texts
from tests.storage.files import documents, write_small

NUMBERS = st.sampled_from([np.dtype(t) for t in ("f8", "f4", "i8", "i4", "u1", "?", ">i4", ">f8")])


@settings(max_examples=50, deadline=None)
@given(hnp.arrays(NUMBERS, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0)))
def test_arrays_come_back_bit_for_bit(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("storage") / "x.hott"
    storage.write(path, {}, {"values": values, "fortran": np.asarray(values, order="F")})
    for name in ("values", "fortran"):
        read = storage.read(path).arrays[name]
        assert read.shape == values.shape
        assert read.dtype == values.dtype.newbyteorder("<")
        assert read.tobytes() == np.ascontiguousarray(values, read.dtype).tobytes()


@settings(max_examples=50, deadline=None)
@given(
    hnp.arrays(
        np.float64, st.tuples(st.integers(0, 6), st.integers(1, 6)), elements=st.sampled_from([0.0, 1.5])
    )
)
def test_matrices_come_back_whole_or_written_in_blocks(tmp_path_factory, dense):
    path = tmp_path_factory.mktemp("storage") / "x.hott"
    matrix = sparse.csr_array(dense)
    blocks = (matrix[start : start + 2] for start in range(0, max(1, len(dense)), 2))
    storage.write(path, {}, {"whole": matrix, "blocks": blocks})
    stored = storage.read(path)
    for name in ("whole", "blocks"):
        assert stored.arrays[name].shape == matrix.shape
        np.testing.assert_array_equal(stored.arrays[name].toarray(), dense)


def test_header_comes_back(path):
    header = {"parameters": {"n_topics": 70, "p": 0.1, "name": "naïve", "none": None, "list": [1, 2]}}
    storage.write(path, header, {})
    assert storage.read(path).header == header


def test_the_same_content_gives_the_same_bytes(path):
    assert write_small(path) == write_small(path)


def test_arrays_larger_than_a_chunk_and_parts_that_grow_together(path):
    rows = np.arange(3 * CHUNK // 16, dtype=np.int64).reshape(-1, 2)
    with storage.Writer(path, {}) as out:
        out.write("whole", rows)
        for start in range(0, len(rows), 10_000):
            out.append("numbers", rows[start : start + 10_000])
            out.append("documents", Table.of({"n": rows[start : start + 10_000, 0]}))
    stored = storage.read(path)
    np.testing.assert_array_equal(stored.arrays["whole"], rows)
    np.testing.assert_array_equal(stored.arrays["numbers"], rows)
    np.testing.assert_array_equal(stored.tables["documents"].read()["n"], rows[:, 0])


def test_arrays_are_read_only_at_aligned_places(path):
    write_small(path)
    topics = storage.read(path).arrays["topics"]
    assert topics.ctypes.data % 64 == 0
    with pytest.raises(ValueError, match="read-only"):
        topics[0, 0] = 1


def test_matrices_are_not_copied_once_they_are_read(path):
    block = sparse.csr_array(sparse.random(50, 10, density=0.5, format="csr", random_state=0))
    storage.write(path, {}, {"whole": block, "blocks": iter([block, block])})
    stored = storage.read(path)
    for name in ("whole", "blocks"):
        for values in (stored.arrays[name].data, stored.arrays[name].indices):
            assert not values.flags.owndata
            assert values.ctypes.data % 64 == 0


def test_rows_of_a_table_come_in_the_order_asked_for(path):
    written = documents(2500)
    storage.write(path, {}, {}, {"documents": iter([written.part(0, 1700), written.part(1700, 2500)])})
    table = storage.read(path).tables["documents"]
    assert table.n_rows == 2500
    wanted = [2499, 3, 1700, 3, 1000]
    assert table.rows(wanted, ["id"])["id"] == [f"d{row}" for row in wanted]
    assert table.rows([7]).records() == [{"id": "d7", "text": "Text 7, naïve 文"}]
    assert [record for batch in table.batches() for record in batch.records()] == written.records()


def test_single_rows_are_read_without_the_rest(path):
    """A flipped byte in another group of rows does not matter, which shows that it was not read."""
    noise = np.random.default_rng(0).bytes(4_000_000).hex()
    texts = [noise[4000 * i : 4000 * i + 4000] for i in range(2000)]
    storage.write(path, {}, {}, {"documents": Table.of({"text": texts})})
    content = bytearray(path.read_bytes())
    content[PREAMBLE_SIZE + CHUNK // 2] ^= 1
    path.write_bytes(content)
    table = storage.read(path).tables["documents"]
    assert table.rows([1999])["text"].tolist() == [texts[1999]]
    with pytest.raises(StorageError, match=r"'documents.0.texts' is damaged"):
        table.rows([0])


def test_texts_between_others_are_read_whatever_chunks_they_lie_in(path):
    noise = np.random.default_rng(0).bytes(4_000_000).hex()
    texts = [noise[4000 * i : 4000 * i + 4000] for i in range(2000)]
    storage.write(path, {}, {}, {"documents": Table.of({"text": texts})})
    table = storage.read(path).tables["documents"]
    for start in range(300, 1900, 16):
        assert table.rows([start])["text"].tolist() == [texts[start]]


def test_a_table_without_rows_comes_back(path):
    storage.write(path, {}, {}, {"documents": Table({"text": Texts.of([])})})
    table = storage.read(path).tables["documents"]
    assert (table.n_rows, table.read()["text"].tolist()) == (0, [])
