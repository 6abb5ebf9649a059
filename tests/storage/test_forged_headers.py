"""Headers that someone forged are refused."""

import os

import numpy as np
import pytest
from scipy import sparse

from hott import storage
from hott.storage import StorageError
from tests.storage.files import rewrite_header, write_small


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
