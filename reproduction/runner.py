"""Run the cells of an experiment, and write each to its table at once."""

import sys
import time
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from itertools import product
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from reproduction.tables import Table

if TYPE_CHECKING:
    from reproduction.study import Study
    from reproduction.task import Protocol


@dataclass(frozen=True)
class Cell:
    """One number to compute: what it is, how, and how long it takes compared to others."""

    key: Mapping[str, str | int]
    compute: Callable[[], Mapping[str, Any]]
    weight: float = 1.0
    shares: tuple[Hashable, Hashable] = (None, None)  # with other cells: counted documents, learned topics

    @property
    def name(self) -> str:
        return " ".join(map(str, self.key.values()))


def each(
    compute: Callable[..., Mapping[str, Any]],
    datasets: Sequence[str] | None = (),
    *,
    first: Callable[["Study"], Any] | None = None,
    skip: Collection[str] = (),
    protocol: "Protocol" = "paper",
    **variants: Sequence[str],
) -> "Callable[[Study], list[Cell]]":
    """Cells for every combination of data set and variants, by one function.

    Parameters
    ----------
    compute : function
        Called with the study and, by name, the data set and one of each variant.
    datasets : names; None for all, an empty sequence where data sets do not matter
    first : function, optional
        What the cells share: called once with the study, when it is needed; cells get it in place of the
        study.
    skip : values that do not go together
    protocol : whose word vectors are used
    **variants : such as ``method=("HOTT", "RWMD")``
    """

    def cells(study: "Study") -> list[Cell]:
        given = cache(lambda: study if first is None else first(study))
        named = [source.name for source in study.sources if datasets is None or source.name in datasets]
        axes = {**({"dataset": named} if datasets is None or len(datasets) else {}), **variants}
        common = {"seed": study.seed, "vectors": study.vectors_of(protocol)}
        combinations = [dict(zip(axes, values)) for values in product(*axes.values())]
        sizes = {source.name: source.documents for source in study.sources}
        return [
            Cell(
                {**chosen, **common},
                partial(_late, compute, given, chosen),
                sizes.get(chosen.get("dataset", ""), 10_000),
                ((first or chosen.get("dataset"), protocol), None),
            )
            for chosen in combinations
            if not skip or not set(skip) <= set(chosen.values())
        ]

    return cells


def _late(
    compute: Callable[..., Mapping[str, Any]], given: Callable[[], Any], chosen: Mapping[str, str]
) -> Mapping[str, Any]:
    """Compute a cell; what cells share is made when the first of them needs it."""
    return compute(given(), **chosen)


def run_cells(cells: Collection[Cell], table: Table, name: str) -> list[str]:
    """Compute cells, one after the other; one that fails does not stop the others.

    Parameters
    ----------
    cells : collection of Cell
    table : Table
    name : str
        Of the experiment, for messages.

    Returns
    -------
    list of str
        What failed, one line each.
    """
    with Report(name, [cell.weight for cell in cells]) as report:
        for cell in cells:
            report.starts(f"{name} {cell.name}")
            report.ends(f"{name} {cell.name}", cell.weight, run_cell(cell, table))
    return report.failures


def run_cell(cell: Cell, table: Table) -> float | str:
    """Compute a cell and write its row; returns the seconds that it took, or why it failed."""
    started, used = time.monotonic(), time.process_time()
    try:
        values = cell.compute()
    except (ValueError, RuntimeError, OSError, ImportError, MemoryError) as error:
        return f"{type(error).__name__}: {error}"
    seconds = time.monotonic() - started
    taken = {"seconds": seconds, "processor_seconds": time.process_time() - used}
    now = datetime.now(UTC).isoformat(timespec="seconds")
    table.add(cell.key, {**values, **taken, "finished": now})
    return seconds


class Report:
    """A bar with the time left in a terminal; elsewhere one line a cell. Collects what failed."""

    def __init__(self, name: str, weights: Sequence[float]) -> None:
        self.name, self.done, self.total = name, 0.0, sum(weights)
        self.failures: list[str] = []
        self.started = time.monotonic()
        self.bar = None
        if weights and sys.stderr.isatty():
            columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[left]}"))
            self.bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self.task = self.bar.add_task(name, total=self.total, left="")

    def __enter__(self) -> "Report":
        if self.bar:
            self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar:
            self.bar.stop()

    def starts(self, name: str) -> None:
        if self.bar:
            self.bar.update(self.task, description=name)

    def ends(self, name: str, weight: float, outcome: float | str) -> None:
        """Tell that a cell took so many seconds, or why it failed."""
        self.done += weight
        rest = (time.monotonic() - self.started) * (self.total - self.done) / self.done
        left = f"about {_duration(rest)} left"
        if self.bar:
            self.bar.update(self.task, completed=self.done, left=left)
        if isinstance(outcome, str):
            self.failures.append(f"{name}: {outcome}")
            self.says(f"failed: {self.failures[-1]}")
        elif not self.bar:
            self.says(f"{name}: {outcome:.1f} s ({left})")

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
