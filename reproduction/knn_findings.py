"""Ways to look a claim about k-NN classification up in the results."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from reproduction.finding import Finding, Judgement, Look, judge_all
from reproduction.methods import PUBLISHED
from reproduction.published import column
from reproduction.results import Cells, Difference, Results
from reproduction.setting import STANDARD, Setting
from reproduction.sources import SOURCES
from reproduction.summary import normalised

W2, STEM, BOTH = (s.label for s in (Setting(p=2), Setting(stem=True), Setting(p=2, stem=True)))


@dataclass(frozen=True)
class Rule:
    """What a difference in points must be for a claim to hold: in a range, or outside of it."""

    low: float = -np.inf
    high: float = np.inf
    outside: bool = False

    def judge(self, change: Difference) -> Judgement:
        """Tell whether it holds, and whether the whole interval says so."""
        inside = self.low <= change.value <= self.high
        if change.interval is None:
            return inside != self.outside, None
        low, high = change.interval.low, change.interval.high
        if inside:
            return not self.outside, self.low <= low and high <= self.high
        return self.outside, low > self.high or high < self.low


_LEAST = 1e-9  # a tie is neither below nor above
BELOW, ABOVE, NOT_BELOW = Rule(high=-_LEAST), Rule(low=_LEAST), Rule(low=0.0)


def within(points: float) -> Rule:
    return Rule(-points, points)


def at_most(points: float) -> Rule:
    return Rule(high=points)


def beyond(points: float) -> Rule:
    return Rule(-points, points, outside=True)


def against(
    first: str,
    second: str,
    rule: Rule,
    datasets: Sequence[str] | None = None,
    setting: str = STANDARD,
    least: int = 0,
) -> Look:
    """Look up the error of one method less that of another, in points, mean over the data sets.

    ``least`` documents must have been seen by both.
    """

    def look(results: Results) -> Finding | None:
        found = results.difference(Cells(first, setting=setting), Cells(second, setting=setting), datasets)
        if found is None or (datasets is not None and set(found.datasets) != set(datasets)):
            return None
        if found.documents < least:
            return None
        holds, certain = rule.judge(found)
        text = f"{first} − {second}: {found} points over {_listed(found.datasets)}"
        return Finding(text, holds, _source(setting), certain)

    return look


def less(
    first: str, second: str, datasets: Sequence[str] | None = None, setting: str = STANDARD, least: int = 0
) -> Look:
    """Look up whether the first method errs less often than the second."""
    return against(first, second, BELOW, datasets, setting, least)


def level(first: str, second: str, points: float, datasets: Sequence[str] | None = None) -> Look:
    """Two methods differ by no more than some points."""
    return against(first, second, within(points), datasets)


def change(
    methods: Sequence[str],
    setting: str | Sequence[str],
    rule: Rule,
    datasets: Sequence[str] | None = None,
    judge: Callable[[Sequence[Judgement]], Judgement] = judge_all,
) -> Look:
    """Look up what settings do to the error of methods, in points, by runs of the same seed."""
    settings = [setting] if isinstance(setting, str) else setting

    def look(results: Results) -> Finding | None:
        parts, shown = [], []
        for name, label in product(methods, settings):
            found = results.difference(Cells(name, setting=label), Cells(name), datasets)
            if found is None or (datasets is not None and set(found.datasets) != set(datasets)):
                return None
            parts.append(rule.judge(found))
            seen = "" if datasets else f" over {_listed(found.datasets)}"
            shown.append(f"{name} {found}{seen}" if len(settings) == 1 else f"{name} {label}: {found}{seen}")
        holds, certain = judge(parts)
        where = f" on {', '.join(datasets)}" if datasets else ""
        return Finding(f"{'; '.join(shown)} points{where}", holds, _source(settings[0]), certain)

    return look


def best_on_average(setting: str = STANDARD, names: Sequence[str] = ("HOTT",)) -> Look:
    """The named methods have the lowest normalised errors of all published methods."""

    def look(results: Results) -> Finding | None:
        table = results.scores("paper", setting)
        common = [d for d in SOURCES if all(d in table.get(m, {}) for m in PUBLISHED)]
        if not common:
            return None
        means = {m: normalised(table, m, common) or np.nan for m in PUBLISHED}
        order = sorted(means, key=means.__getitem__)
        shown = ", ".join(f"{m} {means[m]:.3f}" for m in order[:6])
        places = " and ".join(
            f"{name} is {_ordinal(order.index(name) + 1)} of {len(order)}" for name in names
        )
        holds = set(order[: len(names)]) == set(names)
        # The one that decides: the best of the others, and the worst of the named.
        other = next(m for m in order if m not in names)
        own = max(names, key=order.index)
        apart = results.normalised_difference(own, other, common, setting)
        certain = None if apart is None else apart.beyond_zero and (apart.value < 0) == holds
        return Finding(f"{places} over {_listed(common)}: {shown}", holds, _source(setting), certain)

    return look


def no_best(results: Results) -> Finding | None:
    table = results.scores("paper")
    datasets = [d for d in SOURCES if any(d in table.get(m, {}) for m in PUBLISHED)]
    if len(datasets) < 2:
        return None
    firsts = {
        d: min((m for m in PUBLISHED if d in table.get(m, {})), key=lambda m: table[m][d].mean)
        for d in datasets
    }
    return Finding(
        "first: " + ", ".join(f"{d} {m}" for d, m in firsts.items()), len(set(firsts.values())) > 1,
        _source(STANDARD),
    )  # fmt: skip


def as_published(results: Results) -> Finding | None:
    """HOTT's errors are at most a point above the published ones. ohsumed is another task here.

    With messages of 20 words or more, 20news has about as many documents as in the paper.
    """
    found, source = {}, _source(STANDARD)
    for dataset in (name for name in SOURCES if name != "ohsumed"):
        own = results.score(Cells("HOTT"), dataset)
        cut = results.score(Cells("HOTT", setting="shortest=20"), dataset) if dataset == "20news" else None
        if cut is not None:
            own, source = cut, f"{source}; 20news: preparation.csv, shortest=20"
        if own is not None:
            found[dataset] = (own.mean, column("knn_error_w1_no_stemming", dataset, "HOTT") or np.nan)
    if not found:
        return None
    near = [dataset for dataset, (ours, known) in found.items() if ours <= known + 1]
    shown = ", ".join(f"{dataset} {ours:.1f} ({known:g})" for dataset, (ours, known) in found.items())
    return Finding(
        f"at most one point above on {len(near)} of {len(found)}: {shown}",
        len(near) == len(found), source,
    )  # fmt: skip


def tfidf_strong(results: Results) -> Finding | None:
    table = results.scores("paper")
    sets = [d for d in ("ohsumed", "20news") if d in table.get("TF-IDF", {})]
    if not sets:
        return None
    places = {}
    for d in sets:
        order = sorted((m for m in PUBLISHED if d in table.get(m, {})), key=lambda m: table[m][d].mean)
        places[d] = order.index("TF-IDF") + 1
    return Finding(
        ", ".join(f"{d}: {_ordinal(place)}" for d, place in places.items()),
        all(place <= 2 for place in places.values()), _source(STANDARD),
    )  # fmt: skip


def degrade_with_topics(methods: Sequence[str], points: float) -> Look:
    """Look up whether 100 topics err by more than some points above the best number of topics, on classic."""
    labels = [STANDARD if n == 70 else f"topics={n}" for n in range(10, 101, 10)]

    def look(results: Results) -> Finding | None:
        parts, shown = [], []
        for method in methods:
            cells = [Cells(method, setting=label) for label in labels]
            values = results.series(cells, "classic")
            if not values:
                return None
            best = int(np.argmin(values))
            found = results.difference(cells[-1], cells[best], ("classic",))
            if found is None:
                return None
            parts.append(Rule(low=points).judge(found))
            shown.append(f"{method}, 100 topics − {10 * (best + 1)}: {found}")
        holds, certain = judge_all(parts)
        return Finding(f"{'; '.join(shown)} points", holds, "sensitivity.csv, classic, topics", certain)

    return look


def truncation(results: Results) -> Finding | None:
    """Look up whether the words kept of a topic matter: whether an interval leaves zero out."""
    shown, apart = [], []
    for name, n in product(("HOTT", "HOFTT"), (10, 50, 100)):
        found = results.difference(Cells(name, setting=f"topic_words={n}"), Cells(name), ("r8",))
        if found is None:
            return None
        shown.append(f"{name} {n} − 20: {found}")
        apart.append(found.certain)
    return Finding("; ".join(shown) + " points", not any(apart), "sensitivity.csv, r8, topic_words")


def robust_everywhere(results: Results) -> Finding | None:
    """Look up whether W2 or stemming change the errors of ours less, at most, than those of theirs."""
    largest: dict[str, Difference] = {}
    for name in ("HOTT", "HOFTT", "RWMD", "WMD-T20"):
        found = [results.difference(Cells(name, setting=s), Cells(name)) for s in (W2, STEM, BOTH)]
        changes = [change for change in found if change is not None]
        if len(changes) < len(found):
            return None
        largest[name] = max(changes, key=lambda change: abs(change.value))
    ours = max(("HOTT", "HOFTT"), key=lambda name: abs(largest[name].value))
    theirs = min(("RWMD", "WMD-T20"), key=lambda name: abs(largest[name].value))
    holds = abs(largest[ours].value) < abs(largest[theirs].value)
    spans = [_absolute(largest[name]) for name in ((ours, theirs) if holds else (theirs, ours))]
    certain = None if None in spans else spans[0][1] < spans[1][0]  # type: ignore[index]
    shown = ", ".join(f"{name} {change}" for name, change in largest.items())
    return Finding(f"largest change in points: {shown}", holds, "appendix.csv", certain)


def _absolute(change: Difference) -> tuple[float, float] | None:
    """Return the least and the largest absolute value in the interval of a change."""
    if change.interval is None:
        return None
    low, high = sorted((abs(change.interval.low), abs(change.interval.high)))
    return (low if change.certain else 0.0), high


def _source(setting: str) -> str:
    name = (
        "knn.csv"
        if setting == STANDARD
        else "appendix.csv"
        if setting in (W2, STEM, BOTH)
        else "sensitivity.csv"
    )
    return f"{name}, paper, {setting}"


def _ordinal(n: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(n, f"{n}th")


def _listed(datasets: Sequence[str]) -> str:
    return datasets[0] if len(datasets) == 1 else f"{len(datasets)} sets"
