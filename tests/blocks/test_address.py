"""Where results are put: what is begun there, and what an error of its file system says."""

import errno
from pathlib import Path

import pytest

from hott.blocks.address import Address, saving_to


def test_a_result_elsewhere_of_which_only_the_last_file_is_missing_is_begun_anew():
    pytest.importorskip("fsspec")
    address = Address.of("memory://nearly-begun/g.zarr")
    address.write("first", b"half")
    new = {"about.json": b'{"hott": {"holds": "graph", "fingerprint": "these"}}', "first": b"whole"}
    assert address.open_or_create("about.json", new, "graph", "these") == {
        "holds": "graph",
        "fingerprint": "these",
    }
    assert address.read("first") == b"whole"


def test_a_file_of_a_folder_has_an_address():
    assert Address.of("memory://here/g.zarr/").of_file("a/b") == "memory://here/g.zarr/a/b"
    folder = Path("here", "g.zarr").absolute()
    assert Path(Address.of(folder).of_file("a")) == folder / "a"


@pytest.mark.parametrize(
    ("error", "said"),
    [(OSError(errno.ENOSPC, "?"), "No space left on device"), (OSError("no such bucket"), "no such bucket")],
)
def test_an_error_says_what_was_saved_and_what_is_kept(error, said):
    address = Address.of("memory://here/D.npy")
    told = pytest.raises(OSError, match=f"save to {address.name}: {said}. Finished blocks are kept")
    with told, saving_to(address):
        raise error
