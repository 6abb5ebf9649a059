"""Nothing that a document, a request or another site may contain does harm."""

import asyncio
import contextlib
import json
import logging
import re
import socket
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import httpx
import pytest

fastapi = pytest.importorskip("fastapi.testclient")

from hott.explorer import create_app  # noqa: E402
from hott.explorer.security import MAX_BODY, Guard  # noqa: E402
from tests.explorer.conftest import HOSTILE, serving  # noqa: E402


@pytest.fixture(scope="module")
def client(hostile, cache):
    with fastapi.TestClient(create_app(hostile, cache=cache), base_url="http://localhost") as client:
        yield client


def check_problem(response, status):
    assert response.status_code == status
    assert response.headers["content-type"] == "application/json"
    assert list(response.json()) == ["message"]
    assert "Traceback" not in response.text
    assert 'File "' not in response.text
    return response.json()["message"]


@pytest.mark.parametrize("path", ["/", "/static/app.js", "/api/corpus", "/api/nothing", "/api/map"])
def test_every_answer_carries_the_policy(client, path):
    headers = client.get(path).headers
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers


def test_no_script_or_style_stands_in_the_page(client):
    text = client.get("/").text
    assert text.count("<script") == len(re.findall("<script [^>]*src=", text)) == 1
    assert "<style" not in text
    assert "style=" not in text
    assert " on" + "click=" not in text


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.nip.io",
        "evil@localhost",
        "localhost:x",
        "",
        "localhost/a",
    ],
)
def test_other_host_names_are_refused(client, host):
    for path in ("/", "/api/corpus"):
        check_problem(client.get(path, headers={"host": host}), 421)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1:8642", "[::1]:8642"])
def test_own_host_names_are_answered(client, host):
    assert client.get("/api/corpus", headers={"host": host}).status_code == 200


