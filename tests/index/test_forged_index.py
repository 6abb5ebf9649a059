"""A file that was forged, or changes while it is open: a StorageError, never a crash, never gigabytes."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import hott
from hott.storage import StorageError, Table
from tests.storage.files import rewrite_header


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    rng = np.random.default_rng(0)
    words = [f"word{i}" for i in range(20)]
    vectors = hott.embeddings.WordVectors(words, rng.normal(size=(20, 3)))
    texts = [" ".join(rng.choice(words, 20)) for _ in range(8)]
    index = hott.Index.build(texts, n_topics=3, n_models=2, iterations=5, embeddings=vectors)
    path = tmp_path_factory.mktemp("forged") / "sound.hott"
    index.save(path)
    return path


@pytest.fixture
def path(saved, tmp_path):
    (tmp_path / "x.hott").write_bytes(saved.read_bytes())
    return tmp_path / "x.hott"


def rewritten(path, **arrays):
    """The same file with other arrays, as someone with the library can write it."""
    stored = hott.storage.read(path)
    parts = {name: arrays.get(name, stored.arrays[name]) for name in stored.arrays}
    tables = {name: arrays.get(name) or stored.tables[name].read() for name in stored.tables}
    hott.storage.write(path, stored.header, parts, tables)


# -- while it is open ------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be written over there")
@pytest.mark.parametrize("verify", [False, True])
@pytest.mark.parametrize("damage", ["cut short", "zeros", "another"])
def test_a_file_changed_in_place_does_not_bring_down_who_has_it_open(path, verify, damage, python):
    """In a process of its own: what is tested against is a signal that kills it (SIGBUS, SIGSEGV)."""
    code = """
import sys, hott
index = hott.open(sys.argv[1], verify=sys.argv[2] == "True")
before = index.distances(threads=1)
with open(sys.argv[1], "rb+") as file:
    if sys.argv[3] == "cut short":
        file.truncate(100)
    else:
        content = file.read()
        file.seek(0)
        file.write(bytes(len(content)) if sys.argv[3] == "zeros" else content[64:] + content[:64])
import os
os.utime(sys.argv[1], ns=(0, 0))
assert (index.distances(threads=1) == before).all()
for ask in (lambda: index.search("word1 word2"), lambda: index.compare("0", "1"), lambda: index.documents[3]):
    try:
        ask()
        print("answered")
    except hott.storage.StorageError as error:
        print("refused" if "was written to while it was open" in str(error) else error)
