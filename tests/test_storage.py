"""One file of arrays and tables: what goes in comes out, or an error says which part is damaged."""

import itertools
import json
import os
import pickle
import subprocess
import sys
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from hott import storage
from hott._columns import Texts
from hott.storage import StorageError, Table
from hott.storage._format import CHUNK, FORMAT, PREAMBLE_SIZE, Preamble

NUMBERS = st.sampled_from([np.dtype(t) for t in ("f8", "f4", "i8", "i4", "u1", "?", ">i4", ">f8")])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "some index.hott"


def documents(n=10):
    return Table.of({"id": [f"d{i}" for i in range(n)], "text": [f"Text {i}, naïve 文" for i in range(n)]})


def write_small(path):
    matrix = sparse.csr_array(np.array([[0.0, 0.5, 0.5], [1.0, 0.0, 0.0]]))
    arrays = {"topics": np.arange(6.0).reshape(2, 3), "proportions": matrix}
    storage.write(path, {"what": "small"}, arrays, {"documents": documents()})
    return path.read_bytes()


# -- what goes in comes out ------------------------------------------------------------------------------


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
    block = sparse.random_array((50, 10), density=0.5, format="csr", rng=0)
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


# -- damage ----------------------------------------------------------------------------------------------


def test_every_flipped_byte_is_noticed(path):
    content = write_small(path)
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        with pytest.raises(StorageError, match=r"damaged|not a hott index"):
            storage.read(path, verify=True)


@pytest.mark.parametrize("name", ["topics", "proportions", "documents"])
def test_damage_is_noticed_when_the_part_is_used_and_named(path, name):
    write_small(path)
    part = next(part for part in storage.read(path).parts if part.name.split(".")[0] == name)
    content = bytearray(path.read_bytes())
    content[part.offset + part.length // 2] ^= 0x10
    path.write_bytes(content)
    stored = storage.read(path)  # the header is sound
    with pytest.raises(StorageError, match=f"the part '{part.name}' is damaged"):
        stored.tables[name].read() if name == "documents" else stored.arrays[name]
    others = {"topics", "proportions"} - {name}
    for other in others:
        assert stored.arrays[other] is not None


def test_truncation_is_noticed(path):
    content = write_small(path)
    for length in range(0, len(content), 7):
        path.write_bytes(content[:length])
        with pytest.raises(StorageError, match=r"cut short|not a hott index"):
            storage.read(path)


def test_something_added_is_noticed(path):
    path.write_bytes(write_small(path) + b"\0")
    with pytest.raises(StorageError, match="cut short or added to"):
        storage.read(path)


def test_other_files_are_not_taken_for_an_index(path):
    for content in (b"", b"PK\x03\x04 some archive" * 10, b'{"format": 1}'):
        path.write_bytes(content)
        with pytest.raises(StorageError, match="not a hott index"):
            storage.read(path)
    with pytest.raises(StorageError, match="is a folder"):
        storage.read(path.parent)
    with pytest.raises(FileNotFoundError):
        storage.read(path.parent / "missing.hott")


def test_a_newer_format_says_how_to_upgrade(path):
    content = write_small(path)
    old = Preamble.unpack(content)
    newer = Preamble(FORMAT + 1, *[getattr(old, field) for field in old.__slots__[1:]])
    path.write_bytes(newer.pack() + content[PREAMBLE_SIZE:])
    with pytest.raises(StorageError, match=f"format {FORMAT + 1}.*reads formats up to {FORMAT}.*--upgrade"):
        storage.read(path)


def test_a_missing_part_is_named(path):
    write_small(path)
    stored = storage.read(path)
    assert "landmarks" not in stored.arrays
    assert sorted(stored.arrays) == ["proportions", "topics"]
    with pytest.raises(StorageError, match=r"has no part 'landmarks'; it has: topics, proportions\."):
        stored.arrays["landmarks"]


def rewrite_header(path, change):
    """Change the header of a file and make its checksums right again, as someone with bad intent would."""
    content = path.read_bytes()
    old = Preamble.unpack(content)
    header = json.loads(content[old.header_offset :])
    change(header)
    text = json.dumps(header).encode()
    new = Preamble(FORMAT, zlib.crc32(text), old.header_offset, len(text), old.header_offset + len(text))
    path.write_bytes(new.pack() + content[PREAMBLE_SIZE : old.header_offset] + text)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("offset", 1 << 40),
        ("offset", -64),
        ("offset", 65),
        ("length", 1 << 40),
        ("length", -1),
        ("shape", [2, 1 << 60]),
        ("shape", [-2, -3]),
        ("shape", ["2", 3]),
        ("dtype", "|O"),
        ("dtype", "O8"),
        ("kind", "pickle"),
        ("checksums", []),
        ("name", 3),
        ("more", 1),
    ],
)
def test_a_forged_header_is_refused(path, field, value):
    write_small(path)
    rewrite_header(path, lambda header: header["parts"][0].update({field: value}))
    with pytest.raises(StorageError, match=f"Cannot open {path}"):
        storage.read(path)


