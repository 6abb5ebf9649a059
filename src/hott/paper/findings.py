"""Ways to look a claim up in the results: each gives our number, and whether the claim holds by it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from hott.distances.topic import HOFTT
from hott.distances.word import RWMD, WMD
from hott.evaluation.significance import bootstrap
from hott.paper.methods import PUBLISHED
from hott.paper.predictions import read_links
from hott.paper.published import column
from hott.paper.results import Cells, Difference, Results
from hott.paper.setting import STANDARD, Setting, departures
from hott.paper.sources import SOURCES
from hott.paper.summary import normalised
from hott.paper.tables import number
from hott.topics import FittedTopics


@dataclass(frozen=True)
class Finding:
    """Our number, whether the claim holds by it, whether that is more than chance, and where it is from."""

    ours: str
    holds: bool
    source: str
    certain: bool | None = None  # None where there is no test of it

    @property
    def verdict(self) -> str:
        said = "holds" if self.holds else "fails"
        return said if self.certain in (None, True) else f"{said}, within chance"


Look: TypeAlias = Callable[["Results"], Finding | None]
W2, STEM, BOTH = (s.label for s in (Setting(p=2), Setting(stem=True), Setting(p=2, stem=True)))


def less(first: str, second: str, datasets: Sequence[str] | None = None, setting: str = STANDARD) -> Look:
    """The first method errs less often than the second, mean over the data sets."""

    def look(results: Results) -> Finding | None:
        found = results.difference(Cells(first, setting=setting), Cells(second, setting=setting), datasets)
        if found is None:
            return None
        return Finding(
            f"{first} − {second}: {found} points over {_listed(found.datasets)}",
            found.value < 0, _source(setting), found.certain if found.interval else None,
        )  # fmt: skip

    return look


def change(
    methods: Sequence[str],
    setting: str,
    holds: Callable[[Difference], bool],
    datasets: Sequence[str] | None = None,
) -> Look:
    """What a setting does to the error of methods."""

    def look(results: Results) -> Finding | None:
        found = {
            name: change
            for name in methods
            if (change := results.difference(Cells(name, setting=setting), Cells(name), datasets)) is not None
        }
        if len(found) < len(methods):
            return None
        known = all(change.interval for change in found.values())
        return Finding(
            "; ".join(f"{name} {change}" for name, change in found.items()) + " points",
            all(map(holds, found.values())), _source(setting),
            all(change.certain for change in found.values()) if known else None,
        )  # fmt: skip

    return look


def worse(change: Difference) -> bool:
    return change.value > 0


def better(change: Difference) -> bool:
    return change.value < 0


def same(points: float) -> Callable[[Difference], bool]:
    return lambda change: abs(change.value) <= points


def level(first: str, second: str, points: float, datasets: Sequence[str] | None = None) -> Look:
    """Two methods differ by no more than some points, mean over data sets."""

    def look(results: Results) -> Finding | None:
        found = results.difference(Cells(first), Cells(second), datasets)
        if found is None:
            return None
        text = f"{first} − {second}: {found} points over {_listed(found.datasets)}"
        return Finding(text, abs(found.value) <= points, _source(STANDARD))

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
        return Finding(
            f"{places} over {_listed(common)}: {shown}",
            set(order[: len(names)]) == set(names), _source(setting),
        )  # fmt: skip

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
    table = results.scores("paper").get("HOTT", {})
    comparable = [d for d in SOURCES if d in table and d != "ohsumed"]  # that is another task here
    if not comparable:
        return None
    known = {d: column("knn_error_w1_no_stemming", d, "HOTT") or np.nan for d in comparable}
    near = [d for d in comparable if table[d].mean <= known[d] + 1]
    shown = ", ".join(f"{d} {table[d].mean:.1f} ({known[d]:g})" for d in comparable)
    return Finding(
        f"at most one point above on {len(near)} of {len(comparable)}: {shown}",
        len(near) == len(comparable), _source(STANDARD),
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


def faster(first: str, *others: str, but: Sequence[str] = (), times: float = 1.0) -> Look:
    """Pairs a second, by the library, on all data sets but some."""

    def look(results: Results) -> Finding | None:
        rate = {
            (row["dataset"], row["method"]): number(row, "pairs_per_second")
            for row in results.rows("timing")
            if row["solver"] == "hott"
        }
        sets = [d for d in SOURCES if (d, first) in rate and d not in but]
        if not sets:
            return None
        factors = {other: [rate[d, first] / rate[d, other] for d in sets] for other in others}
        shown = "; ".join(f"{first} {_span(f)} times {other}" for other, f in factors.items())
        return Finding(shown, all(min(f) > times for f in factors.values()), "timing.csv, solver hott", None)

    return look


def statistic(name: str, test: Callable[[dict[str, float]], bool], form: str) -> Look:
    def look(results: Results) -> Finding | None:
        found = {row["dataset"]: number(row, name) for row in results.rows("statistics")}
        if not found:
            return None
        shown = ", ".join(f"{d} {value:{form}}" for d, value in found.items())
        return Finding(shown, test(found), f"statistics.csv, {name}")

    return look


def all_pairs(name: str, more: str = "") -> Look:
    """A bound holds for all pairs of documents, and how close it is."""

    def look(results: Results) -> Finding | None:
        rows = [row for row in results.rows("bounds") if row.get(name)]
        if not rows:
            return None
        least = min(number(row, name) for row in rows)
        pairs = sum(int(row["pairs"]) for row in rows)
        text = f"{100 * least:.4g} % of {pairs:,} pairs of {len(rows)} data sets"
        if more:
            ratios = [number(row, more) for row in rows]
            text += f"; mean ratio {min(ratios):.2f} to {max(ratios):.2f}"
        return Finding(text, least == 1.0, f"bounds.csv, {name}")

    return look


def metric(results: Results) -> Finding | None:
    rows = results.rows("bounds")
    if not rows:
        return None
    broken = sum(int(row["triangles_broken"]) for row in rows)
    tried = sum(int(row["triangles"]) for row in rows)
    return Finding(f"{broken} of {tried:,} triangles broken", broken == 0, "bounds.csv, triangles_broken")


def single_word_topics(_: Results) -> Finding:
    random = np.random.default_rng(0)
    counts, vectors = random.poisson(1.0, (12, 15)) + np.eye(12, 15, dtype=int), random.normal(size=(15, 3))
    exact = WMD(vectors).fit(counts).pairwise(counts)
    topics = HOFTT(vectors, topic_model=FittedTopics(np.eye(15), alpha=0)).fit(counts).pairwise(counts)
    gap = float(np.abs(exact - topics).max())
    return Finding(f"largest difference {gap:.1e} on random documents", gap < 1e-9, "computed here")


def same_words(_: Results) -> Finding:
    vectors, counts = [[0.0], [1.0]], [[9, 1], [1, 9]]
    relaxed, exact = (kind(vectors).fit(counts).pairwise(counts)[0, 1] for kind in (RWMD, WMD))
    text = f"shares 0.9 and 0.1 against 0.1 and 0.9: RWMD {relaxed:.1f}, WMD {exact:.1f}"
    return Finding(text, relaxed == 0 and exact > 0, "computed here")


def looser(results: Results) -> Finding | None:
    rows = [row for row in results.rows("bounds") if row.get("overlap_and_ratio")]
    if not rows:
        return None
    found = {row["dataset"]: number(row, "overlap_and_ratio") for row in rows}
    shown = ", ".join(f"{d} {value:+.2f}" for d, value in found.items())
    return Finding(
        f"rank correlation of overlap and RWMD / WMD: {shown}", all(v < 0 for v in found.values()),
        "bounds.csv, overlap_and_ratio",
    )  # fmt: skip


def dwarfed(results: Results) -> Finding | None:
    rows = results.rows("costs")
    if not rows:
        return None
    ratios = {
        row["dataset"]: (number(row, "learn_seconds") + number(row, "compare_seconds"))
        / number(row, "pairs_seconds")
        for row in rows
    }
    shown = ", ".join(f"{d} {ratio:.2g}" for d, ratio in ratios.items())
    return Finding(
        f"topics cost so many times all pairs of HOTT: {shown}", max(ratios.values()) < 1, "costs.csv"
    )


def relation(first: str, second: str, form: str) -> Look:
    """The mean of one column is above that of another."""

    def look(results: Results) -> Finding | None:
        rows = results.rows("relation")
        if not rows:
            return None
        a, b = (float(np.mean([number(row, name) for row in rows])) for name in (first, second))
        return Finding(
            f"{first} {a:{form}}, {second} {b:{form}}, mean of {len(rows)} data sets", a > b, "relation.csv"
        )

    return look


def maps_better(datasets: Sequence[str]) -> Look:
    def look(results: Results) -> Finding | None:
        rows = {(row["dataset"], row["method"]): row for row in results.rows("maps")}
        sets = [d for d in datasets if (d, "HOTT") in rows and (d, "RWMD") in rows]
        if not sets:
            return None
        better, shown = [], []
        for d in sets:
            a, b = (100 * number(rows[d, m], "accuracy") for m in ("HOTT", "RWMD"))
            better.append(a > b)
            shown.append(f"{d} {a:.1f} against {b:.1f}")
        return Finding(", ".join(shown), all(better), "maps.csv, accuracy")

    return look


def twitter_map(results: Results) -> Finding | None:
    rows = [row for row in results.rows("maps") if row["dataset"] == "twitter" and row.get("majority")]
    if not rows:
        return None
    majority = number(rows[0], "majority")
    shown = ", ".join(f"{row['method']} {100 * number(row, 'accuracy'):.1f} %" for row in rows)
    return Finding(
        f"{shown}; the largest class alone: {100 * majority:.1f} %",
        all(number(row, "accuracy") < majority + 0.05 for row in rows), "maps.csv, accuracy and majority",
    )  # fmt: skip


def links_ahead(first: Sequence[str], second: Sequence[str]) -> Look:
    """Every one of the first distances is ahead of every one of the second in every column."""

    def look(results: Results) -> Finding | None:
        rows = {row["distance"]: row for row in results.rows("links")}
        if not {*first, *second} <= rows.keys():
            return None
        margins = {
            (a, b, phi): 100 * (number(rows[a], phi) - number(rows[b], phi))
            for a in first
            for b in second
            for phi in ("phi0", "phi1", "phi2", "phi3", "phi4")
            if rows[b].get(phi)
        }
        (a, b, phi), least = min(margins.items(), key=lambda item: item[1])
        certain = _certain_links(results, a, b, phi)
        return Finding(
            f"least margin {least:+.2f} points of F1 ({a} − {b}, {phi})", least > 0, "links.csv", certain
        )

    return look


def _certain_links(results: Results, a: str, b: str, phi: str) -> bool | None:
    kept = read_links(results.out)
    if f"{a}|{phi}" not in kept or f"{b}|{phi}" not in kept:
        return None
    true, x, y = kept["true"], kept[f"{a}|{phi}"], kept[f"{b}|{phi}"]
    table = np.column_stack([x & true, x, true, y & true, y])

    def apart(sums: list[np.ndarray]) -> np.ndarray:
        s = sums[0]
        return 2 * s[:, 0] / (s[:, 1] + s[:, 2]) - 2 * s[:, 3] / (s[:, 4] + s[:, 2])

    return bootstrap([table], apart).beyond_zero


def range_of_topics(methods: Sequence[str], test: Callable[[list[float]], bool]) -> Look:
    """Errors over the number of topics, on classic."""

    def look(results: Results) -> Finding | None:
        shown, passed = [], []
        for method in methods:
            errors = _over(results, method, "classic", "topics", 70)
            if len(errors) < 3:
                return None
            values = [errors[n] for n in sorted(errors, key=float)]
            passed.append(test(values))
            shown.append(f"{method} {min(values):.1f} to {max(values):.1f} (last {values[-1]:.1f})")
        return Finding("; ".join(shown), all(passed), "sensitivity.csv, classic, topics")

    return look


def _over(results: Results, method: str, dataset: str, field: str, standard: object) -> dict[str, float]:
    """The error of a method for each value of one field of the setting, the standard value included."""
    found = {}
    for row in [*results.rows("knn"), *results.rows("sensitivity")]:
        if (row["method"], row["dataset"], row["protocol"]) != (method, dataset, "paper"):
            continue
        changed = departures(row["setting"])
        if not changed or list(changed) == [field]:
            found[changed.get(field, str(standard))] = 100 * number(row, "error_k7")
    return found


def truncation(results: Results) -> Finding | None:
    errors = _over(results, "HOTT", "r8", "topic_words", 20)
    cut = {n: error for n, error in errors.items() if n != "all"}
    if len(cut) < 3:
        return None
    shown = ", ".join(f"{n}: {cut[n]:.1f}" for n in sorted(cut, key=int))
    row = results.row("knn", dataset="r8", method="HOTT", protocol="paper")
    share = cut["20"] / 100
    deviation = 100 * float(np.sqrt(share * (1 - share) / number(row, "tested"))) if row else 0.5
    return Finding(
        f"HOTT by words of a topic: {shown}", max(cut.values()) - min(cut.values()) <= 2 * deviation,
        "sensitivity.csv, r8, topic_words",
    )  # fmt: skip


def no_truncation(results: Results) -> Finding | None:
    errors = {m: _over(results, m, "r8", "topic_words", 20) for m in ("HOTT", "HOFTT")}
    if any("all" not in found or "20" not in found for found in errors.values()):
        return None
    shown = ", ".join(f"{m} {found['20']:.1f} to {found['all']:.1f}" for m, found in errors.items())
    apart = max(abs(found["all"] - found["20"]) for found in errors.values())
    return Finding(
        f"from 20 words to all that were seen: {shown}", apart > 1, "sensitivity.csv, r8, topic_words=all"
    )


def threshold(results: Results) -> Finding | None:
    changes = [
        (d, results.difference(Cells("HOTT"), Cells("HOTT", setting="threshold=none"), (d,)))
        for d in ("r8", "classic")
    ]
    if any(change is None for _, change in changes):
        return None
    shown = "; ".join(f"{d} {change}" for d, change in changes)
    return Finding(
        f"truncated less full: {shown} points", all(c is not None and c.value <= 0.5 for _, c in changes),
        "sensitivity.csv, threshold=none",
    )  # fmt: skip


def robust_everywhere(results: Results) -> Finding | None:
    """The largest change of the mean error by W2 or stemming, of ours and of theirs."""
    largest = {}
    for name in ("HOTT", "HOFTT", "RWMD", "WMD-T20"):
        changes = [results.difference(Cells(name, setting=s), Cells(name)) for s in (W2, STEM, BOTH)]
        if any(change is None for change in changes):
            return None
        largest[name] = max(abs(change.value) for change in changes if change)
    ours, theirs = max(largest["HOTT"], largest["HOFTT"]), min(largest["RWMD"], largest["WMD-T20"])
    shown = ", ".join(f"{name} {value:.1f}" for name, value in largest.items())
    return Finding(f"largest change in points: {shown}", ours < theirs, "appendix.csv")


def books_match(results: Results) -> Finding | None:
    row = results.row("interpretability", dataset="gutenberg")
    if row is None or not row.get("mean_topic_distance"):
        return None
    cost, mean = number(row, "distance"), number(row, "mean_topic_distance")
    return Finding(
        f"mass moves {cost:.2f} on average, two topics at random are {mean:.2f} apart; "
        f"{100 * number(row, 'shared'):.0f} % stays in its topic",
        cost < mean, "interpretability.csv",
    )  # fmt: skip


def untested(_: Results) -> None:
    return None


def _span(values: Sequence[float]) -> str:
    low, high = (f"{value:,.0f}" if value >= 10 else f"{value:.2g}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def _listed(datasets: Sequence[str]) -> str:
    return datasets[0] if len(datasets) == 1 else f"{len(datasets)} sets"


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


def inverted(look: Look) -> Look:
    """The contrary of what is looked up."""

    def looked(results: Results) -> Finding | None:
        found = look(results)
        return None if found is None else replace(found, holds=not found.holds)

    return looked


def both_hold(first: Look, second: Look) -> Look:
    """Two findings in one."""

    def looked(results: Results) -> Finding | None:
        a, b = first(results), second(results)
        if a is None or b is None:
            return None
        certain = None if None in (a.certain, b.certain) else bool(a.certain and b.certain)
        return Finding(f"{a.ours}; {b.ours}", a.holds and b.holds, a.source, certain)

    return looked
