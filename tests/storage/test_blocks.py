"""Arrays that are stored in deflated blocks come back bit for bit, and swell no further than they tell."""

import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hott import storage
from hott.storage import StorageError
from hott.storage._format import CHUNK, MAX_SWELLING
from tests.storage.files import rewrite_header

RNG = np.random.default_rng(0)
ARRAYS = {
    "delta": np.cumsum(RNG.integers(0, 9, 300_000)),  # three blocks, and ends within one
    "delta of small numbers": np.sort(RNG.integers(-(2**15), 2**15, 70_000)).astype(np.int16),
    "shuffle": RNG.integers(0, 50, (500, 300)) / 8.0,
    "deflate": RNG.integers(0, 3, 100_000).astype(np.uint8),
    "extremes": np.array([2**64 - 1, 0, 2**63] * 1000, np.uint64),
    "": RNG.random(10_000),
}


def part_of(path, name):
    return next(part for part in storage.read(path).parts if part.name == name)


def test_each_array_is_encoded_by_what_makes_it_smallest_and_comes_back(path):
    storage.write(path, {}, ARRAYS)
    stored = storage.read(path, verify=True)
    for name, values in ARRAYS.items():
        part = part_of(path, name)
        assert part.encoding == {"extremes": part.encoding}.get(name, name.split(" ")[0])
        assert (part.length < 0.8 * values.nbytes) == (name != "")
        assert stored.arrays[name].dtype == values.dtype
        assert stored.arrays[name].tobytes() == values.tobytes()
        assert not stored.arrays[name].flags.writeable


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=5), st.sampled_from(["u4", "i4", "f4", "u2"]))
def test_repeated_numbers_come_back_whatever_their_bits(tmp_path_factory, numbers, dtype):
    path = tmp_path_factory.mktemp("blocks") / "x.hott"
    values = np.tile(np.array(numbers, np.uint32).view(dtype), 200)
    storage.write(path, {}, {"values": values})
    assert part_of(path, "values").encoding
    assert storage.read(path).arrays["values"].tobytes() == values.tobytes()


def test_arrays_that_grow_and_pieces_of_matrices_are_encoded_alike(path):
    values = ARRAYS["delta"]
    storage.write(path, {}, {"whole": values, "grown": iter(np.array_split(values, 7))})
    whole, grown = part_of(path, "whole"), part_of(path, "grown")
    assert (whole.checksums, whole.blocks, whole.encoding) == (grown.checksums, grown.blocks, grown.encoding)
    assert len(whole.blocks) == 3


def test_every_flipped_byte_of_a_block_is_noticed(path):
    storage.write(path, {}, {"zeros": np.zeros(500)})
    part, content = part_of(path, "zeros"), path.read_bytes()
    for place in range(part.offset, part.offset + 64 * -(-part.length // 64)):
        damaged = bytearray(content)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        with pytest.raises(StorageError, match="'zeros' is damaged: its bytes from 0 on"):
            storage.read(path).arrays["zeros"]


def test_zeros_are_padded_so_that_any_array_can_be_read(path):
    zeros = np.zeros(5 * CHUNK, np.uint8)
    storage.write(path, {}, {"zeros": zeros})
    assert part_of(path, "zeros").length == len(zeros) // MAX_SWELLING
    np.testing.assert_array_equal(storage.read(path).arrays["zeros"], zeros)


@pytest.mark.parametrize(
    "change",
    [
        {"shape": [1 << 40]},  # more than the blocks can hold
        {"shape": [1 << 20]},
        {"shape": [500 + (CHUNK >> 3)]},
        {"shape": [501], "blocks": [62, 1]},
        {"blocks": []},
        {"blocks": [1]},
        {"blocks": [-1, 64]},
        {"blocks": ["63"]},
        {"encoding": "lzma"},
        {"encoding": ["delta"]},
        {"encoding": "delta"},  # which is for whole numbers
        {"encoding": ""},
        {"dtype": "|u1", "shape": [4000], "encoding": "shuffle"},
        {"checksums": []},
    ],
)
def test_blocks_that_do_not_fit_the_array_are_refused_when_the_file_is_opened(path, change):
    storage.write(path, {}, {"zeros": np.zeros(500)})
    rewrite_header(path, lambda header: header["parts"][0].update(change))
    with pytest.raises(StorageError, match=f"Cannot open {path}"):
        storage.read(path)


@pytest.mark.parametrize("plain", [b"\0" * 10_000_000, b"\0" * 7999, b"", None])
def test_a_block_that_holds_more_or_less_than_it_tells_is_refused(path, plain):
    """The bytes that come out are bounded by the shape, whatever went in."""
    storage.write(path, {}, {"zeros": np.zeros(1000), "noise": RNG.integers(0, 256, 20_000, np.uint8)})
    part, content = part_of(path, "zeros"), bytearray(path.read_bytes())
    forged = b"no zlib at all" if plain is None else zlib.compress(plain, 9)
    room = 64 * -(-part.length // 64) + 20_000
    assert len(forged) <= room
    stored = forged.ljust(max(part.length, len(forged)), b"\0")
    padded = stored.ljust(64 * -(-len(stored) // 64), b"\0")
    content[part.offset : part.offset + len(padded)] = padded
    path.write_bytes(content)

    def forge(header):
        header["parts"] = header["parts"][:1]
        header["parts"][0].update(length=len(stored), blocks=[len(stored)], checksums=[zlib.crc32(padded)])

    rewrite_header(path, forge)
    with pytest.raises(StorageError, match="'zeros' cannot be read"):
        storage.read(path).arrays["zeros"]


def test_texts_cannot_be_encoded_twice(path):
    storage.write(path, {}, {}, {"documents": storage.Table.of({"text": ["a" * 1000] * 200})})

    def forge(header):
        part = next(part for part in header["parts"] if part["name"] == "documents.0.texts")
        part.update(encoding="deflate", blocks=[part["length"]])

    rewrite_header(path, forge)
    with pytest.raises(StorageError, match="'documents' is not made of the parts that its columns tell"):
        storage.read(path)
