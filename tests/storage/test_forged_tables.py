"""Tables that someone forged are refused."""

import numpy as np
import pytest

from hott import storage
from hott.storage import StorageError, Table
from hott.storage._format import CHUNK, PREAMBLE_SIZE
from hott.table.columns import Texts
from tests.storage.files import rewrite_header, write_small


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


def test_a_table_of_texts_without_a_block(path):
    storage.write(path, {}, {}, {"documents": Table.of({"text": ["a"]})})

    def change(file):
        [part] = (part for part in file["parts"] if part["name"] == "documents.0.blocks")
        part.update(shape=[0, 3], length=0, checksums=[])

    rewrite_header(path, change)
    with pytest.raises(StorageError, match="'documents' is not made of the parts that its columns tell"):
        storage.read(path)


def test_the_place_of_the_damage_is_told(path):
    storage.write(path, {}, {"numbers": np.random.default_rng(0).integers(0, 256, 3 * CHUNK, np.uint8)})
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