@pytest.mark.parametrize("indices", [[0, 1, 9], [0, -1, 2]])
def test_a_forged_matrix_does_not_reach_compiled_code(path, indices):
    arrays = {"m.data": np.ones(3), "m.indices": np.array(indices), "m.indptr": np.array([0, 2, 3])}
    storage.write(path, {}, arrays)
    rewrite_header(path, lambda header: header["matrices"].update({"m": [2, 3]}))
    with pytest.raises(StorageError, match="'m' is no CSR matrix"):
        storage.read(path).arrays["m"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("shape", [0, 1 << 62]),
        ("shape", [1] * 40),
        ("shape", [[1], 2]),
        ("name", "proportions.indptr"),
        ("offset", 0),
    ],
)
def test_a_forged_shape_or_place_is_refused(path, field, value):
    storage.write(path, {}, {"none": np.zeros((0, 2)), "proportions": sparse.csr_array((2, 3))})
    rewrite_header(path, lambda header: header["parts"][0].update({field: value}))
    with pytest.raises(StorageError, match=f"Cannot open {path}"):
        storage.read(path)


def test_parts_that_share_bytes_are_refused(path):
    """A thousand parts over the same bytes would make a small file take a thousand times its size."""
    storage.write(path, {}, {"first": np.zeros(100), "second": np.zeros(100)})
    rewrite_header(path, lambda header: header["parts"][1].update(offset=header["parts"][0]["offset"]))
    with pytest.raises(StorageError, match="'first' and 'second' overlap"):
        storage.read(path)


@pytest.mark.parametrize(
    "shape", [[2, 3, 4], [2], [2, -1], [2, 1 << 40], [3, 3], ["2", 3], [2.0, 3], [True, 3], None, "23"]
)
def test_a_forged_shape_of_a_matrix_is_refused(path, shape):
    write_small(path)
    rewrite_header(path, lambda header: header["matrices"].update(proportions=shape))
    with pytest.raises(StorageError, match=f"Cannot open {path}"):
        storage.read(path)


def test_a_matrix_without_its_parts_is_refused(path):
    write_small(path)
    rewrite_header(path, lambda header: header["matrices"].update(more=[2, 3]))
    with pytest.raises(StorageError, match=f"Cannot open {path}"):
        storage.read(path)