"""
    arguments = [python, "-c", code, path, str(verify), damage]
    run = subprocess.run(arguments, capture_output=True, text=True)
    assert (run.returncode, run.stdout.split()) == (0, ["refused"] * 3), run.stderr


def test_an_open_index_can_be_pickled(path):
    index = hott.open(path)
    again = pickle.loads(pickle.dumps(index))
    assert again.search("word1 word2", k=3) == index.search("word1 word2", k=3)
    assert list(again.documents) == list(index.documents)
    assert len(pickle.dumps(index.documents)) < 1000  # by the path of the file, not the texts


# -- forged ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header.pop("version"),
        lambda header: header.update(version="new"),
        lambda header: header.pop("models"),
        lambda header: header.update(models=3),
        lambda header: header["models"].pop(),
        lambda header: header["models"][0].pop("seed"),
        lambda header: header["models"][0].update(seed=-1),
        lambda header: header["models"][0].update(seed=2**63),
        lambda header: header["models"][0].update(inference=[]),
        lambda header: header.pop("distance"),
        lambda header: header["distance"].update(p=[]),
        lambda header: header.pop("vocabulary"),
        lambda header: header["vocabulary"].update(stem="klingon"),
        lambda header: header["vocabulary"].update(stop_words=3, stem=True),
        lambda header: header.pop("parameters"),
        lambda header: header.update(parameters={}),
        lambda header: header["parameters"].update(stop_words=[3]),
        lambda header: header["parameters"].update(stop_words=True),
        lambda header: header["topic_names"][1].pop(),
        lambda header: header["others"][0].update(parts=0),
        lambda header: header["others"][0].update(kind="Klingon"),
        lambda header: header.update(factors=[0, 0]),
        lambda header: header.update(scale=0),
        lambda header: header.update(dropped=None),
    ],
)
def test_a_forged_header_is_a_storage_error(path, change):
    rewrite_header(path, lambda file: change(file["header"]))
    with pytest.raises(StorageError):
        hott.open(path)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("known", lambda known: known + 1),
        ("known", lambda known: known[::-1]),
        ("known", lambda known: known[:-1]),
        ("known", lambda known: known.astype(float)),
        ("word_counts", lambda counts: counts[:-1]),
        ("alpha.0", lambda alpha: alpha[:2]),
        ("topic_counts.0", lambda counts: counts[:, :2]),
        ("topic_counts.0", lambda counts: -counts),
        ("topic_distances.1", lambda distances: distances * np.nan),
        ("topic_distances.1", lambda distances: -distances),
        ("word_vectors", lambda vectors: vectors[:-1]),
        ("word_vectors", lambda vectors: vectors * np.inf),
        ("proportions.0.sizes", lambda sizes: sizes[:-1]),
        ("proportions.0.sizes", lambda sizes: np.roll(sizes, 1)),
        ("proportions.0.sizes", lambda sizes: sizes * 0),
        ("proportions.0.sites", lambda sites: sites + 100),
        ("proportions.0.sites", lambda sites: sites[::-1]),
        ("proportions.0.sites", lambda sites: sites.astype(np.int32)),
        ("proportions.1.masses", lambda masses: masses // 2),
        ("proportions.1.masses", lambda masses: masses.astype(np.int32)),
        ("proportions.1.masses", lambda masses: masses[:-1]),
        ("postings.starts", lambda starts: np.r_[starts[:2], starts[-1], starts[3:]]),
        ("postings.starts", lambda starts: starts[:-1]),
        ("postings.counts", lambda counts: counts[:-1]),
        ("postings.counts", lambda counts: counts - 1),
        ("postings.lengths", lambda lengths: -lengths),
        ("words", lambda words: words.part(1, len(words))),
        ("words", lambda words: Table({"term": words["word"]})),
        ("words", lambda words: Table.of({"word": [None, *words["word"].tolist()[1:]]})),
        ("all_words", lambda words: Table.of({"word": [None, *words["word"].tolist()[1:]]})),
        ("documents", lambda documents: documents.part(1, len(documents))),
        ("documents", lambda documents: documents.select(["id", "title", "text"])),
    ],
)
def test_parts_that_do_not_fit_each_other_are_a_storage_error(path, name, change):
    stored = hott.storage.read(path)
    part = stored.tables[name].read() if name in stored.tables else stored.arrays[name]
    with np.errstate(invalid="ignore"):
        rewritten(path, **{name: change(part)})
    with pytest.raises(StorageError):  # at the latest when it is used
        hott.open(path).search("word1 word2")


@pytest.mark.parametrize("column", ["id", "title", "text"])
def test_documents_that_lack_what_all_have(path, column):
    table = hott.storage.read(path).tables["documents"].read()
    lacking = Table.of({column: [None, *table[column].tolist()[1:]]})[column]
    rewritten(path, documents=Table(table.columns | {column: lacking}))
    with pytest.raises(StorageError, match="does not hold the texts that it tells"):
        hott.open(path).documents[0]
    with pytest.raises(StorageError, match="does not hold the texts that it tells"):
        hott.open(path).search("word1", k=8)


def test_vectors_that_are_said_to_be_there_must_be_there(path):
    stored = hott.storage.read(path)
    header = stored.header | {"parameters": stored.header["parameters"] | {"bundled_vectors": True}}
    arrays = {name: stored.arrays[name] for name in stored.arrays if name != "word_vectors"}
    tables = {name: stored.tables[name].read() for name in stored.tables}
    hott.storage.write(path, header, arrays, tables)
    with pytest.raises(StorageError, match="no word vectors"):
        hott.open(path)


def test_a_matrix_of_too_many_columns_does_not_take_the_memory(path):
    """Half a billion topics of which three are used: 76 kB on the disk, gigabytes at the first search."""
    resource = pytest.importorskip("resource")
    rewrite_header(path, lambda file: file["matrices"].update({"proportions.0": [8, 2**29]}))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(StorageError):
        hott.open(path).search("word1 word2")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kB
