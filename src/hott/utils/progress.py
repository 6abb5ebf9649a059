"""Progress of long work: a bar in a terminal, a line now and then elsewhere, a callback for programs."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Report: TypeAlias = Callable[[int, int], None]
Progress: TypeAlias = bool | Report | None

SECONDS_A_LINE = 10.0
TELLING = 0.05
"""The share of the work from which on the time it took says something about the rest."""


def part_of(report: Report | None, index: int, n: int) -> Report | None:
    """The report of one of ``n`` equal parts of the work, which counts from 0 to its own total.

    Examples
    --------
    >>> part_of(lambda done, total: print(done, "of", total), 1, 3)(5, 10)
    15 of 30
    """
    return report and (lambda done, total: report(index * total + done, n * total))


@contextmanager
def reporting(progress: Progress, name: str) -> Iterator[Report | None]:
    """Give the function to call with (done, total), or None when nobody listens.

    ``progress`` is what the user passed: a function; ``True`` for a bar on standard error, or a line there
    now and then when it is no terminal; ``None`` or ``False`` for silence.

    Examples
    --------
    >>> with reporting(lambda done, total: print(done, "of", total), "work") as report:
    ...     report(1, 2)
    1 of 2
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
        yield _Lines(name) if progress else None


class _Lines:
    """Says how far the work is, when it takes long: in a log, nobody sees a bar."""

    def __init__(self, name: str) -> None:
        self._name, self._start = name, time.monotonic()
        self._last = self._start

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._last < SECONDS_A_LINE or not 0 < done <= total:
            return
        self._last = now
        left = (now - self._start) * (total - done) / done
        shown = f", about {left / 60:.0f} min left" if left >= 90 else f", about {left:.0f} s left"
        if done < TELLING * total:
            shown = ""
        print(f"{self._name}: {done / total:.0%}{shown}", file=sys.stderr, flush=True)
