"""A file is saved whole or not at all."""

import itertools
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from hott import storage
from hott.storage import Table
from tests.storage.files import documents, write_small


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
def test_a_full_disk_leaves_the_old_file(path, parts, python):
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
    run = subprocess.run([python, "-c", code, path], capture_output=True, text=True, check=True)
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
