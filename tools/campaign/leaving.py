"""Ctrl-C on ``hott explore`` at every moment: nothing that runs may keep the process, nor leave one behind.

The moments that once did: an interrupt while the page starts, in a process that was started in the background
(where Ctrl-C is ignored until someone asks for it); a client that does not read its answer; a computation
that takes an hour.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from common import Campaign
from fuzz import slowness
from writers import made_up

SOONEST = 15.0  # seconds in which a process must be gone, on a machine with nothing else to do
SIGNALS = [[signal.SIGINT], [signal.SIGINT, signal.SIGINT], [signal.SIGTERM], [signal.SIGHUP]]
START = """
import time
from hott.cli import main
from hott.explorer.answers import Answers
print("begins")
Answers.duplicates = lambda self, likeness=0.8: time.sleep(3600)
main()
"""


def run(campaign: Campaign) -> None:
    """The moments in turn, each with another signal, until the time is over."""
    index = campaign.folder / "leaving.hott"
    made_up(1500).save(index)
    turn = 0
    while campaign.in_time:
        name = list(MOMENTS)[turn % len(MOMENTS)]
        signals = SIGNALS[turn // len(MOMENTS) % len(SIGNALS)]
        trouble = left(index, campaign.folder / f"leaving-{turn}", name, signals)
        campaign.count(f"left: {name}")
        if trouble:
            told = " and ".join(number.name for number in signals)
            campaign.defect(f"hott explore, {name}: {trouble}", told)
        turn += 1


def left(index: Path, cache: Path, name: str, signals: list[signal.Signals]) -> str:
    """Start the explorer, have a moment come, send the signals, and say what was wrong with its end."""
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    environment |= {"HOTT_CACHE": str(cache), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-c", START, "explore", str(index), "--no-browser"]
    log = cache.with_suffix(".log")
    with log.open("w") as out:
        process = subprocess.Popen(
            command,
            stdout=out,
            stderr=out,
            env=environment,
            start_new_session=True,
            preexec_fn=lambda: _as_in_a_terminal(background=name == "starting in the background"),
        )
    open_ones: list[socket.socket] = []
    try:
        open_ones = MOMENTS[name](process.pid, log)
        for number in signals:
            if process.poll() is None:
                process.send_signal(number)
                time.sleep(0.1)
        status = process.wait(SOONEST * slowness())
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return "it goes on"
    finally:
        for connection in open_ones:
            connection.close()
    if _is_there(process.pid):
        os.killpg(process.pid, signal.SIGKILL)
        return "a process of its own goes on"
    if status not in (0, 130, *(-number for number in signals)):
        return f"it ends with {status}"
    said = log.read_text(errors="replace")
    return f"it says {said.strip().splitlines()[-1]}" if "Traceback" in said else ""


def _as_in_a_terminal(background: bool) -> None:
    """Signals as they are there, also when this campaign itself was started with some ignored (nohup)."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN if background else signal.SIG_DFL)


def _is_there(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


# -- moments: they return what must stay open meanwhile ---------------------------------------------------


def _starting(pid: int, log: Path) -> list[socket.socket]:
    while "begins" not in log.read_text():
        time.sleep(0.005)
    return []


def _in_the_background(pid: int, log: Path) -> list[socket.socket]:
    """As soon as the command no longer ignores Ctrl-C."""
    status = Path(f"/proc/{pid}/status")
    while status.exists() and not int(status.read_text().split("SigCgt:")[1].split()[0], 16) & 2:
        time.sleep(0.005)
    return []


def _laying_out(pid: int, log: Path) -> list[socket.socket]:
    _port(log)
    return []


def _idle(pid: int, log: Path) -> list[socket.socket]:
    """A connection that is kept for the next request."""
    connection = _asked(log, "GET", "/api/corpus")
    connection.recv(100)
    return [connection]


def _half_a_request(pid: int, log: Path) -> list[socket.socket]:
    connection = socket.create_connection(("127.0.0.1", _port(log)))
    connection.sendall(b"GET /api/cor")
    return [connection]


def _slow_body(pid: int, log: Path) -> list[socket.socket]:
    return [_asked(log, "POST", "/api/search", {"text": "word1 word2"}, missing=5)]


def _unread(pid: int, log: Path) -> list[socket.socket]:
    """Answers that nobody reads, more than the system holds for a client."""
    connection = _asked(log, "GET", "/api/openapi.json", buffer=2048, times=300)
    time.sleep(0.5)
    return [connection]


def _lasso(pid: int, log: Path) -> list[socket.socket]:
    around = {"lasso": [[-99, -99], [99, -99], [99, 99], [-99, 99]]}
    return [_asked(log, "POST", "/api/select", around) for _ in range(8)]


def _computing(pid: int, log: Path) -> list[socket.socket]:
    connection = _asked(log, "GET", "/api/duplicates")
    time.sleep(0.3)
    return [connection]


def _asked(
    log: Path,
    method: str,
    path: str,
    body: object = None,
    *,
    missing: int = 0,
    buffer: int | None = None,
    times: int = 1,
) -> socket.socket:
    connection = socket.socket()
    if buffer is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    connection.connect(("127.0.0.1", _port(log)))
    content = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {len(content)}\r\n\r\n"
    connection.sendall(times * (head.encode() + content[: len(content) - missing]))
    return connection


def _port(log: Path) -> int:
    while not (found := re.search(r"http://127\.0\.0\.1:(\d+)/", log.read_text())):
        time.sleep(0.02)
    return int(found[1])


MOMENTS: dict[str, Callable[[int, Path], list[socket.socket]]] = {
    "starting": _starting,
    "starting in the background": _in_the_background,
    "laying out the map": _laying_out,
    "a connection is idle": _idle,
    "half a request": _half_a_request,
    "a slow body": _slow_body,
    "an answer that nobody reads": _unread,
    "lassos in flight": _lasso,
    "a computation of an hour": _computing,
}
