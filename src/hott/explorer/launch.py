"""Run the server on this machine and open the page."""

import asyncio
import errno
import ipaddress
import re
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import uvicorn
from threadpoolctl import threadpool_limits
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from hott.explorer.security import LOOPBACK
from hott.explorer.server import create_app

if TYPE_CHECKING:
    from hott.index import Index

PORT = 8642
MAX_HEADER_SECONDS = 20.0
LEAVING = 1  # second that answers on their way have when the server is to end


def serve(
    index: "Index",
    *,
    name: str = "",
    host: str = "127.0.0.1",
    port: int | None = None,
    open_browser: bool = True,
    cache: Path | None = None,
    file: Path | None = None,
    token: str | None = None,
    announce: Callable[[str], None] = print,
) -> None:
    """Serve the explorer of ``index`` until interrupted.

    Parameters
    ----------
    host : str
        The address to listen on; only this machine can reach the default. All at once (0.0.0.0) need a
        ``token``.
    port : int, optional
        8642 by default, or any free one where that is taken.
    open_browser : bool
        Open the page in the browser of the user.
    file : Path, optional
        The file of the index: topics can be renamed, merged and hidden from this machine, and stay so.
    token : str, optional
        What every request must show; the address that is announced has it.
    announce : function
        Told the address of the page once it can be opened.
    """
    if token is not None and not re.fullmatch(r"[\w-]{8,200}", token, re.ASCII):
        raise ValueError("token must have 8 to 200 letters, digits, - or _, so that it fits into an address.")
    listener = listen(host, port, token)
    own = ipaddress.ip_address(listener.getsockname()[0].partition("%")[0])
    name_of_host = "127.0.0.1" if own.is_unspecified else f"[{host}]" if ":" in host else host
    address = f"http://{name_of_host}:{listener.getsockname()[1]}/{f'?token={token}' if token else ''}"
    hosts = {host, listener.getsockname()[0], *LOOPBACK}
    writable = file if own.is_loopback else None
    app = create_app(index, name=name, hosts=hosts, cache=cache, file=writable, token=token)
    # Without a limit, a client that does not read its answer would keep the server for ever. What goes wrong
    # with an answer is in our own log; uvicorn's would tell of every one that the end cut short.
    config = uvicorn.Config(
        app, http=Connection, log_level="critical", server_header=False, timeout_graceful_shutdown=LEAVING
    )
    server = _Server(config)

    def ready() -> None:
        announce(address)
        if open_browser:
            webbrowser.open(address)

    soon = threading.Timer(0.3, ready)  # connections wait in the socket, which listens already
    soon.daemon = True  # a browser in the terminal returns when it is left
    soon.start()
    try:
        # Requests are many and their matrices small: a thread of its own for each is all that they can use.
        with listener, threadpool_limits(1, user_api="blas"):
            server.run(sockets=[listener])
    finally:
        soon.cancel()


class Connection(AutoHTTPProtocol):  # type: ignore[valid-type, misc]
    """A connection that is closed when no whole header comes: uvicorn waits for the other half for ever."""

    _closing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._expect_header()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._expect_header()

    def _expect_header(self) -> None:
        is_idle = self.cycle is None or self.cycle.response_complete
        if is_idle and self._closing is None:
            self._closing = self.loop.call_later(MAX_HEADER_SECONDS, self.transport.close)
        elif not is_idle and self._closing is not None:
            self._closing.cancel()
            self._closing = None


class _Server(uvicorn.Server):
    """Ends in good order when it is asked to, and at once when it is asked again."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        signal.signal(sig, signal.SIG_DFL)


class InlineExplorer:
    """The explorer of an index, for as long as the process lives or until :meth:`close`."""

    def __init__(self, index: "Index", height: int) -> None:
        listener = listen("127.0.0.1", None)
        self.address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        self._height = int(height)
        config = uvicorn.Config(create_app(index, framed=True), http=Connection, log_level="critical")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([listener],), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the server."""
        self._server.should_exit = True
        self._thread.join()

    def __repr__(self) -> str:
        return f"The explorer is at {self.address}"

    def _repr_html_(self) -> str:
        # A notebook that is not of this machine refuses the frame; the address may still be forwarded.
        link = f"<a href='{self.address}' target='_blank'>{self.address}</a>"
        return f"<p>{link}</p><iframe src='{self.address}' width='100%' height='{self._height}'></iframe>"


def listen(host: str, port: int | None, token: str | None = None) -> socket.socket:
    """Open a socket that listens on ``port``; by default, on the usual port, or a free one if it is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for choice in [PORT, 0] if port is None else [port]:
        # Only of a socket that is said to be TCP asyncio lets small packets go at once; others wait 40 ms.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            if hasattr(socket, "SO_REUSEADDR") and not hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, choice))
            if token is None:
                _check_one_address(listener)
            listener.listen(128)
            return listener
        except (TypeError, ValueError) as error:  # a name that no host can have is a TypeError
            listener.close()
            raise ValueError(f"Cannot listen on {host!r}: {error}.") from None
        except OSError as error:
            listener.close()
            if error.errno == errno.EADDRINUSE and port is None and choice:
                continue
            if error.errno == errno.EADDRINUSE:
                raise ValueError(
                    f"Port {choice} is taken. Choose another one, or leave it out to have a free one chosen."
                ) from None
            raise ValueError(f"Cannot listen on {host}: {error.strerror or error}.") from None
    raise AssertionError("not reached")


def _check_one_address(listener: socket.socket) -> None:
    """Refuse to listen on every address, however that was written: 0, 0x0, 0.0, ::0, an empty name."""
    address = ipaddress.ip_address(listener.getsockname()[0].partition("%")[0])
    mapped = getattr(address, "ipv4_mapped", None)
    if address.is_unspecified or (mapped is not None and mapped.is_unspecified):
        raise ValueError(
            "host must be the one address under which the page will be opened, and this one means all of "
            "them. Requests under other names are refused, so that no web site has its own name lead here. "
            "To listen on all, as in a container, give a token that requests must show: --token auto"
        )
