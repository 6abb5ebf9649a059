"""Index files at addresses that fsspec knows: fetched once, fetched again when they change."""

import http.server
import os
import sys
import threading
from pathlib import Path

import pytest

import hott
from hott.cli.app import run
from hott.utils import cache as cached_files
from tests.themes import made_index

fsspec = pytest.importorskip("fsspec")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HOTT_CACHE", str(tmp_path / "cache"))
    yield tmp_path / "cache" / "files"
    files = fsspec.filesystem("memory")
    if files.exists("/bucket"):
        files.rm("/bucket", recursive=True)


@pytest.fixture(scope="module")
def index():
    return made_index()


def test_an_index_is_saved_to_an_address_and_opened_from_it(index, cache):
    address = "memory://bucket/x.hott"
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
    monkeypatch.setattr("hott.index.persist._model_to_parts", lambda *given: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        index.with_documents(index.documents[:5]).save("memory://bucket/x.hott")
    assert len(hott.open("memory://bucket/x.hott")) == len(index)


def test_a_file_of_this_machine_is_opened_where_it_is(index, cache, tmp_path, capsys):
    address = f"file://{tmp_path}/x.hott"
    index.save(address)
    assert len(hott.open(tmp_path / "x.hott")) == len(hott.open(address)) == len(index)
    assert run(["search", address, "planet"]) == 0
    assert not cache.exists()


@pytest.fixture
def web(tmp_path):
    """A web server: its files, what it says of them, and which requests came."""
    pytest.importorskip("aiohttp")
    files, headers, requests = {}, {}, []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            requests.append((self.command, self.path))
            content = files.get(self.path)
            if isinstance(content, int) or content is None:
                self.send_error(content or 404)
                return
            self.send_response(200)
            for name, value in {"Content-Length": str(len(content)), **headers.get(self.path, {})}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content)

        do_HEAD = do_GET

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", files, headers, requests
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("validator", ["ETag", "Last-Modified", "size"])
def test_an_index_on_the_web_is_fetched_again_when_it_has_changed(index, cache, web, tmp_path, validator):
    address, files, headers, requests = web
    index.save(tmp_path / "x.hott")
    index.with_documents(index.documents[:5]).save(tmp_path / "y.hott")
    for number, name in enumerate(["x.hott", "x.hott", "y.hott"]):
        files["/x.hott"] = (tmp_path / name).read_bytes()
        if validator != "size":
            headers["/x.hott"] = {validator: f"Wed, 0{1 + number // 2} Jan 2025 00:00:00 GMT"}
        assert len(hott.open(f"{address}/x.hott")) == (5 if name == "y.hott" else len(index))
    assert requests.count(("GET", "/x.hott")) == 2  # not for the second time
    assert len(list(cache.iterdir())) == 1


def test_a_wrong_page_is_not_kept(index, cache, web, tmp_path):
    """A hotel's welcome, say, with a length of its own or not."""
    address, files, _, _ = web
    files["/x.hott"] = b"<html>Please log in</html>"
    with pytest.raises(hott.storage.StorageError, match=rf"Cannot open {address}/x.hott"):
        hott.open(f"{address}/x.hott")
    assert not list(cache.iterdir())
    index.save(tmp_path / "x.hott")
    files["/x.hott"] = (tmp_path / "x.hott").read_bytes()
    assert len(hott.open(f"{address}/x.hott")) == len(index)


@pytest.mark.parametrize(
    ("status", "told"), [(500, "answered with 500"), (403, "answered with 403"), (404, "no file")]
)
def test_errors_of_a_web_server_are_one_line(cache, web, capsys, status, told):
    address, files, _, _ = web
    files["/x.hott"] = status
    assert run(["info", f"{address}/x.hott"]) == 1
    message = capsys.readouterr().err
    assert told in message
    assert address in message
    assert message.count("\n") == 1


def test_a_server_that_is_not_there_is_told_in_one_line(cache, capsys):
    pytest.importorskip("aiohttp")
    assert run(["info", "http://127.0.0.1:9/x.hott"]) == 1
    message = capsys.readouterr().err
    assert "Cannot fetch http://127.0.0.1:9/x.hott" in message
    assert message.count("\n") == 1


def test_the_cache_shrinks(tmp_path, monkeypatch):
    monkeypatch.setattr(cached_files, "MAX_BYTES", 25)
    day = 24 * 3600
    now = os.stat(tmp_path).st_mtime
    for name, days in {"new": 0, "used": 0.5, "week": 7, "fortnight": 14, "old": 31}.items():
        path = tmp_path / f"{name}.hott"
        path.write_bytes(b"x" * 10)
        os.utime(path, (now - days * day, now - 40 * day))
    (tmp_path / "other.npy").write_bytes(b"x" * 100)
    cached_files.shrink(tmp_path, "*.hott")
    assert {path.name for path in tmp_path.iterdir()} == {"new.hott", "used.hott", "other.npy"}
    monkeypatch.setattr(cached_files, "MAX_BYTES", 5)
    cached_files.shrink(tmp_path, "*.hott")  # what is in use stays, however large
    assert (tmp_path / "used.hott").exists()


def test_one_folder_for_all_that_is_kept(monkeypatch, tmp_path, index):
    monkeypatch.setenv("HOTT_CACHE", str(tmp_path / "own"))
    index.save("memory://bucket/kept.hott")
    hott.open("memory://bucket/kept.hott")
    assert len(list((tmp_path / "own" / "files").iterdir())) == 1
    monkeypatch.setenv("HOTT_CACHE", "")
    for given in ("", "relative/folder"):
        monkeypatch.setenv("XDG_CACHE_HOME", given)
        assert cached_files.cache_folder().is_absolute()
        assert cached_files.cache_folder().is_relative_to(Path.home())
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert cached_files.cache_folder() == tmp_path / "hott" / "cache"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cached_files.cache_folder() == Path.home() / "Library" / "Caches" / "hott"