def test_other_sites_may_not_ask(client):
    check_problem(client.get("/api/corpus", headers={"sec-fetch-site": "cross-site"}), 403)
    assert (
        client.get("/", headers={"sec-fetch-site": "cross-site"}).status_code == 200
    )  # a link may lead here
    assert client.get("/api/corpus", headers={"sec-fetch-site": "same-origin"}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://localhost:3000"},  # another port is another site, though "same-site" to a browser
        {"origin": "null"},
        {"origin": "https://evil.example"},
        {"origin": "http://localhost.evil.example"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_pages_of_other_ports_and_hosts_may_not_ask(client, headers):
    """Checked here, whatever the version of FastAPI makes of a body without a type."""
    for type in ("application/json", "text/plain"):
        told = {**headers, "content-type": type}
        check_problem(client.post("/api/topics", content='{"kind": "undo"}', headers=told), 403)
    check_problem(client.get("/api/corpus", headers=headers), 403)


def test_a_body_must_be_said_to_be_json(client):
    for type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=json", ""):
        told = {"content-type": type, "origin": "http://localhost"}
        check_problem(client.post("/api/search", content='{"text": "stars"}', headers=told), 415)
    told = {"content-type": "Application/JSON; charset=utf-8", "origin": "http://localhost"}
    assert client.post("/api/search", content='{"text": "stars"}', headers=told).status_code == 200


def test_large_requests_are_refused(client):
    json_type = {"content-type": "application/json"}
    body = json.dumps({"text": "x" * MAX_BODY}).encode()
    check_problem(client.post("/api/search", content=body, headers=json_type), 413)
    in_pieces = (body[i : i + 50_000] for i in range(0, len(body), 50_000))  # without a Content-Length
    check_problem(client.post("/api/search", content=in_pieces, headers=json_type), 413)
    check_problem(client.post("/api/search", json={"text": "y" * 300_000}), 422)


def test_a_request_may_have_just_a_million_bytes(client):
    """With and without a Content-Length; what is let through is refused later, as no JSON."""
    for size, status in ((MAX_BODY, 422), (MAX_BODY + 1, 413)):
        for body in (b"x" * size, iter([b"x" * (size - 1), b"x"])):
            headers = {"content-type": "application/json"}
            check_problem(client.post("/api/search", content=body, headers=headers), status)


def test_who_answers_gets_the_body_once_and_then_hears_that_the_client_has_gone():
    heard, coming = [], iter([{"type": "http.request", "body": b"{}"}, {"type": "http.disconnect"}])

    async def receive():
        return next(coming)

    async def app(scope, receive, send):
        heard.extend([await receive(), await receive()])

    scope = {"type": "http", "method": "GET", "path": "/api/search", "headers": [(b"host", b"localhost")]}
    with ThreadPoolExecutor(1) as pool:  # a browser of another test may have an event loop in this thread
        pool.submit(asyncio.run, Guard(app)(scope, receive, None)).result()
    assert [(message["type"], message.get("body")) for message in heard] == [
        ("http.request", b"{}"),
        ("http.disconnect", None),
    ]


def connected(address):
    url = httpx.URL(address)
    return socket.create_connection((url.host, url.port), timeout=60)


HEAD = b"POST /api/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def test_a_body_that_does_not_come_is_not_waited_for(hostile, cache, monkeypatch):
    monkeypatch.setattr("hott.explorer.security.MAX_BODY_SECONDS", 0.5)
    with serving(hostile, cache) as address:
        for begun in (b"", b'{"text": '):
            with connected(address) as client:
                client.sendall(HEAD + b"Content-Length: 20\r\n\r\n" + begun)
                answer = b"".join(iter(lambda: client.recv(4096), b""))  # until the server closes
            assert answer.startswith(b"HTTP/1.1 408 ")
            assert b"must be complete within" in answer
        with connected(address) as client:  # a byte now and then does not help
            client.sendall(HEAD + b"Content-Length: 2000\r\n\r\n")
            client.settimeout(0.1)
            answer = b""
            for _ in range(600):
                with contextlib.suppress(TimeoutError, BrokenPipeError, ConnectionResetError):
                    client.sendall(b" ")
                    answer += client.recv(4096)
                if answer:
                    break
        assert answer.startswith(b"HTTP/1.1 408 ")


def test_after_a_refusal_nothing_more_is_waited_for(hostile, cache):
    """The body of a refused request may not come at all; what comes next would be taken for it."""
    refused = {
        421: HEAD.replace(b"localhost", b"evil.example"),
        403: HEAD + b"Sec-Fetch-Site: cross-site\r\n",
        413: HEAD,
    }
    with serving(hostile, cache) as address:
        for status, head in refused.items():
            with connected(address) as client:
                client.sendall(head + b"Content-Length: 10000000\r\n\r\n{")
                answer = client.recv(4096)
                with contextlib.suppress(ConnectionError):  # until the server closes
                    client.sendall(b"GET /api/corpus HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    answer += b"".join(iter(lambda: client.recv(4096), b""))
            assert answer.startswith(f"HTTP/1.1 {status} ".encode())


def test_a_request_that_breaks_off_is_not_answered(hostile, cache, monkeypatch, caplog):
    asked = []
    monkeypatch.setattr("hott.index.Index.search", lambda *_, **__: asked.append(1))
    with caplog.at_level(logging.ERROR), serving(hostile, cache) as address:
        with connected(address) as client:
            client.sendall(HEAD + b"Content-Length: 200\r\n\r\n" + b'{"text": "stars"}')
        assert httpx.get(f"{address}api/corpus").status_code == 200
    assert not asked
    assert not caplog.records


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/..%2fserver.py",
        "/static/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/static//etc/passwd",
        "/static/..\\server.py",
        "/static/%00",
        "/api/documents/../../../etc/shadow",
        "/api/documents/%2fetc%2fshadow",
    ],
)
def test_paths_lead_nowhere(client, path):
    message = check_problem(client.get(path), 404)
    assert "import" not in message
    assert "root:" not in message


def test_hostile_ids_are_found_and_come_back_as_they_are(hostile, cache):
    with serving(hostile, cache) as address, httpx.Client(base_url=address) as client:
        for id, text in HOSTILE.items():
            document = client.get(f"/api/documents/{quote(id, safe='')}").json()
            assert document["id"] == id
            assert document["text"] == text
            assert client.get("/api/search", params={"id": id}).json()["hits"][0]["id"] == id
            assert client.get("/api/compare", params={"a": id, "b": "../../etc/passwd"}).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "options", "status"),
    [
        ("GET", "/api/compare", {"params": {"a": "nobody", "b": "../../etc/passwd"}}, 404),
        ("GET", "/api/compare", {}, 422),
        ("GET", "/api/topics", {"params": {"model": 99}}, 422),
        ("GET", "/api/documents", {"params": {"topic": 10**30}}, 422),
        ("GET", "/api/documents", {"params": {"words": "((("}}, 200),
        ("POST", "/api/search", {"json": {}}, 422),
        ("POST", "/api/search", {"json": {"text": "stars", "id": "x"}}, 422),
        ("POST", "/api/search", {"json": {"text": "xqzvk wqqpt"}}, 422),
        ("POST", "/api/search", {"json": {"text": "stars", "k": 0}}, 422),
        ("POST", "/api/search", {"content": b"{", "headers": {"content-type": "application/json"}}, 422),
        (
            "POST",
            "/api/search",
            {"content": b'{"text": "\\ud800"}', "headers": {"content-type": "application/json"}},
            422,
        ),
        (
            "POST",
            "/api/search",
            {"content": b"\xff\xfe", "headers": {"content-type": "application/json"}},
            422,
        ),
        ("DELETE", "/api/corpus", {}, 405),
        ("PUT", "/api/documents/x", {"json": {}}, 405),
        ("GET", "/nothing", {}, 404),
    ],
)
def test_errors_are_json_with_a_message(client, method, path, options, status):
    response = client.request(method, path, **options)
    assert response.status_code == status
    if status != 200:
        assert check_problem(response, status)


def test_a_failure_of_ours_shows_no_more_than_that(hostile, cache, monkeypatch, caplog):
    app = create_app(hostile, cache=cache)
    monkeypatch.setattr(hostile, "search", lambda *_, **__: 1 / 0)
    with fastapi.TestClient(app, base_url="http://localhost") as client, caplog.at_level(logging.ERROR):
        response = client.post("/api/search", json={"text": "stars"})
    message = check_problem(response, 500)
    assert "division" not in message
    assert "content-security-policy" in response.headers
    assert "ZeroDivisionError" in caplog.text
