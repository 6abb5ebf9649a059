"""Run the cells of an experiment that are not finished yet, and write each to its table at once."""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

import hott
from hott.paper.tables import Table


@dataclass(frozen=True)
class Cell:
    """One number to compute: what it is, how, and how long it takes compared to others."""

    key: Mapping[str, str | int]
    compute: Callable[[], Mapping[str, Any]]
    weight: float = 1.0

    @property
    def name(self) -> str:
        return " ".join(map(str, self.key.values()))


def run_cells(cells: Sequence[Cell], table: Table, name: str) -> list[str]:
    """Compute what is missing in the table; a cell that fails does not stop the others.

    Returns
    -------
    list of str
        What failed, one line each.
    """
    missing = [cell for cell in cells if not table.has(cell.key)]
    failures = []
    with _Report(name, missing) as report:
        for cell in missing:
            report.starts(cell)
            started = time.monotonic()
            try:
                values = cell.compute()
            except (ValueError, RuntimeError, OSError, ImportError, MemoryError) as error:
                failures.append(f"{name} {cell.name}: {type(error).__name__}: {error}")
                report.says(f"failed: {failures[-1]}")
                continue
            seconds = time.monotonic() - started
            now = datetime.now(UTC).isoformat(timespec="seconds")
            table.add(
                {**cell.key, **values, "version": hott.__version__, "seconds": seconds, "finished": now}
            )
            report.finished(cell, seconds)
    return failures


class _Report:
    """A bar with the time left in a terminal; elsewhere one line a cell."""

    def __init__(self, name: str, cells: Sequence[Cell]) -> None:
        self.name = name
        self.total = sum(cell.weight for cell in cells)
        self.left = {cell.name: cell.weight for cell in cells}
        self.started = time.monotonic()
        self.bar = None
        if cells and sys.stderr.isatty():
            columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[left]}"))
            self.bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self.task = self.bar.add_task(name, total=self.total, left="")

    def __enter__(self) -> "_Report":
        if self.bar:
            self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar:
            self.bar.stop()

    def starts(self, cell: Cell) -> None:
        if self.bar:
            self.bar.update(self.task, description=f"{self.name}: {cell.name}")

    def finished(self, cell: Cell, seconds: float) -> None:
        del self.left[cell.name]
        done = self.total - sum(self.left.values())
        rest = (time.monotonic() - self.started) * (self.total - done) / done
        left = f"about {_duration(rest)} left"
        if self.bar:
            self.bar.update(self.task, completed=done, left=left)
        else:
            self.says(f"{self.name} {cell.name}: {seconds:.1f} s ({left})")

    def says(self, line: str) -> None:
        if self.bar:
            self.bar.console.print(line)
        else:
            print(line, file=sys.stderr, flush=True)


def _duration(seconds: float) -> str:
    """Time as people say it.

    Examples
    --------
    >>> _duration(42), _duration(130), _duration(4000)
    ('42 s', '2 min', '1 h 7 min')
    """
    minutes = round(seconds / 60)
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