def test_a_header_of_another_form_is_refused(path):
    for change in (
        lambda header: header.pop("parts"),
        lambda header: header.update(parts={"name": 1}),
        lambda header: header.update(parts=[1]),
        lambda header: header.update(header=[]),
        lambda header: header.update(library=1),
        lambda header: header.update(matrices=[]),
        lambda header: header["parts"][0].update(checksums=1),
    ):
        write_small(path)
        rewrite_header(path, change)
        with pytest.raises(StorageError, match="header"):
            storage.read(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_is_not_waited_for(path):
    os.mkfifo(path)
    with pytest.raises(StorageError, match="it is a device, pipe or socket, not a file"):
        storage.read(path)


# -- forged tables ---------------------------------------------------------------------------------------


def test_rows_and_columns_that_are_not_there(path):
    write_small(path)
    table = storage.read(path).tables["documents"]
    for rows in ([10], [-1]):
        with pytest.raises(StorageError, match="'documents' has 10 rows"):
            table.rows(rows)
    for read in (lambda: table.read(["id", "label"]), lambda: table.rows([1], ["label"])):
        with pytest.raises(StorageError, match="'documents' has no column 'label'"):
            read()


def forged_texts(path, content, lengths):
    """A file with one column of text, of these bytes."""
    bad = Texts(np.frombuffer(content, np.uint8), np.cumsum([0, *lengths[:-1]]), np.array(lengths))
    storage.write(path, {}, {}, {"words": Table({"word": bad})})
    return storage.read(path).tables["words"]


@pytest.mark.parametrize("lengths", [[4, 2], [6], [1, 5]])
def test_text_that_is_not_utf8_is_a_storage_error(path, lengths):
    with pytest.raises(StorageError, match=r"'words' cannot be read: .*utf-8"):
        forged_texts(path, b"good\xff\xfe", lengths).read()


def test_texts_that_split_a_character_are_a_storage_error(path):
    with pytest.raises(StorageError, match="does not hold the texts that it tells"):
        forged_texts(path, "naïve".encode(), [3, 3]).rows([0])


def test_a_table_does_not_swell_without_end(path, monkeypatch):
    """A few kilobytes that are a hundred megabytes of text once it is spelled out."""
    monkeypatch.setattr("hott.storage._table.SWELLING_ANYWAY", 10_000_000)
    pieces = (Table.of({"id": ["a"], "label": ["x" * 10_000_000]}) for _ in range(12))
    storage.write(path, {}, {}, {"documents": pieces})
    assert path.stat().st_size < 200_000
    documents = storage.read(path).tables["documents"]
    assert documents.rows([3], ["id"])["id"].tolist() == ["a"]
    with pytest.raises(StorageError, match=r"'documents' swells to 120,000,096 bytes"):
        documents.read()


def test_a_table_without_rows_comes_back(path):
    storage.write(path, {}, {}, {"documents": Table({"text": Texts.of([])})})
    table = storage.read(path).tables["documents"]
    assert (table.n_rows, table.read()["text"].tolist()) == (0, [])


def test_a_table_of_texts_without_a_block(path):
    storage.write(path, {}, {}, {"documents": Table.of({"text": ["a"]})})

    def change(file):
        [part] = (part for part in file["parts"] if part["name"] == "documents.0.blocks")
        part.update(shape=[0, 3], length=0, checksums=[])

    rewrite_header(path, change)
    with pytest.raises(StorageError, match="'documents' is not made of the parts that its columns tell"):
        storage.read(path)


def test_the_place_of_the_damage_is_told(path):
    storage.write(path, {}, {"numbers": np.arange(3 * CHUNK, dtype=np.uint8)})
    content = bytearray(path.read_bytes())
    content[PREAMBLE_SIZE + CHUNK + CHUNK // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(StorageError, match=rf"'numbers' is damaged: its bytes from {CHUNK} on do not match"):
        storage.read(path).arrays["numbers"]


@pytest.mark.parametrize("change", [(0, 0, 1), (-1, 0, 1), (-1, 1, 1), (-1, 2, -1), (-1, 2, 1), (1, 1, 10)])
def test_blocks_that_are_not_there(path, change):
    """Whatever is changed in the table of blocks, the reader finds that it does not fit."""
    texts = [f"text {i} " * 1000 for i in range(30)]
    storage.write(path, {}, {}, {"documents": Table.of({"text": texts})})
    stored = storage.read(path)
    assert stored.tables["documents"].read()["text"] == texts
    row, column, difference = change
    forged = stored._read("documents.0.blocks").copy()
    forged[row, column] += difference
    table = storage.read(path).tables["documents"]
    table._stored._read = lambda name: forged
    with pytest.raises(StorageError, match=r"not made of the blocks|does not hold the texts|cannot be read"):
        table.read()


def test_missing_texts_and_numbers_come_back_as_missing(path):
    columns = {"label": ["pets", None, "", "pets"], "year": [2004, None, 3, 4], "size": [None, 1.5, 2, 3]}
    storage.write(path, {}, {}, {"documents": Table({**Table.of(columns).columns})})
    table = storage.read(path).tables["documents"]
    assert table.read()["label"] == ["pets", None, None, "pets"]
    assert table.rows([2, 1]).records() == [
        {"label": None, "year": 3, "size": 2.0},
        {"label": None, "year": None, "size": 1.5},
    ]


def test_other_rows_than_the_header_tells(path):
    write_small(path)
    rewrite_header(path, lambda header: header["tables"]["documents"].update(rows=11))
    with pytest.raises(StorageError, match="not made of the blocks that it tells"):
        storage.read(path).tables["documents"].read()


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.update(rows=-1),
        lambda table: table["columns"].append(["id", "text"]),
        lambda table: table["columns"].append(["year", "whole"]),
        lambda table: table["columns"][0].reverse(),
        lambda table: table["columns"].__setitem__(0, ["id", "whole"]),
        lambda table: table["columns"][0].__setitem__(0, 7),
        lambda table: table.pop("columns"),
    ],
)
def test_columns_that_are_not_in_the_file(path, change):
    write_small(path)
    rewrite_header(path, lambda header: change(header["tables"]["documents"]))
    with pytest.raises(StorageError):
        storage.read(path)


