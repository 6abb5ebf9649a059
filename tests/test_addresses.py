"""Index files at addresses that fsspec knows: fetched once, fetched again when they change."""

import pytest

import hott
from tests.themes import made_index

fsspec = pytest.importorskip("fsspec")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield tmp_path / "cache" / "hott" / "files"
    files = fsspec.filesystem("memory")
    if files.exists("/bucket"):
        files.rm("/bucket", recursive=True)


@pytest.fixture(scope="module")
def index():
    return made_index()


@pytest.mark.parametrize("root", ["memory://bucket", "file://{}"])
def test_an_index_is_saved_to_an_address_and_opened_from_it(index, cache, tmp_path, root):
    address = f"{root.format(tmp_path)}/x.hott"
    index.save(address)
    opened = hott.open(address, verify=True)
    assert opened.search("planet", k=5) == index.search("planet", k=5)
    [copy] = cache.iterdir()
    same = copy.stat().st_mtime_ns
    hott.open(address)
    assert copy.stat().st_mtime_ns == same  # not fetched again
    index.with_documents(index.documents[:5]).save(address)
    assert len(hott.open(address)) == 5
    assert len(list(cache.iterdir())) == 1  # the old copy is gone,
    assert opened.documents[3] == index.documents[3]  # but for those who read it


def test_what_is_not_there_or_no_index_is_told(cache):
    with pytest.raises(FileNotFoundError, match=r"There is no file memory://bucket/none.hott"):
        hott.open("memory://bucket/none.hott")
    fsspec.filesystem("memory").pipe("/bucket/bad.hott", b"something else than an index")
    with pytest.raises(hott.storage.StorageError, match=r"Cannot open memory://bucket/bad.hott"):
        hott.open("memory://bucket/bad.hott")


def test_an_upload_that_fails_leaves_what_was_there(index, cache, monkeypatch):
    index.save("memory://bucket/x.hott")
    monkeypatch.setattr(type(index), "topic_names", property(lambda self: 1 / 0))
    with pytest.raises(ZeroDivisionError):
        index.with_documents(index.documents[:5]).save("memory://bucket/x.hott")
    assert len(hott.open("memory://bucket/x.hott")) == len(index)
