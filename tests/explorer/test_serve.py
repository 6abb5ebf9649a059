"""The commands: which port they take, what they print, how they fail."""

import csv
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

pytest.importorskip("fastapi")

from fastapi.testclient import TestClient

import hott
from hott import explorer
from hott.cli.app import run
from hott.explorer.launch import PORT, Connection, listen
from tests.explorer.conftest import serving


@pytest.fixture(scope="module")
def index_file(index, tmp_path_factory):
    path = tmp_path_factory.mktemp("index") / "some articles.hott"
    index.save(path)
    return path


def test_another_port_is_chosen_when_the_usual_one_is_taken():
    with listen("127.0.0.1", None) as first, listen("127.0.0.1", None) as second:
        assert first.getsockname()[0] == second.getsockname()[0] == "127.0.0.1"
        assert first.getsockname()[1] != second.getsockname()[1] != PORT
        with pytest.raises(ValueError, match="is taken"):
            listen("127.0.0.1", second.getsockname()[1])


@pytest.mark.parametrize(
    "host", ["0", "0x0", "0.0", "00", "0.0.0.0", "", "::", "::0", "0:0:0:0:0:0:0:0", "::ffff:0.0.0.0"]
)
def test_every_way_to_write_every_address_is_refused(host):
    with pytest.raises(ValueError, match=r"host must be the one address|Cannot listen on"):
        listen(host, None)


def test_names_that_no_host_has():
    for host in ("a\0b", "é" * 300, "[::]", "no such host"):
        with pytest.raises(ValueError, match="Cannot listen on"):
            listen(host, None)


def test_answers_are_not_held_back_for_an_acknowledgement():
    with listen("127.0.0.1", None) as listener:
        assert listener.proto == socket.IPPROTO_TCP  # what asyncio looks at before it sets TCP_NODELAY


def test_explore_serves_until_it_is_interrupted(index_file, cache):
    code = "from hott.cli import main; main()"
    command = [sys.executable, "-c", code, "explore", str(index_file), "--no-browser"]
    environment = {**os.environ, "HOTT_CACHE": str(cache), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        line = process.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/", line).group()
        corpus = httpx.get(f"{address}api/corpus", timeout=60).json()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) in (0, 130)
    assert (corpus["name"], corpus["documents"]) == ("some articles", 60)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at signals in /proc")
@pytest.mark.parametrize(
    "moment", ["starting in the background", "an answer that nobody reads", "a computation of an hour"]
)
def test_nothing_keeps_the_process_after_an_interrupt(index_file, tmp_path, monkeypatch, moment):
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "tools" / "campaign")
    from leaving import left

    assert left(index_file, tmp_path / "cache", moment, [signal.SIGINT]) == ""