@pytest.mark.parametrize("other", ["number", "bool", "text"])
def test_columns_of_another_type_than_the_header_tells(path, other):
    storage.write(path, {}, {}, {"documents": Table.of({"year": [2004, None]})})
    rewrite_header(path, lambda header: header["tables"]["documents"]["columns"][0].__setitem__(1, other))
    with pytest.raises(StorageError):
        storage.read(path)


# -- what the caller expects -----------------------------------------------------------------------------


def test_parts_are_given_out_only_as_expected(path):
    write_small(path)
    stored = storage.read(path)
    assert stored.array("topics", (2, None)) is stored.arrays["topics"]
    assert stored.matrix("proportions", (None, 3)) is stored.arrays["proportions"]
    assert stored.table("documents", ["id", "text"]) is stored.tables["documents"]
    for ask, message in (
        (lambda: stored.array("topics", (2, 2)), r"has shape \(2, 3\), expected \(2, 2\)"),
        (lambda: stored.array("topics", (None,)), r"has shape \(2, 3\), expected \(any,\)"),
        (lambda: stored.array("topics", (2, 3), "i"), "holds other numbers"),
        (lambda: stored.array("proportions", (2, 3)), "holds other numbers"),
        (lambda: stored.matrix("topics", (2, 3)), "is no matrix"),
        (lambda: stored.matrix("proportions", (2, 4)), "has shape"),
        (lambda: stored.table("documents", ["label"]), "has no column 'label' of text"),
        (lambda: stored.array("landmarks", ()), "has no part 'landmarks'"),
    ):
        with pytest.raises(StorageError, match=message):
            ask()


def test_columns_of_another_type_are_not_expected(path):
    storage.write(path, {}, {}, {"documents": Table.of({"id": [1, 2]})})
    with pytest.raises(StorageError, match="has no column 'id' of text"):
        storage.read(path).table("documents", ["id"])


@pytest.mark.parametrize(
    "error", [KeyError("kind"), TypeError("no"), IndexError(3), ValueError("x"), OverflowError()]
)
def test_what_goes_wrong_with_a_forged_file_is_a_storage_error(path, error):
    write_small(path)
    with (
        pytest.raises(StorageError, match="does not hold what hott writes") as caught,
        storage.read(path).expected(),
    ):
        raise error
    assert caught.value.__cause__ is error


# -- a file that changes while it is open ----------------------------------------------------------------


