"""Whether a difference is more than luck: bootstrap intervals, McNemar's test, ranks over data sets.

Everything starts from what each method said of each document, so that two methods are compared on the same
documents. An interval comes from drawing documents again with replacement.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

DRAWS = 1000
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A number, and where it may lie: the middle ``LEVEL`` of its values over documents drawn again.

    Attributes
    ----------
    value, low, high : float

    Examples
    --------
    >>> Interval(1.5, 0.2, 2.8).beyond_zero
    True
    """

    value: float
    low: float
    high: float

    @property
    def beyond_zero(self) -> bool:
        """Whether the interval leaves zero out."""
        return self.low > 0 or self.high < 0


def bootstrap(
    groups: Sequence[ArrayLike],
    statistic: Callable[[list[NDArray[np.float64]]], NDArray[np.float64]],
    draws: int = DRAWS,
    seed: int = 0,
) -> Interval:
    """An interval of anything that is computed from sums over documents.

    Parameters
    ----------
    groups : sequence of array-like, each of shape (documents, quantities) or (documents, runs, quantities)
        One group a data set, one row a document; documents are drawn within their group. Runs, such as those
        of several seeds, are drawn again too.
    statistic : function
        From the sums of each group, arrays of shape (draws, quantities), to one number a draw.
    draws, seed : int

    Examples
    --------
    The share of wrong answers, 2 of 4:

    >>> found = bootstrap([[[1, 1], [0, 1], [1, 1], [0, 1]]], lambda sums: sums[0][:, 0] / sums[0][:, 1])
    >>> found.value, found.low, found.high
    (0.5, 0.0, 1.0)
    """
    tables = [np.asarray(group, np.float64) for group in groups]
    tables = [table[:, None] if table.ndim == 2 else table for table in tables]
    value = statistic([table.sum(axis=(0, 1))[None] for table in tables])[0]
    sums = [_draw_sums(t.tobytes(), t.shape, draws, seed, place) for place, t in enumerate(tables)]
    with np.errstate(divide="ignore", invalid="ignore"):
        values = statistic(sums)
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.nanpercentile(values, [tail, 100 - tail])
    return Interval(float(value), float(low), float(high))


@lru_cache(maxsize=16)  # a mean over all data sets and one over some of them have most draws in common
def _draw_sums(
    content: bytes, shape: tuple[int, int, int], draws: int, seed: int, place: int
) -> NDArray[np.float64]:
    """Draw the documents and runs of one group again; returns the sums of each draw."""
    random = np.random.default_rng([seed, place])
    n, runs, quantities = shape
    # Documents with the same row are one kind: how often each kind is drawn is multinomial.
    kinds, counts = _count_rows(np.frombuffer(content).reshape(n, -1))
    drawn = (random.multinomial(n, counts / n, size=draws) @ kinds).reshape(draws, runs, quantities)
    again = random.multinomial(runs, np.full(runs, 1 / runs), size=draws) if runs > 1 else np.ones((1, 1))
    return (drawn * again[:, :, None]).sum(axis=1)