def test_export_writes_a_site(index_file, cache, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOTT_CACHE", str(cache))
    assert run(["export", str(index_file), "-o", "site"]) == 0
    assert "site/index.html" in capsys.readouterr().out
    assert (tmp_path / "site" / "static" / "page.js").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explore", "nothing.hott"], "There is no index"),
        (["explore", "INDEX", "--no-browser", "--host", "0.0.0.0"], "host must be the one address"),
        (["explore", "INDEX", "--no-browser", "--port", "TAKEN"], "is taken"),
        (["export", "INDEX", "-o", "no/such/folder"], "There is no folder"),
    ],
)
def test_errors_are_printable(index_file, arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        places = {"INDEX": str(index_file), "TAKEN": str(taken.getsockname()[1])}
        assert run([places.get(argument, argument) for argument in arguments]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal to itself")
def test_ctrl_c_that_became_another_error_is_ctrl_c_still():
    """Pydantic does that, when it is interrupted while it builds a model."""
    code = """
import os, signal
from hott.cli.explore import ended_by_interrupt
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    with ended_by_interrupt():
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            raise TypeError("Error building a validator: KeyboardInterrupt") from None
except KeyboardInterrupt as error:
    print("interrupted:", error.__cause__)
try:
    with ended_by_interrupt():
        raise TypeError("an error")
except TypeError as error:
    print(error)
"""
    said = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert said.splitlines() == ["interrupted: Error building a validator: KeyboardInterrupt", "an error"]


def test_half_a_header_is_not_waited_for_for_ever(index, cache, monkeypatch):
    """Neither the first of a connection, nor a later one; a whole one may take as long as it likes."""
    monkeypatch.setattr("hott.explorer.launch.MAX_HEADER_SECONDS", 0.5)
    with serving(index, cache, http=Connection) as address:
        url = httpx.URL(address)
        for before in (b"", b"GET /api/corpus HTTP/1.1\r\nHost: localhost\r\n\r\n"):
            with socket.create_connection((url.host, url.port), timeout=60) as connection:
                connection.sendall(before)
                if before:
                    assert connection.recv(12) == b"HTTP/1.1 200"
                connection.sendall(b"GET / HTTP/1.1\r\nHost: local")
                while connection.recv(1 << 16):  # times out where the server waits on
                    pass


# -- documents without an index ---------------------------------------------------------------------------


def write_table(path, articles, n):
    with open(path, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["headline", "body", "section"])
        rows.writerows(zip(articles.titles[:n], articles.texts[:n], articles.labels[:n]))


def test_documents_are_indexed_once_for_their_content(articles, tmp_path):
    table = tmp_path / "reports.csv"
    write_table(table, articles, 12)
    columns = {"text": "body", "title": "headline", "label": "section"}
    file, was_known = explorer.find_index(table, cache=tmp_path / "cache", **columns)
    assert not was_known
    assert len(hott.open(file)) == 12
    table.touch()
    assert explorer.find_index(table, cache=tmp_path / "cache", **columns) == (file, True)
    write_table(table, articles, 11)
    other, was_known = explorer.find_index(table, cache=tmp_path / "cache", **columns)
    assert (other != file, was_known) == (True, False)


def test_explore_opens_a_table(articles, tmp_path):
    table = tmp_path / "reports.csv"
    write_table(table, articles, 12)
    code = "from hott.cli import main; main()"
    options = ["--text", "body", "--host", "0.0.0.0", "--token", "a-secret-token", "--no-browser"]
    command = [sys.executable, "-c", code, "explore", str(table), *options]
    environment = {**os.environ, "HOTT_CACHE": str(tmp_path / "cache"), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        line = process.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/", line).group()
        assert f"{address}?token=a-secret-token" in line
        assert httpx.get(f"{address}api/corpus", timeout=60).status_code == 401
        corpus = httpx.get(f"{address}api/corpus?token=a-secret-token", timeout=60).json()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) in (0, 130)
    assert (corpus["name"], corpus["documents"]) == ("reports", 12)


# -- a token ----------------------------------------------------------------------------------------------


def test_with_a_token_every_request_must_show_it(index, cache):
    app = explorer.create_app(index, cache=cache, token="a-secret-token")
    with TestClient(app, base_url="http://somewhere.example:8642") as client:
        for path in ("/", "/static/page.js", "/api/corpus", "/?token=another", "/?token="):
            answer = client.get(path)
            assert answer.status_code == 401
            assert "documents" not in answer.text
        opened = client.get("/?token=a-secret-token")
        assert opened.status_code == 200
        assert "HttpOnly; SameSite=Strict" in opened.headers["set-cookie"]
        assert client.get("/api/corpus").json()["documents"] == 60  # by the cookie
        foreign = {"origin": "http://elsewhere.example", "sec-fetch-site": "cross-site"}
        assert client.get("/api/corpus", headers=foreign).status_code == 403


def test_all_addresses_need_a_token():
    with listen("0.0.0.0", None, "a-secret-token") as listener:
        assert listener.getsockname()[0] == "0.0.0.0"
    with pytest.raises(ValueError, match="give a token"):
        listen("0.0.0.0", None)


@pytest.mark.parametrize("token", ["short", "with space in it", "line\nbreak-in-it", ""])
def test_a_token_fits_into_an_address(index, token):
    with pytest.raises(ValueError, match="token must have 8 to 200"):
        explorer.serve(index, token=token)
