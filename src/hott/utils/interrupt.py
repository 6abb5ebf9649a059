"""Ctrl-C at a moment of our choice, where compiled code of others does not survive it at any moment."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def defer_sigint() -> Iterator[Callable[[], None]]:
    """Keep Ctrl-C waiting inside a block, until it ends or calls what it is given.

    Only the main thread hears of Ctrl-C; in others this does nothing.

    Examples
    --------
    >>> with defer_sigint() as let_in:
    ...     for step in range(3):
    ...         let_in()  # a KeyboardInterrupt comes from here, and from nowhere else
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield lambda: None
        return
    waiting: list[tuple[int, FrameType | None]] = []

    def let_in() -> None:
        if waiting:
            handler(*waiting.pop())

    signal.signal(signal.SIGINT, lambda number, frame: waiting.append((number, frame)))
    try:
        yield let_in
    finally:
        signal.signal(signal.SIGINT, handler)
    let_in()