def test_arrays_in_use_do_not_change_with_the_file(path):
    """Compiled code follows numbers that were checked once; a copy over the file must not reach them."""
    content = write_small(path)
    stored = storage.read(path)
    topics, matrix = stored.arrays["topics"], stored.arrays["proportions"]
    for damage in (bytes(len(content)), b""):
        with path.open("rb+") as file:
            file.write(damage)
            file.truncate(len(damage))
        np.testing.assert_array_equal(topics, np.arange(6.0).reshape(2, 3))
        np.testing.assert_array_equal(matrix.toarray(), [[0.0, 0.5, 0.5], [1.0, 0.0, 0.0]])


@pytest.mark.parametrize("seen", [False, True])
@pytest.mark.parametrize("damage", ["other", "zeros", "nothing"])
def test_a_table_of_a_file_that_was_written_to_is_refused(path, seen, damage):
    content = write_small(path)
    stored = storage.read(path)
    if seen:
        assert stored.tables["documents"].rows([3])["id"].tolist() == ["d3"]
    other = {"other": content[64:] + content[:64], "zeros": bytes(len(content)), "nothing": b""}[damage]
    with path.open("rb+") as file:
        file.write(other)
        file.truncate(len(other))
    os.utime(path, ns=(0, 0))  # as `cp --preserve` would, and so that the test does not hang on a clock
    with pytest.raises(StorageError, match=r"was written to while it was open\. Open it again"):
        stored.tables["documents"].rows([3])


def test_a_part_that_is_first_used_after_a_change_is_refused(path):
    write_small(path)
    stored = storage.read(path)
    other = path.with_name("other.hott")
    storage.write(other, {"what": "other"}, {"topics": np.ones((2, 3))})
    with path.open("rb+") as file:
        file.write(other.read_bytes())
        file.truncate()
    os.utime(path, ns=(0, 0))
    with pytest.raises(StorageError, match="was written to while it was open"):
        stored.arrays["topics"]


# -- pickling --------------------------------------------------------------------------------------------


def test_a_pickled_table_opens_its_file_again(path, monkeypatch):
    write_small(path)
    monkeypatch.chdir(path.parent)
    stored = storage.read(path.name)
    monkeypatch.chdir("/")
    pickled = pickle.dumps((stored, stored.tables["documents"]))
    assert len(pickled) < 1000  # the path, not the content
    again, table = pickle.loads(pickled)
    assert again.header == {"what": "small"}
    assert table.read() == documents()
    storage.write(path, {"what": "other"}, {})
    with pytest.raises(StorageError, match="is not the file any more"):
        pickle.loads(pickled)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        pickle.loads(pickled)


# -- saving over something -------------------------------------------------------------------------------


def test_what_cannot_be_stored_is_refused_and_nothing_changes(path):
    before = write_small(path)
    with pytest.raises(ValueError, match="'words' has type <U3"):
        storage.write(path, {}, {"words": np.array(["one", "two"])})
    with pytest.raises(ValueError, match="'objects' has type object"):
        storage.write(path, {}, {"objects": np.array([{}, None])})
    with pytest.raises(ValueError, match="Out of range float"):
        storage.write(path, {"x": float("nan")}, {})
    with pytest.raises(ValueError, match="No blocks came for the part 'empty'"):
        storage.write(path, {}, {"empty": iter([])})
    with pytest.raises(ValueError, match="Blocks of one matrix must be alike"):
        storage.write(path, {}, {"m": iter([sparse.csr_array((1, 2)), sparse.csr_array((1, 3))])})
    with pytest.raises(ValueError, match="Blocks of one array must be alike"):
        storage.write(path, {}, {"m": iter([np.zeros((1, 2)), np.zeros((1, 3))])})
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_name_is_taken_once(path):
    """Two parts of one name would be one part when they are read, and the other lost."""
    matrix, rows = sparse.csr_array((1, 2)), np.zeros(1)
    taken = {
        "whole": lambda out: out.write("m", rows),
        "matrix": lambda out: out.write("m", matrix),
        "growing": lambda out: out.append("m", rows),
        "growing matrix": lambda out: out.append("m", matrix),
        "table": lambda out: out.append("m", documents()),
        "piece": lambda out: out.write("m.indices", rows),
        "growing piece": lambda out: out.append("m.indptr", rows),
    }
    may_follow = {("growing", "growing"), ("growing matrix", "growing matrix"), ("table", "table")}
    pieces = {"piece", "growing piece"}
    for first, second in itertools.product(taken, taken):
        with storage.Writer(path, {}) as out:
            taken[first](out)
            clash = (
                first == second
                or not {first, second} & pieces
                or {first, second} & {"matrix", "growing matrix"}
            )
            if (
                (first, second) in may_follow
                or (first, second) == ("growing piece", "growing piece")
                or not clash
            ):
                taken[second](out)
            else:
                with pytest.raises(ValueError, match=r"The part 'm.*' is there already"):
                    taken[second](out)