def _count_rows(table: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return the different rows in order and their counts: np.unique in a tenth of the time."""
    rows = table[np.lexsort(table.T[::-1])]
    starts = np.flatnonzero(np.append(True, (rows[1:] != rows[:-1]).any(axis=1)))
    return rows[starts], np.diff(np.append(starts, len(rows)))


def mean_interval(groups: Sequence[ArrayLike], draws: int = DRAWS, seed: int = 0) -> Interval:
    """The mean over groups of each group's ratio of sums, columns 0 and 1: shares, or paired differences.

    Parameters
    ----------
    groups : sequence of arrays of shape (documents, 2) or (documents, runs, 2)
        One a data set.
    draws : int
        How often documents are drawn.
    seed : int

    Examples
    --------
    Two methods on four documents: the first errs twice, where the second does not.

    >>> differences = np.array([1, 0, 1, 0])
    >>> mean_interval([np.column_stack([differences, np.ones(4)])]).value
    0.5
    """
    return bootstrap(
        groups, lambda sums: np.mean([s[:, 0] / s[:, 1] for s in sums], axis=0), draws=draws, seed=seed
    )


@dataclass(frozen=True, slots=True)
class McNemar:
    """The result of :func:`mcnemar`.

    Attributes
    ----------
    only_first, only_second : int
        Documents that one of two methods alone got wrong.
    p_value : float
        How likely so uneven a division is by chance.

    Examples
    --------
    >>> mcnemar([1, 1, 0, 0], [0, 0, 1, 0]).p_value
    1.0
    """

    only_first: int
    only_second: int
    p_value: float


def mcnemar(first: ArrayLike, second: ArrayLike) -> McNemar:
    """McNemar's exact test that two methods err equally often, given which documents each got wrong.

    Parameters
    ----------
    first, second : array-like of bool
        Whether each method was wrong, document by document.

    Examples
    --------
    >>> mcnemar([1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0])
    McNemar(only_first=5, only_second=0, p_value=0.0625)
    """
    from scipy.stats import binomtest

    a, b = np.asarray(first, bool), np.asarray(second, bool)
    if a.shape != b.shape:
        raise ValueError(f"first and second must judge the same documents: {a.shape} and {b.shape}.")
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    p = float(binomtest(only_a, only_a + only_b).pvalue) if only_a + only_b else 1.0
    return McNemar(only_a, only_b, p)


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """The result of :func:`friedman`.

    Attributes
    ----------
    mean : array
        Mean rank of each method over the data sets; 1 is best.
    statistic, p_value : float
        Friedman's test that they do not differ.
    critical_difference : float
        The difference of two mean ranks from which Nemenyi's test calls them different.

    Examples
    --------
    >>> friedman([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.3, 0.2]]).mean.round(2)
    array([1.  , 2.33, 2.67])
    """

    mean: NDArray[np.float64]
    statistic: float
    p_value: float
    critical_difference: float


def friedman(errors: ArrayLike, level: float = LEVEL) -> Ranks:
    """Rank methods over data sets (Demsar, JMLR 2006).

    Parameters
    ----------
    errors : array-like of shape (data sets, methods)
        At least two data sets and three methods.
    level : float
        Confidence of Nemenyi's critical difference.

    Examples
    --------
    >>> ranks = friedman([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0], [1.0, 2.0, 2.0]])
    >>> ranks.mean.round(2)
    array([1.  , 2.17, 2.83])
    """
    from scipy.stats import friedmanchisquare, rankdata, studentized_range

    table = np.asarray(errors, np.float64)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 3 or not np.isfinite(table).all():
        raise ValueError(
            "errors must be finite, data sets x methods, at least 2 x 3; their shape is "
            f"{table.shape}. Leave out methods that lack a data set."
        )
    n, k = table.shape
    test = friedmanchisquare(*table.T)
    # The range of infinitely many degrees of freedom; scipy integrates badly beyond some millions.
    quantile = studentized_range.ppf(level, k, 1e6) / np.sqrt(2)
    critical = float(quantile * np.sqrt(k * (k + 1) / (6 * n)))
    return Ranks(rankdata(table, axis=1).mean(axis=0), float(test.statistic), float(test.pvalue), critical)


def f1_interval(predicted: ArrayLike, true: ArrayLike, draws: int = DRAWS, seed: int = 0) -> Interval:
    """The F1 score of yes-or-no answers.

    Parameters
    ----------
    predicted, true : array-like of bool
    draws : int
        How often answers are drawn.
    seed : int

    Examples
    --------
    >>> round(f1_interval([1, 1, 0, 0], [1, 0, 1, 0]).value, 3)
    0.5
    """
    p, t = np.asarray(predicted, bool), np.asarray(true, bool)
    return bootstrap(
        [np.column_stack([p & t, p, t])],
        lambda sums: 2 * sums[0][:, 0] / (sums[0][:, 1] + sums[0][:, 2]),
        draws=draws, seed=seed,
    )  # fmt: skip


def correlation_interval(D: ArrayLike, E: ArrayLike, draws: int = 500, seed: int = 0) -> Interval:
    """Pearson correlation of two matrices over the pairs of documents, documents drawn again.

    Two draws of one document are no pair.

    Parameters
    ----------
    D, E : array-like of shape (documents, documents)
    draws : int
        How often documents are drawn.
    seed : int

    Examples
    --------
    >>> D = np.abs(np.subtract.outer([0, 1, 3, 7, 9.0], [0, 1, 3, 7, 9.0]))
    >>> round(float(correlation_interval(D, 2 * D + 5).low), 6)
    1.0
    """
    first, second = np.asarray(D, np.float64), np.asarray(E, np.float64)
    n = len(first)
    random = np.random.default_rng(seed)

    def correlation(rows: NDArray[np.intp]) -> float:
        i, j = np.triu_indices(len(rows), k=1)
        a, b = rows[i], rows[j]
        different = a != b
        x, y = first[a[different], b[different]], second[a[different], b[different]]
        # A draw of too few different documents says nothing.
        return float(np.corrcoef(x, y)[0, 1]) if len(x) > 1 and x.std() > 0 and y.std() > 0 else np.nan

    values = [correlation(random.integers(n, size=n)) for _ in range(draws)]
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.nanpercentile(values, [tail, 100 - tail])
    return Interval(correlation(np.arange(n)), float(low), float(high))
