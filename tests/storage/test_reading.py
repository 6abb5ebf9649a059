"""What is read of a file that changes, or is not as expected."""

import os
import pickle

import numpy as np
import pytest

from hott import storage
from hott.storage import StorageError, Table
from tests.storage.files import documents, write_small


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


def test_what_is_taken_is_not_kept(path):
    write_small(path)
    stored = storage.read(path)
    taken = stored.take("topics")
    assert np.array_equal(taken, stored.arrays["topics"])
    assert taken is not stored.arrays["topics"]
    assert stored.arrays["topics"] is stored.arrays["topics"]


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
        storage.read(path).expect(),
    ):
        raise error
    assert caught.value.__cause__ is error


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
