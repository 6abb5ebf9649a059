"""Means and deviations of k-NN errors over splits: what tables and figures show."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from reproduction.tables import Row, number


@dataclass(frozen=True)
class Score:
    """Errors in per cent of one method on one data set."""

    errors: tuple[float, ...]  # one a run
    tested: int  # test documents a run
    sampled: bool  # not all test documents were tested
    seeds: tuple[str, ...] = ()

    @property
    def mean(self) -> float:
        return float(np.mean(self.errors))

    @property
    def deviation(self) -> float:
        """Standard deviation over the splits; for a single one, the standard error of a share of its tests.

        Examples
        --------
        >>> round(Score((4.0, 6.0), 100, False).deviation, 2), Score((50.0,), 100, False).deviation
        (1.41, 5.0)
        """
        if len(self.errors) > 1:
            return float(np.std(self.errors, ddof=1))
        share = self.errors[0] / 100
        return 100 * math.sqrt(share * (1 - share) / self.tested)

    def __str__(self) -> str:
        return f"{self.mean:.1f} ± {self.deviation:.1f}{'*' * self.sampled}"


Scores = dict[str, dict[str, Score]]


def scores(rows: Iterable[Row], column: str = "error", by: str = "method") -> Scores:
    """Scores by method and data set."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((row[by], row["dataset"]), []).append(row)
    table: Scores = {}
    for (method, dataset), group in found.items():
        errors = tuple(100 * number(row, column) for row in group)
        tested, test = (int(number(group[0], name)) for name in ("tested", "test"))
        seeds = tuple(row.get("seed", "0") for row in group)
        table.setdefault(method, {})[dataset] = Score(errors, tested, tested < test, seeds)
    return table


def normalised(table: Scores, method: str, datasets: Iterable[str]) -> float | None:
    """Mean over data sets of the error divided by that of nBOW; None where the method lacks one of them."""
    reference = table.get("nBOW", {})
    datasets = [dataset for dataset in datasets if dataset in reference and reference[dataset].mean > 0]
    own = table.get(method, {})
    if not datasets or any(dataset not in own for dataset in datasets):
        return None
    return float(np.mean([own[d].mean / reference[d].mean for d in datasets]))
