"""What every request passes through: who may ask, how much, and what an answer lets the browser do."""

import asyncio
import hmac
import json
import logging
from collections.abc import Iterable
from urllib.parse import parse_qs, urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_log = logging.getLogger("hott.explorer")

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
NOTEBOOKS = "http://localhost:* http://127.0.0.1:*"
MAX_BODY = 1_000_000  # bytes
MAX_BODY_SECONDS = 20.0  # seconds: someone who sends a byte now and then would keep a connection for ever

# Scripts and styles only from this server, none inline and none made from text.
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
_COOKIE = "hott"
_HEADERS = [
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]


class Guard:
    """Wraps an application: checks each request before it gets there, and each answer before it leaves.

    Parameters
    ----------
    app : ASGI application
    hosts : names and addresses under which the server may be asked
        A page elsewhere can have its own name point to this machine (DNS rebinding); its requests then carry
        that name in their Host header, and are refused.
    token : str or None
        What every request must show: in its address, which the page is opened with, or in the cookie that it
        is given then. With a token the server may be asked under any name: another page has no such cookie.
    framed : bool
        Whether a notebook of this machine may show the page in a frame; no other page may.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Iterable[str] = LOOPBACK,
        token: str | None = None,
        framed: bool = False,
    ) -> None:
        self.app, self.token, self.headers = app, token, _HEADERS
        if framed:
            policy = CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'", f"frame-ancestors {NOTEBOOKS}")
            kept = [pair for pair in _HEADERS[1:] if pair[0] != b"x-frame-options"]
            self.headers = [(_HEADERS[0][0], policy.encode()), *kept]
        self.hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":  # there are no web sockets here
            return await send({"type": "websocket.close", "code": 1008})
        started = False
        cookie: list[tuple[bytes, bytes]] = []

        async def send_guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = [*message.get("headers", []), *self.headers, *cookie]
            await send(message)

        headers = {name.lower(): value for name, value in scope["headers"]}
        if self.token is not None:
            if not _shows_token(self.token, scope, headers):
                return await refuse(send_guarded, 401, "Open the page by the address that has its token.")
            cookie = [(b"set-cookie", f"{_COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/".encode())]
        elif _host_name(headers.get(b"host", b"")) not in self.hosts:
            return await refuse(
                send_guarded, 421, "This server answers only under the address that it was started with."
            )
        if scope["path"].startswith("/api/"):
            if not _is_from_here(headers):
                return await refuse(send_guarded, 403, "Pages of other sites may not ask here.")
            if scope["method"] == "POST" and not _is_json(headers):
                return await refuse(send_guarded, 415, "The body must be application/json, and say so.")
        try:
            async with asyncio.timeout(MAX_BODY_SECONDS):
                body = await _body(headers, receive)
        except TimeoutError:
            return await refuse(
                send_guarded, 408, f"A request must be complete within {MAX_BODY_SECONDS:.0f} seconds."
            )
        except ConnectionResetError:  # nobody is there to be answered
            return None
        if body is None:
            return await refuse(send_guarded, 413, f"A request may have at most {MAX_BODY:,} bytes.")
        try:
            await self.app(scope, _replay(body, receive), send_guarded)
        except Exception:
            _log.exception("%s %s failed", scope["method"], scope["path"])
            if not started:
                await refuse(send_guarded, 500, "Something went wrong here. The server's log says what.")


def _shows_token(token: str, scope: Scope, headers: dict[bytes, bytes]) -> bool:
    """Say whether a request has the token, in its address or in its cookie.

    Examples
    --------
    >>> _shows_token("t", {"query_string": b"token=t"}, {}), _shows_token("t", {}, {b"cookie": b"hott=t"})
    (True, True)
    >>> _shows_token("t", {"query_string": b"token=u"}, {})
    False
    """
    shown = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [])
    pairs = (part.strip().partition("=") for part in headers.get(b"cookie", b"").decode("latin-1").split(";"))
    shown += [value for name, _, value in pairs if name == _COOKIE]
    return any(hmac.compare_digest(one.encode(), token.encode()) for one in shown)


def _host_name(header: bytes) -> str:
    """Return the name in a Host header, without the port.

    Examples
    --------
    >>> _host_name(b"localhost:8000"), _host_name(b"[::1]:8000"), _host_name(b"a@b")
    ('localhost', '::1', '')
    """
    try:
        parts = urlsplit("//" + header.decode("ascii"))
        parts.port  # noqa: B018  raises for what is not a number
    except ValueError:
        return ""
    if parts.path or parts.query or parts.fragment or "@" in parts.netloc:
        return ""
    return parts.hostname or ""


def _is_from_here(headers: dict[bytes, bytes]) -> bool:
    """Say whether a request may come from our own page, or from no page at all.

    Browsers say which page has sent a request: in Origin wherever the answer could be misused, and in
    Sec-Fetch-Site, which calls another port of this host "same-site".

    Examples
    --------
    >>> host = {b"host": b"localhost:8642"}
    >>> _is_from_here(host), _is_from_here({**host, b"origin": b"http://localhost:8642"})
    (True, True)
    >>> _is_from_here({**host, b"origin": b"http://localhost:3000"})
    False
    """
    if headers.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin"):
        return False
    origin = headers.get(b"origin")
    return origin is None or origin.partition(b"://")[2].lower() == headers[b"host"].lower()


def _is_json(headers: dict[bytes, bytes]) -> bool:
    """Say whether the body is declared to be JSON, which a form on another page can never do."""
    return headers.get(b"content-type", b"").partition(b";")[0].strip().lower() == b"application/json"


async def _body(headers: dict[bytes, bytes], receive: Receive) -> bytes | None:
    """Read the whole body, or return None as soon as it is known to be too large."""
    length = headers.get(b"content-length", b"0")
    if not length.isdigit() or int(length[:20]) > MAX_BODY:
        return None
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionResetError
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MAX_BODY:
            return None
        more = message.get("more_body", False)
    return b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a ``receive`` that first gives a body that has been read already."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def refuse(send: Send, status: int, message: str) -> None:
    """Answer with a message, and end the connection."""
    content = json.dumps({"message": message}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(content)).encode()),
        (b"connection", b"close"),  # a body may be still to come: the next request would be taken for it
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
