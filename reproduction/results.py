"""The results in a folder, and questions to them: errors, differences with intervals, ranks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reproduction.evaluation.significance import Interval, bootstrap, mcnemar, mean_interval
from reproduction.methods import METHODS
from reproduction.predictions import AT_7, CHOSEN, Predictions
from reproduction.provenance import remembered
from reproduction.setting import STANDARD, Vectors, departures
from reproduction.summary import Score, Scores, normalised, scores
from reproduction.tables import Row, newest, read_rows

# The tables that questions about k-NN classification are answered from.
CLASSIFIED = ("knn", "now", "appendix", "sensitivity", "preparation")


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
    p_value: float | None  # McNemar's, over the first run of each data set
    datasets: tuple[str, ...]
    documents: int = 0  # of the data set with the fewest that both were tested on

    @property
    def certain(self) -> bool:
        return self.interval is not None and self.interval.beyond_zero

    def __str__(self) -> str:
        if self.interval is None:
            return f"{self.value:+.1f}"
        return f"{self.value:+.1f} [{self.interval.low:+.1f}, {self.interval.high:+.1f}]"


class Results:
    """The results of a folder with some word vectors: of each table and protocol the newest kind of rows."""

    def __init__(self, out: Path, vectors: Vectors = "glove") -> None:
        self.out, self.vectors = out, vectors
        self._views: dict[Vectors, Results] = {vectors: self}
        self._rows: dict[str, list[Row]] = {}
        self._predictions: dict[str, Predictions] = {}

    def rows(self, name: str) -> list[Row]:
        """The rows of a table; none when there is no table."""
        if name not in self._rows:
            groups: dict[str, list[Row]] = {}
            for row in self._all(name):
                groups.setdefault(row.get("protocol", ""), []).append(row)
            known = remembered(self.out)
            self._rows[name] = [row for group in groups.values() for row in newest(group, known)]
        return self._rows[name]

    def under(self, vectors: Vectors) -> "Results":
        """Return the results of the same folder with other word vectors."""
        if vectors not in self._views:
            self._views[vectors] = Results(self.out, vectors)
            self._views[vectors]._views = self._views
        return self._views[vectors]

    def row(self, name: str, **key: str) -> Row | None:
        """The first row of a table with these values."""
        found = (row for row in self.rows(name) if all(row.get(k) == v for k, v in key.items()))
        return next(found, None)

    def left_out(self, name: str) -> int:
        """Count the rows of a table that are of another version or of other settings."""
        return len(self._all(name)) - len(self.rows(name))

    def _all(self, name: str) -> list[Row]:
        rows = read_rows(self.out / f"{name}.csv")
        return [row for row in rows if row.get("vectors", "bundled") == self.vectors]

    @cached_property
    def _classified(self) -> dict[Cells, list[tuple[str, Row]]]:
        found: dict[Cells, list[tuple[str, Row]]] = {}
        for name in CLASSIFIED:
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
        """Return how much more often the first errs than the second, in points, mean over data sets.

        Like for like: where one saw a sample of the tests, the other is judged on that sample too, and runs
        of the same split and seed are compared. Documents and runs are drawn again for the interval.
        """
        groups, plain, pairs, named = [], [], [], []
        for dataset in datasets if datasets is not None else self._common(first, second):
            a, b = self.score(first, dataset), self.score(second, dataset)
            if a is None or b is None:
                continue
            paired = self._match_runs((first, second), dataset)
            if not paired and (a.tested != b.tested or a.seeds != b.seeds):
                continue  # other samples or seeds, of which no more is known than their means
            named.append(dataset)
            plain.append(a.mean - b.mean)
            if not paired:
                continue
            apart = np.array([100 * (left - right) for left, right in paired]).T
            tested = np.isfinite(apart)
            groups.append(np.stack([np.nan_to_num(apart), tested], axis=2)[tested.any(axis=1)])
            pairs.append(tuple(side[tested[:, 0]] >= 0.5 for side in paired[0]))
        if not named:
            return None
        if len(groups) < len(named):
            return Difference(float(np.mean(plain)), None, None, tuple(named))
        interval = mean_interval(groups)
        test = mcnemar(*(np.concatenate(side) for side in zip(*pairs)))
        fewest = min(len(group) for group in groups)
        return Difference(interval.value, interval, test.p_value, tuple(named), fewest)

    def series(self, cells: Sequence[Cells], dataset: str) -> list[float]:
        """Return the errors of several cells in per cent, on the runs and documents that all of them have."""
        wrong = [self._wrong(one, dataset) for one in cells]
        runs = [run for run in wrong[0] if all(run in found for found in wrong)]
        if not runs:
            return []
        table = np.array([[found[run] for run in runs] for found in wrong])
        return [float(100 * np.mean(side)) for side in table[:, np.isfinite(table).all(axis=0)]]

    def normalised(
        self, method: str, datasets: Sequence[str], protocol: str = "paper", setting: str = STANDARD
    ) -> Interval | None:
        """Error divided by that of nBOW, mean over data sets, with an interval where one can be had."""
        value = normalised(self.scores(protocol, setting), method, datasets)
        if value is None:
            return None
        groups = []
        for dataset in datasets:
            paired = self._match_runs([Cells(name, protocol, setting) for name in (method, "nBOW")], dataset)
            if not paired:
                return Interval(value, np.nan, np.nan)
            groups.append(_sums(np.array(paired)))
        found = bootstrap(groups, lambda sums: np.mean([_ratio(s, 0, 1) for s in sums], axis=0))
        return Interval(value, found.low, found.high)

    def normalised_difference(
        self, first: str, second: str, datasets: Sequence[str], setting: str = STANDARD
    ) -> Interval | None:
        """Normalised error of one method less that of another, on runs and documents that both saw."""
        groups = []
        for dataset in datasets:
            paired = np.array(
                self._match_runs([Cells(name, setting=setting) for name in (first, second, "nBOW")], dataset)
            )
            if not len(paired):
                return None
            if not np.nansum(paired[:, 2]):
                continue  # nothing to divide by
            paired[:, :2] = np.where(
                np.isfinite(paired[:, :2]).all(axis=1, keepdims=True), paired[:, :2], np.nan
            )
            groups.append(_sums(paired))
        if not groups:
            return None
        return bootstrap(
            groups, lambda sums: np.mean([_ratio(s, 0, 2) - _ratio(s, 1, 2) for s in sums], axis=0)
        )

    def _common(self, first: Cells, second: Cells) -> list[str]:
        there = {row["dataset"] for _, row in self.of(second)}
        return list(dict.fromkeys(row["dataset"] for _, row in self.of(first) if row["dataset"] in there))

    def _match_runs(self, cells: Sequence[Cells], dataset: str) -> list[tuple[NDArray[np.float64], ...]]:
        """Match the runs of methods by split and seed; one without a seed stands beside every seed."""
        sides = [(self._wrong(one, dataset), METHODS[one.method].random) for one in cells]
        matched = []
        for split, seed in dict.fromkeys(run for wrong, _ in sides for run in wrong):
            run = [wrong.get((split, seed if random else "0")) for wrong, random in sides]
            if all(wrong is not None for wrong in run):
                matched.append(tuple(wrong for wrong in run if wrong is not None))
        return matched

    def _wrong(self, cells: Cells, dataset: str) -> dict[tuple[str, str], NDArray[np.float64]]:
        """Tell whether each document was classified wrongly, by split and seed; NaN where not tested."""
        found = {}
        for name, row in self.of(cells):
            if row["dataset"] == dataset:
                kept = self._predictions.setdefault(name, Predictions(self.out, name))
                answers = kept.of(row, CHOSEN if departures(cells.setting).get("hubs") else AT_7)
                if answers is not None:
                    found[row["split"], row["seed"]] = answers.wrong()
        return found


def _sums(wrong: NDArray[np.float64]) -> NDArray[np.float64]:
    """From runs x methods x documents to documents x runs x (wrong, tested of each method)."""
    documents = wrong.transpose(2, 0, 1)
    tested = np.isfinite(documents)
    sums = np.stack([np.nan_to_num(documents), tested], axis=3).reshape(*documents.shape[:2], -1)
    return sums[tested.any(axis=(1, 2))]


def _ratio(sums: NDArray[np.float64], method: int, reference: int) -> NDArray[np.float64]:
    """Return the error of one method over that of another, from sums of wrong and tested documents."""
    a, b = (sums[:, 2 * place] / sums[:, 2 * place + 1] for place in (method, reference))
    return a / b


def _with_p_1(label: str) -> str:
    kept = [f"{name}={value}" for name, value in departures(label).items() if name != "p"]
    return " ".join(kept) or STANDARD
