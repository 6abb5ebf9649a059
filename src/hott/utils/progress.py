"""Progress of long work, a bar, a line now and then or a callback; and Ctrl-C at a moment of our choice."""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeAlias

Report: TypeAlias = Callable[[int, int], None]
Progress: TypeAlias = bool | Report | None

SECONDS_A_LINE = 10.0
TELLING = 0.05
"""The share of the work from which on the time it took says something about the rest."""


def part_of(report: Report | None, index: int, n: int) -> Report | None:
    """Return the report of one of ``n`` equal parts of the work, which counts from 0 to its own total."""
    return report and (lambda done, total: report(index * total + done, n * total))


@contextmanager
def reporting(progress: Progress, name: str) -> Iterator[Report | None]:
    """Give the function to call with (done, total), or None when nobody listens.

    ``progress`` is what the user passed: a function; ``True`` for a bar on standard error, or a line there
    now and then when it is no terminal; ``None`` or ``False`` for silence.
    """
    if callable(progress):
        yield progress
    elif progress and sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(name, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)
    else:
        yield _print_lines(name) if progress else None


def _print_lines(name: str) -> Report:
    """Say how far the work is, when it takes long: in a log, nobody sees a bar."""
    start = last = time.monotonic()

    def report(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < SECONDS_A_LINE or not 0 < done <= total:
            return
        last, left = now, (now - start) * (total - done) / done
        shown = f", about {left / 60:.0f} min left" if left >= 90 else f", about {left:.0f} s left"
        print(
            f"{name}: {done / total:.0%}{shown if done >= TELLING * total else ''}",
            file=sys.stderr,
            flush=True,
        )

    return report


@contextmanager
def defer_sigint() -> Iterator[Callable[[], None]]:
    """Keep Ctrl-C waiting inside a block, until it ends or calls what it is given.

    Only the main thread hears of Ctrl-C; in others this does nothing.
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
