"""Compute cells in several processes at once: the same numbers, written to the same tables.

Cells that measure time come last, one after the other.
"""

import multiprocessing
from collections import Counter
from collections.abc import Hashable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import replace
from typing import TypeAlias

from threadpoolctl import threadpool_limits

from reproduction.experiments import EXPERIMENTS, Experiment, Only
from reproduction.runner import Cell, Report, run_cell, run_cells
from reproduction.study import Study
from reproduction.tables import Table

Place: TypeAlias = tuple[int, int]  # of a cell: which experiment over which study, and which of its cells
Group: TypeAlias = tuple[Hashable, Hashable]  # what cells share: counted documents, learned topics

_cells: list[list[Cell]] = []  # in a process that computes
_tables: list[Table] = []


def run_parts(
    parts: Sequence[tuple[Experiment, Study]], only: Only | None, force: bool, jobs: int
) -> list[str]:
    """Compute what is missing of experiments, in one process or several; returns what failed.

    Each process reads, counts and learns for itself, and takes next what it can compute with what it has
    already. Topics are kept in files, so of those that need the same ones one process learns them. What
    another run has finished meanwhile is left out.
    """
    missing: list[dict[int, Cell]] = []
    seen: set[tuple[object, ...]] = set()  # two studies may have the same cell
    for experiment, study in parts:
        cells = experiment.missing(study, only, force)
        names = {number: (experiment.name, *cell.key.items()) for number, cell in cells.items()}
        missing.append({number: cells[number] for number, name in names.items() if name not in seen})
        seen.update(names.values())
    failures = []
    if jobs > 1:
        together = [{} if experiment.timed else cells for (experiment, _), cells in zip(parts, missing)]
        failures += _run_together(parts, together, force, jobs)
    for (experiment, study), cells in zip(parts, missing):
        if jobs == 1 or experiment.timed:
            failures += run_cells(cells.values(), experiment.table(study), experiment.name)
    return failures


def _run_together(
    parts: Sequence[tuple[Experiment, Study]], missing: Sequence[dict[int, Cell]], force: bool, jobs: int
) -> list[str]:
    """Compute cells in several processes; returns what failed."""
    threads = max(1, parts[0][1].run.n_threads // jobs)
    parts = [(one, replace(study, run=replace(study.run, threads=threads))) for one, study in parts]
    waiting = Waiting()
    for part, cells in enumerate(missing):
        for number, cell in cells.items():
            waiting.add((part, number), cell, f"{parts[part][0].name} {cell.name}")
    given = [(experiment.name, study) for experiment, study in parts]
    context = multiprocessing.get_context("spawn")
    with Report("all", [cell.weight for cell in waiting.cells.values()]) as report, ExitStack() as stack:
        # A pool for each process, so that it can be chosen which one computes what.
        idle = [
            stack.enter_context(ProcessPoolExecutor(1, context, _begin, (given, threads)))
            for _ in range(min(jobs, len(waiting.cells)))
        ]
        last: dict[ProcessPoolExecutor, Place] = {}
        running: dict[Future[float | str], ProcessPoolExecutor] = {}
        while waiting.places or running:
            while idle and waiting.places:
                pool = idle.pop()
                last[pool] = waiting.take(last.get(pool))
                running[pool.submit(_compute, last[pool], force)] = pool
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                pool = running.pop(future)
                idle.append(pool)
                place = last[pool]
                waiting.finished(place)
                report.ends(waiting.names[place], waiting.cells[place].weight, future.result())
    return report.failures


class Waiting:
    """The cells that nobody computes yet, in groups that share documents and topics."""

    def __init__(self) -> None:
        self.cells: dict[Place, Cell] = {}
        self.names: dict[Place, str] = {}
        self.places: dict[Group, list[Place]] = {}  # of each group that has some left
        self.busy: Counter[Group] = Counter()  # processes at work on a group
        self.learned: set[Group] = set()  # groups of which a cell is finished

    def add(self, place: Place, cell: Cell, name: str) -> None:
        self.cells[place], self.names[place] = cell, name
        self.places.setdefault(cell.shares, []).append(place)

    def take(self, last: Place | None) -> Place:
        """Take the next cell for a process: of documents that it has counted, else where most is left."""
        own = None if last is None else self.cells[last].shares
        group = min(self.places, key=lambda group: self._rank(group, own))
        place = max(self.places[group], key=lambda place: self.cells[place].weight)
        self.places[group].remove(place)
        if not self.places[group]:
            del self.places[group]
        self.busy[group] += 1
        return place

    def finished(self, place: Place) -> None:
        self.busy[self.cells[place].shares] -= 1
        self.learned.add(self.cells[place].shares)

    def _rank(self, group: Group, own: Group | None) -> tuple[bool, bool, bool, float]:
        documents = None if own is None else own[0]
        would_wait = self.busy[group] > 0 and group not in self.learned  # for another to learn the topics
        left = sum(self.cells[place].weight for place in self.places[group])
        return would_wait, group[0] != documents, self.busy[group] > 0, -left / (1 + self.busy[group])


def _begin(parts: list[tuple[str, Study]], threads: int) -> None:
    threadpool_limits(threads)
    for name, study in parts:
        _cells.append(EXPERIMENTS[name].cells(study))
        _tables.append(EXPERIMENTS[name].table(study))


def _compute(place: Place, force: bool) -> float | str:
    part, number = place
    cell, table = _cells[part][number], _tables[part]
    if not force and Table(table.path, table.stamp).has(cell.key):
        return 0.0  # another run has finished it meanwhile
    return run_cell(cell, table)