def test_long_documents_are_read_few_at_a_time(path):
    texts = ["x" * 4_000_000] * 10
    storage.write(path, {}, {}, {"documents": Table.of({"text": texts})})
    table = storage.read(path).tables["documents"]
    assert [len(batch) for batch in table.batches()] == [4, 4, 2]
    assert table.read()["text"].tolist() == texts


def test_a_failure_while_parts_come_in_leaves_the_old_file(path):
    before = write_small(path)

    def blocks():
        yield np.zeros((1000, 10))
        raise RuntimeError("the corpus ended in a broken line")

    with pytest.raises(RuntimeError, match="broken line"):
        storage.write(path, {}, {"numbers": blocks()})
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_reader_keeps_its_file_when_it_is_replaced(path):
    write_small(path)
    stored = storage.read(path)
    storage.write(path, {}, {"topics": np.zeros(1_000_000)})
    np.testing.assert_array_equal(stored.arrays["topics"], np.arange(6.0).reshape(2, 3))
    assert stored.tables["documents"].read() == documents()


def test_saving_through_a_symbolic_link_and_keeping_permissions(path):
    write_small(path)
    path.chmod(0o640)
    link = path.with_name("link.hott")
    link.symlink_to(path)
    storage.write(link, {"what": "new"}, {})
    assert link.is_symlink()
    assert storage.read(path).header == {"what": "new"}
    assert path.stat().st_mode & 0o777 == 0o640


def test_places_that_cannot_be_written_to(path):
    with pytest.raises(OSError, match=r"cannot save .*there is no folder"):
        storage.write(path.parent / "nowhere" / "x.hott", {}, {})
    with pytest.raises(OSError, match=r"cannot save .*there is a folder of that name"):
        storage.write(path.parent, {}, {})


@pytest.mark.skipif(sys.platform == "win32", reason="needs resource limits")
@pytest.mark.parametrize(
    "parts",
    ["{'numbers': numbers}", "{'numbers': iter([numbers])}", "{}, {'numbers': Table.of({'n': numbers})}"],
)
def test_a_full_disk_leaves_the_old_file(path, parts):
    """A limit on the size of files stands in for the full disk: the system refuses to write, as there."""
    before = write_small(path)
    code = f"""
import resource, sys, numpy as np
from hott import storage
from hott.storage import Table
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
numbers = np.random.default_rng(0).random(1_000_000)
try:
    storage.write(sys.argv[1], {{}}, {parts})
except OSError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    assert f"cannot save {path}: File too large. The file that was there is unchanged." in run.stdout
    assert run.stderr == ""
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_the_file_of_a_living_writer_is_not_taken_for_a_leftover(path):
    abandoned = path.with_name(f".{path.name}.00000000.saving")
    abandoned.write_bytes(b"half")
    with storage.Writer(path, {"who": "slow"}):
        storage.write(path, {"who": "quick"}, {})
        assert storage.read(path).header == {"who": "quick"}
    assert storage.read(path).header == {"who": "slow"}
    assert [file.name for file in path.parent.iterdir()] == [path.name]
