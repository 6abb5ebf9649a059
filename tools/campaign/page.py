"""Sixty-four clients at once, of all kinds, as long as the campaign likes: no 5xx, memory within 100 MB."""

import asyncio
import json
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

from common import Campaign
from fuzz import slowness
from writers import made_up

CLIENTS = 64
MAX_GROWTH = 100 << 20  # bytes of memory, after the first thousand requests

_SERVE = """
import functools, pathlib, sys, hott
from hott.explorer import serve
index, cache = hott.open(sys.argv[1]), pathlib.Path(sys.argv[2])
serve(index, open_browser=False, cache=cache, announce=functools.partial(print, flush=True))
"""
HOSTILE = [
    "",
    "../../etc/passwd",
    "\0",
    "\x1b[2J",
    "<script>",
    "a" * 3000,
    "%",
    "é",
    "\u202e",
    "' OR 1=1",
    "0",
]


def run(campaign: Campaign) -> None:
    """Start a server, ask it until the time is over, and look at its memory."""
    path = campaign.folder / "page.hott"
    made_up(200).save(path)
    command = [sys.executable, "-c", _SERVE, str(path), str(campaign.folder / "map")]
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    assert server.stdout is not None
    try:
        port = int(re.findall(r":(\d+)/", server.stdout.readline())[0])
        memory = asyncio.run(_ask(campaign, port, server.pid))
        if server.poll() is not None:
            campaign.defect("page: the server ended", f"exit status {server.returncode}")
        growth = memory[-1] - memory[0]
        campaign.count("page: MB of memory at the start", memory[0] >> 20)
        campaign.count("page: MB of memory at the end", memory[-1] >> 20)
        if growth > MAX_GROWTH:
            campaign.defect(
                f"page: memory grows by {growth >> 20} MB", f"{campaign.counts['page: requests']} requests"
            )
    finally:
        server.terminate()
        _, log = server.communicate()
    if "Traceback" in log:
        campaign.defect("page: a traceback in the log", log.strip().splitlines()[-1])


async def _ask(campaign: Campaign, port: int, server: int) -> list[int]:
    memory: list[int] = []
    clients = [asyncio.create_task(_client(campaign, port, number)) for number in range(CLIENTS)]
    while campaign.in_time:
        await asyncio.sleep(1)
        if campaign.counts["page: requests"] > 1000 or not memory:
            memory = [*memory, _memory(server)] if campaign.counts["page: requests"] > 1000 else []
    await asyncio.gather(*clients)
    await asyncio.sleep(1)
    return [*memory, _memory(server)]


def _memory(process: int) -> int:
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE")


async def _client(campaign: Campaign, port: int, number: int) -> None:
    """One client: asks over one connection until it is closed, then over another."""
    rng = campaign.random("page", number)
    while campaign.in_time:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            campaign.defect("page: a connection was refused", f"client {number}")
            return
        try:
            for _ in range(rng.choice([1, 5, 100])):
                if not campaign.in_time:
                    break
                kind, request = _request(rng)
                writer.write(request)
                if rng.random() < 0.01:  # goes away without waiting
                    campaign.count("page: left without waiting")
                    break
                if not await _answer(campaign, reader, kind, request):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            campaign.count("page: connections closed by the server")
        except TimeoutError:
            campaign.defect(f"page: no answer to {kind}", repr(request[:300]))
        finally:
            writer.close()


async def _answer(campaign: Campaign, reader: asyncio.StreamReader, kind: str, request: bytes) -> bool:
    """Read one answer; whether the connection goes on."""
    began = time.monotonic()
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60 * slowness())
    status = int(head.split(b" ", 2)[1])
    length = re.search(rb"(?i)content-length: (\d+)", head)
    body = await reader.readexactly(int(length[1])) if length else b""
    campaign.count("page: requests")
    campaign.count(f"page: answers {status // 100}xx")
    if status == 503 and (b"Too many requests" in body or b"would take longer" in body):
        campaign.count("page: refused for want of time")
    elif status >= 500:
        campaign.defect(f"page: {status} to {kind}", repr(request[:300]))
    if b"content-security-policy" not in head.lower() and status != 400:  # 400 comes before us
        campaign.defect(f"page: no policy in the answer to {kind}", repr(request[:300]))
    if b"Traceback" in body:
        campaign.defect(f"page: a traceback in the answer to {kind}", repr(request[:300]))
    if time.monotonic() - began > 60:
        campaign.count("page: answers after more than a minute")
    return b"connection: close" not in head.lower() and length is not None


def _request(rng: random.Random) -> tuple[str, bytes]:
    id = quote(rng.choice([str(rng.randrange(220)), rng.choice(HOSTILE)]), safe="")
    other = quote(str(rng.randrange(220)), safe="")
    text = " ".join(f"word{rng.randrange(70)}" for _ in range(rng.choice([0, 1, 20, 2000])))
    kind, path, body = rng.choice(
        [
            ("corpus", "/api/corpus", None),
            ("topics", f"/api/topics?model={rng.choice([0, 1, 2, -1, 'x'])}", None),
            (
                "documents",
                f"/api/documents?offset={rng.choice([0, 5, 10**9, -1])}&limit={rng.choice([1, 500, 501])}",
                None,
            ),
            ("words", f"/api/documents?words={id}&topic={rng.choice([0, 3, 4])}", None),
            ("document", f"/api/documents/{id}", None),
            ("search by id", f"/api/search?id={id}&k={rng.choice([1, 10, 0, 'many'])}", None),
            ("search", "/api/search", {"text": text, "k": rng.choice([1, 5, 10**6])}),
            (
                "search, odd",
                "/api/search",
                rng.choice([{}, [], {"text": 3}, {"text": "x", "id": "1"}, None, {"k": {}}]),
            ),
            ("compare", f"/api/compare?a={id}&b={other}", None),
            ("map", "/api/map", None),
            ("page", rng.choice(["/", "/static/app.js", "/static/plotly.js", "/nothing"]), None),
        ]
    )
    if kind.startswith("search") and not kind.endswith("id"):
        content = json.dumps(body).encode()
        if rng.random() < 0.1:
            content = bytes(rng.randbytes(rng.choice([0, 10, 1000])))
        length = len(content) if rng.random() < 0.99 else 10**7
        head = f"POST {path} HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n"
    else:
        content, head = b"", f"{rng.choice(['GET'] * 9 + ['DELETE'])} {path} HTTP/1.1\r\n"
    host = rng.choice(["localhost"] * 19 + ["evil.example"])
    return kind, f"{head}Host: {host}\r\nAccept-Encoding: gzip\r\n\r\n".encode() + content
