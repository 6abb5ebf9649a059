"""How much a request may ask for: a turn among few, for a limited time, and only while someone waits."""

import asyncio
import ctypes
import os
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

from anyio import CapacityLimiter
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hott.explorer.security import refuse
from hott.utils.run import config_context

MAX_SECONDS = 30.0
"""Time for an answer, from when the request has its turn."""

MAX_WAITING = 64
"""Requests that wait for their turn. More are refused, so that a flood leaves nothing behind."""

GIVING_BACK = 5.0
"""Seconds after which freed memory is given back again while answers are computed."""

SLOW = {
    "/api/search": MAX_SECONDS,
    "/api/marks": MAX_SECONDS,
    "/api/compare": MAX_SECONDS,
    "/api/contrast": MAX_SECONDS,
    "/api/diagram": MAX_SECONDS,
    "/api/without": MAX_SECONDS,
    "/api/select": MAX_SECONDS,
    "/api/documents": MAX_SECONDS,
    "/api/distances": MAX_SECONDS,
    "/api/topics/over": MAX_SECONDS,
    "/api/subjects": 600.0,  # computed once for all who ask
    "/api/duplicates": 600.0,
    "/api/rows": 600.0,  # these wait for the subjects
    "/api/table": 600.0,
}
"""Paths whose answers may take long, and how long. The page itself never waits for them."""


class Stopped(Exception):
    """Nobody needs the answer any more, or it took too long."""


class Patience:
    """Says whether an answer is still worth computing; called now and then with (done, total)."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.is_alone = False  # whoever asked has gone
        self.done = 0.0  # part of the work
        self.start()

    def start(self) -> None:
        self._end = time.monotonic() + self.seconds

    def __call__(self, done: int, total: int) -> None:
        self.done = done / max(total, 1)
        if self.is_alone:
            raise Stopped("Whoever asked has gone.")
        if time.monotonic() > self._end:
            raise Stopped(f"This would take longer than {self.seconds:.0f} seconds. Ask for less.")


class Budget:
    """Wraps an application: requests that may take long run a few at a time, and stop when they should.

    All that computes reports its progress (:class:`hott.run.Run`); here the report goes to :class:`Patience`,
    which stops the work by an exception.
    """

    def __init__(
        self, app: ASGIApp, slow: Mapping[str, float] = SLOW, work: dict[str, Patience] | None = None
    ) -> None:
        self.app, self.slow = app, slow
        self.work = {} if work is None else work  # what is computed now, by its path
        self._turns: CapacityLimiter | None = None  # belongs to the loop that serves
        self._waiting = 0
        self._given_back = -GIVING_BACK  # when memory was last

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] not in self.slow:
            return await self.app(scope, receive, send)
        if self._waiting >= MAX_WAITING:
            return await refuse(send, 503, "Too many requests are waiting. Ask again in a moment.")
        body = await receive()  # whole: it has been read before
        left = asyncio.Event()
        patience = Patience(self.slow[scope["path"]])
        task, waits = asyncio.current_task(), True

        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            patience.is_alone = True
            left.set()
            if waits and task is not None:
                task.cancel()  # its place is for others

        messages = iter([body])

        async def replay() -> Message:
            for message in messages:
                return message
            await left.wait()
            return {"type": "http.disconnect"}

        watcher = asyncio.create_task(watch())
        try:
            async with self._turn():
                waits = False
                patience.start()
                self.work[scope["path"]] = patience
                if not patience.is_alone:
                    with config_context(progress=patience):
                        await self.app(scope, replay, send)
        except asyncio.CancelledError:
            if not (waits and patience.is_alone) or task is None:
                raise
            task.uncancel()
        finally:
            self.work.pop(scope["path"], None)
            watcher.cancel()
        return None

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        if self._turns is None:
            self._turns = CapacityLimiter(max(2, os.cpu_count() or 1))
        self._waiting += 1
        try:
            await self._turns.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._turns.release()
            if time.monotonic() - self._given_back > GIVING_BACK:
                give_back_memory()
                self._given_back = time.monotonic()


def give_back_memory() -> None:
    """Return what threads have freed to the system: glibc keeps it for each of them, 75 of 545 MiB."""
    if sys.platform == "linux":
        with suppress(AttributeError):  # another C library
            ctypes.CDLL(None).malloc_trim(0)
