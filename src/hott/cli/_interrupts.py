"""Ctrl-C on a command that serves until then: nothing may keep its process alive."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130
GRACE = 3.0  # seconds to leave in good order


@contextmanager
def ended_by_interrupt() -> Iterator[None]:
    """Within this, Ctrl-C ends the process in a few seconds, whatever it is doing; a second one at once.

    To Python Ctrl-C is an exception, which an import or a callback that happens to run can swallow: a server
    would then go on for ever. And before it ends, Python waits for all threads, also for one that computes
    for an hour. Files are replaced in one step each, so nothing is lost by not waiting.
    """
    if threading.current_thread() is not threading.main_thread():  # which alone may handle signals
        yield
        return
    came = threading.Event()

    def end_in_time() -> None:
        came.wait()
        time.sleep(GRACE)
        os._exit(INTERRUPTED)

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        came.set()
        raise KeyboardInterrupt

    # Made now: a thread cannot be started safely from a handler.
    threading.Thread(target=end_in_time, name="hott-end", daemon=True).start()
    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield
    except Exception as error:
        if came.is_set():  # pydantic, for one, makes an error of its own of it
            raise KeyboardInterrupt from error
        raise
    finally:
        if not came.is_set():
            signal.signal(signal.SIGINT, before)
