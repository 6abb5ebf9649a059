"""The results in a folder, and questions to them: errors, differences with intervals, ranks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reproduction.evaluation.significance import Interval, bootstrap, mcnemar, mean_interval
from reproduction.methods import METHODS
from reproduction.predictions import AT_7, Predictions
from reproduction.setting import STANDARD, departures
from reproduction.summary import Score, Scores, normalised, scores
from reproduction.tables import Row, newest, read_rows


@dataclass(frozen=True)
class Cells:
    """The cells of one method under one protocol and setting, over data sets and splits."""

    method: str
    protocol: str = "paper"
    setting: str = STANDARD


@dataclass(frozen=True)
class Difference:
    """Error of one method less that of another in points, on the documents that both were tested on."""

    value: float
    interval: Interval | None  # None where what was said of each document is not known
    p_value: float | None  # McNemar's, over the first split of each data set
    datasets: tuple[str, ...]

    @property
    def certain(self) -> bool:
        return self.interval is not None and self.interval.beyond_zero

    def __str__(self) -> str:
        if self.interval is None:
            return f"{self.value:+.1f}"
        return f"{self.value:+.1f} [{self.interval.low:+.1f}, {self.interval.high:+.1f}]"


class Results:
    """All tables of a folder; of each the rows of its newest version and settings."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self._rows: dict[str, list[Row]] = {}
        self._predictions: dict[str, Predictions] = {}

    def rows(self, name: str) -> list[Row]:
        """The rows of a table; none when there is no table."""
        if name not in self._rows:
            rows = read_rows(self.out / f"{name}.csv")
            self._rows[name] = newest(rows) if rows else []
        return self._rows[name]

    def row(self, name: str, **key: str) -> Row | None:
        """The first row of a table with these values."""
        found = (row for row in self.rows(name) if all(row.get(k) == v for k, v in key.items()))
        return next(found, None)

    def left_out(self, name: str) -> int:
        """How many rows of a table are of another version or of other settings."""
        return len(read_rows(self.out / f"{name}.csv")) - len(self.rows(name))

    @cached_property
    def _classified(self) -> dict[Cells, list[tuple[str, Row]]]:
        found: dict[Cells, list[tuple[str, Row]]] = {}
        for name in ("knn", "appendix", "sensitivity", "preparation"):
            for row in self.rows(name):
                cells = Cells(row["method"], row["protocol"], row["setting"])
                found.setdefault(cells, []).append((name, row))
        return found

    def of(self, cells: Cells) -> list[tuple[str, Row]]:
        """The rows of some cells, each with the name of its table.

        The order of the transport is nothing to a method without transport: its rows are those of order 1.
        """
        found = self._classified.get(cells, [])
        if not found and not METHODS[cells.method].transport:
            found = self._classified.get(replace(cells, setting=_with_p_1(cells.setting)), [])
        return found

    def scores(self, protocol: str, setting: str = STANDARD, column: str = "error_k7") -> Scores:
        """Errors of all methods under a protocol and setting."""
        chosen = [row for method in METHODS for _, row in self.of(Cells(method, protocol, setting))]
        return scores(chosen, column)

    def score(self, cells: Cells, dataset: str) -> Score | None:
        """The errors of some cells on one data set."""
        own = [row for _, row in self.of(cells) if row["dataset"] == dataset]
        return scores(own, "error_k7")[cells.method][dataset] if own else None

    def difference(
        self, first: Cells, second: Cells, datasets: Sequence[str] | None = None
    ) -> Difference | None:
        """How much more often the first errs than the second, in points, mean over data sets.

        Like for like: where one saw a sample of the tests, the other is judged on that sample too.
        """
        groups, plain, pairs, named = [], [], [], []
        for dataset in datasets if datasets is not None else self._common(first, second):
            a, b = self.score(first, dataset), self.score(second, dataset)
            if a is None or b is None:
                continue
            left, right = (self._wrong(cells, dataset) for cells in (first, second))
            splits = [split for split in left if split in right]
            if not splits and a.tested != b.tested:
                continue  # samples of different sizes, of which no more is known than their means
            named.append(dataset)
            plain.append(a.mean - b.mean)
            if not splits:
                continue
            apart = np.array([100 * (left[split] - right[split]) for split in splits])
            tested = np.isfinite(apart).sum(axis=0)
            groups.append(np.column_stack([np.nansum(apart, axis=0), tested])[tested > 0])
            both = np.isfinite(apart[0])
            pairs.append((left[splits[0]][both] >= 0.5, right[splits[0]][both] >= 0.5))
        if not named:
            return None
        if len(groups) < len(named):
            return Difference(float(np.mean(plain)), None, None, tuple(named))
        interval = mean_interval(groups)
        test = mcnemar(*(np.concatenate(side) for side in zip(*pairs)))
        return Difference(interval.value, interval, test.p_value, tuple(named))

    def normalised(
        self, method: str, datasets: Sequence[str], protocol: str = "paper", setting: str = STANDARD
    ) -> Interval | None:
        """Error divided by that of nBOW, mean over data sets, with an interval where one can be had."""
        value = normalised(self.scores(protocol, setting), method, datasets)
        if value is None:
            return None
        groups = []
        own, reference = Cells(method, protocol, setting), Cells("nBOW", protocol, setting)
        for dataset in datasets:
            left, right = (self._wrong(cells, dataset) for cells in (own, reference))
            splits = [split for split in left if split in right]
            if not splits:
                return Interval(value, np.nan, np.nan)
            sums = [_sums([side[split] for split in splits]) for side in (left, right)]
            groups.append(np.column_stack(sums))
        found = bootstrap(
            groups, lambda s: np.mean([(x[:, 0] / x[:, 1]) / (x[:, 2] / x[:, 3]) for x in s], axis=0)
        )
        return Interval(value, found.low, found.high)

    def _common(self, first: Cells, second: Cells) -> list[str]:
        there = {row["dataset"] for _, row in self.of(second)}
        return list(dict.fromkeys(row["dataset"] for _, row in self.of(first) if row["dataset"] in there))

    def _wrong(self, cells: Cells, dataset: str) -> dict[str, NDArray[np.float64]]:
        """Whether each document was classified wrongly, by split, mean over seeds; NaN where not tested."""
        found: dict[str, list[NDArray[np.float64]]] = {}
        for name, row in self.of(cells):
            if row["dataset"] == dataset:
                kept = self._predictions.setdefault(name, Predictions(self.out, name))
                answers = kept.of(row, AT_7)
                if answers is not None:
                    found.setdefault(row["split"], []).append(answers.wrong())
        return {split: np.mean(wrong, axis=0) for split, wrong in found.items()}


def _with_p_1(label: str) -> str:
    kept = [f"{name}={value}" for name, value in departures(label).items() if name != "p"]
    return " ".join(kept) or STANDARD


def _sums(wrong: Iterable[NDArray[np.float64]]) -> NDArray[np.float64]:
    """For each document: how often it was wrong, and how often it was tested."""
    stacked = np.array(list(wrong))
    return np.column_stack([np.nansum(stacked, axis=0), np.isfinite(stacked).sum(axis=0)])
