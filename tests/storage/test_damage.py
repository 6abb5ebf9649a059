"""Damage is noticed, and told."""

import re

import pytest

from hott import storage
from hott.storage import StorageError
from hott.storage._format import FORMAT, PREAMBLE_SIZE, Preamble
from tests.storage.files import write_small


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
    with pytest.raises(StorageError, match=f"^Cannot open {re.escape(str(path.parent))}: it is a folder"):
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
